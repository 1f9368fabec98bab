//! Inputs: what a source is made of, read whole or, when large, in parts that end between documents.

use crate::format::Format;
use anyhow::{Context as _, Result};
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

/// Text that has been read: all of a file, or a part of it.
pub(crate) struct Input {
    /// What to call it in findings.
    pub(crate) name: Arc<str>,
    pub(crate) format: Format,
    pub(crate) bytes: Vec<u8>,
    /// The number of its first line in the file.
    pub(crate) first_line: usize,
}

/// Something that can be read, as often as needed.
pub(crate) struct Entry {
    pub(crate) name: Arc<str>,
    /// Its format, where that was said.
    pub(crate) format: Option<Format>,
    pub(crate) content: Content,
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
        Self { name, format: None, content: Content::File(path) }
    }

    pub(crate) fn memory(name: &str, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), format: None, content: Content::Memory(bytes) }
    }

    /// All of it.
    pub(crate) fn read(&self) -> Result<Input> {
        let bytes = match &self.content {
            Content::Memory(bytes) => bytes.clone(),
            Content::File(path) => std::fs::read(path).with_context(|| self.unreadable())?,
        };
        Ok(self.input(bytes, 1))
    }

    /// All of it, in parts no larger than needed. A part ends where a document does.
    pub(crate) fn parts(&self) -> Result<Parts<'_>> {
        let reader: Box<dyn Read + '_> = match &self.content {
            Content::Memory(bytes) => Box::new(bytes.as_slice()),
            Content::File(path) => Box::new(File::open(path).with_context(|| self.unreadable())?),
        };
        Ok(Parts { entry: self, reader, pending: Vec::new(), line: 1, cut: None, ended: false })
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

    fn input(&self, bytes: Vec<u8>, first_line: usize) -> Input {
        let format = self.format_of(&bytes);
        Input { name: Arc::clone(&self.name), format, bytes, first_line }
    }

    fn format_of(&self, bytes: &[u8]) -> Format {
        let named = || Format::of_name(self.name.as_ref().as_ref());
        self.format.or_else(named).unwrap_or_else(|| Format::of_content(bytes))
    }

    fn unreadable(&self) -> String {
        format!("`{}` cannot be read", self.name)
    }
}

/// Finds the last place where bytes can be cut.
type Cut = fn(&[u8]) -> Option<usize>;

/// The parts of an entry, in order.
pub(crate) struct Parts<'a> {
    entry: &'a Entry,
    reader: Box<dyn Read + 'a>,
    pending: Vec<u8>,
    line: usize,
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
            let cut = *self.cut.get_or_insert_with(|| cut_of(self.entry, &self.pending));
            // Only what is new can have a place to cut, but for a few bytes across the seam.
            let from = before.saturating_sub(8);
            let new = self.pending.get(from..).unwrap_or_default();
            if let Some(at) = cut(new).map(|at| from + at).filter(|at| *at > 0) {
                let rest = self.pending.split_off(at);
                return Ok(Some(self.part(rest)));
            }
        }
        Ok((!self.pending.is_empty()).then(|| self.part(Vec::new())))
    }

    /// What is pending as an input; `rest` is pending next.
    fn part(&mut self, rest: Vec<u8>) -> Input {
        let bytes = std::mem::replace(&mut self.pending, rest);
        let first_line = self.line;
        self.line += memchr::memchr_iter(b'\n', &bytes).count();
        self.entry.input(bytes, first_line)
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
fn cut_of(entry: &Entry, bytes: &[u8]) -> Cut {
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
    fn json_is_never_cut() {
        let text = format!("[{}1]", "1,\n---\n".repeat(PART / 4));
        let entry = Entry::memory("one.json", text.into_bytes());
        assert_eq!(entry.parts().unwrap().count(), 1);
    }
}
