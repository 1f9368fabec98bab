//! Inputs: what a source is made of, read whole or, when large, in parts that end between documents, or between
//! the items of a list in JSON.

use crate::source::read_file;
use anyhow::{Context as _, Result};
use crdkit_codec::json::{Documents, Framing, ListOutline};
use crdkit_codec::{DecodeError, DecodeOptions, Decoded, Format};
use crdkit_value::Value;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Text that has been read: all of a file, or a part of it.
pub(crate) struct Input {
    /// What to call it in findings.
    pub(crate) name: Arc<str>,
    pub(crate) format: Format,
    pub(crate) bytes: Vec<u8>,
    /// The number of its first line in the file.
    pub(crate) first_line: usize,
    /// How many characters stand before it on that line.
    pub(crate) first_column: usize,
    /// Whether its documents are the items of a list.
    pub(crate) is_inside_list: bool,
}

impl Input {
    /// Its documents, each decoded when it is asked for.
    pub(crate) fn documents<'a>(
        &'a self,
        options: &'a DecodeOptions,
    ) -> Box<dyn Iterator<Item = Result<Decoded, DecodeError>> + 'a> {
        if self.is_inside_list {
            return Box::new(Documents::from_slice(&self.bytes, Framing::Items, options));
        }
        self.format.documents(&self.bytes, options)
    }
}

/// Something that can be read, as often as needed.
pub(crate) struct InputEntry {
    pub(crate) name: Arc<str>,
    /// Its format, where that was said.
    pub(crate) format: Option<Format>,
    pub(crate) content: Content,
    /// Where the items are, if it is a list that is read in parts.
    pub(crate) list: OnceLock<Option<ListOutline>>,
}

/// Where the text of an entry is.
pub(crate) enum Content {
    File(PathBuf),
    /// Already here, because it cannot be read twice.
    Memory(Vec<u8>),
}

/// A larger file is read in parts of about this size.
const PART: usize = 4 << 20;

impl InputEntry {
    pub(crate) fn file(path: PathBuf) -> Self {
        let name = path.display().to_string();
        // `./a.yaml` and `a.yaml` are one file, and services that show findings know the latter.
        let name = name.strip_prefix("./").unwrap_or(&name).into();
        Self { name, format: None, content: Content::File(path), list: OnceLock::new() }
    }

    pub(crate) fn memory(name: &str, bytes: Vec<u8>) -> Self {
        let content = Content::Memory(bytes);
        Self { name: name.into(), format: None, content, list: OnceLock::new() }
    }

    /// All of it.
    pub(crate) fn read(&self) -> Result<Input> {
        let bytes = match &self.content {
            Content::Memory(bytes) => bytes.clone(),
            Content::File(path) => read_file(path).with_context(|| self.unreadable())?,
        };
        Ok(self.input(bytes, Start::default()))
    }

    /// All of it, unless it is worth reading in parts.
    pub(crate) fn read_if_small(&self) -> Result<Option<Input>> {
        let Content::File(path) = &self.content else {
            return if self.is_large() { Ok(None) } else { self.read().map(Some) };
        };
        let unreadable = || self.unreadable();
        let file = File::open(path).with_context(unreadable)?;
        let size = file.metadata().with_context(unreadable)?.len();
        if size > 2 * PART as u64 {
            return Ok(None);
        }
        // With room for one byte more the end is seen without asking for more room.
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
        file.take(4 * PART as u64).read_to_end(&mut bytes).with_context(unreadable)?;
        Ok(Some(self.input(bytes, Start::default())))
    }

    fn open(&self) -> Result<Box<dyn ReadSeek + '_>> {
        Ok(match &self.content {
            Content::Memory(bytes) => Box::new(Cursor::new(bytes.as_slice())),
            Content::File(path) => Box::new(File::open(path).with_context(|| self.unreadable())?),
        })
    }

    /// All of it, in parts no larger than needed. A part ends where a document or an item of a list does.
    pub(crate) fn parts(&self) -> Result<Box<dyn Iterator<Item = Result<Input>> + '_>> {
        let unreadable = || self.unreadable();
        let mut reader = self.open()?;
        let list = if let Some(list) = self.list.get() {
            list
        } else {
            let found = find_list(self, &mut *reader).with_context(unreadable)?;
            reader.rewind().with_context(unreadable)?;
            self.list.get_or_init(|| found)
        };
        let (pending, mut start) = (Vec::new(), Start::default());
        let Some(ListOutline { start: before, ends, .. }) = list else {
            let parts = Parts { entry: self, reader, pending, start, seam: None, ended: false };
            return Ok(Box::new(parts));
        };
        let mut next = move |n_bytes: usize| -> Result<Input> {
            let mut bytes = Vec::with_capacity(n_bytes);
            let mut part = reader.by_ref().take(n_bytes as u64);
            part.read_to_end(&mut bytes).with_context(unreadable)?;
            let Start { line: first_line, column: first_column } = start;
            start.advance(&bytes);
            let (name, format) = (Arc::clone(&self.name), Format::Json);
            Ok(Input { name, format, bytes, first_line, first_column, is_inside_list: true })
        };
        next(*before)?;
        let mut at = *before;
        Ok(Box::new(ends.iter().map(move |end| next(end - std::mem::replace(&mut at, *end)))))
    }

    /// How large it is, as far as that is known.
    pub(crate) fn size(&self) -> usize {
        match &self.content {
            Content::Memory(bytes) => bytes.len(),
            Content::File(path) => {
                path.metadata().map_or(0, |it| usize::try_from(it.len()).unwrap_or(usize::MAX))
            }
        }
    }

    /// Whether it is worth reading in parts.
    pub(crate) fn is_large(&self) -> bool {
        self.size() > 2 * PART
    }

    fn input(&self, bytes: Vec<u8>, start: Start) -> Input {
        let format = self.format_of(&bytes);
        let bytes = if format == Format::Yaml { without_utf16(bytes) } else { bytes };
        let Start { line: first_line, column: first_column } = start;
        let name = Arc::clone(&self.name);
        Input { name, format, bytes, first_line, first_column, is_inside_list: false }
    }

    fn format_of(&self, bytes: &[u8]) -> Format {
        self.format.unwrap_or_else(|| Format::detect(self.name.as_ref().as_ref(), bytes))
    }

    fn unreadable(&self) -> String {
        format!("`{}` cannot be read", self.name)
    }
}

