//! Conversions between types, and the text of values.

use crdkit_text::timestamp::Timestamp;
use crdkit_text::{duration, number};

use super::{no_overload, time};
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, Opaque, Val, shown};

const INT_OVERFLOW: EvalError = EvalError::fixed("integer overflow");
const UINT_OVERFLOW: EvalError = EvalError::fixed("unsigned integer overflow");

pub(super) fn type_of<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [value] => Ok(Val::Type(data.arena.ty(value.runtime_type()))),
        _ => no_overload(),
    }
}

pub(super) fn to_bool<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::Bool(value)] => Ok(Val::Bool(*value)),
        [Val::String(text)] => match *text {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Val::Bool(true)),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Val::Bool(false)),
            _ => Err(EvalError::conversion("string", "bool")),
        },
        _ => no_overload(),
    }
}

pub(super) fn to_bytes<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::Bytes(bytes)] => Ok(Val::Bytes(bytes)),
        [Val::String(text)] => Ok(Val::Bytes(text.as_bytes())),
        _ => no_overload(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "the conversion of the language")]
pub(super) fn to_double<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::Double(value)] => Ok(Val::Double(*value)),
        [Val::Int(value)] => Ok(Val::Double(*value as f64)),
        [Val::Uint(value)] => Ok(Val::Double(*value as f64)),
        [Val::String(text)] => match number::parse_float(text) {
            Ok(value) => Ok(Val::Double(value)),
            Err(_) => Err(EvalError::conversion("string", "double")),
        },
        _ => no_overload(),
    }
}

pub(super) fn to_duration<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::Duration(value)] => Ok(Val::Duration(*value)),
        [Val::String(text)] => match duration::parse(text) {
            Ok(value) => Ok(Val::Duration(value)),
            Err(_) => Err(EvalError::conversion("string", "google.protobuf.Duration")),
        },
        _ => no_overload(),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
pub(super) fn to_int<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    // The bounds are doubles next to which the conversion would leave the range.
    const LIMIT: f64 = 9_223_372_036_854_775_807.0;
    match arguments {
        [Val::Int(value) | Val::Duration(value)] => Ok(Val::Int(*value)),
        [Val::Timestamp(value)] => Ok(Val::Int(value.seconds)),
        [Val::Uint(value)] => i64::try_from(*value).map(Val::Int).map_err(|_| INT_OVERFLOW),
        [Val::Double(value)] if value.is_finite() && *value > -LIMIT && *value < LIMIT => {
            Ok(Val::Int(*value as i64))
        }
        [Val::Double(_)] => Err(INT_OVERFLOW),
        [Val::String(text)] => match number::parse_int(text, 10) {
            Ok(value) => Ok(Val::Int(value)),
            Err(_) => Err(EvalError::conversion("string", "int")),
        },
        _ => no_overload(),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked")]
pub(super) fn to_uint<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    const LIMIT: f64 = 18_446_744_073_709_551_615.0;
    match arguments {
        [Val::Uint(value)] => Ok(Val::Uint(*value)),
        [Val::Int(value)] => u64::try_from(*value).map(Val::Uint).map_err(|_| UINT_OVERFLOW),
        [Val::Double(value)] if value.is_finite() && *value >= 0.0 && *value < LIMIT => {
            Ok(Val::Uint(*value as u64))
        }
        [Val::Double(_)] => Err(UINT_OVERFLOW),
        [Val::String(text)] => match number::parse_uint(text, 10) {
            Ok(value) => Ok(Val::Uint(value)),
            Err(_) => Err(EvalError::conversion("string", "uint")),
        },
        _ => no_overload(),
    }
}

pub(super) fn to_string<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text)] => Ok(Val::String(text)),
        [Val::Bytes(bytes)] => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Val::String(text)),
            Err(_) => Err(EvalError::fixed("invalid UTF-8 in bytes, cannot convert to string")),
        },
        [
            value @ (Val::Bool(_)
            | Val::Int(_)
            | Val::Uint(_)
            | Val::Double(_)
            | Val::Duration(_)
            | Val::Timestamp(_)),
        ] => Ok(Val::String(data.arena.string(&text_of(value)))),
        [Val::Type(ty)] => Ok(Val::String(data.arena.string(ty.runtime_name()))),
        [Val::Opaque(Opaque::Ip(ip))] => Ok(Val::String(data.arena.string(&ip.to_string()))),
        [Val::Opaque(Opaque::Cidr(cidr))] => Ok(Val::String(data.arena.string(&cidr.to_string()))),
        _ => no_overload(),
    }
}

/// The text of a value as `string()` gives it.
pub(crate) fn text_of(value: &Val<'_>) -> String {
    match value {
        Val::String(text) => (*text).to_owned(),
        Val::Bool(value) => value.to_string(),
        Val::Int(value) => value.to_string(),
        Val::Uint(value) => value.to_string(),
        Val::Double(value) => number::shortest(*value),
        Val::Duration(value) => time::seconds_text(*value),
        Val::Timestamp(value) => value.to_string(),
        // How the server prints a null in messages.
        Val::Null => "0".to_owned(),
        other => shown(other),
    }
}

pub(super) fn to_timestamp<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::Timestamp(value)] => Ok(Val::Timestamp(*value)),
        [Val::Int(seconds)] => {
            time::in_range(Timestamp { seconds: *seconds, nanoseconds: 0, offset: 0 })
                .map(Val::Timestamp)
        }
        [Val::String(text)] => match Timestamp::parse_rfc3339(text) {
            Ok(value) => time::in_range(value).map(Val::Timestamp),
            Err(_) => Err(EvalError::conversion("string", "google.protobuf.Timestamp")),
        },
        _ => no_overload(),
    }
}
