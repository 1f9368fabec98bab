//! Lists that come in, taken apart while the end is not known.
//!
//! Takes what is pending of a stream, from where a document begins. A document that begins as a list does is cut
//! between its items; what stands around them is kept, and becomes a list without items when the end has come, in which
//! everything that is wrong with the list itself can be found. All offsets are those of what is pending.

use super::yaml_list::{LineRole, ListScan, ListState};
use crate::limits;
use crate::objects::ItemKind;
use crdkit_codec::Format;
use crdkit_value::Value;
use std::sync::Arc;

/// The items of a list that has begun.
#[derive(Debug)]
pub(super) struct Items {
    notation: Notation,
    /// What stands before the first item.
    head: Vec<u8>,
    /// What the items are, if that stands there for all of them.
    pub(super) kind: Option<Arc<ItemKind>>,
}

#[derive(Debug)]
enum Notation {
    Yaml(ListScan),
    Json(JsonScan),
}

impl Items {
    /// The list that `pending` begins with, if it is one, and where its items begin.
    pub(super) fn begin(format: Format, pending: &[u8], part: usize) -> Option<(Self, usize)> {
        let (notation, start, document) = match format {
            Format::Yaml => {
                let mut scan = ListScan::new(part);
                for line in pending.split_inclusive(|byte| *byte == b'\n') {
                    if scan.line(line) != LineRole::Expected {
                        return None;
                    }
                    if scan.state == ListState::Inside {
                        break;
                    }
                    scan.at += line.len();
                }
                let start = scan.start;
                let head = pending.get(..start).filter(|_| scan.state == ListState::Inside)?;
                scan.moved(start);
                (Notation::Yaml(scan), start, head.to_vec())
            }
            Format::Json | Format::Ndjson => {
                let mut scan = JsonScan { part, ..JsonScan::default() };
                let start = scan.start(pending)?;
                let mut document = pending.get(..start)?.to_vec();
                document.extend_from_slice(b"]}");
                (Notation::Json(scan), start, document)
            }
            Format::Cbor | Format::CborSeq | Format::Mixed => return None,
        };
        let format = if format == Format::Yaml { Format::Yaml } else { Format::Json };
        let known = format.decode(&document, &limits::decoding()).ok()?.document;
        // What is a list is said by its kind; where that comes last, as kubectl has it, by the version of `List`.
        let text = |key| known.root().get(key).map(|it| it.as_str().unwrap_or_default());
        let is_list = match text("kind") {
            Some(kind) => kind.ends_with("List"),
            None => known.root().get("apiVersion").and_then(Value::as_str) == Some("v1"),
        };
        let head = pending.get(..start)?.to_vec();
        let kind = ItemKind::of(known.root()).map(Arc::new);
        is_list.then_some((Self { notation, head, kind }, start))
    }

    /// Looks at what is new in `pending`, which begins with an item; `ended` if nothing comes after it.
    pub(super) fn scan(&mut self, pending: &[u8], ended: bool) {
        match &mut self.notation {
            Notation::Yaml(scan) => {
                let new = pending.get(scan.at..).unwrap_or_default();
                for line in new.split_inclusive(|byte| *byte == b'\n') {
                    let is_complete = line.ends_with(b"\n") || ended;
                    if !is_complete || scan.state != ListState::Inside {
                        break;
                    }
                    // What is odd is left to the decoder, with all that follows.
                    let _ = scan.line(line);
                    if scan.state == ListState::Inside {
                        scan.at += line.len();
                    }
                }
                if ended && scan.state == ListState::Inside {
                    scan.end();
                }
            }
            Notation::Json(scan) => {
                scan.items(pending);
                if ended && !scan.is_over {
                    scan.end(pending.len());
                }
            }
        }
    }

    /// Where parts of what was looked at end, the last of them where the items do if [`Self::is_over`].
    pub(super) fn ends(&self) -> &[usize] {
        match &self.notation {
            Notation::Yaml(scan) => &scan.ends,
            Notation::Json(scan) => &scan.ends,
        }
    }

    /// Whether the end of the items has been seen.
    pub(super) fn is_over(&self) -> bool {
        match &self.notation {
            Notation::Yaml(scan) => scan.state == ListState::After,
            Notation::Json(scan) => scan.is_over,
        }
    }

    /// The first `n_bytes` of what was pending are gone.
    pub(super) fn taken(&mut self, n_bytes: usize) {
        match &mut self.notation {
            Notation::Yaml(scan) => scan.moved(n_bytes),
            Notation::Json(scan) => scan.moved(n_bytes),
        }
    }

