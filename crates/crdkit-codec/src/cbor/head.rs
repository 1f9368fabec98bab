//! Heads: the first byte of an item and the argument after it.
//!
//! An argument may be longer than it has to be; nothing here looks at what an item means.

use super::problem::CborProblem;

/// The three high bits of an item's first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Major {
    Unsigned,
    Negative,
    Bytes,
    Text,
    Array,
    Map,
    Tag,
    Simple,
}

/// A head that has been read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) major: Major,
    /// The five low bits of the first byte.
    pub(crate) info: u8,
    /// The argument; a length of [`INDEFINITE`] has none.
    pub(crate) argument: u64,
    /// Offset after the head.
    pub(crate) end: usize,
}

/// Why no head could be read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stop {
    /// The window ends too early.
    More,
    /// The bytes are wrong at this offset of the window.
    Wrong(CborProblem, usize),
}

/// The low bits that say that a length is found out at the end.
pub(crate) const INDEFINITE: u8 = 31;
/// Ends an item of indefinite length.
pub(crate) const BREAK: u8 = 0xFF;

impl Major {
    #[inline]
    pub(crate) fn of(byte: u8) -> Self {
        match byte >> 5 {
            0 => Self::Unsigned,
            1 => Self::Negative,
            2 => Self::Bytes,
            3 => Self::Text,
            4 => Self::Array,
            5 => Self::Map,
            6 => Self::Tag,
            _ => Self::Simple,
        }
    }

    /// What Go's decoder calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Unsigned => "positive integer",
            Self::Negative => "negative integer",
            Self::Bytes => "byte string",
            Self::Text => "UTF-8 text string",
            Self::Array => "array",
            Self::Map => "map",
            Self::Tag => "tag",
            Self::Simple => "primitives",
        }
    }
}

impl Head {
    #[inline]
    pub(crate) fn is_indefinite(self) -> bool {
        self.info == INDEFINITE
    }
}

/// The head at `at`.
#[inline]
pub(crate) fn head(window: &[u8], at: usize) -> Result<Head, Stop> {
    let first = *window.get(at).ok_or(Stop::More)?;
    let (major, info) = (Major::of(first), first & 0x1F);
    if info < 24 {
        return Ok(Head { major, info, argument: u64::from(info), end: at + 1 });
    }
    long_head(window, at, major, info)
}

fn long_head(window: &[u8], at: usize, major: Major, info: u8) -> Result<Head, Stop> {
    let argument = match info {
        24 => u64::from(u8::from_be_bytes(bytes(window, at)?)),
        25 => u64::from(u16::from_be_bytes(bytes(window, at)?)),
        26 => u64::from(u32::from_be_bytes(bytes(window, at)?)),
        27 => u64::from_be_bytes(bytes(window, at)?),
        INDEFINITE => match major {
            Major::Bytes | Major::Text | Major::Array | Major::Map => {
                return Ok(Head { major, info, argument: 0, end: at + 1 });
            }
            Major::Simple => return Err(Stop::Wrong(CborProblem::Break, at)),
            _ => return Err(Stop::Wrong(CborProblem::Reserved { major, info }, at)),
        },
        _ => return Err(Stop::Wrong(CborProblem::Reserved { major, info }, at)),
    };
    if major == Major::Simple && info == 24 && argument < 32 {
        return Err(Stop::Wrong(CborProblem::SimpleForm { value: argument }, at));
    }
    Ok(Head { major, info, argument, end: at + 1 + (1 << (info - 24)) })
}

#[inline]
fn bytes<const N: usize>(window: &[u8], at: usize) -> Result<[u8; N], Stop> {
    let bytes = window.get(at + 1..at + 1 + N).ok_or(Stop::More)?;
    bytes.try_into().map_err(|_| Stop::More)
}