/// UTF-16 with a byte order mark as UTF-8, so that lines and columns can be found in it. What is not UTF-16
/// becomes what is not UTF-8, and is refused there.
fn without_utf16(bytes: Vec<u8>) -> Vec<u8> {
    let unit = match bytes.as_slice() {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return bytes,
    };
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = Vec::with_capacity(bytes.len());
    for outcome in char::decode_utf16(pairs.iter().skip(1).map(|pair| unit(*pair))) {
        match outcome {
            Ok(character) => {
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Err(_) => text.push(0xFF),
        }
    }
    text.extend(odd.iter().map(|_| 0xFF));
    text
}

/// Something that can be read from any place.
trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// Where text begins in its file.
#[derive(Clone, Copy)]
struct Start {
    line: usize,
    column: usize,
}

impl Default for Start {
    fn default() -> Self {
        Self { line: 1, column: 0 }
    }
}

impl Start {
    /// Goes to the end of `bytes`.
    fn advance(&mut self, bytes: &[u8]) {
        let feeds = memchr::memchr_iter(b'\n', bytes).count();
        let last = match memchr::memrchr(b'\n', bytes) {
            Some(feed) => {
                self.column = 0;
                bytes.get(feed + 1..).unwrap_or_default()
            }
            None => bytes,
        };
        self.line += feeds;
        // Bytes that begin a character; the others only go on with one.
        self.column += last.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
    }
}

/// The items of a list in JSON that is not held whole; none for anything else.
fn find_list(entry: &InputEntry, reader: &mut dyn ReadSeek) -> io::Result<Option<ListOutline>> {
    let mut start = Vec::new();
    (&mut *reader).take(PART as u64).read_to_end(&mut start)?;
    if entry.format_of(&start) != Format::Json {
        return Ok(None);
    }
    reader.rewind()?;
    let outline = ListOutline::read(reader, PART, &DecodeOptions::default())?;
    Ok(outline.filter(|ListOutline { around, .. }| {
        let kind = around.document.root().get("kind").and_then(Value::as_str);
        around.issues.is_empty() && kind.is_some_and(|kind| kind.ends_with("List"))
    }))
}

/// Finds the last place where bytes can be cut.
type Seam = fn(&[u8]) -> Option<usize>;

/// The parts of an entry, in order.
struct Parts<'a> {
    entry: &'a InputEntry,
    reader: Box<dyn ReadSeek + 'a>,
    pending: Vec<u8>,
    /// Where what is pending begins.
    start: Start,
    /// Decided by how the entry begins.
    seam: Option<Seam>,
    ended: bool,
}

impl Parts<'_> {
    fn read_part(&mut self) -> Result<Option<Input>> {
        while !self.ended {
            let before = self.pending.len();
            let more = self.reader.by_ref().take(PART as u64).read_to_end(&mut self.pending);
            if more.with_context(|| self.entry.unreadable())? == 0 {
                self.ended = true;
                break;
            }
            let seam = *self.seam.get_or_insert_with(|| seam_of(self.entry, &self.pending));
            // Only what is new can have a place to cut, but for a few bytes across the seam.
            let from = before.saturating_sub(8);
            let at = seam(self.pending.get(from..).unwrap_or_default()).map(|at| from + at);
            if let Some(at) = at.filter(|at| *at > 0) {
                let rest = self.pending.split_off(at);
                return Ok(Some(self.part(rest)));
            }
        }
        Ok((!self.pending.is_empty()).then(|| self.part(Vec::new())))
    }

    /// What is pending as an input; `rest` is pending next.
    fn part(&mut self, rest: Vec<u8>) -> Input {
        let bytes = std::mem::replace(&mut self.pending, rest);
        let start = self.start;
        self.start.advance(&bytes);
        self.entry.input(bytes, start)
    }
}

