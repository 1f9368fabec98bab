//! Single tokens: strings, numbers and words, found in a window of the input.
//!
//! A token is plain data with offsets into the window, so that the window can be refilled between
//! tokens. When the window ends inside a token and more input may follow, the answer is
//! [`Lexed::More`] and the same token is tried again with a longer window.

use super::problem::Problem;

/// The outcome of looking for one token.
pub(crate) enum Lexed<T> {
    /// The token.
    Token(T),
    /// The window is too short to tell.
    More,
    /// The input is wrong at this offset of the window.
    Wrong(Problem, usize),
}

/// A string between its quotes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StringToken {
    pub(crate) start: usize,
    /// Offset of the closing quote.
    pub(crate) end: usize,
    /// Whether it holds escapes, so that its value differs from its bytes.
    pub(crate) escaped: bool,
}

/// A number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberToken {
    pub(crate) end: usize,
    /// The value, when it has few enough digits to be found on the way.
    pub(crate) int: Option<i64>,
    /// Whether it has a fraction or an exponent.
    pub(crate) float: bool,
}

/// The string whose opening quote is in front of `start`.
#[inline(always)]
pub(crate) fn string(window: &[u8], start: usize, at_end: bool) -> Lexed<StringToken> {
    let mut at = start;
    let mut escaped = false;
    loop {
        at = skip_plain(window, at);
        match window.get(at) {
            Some(b'"') => return Lexed::Token(StringToken { start, end: at, escaped }),
            Some(b'\\') => {
                escaped = true;
                match escape(window, at) {
                    Lexed::Token(end) => at = end,
                    Lexed::More => return short(window, at_end),
                    Lexed::Wrong(problem, at) => return Lexed::Wrong(problem, at),
                }
            }
            Some(_) => return Lexed::Wrong(Problem::Control, at),
            None => return short(window, at_end),
        }
    }
}

/// Offset behind the escape that begins with the backslash at `at`.
fn escape(window: &[u8], at: usize) -> Lexed<usize> {
    match window.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Lexed::Token(at + 2),
        Some(b'u') => {
            for at in at + 2..at + 6 {
                match window.get(at) {
                    Some(byte) if byte.is_ascii_hexdigit() => {}
                    Some(_) => return Lexed::Wrong(Problem::Unicode, at),
                    None => return Lexed::More,
                }
            }
            Lexed::Token(at + 6)
        }
        Some(_) => Lexed::Wrong(Problem::Escape, at + 1),
        None => Lexed::More,
    }
}

/// Offset of the first byte from `at` on that is a quote, a backslash or a control character.
#[inline(always)]
fn skip_plain(window: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    // Eight bytes at a time: a byte of `marks` has its high bit set where a special byte stands.
    // Borrows can set bits behind the first special byte, never before it.
    while let Some(Ok(bytes)) = window.get(at..at + 8).map(<[u8; 8]>::try_from) {
        let word = u64::from_le_bytes(bytes);
        let quote = word ^ (ONES * u64::from(b'"'));
        let backslash = word ^ (ONES * u64::from(b'\\'));
        let marks = (quote.wrapping_sub(ONES) & !quote
            | backslash.wrapping_sub(ONES) & !backslash
            | word.wrapping_sub(ONES * 0x20) & !word)
            & HIGHS;
        if marks != 0 {
            return at + (marks.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let tail = window.get(at..).unwrap_or_default();
    let plain = tail.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0x00..=0x1F)).count();
    at + plain
}

/// The number that begins at `start`.
#[inline(always)]
pub(crate) fn number(window: &[u8], start: usize, at_end: bool) -> Lexed<NumberToken> {
    /// So many digits fit an `i64` whatever they are.
    const SAFE_DIGITS: usize = 18;
    let negative = window.get(start) == Some(&b'-');
    let digits = start + usize::from(negative);
    let mut at = digits;
    let mut magnitude = 0_i64;
    while let Some(byte @ b'0'..=b'9') = window.get(at) {
        magnitude = magnitude.wrapping_mul(10).wrapping_add(i64::from(byte - b'0'));
        at += 1;
        // Nothing may follow a leading zero; the caller sees the digit as something unexpected.
        if at == digits + 1 && magnitude == 0 {
            break;
        }
    }
    if at == digits {
        return missing_digit(window, at, at_end, Problem::Digit);
    }
    let int = (at - digits <= SAFE_DIGITS).then(|| if negative { -magnitude } else { magnitude });
    let int_end = at;
    if window.get(at) == Some(&b'.') {
        let fraction = skip_digits(window, at + 1);
        if fraction == at + 1 {
            return missing_digit(window, fraction, at_end, Problem::Fraction);
        }
        at = fraction;
    }
    if let Some(b'e' | b'E') = window.get(at) {
        let sign = usize::from(matches!(window.get(at + 1), Some(b'+' | b'-')));
        let exponent = skip_digits(window, at + 1 + sign);
        if exponent == at + 1 + sign {
            return missing_digit(window, exponent, at_end, Problem::Exponent);
        }
        at = exponent;
    }
    if at == window.len() && !at_end {
        return Lexed::More;
    }
    let float = at != int_end;
    Lexed::Token(NumberToken { end: at, int: int.filter(|_| !float), float })
}

fn skip_digits(window: &[u8], at: usize) -> usize {
    let tail = window.get(at..).unwrap_or_default();
    at + tail.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

#[cold]
fn missing_digit<T>(window: &[u8], at: usize, at_end: bool, problem: Problem) -> Lexed<T> {
    if at < window.len() { Lexed::Wrong(problem, at) } else { short(window, at_end) }
}

/// Offset behind `word`, which is expected at `start`.
pub(crate) fn word(window: &[u8], start: usize, at_end: bool, word: &'static str) -> Lexed<usize> {
    for (offset, expected) in word.bytes().enumerate() {
        match window.get(start + offset) {
            Some(found) if *found == expected => {}
            Some(_) => {
                let expected = char::from(expected);
                return Lexed::Wrong(Problem::Literal { word, expected }, start + offset);
            }
            None => return short(window, at_end),
        }
    }
    Lexed::Token(start + word.len())
}

/// The window ends inside a token: more is needed, or the input is cut off.
#[cold]
fn short<T>(window: &[u8], at_end: bool) -> Lexed<T> {
    if at_end { Lexed::Wrong(Problem::Truncated, window.len()) } else { Lexed::More }
}
