//! The walk over items: which one comes next, over one window of the input at a time.
//!
//! One token per item, with offsets into the window. Everything about the form of the bytes is checked
//! here and stops the walk; a well-formed item that means nothing to Kubernetes (an integer beyond 64
//! bits, a key that is not a string) is passed over, and [`CborParser::problem`] says what is wrong with it.
//! That is the split of Go's decoder, which checks the form of the whole input before it looks at any
//! value. State is one entry per open array or map; nothing is allocated from a length that is only
//! claimed.
//!
//! Upstream: `github.com/fxamacker/cbor/v2/valid.go`, `decode.go` (2.9.1).

use super::Rules;
use super::head::{BREAK, Head, INDEFINITE, Major, Stop, head};
use super::problem::CborProblem;
use super::text::{Encoding, Text};

/// One step. Where it stands is in [`CborParser::start`] and [`CborParser::at`], and the string of a `String` or
/// `Key` in [`CborParser::text`]: so a token is two words, and reading is twice as fast as with one that
/// carries everything.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CborToken {
    Null,
    False,
    True,
    Int(i64),
    /// The bits of a double.
    Float(u64),
    String,
    Key,
    /// `null` as a key, which keeps the key before it.
    NullKey,
    /// Seconds since 1970, under tag 1.
    Epoch(i64),
    /// The same as the bits of a double.
    EpochFloat(u64),
    BeginArray,
    EndArray,
    BeginMap,
    EndMap,
    /// An item that means nothing; see [`CborParser::problem`].
    Nothing,
    /// The item is over; this token has no bytes.
    End,
    /// The window is too short to tell.
    More,
    /// The form is wrong, as [`CborParser::wrong`] says.
    Wrong,
}

/// An array or map that has begun and not ended; at the top, the item itself as the only one of an array.
#[derive(Clone, Copy, Debug)]
struct CborFrame {
    /// Items still to come, or items so far when the length is indefinite. Keys and values count
    /// separately, so in a map a key is next when it is even.
    n: u64,
    /// Items in all, when the length is definite.
    total: u64,
    depth: usize,
    is_map: bool,
    indefinite: bool,
    /// What becomes of byte strings inside.
    encoding: Encoding,
}

const TOP: CborFrame = CborFrame {
    n: 1,
    total: 1,
    depth: 0,
    is_map: false,
    indefinite: false,
    encoding: Encoding::None,
};

/// What the tags before an item say.
struct Tagged {
    at: usize,
    depth: usize,
    encoding: Encoding,
    /// Tag 0 or 1.
    is_time: bool,
}

/// Where the walk is.
#[derive(Debug)]
pub(crate) struct CborParser {
    rules: Rules,
    /// The innermost open container.
    frame: CborFrame,
    /// Those around it.
    open: Vec<CborFrame>,
    /// Offset in the window of the last token.
    pub(crate) start: usize,
    /// Offset in the window of the first byte not yet consumed.
    pub(crate) at: usize,
    /// The last string.
    pub(crate) text: Text,
    /// What is wrong with the item of the last token, although its form is right.
    pub(crate) problem: Option<CborProblem>,
    /// What is wrong with the form, and where.
    pub(crate) wrong: (CborProblem, usize),
}

impl CborParser {
    pub(crate) fn new(rules: Rules) -> Self {
        Self {
            rules,
            frame: TOP,
            open: Vec::new(),
            start: 0,
            at: 0,
            text: Text::EMPTY,
            problem: None,
            wrong: (CborProblem::Empty, 0),
        }
    }

    /// Begins a new item at the current place.
    pub(crate) fn restart(&mut self) {
        self.frame = TOP;
        self.open.clear();
    }

    /// Whether nothing of an item has been read yet.
    pub(crate) fn is_before(&self) -> bool {
        self.open.is_empty() && self.frame.n == 1
    }

    /// Whether the key just read is the first of its map.
    pub(crate) fn is_first_key(&self) -> bool {
        let frame = &self.frame;
        frame.n == if frame.indefinite { 1 } else { frame.total - 1 }
    }

