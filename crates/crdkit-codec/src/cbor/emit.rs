//! Single items of CBOR: heads, strings, numbers, each in its shortest form.
//!
//! [`Out`] writes many of them and keeps the place to write at beside the buffer, not in it: a length that
//! goes through memory for every item is what most of the time would be spent on.

use super::head::Major;
use crdkit_value::Piece;

/// A first byte and an argument after it.
#[derive(Clone, Copy)]
pub(crate) struct Long {
    first: u8,
    /// The argument's bytes, of which the first `size` count.
    argument: [u8; 8],
    size: usize,
}

/// Appends to a vector.
pub(crate) struct Out<'o> {
    /// What was written, and zeros after it.
    buffer: &'o mut Vec<u8>,
    at: usize,
}

/// The longest string whose head is one byte.
const SHORT: usize = 23;
/// How many bytes are moved for one: a number that takes few moves.
const MOVED: usize = 24;

#[expect(clippy::inline_always, reason = "so that the place stays in a register")]
impl<'o> Out<'o> {
    /// Appends to `buffer`, probably about so many bytes.
    pub(crate) fn new(buffer: &'o mut Vec<u8>, expected: usize) -> Self {
        let at = buffer.len();
        buffer.resize(at + expected, 0);
        Self { buffer, at }
    }

    /// Cuts off the zeros.
    pub(crate) fn finish(self) {
        self.buffer.truncate(self.at);
    }

    #[inline(always)]
    pub(crate) fn byte(&mut self, byte: u8) {
        match self.buffer.get_mut(self.at) {
            Some(place) => *place = byte,
            None => {
                place(self.buffer, self.at, &[byte]);
            }
        }
        self.at += 1;
    }

    #[inline(always)]
    pub(crate) fn head(&mut self, major: Major, argument: u64) {
        match short_head(major, argument) {
            Some(byte) => self.byte(byte),
            None => self.long(long_head(major, argument)),
        }
    }

    #[inline(always)]
    pub(crate) fn int(&mut self, int: i64) {
        let (major, argument) = int_head(int);
        self.head(major, argument);
    }

    #[inline(always)]
    pub(crate) fn float(&mut self, number: f64) {
        self.long(float(number));
    }

    /// A byte string that is part of a document. For short ones a fixed number of bytes is moved.
    #[inline(always)]
    pub(crate) fn string(&mut self, piece: Piece<'_>) {
        let len = piece.len();
        if let Some(window) = piece.window::<MOVED>().filter(|_| len <= SHORT)
            && let Some([head, content @ ..]) = self.room::<{ MOVED + 1 }>()
        {
            #[expect(clippy::cast_possible_truncation, reason = "it is at most SHORT")]
            let short = (Major::Bytes as u8) << 5 | len as u8;
            *head = short;
            *content = *window;
            self.at += 1 + len;
        } else {
            self.at = write_string(self.buffer, self.at, piece.bytes());
        }
    }

    #[inline(always)]
    fn room<const N: usize>(&mut self) -> Option<&mut [u8; N]> {
        self.buffer.get_mut(self.at..self.at + N)?.first_chunk_mut()
    }

    #[inline(always)]
    fn long(&mut self, long: Long) {
        self.byte(long.first);
        self.fixed(&long.argument, long.size);
    }

    /// Writes `bytes`, of which the first `n` count.
    #[inline(always)]
    fn fixed<const N: usize>(&mut self, bytes: &[u8; N], n: usize) {
        match self.room() {
            Some(room) => *room = *bytes,
            None => {
                place(self.buffer, self.at, bytes);
            }
        }
        self.at += n;
    }
}

/// Writes a byte string at a place of the buffer; gives the place after it.
#[inline(never)]
fn write_string(buffer: &mut Vec<u8>, at: usize, bytes: &[u8]) -> usize {
    let mut out = Out { buffer, at };
    out.head(Major::Bytes, bytes.len() as u64);
    place(out.buffer, out.at, bytes)
}

/// Writes `bytes` at a place of the buffer, which grows if it has to; gives the place after them.
#[inline(never)]
fn place(buffer: &mut Vec<u8>, at: usize, bytes: &[u8]) -> usize {
    let end = at + bytes.len();
    if end > buffer.len() {
        buffer.resize(end.max(buffer.len() * 2), 0);
    }
    if let Some(place) = buffer.get_mut(at..end) {
        place.copy_from_slice(bytes);
    }
    end
}

/// Appends a head with the shortest argument.
#[inline]
pub(crate) fn write_head(major: Major, argument: u64, out: &mut Vec<u8>) {
    match short_head(major, argument) {
        Some(byte) => out.push(byte),
        None => write_long(long_head(major, argument), out),
    }
}

/// Appends a byte string.
pub(crate) fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    write_head(Major::Bytes, bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

#[cfg(feature = "serde")]
pub(crate) fn write_int(int: i64, out: &mut Vec<u8>) {
    let (major, argument) = int_head(int);
    write_head(major, argument, out);
}

/// Appends a finite double in the shortest form that keeps its value.
#[cfg(feature = "serde")]
pub(crate) fn write_float(number: f64, out: &mut Vec<u8>) {
    write_long(float(number), out);
}

fn write_long(long: Long, out: &mut Vec<u8>) {
    out.push(long.first);
    out.extend_from_slice(long.argument.get(..long.size).unwrap_or_default());
}

#[inline]
fn int_head(int: i64) -> (Major, u64) {
    if int < 0 {
        (Major::Negative, (!int).cast_unsigned())
    } else {
        (Major::Unsigned, int.cast_unsigned())
    }
}

/// The head whose argument is in the first byte, if it is small enough.
#[inline]
fn short_head(major: Major, argument: u64) -> Option<u8> {
    let argument = u8::try_from(argument).ok().filter(|argument| *argument < 24)?;
    Some((major as u8) << 5 | argument)
}

#[inline]
fn long_head(major: Major, argument: u64) -> Long {
    let (info, size) = match argument {
        0..=0xFF => (24, 1),
        0x100..=0xFFFF => (25, 2),
        0x1_0000..=0xFFFF_FFFF => (26, 4),
        _ => (27, 8),
    };
    Long::new((major as u8) << 5 | info, argument, size)
}

impl Long {
    /// The argument takes the last `size` bytes of `argument`.
    #[inline]
    fn new(first: u8, argument: u64, size: usize) -> Self {
        let argument = argument << ((8 - size) * 8);
        Self { first, argument: argument.to_be_bytes(), size }
    }
}

/// A finite double in the shortest form that keeps its value.
fn float(number: f64) -> Long {
    #[expect(clippy::cast_possible_truncation, reason = "compared with the original")]
    let single = number as f32;
    if f64::from(single) != number {
        Long::new(0xFB, number.to_bits(), 8)
    } else if let Some(half) = half(single) {
        Long::new(0xF9, u64::from(half), 2)
    } else {
        Long::new(0xFA, u64::from(single.to_bits()), 4)
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
