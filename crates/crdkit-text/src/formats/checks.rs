//! The small formats: each a function from a string to yes or no.
//!
//! Upstream: kube-openapi `strfmt/default.go` and the validators it carries, Go `net.ParseMAC`.

use crate::unicode;

pub(super) fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A host name: letters, digits and symbols of any script, parts joined by dots, the last part letters alone.
///
/// One part alone may have a hyphen only after its first character, and may end in it.
pub(super) fn is_hostname(text: &str) -> bool {
    if text.len() > 255 || text.split('.').any(|part| part.len() > 63) {
        return false;
    }
    let letter = |c: char| c.is_ascii_alphabetic() || unicode::is_letter(c);
    let inside = |c: char| c.is_ascii_digit() || letter(c) || unicode::is_symbol(c);
    match text.rsplit_once('.') {
        None => {
            let mut characters = text.chars();
            let first = characters.next().is_some_and(inside);
            let rest = characters.as_str();
            first && rest.strip_prefix('-').unwrap_or(rest).chars().all(inside)
        }
        Some((before, last)) => {
            let part = |part: &str| {
                part.starts_with(inside)
                    && part.ends_with(inside)
                    && part.chars().all(|c| c == '-' || inside(c))
            };
            before.split('.').all(part) && last.chars().all(letter) && last.chars().count() >= 2
        }
    }
}

/// Groups of hexadecimal digits with hyphens that may be left out.
pub(super) fn is_uuid(text: &str, version: Option<u8>) -> bool {
    let mut rest = text.as_bytes();
    for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if let ([b'-', after @ ..], 1..) = (rest, index) {
            rest = after;
        }
        let Some((group, after)) = rest.split_at_checked(length) else { return false };
        let first = group.first().copied().unwrap_or(0);
        let fits = match (version, index) {
            (Some(version), 2) => first == version,
            // Version 3 says nothing about the variant.
            (Some(b'4' | b'5'), 3) => matches!(first, b'8' | b'9' | b'a' | b'b' | b'A' | b'B'),
            _ => true,
        };
        if !fits || !group.iter().all(u8::is_ascii_hexdigit) {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

/// Six, eight or twenty bytes, as pairs joined by `:` or `-`, as fours joined by `.`, or all in one.
pub(super) fn is_mac(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (width, separator) = match bytes {
        [_, _, separator @ (b':' | b'-'), ..] => (2, Some(*separator)),
        [_, _, _, _, b'.', ..] => (4, Some(b'.')),
        _ => (bytes.len(), None),
    };
    let mut digits = 0;
    let well_formed = bytes.chunks(width + 1).all(|chunk| {
        let (group, tail) = chunk.split_at_checked(width).unwrap_or((chunk, &[]));
        digits += group.len();
        group.len() == width
            && group.iter().all(u8::is_ascii_hexdigit)
            && tail.iter().all(|byte| Some(*byte) == separator)
    });
    let trailing = separator.is_some_and(|separator| bytes.ends_with(&[separator]));
    well_formed && !trailing && matches!(digits, 12 | 16 | 40)
}

/// Text without white space and hyphens.
fn compact(text: &str) -> Vec<u8> {
    text.bytes().filter(|byte| !matches!(byte, b'\t' | b'\n' | 0xC | b'\r' | b' ' | b'-')).collect()
}

pub(super) fn is_isbn10(text: &str) -> bool {
    let digits = compact(text);
    let value = |(index, digit): (u32, &u8)| match digit {
        b'0'..=b'9' => Some(index * u32::from(digit - b'0')),
        b'X' if index == 10 => Some(100),
        _ => None,
    };
    let sum: Option<u32> = (1..).zip(&digits).map(value).sum();
    digits.len() == 10 && sum.is_some_and(|sum| sum % 11 == 0)
}

pub(super) fn is_isbn13(text: &str) -> bool {
    let digits = compact(text);
    if digits.len() != 13 || !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let weights = [1, 3].into_iter().cycle();
    digits.iter().zip(weights).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum::<u32>()
        % 10
        == 0
}

/// A number of a known brand that passes Luhn's check; anything that is not a digit is skipped.
pub(super) fn is_credit_card(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).collect();
    let lengths: &[usize] = match digits.as_slice() {
        [b'4', ..] => &[13, 16],
        [b'5', b'1'..=b'5', ..] | [b'6', b'0', b'1', b'1', ..] | [b'6' | b'3', b'5', ..] => &[16],
        [b'3', b'4' | b'7', ..] | [b'2', b'1', b'3', b'1', ..] | [b'1', b'8', b'0', b'0', ..] => {
            &[15]
        }
        [b'3', b'0', b'0'..=b'5', ..] | [b'3', b'6' | b'8', ..] => &[14],
        _ => &[],
    };
    let sum: u32 = digits
        .iter()
        .rev()
        .zip([1, 2].into_iter().cycle())
        .map(|(digit, factor)| {
            let value = u32::from(digit - b'0') * factor;
            value / 10 + value % 10
        })
        .sum();
    lengths.contains(&digits.len()) && sum.is_multiple_of(10)
}

pub(super) fn is_social_security_number(text: &str) -> bool {
    let separator = |byte: &u8| matches!(byte, b'-' | b' ');
    text.len() == 11
        && text.bytes().enumerate().all(|(index, byte)| match index {
            3 | 6 => separator(&byte),
            _ => byte.is_ascii_digit(),
        })
}

pub(super) fn is_hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && is_hexadecimal(digits)
}

pub(super) fn is_rgb_color(text: &str) -> bool {
    let component = |text: &str| {
        let digits = text.trim_matches(['\t', '\n', '\u{c}', '\r', ' ']);
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit())
            && (digits == "0" || !digits.starts_with('0'));
        plain && digits.parse::<u8>().is_ok()
    };
    let inside = text.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')'));
    inside.is_some_and(|inside| inside.split(',').count() == 3 && inside.split(',').all(component))
}

/// Standard base64 with padding; the empty string is not base64.
pub(super) fn is_base64(text: &str) -> bool {
    let unpadded = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    let alphabet = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    !text.is_empty() && text.len().is_multiple_of(4) && unpadded.bytes().all(alphabet)
}
