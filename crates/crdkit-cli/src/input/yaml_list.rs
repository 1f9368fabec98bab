//! Lists in YAML, taken apart without decoding them.
//!
//! A list as `kubectl get -o yaml` writes it has its items under `items`, each beginning with a dash in the same
//! column. Everything inside an item stands further right, so that the dashes alone say where items begin. Anchors
//! can lead from one item to another; a list that has any is not taken apart.

use std::io::{self, BufRead as _, BufReader, Read};

/// Where the items are.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outline {
    /// Where the first item begins.
    pub(super) start: usize,
    /// Where parts end, each with as many items as make it about as large as was asked for.
    pub(super) ends: Vec<usize>,
}

/// The outline of the one list that `reader` holds; none for anything else.
///
/// # Errors
/// When it cannot be read.
pub(super) fn find(reader: &mut dyn Read, part: usize) -> io::Result<Option<Outline>> {
    let mut reader = BufReader::with_capacity(256 << 10, reader);
    let mut line = Vec::new();
    let mut scan = Scan { part, ..Scan::default() };
    loop {
        line.clear();
        let n_bytes = (&mut reader).take(LONGEST).read_until(b'\n', &mut line)?;
        if n_bytes == 0 {
            return Ok(scan.finish());
        }
        if !scan.line(&line) {
            return Ok(None);
        }
        scan.at += n_bytes;
    }
}

/// A line longer than this belongs to something else.
const LONGEST: u64 = 4 << 20;

#[derive(Default)]
struct Scan {
    part: usize,
    /// Where the line begins that is looked at.
    at: usize,
    state: ListState,
    is_list: bool,
    start: usize,
    ends: Vec<usize>,
    /// The column of the dashes.
    column: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum ListState {
    #[default]
    Before,
    /// After `items:`, before the first dash.
    Expecting,
    Inside,
    After,
}

impl Scan {
    /// Looks at one more line; false if this is no list that can be taken apart.
    fn line(&mut self, line: &[u8]) -> bool {
        let text = line.trim_ascii_end();
        let column = text.iter().take_while(|byte| **byte == b' ').count();
        let text = text.get(column..).unwrap_or_default();
        let is_empty = text.is_empty() || text.starts_with(b"#");
        let is_item = text.starts_with(b"- ") || text == b"-";
        if self.state != ListState::Inside && is_empty {
            return true;
        }
        // Anchors, tags, directives and other documents are left to the decoder.
        let is_odd = text.starts_with(b"---") && self.at > 0
            || text.starts_with(b"...")
            || text.starts_with(b"%");
        if is_odd || line.contains(&b'\t') && column == 0 || has_anchor(text) {
            return false;
        }
        match self.state {
            ListState::Before | ListState::After if column == 0 && text == b"items:" => {
                let is_first = self.state == ListState::Before && self.start == 0;
                self.state = ListState::Expecting;
                is_first
            }
            ListState::Before | ListState::After if text == b"---" && self.at == 0 => true,
            ListState::Before | ListState::After => {
                if let Some(kind) = text.strip_prefix(b"kind:").filter(|_| column == 0) {
                    self.is_list |= kind.trim_ascii().ends_with(b"List");
                }
                !(column == 0 && is_item)
            }
            ListState::Expecting => {
                (self.state, self.start, self.column) = (ListState::Inside, self.at, column);
                is_item
            }
            ListState::Inside if is_empty || column > self.column => true,
            ListState::Inside if column == self.column && is_item => {
                let begun = self.ends.last().copied().unwrap_or(self.start);
                if self.at - begun >= self.part {
                    self.ends.push(self.at);
                }
                true
            }
            ListState::Inside if column == 0 => {
                self.ends.push(self.at);
                self.state = ListState::After;
                self.line(line)
            }
            ListState::Inside => false,
        }
    }

    fn finish(mut self) -> Option<Outline> {
        match self.state {
            ListState::Inside => self.ends.push(self.at),
            ListState::After if self.start > 0 => {}
            ListState::Before | ListState::Expecting | ListState::After => return None,
        }
        self.is_list.then_some(Outline { start: self.start, ends: self.ends })
    }
}

/// Whether a value on the line is an anchor, an alias or a merge key.
fn has_anchor(text: &[u8]) -> bool {
    let mut value = text;
    while let Some(rest) = value.strip_prefix(b"- ") {
        value = rest.trim_ascii_start();
    }
    if let Some(at) = memchr::memmem::find(value, b": ") {
        if value.starts_with(b"<<") {
            return true;
        }
        value = value.get(at + 2..).unwrap_or_default().trim_ascii_start();
    }
    matches!(value, [b'&' | b'*', next, ..] if next.is_ascii_alphanumeric() || *next == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&[&str]>) {
        let found = find(&mut text.as_bytes(), 1).unwrap();
        let parts = found.map(|Outline { start, ends }| {
            let mut at = start;
            let cut = |end: usize| text.get(std::mem::replace(&mut at, end)..end).unwrap();
            ends.into_iter().map(cut).collect::<Vec<_>>()
        });
        assert_eq!(parts.as_deref(), expected, "{text}");
    }

    #[test]
    fn items_are_cut_at_their_dashes() {
        check(
            "apiVersion: v1\nitems:\n- a: |\n    - b\n\n- c: 1\n  d:\n  - e\nkind: List\nmetadata:\n  resourceVersion: \"\"\n",
            Some(&["- a: |\n    - b\n\n", "- c: 1\n  d:\n  - e\n"]),
        );
        check("kind: LampList\nitems:\n  - a: 1\n  - b: 2\n", Some(&["  - a: 1\n", "  - b: 2\n"]));
    }

    #[test]
    fn other_texts_are_left_to_the_decoder() {
        check("kind: Lamp\nitems:\n- a: 1\n", None);
        check("kind: List\nitems: []\n", None);
        check("kind: List\nitems:\n- a: &x 1\n- b: *x\n", None);
        check("kind: List\nitems:\n- a: 1\n---\nkind: Lamp\n", None);
        check("a: 1\nb: 2\n", None);
        check("kind: List\nitems:\n- a: 1\nitems:\n- b: 1\n", None);
    }
}
