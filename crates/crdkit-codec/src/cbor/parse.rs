//! The walk over items: which one comes next, over one window of the input at a time.
//!
//! One token per item, with offsets into the window. Everything about the form of the bytes is checked
//! here and stops the walk; a well-formed item that means nothing to Kubernetes (an integer beyond 64
//! bits, a key that is no string) is passed over, and [`Parser::problem`] says what is wrong with it.
//! That is the split of Go's decoder, which checks the form of the whole input before it looks at any
//! value. State is one entry per open array or map; nothing is allocated from a length that is only
//! claimed.
//!
//! Upstream: `github.com/fxamacker/cbor/v2/valid.go`, `decode.go` (2.9.1).

use super::Rules;
use super::head::{BREAK, Head, Major, Stop, head};
use super::problem::Problem;
use super::text::{Encoding, Text};

/// One step, with offsets into the window.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Token {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    String(Text),
    Key(Text),
    /// `null` as a key, which keeps the key before it.
    NullKey,
    /// Seconds since 1970, under tag 1.
    Epoch(i64),
    EpochFloat(f64),
    BeginArray,
    EndArray,
    BeginMap,
    EndMap,
    /// An item that means nothing; see [`Parser::problem`].
    Nothing,
    /// The item is over; this token has no bytes.
    End,
}

/// An array or map that has begun and not ended.
#[derive(Clone, Copy, Debug)]
struct Frame {
    is_map: bool,
    indefinite: bool,
    /// What becomes of byte strings inside.
    encoding: Encoding,
    depth: usize,
    /// Items still to come, or items so far when the length is indefinite. Keys and values count
    /// separately, so in a map a key is next when it is even.
    n: u64,
}

/// What the tags in front of an item say.
struct Tagged {
    at: usize,
    depth: usize,
    encoding: Encoding,
    /// Tag 0 or 1.
    is_time: bool,
}

/// Where the walk is.
#[derive(Debug)]
pub(crate) struct Parser {
    rules: Rules,
    open: Vec<Frame>,
    done: bool,
    /// Offset in the window of the first byte not yet consumed.
    pub(crate) at: usize,
    /// What is wrong with the item of the last token, although its form is right.
    pub(crate) problem: Option<Problem>,
}

impl Parser {
    pub(crate) fn new(rules: Rules) -> Self {
        Self { rules, open: Vec::new(), done: false, at: 0, problem: None }
    }

    /// Begins a new item at the current place.
    pub(crate) fn restart(&mut self) {
        self.done = false;
        self.open.clear();
    }

    /// Whether nothing of an item has been read yet.
    pub(crate) fn is_before(&self) -> bool {
        !self.done && self.open.is_empty()
    }

    /// The next token and the offset it starts at; [`Parser::at`] moves behind it.
    #[inline]
    pub(crate) fn next(&mut self, window: &[u8]) -> Result<(Token, usize), Stop> {
        self.problem = None;
        let start = self.at;
        if self.done {
            return Ok((Token::End, start));
        }
        let Some(frame) = self.open.last().copied() else {
            return Ok((self.item(window, 0, Encoding::None, false)?, start));
        };
        let ends = if frame.indefinite {
            *window.get(start).ok_or(Stop::More)? == BREAK
        } else {
            frame.n == 0
        };
        let odd = frame.n & 1 != 0;
        if !ends {
            let is_key = frame.is_map && !odd;
            return Ok((self.item(window, frame.depth, frame.encoding, is_key)?, start));
        }
        if frame.indefinite {
            if frame.is_map && odd {
                return Err(Stop::Wrong(Problem::Break, start));
            }
            self.at += 1;
        }
        self.open.pop();
        self.after_item()?;
        Ok((if frame.is_map { Token::EndMap } else { Token::EndArray }, start))
    }