    /// Where the document ends whose items are over, in `pending`, which begins after them.
    pub(super) fn end_of_document(&self, pending: &[u8], ended: bool) -> Option<usize> {
        let end = match &self.notation {
            Notation::Yaml(_) => {
                let at_start = ["---", "..."].iter().any(|it| pending.starts_with(it.as_bytes()));
                let after = ["\n---", "\n..."];
                let found =
                    after.iter().filter_map(|it| memchr::memmem::find(pending, it.as_bytes()));
                if at_start { Some(0) } else { found.min().map(|at| at + 1) }
            }
            Notation::Json(_) => JsonScan::default().end_of_object(pending),
        };
        end.or_else(|| ended.then_some(pending.len()))
    }

    /// The list without its items; `tail` is what comes after them.
    pub(super) fn around(self, tail: &[u8]) -> (Format, Vec<u8>) {
        let mut list = self.head;
        let format = match self.notation {
            Notation::Yaml(_) => {
                // In place of the line end after `items:`.
                list.truncate(list.trim_ascii_end().len());
                list.extend_from_slice(b" []\n");
                Format::Yaml
            }
            Notation::Json(_) => Format::Json,
        };
        list.extend_from_slice(tail);
        (format, list)
    }

    /// The format that the items are written in.
    pub(super) fn format(&self) -> Format {
        match self.notation {
            Notation::Yaml(_) => Format::Yaml,
            Notation::Json(_) => Format::Json,
        }
    }
}

/// Goes through a list in JSON by its brackets and quotes alone.
#[derive(Debug, Default)]
struct JsonScan {
    part: usize,
    at: usize,
    depth: usize,
    in_string: bool,
    /// Where parts end: after an item.
    ends: Vec<usize>,
    is_over: bool,
}

/// How many arrays and objects are open around an item.
const AROUND_ITEMS: usize = 2;

