//! CBOR from values.
//!
//! Shortest heads, definite lengths, strings and keys as byte strings, each double in the shortest form
//! that keeps its value. Pairs go out sorted by their encoded keys, which for strings means shorter keys
//! first and then by bytes; or, where nobody may rely on an order, as the document has them, beginning
//! at a place that the caller's randomness decides.

use super::SELF_DESCRIBED;
use super::emit::Out;
use super::head::Major;
use super::key::{PLACE, key_order, rank};
use crdkit_issue::FieldPath;
use crdkit_value::{Cursor, Document, Kind, NodeId, Value};
use std::fmt;

/// In what order the pairs of a map are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The same bytes for the same value: for storage, hashes and comparisons.
    #[default]
    Sorted,
    /// The order of the document from some pair on and around: for responses, so that no client comes to
    /// rely on an order. The number is the caller's randomness; equal numbers give equal bytes.
    Rotated(u64),
}

/// A value that has no CBOR form because one of its numbers is NaN or infinite.
#[derive(Clone, Debug, PartialEq)]
pub struct NotFinite {
    /// Where the number is.
    pub path: FieldPath,
    /// The number.
    pub number: f64,
}

impl fmt::Display for NotFinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: the number {} cannot be encoded", self.path, self.number)
    }
}

impl std::error::Error for NotFinite {}

/// Appends `value` to `out`, with the head of tag 55799 in front.
///
/// # Errors
/// When a number is NaN or infinite; `out` then ends with the tag, as Kubernetes leaves it.
pub fn encode(value: Value<'_>, order: Order, out: &mut Vec<u8>) -> Result<(), NotFinite> {
    out.reserve(SELF_DESCRIBED.len() + expected(value));
    out.extend_from_slice(&SELF_DESCRIBED);
    write(value, order, out)
}

/// Appends `value` to `out`, without a tag.
///
/// # Errors
/// When a number is NaN or infinite; nothing is appended then.
pub fn write(value: Value<'_>, order: Order, out: &mut Vec<u8>) -> Result<(), NotFinite> {
    let mut writer = CborWriter::new(value.document(), order);
    let before = out.len();
    let mut room = Out::new(out, expected(value));
    let outcome = writer.write(value, &mut room);
    room.finish();
    if outcome.is_err() {
        out.truncate(before);
    }
    outcome
}

/// How many bytes to make room for.
fn expected(value: Value<'_>) -> usize {
    let document = value.document();
    let is_whole = value.id() == NodeId::ROOT;
    if is_whole { document.n_text() + 2 * document.n_nodes() + 32 } else { 64 }
}

struct CborWriter<'d> {
    document: &'d Document,
    order: Order,
    /// The arrays and objects around the current value of which something is still to be written.
    outer: Vec<CborWriteFrame>,
    /// Members that come in another order than that of the document, the next one last.
    queue: Vec<NodeId>,
    /// The members of one object while they are put in order.
    ranks: [u64; FEW],
    ids: [NodeId; FEW],
}

/// How many members are put in order without a table of their own.
const FEW: usize = 16;

/// An array or object that was left for something inside it.
struct CborWriteFrame {
    /// What was written of it last.
    id: NodeId,
    rest: Rest,
}

/// What is still to be written of the innermost array or object.
#[derive(Clone, Copy)]
struct Rest {
    /// How many of those after the current one.
    siblings: u32,
    /// How many of the queue after that.
    queued: u32,
    is_object: bool,
}

impl<'d> CborWriter<'d> {
    fn new(document: &'d Document, order: Order) -> Self {
        Self {
            document,
            order,
            outer: Vec::with_capacity(32),
            queue: Vec::with_capacity(64),
            ranks: [0; FEW],
            ids: [NodeId::ROOT; FEW],
        }
    }

    #[inline(always)]
    fn write(&mut self, value: Value<'d>, out: &mut Out<'_>) -> Result<(), NotFinite> {
        let Some(mut at) = self.document.cursor(value.id()) else { return Ok(()) };
        let mut rest = Rest { siblings: 0, queued: 0, is_object: false };
        loop {
            let inside = match at.kind() {
                Kind::Array(items) => {
                    out.head(Major::Array, items.len() as u64);
                    at.first_child().map(|first| (Rest::after_first(items.len(), false), first))
                }
                Kind::Object(members) => {
                    out.head(Major::Map, members.len() as u64);
                    let rest = Rest::after_first(members.len(), true);
                    at.first_child().map(|first| self.begin(rest, first))
                }
                scalar => {
                    write_scalar(&scalar, at, out)?;
                    None
                }
            };
            if let Some((inner, first)) = inside {
                if !rest.is_nothing() {
                    self.outer.push(CborWriteFrame { id: at.id(), rest });
                }
                (rest, at) = (inner, first);
            } else {
                if rest.is_nothing() {
                    let Some(frame) = self.outer.pop() else { return Ok(()) };
                    let Some(left) = self.document.cursor(frame.id) else { return Ok(()) };
                    (rest, at) = (frame.rest, left);
                }
                let next = if rest.siblings > 0 {
                    rest.siblings -= 1;
                    at.next_sibling()
                } else {
                    rest.queued -= 1;
                    self.queue.pop().and_then(|id| self.document.cursor(id))
                };
                let Some(next) = next else { return Ok(()) };
                at = next;
            }
            if rest.is_object {
                out.string(at.key());
            }
        }
    }