    #[inline]
    fn item(
        &mut self,
        window: &[u8],
        depth: usize,
        encoding: Encoding,
        is_key: bool,
    ) -> Result<Token, Stop> {
        let mut tagged = Tagged { at: self.at, depth, encoding, is_time: false };
        if window.get(self.at).is_some_and(|byte| Major::of(*byte) == Major::Tag) {
            self.tags(window, &mut tagged)?;
        }
        let head = head(window, tagged.at)?;
        let token = match head.major {
            Major::Bytes | Major::Text => {
                let text = self.string(window, tagged.at, head, tagged.encoding)?;
                self.at = text.end;
                if is_key {
                    Token::Key(text)
                } else {
                    Token::String(Text { is_time: tagged.is_time, ..text })
                }
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
        Ok(if self.problem.is_some() { Token::Nothing } else { token })
    }

    /// Passes over the tags in front of an item. The first of them is free, each further one nests.
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
                let problem = Problem::TagContent { tag: tag.argument, found };
                if self.rules.check_tags {
                    return Err(Stop::Wrong(problem, start));
                }
                self.problem.get_or_insert(problem);
            }
            match tag.argument {
                0 | 1 => tagged.is_time = true,
                2 | 3 if !self.rules.bignums => return Err(Stop::Wrong(Problem::Bignum, start)),
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

    /// The string whose head stands at `start`; nothing is made of its bytes yet.
    #[inline]
    fn string(
        &self,
        window: &[u8],
        start: usize,
        head: Head,
        encoding: Encoding,
    ) -> Result<Text, Stop> {
        let text = Text {
            start: head.end,
            end: head.end,
            is_utf8: head.major == Major::Text,
            is_chunked: false,
            is_time: false,
            encoding,
        };
        if head.is_indefinite() {
            let end = self.chunks(window, start, head)?;
            return Ok(Text { end, is_chunked: true, ..text });
        }
        Ok(Text { end: content_end(window, start, head)?, ..text })
    }

    /// Offset behind the parts of a string of indefinite length and the break that ends it.
    #[cold]
    fn chunks(&self, window: &[u8], start: usize, string: Head) -> Result<usize, Stop> {
        if !self.rules.indefinite {
            return Err(Stop::Wrong(Problem::Indefinite { major: string.major }, start));
        }
        let mut at = string.end;
        loop {
            let first = *window.get(at).ok_or(Stop::More)?;
            if first == BREAK {
                return Ok(at + 1);
            }
            let chunk = Major::of(first);
            if chunk != string.major {
                let problem = Problem::ChunkType { string: string.major, chunk };
                return Err(Stop::Wrong(problem, at));
            }
            if first & 0x1F == super::head::INDEFINITE {
                return Err(Stop::Wrong(Problem::ChunkNested { string: string.major }, at));
            }
            at = content_end(window, at, head(window, at)?)?;
        }
    }

    fn begin(&mut self, head: Head, tagged: &Tagged, is_key: bool) -> Result<Token, Stop> {
        let depth = tagged.depth + 1;
        self.check_depth(depth, tagged.at)?;
        let is_map = head.major == Major::Map;
        let indefinite = head.is_indefinite();
        if indefinite && !self.rules.indefinite {
            return Err(Stop::Wrong(Problem::Indefinite { major: head.major }, tagged.at));
        }
        if i64::try_from(head.argument).is_err() {
            let problem = Problem::Length { major: head.major, length: head.argument };
            return Err(Stop::Wrong(problem, tagged.at));
        }
        self.check_count(is_map, head.argument, tagged.at)?;
        if is_key {
            self.problem.get_or_insert(Problem::KeyType { found: head.major, too_small: None });
        }
        let n = if is_map { head.argument * 2 } else { head.argument };
        self.open.push(Frame { is_map, indefinite, encoding: tagged.encoding, depth, n });
        self.at = head.end;
        Ok(if is_map { Token::BeginMap } else { Token::BeginArray })
    }

    #[inline]
    fn integer(&mut self, head: Head, is_time: bool, is_key: bool) -> Token {
        let negative = head.major == Major::Negative;
        let argument = head.argument;
        let Ok(magnitude) = i64::try_from(argument) else {
            let too_small = negative.then_some(argument);
            self.problem.get_or_insert(match (is_key, is_time) {
                (true, _) => Problem::KeyType { found: head.major, too_small },
                (false, true) => Problem::TimeOverflow { negative, argument },
                (false, false) => Problem::Integer { negative, argument },
            });
            return Token::Nothing;
        };
        if is_key {
            self.problem.get_or_insert(Problem::KeyType { found: head.major, too_small: None });
        }
        let int = if negative { !magnitude } else { magnitude };
        if is_time { Token::Epoch(int) } else { Token::Int(int) }
    }

    #[inline]
    fn simple(
        &mut self,
        head: Head,
        at: usize,
        is_time: bool,
        is_key: bool,
    ) -> Result<Token, Stop> {
        let Some(float) = float(head) else {
            let token = match head.argument {
                20 => Token::Bool(false),
                21 => Token::Bool(true),
                22 if is_key => return Ok(Token::NullKey),
                22 => return Ok(Token::Null),
                value => {
                    self.problem.get_or_insert(Problem::Simple { value });
                    return Ok(Token::Nothing);
                }
            };
            if is_key {
                let problem = Problem::KeyType { found: Major::Simple, too_small: None };
                self.problem.get_or_insert(problem);
            }
            return Ok(token);
        };
        if self.rules.finite && !float.is_finite() {
            let problem = if float.is_nan() { Problem::Nan } else { Problem::Infinity };
            return Err(Stop::Wrong(problem, at));
        }
        if is_key {
            self.problem.get_or_insert(Problem::KeyType { found: Major::Simple, too_small: None });
        }
        Ok(if is_time { Token::EpochFloat(float) } else { Token::Float(float) })
    }

    /// Counts an item that has ended; without an open array or map the walk is over.
    #[inline]
    fn after_item(&mut self) -> Result<(), Stop> {
        let Some(frame) = self.open.last_mut() else {
            self.done = true;
            return Ok(());
        };
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
            return Err(Stop::Wrong(Problem::Pairs { limit: self.rules.pairs }, at));
        }
        if !is_map && count > self.rules.items {
            return Err(Stop::Wrong(Problem::Items { limit: self.rules.items }, at));
        }
        Ok(())
    }

    #[inline]
    fn check_depth(&self, depth: usize, at: usize) -> Result<(), Stop> {
        if depth > self.rules.depth {
            return Err(Stop::Wrong(Problem::Depth { limit: self.rules.depth }, at));
        }
        Ok(())
    }
}

/// Offset behind the content of a string of definite length.
#[inline]
fn content_end(window: &[u8], start: usize, head: Head) -> Result<usize, Stop> {
    let Ok(length) = i64::try_from(head.argument) else {
        let problem = Problem::Length { major: head.major, length: head.argument };
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
