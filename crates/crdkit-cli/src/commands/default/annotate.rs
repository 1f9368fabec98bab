//! Comments in the YAML of an object.
//!
//! The text was written from the object, so reading it again with positions tells where each value stands.
//! Holds: the text with comments reads as the same object.

use super::changes::Note;
use crate::limits;
use crdkit_codec::yaml;
use crdkit_issue::{LineIndex, Position};
use crdkit_value::{NodeId, SourceSpans, Value};
use std::collections::{BTreeMap, HashMap};

/// Comments by the line they belong to, from zero.
struct Comments<'t> {
    text: &'t str,
    lines: LineIndex,
    /// The last line of objects that something was removed from.
    ends: HashMap<NodeId, usize>,
    /// Lines of their own before a line.
    above: BTreeMap<usize, Vec<String>>,
    /// At the end of a line.
    beside: BTreeMap<usize, Vec<String>>,
    /// Lines of their own after a line.
    below: BTreeMap<usize, Vec<String>>,
}

/// `text`, which was written from `root`, with `notes` about its values.
pub(crate) fn annotate(text: &str, root: Value<'_>, notes: &[Note]) -> String {
    let options = limits::decoding().positions(true);
    let Ok(decoded) = yaml::decode(text.as_bytes(), &options) else { return text.to_owned() };
    let written = decoded.document.root();
    // Both have the same values in the same order.
    let same: HashMap<NodeId, NodeId> = root.ids().zip(written.ids()).collect();
    let value = |id: &NodeId| same.get(id).map(|id| decoded.document.value(*id));
    let mut comments = Comments {
        text,
        lines: LineIndex::new(text.as_bytes()),
        ends: HashMap::new(),
        above: BTreeMap::new(),
        beside: BTreeMap::new(),
        below: BTreeMap::new(),
    };
    for note in notes {
        let placed = match note {
            Note::Added(id, remark) => value(id).and_then(|value| comments.added(value, remark)),
            Note::Removed(id, remark) => {
                value(id).and_then(|value| comments.removed(value, remark))
            }
        };
        // Everything that was written has a place.
        debug_assert!(placed.is_some());
    }
    comments.write()
}

impl Comments<'_> {
    /// The line and column of a byte, from zero.
    fn position(&self, at: usize) -> (usize, usize) {
        let Position { line, column } = self.lines.position(self.text.as_bytes(), at);
        (line - 1, column - 1)
    }

    fn added(&mut self, value: Value<'_>, remark: &str) -> Option<()> {
        let place = place(value)?;
        let start = place.key.unwrap_or(place.value).start;
        let (first, column) = self.position(start);
        let (last, _) = self.position(place.value.end.saturating_sub(1));
        let is_scalar = value.as_array().is_none() && value.as_object().is_none();
        let is_block = self.text.get(place.value.start..)?.starts_with(['|', '>']);
        if is_scalar && !is_block && last > first {
            // A scalar over several lines has no room for a comment.
            let indent = " ".repeat(column);
            self.above.entry(first).or_default().push(format!("{indent}# {remark}:"));
        } else {
            self.beside.entry(first).or_default().push(remark.to_owned());
        }
        Some(())
    }

    fn removed(&mut self, object: Value<'_>, remark: &str) -> Option<()> {
        let at = place(object)?;
        let Some((_, member)) = object.members().next() else {
            // `{}` is on the line of its key.
            let (first, _) = self.position(at.key.unwrap_or(at.value).start);
            self.beside.entry(first).or_default().push(remark.to_owned());
            return Some(());
        };
        let indent = " ".repeat(self.position(place(member)?.key?.start).1);
        let last = if let Some(last) = self.ends.get(&object.id()) {
            *last
        } else {
            let places = object.ids().filter_map(|id| object.document().place(id));
            let end = places.map(|place| place.value.end).max()?;
            self.position(end.saturating_sub(1)).0
        };
        self.ends.insert(object.id(), last);
        self.below.entry(last).or_default().push(format!("{indent}# {remark}"));
        Some(())
    }

    fn write(&self) -> String {
        let mut out = String::new();
        for (number, line) in self.text.lines().enumerate() {
            for comment in self.above.get(&number).into_iter().flatten() {
                out.push_str(comment);
                out.push('\n');
            }
            out.push_str(line);
            if let Some(remarks) = self.beside.get(&number) {
                out.push_str(" # ");
                out.push_str(&remarks.join("; "));
            }
            out.push('\n');
            // An inner object ends before the one around it does: the deeper comment comes first.
            let mut below: Vec<_> = self.below.get(&number).into_iter().flatten().collect();
            below.sort_by_key(|comment| std::cmp::Reverse(comment.find('#')));
            for comment in below {
                out.push_str(comment);
                out.push('\n');
            }
        }
        out
    }
}

fn place(value: Value<'_>) -> Option<SourceSpans> {
    value.document().place(value.id())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crdkit_codec::{DecodeOptions, Decoded};

    fn decode(text: &str) -> Decoded {
        yaml::decode(text.as_bytes(), &DecodeOptions::default()).unwrap()
    }

    #[test]
    fn comments_stand_where_they_belong_and_change_nothing() {
        let long = "word ".repeat(40);
        let given = format!("a:\n  b: 1\n  s: |\n    x\n    y\n  e: {{}}\nl:\n- c: {long}\n");
        let object = decode(&given).document;
        let mut text = Vec::new();
        yaml::write(object.root(), &mut text);
        let text = String::from_utf8(text).unwrap();
        let id = |pointer: &str| object.root().pointer(pointer).unwrap().id();
        let notes = [
            Note::Added(id("/a"), "new".into()),
            Note::Added(id("/a/b"), "default".into()),
            Note::Added(id("/a/s"), "block".into()),
            Note::Added(id("/l/0/c"), "long".into()),
            Note::Removed(id("/a/e"), "gone: 1".into()),
            Note::Removed(id("/a"), "other: 2".into()),
            Note::Removed(id("/l/0"), "third: 3".into()),
            Note::Removed(id(""), "last: 4".into()),
        ];
        let out = annotate(&text, object.root(), &notes);
        assert_eq!(decode(&out).document.root(), object.root(), "{out}");
        let start = "a: # new\n  b: 1 # default\n  s: | # block\n    x\n    y\n  e: {} # gone: 1\n  # other: 2\nl:\n";
        assert!(out.starts_with(start), "{out}");
        assert!(out.contains("  # long:\n- c: word"), "{out}");
        assert!(out.ends_with("  # third: 3\n# last: 4\n"), "{out}");
    }
}
