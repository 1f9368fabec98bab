//! IP addresses and networks as Kubernetes' CEL functions and formats read them.
//!
//! [`Ip`] and [`Cidr`] follow Go's `net/netip` strictly, without zones and IPv4-mapped addresses. The formats `ipv4`
//! and `cidr` still take leading zeros, as older servers did; see [`is_sloppy_ipv4`] and [`is_sloppy_cidr`].
//! Upstream: Go `net/netip`, `k8s.io/apiserver/pkg/cel/library`, `k8s.io/utils/net`.

mod parse;
mod sloppy;

use std::fmt;
use std::net::IpAddr;

use crate::error::TextError;
use crate::number::parse_int;
use crate::quote::quote;

pub(crate) use parse::address;
pub use sloppy::{is_sloppy_cidr, is_sloppy_ipv4};

/// An IPv4 or IPv6 address; prints in canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ip(IpAddr);

impl Ip {
    /// Reads an address. Zones and IPv4-mapped IPv6 addresses are refused.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let (address, zone) = address(text).map_err(|error| {
            TextError::new(format!(
                "IP Address {} parse error during conversion from string: {error}",
                quote(text)
            ))
        })?;
        if zone.is_some() {
            return Err(TextError::new(format!(
                "IP address {} with zone value is not allowed",
                quote(text)
            )));
        }
        if is_mapped(address) {
            return Err(TextError::new(format!(
                "IPv4-mapped IPv6 address {} is not allowed",
                quote(text)
            )));
        }
        Ok(Self(address))
    }

    /// 4 or 6.
    pub fn family(&self) -> u8 {
        if self.0.is_ipv4() { 4 } else { 6 }
    }

    /// 4 or 16.
    pub fn byte_len(&self) -> u8 {
        if self.0.is_ipv4() { 4 } else { 16 }
    }

    /// `0.0.0.0` or `::`.
    pub fn is_unspecified(&self) -> bool {
        self.0.is_unspecified()
    }

    /// `127.0.0.0/8` or `::1`.
    pub fn is_loopback(&self) -> bool {
        self.0.is_loopback()
    }

    /// `224.0.0.0/24`, or IPv6 multicast of link-local scope.
    pub fn is_link_local_multicast(&self) -> bool {
        match self.0 {
            IpAddr::V4(address) => matches!(address.octets(), [224, 0, 0, _]),
            IpAddr::V6(address) => address.segments()[0] & 0xFF0F == 0xFF02,
        }
    }

    /// `169.254.0.0/16` or `fe80::/10`.
    pub fn is_link_local_unicast(&self) -> bool {
        match self.0 {
            IpAddr::V4(address) => address.is_link_local(),
            IpAddr::V6(address) => address.is_unicast_link_local(),
        }
    }

    /// Neither special nor local to a link; private addresses count as global.
    pub fn is_global_unicast(&self) -> bool {
        let broadcast = matches!(self.0, IpAddr::V4(address) if address.is_broadcast());
        !(broadcast
            || self.0.is_unspecified()
            || self.0.is_loopback()
            || self.0.is_multicast()
            || self.is_link_local_unicast())
    }

    /// The address as a number at the top of 128 bits, so that prefixes of both families compare alike.
    fn bits(self) -> u128 {
        match self.0 {
            IpAddr::V4(address) => u128::from(address.to_bits()) << 96,
            IpAddr::V6(address) => address.to_bits(),
        }
    }
}

impl fmt::Display for Ip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An address with a prefix length; bits after the prefix may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cidr {
    ip: Ip,
    prefix: u8,
}

