//! Lists in YAML, taken apart without decoding them.
//!
//! A list as `kubectl get -o yaml` writes it has its items under `items`, each beginning with a dash in the same
//! column. Everything inside an item stands further right, so the dashes alone say where items begin. Anchors
//! can lead from one item to another; from the first one on a list is not taken apart.

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
    let mut scan = ListScan::new(part);
    loop {
        line.clear();
        let n_bytes = (&mut reader).take(LONGEST).read_until(b'\n', &mut line)?;
        if n_bytes == 0 {
            return Ok(scan.outline());
        }
        if scan.line(&line) != LineRole::Expected {
            return Ok(None);
        }
        scan.at += n_bytes;
    }
}

/// A line longer than this belongs to something else.
const LONGEST: u64 = 4 << 20;

/// Goes through a list line by line.
#[derive(Debug, Default)]
pub(super) struct ListScan {
    part: usize,
    /// Where the line begins that is looked at next.
    pub(super) at: usize,
    pub(super) state: ListState,
    is_list: bool,
    /// Where the first item begins.
    pub(super) start: usize,
    /// Where parts end, as in an outline.
    pub(super) ends: Vec<usize>,
    /// The column of the dashes.
    column: usize,
    /// Whether nothing is cut any more.
    is_whole: bool,
    /// Lines that begin right of this column are text, which a line before has announced with `|` or `>`.
    text: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ListState {
    #[default]
    Before,
    /// After `items:`, before the first dash.
    Expecting,
    Inside,
    After,
}

/// What a line is in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineRole {
    Expected,
    /// The next document begins here, or what is between documents.
    NextDocument,
    /// Something that only a decoder understands.
    Odd,
}

impl ListScan {
    /// For parts of about this size.
    pub(super) fn new(part: usize) -> Self {
        Self { part, ..Self::default() }
    }

    /// Looks at one more line, which `at` is not moved over.
    pub(super) fn line(&mut self, line: &[u8]) -> LineRole {
        let text = line.trim_ascii_end();
        let column = text.iter().take_while(|byte| **byte == b' ').count();
        let text = text.get(column..).unwrap_or_default();
        let is_empty = text.is_empty() || text.starts_with(b"#");
        if self.state != ListState::Inside && is_empty {
            return LineRole::Expected;
        }
        let is_boundary = ["---", "...", "%"].iter().any(|it| text.starts_with(it.as_bytes()));
        if column == 0 && self.at > 0 && is_boundary {
            if self.state == ListState::Inside {
                self.end();
            }
            return LineRole::NextDocument;
        }
        let is_text = self.text.is_some_and(|edge| text.is_empty() || column > edge);
        if !is_text {
            self.text = announced_text(column, text);
            let is_odd = column == 0 && (line.contains(&b'\t') || text.starts_with(b"%"));
            if is_odd || has_anchor(text) {
                // The item that it is in can still begin a part.
                if self.state == ListState::Inside {
                    let _ = self.follow(column, text, is_empty);
                }
                self.is_whole = true;
                return LineRole::Odd;
            }
        }
        self.follow(column, text, is_empty)
    }

    fn follow(&mut self, column: usize, text: &[u8], is_empty: bool) -> LineRole {
        let is_item = text.starts_with(b"- ") || text == b"-";
        let is_expected = match self.state {
            ListState::Before | ListState::After if column == 0 && text == b"items:" => {
                let is_first = self.state == ListState::Before;
                if is_first {
                    self.state = ListState::Expecting;
                }
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
                if self.at - begun >= self.part && !self.is_whole {
                    self.ends.push(self.at);
                }
                true
            }
            ListState::Inside if column == 0 => {
                self.end();
                return self.follow(column, text, is_empty);
            }
            ListState::Inside => false,
        };
        if is_expected { LineRole::Expected } else { LineRole::Odd }
    }

    /// Takes what was looked at for all of the list.
    pub(super) fn end(&mut self) {
        self.ends.push(self.at);
        self.state = ListState::After;
    }

    /// The first `n_bytes` of what was looked at are gone.
    pub(super) fn moved(&mut self, n_bytes: usize) {
        self.at = self.at.saturating_sub(n_bytes);
        self.start = self.start.saturating_sub(n_bytes);
        self.ends.retain_mut(|end| {
            let is_ahead = *end > n_bytes;
            *end = end.saturating_sub(n_bytes);
            is_ahead
        });
    }

    fn outline(mut self) -> Option<Outline> {
        match self.state {
            ListState::Inside => self.end(),
            ListState::After if self.start > 0 => {}
            ListState::Before | ListState::Expecting | ListState::After => return None,
        }
        self.is_list.then_some(Outline { start: self.start, ends: self.ends })
    }
}

/// The column right of which lines after this one are text, if the line announces text.
fn announced_text(column: usize, text: &[u8]) -> Option<usize> {
    let header = text.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    let (mark, indicators) = header.split_first()?;
    let is_header = matches!(mark, b'|' | b'>')
        && indicators.iter().all(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9'));
    if !is_header {
        return None;
    }
    // What it belongs to stands after the dashes, or is the last one of them.
    let (mut edge, mut rest) = (column, text);
    while let Some(inside) = rest.strip_prefix(b"- ") {
        let inside = inside.trim_ascii_start();
        if inside.len() == header.len() {
            break;
        }
        edge += rest.len() - inside.len();
        rest = inside;
    }
    Some(edge)
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
    fn text_in_items_is_no_yaml() {
        let first = "- key: |\n    -----BEGIN KEY-----\n    - *bold* &and\n    ...\n  b: 1\n";
        check(&format!("kind: List\nitems:\n{first}- c: 1\n"), Some(&[first, "- c: 1\n"]));
        let first = "- - >-\n    a\n   *b*\n";
        check(&format!("kind: List\nitems:\n{first}- c: 1\n"), Some(&[first, "- c: 1\n"]));
        check("kind: List\nitems:\n- a: |\n    b\n  c: *d\n- e: 1\n", None);
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
