//! Address ranges: `net.CIDR`.

use crdkit_text::ip::{Cidr, Ip};

use super::{convert, no_overload};
use crate::cost::CostModel::{ContainsCidr, ContainsIp, One, Parse};
use crate::declare::{Definition, define};
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, Opaque, Val};

pub(crate) const DEFINITIONS: &[Definition] = &[
    define("cidr(string) -> net.CIDR", Parse, to_cidr),
    define("isCIDR(string) -> bool", Parse, is_cidr),
    define("string(net.CIDR) -> string", One, convert::to_string),
    define("net.CIDR.containsIP(string) -> bool", ContainsIp { text: true }, contains_ip),
    define("net.CIDR.containsIP(net.IP) -> bool", ContainsIp { text: false }, contains_ip),
    define("net.CIDR.containsCIDR(string) -> bool", ContainsCidr { text: true }, contains_cidr),
    define("net.CIDR.containsCIDR(net.CIDR) -> bool", ContainsCidr { text: false }, contains_cidr),
    define("net.CIDR.ip() -> net.IP", One, ip),
    define("net.CIDR.prefixLength() -> int", One, prefix_length),
    define("net.CIDR.masked() -> net.CIDR", One, masked),
];

/// The prefix of the message is there twice on the server.
fn parse(text: &str) -> Result<Cidr, EvalError> {
    Cidr::parse(text).map_err(|error| {
        EvalError::message(format!(
            "network address parse error during conversion from string: {error}"
        ))
    })
}

fn to_cidr<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text)] => Ok(Val::Opaque(data.arena.opaque(Opaque::Cidr(parse(text)?)))),
        _ => no_overload(),
    }
}

fn is_cidr<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text)] => Ok(Val::Bool(Cidr::parse(text).is_ok())),
        _ => no_overload(),
    }
}

fn contains_ip<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::Opaque(Opaque::Cidr(cidr)), Val::Opaque(Opaque::Ip(ip))] => {
            Ok(Val::Bool(cidr.contains_ip(*ip)))
        }
        // A text that is not an address counts as a value of the wrong type.
        [Val::Opaque(Opaque::Cidr(cidr)), Val::String(text)] => match Ip::parse(text) {
            Ok(ip) => Ok(Val::Bool(cidr.contains_ip(ip))),
            Err(_) => no_overload(),
        },
        _ => no_overload(),
    }
}

fn contains_cidr<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::Opaque(Opaque::Cidr(cidr)), Val::Opaque(Opaque::Cidr(other))] => {
            Ok(Val::Bool(cidr.contains_cidr(other)))
        }
        [Val::Opaque(Opaque::Cidr(cidr)), Val::String(text)] => {
            Ok(Val::Bool(cidr.contains_cidr(&parse(text)?)))
        }
        _ => no_overload(),
    }
}

fn one<'v>(arguments: &[Val<'v>]) -> Result<&'v Cidr, EvalError> {
    match arguments {
        [Val::Opaque(Opaque::Cidr(cidr))] => Ok(cidr),
        _ => Err(EvalError::NoSuchOverload(None)),
    }
}

fn ip<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Opaque(data.arena.opaque(Opaque::Ip(one(arguments)?.ip()))))
}

fn prefix_length<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Int(i64::from(one(arguments)?.prefix_length())))
}

fn masked<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Opaque(data.arena.opaque(Opaque::Cidr(one(arguments)?.masked()))))
}
