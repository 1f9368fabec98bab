//! CBOR from values.
//!
//! Shortest heads, definite lengths, strings and keys as byte strings, each double in the shortest form
//! that keeps its value. Pairs go out sorted by their encoded keys, which for strings means shorter keys
//! first and then by bytes; or, where nobody may rely on an order, as the document has them, beginning
//! at a place that the caller's randomness decides.

use super::SELF_DESCRIBED;
use super::emit::Out;
use super::head::Major;
use crdkit_issue::FieldPath;
use crdkit_value::{Document, Kind, NodeId, Piece, Value};
use std::{cmp, fmt};

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
    out.extend_from_slice(&SELF_DESCRIBED);
    write(value, order, out)
}

/// Appends `value` to `out`, without a tag.
///
/// # Errors
/// When a number is NaN or infinite; nothing is appended then.
pub fn write(value: Value<'_>, order: Order, out: &mut Vec<u8>) -> Result<(), NotFinite> {
    let document = value.document();
    let is_whole = value.id() == NodeId::ROOT;
    let expected = if is_whole { document.n_text() + 2 * document.n_nodes() + 32 } else { 64 };
    let mut writer = Writer { document, order, steps: Vec::with_capacity(64), members: Vec::new() };
    let before = out.len();
    let mut room = Out::new(out, expected);
    let outcome = writer.write(value, &mut room);
    room.finish();
    if outcome.is_err() {
        out.truncate(before);
    }
    outcome
}

struct Writer<'d> {
    document: &'d Document,
    order: Order,
    /// What is still to be written, the last one first.
    steps: Vec<Step>,
    /// The members of one object while they are put in order.
    members: Vec<(u64, NodeId)>,
}

/// Something still to be written.
#[derive(Clone, Copy)]
enum Step {
    /// An item and those behind it.
    Items(NodeId),
    /// A member and those behind it.
    Members(NodeId),
    /// A member and those behind it up to the second one.
    Until(NodeId, NodeId),
    /// A member alone.
    Member(NodeId),
}

impl<'d> Writer<'d> {
    #[inline(always)]
    fn write(&mut self, value: Value<'d>, out: &mut Out<'_>) -> Result<(), NotFinite> {
        let mut value = value;
        // What comes next is not in the stack while it is known: most of the time it is a sibling.
        let mut next = None;
        loop {
            match value.kind() {
                Kind::Array(mut items) => {
                    out.head(Major::Array, items.len() as u64);
                    if let Some(first) = items.next() {
                        self.steps.extend(next);
                        next = Some(Step::Items(first.id()));
                    }
                }
                Kind::Object(mut members) => {
                    let n = members.len();
                    out.head(Major::Map, n as u64);
                    if let Some((_, first)) = members.next_bytes() {
                        self.steps.extend(next);
                        next = self.begin(first, n);
                    }
                }
                Kind::Null => out.byte(0xF6),
                Kind::Bool(bool) => out.byte(0xF4 | u8::from(bool)),
                Kind::Int(int) => out.int(int),
                Kind::Float(number) if number.is_finite() => out.float(number),
                Kind::Float(number) => return Err(NotFinite { path: value.path(), number }),
                Kind::Number(text) => match number(text, value)? {
                    Ok(int) => out.int(int),
                    Err(float) => out.float(float),
                },
                Kind::String(_) => out.string(value.string_piece()),
            }
            let Some(step) = next.or_else(|| self.steps.pop()) else { return Ok(()) };
            let (Step::Items(id) | Step::Members(id) | Step::Until(id, _) | Step::Member(id)) =
                step;
            value = self.document.value(id);
            next = match step {
                Step::Member(_) => None,
                Step::Items(_) => value.next_sibling().map(|next| Step::Items(next.id())),
                Step::Members(_) => value.next_sibling().map(|next| Step::Members(next.id())),
                Step::Until(_, end) => {
                    let next = value.next_sibling().filter(|next| next.id() != end);
                    next.map(|next| Step::Until(next.id(), end))
                }
            };
            if !matches!(step, Step::Items(_)) {
                out.string(value.key_piece());
            }
        }
    }

    /// Where to begin with an object of `n` members; nothing if that is in the stack.
    #[inline(always)]
    fn begin(&mut self, first: Value<'d>, n: usize) -> Option<Step> {
        if n == 1 {
            return Some(Step::Members(first.id()));
        }
        match &mut self.order {
            Order::Rotated(state) => {
                let start = start(state, n);
                Some(self.rotated(first, start))
            }
            Order::Sorted => match n {
                ..=4 => self.sorted_few::<4>(first, n),
                5..=8 => self.sorted_few::<8>(first, n),
                9..=16 => self.sorted_few::<16>(first, n),
                _ => self.sorted(first),
            },
        }
    }

