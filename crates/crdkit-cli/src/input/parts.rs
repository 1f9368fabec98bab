//! Parts of entries that are too large to hold: between documents, or between the items of a list.

use super::{Input, InputEntry, LARGE, PART, yaml_list};
use crate::limits;
use crate::objects::ItemKind;
use anyhow::{Context as _, Result};
use crdkit_codec::Format;
use crdkit_codec::json::ListOutline;
use crdkit_value::Value;
use std::io::{self, Read, Seek};
use std::sync::Arc;

/// Something that can be read from any place.
pub(super) trait ReadSeek: Read + Seek {}

impl<T: Read + Seek> ReadSeek for T {}

/// Where text begins in its file.
#[derive(Clone, Copy)]
pub(super) struct Start {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Default for Start {
    fn default() -> Self {
        Self { line: 1, column: 0 }
    }
}

impl Start {
    /// Goes to the end of `bytes`.
    pub(super) fn advance(&mut self, bytes: &[u8]) {
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

/// Where the items of a list are that is not held whole.
#[derive(Debug)]
pub(crate) struct List {
    format: Format,
    /// Where the first part begins, and where each of them ends.
    start: usize,
    ends: Vec<usize>,
    item_kind: Option<Arc<ItemKind>>,
}

impl List {
    /// The list that an entry is; none for anything else.
    pub(super) fn find(entry: &InputEntry, reader: &mut dyn ReadSeek) -> io::Result<Option<Self>> {
        let mut beginning = Vec::new();
        (&mut *reader).take(LARGE as u64 / 2).read_to_end(&mut beginning)?;
        reader.rewind()?;
        match entry.format_of(&beginning) {
            Format::Json => {
                let outline = ListOutline::read(reader, PART, &limits::decoding())?;
                let outline = outline.filter(|ListOutline { around, .. }| {
                    let kind = around.document.root().get("kind").and_then(Value::as_str);
                    around.issues.is_empty() && kind.is_some_and(|kind| kind.ends_with("List"))
                });
                Ok(outline.map(|ListOutline { start, ends, around }| Self {
                    format: Format::Json,
                    start,
                    ends,
                    item_kind: ItemKind::of(around.document.root()).map(Arc::new),
                }))
            }
            Format::Yaml => {
                let outline = yaml_list::find(reader, PART)?;
                let (format, item_kind) = (Format::Yaml, None);
                Ok(outline.map(|yaml_list::Outline { start, ends }| Self {
                    format,
                    start,
                    ends,
                    item_kind,
                }))
            }
            Format::Ndjson | Format::Cbor | Format::CborSeq | Format::Mixed => Ok(None),
        }
    }

    /// The parts, each with some of the items.
    pub(super) fn parts<'a>(
        &'a self,
        entry: &'a InputEntry,
        mut reader: Box<dyn ReadSeek + 'a>,
    ) -> Result<Box<dyn Iterator<Item = Result<Input>> + 'a>> {
        let mut start = Start::default();
        let mut next = move |n_bytes: usize| -> Result<Input> {
            let mut bytes = Vec::with_capacity(n_bytes);
            let mut part = reader.by_ref().take(n_bytes as u64);
            part.read_to_end(&mut bytes).with_context(|| entry.unreadable())?;
            let Start { line: first_line, column: first_column } = start;
            start.advance(&bytes);
            let whole = entry.whole(Arc::clone(&entry.name), self.format, bytes);
            let item_kind = self.item_kind.clone();
            Ok(Input {
                first_line,
                first_column,
                item_kind,
                is_inside_list: true,
                is_part: true,
                ..whole
            })
        };
        next(self.start)?;
        let mut at = self.start;
        Ok(Box::new(self.ends.iter().map(move |end| next(end - std::mem::replace(&mut at, *end)))))
    }
}

/// Finds the last place where bytes can be cut.
pub(super) type Seam = fn(&[u8]) -> Option<usize>;

/// The parts of an entry, in order.
pub(super) struct Parts<'a> {
    entry: &'a InputEntry,
    reader: Box<dyn ReadSeek + 'a>,
    pending: Vec<u8>,
    /// Where what is pending begins.
    start: Start,
    /// Decided by how the entry begins.
    seam: Option<Seam>,
    ended: bool,
}

impl<'a> Parts<'a> {
    pub(super) fn new(entry: &'a InputEntry, reader: Box<dyn ReadSeek + 'a>) -> Self {
        let (pending, start) = (Vec::new(), Start::default());
        Self { entry, reader, pending, start, seam: None, ended: false }
    }

    fn read_part(&mut self) -> Result<Option<Input>> {
        while !self.ended {
            let before = self.pending.len();
            let more = self.reader.by_ref().take(PART as u64).read_to_end(&mut self.pending);
            if more.with_context(|| self.entry.unreadable())? == 0 {
                self.ended = true;
                break;
            }
            let seam = *self
                .seam
                .get_or_insert_with(|| seam_of(self.entry.format_of(&self.pending), &self.pending));
            // Only what is new can have a place to cut, but for a few bytes across the seam.
            let from = before.saturating_sub(8);
            let at = seam(self.pending.get(from..).unwrap_or_default()).map(|at| from + at);
            if let Some(at) = at.filter(|at| *at > 0) {
                return Ok(Some(self.part(at)));
            }
        }
        Ok((!self.pending.is_empty()).then(|| self.part(self.pending.len())))
    }

    /// The first bytes of what is pending as an input, which takes no more room than it needs.
    fn part(&mut self, n_bytes: usize) -> Input {
        let bytes = if n_bytes < self.pending.len() {
            let bytes = self.pending.get(..n_bytes).unwrap_or_default().to_vec();
            self.pending.drain(..n_bytes);
            bytes
        } else {
            std::mem::take(&mut self.pending)
        };
        let start = self.start;
        self.start.advance(&bytes);
        Input { is_part: true, ..self.entry.input(bytes, start) }
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

/// How text that begins with `bytes` is cut. Between documents of JSON on lines of their own there is no comma.
pub(super) fn seam_of(format: Format, bytes: &[u8]) -> Seam {
    match format {
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
        Format::Json => |bytes| {
            let is_seam = |at: &usize| {
                let before = bytes.get(..*at).unwrap_or_default();
                before.trim_ascii_end().ends_with(b"}")
            };
            memchr::memmem::rfind_iter(bytes, b"\n{").find(is_seam).map(|at| at + 1)
        },
        Format::Yaml | Format::Cbor | Format::CborSeq | Format::Mixed => |_| None,
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
            let options = limits::decoding();
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
                let options = limits::decoding();
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
