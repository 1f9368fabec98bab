//! A list that is too large to hold, taken apart by one run of the parser over its text.
//!
//! Any reader goes in; what comes out is the list without its items, and where the text of the items can be cut. Each
//! piece is then decoded as [`Framing::Items`](super::Framing::Items). Memory is bounded by what is around the items
//! and by the number of pieces. Text that is not one object with one array of objects named `items` has no outline; an
//! item that is not JSON is passed over here and refused when its piece is decoded.

use super::parse::{JsonToken, Sink, Stop};
use super::reader::Reader;
use super::resume::Resumed;
use super::source::{ByteSource, Window};
use crate::{DecodeError, DecodeOptions, Decoded};
use crdkit_value::{Builder, Event};
use std::io::{self, Read};

/// How many arrays and objects are open among the items.
const DEPTH_OF_ITEMS: usize = 2;

/// A list without its items, and where those are in its text.
#[derive(Clone, Debug)]
pub struct ListOutline {
    /// The list with an empty array in place of its items.
    pub around: Decoded,
    /// The offset after the bracket that opens the array.
    pub start: usize,
    /// Where the text from there on can be cut: each offset is after an item, the last one after the last item.
    pub ends: Vec<usize>,
}

impl ListOutline {
    /// The outline of the list that `inner` gives, cut into pieces of about `piece` bytes or one item.
    ///
    /// # Errors
    /// When reading fails.
    pub fn read(
        inner: impl Read,
        piece: usize,
        options: &DecodeOptions,
    ) -> io::Result<Option<Self>> {
        // Limits are those of a document, and each item is one.
        let limits = options.limits.clone().depth(usize::MAX).bytes(usize::MAX);
        let mut reader = Reader::with_chunk_size(inner, 256 << 10, &limits, options.numbers);
        match outline(&mut reader, piece, options) {
            Ok(outline) => Ok(outline),
            Err(DecodeError::Refused(_)) => Ok(None),
            Err(DecodeError::Io(error)) => Err(error),
        }
    }
}

fn outline<S: ByteSource>(
    reader: &mut Reader<S>,
    piece: usize,
    options: &DecodeOptions,
) -> Result<Option<ListOutline>, DecodeError> {
    let mut builder = Builder::new(&options.limits, options.duplicates)
        .reporting_tolerated(options.report_duplicates);
    let (mut depth, mut items) = (0_usize, None);
    while let Some((event, span)) = reader.next_event()? {
        let is_items = depth == 1 && event == Event::Key("items");
        match event {
            Event::BeginObject | Event::BeginArray => depth += 1,
            Event::EndObject | Event::EndArray => depth -= 1,
            _ => {}
        }
        builder.event(event, span)?;
        if depth == 0 {
            break;
        }
        if is_items {
            // A second array would count instead of the first.
            if items.is_some() {
                return Ok(None);
            }
            let Some((Event::BeginArray, span)) = reader.next_event()? else { return Ok(None) };
            let start = reader.offset();
            let Some(ends) = item_ends(reader, start, piece)? else { return Ok(None) };
            builder.event(Event::BeginArray, span)?;
            builder.event(Event::EndArray, span)?;
            items = Some((start, ends));
        }
    }
    let Some((start, ends)) = items else { return Ok(None) };
    if reader.next_document()? {
        return Ok(None);
    }
    let (document, issues) = builder.finish();
    Ok(Some(ListOutline { around: Decoded { document, issues }, start, ends }))
}

/// Where to cut the items of an array that begins at `start`, up to its closing bracket; none if not all are objects.
fn item_ends<S: ByteSource>(
    reader: &mut Reader<S>,
    start: usize,
    piece: usize,
) -> Result<Option<Vec<usize>>, DecodeError> {
    let (mut ends, mut cut, mut last) = (Vec::new(), start, start);
    loop {
        match reader.next_event()? {
            Some((Event::BeginObject, _)) => {}
            Some((Event::EndArray, _)) => break,
            _ => return Ok(None),
        }
        match reader.skip_open() {
            Err(DecodeError::Refused(_)) => match reader.skip_broken(DEPTH_OF_ITEMS)? {
                Resumed::Found => reader.parser.return_to_items(),
                Resumed::Lost(_) => return Ok(None),
            },
            outcome => outcome?,
        }
        last = reader.offset();
        if last - cut >= piece {
            ends.push(last);
            cut = last;
        }
    }
    if last > cut {
        ends.push(last);
    }
    Ok(Some(ends))
}

impl<S: ByteSource> Reader<S> {
    /// Passes over the rest of the array or object that was opened last.
    fn skip_open(&mut self) -> Result<(), DecodeError> {
        let mut n_open = 1;
        loop {
            let (source, parser, at_end, _, scratch) = self.parts();
            match parser.run(Window::of(source), at_end, &mut Skip { scratch, n_open: &mut n_open })
            {
                Ok(()) | Err(Stop::Sink(())) => return Ok(()),
                Err(Stop::Miss(miss)) => self.recover(miss)?,
            }
        }
    }
}

/// Drops tokens until what is open has ended.
struct Skip<'r> {
    scratch: &'r mut String,
    n_open: &'r mut usize,
}

impl Sink for Skip<'_> {
    type Stop = ();

    #[inline(always)]
    fn scratch(&mut self) -> &mut String {
        self.scratch
    }

    #[inline(always)]
    fn take(&mut self, token: JsonToken, _: usize, _: usize) -> Result<(), ()> {
        match token {
            JsonToken::BeginArray | JsonToken::BeginObject => *self.n_open += 1,
            JsonToken::EndArray | JsonToken::EndObject => {
                *self.n_open -= 1;
                if *self.n_open == 0 {
                    return Err(());
                }
            }
            _ => {}
        }
        Ok(())
    }
}
