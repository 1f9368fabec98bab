//! Comments in the YAML of an object.
//!
//! The text was written from the object, so reading it again with positions tells where each value stands.
//! Holds: the text with comments reads as the same object.

use super::changes::Note;
use crdkit::codec::{DecodeOptions, yaml};
use crdkit::value::{NodeId, Place, Value};
use std::collections::{BTreeMap, HashMap};

/// Comments by the line they belong to.
#[derive(Default)]
struct Comments {
    /// Lines of their own in front of a line.
    above: BTreeMap<usize, Vec<String>>,
    /// At the end of a line.
    beside: BTreeMap<usize, Vec<String>>,
    /// Lines of their own behind a line.
    below: BTreeMap<usize, Vec<String>>,
}

/// `text`, which was written from `root`, with `notes` about its values.
pub(super) fn annotate(text: &str, root: Value<'_>, notes: &[Note]) -> String {
    let options = DecodeOptions { positions: true, ..DecodeOptions::default() };
    let Ok(decoded) = yaml::decode(text.as_bytes(), &options) else { return text.to_owned() };
    let written = decoded.document.root();
    // Both have the same values in the same order.
    let same: HashMap<NodeId, NodeId> = root.ids().zip(written.ids()).collect();
    let value = |id: &NodeId| same.get(id).map(|id| decoded.document.value(*id));
    let mut comments = Comments::default();
    for note in notes {
        let placed = match note {
            Note::Added(id, remark) => {
                value(id).and_then(|value| comments.added(text, value, remark))
            }
            Note::Removed(id, remark) => {
                value(id).and_then(|value| comments.removed(text, value, remark))
            }
        };
        // Everything that was written has a place.
        debug_assert!(placed.is_some());
    }
    comments.write(text)
}

impl Comments {
    fn added(&mut self, text: &str, value: Value<'_>, remark: &str) -> Option<()> {
        let place = place(value)?;
        let start = place.key.unwrap_or(place.value).start;
        let (first, last) = (line(text, start), line(text, place.value.end.saturating_sub(1)));
        let is_scalar = value.as_array().is_none() && value.as_object().is_none();
        let is_block = text.get(place.value.start..)?.starts_with(['|', '>']);
        if is_scalar && !is_block && last > first {
            // A scalar over several lines has no room for a comment.
            let indent = " ".repeat(column(text, start));
            self.above.entry(first).or_default().push(format!("{indent}# {remark}:"));
        } else {
            self.beside.entry(first).or_default().push(remark.to_owned());
        }
        Some(())
    }

    fn removed(&mut self, text: &str, object: Value<'_>, remark: &str) -> Option<()> {
        let at = place(object)?;
        let Some((_, member)) = object.members().next() else {
            // `{}` is on the line of its key.
            let first = line(text, at.key.unwrap_or(at.value).start);
            self.beside.entry(first).or_default().push(remark.to_owned());
            return Some(());
        };
        let indent = " ".repeat(column(text, place(member)?.key?.start));
        let ends = object.ids().filter_map(|id| object.document().place(id));
        let end = ends.map(|place| place.value.end).max()?;
        let last = line(text, end.saturating_sub(1));
        self.below.entry(last).or_default().push(format!("{indent}# {remark}"));
        Some(())
    }

    fn write(&self, text: &str) -> String {
        let mut out = String::new();
        for (number, line) in text.lines().enumerate() {
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

fn place(value: Value<'_>) -> Option<Place> {
    value.document().place(value.id())
}

/// The number of the line that a byte is in, from zero.
fn line(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    memchr::memchr_iter(b'\n', before).count()
}

fn column(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    before.len() - memchr::memrchr(b'\n', before).map_or(0, |feed| feed + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crdkit::codec::Decoded;

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