    /// The next token.
    #[inline]
    pub(crate) fn next(&mut self, window: &[u8]) -> CborToken {
        self.problem = None;
        self.start = self.at;
        let is_key = self.frame.is_map && self.frame.n & 1 == 0;
        if self.frame.n == 0 || self.frame.indefinite {
            match self.end(window) {
                Ok(Some(token)) => return token,
                Ok(None) => {}
                Err(stop) => return self.stop(stop),
            }
        }
        // Untagged strings of definite length are most of what there is.
        if let Some(first @ 0x40..=0x78) = window.get(self.at).copied()
            && let (start, Some(length)) = match first & 0x1F {
                length @ 0..24 => (self.at + 1, Some(usize::from(length))),
                24 => (self.at + 2, window.get(self.at + 1).copied().map(usize::from)),
                _ => (0, None),
            }
            && start + length <= window.len()
            && !self.frame.indefinite
        {
            self.at = start + length;
            self.text = Text {
                start,
                end: self.at,
                is_utf8: first >= 0x60,
                encoding: self.frame.encoding,
                ..Text::EMPTY
            };
            self.frame.n -= 1;
            return if is_key { CborToken::Key } else { CborToken::String };
        }
        match self.item(window, is_key) {
            Ok(token) => token,
            Err(stop) => self.stop(stop),
        }
    }

    /// The end of the innermost container, if it is over.
    fn end(&mut self, window: &[u8]) -> Result<Option<CborToken>, Stop> {
        let frame = self.frame;
        if frame.indefinite {
            if *window.get(self.at).ok_or(Stop::More)? != BREAK {
                return Ok(None);
            }
            if frame.is_map && frame.n & 1 != 0 {
                return Err(Stop::Wrong(CborProblem::Break, self.at));
            }
            self.at += 1;
        }
        let Some(outer) = self.open.pop() else { return Ok(Some(CborToken::End)) };
        self.frame = outer;
        self.after_item()?;
        Ok(Some(if frame.is_map { CborToken::EndMap } else { CborToken::EndArray }))
    }

    #[cold]
    fn stop(&mut self, stop: Stop) -> CborToken {
        match stop {
            Stop::More => CborToken::More,
            Stop::Wrong(problem, at) => {
                self.wrong = (problem, at);
                CborToken::Wrong
            }
        }
    }

    fn item(&mut self, window: &[u8], is_key: bool) -> Result<CborToken, Stop> {
        let CborFrame { depth, encoding, .. } = self.frame;
        let mut tagged = Tagged { at: self.at, depth, encoding, is_time: false };
        if window.get(self.at).is_some_and(|byte| Major::of(*byte) == Major::Tag) {
            self.tags(window, &mut tagged)?;
        }
        let head = head(window, tagged.at)?;
        let token = match head.major {
            Major::Bytes | Major::Text => {
                let end = self.string_end(window, tagged.at, head)?;
                self.text = Text {
                    start: head.end,
                    end,
                    is_utf8: head.major == Major::Text,
                    is_chunked: head.is_indefinite(),
                    is_time: tagged.is_time && !is_key,
                    encoding: tagged.encoding,
                };
                self.at = end;
                if is_key { CborToken::Key } else { CborToken::String }
            }
            Major::Array | Major::Map => return self.begin(head, &tagged, is_key),
            Major::Unsigned | Major::Negative => {
                self.at = head.end;
                self.integer(head, tagged.is_time, is_key)
            }
            _ => {
                let token = self.simple(head, tagged.at, tagged.is_time, is_key)?;
                self.at = head.end;
                token
            }
        };
        self.after_item()?;
        Ok(if self.problem.is_some() { CborToken::Nothing } else { token })
    }