impl JsonScan {
    /// Goes to the next bracket, and over it.
    fn bracket(&mut self, bytes: &[u8]) -> Option<u8> {
        loop {
            let rest = bytes.get(self.at..)?;
            if self.in_string {
                let Some(found) = memchr::memchr2(b'"', b'\\', rest) else {
                    self.at = bytes.len();
                    return None;
                };
                self.at += found;
                if rest.get(found) == Some(&b'"') {
                    self.in_string = false;
                    self.at += 1;
                } else {
                    rest.get(found + 1)?;
                    self.at += 2;
                }
                continue;
            }
            let is_mark = |byte: &u8| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']');
            let Some(found) = rest.iter().position(is_mark) else {
                self.at = bytes.len();
                return None;
            };
            self.at += found + 1;
            match rest.get(found) {
                Some(b'"') => self.in_string = true,
                found => {
                    match found {
                        Some(b'{' | b'[') => self.depth += 1,
                        _ => self.depth = self.depth.saturating_sub(1),
                    }
                    return found.copied();
                }
            }
        }
    }

    /// Where the items begin of the object that `bytes` begin with.
    fn start(&mut self, bytes: &[u8]) -> Option<usize> {
        if !bytes.trim_ascii_start().starts_with(b"{") {
            return None;
        }
        loop {
            let bracket = self.bracket(bytes)?;
            if self.depth == 0 {
                return None;
            }
            if bracket == b'[' && self.depth == AROUND_ITEMS {
                let before = bytes.get(..self.at - 1)?.trim_ascii_end();
                let key = before.strip_suffix(b":").unwrap_or_default().trim_ascii_end();
                if key.ends_with(b"\"items\"") {
                    let start = self.at;
                    self.moved(start);
                    return Some(start);
                }
            }
        }
    }

    /// Goes on to the end of what is there of the items.
    fn items(&mut self, bytes: &[u8]) {
        while !self.is_over {
            match self.bracket(bytes) {
                None => return,
                Some(b'}') if self.depth == AROUND_ITEMS => {
                    let begun = self.ends.last().copied().unwrap_or_default();
                    if self.at - begun >= self.part {
                        self.ends.push(self.at);
                    }
                }
                Some(_) if self.depth < AROUND_ITEMS => self.end(self.at - 1),
                Some(_) => {}
            }
        }
    }

    fn end(&mut self, at: usize) {
        if at > self.ends.last().copied().unwrap_or_default() {
            self.ends.push(at);
        }
        self.is_over = true;
    }

    /// Where the object ends whose array of items ends where `bytes` begin.
    fn end_of_object(mut self, bytes: &[u8]) -> Option<usize> {
        self.depth = AROUND_ITEMS;
        loop {
            self.bracket(bytes)?;
            if self.depth == 0 {
                return Some(self.at);
            }
        }
    }

    fn moved(&mut self, n_bytes: usize) {
        self.at = self.at.saturating_sub(n_bytes);
        self.ends.retain_mut(|end| {
            let is_ahead = *end > n_bytes;
            *end = end.saturating_sub(n_bytes);
            is_ahead
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of `text` when it comes in pieces of `size` bytes: the parts, and the list around them.
    fn taken_apart(format: Format, text: &str, size: usize) -> Option<(Vec<String>, String)> {
        let head = text.len().min(40);
        let (mut items, start) = Items::begin(format, &text.as_bytes()[..head], 1)?;
        let (mut parts, mut at, mut end) = (Vec::new(), start, head);
        loop {
            let ended = end == text.len();
            let pending = &text.as_bytes()[at..end];
            items.scan(pending, ended);
            let ends = items.ends().to_vec();
            let mut from = 0;
            for end in &ends {
                parts.push(text[at + from..at + end].to_owned());
                from = *end;
            }
            items.taken(from);
            at += from;
            if items.is_over() {
                let rest = &text.as_bytes()[at..];
                let n_bytes = items.end_of_document(rest, true).expect("an end");
                let (_, around) = items.around(&rest[..n_bytes]);
                return Some((parts, String::from_utf8(around).expect("text")));
            }
            end = (end + size).min(text.len());
        }
    }

    #[track_caller]
    fn check(format: Format, text: &str, parts: &[&str], around: &str) {
        for size in [1, 7, 1000] {
            let found = taken_apart(format, text, size).expect(text);
            let found_parts: Vec<_> = found.0.iter().map(String::as_str).collect();
            assert_eq!((found_parts.as_slice(), found.1.as_str()), (parts, around), "{size}");
        }
    }

    #[test]
    fn items_in_yaml_are_cut_at_their_dashes() {
        let text = "apiVersion: v1\nitems:\n- a: 1\n  b: |\n    - c\n- d: 2\nkind: List\n";
        let parts = ["- a: 1\n  b: |\n    - c\n", "- d: 2\n"];
        let around = "apiVersion: v1\nitems: []\nkind: List\n";
        check(Format::Yaml, text, &parts, around);
        check(Format::Yaml, &format!("{text}---\na: 1\n"), &parts, around);
        // From an alias on nothing is cut.
        let text = "kind: List\nitems:\n  - a: 1\n  - b: &x 2\n  - *x\n  - d: 4\n";
        check(
            Format::Yaml,
            text,
            &["  - a: 1\n", "  - b: &x 2\n  - *x\n  - d: 4\n"],
            "kind: List\nitems: []\n",
        );
    }

    #[test]
    fn items_in_json_are_cut_after_their_braces() {
        let text =
            r#"{"kind":"LampList","items" : [{"a":"}]\"{"},{"b":[{}]}, {"c":{}} ],"z":[1]} {"#;
        let parts = [r#"{"a":"}]\"{"}"#, r#",{"b":[{}]}"#, r#", {"c":{}}"#, " "];
        check(Format::Json, text, &parts, r#"{"kind":"LampList","items" : [],"z":[1]}"#);
        let parts = [r#"{"a":1}"#];
        check(
            Format::Ndjson,
            r#"{"apiVersion":"v1","items":[{"a":1}],"kind":"List"}"#,
            &parts[..],
            r#"{"apiVersion":"v1","items":[],"kind":"List"}"#,
        );
    }

    #[test]
    fn other_documents_are_left_alone() {
        for (format, text) in [
            (Format::Yaml, "kind: Lamp\nitems:\n- a: 1\n"),
            (Format::Yaml, "apiVersion: b/v1\nitems:\n- a: 1\n"),
            (Format::Yaml, "kind: List\nspec: {}\n"),
            (Format::Json, r#"{"kind":"Lamp","items":[{}]}"#),
            (Format::Json, r#"{"kind":"LampList","spec":{"items":[{}]}}"#),
            (Format::Json, r#"[{"items":[{}]}]"#),
        ] {
            assert!(Items::begin(format, text.as_bytes(), 1).is_none(), "{text}");
        }
    }
}
