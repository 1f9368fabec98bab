//! Paths to fields, and the three ways they are written.
//!
//! | Written by | Form |
//! |---|---|
//! | `Display` | `spec.ports[0].name`, `metadata.annotations[a.b/c]`, as the API server does |
//! | [`FieldPath::dotted`] | `.spec.ports[0].name`, as `JSONPath` expressions in CRDs do |
//! | [`FieldPath::pointer`] | `/spec/ports/0/name`, JSON Pointer (RFC 6901) |
//!
//! Paths have one equality and one order: what is above comes before what is below, items before members,
//! items by number, members by the bytes of their names. Whether a member is written as a field or as an
//! entry of a map makes no difference.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Write as _};
use std::hash::{Hash, Hasher};

/// A place in a document, from the root down.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath(Vec<Segment>);

/// One step of a path.
#[derive(Clone, Debug)]
pub enum Segment {
    /// A field of an object, written `.name`.
    Field(Box<str>),
    /// An entry of a map, written `[key]`.
    Key(Box<str>),
    /// An item of a list, written `[0]`.
    Index(usize),
}

impl FieldPath {
    /// The document itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// Whether this is the document itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The steps from the root down.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// The rest of this path after `prefix`, if it begins with it.
    pub fn strip_prefix(&self, prefix: &Self) -> Option<Self> {
        Some(Self(self.0.strip_prefix(prefix.segments())?.to_vec()))
    }

    /// Whether this path is `prefix` or below it, step by step: `/ab` is not below `/a`.
    pub fn starts_with(&self, prefix: &Self) -> bool {
        self.0.starts_with(&prefix.0)
    }

    /// This path with `prefix` before it.
    #[must_use]
    pub fn rebase(&self, prefix: &Self) -> Self {
        prefix.0.iter().chain(&self.0).cloned().collect()
    }

    /// The path without its last step; the root has none.
    pub fn parent(&self) -> Option<Self> {
        let (_, parent) = self.0.split_last()?;
        Some(Self(parent.to_vec()))
    }

    /// The path one step further down.
    #[must_use]
    pub fn join(mut self, segment: Segment) -> Self {
        self.0.push(segment);
        self
    }

    /// The field `name` below this path.
    #[must_use]
    pub fn field(self, name: &str) -> Self {
        self.join(Segment::Field(name.into()))
    }

    /// The map entry `key` below this path.
    #[must_use]
    pub fn key(self, key: &str) -> Self {
        self.join(Segment::Key(key.into()))
    }

    /// The list item `index` below this path.
    #[must_use]
    pub fn index(self, index: usize) -> Self {
        self.join(Segment::Index(index))
    }

    /// `.spec.ports[0].name`; the root is `.`.
    pub fn dotted(&self) -> String {
        match self.0.first() {
            None | Some(Segment::Field(_)) => format!(".{self}"),
            Some(_) => self.to_string(),
        }
    }

    /// `/spec/ports/0/name`; the root is the empty string.
    pub fn pointer(&self) -> String {
        let mut out = String::new();
        for segment in &self.0 {
            out.push('/');
            match segment {
                Segment::Field(name) | Segment::Key(name) => {
                    for c in name.chars() {
                        match c {
                            '~' => out.push_str("~0"),
                            '/' => out.push_str("~1"),
                            _ => out.push(c),
                        }
                    }
                }
                Segment::Index(index) => {
                    let _ = write!(out, "{index}");
                }
            }
        }
        out
    }
}

impl FromIterator<Segment> for FieldPath {
    fn from_iter<I: IntoIterator<Item = Segment>>(segments: I) -> Self {
        Self(segments.into_iter().collect())
    }
}

impl Segment {
    /// A step for a key whose meaning is unknown: a field when it reads well after a dot, otherwise
    /// a map entry.
    pub fn named(name: &str) -> Self {
        let plain = !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'$'));
        if plain { Self::Field(name.into()) } else { Self::Key(name.into()) }
    }

    /// The step as a pointer shows it, without escapes.
    pub fn text(&self) -> Cow<'_, str> {
        match self.place() {
            Ok(name) => Cow::Borrowed(name),
            Err(index) => Cow::Owned(index.to_string()),
        }
    }

    /// The name of a member, or the position of an item.
    fn place(&self) -> Result<&str, usize> {
        match self {
            Self::Field(name) | Self::Key(name) => Ok(name),
            Self::Index(index) => Err(*index),
        }
    }
}

