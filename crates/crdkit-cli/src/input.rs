//! Inputs: what a source is made of, read whole or, when large, in parts that end between documents, or between
//! the items of a list in JSON.

use crate::list::{self, Items, Outline};
use anyhow::{Context as _, Result};
use crdkit_codec::Format;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
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
    /// How many characters stand in front of it on that line.
    pub(crate) first_column: usize,
    /// Whether its documents are the items of a list.
    pub(crate) is_inside_list: bool,
}

/// Something that can be read, as often as needed.
pub(crate) struct Entry {
    pub(crate) name: Arc<str>,
    /// Its format, where that was said.
    pub(crate) format: Option<Format>,
    pub(crate) content: Content,
    /// Where the items are, if it is a list that is read in parts.
    pub(crate) list: OnceLock<Option<Outline>>,
}

/// Where the text of an entry is.
pub(crate) enum Content {
    File(PathBuf),
    /// Already here, because it cannot be read twice.
    Memory(Vec<u8>),
}

/// A larger file is read in parts of about this size.
const PART: usize = 4 << 20;

impl Entry {
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
            Content::File(path) => std::fs::read(path).with_context(|| self.unreadable())?,
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
        file.take(u64::MAX).read_to_end(&mut bytes).with_context(unreadable)?;
        Ok(Some(self.input(bytes, Start::default())))
    }

    fn open(&self) -> Result<Box<dyn ReadSeek + '_>> {
        Ok(match &self.content {
            Content::Memory(bytes) => Box::new(Cursor::new(bytes.as_slice())),
            Content::File(path) => Box::new(File::open(path).with_context(|| self.unreadable())?),
        })
    }

    /// All of it, in parts no larger than needed. A part ends where a document does.
    pub(crate) fn parts(&self) -> Result<Parts<'_>> {
        let mut reader = self.open()?;
        let unreadable = || self.unreadable();
        let list = if let Some(list) = self.list.get() {
            *list
        } else {
            let found = find_list(self, &mut *reader).with_context(unreadable)?;
            *self.list.get_or_init(|| found)
        };
        reader.rewind().with_context(unreadable)?;
        let mut parts = Parts {
            entry: self,
            reader: Box::new(io::empty()),
            pending: Vec::new(),
            start: Start::default(),
            cut: None,
            ended: false,
        };
        if let Some(Outline { start, end }) = list {
            let mut head = Vec::new();
            reader.by_ref().take(start).read_to_end(&mut head).with_context(unreadable)?;
            parts.start.advance(&head);
            parts.cut = Some(Cut::Items(Items::default()));
            parts.reader = Box::new(reader.take(end - start));
        } else {
            parts.reader = Box::new(reader);
        }
        Ok(parts)
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
fn find_list(entry: &Entry, reader: &mut dyn ReadSeek) -> io::Result<Option<Outline>> {
    let mut start = Vec::new();
    (&mut *reader).take(PART as u64).read_to_end(&mut start)?;
    if entry.format_of(&start) != Format::Json {
        return Ok(None);
    }
    reader.rewind()?;
    let Some(outline) = list::outline(&mut *reader)? else { return Ok(None) };
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    reader.rewind()?;
    (&mut *reader).take(outline.start.min(PART as u64)).read_to_end(&mut head)?;
    reader.seek(SeekFrom::Start(outline.end))?;
    (&mut *reader).take(PART as u64).read_to_end(&mut tail)?;
    // Text around the items that is large itself is cut off here and not a list then.
    Ok(list::is_list(&head, &tail).then_some(outline))
}

/// Finds the last place where bytes can be cut.
type Seam = fn(&[u8]) -> Option<usize>;

/// How an entry is cut.
enum Cut {
    Seam(Seam),
    Items(Items),
}

/// The parts of an entry, in order.
pub(crate) struct Parts<'a> {
    entry: &'a Entry,
    reader: Box<dyn Read + 'a>,
    pending: Vec<u8>,
    /// Where what is pending begins.
    start: Start,
    /// Decided by how the entry begins.
    cut: Option<Cut>,
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
            let cut = self.cut.get_or_insert_with(|| Cut::Seam(seam_of(self.entry, &self.pending)));
            let at = match cut {
                Cut::Seam(cut) => {
                    // Only what is new can have a place to cut, but for a few bytes across the seam.
                    let from = before.saturating_sub(8);
                    let new = self.pending.get(from..).unwrap_or_default();
                    cut(new).map(|at| from + at)
                }
                Cut::Items(items) => {
                    let new = self.pending.get_mut(before..).unwrap_or_default();
                    items.separate(new).map(|at| before + at)
                }
            };
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
        let is_inside_list = matches!(self.cut, Some(Cut::Items(_)));
        Input { is_inside_list, ..self.entry.input(bytes, start) }
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
fn seam_of(entry: &Entry, bytes: &[u8]) -> Seam {
    match entry.format_of(bytes) {
        Format::Ndjson => |bytes| memchr::memrchr(b'\n', bytes).map(|feed| feed + 1),
        // UTF-16 has other line ends, and a directive belongs to the document behind it.
        Format::Yaml if !matches!(bytes, [0xFE | 0xFF | 0 | b'%', ..] | [_, 0, ..]) => |bytes| {
            let mut markers = memchr::memmem::rfind_iter(bytes, b"\n---");
            let is_marker =
                |at: &usize| matches!(bytes.get(at + 4), Some(b' ' | b'\t' | b'\r' | b'\n'));
            markers.find(is_marker).map(|at| at + 1)
        },
        Format::Yaml | Format::Json | Format::Cbor | Format::CborSeq | Format::Mixed => |_| None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_between_documents_and_know_their_lines() {
        let document = format!("a: |\n  {}\n  ---\nb: 1\n---\n", "x".repeat(PART / 3));
        let entry = Entry::memory("many.yaml", document.repeat(9).into_bytes());
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
    fn json_that_is_no_list_is_never_cut() {
        let text = format!("[{}1]", "1,\n---\n".repeat(PART / 4));
        let entry = Entry::memory("one.json", text.into_bytes());
        assert_eq!(entry.parts().unwrap().count(), 1);
    }

    #[test]
    fn a_list_in_json_is_cut_between_items_that_stay_where_they_are() {
        let item = format!("{{\"a\":\"\u{e9}{}\"}}", "x,}".repeat(PART / 9));
        for between in [",", ",\n "] {
            let items = [item.as_str(); 9].join(between);
            let text = format!("{{\"items\":[{items}],\"kind\":\"List\"}}");
            let entry = Entry::memory("list.json", text.clone().into_bytes());
            let parts: Vec<_> = entry.parts().unwrap().map(Result::unwrap).collect();
            assert!(parts.len() > 1);
            let mut n_items = 0;
            for part in &parts {
                let options = crdkit_codec::DecodeOptions::default();
                n_items += part.format.documents(&part.bytes, &options).map(Result::unwrap).count();
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
