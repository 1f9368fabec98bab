//! Reads an address as `netip.ParseAddr` does, and says what is wrong in its words.

use std::net::IpAddr;

use crate::error::TextError;
use crate::quote::quote;

/// The address and its zone, if one is written.
pub(crate) fn address(text: &str) -> Result<(IpAddr, Option<&str>), TextError> {
    match text.bytes().find(|byte| matches!(byte, b'.' | b':' | b'%')) {
        Some(b'.') => v4(text, text).map(|octets| (octets.into(), None)),
        Some(b':') => v6(text),
        Some(_) => Err(fault(text, "missing IPv6 address", "")),
        None => Err(fault(text, "unable to parse IP", "")),
    }
}

fn fault(text: &str, message: &str, at: &str) -> TextError {
    let place = if at.is_empty() { String::new() } else { format!(" (at {})", quote(at)) };
    TextError::new(format!("ParseAddr({}): {message}{place}", quote(text)))
}

/// Four numbers in `part`, which is all of `text` or its end.
fn v4(text: &str, part: &str) -> Result<[u8; 4], TextError> {
    let mut octets = [0_u8; 4];
    let mut position = 0;
    let mut value = 0_u16;
    let mut length = 0;
    let mut previous = None;
    for (index, c) in part.char_indices() {
        let rest = part.get(index..).unwrap_or_default();
        match c {
            '0'..='9' if length == 1 && value == 0 => {
                return Err(fault(text, "IPv4 field has octet with leading zero", ""));
            }
            '0'..='9' => {
                value = value * 10 + u16::try_from(c.to_digit(10).unwrap_or(0)).unwrap_or(0);
                length += 1;
                if value > 255 {
                    return Err(fault(text, "IPv4 field has value >255", ""));
                }
            }
            '.' if previous.is_none_or(|previous| previous == '.') || rest.len() == 1 => {
                return Err(fault(text, "IPv4 field must have at least one digit", rest));
            }
            '.' if position == 3 => return Err(fault(text, "IPv4 address too long", "")),
            '.' => {
                store(&mut octets, position, value);
                position += 1;
                value = 0;
                length = 0;
            }
            _ => return Err(fault(text, "unexpected character", rest)),
        }
        previous = Some(c);
    }
    if position < 3 {
        return Err(fault(text, "IPv4 address too short", ""));
    }
    store(&mut octets, 3, value);
    Ok(octets)
}

fn store(bytes: &mut [u8], index: usize, value: u16) {
    if let Some(byte) = bytes.get_mut(index) {
        *byte = u8::try_from(value).unwrap_or(0);
    }
}

fn v6(text: &str) -> Result<(IpAddr, Option<&str>), TextError> {
    let (body, zone) = match text.split_once('%') {
        Some((_, "")) => return Err(fault(text, "zone must be a non-empty string", "")),
        Some((body, zone)) => (body, Some(zone)),
        None => (text, None),
    };
    let mut bytes = Vec::with_capacity(16);
    let mut ellipsis = None;
    let mut rest = body;
    if let Some(after) = rest.strip_prefix("::") {
        ellipsis = Some(0);
        rest = after;
        if rest.is_empty() {
            return Ok(([0_u8; 16].into(), zone));
        }
    }
    while bytes.len() < 16 {
        let length = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        let (digits, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        if length > 4 {
            return Err(fault(text, "each group must have 4 or less digits", rest));
        }
        if digits.is_empty() {
            return Err(fault(
                text,
                "each colon-separated field must have at least one digit",
                rest,
            ));
        }
        if after.starts_with('.') {
            if ellipsis.is_none() && bytes.len() != 12 {
                let message =
                    "embedded IPv4 address must replace the final 2 fields of the address";
                return Err(fault(text, message, rest));
            }
            if bytes.len() > 12 {
                let message =
                    "too many hex fields to fit an embedded IPv4 at the end of the address";
                return Err(fault(text, message, rest));
            }
            bytes.extend(v4(text, rest)?);
            rest = "";
            break;
        }
        bytes.extend(u16::from_str_radix(digits, 16).unwrap_or(0).to_be_bytes());
        rest = after;
        if rest.is_empty() {
            break;
        }
        let Some(next) = rest.strip_prefix(':') else {
            return Err(fault(text, "unexpected character, want colon", rest));
        };
        if next.is_empty() {
            return Err(fault(text, "colon must be followed by more characters", rest));
        }
        rest = next;
        if let Some(next) = rest.strip_prefix(':') {
            if ellipsis.is_some() {
                return Err(fault(text, "multiple :: in address", rest));
            }
            ellipsis = Some(bytes.len());
            rest = next;
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return Err(fault(text, "trailing garbage after address", rest));
    }
    match ellipsis {
        None if bytes.len() < 16 => return Err(fault(text, "address string too short", "")),
        Some(_) if bytes.len() == 16 => {
            return Err(fault(text, "the :: must expand to at least one field of zeros", ""));
        }
        Some(at) => {
            let zeros = std::iter::repeat_n(0, 16 - bytes.len());
            bytes.splice(at..at, zeros);
        }
        None => {}
    }
    let bytes: [u8; 16] = bytes.try_into().map_err(|_| fault(text, "unable to parse IP", ""))?;
    Ok((bytes.into(), zone))
}