impl Cidr {
    /// Reads `address/length`. IPv4-mapped IPv6 addresses are refused.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let fault = |reason: String| {
            TextError::new(format!(
                "network address parse error during conversion from string: netip.ParsePrefix({}): {reason}",
                quote(text)
            ))
        };
        let (before, length) = text.rsplit_once('/').ok_or_else(|| fault("no '/'".to_owned()))?;
        let (address, zone) = address(before).map_err(|error| fault(error.to_string()))?;
        if zone.is_some() {
            return Err(fault("IPv6 zones cannot be present in a prefix".to_owned()));
        }
        let leading_zero_or_sign =
            length.len() > 1 && !matches!(length.as_bytes(), [b'1'..=b'9', ..]);
        if leading_zero_or_sign || parse_int(length, 10).is_err() {
            return Err(fault(format!("bad bits after slash: {}", quote(length))));
        }
        let max = if address.is_ipv4() { 32 } else { 128 };
        let Some(prefix) = length.parse().ok().filter(|prefix| *prefix <= max) else {
            return Err(fault("prefix length out of range".to_owned()));
        };
        if is_mapped(address) {
            return Err(TextError::new(format!(
                "IPv4-mapped IPv6 address {} is not allowed",
                quote(text)
            )));
        }
        Ok(Self { ip: Ip(address), prefix })
    }

    /// The address as written.
    pub fn ip(&self) -> Ip {
        self.ip
    }

    /// How many bits belong to the network.
    pub fn prefix_length(&self) -> u8 {
        self.prefix
    }

    /// The same network with every bit after the prefix cleared.
    #[must_use]
    pub fn masked(&self) -> Self {
        let bits = self.ip.bits() & mask(self.prefix);
        let address = match self.ip.0 {
            IpAddr::V4(_) => IpAddr::V4(u32::try_from(bits >> 96).unwrap_or(0).into()),
            IpAddr::V6(_) => IpAddr::V6(bits.into()),
        };
        Self { ip: Ip(address), prefix: self.prefix }
    }

    /// Whether an address lies in the network.
    pub fn contains_ip(&self, ip: Ip) -> bool {
        self.ip.family() == ip.family() && (self.ip.bits() ^ ip.bits()) & mask(self.prefix) == 0
    }

    /// Whether a network lies in this one.
    pub fn contains_cidr(&self, other: &Self) -> bool {
        self.prefix <= other.prefix && self.contains_ip(other.ip)
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.ip, self.prefix)
    }
}

fn mask(prefix: u8) -> u128 {
    u128::MAX.checked_shl(128 - u32::from(prefix)).unwrap_or(0)
}

fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

/// `net.ParseIP` of something with a colon: the format `ipv6`.
pub(crate) fn is_ipv6(text: &str) -> bool {
    text.contains(':') && is_ip(text)
}

/// Whether `net.ParseIP` takes the text.
pub(crate) fn is_ip(text: &str) -> bool {
    address(text).is_ok_and(|(_, zone)| zone.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_print_in_canonical_form() {
        for (text, canonical) in [
            ("10.0.0.1", "10.0.0.1"),
            ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"),
            ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
            ("::", "::"),
            ("64:ff9b::1.2.3.4", "64:ff9b::102:304"),
        ] {
            assert_eq!(Ip::parse(text).unwrap().to_string(), canonical);
        }
    }

    #[test]
    fn refusals_name_the_fault() {
        for (text, message) in [
            (
                "",
                r#"IP Address "" parse error during conversion from string: ParseAddr(""): unable to parse IP"#,
            ),
            ("fe80::1%eth0", r#"IP address "fe80::1%eth0" with zone value is not allowed"#),
            ("::ffff:1.2.3.4", r#"IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed"#),
        ] {
            assert_eq!(Ip::parse(text).unwrap_err().to_string(), message);
        }
        let message = Cidr::parse("10.0.0.0/033").unwrap_err().to_string();
        assert!(
            message.ends_with(r#"netip.ParsePrefix("10.0.0.0/033"): bad bits after slash: "033""#),
            "{message}"
        );
    }

    #[test]
    fn networks_contain_addresses_and_networks() {
        let network = Cidr::parse("192.168.1.77/24").unwrap();
        assert_eq!(network.masked().to_string(), "192.168.1.0/24");
        assert!(network.contains_ip(Ip::parse("192.168.1.200").unwrap()));
        assert!(!network.contains_ip(Ip::parse("::1").unwrap()));
        assert!(network.contains_cidr(&Cidr::parse("192.168.1.0/25").unwrap()));
        assert!(!network.contains_cidr(&Cidr::parse("192.168.0.0/16").unwrap()));
        let all = Cidr::parse("::/0").unwrap();
        assert!(all.contains_ip(Ip::parse("ffff::").unwrap()) && !all.contains_cidr(&network));
    }

    #[test]
    fn kinds_of_addresses_are_told_apart() {
        let ip = |text| Ip::parse(text).unwrap();
        assert!(ip("127.9.9.9").is_loopback() && !ip("127.0.0.1").is_global_unicast());
        assert!(ip("10.0.0.1").is_global_unicast() && ip("fc00::1").is_global_unicast());
        assert!(ip("169.254.0.1").is_link_local_unicast() && ip("fe80::1").is_link_local_unicast());
        assert!(
            ip("224.0.0.5").is_link_local_multicast() && ip("ff02::1").is_link_local_multicast()
        );
        assert!(!ip("255.255.255.255").is_global_unicast() && !ip("0.0.0.0").is_global_unicast());
    }
}
