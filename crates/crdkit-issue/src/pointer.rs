//! Paths as text in the style a reader asks for, and the one reader of JSON Pointers.
//!
//! A path is one list of steps; how it is written is decided when it is shown. A pointer does not say
//! whether `0` is an item or a member called `0`: a path takes it for an item, and who follows the path
//! goes by what is there.

use crate::{FieldPath, Segment};
use std::borrow::Cow;
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
    /// The Kubernetes form with the pointer after it in parentheses.
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

/// The steps of a JSON Pointer (RFC 6901), without escapes; an error in their place where there is one.
///
/// # Errors
/// The pointer is not empty and does not begin with a slash.
pub fn pointer_steps(
    pointer: &str,
) -> Result<impl Iterator<Item = Result<Cow<'_, str>, PointerError>>, PointerError> {
    let steps = match pointer.strip_prefix('/') {
        Some(steps) => Some(steps.split('/').map(unescaped)),
        None if pointer.is_empty() => None,
        None => return Err(PointerError::NoSlash),
    };
    Ok(steps.into_iter().flatten())
}

/// The position of the item that a step of a JSON Pointer names in an array: digits without a sign and
/// without zeros in front.
pub fn pointer_index(step: &str) -> Option<usize> {
    let is_index =
        step.bytes().all(|byte| byte.is_ascii_digit()) && (step == "0" || !step.starts_with('0'));
    step.parse().ok().filter(|_| is_index)
}

impl FieldPath {
    /// The path that a JSON Pointer (RFC 6901) names. Steps that can be positions of items are taken for
    /// those.
    ///
    /// # Errors
    /// What is wrong with the pointer.
    pub fn from_pointer(pointer: &str) -> Result<Self, PointerError> {
        let segment = |step: Cow<'_, str>| match pointer_index(&step) {
            Some(index) => Segment::Index(index),
            None => Segment::named(&step),
        };
        pointer_steps(pointer)?.map(|step| step.map(segment)).collect()
    }

    /// The path as `style` writes it.
    pub fn display(&self, style: PathStyle) -> DisplayPath<'_> {
        DisplayPath { path: self, style }
    }
}

impl std::str::FromStr for FieldPath {
    type Err = PointerError;

    fn from_str(pointer: &str) -> Result<Self, PointerError> {
        Self::from_pointer(pointer)
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

fn unescaped(step: &str) -> Result<Cow<'_, str>, PointerError> {
    if !step.contains('~') {
        return Ok(Cow::Borrowed(step));
    }
    let mut name = String::with_capacity(step.len());
    let mut rest = step;
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
    Ok(Cow::Owned(name))
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

    // Proves REQ-094, REQ-100.
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
    fn an_index_is_digits_without_sign_or_leading_zero() {
        for (step, index) in [("0", Some(0)), ("10", Some(10))] {
            assert_eq!(pointer_index(step), index);
        }
        for step in ["", "+1", "-0", "01", "00", "1 ", "x", "99999999999999999999"] {
            assert_eq!(pointer_index(step), None, "{step}");
        }
    }
}
