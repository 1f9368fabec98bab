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

fn decode(text: &str, alphabet: &[u8; 64], padded: bool) -> Result<Vec<u8>, String> {
    let broken = |at: usize| format!("illegal base64 data at input byte {at}");
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut group, mut count, mut padding) = (0_u32, 0_usize, 0_usize);
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| !matches!(byte, b'\r' | b'\n')) {
        if padded && byte == b'=' && count >= 2 && count + padding < 4 {
            padding += 1;
            continue;
        }
        let Some(value) =
            alphabet.iter().position(|&symbol| symbol == byte).filter(|_| padding == 0)
        else {
            return Err(broken(at));
        };
        group = group << 6 | u32::try_from(value).unwrap_or(0);
        count += 1;
        if count == 4 {
            out.extend(group.to_be_bytes().iter().skip(1));
            (group, count) = (0, 0);
        }
    }
    let missing = match count {
        0 => 0,
        _ if padded => 4 - padding - count,
        1 => 1,
        _ => 0,
    };
    if missing > 0 {
        return Err(broken(text.len()));
    }
    match count {
        2 => out.extend((group << 12).to_be_bytes().iter().skip(1).take(1)),
        3 => out.extend((group << 6).to_be_bytes().iter().skip(1).take(2)),
        _ => {}
    }
    Ok(out)
}
