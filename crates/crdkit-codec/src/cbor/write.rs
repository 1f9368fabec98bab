//! CBOR from values.
//!
//! Shortest heads, definite lengths, strings and keys as byte strings, each double in the shortest form
//! that keeps its value. Pairs go out sorted by their encoded keys, which for strings means shorter keys
//! first and then by bytes; or, where nobody may rely on an order, as the document has them, beginning
//! at a place that the caller's randomness decides.

use super::SELF_DESCRIBED;
use super::head::Major;
use crdkit_issue::FieldPath;
use crdkit_value::{Document, Items, Kind, Members, NodeId, Value};
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
/// When a number is NaN or infinite; `out` then holds a part of the value.
pub fn encode(value: Value<'_>, order: Order, out: &mut Vec<u8>) -> Result<(), NotFinite> {
    out.extend_from_slice(&SELF_DESCRIBED);
    write(value, order, out)
}

/// Appends `value` to `out`, without a tag.
///
/// # Errors
/// When a number is NaN or infinite; `out` then holds a part of the value.
pub fn write(value: Value<'_>, order: Order, out: &mut Vec<u8>) -> Result<(), NotFinite> {
    let mut writer =
        Writer { document: value.document(), order, members: Vec::new(), open: Vec::new() };
    if value.id() == NodeId::ROOT {
        out.reserve(value.document().n_text() + 2 * value.document().n_nodes());
    }
    writer.value(value, out)?;
    while let Some(value) = writer.next(out) {
        writer.value(value, out)?;
    }
    Ok(())
}

struct Writer<'d> {
    document: &'d Document,
    order: Order,
    /// The members of all open objects in the order they are written, those of the innermost one last.
    members: Vec<(u64, NodeId)>,
    open: Vec<Frame<'d>>,
}

/// An array or object of which something is still to be written.
enum Frame<'d> {
    Items(Items<'d>),
    /// Its members are in [`Writer::members`] from the first number on, the next one at the second.
    Sorted(usize, usize),
    /// The members up to the end, then those before the first, of which so many are left.
    Rotated(Members<'d>, Members<'d>, usize),
}

impl<'d> Writer<'d> {
    /// Writes a value, or the head of one that has something inside.
    #[inline]
    fn value(&mut self, value: Value<'d>, out: &mut Vec<u8>) -> Result<(), NotFinite> {
        match value.kind() {
            Kind::Null => out.push(0xF6),
            Kind::Bool(bool) => out.push(0xF4 | u8::from(bool)),
            Kind::Int(int) => write_int(int, out),
            Kind::Float(number) if number.is_finite() => write_float(number, out),
            Kind::Float(number) => return Err(NotFinite { path: value.path(), number }),
            Kind::Number(text) => write_number(text, value, out)?,
            Kind::String(_) => write_bytes(value.as_bytes().unwrap_or_default(), out),
            Kind::Array(items) => {
                write_head(Major::Array, items.len() as u64, out);
                self.open.push(Frame::Items(items));
            }
            Kind::Object(members) => {
                write_head(Major::Map, members.len() as u64, out);
                self.begin(members);
            }
        }
        Ok(())
    }

    fn begin(&mut self, mut members: Members<'d>) {
        match &mut self.order {
            Order::Sorted => {
                let start = self.members.len();
                self.members.reserve(members.len());
                // What was decoded from storage is in order already.
                let (mut before, mut in_order) = (0, true);
                while let Some((key, member)) = members.next_bytes() {
                    let rank = rank(key);
                    in_order &= before < rank;
                    before = rank;
                    self.members.push((rank, member.id()));
                }
                let added = self.members.get_mut(start..).unwrap_or_default();
                if !in_order {
                    added.sort_unstable_by_key(|(rank, _)| *rank);
                    // Keys of the same length with the same beginning are rare; then their bytes decide.
                    let pairs = added.iter().zip(added.iter().skip(1));
                    if pairs.into_iter().any(|((left, _), (right, _))| left == right) {
                        let key = |id: NodeId| self.document.value(id).member_key();
                        added.sort_unstable_by(|(_, left), (_, right)| {
                            key_order(key(*left), key(*right))
                        });
                    }
                }
                self.open.push(Frame::Sorted(start, start));
            }
            Order::Rotated(state) => {
                // A multiplicative step is enough to make the starts of neighbouring maps differ.
                *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let n = members.len() as u64;
                let start = usize::try_from(((*state >> 32) * n) >> 32).unwrap_or_default();
                let mut rest = members.clone();
                if start > 0 {
                    rest.nth(start - 1);
                }
                self.open.push(Frame::Rotated(rest, members, start));
            }
        }
    }

    /// The value to write next, its key being written.
    #[inline]
    fn next(&mut self, out: &mut Vec<u8>) -> Option<Value<'d>> {
        loop {
            match self.open.last_mut()? {
                Frame::Items(items) => {
                    if let Some(item) = items.next() {
                        return Some(item);
                    }
                }
                Frame::Sorted(start, next) => {
                    if let Some((_, id)) = self.members.get(*next) {
                        *next += 1;
                        let member = self.document.value(*id);
                        write_bytes(member.member_key(), out);
                        return Some(member);
                    }
                    self.members.truncate(*start);
                }
                Frame::Rotated(rest, first, left) => {
                    let member = rest.next_bytes().or_else(|| {
                        *left = left.checked_sub(1)?;
                        first.next_bytes()
                    });
                    if let Some((key, member)) = member {
                        write_bytes(key, out);
                        return Some(member);
                    }
                }
            }
            self.open.pop();
        }
    }
}

