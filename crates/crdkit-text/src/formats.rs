//! The string formats the API server checks in schemas.
//!
//! Takes the name of a format as a schema spells it, gives a [`TextFormat`] that accepts or refuses strings. Names are
//! compared without hyphens, so `date-time` and `datetime` are one format. An unknown name is not a fault:
//! the server ignores such formats.
//! Upstream: `k8s.io/kube-openapi/pkg/validation/strfmt`, apiextensions `pkg/apiserver/validation/formats.go`.

mod checks;
mod email;

use crate::{duration, ip, names, timestamp, url::Url};

/// A string format with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each variant is the format of that name")]
pub enum TextFormat {
    BsonObjectId,
    Uri,
    Email,
    Hostname,
    Ipv4,
    Ipv6,
    Cidr,
    Mac,
    Uuid,
    Uuid3,
    Uuid4,
    Uuid5,
    Isbn,
    Isbn10,
    Isbn13,
    CreditCard,
    Ssn,
    HexColor,
    RgbColor,
    Byte,
    Password,
    Date,
    Duration,
    DateTime,
    K8sShortName,
    K8sLongName,
}

impl TextFormat {
    /// Every format with its name, hyphens left out.
    pub const ALL: [(&'static str, Self); 26] = [
        ("bsonobjectid", Self::BsonObjectId),
        ("uri", Self::Uri),
        ("email", Self::Email),
        ("hostname", Self::Hostname),
        ("ipv4", Self::Ipv4),
        ("ipv6", Self::Ipv6),
        ("cidr", Self::Cidr),
        ("mac", Self::Mac),
        ("uuid", Self::Uuid),
        ("uuid3", Self::Uuid3),
        ("uuid4", Self::Uuid4),
        ("uuid5", Self::Uuid5),
        ("isbn", Self::Isbn),
        ("isbn10", Self::Isbn10),
        ("isbn13", Self::Isbn13),
        ("creditcard", Self::CreditCard),
        ("ssn", Self::Ssn),
        ("hexcolor", Self::HexColor),
        ("rgbcolor", Self::RgbColor),
        ("byte", Self::Byte),
        ("password", Self::Password),
        ("date", Self::Date),
        ("duration", Self::Duration),
        ("datetime", Self::DateTime),
        ("k8sshortname", Self::K8sShortName),
        ("k8slongname", Self::K8sLongName),
    ];

    /// The format of that name. Only hyphens are forgiven, not case.
    pub fn parse(name: &str) -> Option<Self> {
        let plain = name.replace('-', "");
        Self::ALL.iter().find(|(known, _)| *known == plain).map(|(_, format)| *format)
    }

    /// The first minor version of Kubernetes 1 whose servers check the format.
    pub fn since_minor(self) -> u32 {
        match self {
            Self::K8sShortName | Self::K8sLongName => 34,
            _ => 0,
        }
    }

    /// Whether a string is of this format.
    pub fn accepts(self, text: &str) -> bool {
        match self {
            Self::BsonObjectId => text.len() == 24 && checks::is_hexadecimal(text),
            Self::Uri => Url::parse_request_uri(text).is_ok(),
            Self::Email => email::is_email(text),
            Self::Hostname => checks::is_hostname(text),
            Self::Ipv4 => ip::is_sloppy_ipv4(text),
            Self::Ipv6 => ip::is_ipv6(text),
            Self::Cidr => ip::is_sloppy_cidr(text),
            Self::Mac => checks::is_mac(text),
            Self::Uuid => checks::is_uuid(text, None),
            Self::Uuid3 => checks::is_uuid(text, Some(b'3')),
            Self::Uuid4 => checks::is_uuid(text, Some(b'4')),
            Self::Uuid5 => checks::is_uuid(text, Some(b'5')),
            Self::Isbn => checks::is_isbn10(text) || checks::is_isbn13(text),
            Self::Isbn10 => checks::is_isbn10(text),
            Self::Isbn13 => checks::is_isbn13(text),
            Self::CreditCard => checks::is_credit_card(text),
            Self::Ssn => checks::is_social_security_number(text),
            Self::HexColor => checks::is_hex_color(text),
            Self::RgbColor => checks::is_rgb_color(text),
            Self::Byte => checks::is_base64(text),
            Self::Password => true,
            Self::Date => timestamp::is_date(text),
            Self::Duration => duration::parse_lenient(text).is_ok(),
            Self::DateTime => timestamp::is_date_time(text),
            Self::K8sShortName => text.len() <= 63 && names::is_label(text),
            Self::K8sLongName => text.len() <= 253 && names::is_subdomain(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyphens_in_names_do_not_count() {
        assert_eq!(TextFormat::parse("date-time"), Some(TextFormat::DateTime));
        assert_eq!(TextFormat::parse("d-atetime"), Some(TextFormat::DateTime));
        assert_eq!(TextFormat::parse("k8s-short-name"), Some(TextFormat::K8sShortName));
        assert_eq!(TextFormat::parse("Date"), None);
        assert_eq!(TextFormat::parse("int32"), None);
        assert_eq!((TextFormat::Uri.since_minor(), TextFormat::K8sLongName.since_minor()), (0, 34));
    }

    #[test]
    fn each_format_accepts_and_refuses() {
        for (name, accepted, refused) in [
            (
                "bsonobjectid",
                &["507f1f77bcf86cd799439011"][..],
                &["", "507f1f77bcf86cd79943901", "g07f1f77bcf86cd799439011"][..],
            ),
            ("uri", &["http://a/b", "/path", "mailto:x@y"], &["", "relative", "http://a b"]),
            (
                "email",
                &["a@b", "\"q s\"@b", "Name <a@b.c>", "a@[127.0.0.1]", "g: a@b;", "a@b (c)"],
                &["", "a", "a@", "@b", "a@b c", "<a@b", ".a@b", "g: a@b, c@d;", "g:;"],
            ),
            (
                "hostname",
                &["localhost", "a-", "a.bc", "xn--1.example", "\u{1f600}"],
                &["", "-a", "a.b", "a_b", "a..bc", "a.bc."],
            ),
            ("ipv4", &["1.2.3.4", "01.002.3.4", "::1.2.3.4"], &["", "1.2.3", "256.1.1.1", "::1"]),
            (
                "ipv6",
                &["::", "fe80::1", "::ffff:1.2.3.4"],
                &["", "1.2.3.4", "::01.2.3.4", "fe80::1%a", ":::"],
            ),
            (
                "cidr",
                &["10.0.0.0/8", "010.0.0.1/08", "::/0"],
                &["", "10.0.0.0", "10.0.0.0/33", "::/129", "a/1"],
            ),
            (
                "mac",
                &["01:23:45:67:89:ab", "0123.4567.89ab", "0123456789AB", "01-23-45-67-89-ab-cd-ef"],
                &["", "01:23:45:67:89", "01:23-45:67:89:ab"],
            ),
            (
                "uuid",
                &["123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000"],
                &[
                    "",
                    "123e4567-e89b-12d3-a456-42661417400",
                    "123e4567--e89b-12d3-a456-426614174000",
                ],
            ),
            (
                "uuid4",
                &["123e4567-e89b-42d3-a456-426614174000"],
                &["123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-42d3-c456-426614174000"],
            ),
            (
                "isbn",
                &["1-61729-085-8", "3 401 01319 X", "978-4-87311-368-5"],
                &["", "3423214121", "9783836221190"],
            ),
            (
                "creditcard",
                &["4111 1111 1111 1111", "378282246310005"],
                &["", "4111111111111112", "1111111111111117"],
            ),
            ("ssn", &["111-22-3333", "111 22-3333"], &["", "111223333", "111.22.3333"]),
            ("hexcolor", &["#fff", "A1b2C3"], &["", "#ffff", "#ggg"]),
            (
                "rgbcolor",
                &["rgb(0,1,255)", "rgb( 1 , 2\t, 3 )"],
                &["", "rgb(256,0,0)", "rgb(01,0,0)", "rgb(1,2)", "RGB(1,2,3)"],
            ),
            ("byte", &["YQ==", "YWI=", "YWJj"], &["", "YQ", "Y===", "YQ==YQ==", "YW_j"]),
            ("password", &["", "x"], &[]),
            ("date", &["2024-02-29"], &["", "2023-02-29", "24-01-01"]),
            ("duration", &["1h", "2 days"], &["", "1", "x"]),
            ("date-time", &["2024-01-01T00:00:00Z"], &["", "2024-01-01", "2024-01-01 00:00:00Z"]),
            ("k8s-short-name", &["a", "a-b"], &["", "a.b", "A", "-a"]),
            ("k8s-long-name", &["a.b"], &["", "a..b", ".a"]),
        ] {
            let format = TextFormat::parse(name).unwrap();
            for text in accepted {
                assert!(format.accepts(text), "{name} {text:?}");
            }
            for text in refused {
                assert!(!format.accepts(text), "{name} {text:?}");
            }
        }
    }
}
