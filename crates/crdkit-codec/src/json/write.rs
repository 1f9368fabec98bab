//! JSON text from values: one walk, and [`Spelling`] says how members are ordered and scalars written.
//!
//! [`write`] keeps the order of the document and writes integers as they are, doubles in the shortest form that reads
//! back exactly and always with a fraction or an exponent, so that they stay doubles; strings with the escapes the
//! grammar asks for and no others. `go.rs` and `canonical.rs` have the other spellings. Nothing recurses.

use super::lex::skip_plain;
use crdkit_value::{Cursor, Kind, NodeId, Value};
use std::convert::Infallible;

/// How JSON is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// No white space.
    #[default]
    Compact,
    /// A line for each member and item, indented by two spaces for each level, up to 64 levels.
    Pretty,
}

/// How values are written, whatever the layout.
pub(crate) trait Spelling {
    /// Whether members are written in the order of the bytes of their keys.
    const SORTED: bool;
    /// Why a scalar cannot be written.
    type Error;

    /// Appends the key of a member in quotes.
    fn key(&self, member: Cursor<'_>, out: &mut Vec<u8>);

    /// Appends a value that is neither an array nor an object.
    fn scalar(
        &self,
        at: Cursor<'_>,
        scalar: &Kind<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Self::Error>;
}

/// Lines below this many levels are indented no further, so that indentation does not make the text of a deep
/// document grow with its size times its depth.
const DEEPEST_INDENT: usize = 64;

/// Few documents nest deeper; those that do pay for growth.
const USUAL_DEPTH: usize = 16;

/// Appends `value` to `out`.
pub fn write(value: Value<'_>, layout: Layout, out: &mut Vec<u8>) {
    let Ok(()) = walk(value, &Plain, layout, out);
}

/// `value` as text.
pub fn text(value: Value<'_>, layout: Layout) -> String {
    let mut out = Vec::new();
    write(value, layout, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends `value` to `out` in any spelling.
///
/// # Errors
/// The spelling's, for the first scalar that cannot be written.
#[inline(always)]
pub(crate) fn walk<S: Spelling>(
    value: Value<'_>,
    spelling: &S,
    layout: Layout,
    out: &mut Vec<u8>,
) -> Result<(), S::Error> {
    let document = value.document();
    let Some(mut at) = document.cursor(value.id()) else { return Ok(()) };
    if value.id() == NodeId::ROOT {
        out.reserve(document.n_text() + 4 * document.n_nodes());
    }
    // The arrays and objects around the current value, and whether each is an object.
    let mut outer: Vec<(Cursor<'_>, bool)> = Vec::with_capacity(USUAL_DEPTH);
    let mut sorted = Sorted::default();
    loop {
        let inside = match at.kind() {
            Kind::Array(_) => Some(false),
            Kind::Object(_) => Some(true),
            scalar => {
                spelling.scalar(at, &scalar, out)?;
                None
            }
        };
        if let Some(is_object) = inside {
            out.push(if is_object { b'{' } else { b'[' });
            let first = at.first_child();
            let first = if S::SORTED && is_object { sorted.begin(first) } else { first };
            if let Some(first) = first {
                outer.push((at, is_object));
                begin(first, is_object, spelling, outer.len(), layout, out);
                at = first;
                continue;
            }
            out.push(if is_object { b'}' } else { b']' });
        }
        // What is complete ends, up to where something follows.
        loop {
            let Some((around, is_object)) = outer.last().copied() else { return Ok(()) };
            let next = if S::SORTED && is_object { sorted.next() } else { at.next_sibling() };
            if let Some(next) = next {
                out.push(b',');
                begin(next, is_object, spelling, outer.len(), layout, out);
                at = next;
                break;
            }
            outer.pop();
            line(layout, outer.len(), out);
            out.push(if is_object { b'}' } else { b']' });
            at = around;
        }
    }
}

/// The members that are still to be written of the objects around the current value, last ones first.
#[derive(Default)]
struct Sorted<'d> {
    members: Vec<Cursor<'d>>,
    /// How many of them belong to the objects around each object.
    starts: Vec<usize>,
}

impl<'d> Sorted<'d> {
    /// The first of the members that begin with `first`; an object without members is not remembered.
    fn begin(&mut self, first: Option<Cursor<'d>>) -> Option<Cursor<'d>> {
        first?;
        let start = self.members.len();
        self.members.extend(std::iter::successors(first, |member| member.next_sibling()));
        let members = self.members.get_mut(start..).unwrap_or_default();
        members.sort_unstable_by(|left, right| right.key().bytes().cmp(left.key().bytes()));
        self.starts.push(start);
        self.members.pop()
    }

    /// The next member of the innermost object; none ends it.
    fn next(&mut self) -> Option<Cursor<'d>> {
        if self.starts.last().is_some_and(|start| self.members.len() > *start) {
            return self.members.pop();
        }
        self.starts.pop();
        None
    }
}

/// Appends what stands before a member or item: its key, if it has one.
#[inline(always)]
fn begin<S: Spelling>(
    at: Cursor<'_>,
    is_keyed: bool,
    spelling: &S,
    depth: usize,
    layout: Layout,
    out: &mut Vec<u8>,
) {
    line(layout, depth, out);
    if is_keyed {
        spelling.key(at, out);
        out.extend_from_slice(if layout == Layout::Pretty { b": " } else { b":" });
    }
}

/// Input order, no escapes that are not needed, doubles that stay doubles.
struct Plain;

impl Spelling for Plain {
    const SORTED: bool = false;
    type Error = Infallible;

    #[inline(always)]
    fn key(&self, member: Cursor<'_>, out: &mut Vec<u8>) {
        write_string(member.key_text(), out);
    }

    #[inline(always)]
    fn scalar(
        &self,
        _: Cursor<'_>,
        scalar: &Kind<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Infallible> {
        match scalar {
            Kind::String(text) => write_string(text, out),
            Kind::Float(float) => {
                out.extend_from_slice(zmij::Buffer::new().format(*float).as_bytes());
            }
            other => write_word(other, out),
        }
        Ok(())
    }
}

/// Appends a scalar that has the same text in every spelling: words, integers, and numbers that are text.
#[inline(always)]
pub(crate) fn write_word(scalar: &Kind<'_>, out: &mut Vec<u8>) {
    match scalar {
        Kind::Bool(true) => out.extend_from_slice(b"true"),
        Kind::Bool(false) => out.extend_from_slice(b"false"),
        Kind::Int(int) => out.extend_from_slice(itoa::Buffer::new().format(*int).as_bytes()),
        Kind::Number(text) => out.extend_from_slice(text.as_bytes()),
        _ => out.extend_from_slice(b"null"),
    }
}

/// Appends `text` in quotes.
#[inline]
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let plain = skip_plain(bytes, 0);
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    if plain < bytes.len() {
        escape(bytes, plain, out);
    } else {
        out.extend_from_slice(bytes);
    }
    out.push(b'"');
}

/// Appends `bytes`, of which the first `plain` need no escape.
#[inline(never)]
fn escape(bytes: &[u8], plain: usize, out: &mut Vec<u8>) {
    let (mut plain, mut rest) = (plain, bytes);
    while let Some((head, tail)) = rest.split_at_checked(plain) {
        out.extend_from_slice(head);
        let Some((special, tail)) = tail.split_first() else { break };
        out.extend_from_slice(escape_of(*special).as_bytes());
        rest = tail;
        plain = skip_plain(rest, 0);
    }
}

/// The escape of a quote, a backslash or a control character.
pub(crate) fn escape_of(special: u8) -> &'static str {
    #[rustfmt::skip]
    const CONTROLS: [&str; 32] = [
        "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007",
        "\\b", "\\t", "\\n", "\\u000b", "\\f", "\\r", "\\u000e", "\\u000f",
        "\\u0010", "\\u0011", "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017",
        "\\u0018", "\\u0019", "\\u001a", "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f",
    ];
    match special {
        b'"' => "\\\"",
        b'\\' => "\\\\",
        control => CONTROLS.get(usize::from(control)).copied().unwrap_or_default(),
    }
}

fn line(layout: Layout, depth: usize, out: &mut Vec<u8>) {
    if layout == Layout::Pretty {
        out.push(b'\n');
        out.resize(out.len() + 2 * depth.min(DEEPEST_INDENT), b' ');
    }
}