/// A number that is in the order of the encoded keys as far as it goes: the length and the first bytes. Keys
/// too long for that all have the same.
#[inline]
fn rank(key: &[u8]) -> u64 {
    let Ok(length @ 0..=0xFE) = u8::try_from(key.len()) else { return u64::MAX };
    let first = match key.first_chunk() {
        Some(first) => u64::from_be_bytes(*first) >> 8,
        None => key.iter().fold(0, |rank, byte| rank << 8 | u64::from(*byte)),
    };
    u64::from(length) << 56 | first
}

/// The order of encoded string keys: shorter ones first, then by bytes.
pub(crate) fn key_order(left: &[u8], right: &[u8]) -> cmp::Ordering {
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}

/// Appends a head with the shortest argument.
#[inline]
pub(crate) fn write_head(major: Major, argument: u64, out: &mut Vec<u8>) {
    let major = (major as u8) << 5;
    #[expect(clippy::cast_possible_truncation, reason = "it is below 24")]
    if argument < 24 {
        out.push(major | argument as u8);
    } else {
        write_long_head(major, argument, out);
    }
}

fn write_long_head(major: u8, argument: u64, out: &mut Vec<u8>) {
    #[expect(clippy::cast_possible_truncation, reason = "each arm's range fits")]
    match argument {
        0..=0xFF => out.extend_from_slice(&[major | 0x18, argument as u8]),
        0x100..=0xFFFF => {
            let [a, b] = (argument as u16).to_be_bytes();
            out.extend_from_slice(&[major | 0x19, a, b]);
        }
        0x1_0000..=0xFFFF_FFFF => {
            let [a, b, c, d] = (argument as u32).to_be_bytes();
            out.extend_from_slice(&[major | 0x1A, a, b, c, d]);
        }
        _ => {
            out.push(major | 0x1B);
            out.extend_from_slice(&argument.to_be_bytes());
        }
    }
}

/// Appends a byte string.
#[inline]
pub(crate) fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    let end = out.len() + 1 + bytes.len();
    #[expect(clippy::cast_possible_truncation, reason = "at most 16")]
    let head = (Major::Bytes as u8) << 5 | bytes.len() as u8;
    // Most strings are this short; moving a fixed number of bytes is faster than moving just enough.
    if let Some(short) = sixteen(bytes) {
        let mut piece = [head; 17];
        if let Some(content) = piece.last_chunk_mut() {
            *content = short;
        }
        out.extend_from_slice(&piece);
        out.truncate(end);
        return;
    }
    write_head(Major::Bytes, bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Up to sixteen bytes, filled up with zeros. Both halves are read at fixed sizes and overlap.
#[inline]
fn sixteen(bytes: &[u8]) -> Option<[u8; 16]> {
    let n = bytes.len();
    let joined = match n {
        9..=16 => {
            let (first, last) = (bytes.first_chunk()?, bytes.last_chunk()?);
            let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
            u128::from(first) | u128::from(last) << ((n - 8) * 8)
        }
        4..=8 => {
            let (first, last) = (bytes.first_chunk()?, bytes.last_chunk()?);
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            u128::from(u64::from(first) | u64::from(last) << ((n - 4) * 8))
        }
        0..4 => bytes.iter().rev().fold(0, |joined, byte| joined << 8 | u128::from(*byte)),
        _ => return None,
    };
    Some(joined.to_le_bytes())
}

#[inline]
pub(crate) fn write_int(int: i64, out: &mut Vec<u8>) {
    if int < 0 {
        write_head(Major::Negative, (!int).cast_unsigned(), out);
    } else {
        write_head(Major::Unsigned, int.cast_unsigned(), out);
    }
}

/// Appends a finite double in the shortest form that keeps its value.
pub(crate) fn write_float(number: f64, out: &mut Vec<u8>) {
    #[expect(clippy::cast_possible_truncation, reason = "compared with the original")]
    let single = number as f32;
    if f64::from(single) != number {
        out.push(0xFB);
        out.extend_from_slice(&number.to_bits().to_be_bytes());
    } else if let Some(half) = half(single) {
        out.push(0xF9);
        out.extend_from_slice(&half.to_be_bytes());
    } else {
        out.push(0xFA);
        out.extend_from_slice(&single.to_bits().to_be_bytes());
    }
}

/// The binary16 form of a number that has one.
fn half(number: f32) -> Option<u16> {
    let bits = number.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    let exponent = i32::try_from(bits >> 23 & 0xFF).unwrap_or_default() - 127;
    let fraction = bits & 0x7F_FFFF;
    let magnitude = if number == 0.0 {
        0
    } else if (-14..=15).contains(&exponent) && fraction.trailing_zeros() >= 13 {
        u32::try_from(exponent + 15).unwrap_or_default() << 10 | fraction >> 13
    } else if (-24..-14).contains(&exponent) {
        // A binary16 subnormal: the implied bit becomes part of the fraction.
        let significand = fraction | 0x80_0000;
        let dropped = u32::try_from(-1 - exponent).unwrap_or_default();
        if significand.trailing_zeros() < dropped {
            return None;
        }
        significand >> dropped
    } else {
        return None;
    };
    u16::try_from(magnitude).ok().map(|magnitude| sign | magnitude)
}

/// A number kept as text, as the number it is.
#[cold]
fn write_number(text: &str, value: Value<'_>, out: &mut Vec<u8>) -> Result<(), NotFinite> {
    if let Ok(int) = text.parse() {
        write_int(int, out);
        return Ok(());
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => {
            write_float(number, out);
            Ok(())
        }
        number => Err(NotFinite { path: value.path(), number: number.unwrap_or(f64::NAN) }),
    }
}