impl Ord for Segment {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.place(), other.place()) {
            (Err(left), Err(right)) => left.cmp(&right),
            (Ok(left), Ok(right)) => left.cmp(right),
            (Err(_), Ok(_)) => Ordering::Less,
            (Ok(_), Err(_)) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Segment {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Segment {
    fn eq(&self, other: &Self) -> bool {
        self.place() == other.place()
    }
}

impl Eq for Segment {}

impl Hash for Segment {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.place().hash(state);
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Field(name) if depth == 0 => f.write_str(name)?,
                Segment::Field(name) => write!(f, ".{name}")?,
                Segment::Key(key) => write!(f, "[{key}]")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::BuildHasher as _;

    #[track_caller]
    fn check(path: &FieldPath, server: &str, dotted: &str, pointer: &str) {
        assert_eq!(path.to_string(), server);
        assert_eq!(path.dotted(), dotted);
        assert_eq!(path.pointer(), pointer);
    }

    #[test]
    fn a_path_is_written_three_ways() {
        let root = FieldPath::root();
        check(&root, "", ".", "");
        let ports = root.clone().field("spec").field("ports").index(0).field("name");
        check(&ports, "spec.ports[0].name", ".spec.ports[0].name", "/spec/ports/0/name");
        let annotation = root.clone().field("metadata").field("annotations").key("a.b/c~d");
        check(
            &annotation,
            "metadata.annotations[a.b/c~d]",
            ".metadata.annotations[a.b/c~d]",
            "/metadata/annotations/a.b~1c~0d",
        );
        check(&root.index(3).field("x"), "[3].x", "[3].x", "/3/x");
    }

    #[test]
    fn a_key_that_does_not_read_after_a_dot_becomes_a_map_entry() {
        assert!(matches!(Segment::named("x-y"), Segment::Field(_)));
        assert!(matches!(Segment::named("a.b/c"), Segment::Key(_)));
        assert!(matches!(Segment::named(""), Segment::Key(_)));
    }

    #[test]
    fn a_prefix_ends_between_two_steps() {
        let path = |text: &str| FieldPath::from_pointer(text).unwrap();
        assert!(path("/a/b").starts_with(&path("/a")));
        assert!(path("/a").starts_with(&path("")));
        assert!(!path("/ab").starts_with(&path("/a")));
        assert!(!path("/a").starts_with(&path("/a/b")));
        assert_eq!(path("/b").rebase(&path("/a/1")), path("/a/1/b"));
        assert_eq!(path("/a/1/b").strip_prefix(&path("/a/1")), Some(path("/b")));
        assert_eq!(path("/a/1").parent(), Some(path("/a")));
    }

    #[test]
    fn equality_order_and_hash_agree() {
        let path = |text: &str| FieldPath::from_pointer(text).unwrap();
        let sorted = [
            "",
            "/2",
            "/10",
            "/a",
            "/a/2",
            "/a/10",
            "/a/00",
            "/a/b",
            "/ab",
            "/b~1c",
            "/\u{fffd}",
            "/\u{10000}",
        ];
        for (at, left) in sorted.iter().enumerate() {
            for (other, right) in sorted.iter().enumerate() {
                assert_eq!(path(left).cmp(&path(right)), at.cmp(&other), "{left} {right}");
                assert_eq!(path(left) == path(right), at == other, "{left} {right}");
            }
        }
        let as_entry = FieldPath::root().key("a").key("b");
        let as_field = FieldPath::root().field("a").field("b");
        assert_eq!(as_entry, as_field);
        assert_eq!(as_entry.cmp(&as_field), Ordering::Equal);
        let state = std::hash::RandomState::new();
        assert_eq!(state.hash_one(&as_entry), state.hash_one(&as_field));
        assert_ne!(
            FieldPath::root().key("0"),
            FieldPath::root().index(0),
            "a member is not an item"
        );
    }
}
