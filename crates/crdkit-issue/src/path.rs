//! Paths to fields, and the three ways they are written.
//!
//! | Written by | Form |
//! |---|---|
//! | `Display` | `spec.ports[0].name`, `metadata.annotations[a.b/c]`, as the API server does |
//! | [`FieldPath::dotted`] | `.spec.ports[0].name`, as `JSONPath` expressions in CRDs do |
//! | [`FieldPath::pointer`] | `/spec/ports/0/name`, JSON Pointer (RFC 6901) |

use std::fmt::{self, Write as _};

/// A place in a document, from the root down.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath(Vec<Segment>);

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

    /// The rest of this path behind `prefix`, if it begins with it.
    pub fn strip_prefix(&self, prefix: &Self) -> Option<Self> {
        Some(Self(self.0.strip_prefix(prefix.segments())?.to_vec()))
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
        assert_eq!(Segment::named("x-y"), Segment::Field("x-y".into()));
        assert_eq!(Segment::named("a.b/c"), Segment::Key("a.b/c".into()));
        assert_eq!(Segment::named(""), Segment::Key("".into()));
    }
}
