//! Paths as text in the style a reader asks for, paths from JSON Pointers, and the order of paths.
//!
//! A path is one list of steps; how it is written is decided when it is shown. A pointer does not say
//! whether `0` is an item or a member called `0`, and neither does the comparison here: steps are
//! the same when their texts are.

use crate::{FieldPath, Segment};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;

/// How paths are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathStyle {
    /// `/spec/ports/0/name`; the root is empty.
    #[default]
    JsonPointer,
    /// `.spec.ports[0].name`, map entries as `.metadata.labels[app.io/name]`; the root is `.`.
    Kubernetes,
    /// The Kubernetes form with the pointer behind it in parentheses.
    Both,
}

/// Why a text is not a JSON Pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PointerError {
    /// It is not empty and does not begin with a slash.
    NoSlash,
    /// A tilde is not followed by `0` or `1`.
    Escape,
}

impl fmt::Display for PointerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSlash => "a JSON Pointer is empty or begins with `/`",
            Self::Escape => "`~` in a JSON Pointer must be followed by `0` or `1`",
        })
    }
}

impl std::error::Error for PointerError {}

impl FieldPath {
    /// The path that a JSON Pointer (RFC 6901) names. Steps of digits alone are taken for items.
    ///
    /// # Errors
    /// What is wrong with the pointer.
    pub fn from_pointer(pointer: &str) -> Result<Self, PointerError> {
        if pointer.is_empty() {
            return Ok(Self::root());
        }
        let steps = pointer.strip_prefix('/').ok_or(PointerError::NoSlash)?;
        steps.split('/').map(step).collect()
    }

    /// The path as `style` writes it.
    pub fn display(&self, style: PathStyle) -> DisplayPath<'_> {
        DisplayPath { path: self, style }
    }

    /// Whether this path is `prefix` or below it, step by step: `/ab` is not below `/a`.
    pub fn starts_with(&self, prefix: &Self) -> bool {
        let mut steps = self.segments().iter();
        prefix.segments().iter().all(|step| steps.next().is_some_and(|own| own.is_same(step)))
    }

    /// This path with `prefix` in front of it.
    #[must_use]
    pub fn rebase(&self, prefix: &Self) -> Self {
        prefix.segments().iter().chain(self.segments()).cloned().collect()
    }

    /// The path without its last step; the root has none.
    pub fn parent(&self) -> Option<Self> {
        let (_, parent) = self.segments().split_last()?;
        Some(parent.iter().cloned().collect())
    }

    /// The order of findings: items by number, names by their bytes, what is above before what is
    /// below.
    pub fn order(&self, other: &Self) -> Ordering {
        let mut left = self.segments().iter();
        let mut right = other.segments().iter();
        loop {
            match (left.next(), right.next()) {
                (Some(left), Some(right)) => match left.order(right) {
                    Ordering::Equal => {}
                    unequal => return unequal,
                },
                (left, right) => return left.is_some().cmp(&right.is_some()),
            }
        }
    }
}

impl std::str::FromStr for FieldPath {
    type Err = PointerError;

    fn from_str(pointer: &str) -> Result<Self, PointerError> {
        Self::from_pointer(pointer)
    }
}

impl Segment {
    /// The step as a pointer shows it, without escapes.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Field(name) | Self::Key(name) => Cow::Borrowed(name),
            Self::Index(index) => Cow::Owned(index.to_string()),
        }
    }

    /// Whether both lead to the same place.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Index(left), Self::Index(right)) => left == right,
            (Self::Field(left) | Self::Key(left), Self::Field(right) | Self::Key(right)) => {
                left == right
            }
            _ => self.text() == other.text(),
        }
    }

    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Index(left), Self::Index(right)) => left.cmp(right),
            (Self::Index(_), _) => Ordering::Less,
            (_, Self::Index(_)) => Ordering::Greater,
            (Self::Field(left) | Self::Key(left), Self::Field(right) | Self::Key(right)) => {
                left.cmp(right)
            }
        }
    }
}

/// A path being shown.
#[derive(Clone, Copy, Debug)]
pub struct DisplayPath<'p> {
    path: &'p FieldPath,
    style: PathStyle,
}

impl fmt::Display for DisplayPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.style {
            PathStyle::JsonPointer => f.write_str(&self.path.pointer()),
            PathStyle::Kubernetes => kubernetes(self.path, f),
            PathStyle::Both => {
                kubernetes(self.path, f)?;
                write!(f, " ({})", self.path.pointer())
            }
        }
    }
}

