//! Base64.

use super::no_overload;
use crate::cost::CostModel::One;
use crate::declare::{Definition, define};
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, Val};

pub(crate) const DEFINITIONS: &[Definition] = &[
    define("base64.decode(string) -> bytes", One, decode_text),
    define("base64.encode(bytes) -> string", One, encode_bytes),
];

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn decode_text<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text)] => decode(text, STANDARD, true)
            .or_else(|_| decode(text, STANDARD, false))
            .map(|bytes| Val::Bytes(data.arena.bytes(&bytes)))
            .map_err(EvalError::message),
        _ => no_overload(),
    }
}

fn encode_bytes<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let [Val::Bytes(bytes)] = arguments else {
        return no_overload();
    };
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk
            .iter()
            .chain([0, 0].iter())
            .take(3)
            .fold(0_u32, |group, &byte| group << 8 | u32::from(byte));
        for position in 0..4 {
            let index = (group >> (18 - 6 * position)) & 63;
            let symbol = STANDARD.get(index as usize).copied().unwrap_or(b'=');
            text.push(if position <= chunk.len() { char::from(symbol) } else { '=' });
        }
    }
    Ok(Val::String(data.arena.string(&text)))
}

/// Decodes the alphabet of URLs, padding required.
pub(crate) fn decode_url_safe(text: &str) -> Result<Vec<u8>, String> {
    decode(text, URL_SAFE, true)
}

/// Decodes like Go: line ends are skipped, and an error names the byte Go names.
fn decode(text: &str, alphabet: &[u8; 64], padded: bool) -> Result<Vec<u8>, String> {
    let source = text.as_bytes();
    let broken = |at: usize| Err(format!("illegal base64 data at input byte {at}"));
    let skip_line_ends = |from: usize| {
        let rest = source.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count()
    };
    let mut out = Vec::with_capacity(source.len() / 4 * 3);
    let mut index = 0;
    loop {
        let (mut group, mut count, mut ended) = (0_u32, 0_usize, false);
        while count < 4 {
            let Some(&byte) = source.get(index) else {
                if count == 0 {
                    return Ok(out);
                }
                if count == 1 || padded {
                    return broken(index - count);
                }
                ended = true;
                break;
            };
            index += 1;
            if let Some(value) = alphabet.iter().position(|&symbol| symbol == byte) {
                group = group << 6 | u32::try_from(value).unwrap_or(0);
                count += 1;
                continue;
            }
            if matches!(byte, b'\r' | b'\n') {
                continue;
            }
            if !padded || byte != b'=' || count < 2 {
                return broken(index - 1);
            }
            if count == 2 {
                index = skip_line_ends(index);
                match source.get(index) {
                    None => return broken(index),
                    Some(b'=') => index += 1,
                    Some(_) => return broken(index - 1),
                }
            }
            index = skip_line_ends(index);
            if index < source.len() {
                return broken(index);
            }
            ended = true;
            break;
        }
        let bytes = (group << (6 * (4 - count))).to_be_bytes();
        out.extend(bytes.iter().skip(1).take(count.saturating_sub(1)));
        if ended {
            return Ok(out);
        }
    }
}