impl Iterator for Parts<'_> {
    type Item = Result<Input>;

    fn next(&mut self) -> Option<Self::Item> {
        let part = self.read_part().transpose();
        if matches!(part, Some(Err(_))) {
            (self.ended, self.pending) = (true, Vec::new());
        }
        part
    }
}

/// How an entry that begins with `bytes` is cut. JSON documents have no seam that can be seen from outside.
fn seam_of(entry: &InputEntry, bytes: &[u8]) -> Seam {
    match entry.format_of(bytes) {
        Format::Ndjson => |bytes| memchr::memrchr(b'\n', bytes).map(|feed| feed + 1),
        // UTF-16 has other line ends, and a directive belongs to the document after it.
        Format::Yaml if !matches!(bytes, [0xFE | 0xFF | 0 | b'%', ..] | [_, 0, ..]) => |bytes| {
            let mut markers = memchr::memmem::rfind_iter(bytes, b"\n---");
            let is_marker = |at: &usize| {
                matches!(bytes.get(at + 4), Some(b' ' | b'\t' | b'\r' | b'\n'))
                    && !follows_directive(bytes.get(..*at).unwrap_or_default())
            };
            markers.find(is_marker).map(|at| at + 1)
        },
        Format::Yaml | Format::Json | Format::Cbor | Format::CborSeq | Format::Mixed => |_| None,
    }
}

/// Whether a directive comes last in `bytes`, apart from comments and empty lines. It belongs to what follows.
fn follows_directive(bytes: &[u8]) -> bool {
    let mut lines = bytes.rsplit(|byte| matches!(byte, b'\n' | b'\r'));
    let is_empty = |line: &&[u8]| line.is_empty() || line.starts_with(b"#");
    lines.find(|line| !is_empty(line)).is_some_and(|line| line.starts_with(b"%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directive_stays_with_its_document() {
        let filler = format!("a: {}\n", "x".repeat(2 * PART));
        let text = format!("{filler}...\n%TAG !e! tag:yaml.org,2002:\n# why\n---\nb: !e!str 1\n");
        let entry = InputEntry::memory("two.yaml", text.repeat(2).into_bytes());
        for part in entry.parts().unwrap().map(Result::unwrap) {
            let options = DecodeOptions::default();
            assert!(part.documents(&options).all(|it| it.is_ok()));
        }
    }

    #[test]
    fn parts_end_between_documents_and_know_their_lines() {
        let document = format!("a: |\n  {}\n  ---\nb: 1\n---\n", "x".repeat(PART / 3));
        let entry = InputEntry::memory("many.yaml", document.repeat(9).into_bytes());
        let parts: Vec<_> = entry.parts().unwrap().map(Result::unwrap).collect();
        assert!(parts.len() > 1);
        for part in &parts[1..] {
            assert!(part.bytes.starts_with(b"---\n"));
        }
        let lines: Vec<_> = parts.iter().map(|part| part.first_line).collect();
        assert_eq!(lines.first(), Some(&1));
        assert!(lines[1..].iter().all(|line| line % 5 == 0), "{lines:?}");
        let together: Vec<u8> = parts.into_iter().flat_map(|part| part.bytes).collect();
        assert_eq!(together, document.repeat(9).into_bytes());
    }

    #[test]
    fn json_that_is_not_a_list_is_never_cut() {
        let text = format!("[{}1]", "1,\n---\n".repeat(PART / 4));
        let entry = InputEntry::memory("one.json", text.into_bytes());
        assert_eq!(entry.parts().unwrap().count(), 1);
    }

    #[test]
    fn a_list_in_json_is_cut_between_items_that_stay_where_they_are() {
        let item = format!("{{\"a\":\"\u{e9}{}\"}}", "x,}".repeat(PART / 9));
        for between in [",", ",\n "] {
            let items = [item.as_str(); 9].join(between);
            let text = format!("{{\"items\":[{items}],\"kind\":\"List\"}}");
            let entry = InputEntry::memory("list.json", text.clone().into_bytes());
            let parts: Vec<_> = entry.parts().unwrap().map(Result::unwrap).collect();
            assert!(parts.len() > 1);
            let mut n_items = 0;
            for part in &parts {
                let options = DecodeOptions::default();
                n_items += part.documents(&options).map(Result::unwrap).count();
                // The same characters stand at that place in the whole.
                let feeds = text.match_indices('\n').map(|(at, _)| at + 1);
                let line = std::iter::once(0).chain(feeds).nth(part.first_line - 1).unwrap();
                let there: String = text[line..].chars().skip(part.first_column).take(20).collect();
                let here = String::from_utf8_lossy(&part.bytes);
                assert_eq!(there, here.chars().take(20).collect::<String>());
            }
            assert_eq!(n_items, 9);
        }
    }
}