    /// Passes over the tags before an item. The first of them is free, each further one nests.
    #[cold]
    fn tags(&mut self, window: &[u8], tagged: &mut Tagged) -> Result<(), Stop> {
        let mut first = true;
        loop {
            let start = tagged.at;
            let tag = head(window, start)?;
            tagged.at = tag.end;
            if !first {
                tagged.depth += 1;
                self.check_depth(tagged.depth, start)?;
            }
            first = false;
            let next = *window.get(tagged.at).ok_or(Stop::More)?;
            let found = Major::of(next);
            let right = match tag.argument {
                0 => found == Major::Text,
                1 => {
                    matches!(found, Major::Unsigned | Major::Negative)
                        || matches!(next, 0xF9..=0xFB)
                }
                2 | 3 => found == Major::Bytes || !self.rules.check_tags,
                _ => true,
            };
            if !right {
                let problem = CborProblem::TagContent { tag: tag.argument, found };
                if self.rules.check_tags {
                    return Err(Stop::Wrong(problem, start));
                }
                self.problem.get_or_insert(problem);
            }
            match tag.argument {
                0 | 1 => tagged.is_time = true,
                2 | 3 if !self.rules.bignums => {
                    return Err(Stop::Wrong(CborProblem::Bignum, start));
                }
                21 => tagged.encoding = Encoding::Base64Url,
                22 => tagged.encoding = Encoding::Base64,
                23 => tagged.encoding = Encoding::Hex,
                _ => {}
            }
            if found != Major::Tag {
                return Ok(());
            }
        }
    }

    /// Offset after the string whose head stands at `start`; nothing is made of its bytes yet.
    #[inline]
    fn string_end(&self, window: &[u8], start: usize, head: Head) -> Result<usize, Stop> {
        if head.is_indefinite() {
            return self.chunks(window, start, head);
        }
        content_end(window, start, head)
    }

    /// Offset after the parts of a string of indefinite length and the break that ends it.
    #[cold]
    fn chunks(&self, window: &[u8], start: usize, string: Head) -> Result<usize, Stop> {
        if !self.rules.indefinite {
            return Err(Stop::Wrong(CborProblem::Indefinite { major: string.major }, start));
        }
        let mut at = string.end;
        loop {
            let first = *window.get(at).ok_or(Stop::More)?;
            if first == BREAK {
                return Ok(at + 1);
            }
            let chunk = Major::of(first);
            if chunk != string.major {
                let problem = CborProblem::ChunkType { string: string.major, chunk };
                return Err(Stop::Wrong(problem, at));
            }
            if first & 0x1F == INDEFINITE {
                return Err(Stop::Wrong(CborProblem::ChunkNested { string: string.major }, at));
            }
            at = content_end(window, at, head(window, at)?)?;
        }
    }

    fn begin(&mut self, head: Head, tagged: &Tagged, is_key: bool) -> Result<CborToken, Stop> {
        let depth = tagged.depth + 1;
        self.check_depth(depth, tagged.at)?;
        let is_map = head.major == Major::Map;
        let indefinite = head.is_indefinite();
        if indefinite && !self.rules.indefinite {
            return Err(Stop::Wrong(CborProblem::Indefinite { major: head.major }, tagged.at));
        }
        if i64::try_from(head.argument).is_err() {
            let problem = CborProblem::Length { major: head.major, length: head.argument };
            return Err(Stop::Wrong(problem, tagged.at));
        }
        self.check_count(is_map, head.argument, tagged.at)?;
        if is_key {
            self.problem.get_or_insert(CborProblem::KeyType { found: head.major, too_small: None });
        }
        let n = if is_map { head.argument * 2 } else { head.argument };
        self.open.push(self.frame);
        self.frame =
            CborFrame { n, total: n, depth, is_map, indefinite, encoding: tagged.encoding };
        self.at = head.end;
        Ok(if is_map { CborToken::BeginMap } else { CborToken::BeginArray })
    }

