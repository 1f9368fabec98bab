//! Standard base64 with padding, as Go reads it into `[]byte`: line breaks are skipped.

/// The bytes that `text` stands for.
///
/// # Errors
/// The offset that Go names for text that is not base64.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, usize> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut quantum = [0_u8; 4];
    let mut filled = 0;
    let mut input = text.bytes().enumerate().filter(|(_, byte)| !matches!(byte, b'\r' | b'\n'));
    while let Some((at, byte)) = input.next() {
        if byte == b'=' {
            // Two or three digits may be followed by what is missing of four, and by nothing else.
            let second = (filled == 2).then(|| input.next());
            return match (filled, second, input.next()) {
                (0 | 1, ..) => Err(at),
                (2, Some(None), _) => Err(text.len()),
                (2, Some(Some((at, byte))), _) if byte != b'=' => Err(at),
                (_, _, Some((at, _))) => Err(at),
                _ => {
                    push(quantum, filled, &mut out);
                    Ok(out)
                }
            };
        }
        let Some(digit) = digit(byte) else { return Err(at) };
        if let Some(slot) = quantum.get_mut(filled) {
            *slot = digit;
        }
        filled += 1;
        if filled == 4 {
            push(quantum, 4, &mut out);
            (quantum, filled) = ([0; 4], 0);
        }
    }
    if filled == 0 { Ok(out) } else { Err(text.len() - filled) }
}

/// Appends the whole bytes in the first `filled` digits.
fn push(quantum: [u8; 4], filled: usize, out: &mut Vec<u8>) {
    let [a, b, c, d] = quantum;
    let bytes = [a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d];
    out.extend(bytes.iter().take(filled.saturating_sub(1)));
}

fn digit(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn text_that_is_base64_becomes_bytes() {
        assert_eq!(decode(""), Ok(vec![]));
        assert_eq!(decode("aGk="), Ok(b"hi".to_vec()));
        assert_eq!(decode("aA=="), Ok(b"h".to_vec()));
        assert_eq!(decode("aGkh\naGkh\r\n"), Ok(b"hi!hi!".to_vec()));
    }

    #[test]
    fn the_offset_is_the_one_go_names() {
        assert_eq!(decode("%%"), Err(0));
        assert_eq!(decode("aGk"), Err(0));
        assert_eq!(decode("aGkhaGk"), Err(4));
        assert_eq!(decode("aA="), Err(3));
        assert_eq!(decode("aA=x"), Err(3));
        assert_eq!(decode("aGk=x"), Err(4));
        assert_eq!(decode("a="), Err(1));
    }
}
