//! Documents from YAML: the first, or all of a text or a reader.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::Read;

use crdkit_issue::Issue;
use crdkit_value::Document;

use super::compose::AliasRoom;
use super::input::{LookAhead, YamlInput};
use super::pieces::{Piece, Pieces};
use super::stream::Stream;
use crate::{DecodeError, DecodeOptions, Decoded};

/// Decodes the first document of `bytes` and ignores what follows it, as Kubernetes does. Where there is none, it
/// is `null`.
///
/// # Errors
/// The finding, when the document is not YAML or does not convert to JSON.
pub fn decode(bytes: &[u8], options: &DecodeOptions) -> Result<Decoded, Box<Issue>> {
    let input = YamlInput::new(bytes, LookAhead::Chunk);
    let room = AliasRoom::new(options.limits.alias_bytes);
    let first = match &input.text {
        Cow::Borrowed(_) => Stream::new(bytes, 0, input, options, room).next(),
        Cow::Owned(text) => Stream::over(text, &input, options, room).next(),
    };
    first.unwrap_or_else(|| Ok(Decoded { document: Document::null(), issues: Vec::new() }))
}

/// The documents of a text, each decoded when it is asked for.
pub struct Documents<'a, 'o> {
    source: YamlSource<'a, 'o>,
    /// What has been decoded and not been asked for yet.
    ready: VecDeque<Result<Decoded, Box<Issue>>>,
}

enum YamlSource<'a, 'o> {
    Slice(Box<Stream<'a, 'o>>),
    Read(Pieces<Box<dyn Read + 'a>>, &'o DecodeOptions, AliasRoom),
    Done,
}

impl<'a, 'o> Documents<'a, 'o> {
    /// The documents in a slice.
    pub fn from_slice(bytes: &'a [u8], options: &'o DecodeOptions) -> Self {
        let input = YamlInput::new(bytes, LookAhead::Document);
        let room = AliasRoom::new(options.limits.alias_bytes);
        match &input.text {
            Cow::Borrowed(_) => {
                let stream = Box::new(Stream::new(bytes, 0, input, options, room));
                Self { source: YamlSource::Slice(stream), ready: VecDeque::new() }
            }
            Cow::Owned(text) => {
                let ready = Stream::over(text, &input, options, room).collect();
                Self { source: YamlSource::Done, ready }
            }
        }
    }

    /// The documents of a reader; no more than one is held at a time.
    pub fn from_read(inner: impl Read + 'a, options: &'o DecodeOptions) -> Self {
        let pieces = Pieces::new(Box::new(inner) as Box<dyn Read + 'a>, options.limits.bytes);
        let room = AliasRoom::new(options.limits.alias_bytes);
        Self { source: YamlSource::Read(pieces, options, room), ready: VecDeque::new() }
    }
}

impl Iterator for Documents<'_, '_> {
    type Item = Result<Decoded, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(outcome) = self.ready.pop_front() {
                return Some(outcome.map_err(DecodeError::from));
            }
            match &mut self.source {
                YamlSource::Done => return None,
                YamlSource::Slice(stream) => {
                    return stream.next().map(|outcome| outcome.map_err(DecodeError::from));
                }
                YamlSource::Read(pieces, options, room) => match pieces.next() {
                    Ok(Some(Piece { bytes, base, goes_on })) => {
                        let input = YamlInput::new(bytes, LookAhead::Document);
                        let mut stream = match &input.text {
                            Cow::Borrowed(_) => Stream::new(bytes, base, input, options, *room),
                            Cow::Owned(text) => Stream::over(text, &input, options, *room),
                        };
                        if goes_on {
                            stream = stream.before_marker();
                        }
                        self.ready.extend(stream.by_ref());
                        *room = stream.room();
                        let n_left = stream.n_left();
                        pieces.give_back(n_left);
                    }
                    Ok(None) => self.source = YamlSource::Done,
                    Err(error) => {
                        self.source = YamlSource::Done;
                        return Some(Err(error));
                    }
                },
            }
        }
    }
}
