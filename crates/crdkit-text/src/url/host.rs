//! The host of a URL, with its port.

use super::escape::{Mode, unescape};
use crate::ip;
use crate::quote::quote;

/// Checks and decodes what stands between `//` and the path, users taken away.
pub(super) fn parse(scheme: &str, host: &str) -> Result<Vec<u8>, String> {
    match host.rfind('[') {
        Some(0) => return literal(host),
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {}
    }
    if let Some(first) = host.find(':') {
        // Lists of hosts with ports are common for databases, so only web URLs are strict about colons.
        let colon = if matches!(scheme, "http" | "https") { Some(first) } else { host.rfind(':') };
        check_port(colon.and_then(|colon| host.get(colon..)).unwrap_or_default())?;
    }
    unescape(host, Mode::Host)
}

/// `[address]:port`, where the address is IPv6 and may have a zone after `%25`.
fn literal(host: &str) -> Result<Vec<u8>, String> {
    let Some((inside, port)) = host.strip_prefix('[').and_then(|inside| inside.rsplit_once(']'))
    else {
        return Err("missing ']' in host".to_owned());
    };
    check_port(port)?;
    let name = match inside.find("%25").and_then(|at| inside.split_at_checked(at)) {
        Some((address, zone)) => {
            let mut name = unescape(address, Mode::Host)?;
            name.extend(unescape(zone, Mode::Zone)?);
            name
        }
        None => unescape(inside, Mode::Host)?,
    };
    let text = String::from_utf8_lossy(&name);
    match ip::address(&text) {
        Err(error) => Err(format!("invalid host: {error}")),
        Ok((address, _)) if address.is_ipv4() => Err("invalid IP-literal".to_owned()),
        Ok(_) => Ok([b"[", name.as_slice(), b"]", port.as_bytes()].concat()),
    }
}

fn check_port(port: &str) -> Result<(), String> {
    if is_optional_port(port) {
        Ok(())
    } else {
        Err(format!("invalid port {} after host", quote(port)))
    }
}

fn is_optional_port(port: &str) -> bool {
    port.is_empty()
        || port
            .strip_prefix(':')
            .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Host name and port, without brackets and colon.
pub(super) fn split(host: &str) -> (&str, &str) {
    let (name, port) = match host.rfind(':').and_then(|colon| host.split_at_checked(colon)) {
        Some((name, port)) if is_optional_port(port) => (name, port.get(1..).unwrap_or_default()),
        _ => (host, ""),
    };
    let inside = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    (inside.unwrap_or(name), port)
}