    /// Where to begin with an object whose first member is `first`, with `rest` after it, and what then
    /// is the rest.
    #[inline(always)]
    fn begin(&mut self, rest: Rest, first: Cursor<'d>) -> (Rest, Cursor<'d>) {
        if rest.siblings == 0 {
            return (rest, first);
        }
        match &mut self.order {
            Order::Rotated(state) => {
                let start = start(state, rest.siblings + 1);
                self.rotated(rest, first, start)
            }
            Order::Sorted => {
                let n = rest.siblings as usize + 1;
                let is_sorted =
                    if n <= FEW { self.sort_few(first, n) } else { self.sort(first, n) };
                let next = if is_sorted { None } else { self.queue.pop() };
                match next.and_then(|id| self.document.cursor(id)) {
                    Some(next) => (Rest { siblings: 0, queued: rest.siblings, ..rest }, next),
                    None => (rest, first),
                }
            }
        }
    }

    /// Puts the members of an object into the queue; or says that they are in order already, as they are in
    /// what was decoded from storage.
    #[inline(never)]
    fn sort(&mut self, first: Cursor<'d>, n: usize) -> bool {
        let mut members = Vec::with_capacity(n);
        let mut at = first;
        for _ in 0..n {
            members.push((rank(at.key(), 0), at.id()));
            at = at.next_sibling().unwrap_or(at);
        }
        // Keys of the same length with the same beginning are rare; then their bytes decide.
        let key = |id| self.document.cursor(id).map(|at| at.key().bytes()).unwrap_or_default();
        let order = |(left, left_id): &(u64, NodeId), (right, right_id): &(u64, NodeId)| {
            left.cmp(right).then_with(|| key_order(key(*left_id), key(*right_id)))
        };
        if members.is_sorted_by(|left, right| order(left, right).is_lt()) {
            return true;
        }
        members.sort_unstable_by(order);
        self.queue.extend(members.iter().rev().map(|(_, id)| *id));
        false
    }

    /// The same for `n` members, at most [`FEW`].
    #[inline(never)]
    fn sort_few(&mut self, first: Cursor<'d>, n: usize) -> bool {
        let ranks = self.ranks.get_mut(..n).unwrap_or_default();
        let mut at = first;
        for ((to, id), place) in ranks.iter_mut().zip(&mut self.ids).zip(0..) {
            (*to, *id) = (rank(at.key(), place), at.id());
            at = at.next_sibling().unwrap_or(at);
        }
        if ranks.is_sorted_by(|left, right| left | PLACE < *right) {
            return true;
        }
        ranks.sort_unstable();
        let (mut differ, mut last) = (true, u64::MAX);
        self.queue.extend(ranks.iter().rev().map(|rank| {
            differ &= last ^ rank > PLACE;
            last = *rank;
            let place = (rank & PLACE) as usize % FEW;
            self.ids.get(place).copied().unwrap_or(NodeId::ROOT)
        }));
        if differ {
            return false;
        }
        self.queue.truncate(self.queue.len() - n);
        self.sort(first, n)
    }

    /// Begins at the member number `start`; those before it come last.
    fn rotated(&mut self, rest: Rest, first: Cursor<'d>, start: u32) -> (Rest, Cursor<'d>) {
        let n_queued = self.queue.len();
        let mut from = first;
        for _ in 0..start {
            self.queue.push(from.id());
            from = from.next_sibling().unwrap_or(from);
        }
        self.queue.get_mut(n_queued..).unwrap_or_default().reverse();
        (Rest { siblings: rest.siblings - start, queued: start, ..rest }, from)
    }
}

impl Rest {
    /// What is after the first of `n` items or members.
    #[inline(always)]
    fn after_first(n: usize, is_object: bool) -> Self {
        let siblings = u32::try_from(n).unwrap_or(u32::MAX).saturating_sub(1);
        Self { siblings, queued: 0, is_object }
    }

    #[inline(always)]
    fn is_nothing(self) -> bool {
        self.siblings | self.queued == 0
    }
}

/// Writes anything but an array or object.
#[inline(always)]
fn write_scalar(kind: &Kind<'_>, at: Cursor<'_>, out: &mut Out<'_>) -> Result<(), NotFinite> {
    match *kind {
        Kind::Null | Kind::Array(_) | Kind::Object(_) => out.byte(0xF6),
        Kind::Bool(bool) => out.byte(0xF4 | u8::from(bool)),
        Kind::Int(int) => out.int(int),
        Kind::Float(number) if number.is_finite() => out.float(number),
        Kind::Float(number) => return Err(NotFinite { path: at.value().path(), number }),
        Kind::Number(text) => match number(text, at.value())? {
            Ok(int) => out.int(int),
            Err(float) => out.float(float),
        },
        Kind::String(_) => out.string(at.string()),
    }
    Ok(())
}

/// Where the next map with `n` pairs begins. A multiplicative step is enough to make the starts of
/// neighbouring maps differ.
#[inline]
fn start(state: &mut u64, n: u32) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    u32::try_from(((*state >> 32) * u64::from(n)) >> 32).unwrap_or_default()
}

/// What a number kept as text is: an integer, or else a double.
#[cold]
fn number(text: &str, value: Value<'_>) -> Result<Result<i64, f64>, NotFinite> {
    if let Ok(int) = text.parse() {
        return Ok(Ok(int));
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(Err(number)),
        number => Err(NotFinite { path: value.path(), number: number.unwrap_or(f64::NAN) }),
    }
}
