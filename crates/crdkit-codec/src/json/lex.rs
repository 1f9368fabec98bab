//! Single tokens: strings, numbers and words, found in a window of the input.
//!
//! A token is plain data with offsets into the window, so that the window can be refilled between
//! tokens. When the window ends inside a token and more input may follow, the answer is
//! [`Miss::More`] and the same token is tried again with a longer window.

use super::problem::JsonProblem;
use super::source::Window;
use super::text;

/// Why there is no token.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Miss {
    /// The window is too short to tell.
    More,
    /// The input is wrong at this offset of the window.
    Wrong(JsonProblem, usize),
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
    pub(crate) value: NumberValue,
}

/// What a number is worth, as far as that is found while looking for its end.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NumberValue {
    Int(i64),
    Float(f64),
    /// It has so many digits, or an exponent, that its text must be looked at.
    Unknown,
}

/// The string whose opening quote is before `start`. If it holds escapes, its text goes to
/// `scratch`, where it stays until the next token.
#[inline(always)]
pub(crate) fn string(
    window: Window<'_>,
    start: usize,
    at_end: bool,
    scratch: &mut String,
) -> Result<StringToken, Miss> {
    let end = skip_plain(window.bytes, start);
    if window.bytes.get(end) == Some(&b'"') {
        return Ok(StringToken { start, end, escaped: false });
    }
    let end = text::unescape(window, start, at_end, scratch)?;
    Ok(StringToken { start, end, escaped: true })
}

/// Offset of the first byte from `at` on that is a quote, a backslash or a control character.
#[inline(always)]
pub(crate) fn skip_plain(window: &[u8], at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let mut rest = window.get(at..).unwrap_or_default();
    // Eight bytes at a time: a byte of `marks` has its high bit set where a special byte stands.
    // Borrows can set bits after the first special byte, never before it.
    while let Some((bytes, tail)) = rest.split_first_chunk() {
        let word = u64::from_le_bytes(*bytes);
        let quote = (word ^ (ONES * u64::from(b'"'))).wrapping_sub(ONES);
        let backslash = (word ^ (ONES * u64::from(b'\\'))).wrapping_sub(ONES);
        let control = word.wrapping_sub(ONES * 0x20);
        let marks = (quote | backslash | control) & !word & HIGHS;
        if marks != 0 {
            return window.len() - rest.len() + (marks.trailing_zeros() / 8) as usize;
        }
        rest = tail;
    }
    let plain = rest.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0x00..=0x1F)).count();
    window.len() - rest.len() + plain
}

/// The number that begins at `start`.
#[inline(always)]
pub(crate) fn number(window: &[u8], start: usize, at_end: bool) -> Result<NumberToken, Miss> {
    /// So many digits fit an `i64` whatever they are.
    const SAFE_DIGITS: usize = 18;
    let negative = window.get(start) == Some(&b'-');
    let first = start + usize::from(negative);
    let (mut at, magnitude) = match window.get(first) {
        // Nothing may follow a leading zero; the caller sees a digit as something unexpected.
        Some(b'0') => (first + 1, 0),
        _ => digits(window, first, 0),
    };
    if at == first {
        return Err(missing_digit(window, at, at_end, JsonProblem::Digit));
    }
    let mut value = NumberValue::Unknown;
    if at - first <= SAFE_DIGITS {
        value = NumberValue::Int(if negative { -magnitude } else { magnitude });
    }
    if window.get(at) == Some(&b'.') {
        let (end, mantissa) = digits(window, at + 1, magnitude);
        let n_decimals = end - (at + 1);
        if n_decimals == 0 {
            return Err(missing_digit(window, end, at_end, JsonProblem::Fraction));
        }
        value = match decimal(mantissa, n_decimals) {
            Some(float) if end - first <= SAFE_DIGITS => {
                NumberValue::Float(if negative { -float } else { float })
            }
            _ => NumberValue::Unknown,
        };
        at = end;
    }
    if let Some(b'e' | b'E') = window.get(at) {
        let sign = usize::from(matches!(window.get(at + 1), Some(b'+' | b'-')));
        let (end, _) = digits(window, at + 1 + sign, 0);
        if end == at + 1 + sign {
            return Err(missing_digit(window, end, at_end, JsonProblem::Exponent));
        }
        value = NumberValue::Unknown;
        at = end;
    }
    if at == window.len() && !at_end {
        return Err(Miss::More);
    }
    Ok(NumberToken { end: at, value })
}

/// Offset after the digits from `at` on, and the number they make when put after those of `number`;
/// it is of no use when there are too many of them.
#[inline(always)]
fn digits(window: &[u8], mut at: usize, mut number: i64) -> (usize, i64) {
    while let Some(byte @ b'0'..=b'9') = window.get(at) {
        number = number.wrapping_mul(10).wrapping_add(i64::from(byte - b'0'));
        at += 1;
    }
    (at, number)
}

/// `mantissa` with that many digits after the point, when both it and the power of ten are doubles:
/// then the quotient is rounded once and so is the double nearest to the number.
#[inline]
fn decimal(mantissa: i64, n_decimals: usize) -> Option<f64> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let power = POWERS.get(n_decimals)?;
    #[expect(clippy::cast_precision_loss, reason = "below 2^53 there is none")]
    (0..1 << 53).contains(&mantissa).then(|| mantissa as f64 / power)
}

#[cold]
fn missing_digit(window: &[u8], at: usize, at_end: bool, problem: JsonProblem) -> Miss {
    if at < window.len() { Miss::Wrong(problem, at) } else { short(window, at_end) }
}

/// Offset after `word`, which is expected at `start`.
#[inline(always)]
pub(crate) fn word(
    window: &[u8],
    start: usize,
    at_end: bool,
    word: &'static str,
) -> Result<usize, Miss> {
    let end = start + word.len();
    if window.get(start..end) == Some(word.as_bytes()) {
        return Ok(end);
    }
    Err(wrong_word(window, start, at_end, word))
}

#[cold]
fn wrong_word(window: &[u8], start: usize, at_end: bool, word: &'static str) -> Miss {
    let found = window.get(start..).unwrap_or_default();
    let mut pairs = found.iter().zip(word.bytes()).zip(start..);
    match pairs.find(|((found, expected), _)| **found != *expected) {
        Some(((_, expected), at)) => {
            Miss::Wrong(JsonProblem::Literal { word, expected: char::from(expected) }, at)
        }
        None => short(window, at_end),
    }
}

/// The window ends inside a token: more is needed, or the input is cut off.
#[cold]
pub(crate) fn short(window: &[u8], at_end: bool) -> Miss {
    if at_end { Miss::Wrong(JsonProblem::Truncated, window.len()) } else { Miss::More }
}