    #[inline]
    fn integer(&mut self, head: Head, is_time: bool, is_key: bool) -> CborToken {
        let negative = head.major == Major::Negative;
        let argument = head.argument;
        let Ok(magnitude) = i64::try_from(argument) else {
            let too_small = negative.then_some(argument);
            self.problem.get_or_insert(match (is_key, is_time) {
                (true, _) => CborProblem::KeyType { found: head.major, too_small },
                (false, true) => CborProblem::TimeOverflow { negative, argument },
                (false, false) => CborProblem::Integer { negative, argument },
            });
            return CborToken::Nothing;
        };
        if is_key {
            self.problem.get_or_insert(CborProblem::KeyType { found: head.major, too_small: None });
        }
        let int = if negative { !magnitude } else { magnitude };
        if is_time { CborToken::Epoch(int) } else { CborToken::Int(int) }
    }

    #[inline]
    fn simple(
        &mut self,
        head: Head,
        at: usize,
        is_time: bool,
        is_key: bool,
    ) -> Result<CborToken, Stop> {
        let Some(float) = float(head) else {
            let token = match head.argument {
                20 => CborToken::False,
                21 => CborToken::True,
                22 if is_key => return Ok(CborToken::NullKey),
                22 => return Ok(CborToken::Null),
                value => {
                    self.problem.get_or_insert(CborProblem::Simple { value });
                    return Ok(CborToken::Nothing);
                }
            };
            if is_key {
                let problem = CborProblem::KeyType { found: Major::Simple, too_small: None };
                self.problem.get_or_insert(problem);
            }
            return Ok(token);
        };
        if self.rules.finite && !float.is_finite() {
            let problem = if float.is_nan() { CborProblem::Nan } else { CborProblem::Infinity };
            return Err(Stop::Wrong(problem, at));
        }
        if is_key {
            self.problem
                .get_or_insert(CborProblem::KeyType { found: Major::Simple, too_small: None });
        }
        let bits = float.to_bits();
        Ok(if is_time { CborToken::EpochFloat(bits) } else { CborToken::Float(bits) })
    }

    /// Counts an item that has ended.
    #[inline]
    fn after_item(&mut self) -> Result<(), Stop> {
        let frame = &mut self.frame;
        if frame.indefinite {
            frame.n += 1;
            let (is_map, n) = (frame.is_map, frame.n);
            return self.check_count(is_map, if is_map { n / 2 } else { n }, self.at);
        }
        frame.n -= 1;
        Ok(())
    }

    fn check_count(&self, is_map: bool, count: u64, at: usize) -> Result<(), Stop> {
        if is_map && count > self.rules.pairs {
            return Err(Stop::Wrong(CborProblem::Pairs { limit: self.rules.pairs }, at));
        }
        if !is_map && count > self.rules.items {
            return Err(Stop::Wrong(CborProblem::Items { limit: self.rules.items }, at));
        }
        Ok(())
    }

    #[inline]
    fn check_depth(&self, depth: usize, at: usize) -> Result<(), Stop> {
        if depth > self.rules.depth {
            return Err(Stop::Wrong(CborProblem::Depth { limit: self.rules.depth }, at));
        }
        Ok(())
    }
}

/// Offset after the content of a string of definite length.
#[inline]
fn content_end(window: &[u8], start: usize, head: Head) -> Result<usize, Stop> {
    let Ok(length) = i64::try_from(head.argument) else {
        let problem = CborProblem::Length { major: head.major, length: head.argument };
        return Err(Stop::Wrong(problem, start));
    };
    let left = window.len() - head.end;
    match usize::try_from(length) {
        Ok(length) if length <= left => Ok(head.end + length),
        _ => Err(Stop::More),
    }
}

/// The floating-point number that an item of major type 7 is, unless it is a simple value.
pub(crate) fn float(head: Head) -> Option<f64> {
    #[expect(clippy::cast_possible_truncation, reason = "the argument has that many bytes")]
    match head.info {
        25 => Some(half(head.argument as u16)),
        26 => Some(f64::from(f32::from_bits(head.argument as u32))),
        27 => Some(f64::from_bits(head.argument)),
        _ => None,
    }
}

/// The value of a binary16 number.
fn half(bits: u16) -> f64 {
    let exponent = i32::from(bits >> 10 & 0x1F);
    let fraction = f64::from(bits & 0x3FF);
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (fraction + 1024.0) * 2f64.powi(exponent - 25),
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}
