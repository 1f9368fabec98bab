//! Base64.

use super::no_overload;
use crate::cost::CostModel::One;
use crate::declare::{Definition, define};
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, Val};
use crdkit_text::base64::Base64;

pub(crate) const DEFINITIONS: &[Definition] = &[
    define("base64.decode(string) -> bytes", One, decode_text),
    define("base64.encode(bytes) -> string", One, encode_bytes),
];

fn decode_text<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text)] => Base64::Standard
            .decode(text)
            .or_else(|_| Base64::StandardRaw.decode(text))
            .map(|bytes| Val::Bytes(data.arena.bytes(&bytes)))
            .map_err(|error| EvalError::message(error.to_string())),
        _ => no_overload(),
    }
}

fn encode_bytes<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::Bytes(bytes)] => Ok(Val::String(data.arena.string(&Base64::Standard.encode(bytes)))),
        _ => no_overload(),
    }
}
