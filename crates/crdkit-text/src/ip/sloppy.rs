//! The formats `ipv4` and `cidr`, which take leading zeros because stored objects have them.
//!
//! Upstream: `k8s.io/utils/net`, `ParseIPSloppy` and `ParseCIDRSloppy`.

/// Whether a string is of format `ipv4`: an address of either family that has a dot in it.
pub fn is_sloppy_ipv4(text: &str) -> bool {
    match text.bytes().find(|byte| matches!(byte, b'.' | b':')) {
        Some(b'.') => is_v4(text),
        Some(_) => text.contains('.') && is_v6(text),
        None => false,
    }
}

/// Whether a string is of format `cidr`.
pub fn is_sloppy_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let limit = if is_v4(address) {
        32
    } else if is_v6(address) {
        128
    } else {
        return false;
    };
    matches!(number(length, 10), Some((value, "")) if value <= limit)
}

fn is_v4(text: &str) -> bool {
    let mut fields = 0;
    text.split('.').all(|field| {
        fields += 1;
        matches!(number(field, 10), Some((value, "")) if value <= 0xFF)
    }) && fields == 4
}

fn is_v6(text: &str) -> bool {
    let mut ellipsis = false;
    let mut length = 0;
    let mut rest = text;
    if let Some(after) = rest.strip_prefix("::") {
        ellipsis = true;
        rest = after;
        if rest.is_empty() {
            return true;
        }
    }
    while length < 16 {
        let Some((value, after)) = number(rest, 16) else { return false };
        if value > 0xFFFF {
            return false;
        }
        if after.starts_with('.') {
            if (!ellipsis && length != 12) || length > 12 || !is_v4(rest) {
                return false;
            }
            rest = "";
            length += 4;
            break;
        }
        length += 2;
        rest = after;
        if rest.is_empty() {
            break;
        }
        let Some(next) = rest.strip_prefix(':').filter(|next| !next.is_empty()) else {
            return false;
        };
        rest = next;
        if let Some(next) = rest.strip_prefix(':') {
            if ellipsis {
                return false;
            }
            ellipsis = true;
            rest = next;
            if rest.is_empty() {
                break;
            }
        }
    }
    rest.is_empty() && (length < 16) == ellipsis
}

/// The number a text begins with and what follows it, if there is one and it is not absurdly large.
fn number(text: &str, radix: u32) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_digit(radix)).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end).filter(|(digits, _)| !digits.is_empty())?;
    let value = u32::from_str_radix(digits, radix).ok().filter(|value| *value < 0xFF_FFFF)?;
    Some((value, rest))
}
