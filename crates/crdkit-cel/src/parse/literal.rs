//! The values of literal tokens: escapes in strings and bytes, number ranges.
//!
//! The lexer has checked the shape of a token; what can still go wrong is a code point or number out of range.

/// The bytes a quoted literal stands for. `bytes` selects the reading of `\x` and octal escapes as bytes rather than
/// code points; Unicode escapes are then errors.
pub(super) fn unquote(token: &str, bytes: bool) -> Result<Vec<u8>, &'static str> {
    const BROKEN: &str = "unable to unescape string";
    let (raw, quoted) = match token.strip_prefix(['r', 'R']) {
        Some(rest) => (true, rest),
        None => (false, token),
    };
    let body = ["\"\"\"", "'''", "\"", "'"]
        .iter()
        .find_map(|quote| quoted.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)))
        .ok_or(BROKEN)?;
    // Every line end inside a literal is a line feed.
    let normalized = body.replace("\r\n", "\n").replace('\r', "\n");
    if raw || !normalized.contains('\\') {
        return Ok(normalized.into_bytes());
    }
    let mut out = Vec::with_capacity(normalized.len());
    let mut rest = normalized.as_str();
    while let Some(at) = rest.find('\\') {
        let (plain, escape) = rest.split_at(at);
        out.extend_from_slice(plain.as_bytes());
        let mut characters = escape.chars();
        characters.next();
        let kind = characters.next().ok_or(BROKEN)?;
        rest = characters.as_str();
        let (radix, length) = match kind {
            'x' | 'X' => (16, 2),
            'u' => (16, 4),
            'U' => (16, 8),
            '0'..='3' => (8, 2),
            simple => {
                out.push(simple_escape(simple).ok_or(BROKEN)?);
                continue;
            }
        };
        if bytes && matches!(kind, 'u' | 'U') {
            return Err(BROKEN);
        }
        let (digits, tail) = rest.split_at_checked(length).ok_or(BROKEN)?;
        rest = tail;
        let mut value = u32::from_str_radix(digits, radix).map_err(|_| BROKEN)?;
        if radix == 8 {
            value += 64 * kind.to_digit(8).unwrap_or(0);
        }
        match u8::try_from(value) {
            Ok(byte) if bytes => out.push(byte),
            _ => {
                let character = char::from_u32(value).ok_or("invalid unicode code point")?;
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(out)
}

fn simple_escape(kind: char) -> Option<u8> {
    Some(match kind {
        'a' => 0x07,
        'b' => 0x08,
        'f' => 0x0c,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 0x0b,
        '\\' => b'\\',
        '\'' => b'\'',
        '"' => b'"',
        '`' => b'`',
        '?' => b'?',
        _ => return None,
    })
}

/// A signed integer token, with its sign.
pub(super) fn int(token: &str, negative: bool) -> Option<i64> {
    let (digits, radix) = digits(token);
    let magnitude = i128::from(u64::from_str_radix(digits, radix).ok()?);
    i64::try_from(if negative { -magnitude } else { magnitude }).ok()
}

/// An unsigned integer token including its `u`.
pub(super) fn uint(token: &str) -> Option<u64> {
    let (digits, radix) = digits(token.trim_end_matches(['u', 'U']));
    u64::from_str_radix(digits, radix).ok()
}

/// A floating point token, with its sign; out of range is an error.
pub(super) fn double(token: &str, negative: bool) -> Option<f64> {
    let value: f64 = token.parse().ok()?;
    value.is_finite().then_some(if negative { -value } else { value })
}

fn digits(token: &str) -> (&str, u32) {
    token.strip_prefix("0x").map_or((token, 10), |hex| (hex, 16))
}
