//! IP addresses: `net.IP`.

use std::net::Ipv6Addr;

use crdkit_text::ip::Ip;

use super::{convert, no_overload};
use crate::cost::CostModel::{One, Parse, ParseTwice};
use crate::declare::{Definition, define};
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, Opaque, Val};

pub(crate) const DEFINITIONS: &[Definition] = &[
    define("ip(string) -> net.IP", Parse, to_ip),
    define("isIP(string) -> bool", Parse, is_ip),
    define("ip.isCanonical(string) -> bool", ParseTwice, is_canonical),
    define("string(net.IP) -> string", One, convert::to_string),
    define("net.IP.family() -> int", One, family),
    define("net.IP.isUnspecified() -> bool", One, is_unspecified),
    define("net.IP.isLoopback() -> bool", One, is_loopback),
    define("net.IP.isLinkLocalMulticast() -> bool", One, is_link_local_multicast),
    define("net.IP.isLinkLocalUnicast() -> bool", One, is_link_local_unicast),
    define("net.IP.isGlobalUnicast() -> bool", One, is_global_unicast),
];

/// As the general network library reads addresses: an IPv4 address in an IPv6 one is the IPv4 address, unless it is
/// written with dots.
pub(crate) const NETWORK: &[Definition] = &[define("ip(string) -> net.IP", Parse, to_unmapped_ip)];

fn to_unmapped_ip<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let mapped = match arguments {
        [Val::String(text)] if !text.contains('.') => {
            text.parse::<Ipv6Addr>().ok().and_then(|address| address.to_ipv4_mapped())
        }
        _ => None,
    };
    match mapped {
        Some(address) => {
            Ok(Val::Opaque(data.arena.opaque(Opaque::Ip(parse(&address.to_string())?))))
        }
        None => to_ip(data, arguments),
    }
}

fn parse(text: &str) -> Result<Ip, EvalError> {
    Ip::parse(text).map_err(|error| EvalError::message(error.to_string()))
}

fn to_ip<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text)] => Ok(Val::Opaque(data.arena.opaque(Opaque::Ip(parse(text)?)))),
        _ => no_overload(),
    }
}

fn is_ip<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text)] => Ok(Val::Bool(Ip::parse(text).is_ok())),
        _ => no_overload(),
    }
}

fn is_canonical<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text)] => Ok(Val::Bool(parse(text)?.to_string() == *text)),
        _ => no_overload(),
    }
}

fn one<'v>(arguments: &[Val<'v>]) -> Result<&'v Ip, EvalError> {
    match arguments {
        [Val::Opaque(Opaque::Ip(ip))] => Ok(ip),
        _ => Err(EvalError::NoSuchOverload(None)),
    }
}

fn family<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Int(i64::from(one(arguments)?.family())))
}

fn is_unspecified<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Bool(one(arguments)?.is_unspecified()))
}

fn is_loopback<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Bool(one(arguments)?.is_loopback()))
}

fn is_link_local_multicast<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Bool(one(arguments)?.is_link_local_multicast()))
}

fn is_link_local_unicast<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Bool(one(arguments)?.is_link_local_unicast()))
}

fn is_global_unicast<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(Val::Bool(one(arguments)?.is_global_unicast()))
}