    /// The members of an object by their keys.
    #[inline(never)]
    fn sorted(&mut self, first: Value<'d>) -> Option<Step> {
        self.members.clear();
        let members = std::iter::successors(Some(first), |member| member.next_sibling());
        self.members.extend(members.map(|member| (rank(member.key_piece()), member.id())));
        // What was decoded from storage is in order already.
        if self.members.is_sorted_by(|(left, _), (right, _)| left < right) {
            return Some(Step::Members(first.id()));
        }
        // Keys of the same length with the same beginning are rare; then their bytes decide.
        let key = |id: NodeId| self.document.value(id).member_key();
        self.members.sort_unstable_by(|(left, left_id), (right, right_id)| {
            left.cmp(right).then_with(|| key_order(key(*left_id), key(*right_id)))
        });
        self.steps.extend(self.members.iter().rev().map(|(_, id)| Step::Member(*id)));
        None
    }

    /// The same for at most `N` members: the place of each is how many ranks are below its own, which takes
    /// no branch that could go wrong.
    #[inline(never)]
    fn sorted_few<const N: usize>(&mut self, first: Value<'d>, n: usize) -> Option<Step> {
        let mut ranks = [LAST; N];
        let mut ids = [first.id(); N];
        let members = std::iter::successors(Some(first), |member| member.next_sibling());
        let (mut before, mut in_order) = (0, true);
        for ((at, id), member) in ranks.iter_mut().zip(&mut ids).zip(members) {
            let rank = rank(member.key_piece());
            (*at, *id) = (rank, member.id());
            in_order &= before < rank;
            before = rank;
        }
        if in_order {
            return Some(Step::Members(first.id()));
        }
        let start = self.steps.len();
        self.steps.resize(start + N, Step::Member(first.id()));
        let mut sum = 0;
        // Places that no member has are counted as well and go where they do no harm, so that nothing here
        // depends on how many members there are.
        for (rank, id) in ranks.iter().zip(&ids) {
            // The sign of the difference, because ranks have 63 bits.
            let below = ranks.iter().map(|other| other.wrapping_sub(*rank) >> 63).sum::<u64>();
            let below = usize::try_from(below).unwrap_or_default();
            sum += below;
            let place = n.wrapping_sub(1 + below) % N;
            if let Some(step) = self.steps.get_mut(start + place) {
                *step = Step::Member(*id);
            }
        }
        // Keys of the same length with the same beginning are rare; then their bytes decide.
        if sum != n * (n - 1) / 2 + (N - n) * n {
            self.steps.truncate(start);
            return self.sorted(first);
        }
        self.steps.truncate(start + n);
        None
    }

    /// The members of an object from the one number `start` on and around.
    fn rotated(&mut self, first: Value<'d>, start: usize) -> Step {
        let mut from = first;
        for _ in 0..start {
            let Some(next) = from.next_sibling() else { break };
            from = next;
        }
        if from.id() != first.id() {
            self.steps.push(Step::Until(first.id(), from.id()));
        }
        Step::Members(from.id())
    }
}

/// Where the next map with `n` pairs begins. A multiplicative step is enough to make the starts of
/// neighbouring maps differ.
#[inline]
fn start(state: &mut u64, n: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    usize::try_from(((*state >> 32) * n as u64) >> 32).unwrap_or_default()
}

/// The rank of keys that are too long for one.
const LAST: u64 = u64::MAX >> 1;

/// A number that is in the order of the encoded keys as far as it goes: the length and the first bytes. Keys
/// too long for that all have the same.
#[inline]
fn rank(key: Piece<'_>) -> u64 {
    let Ok(length @ 0..0x7F) = u8::try_from(key.len()) else { return LAST };
    let first = match key.window() {
        // At least one byte is cut off, to make room for the length.
        Some(window) => u64::from_be_bytes(*window) >> 8 >> ((7 - length.min(7)) * 8),
        None => key.bytes().iter().take(7).fold(0, |rank, byte| rank << 8 | u64::from(*byte)),
    };
    u64::from(length) << 56 | first
}

/// The order of encoded string keys: shorter ones first, then by bytes.
pub(crate) fn key_order(left: &[u8], right: &[u8]) -> cmp::Ordering {
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
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