/// Names that would not read back after a dot stand in quotes and brackets.
fn kubernetes(path: &FieldPath, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if path.is_root() {
        return f.write_str(".");
    }
    for segment in path.segments() {
        match segment {
            Segment::Index(index) => write!(f, "[{index}]")?,
            Segment::Key(key) if !key.is_empty() && !key.contains(['[', ']']) => {
                write!(f, "[{key}]")?;
            }
            Segment::Field(name) if !name.is_empty() && !name.contains(['.', '[', ']']) => {
                write!(f, ".{name}")?;
            }
            Segment::Field(name) | Segment::Key(name) => write!(f, "[{name:?}]")?,
        }
    }
    Ok(())
}

fn step(text: &str) -> Result<Segment, PointerError> {
    let is_index = !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'));
    if let Some(index) = text.parse().ok().filter(|_| is_index) {
        return Ok(Segment::Index(index));
    }
    if !text.contains('~') {
        return Ok(Segment::named(text));
    }
    let mut name = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('~') {
        name.push_str(before);
        rest = if let Some(rest) = after.strip_prefix('0') {
            name.push('~');
            rest
        } else {
            name.push('/');
            after.strip_prefix('1').ok_or(PointerError::Escape)?
        };
    }
    name.push_str(rest);
    Ok(Segment::named(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_reads_back_as_it_was_written() {
        for pointer in ["", "/", "/a/0/b", "/a~1b/~0", "//x", "/00", "/a.b[c]", "/~01", "/_unknown"]
        {
            assert_eq!(FieldPath::from_pointer(pointer).unwrap().pointer(), pointer);
        }
        assert_eq!(FieldPath::from_pointer("a"), Err(PointerError::NoSlash));
        assert_eq!(FieldPath::from_pointer("/a~2"), Err(PointerError::Escape));
        assert_eq!(FieldPath::from_pointer("/a~"), Err(PointerError::Escape));
    }

    #[test]
    fn a_path_is_shown_in_the_style_asked_for() {
        let root = FieldPath::root();
        let check = |path: &FieldPath, kubernetes: &str, both: &str| {
            assert_eq!(path.display(PathStyle::Kubernetes).to_string(), kubernetes);
            assert_eq!(path.display(PathStyle::Both).to_string(), both);
            assert_eq!(path.display(PathStyle::JsonPointer).to_string(), path.pointer());
        };
        check(&root, ".", ". ()");
        let item = root.clone().field("spec").field("a").index(0);
        check(&item, ".spec.a[0]", ".spec.a[0] (/spec/a/0)");
        let label = root.clone().field("labels").key("app.io/name");
        check(&label, ".labels[app.io/name]", ".labels[app.io/name] (/labels/app.io~1name)");
        check(&root.clone().field("a.b"), "[\"a.b\"]", "[\"a.b\"] (/a.b)");
        check(&root.key(""), "[\"\"]", "[\"\"] (/)");
    }

    #[test]
    fn a_prefix_ends_between_two_steps() {
        let path = |text: &str| FieldPath::from_pointer(text).unwrap();
        assert!(path("/a/b").starts_with(&path("/a")));
        assert!(path("/a").starts_with(&path("")));
        assert!(!path("/ab").starts_with(&path("/a")));
        assert!(!path("/a").starts_with(&path("/a/b")));
        // A pointer cannot tell an item from a member.
        assert!(FieldPath::root().key("0").starts_with(&path("/0")));
        assert_eq!(path("/b").rebase(&path("/a/1")), path("/a/1/b"));
    }

    #[test]
    fn paths_are_ordered_by_number_and_by_bytes() {
        let path = |text: &str| FieldPath::from_pointer(text).unwrap();
        let sorted =
            ["", "/2", "/10", "/a", "/a/2", "/a/10", "/a/b", "/ab", "/\u{fffd}", "/\u{10000}"];
        for (left, right) in sorted.iter().zip(sorted.iter().skip(1)) {
            assert_eq!(path(left).order(&path(right)), Ordering::Less, "{left} {right}");
            assert_eq!(path(right).order(&path(left)), Ordering::Greater);
        }
        assert_eq!(
            FieldPath::root().key("a").order(&FieldPath::root().field("a")),
            Ordering::Equal
        );
    }
}
