//! The formats of JSON Schema 2020-12, each as its RFC has it.
//!
//! They differ from the API server's formats of the same name ([`crate::formats`]): a `date-time` here is
//! RFC 3339's, leap seconds and lower-case letters included. Internationalised host names are taken by
//! their form; the tables of IDNA are not consulted.

use crate::regex::Regex;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether a text is of a format.
pub type Accepts = fn(&str) -> bool;

/// The check of the format called `name`.
pub fn named(name: &str) -> Option<Accepts> {
    Some(match name {
        "date-time" => is_date_time,
        "date" => is_date,
        "time" => is_time,
        "duration" => is_duration,
        "email" => is_email,
        "idn-email" => is_idn_email,
        "hostname" => is_hostname,
        "idn-hostname" => is_idn_hostname,
        "ipv4" => is_ipv4,
        "ipv6" => is_ipv6,
        "uri" => is_uri,
        "uri-reference" => is_uri_reference,
        "iri" => is_iri,
        "iri-reference" => is_iri_reference,
        "uri-template" => is_uri_template,
        "json-pointer" => is_json_pointer,
        "relative-json-pointer" => is_relative_json_pointer,
        "regex" => is_regex,
        "uuid" => is_uuid,
        _ => return None,
    })
}

/// The number that `digits` digits write.
fn number(text: &str, digits: usize) -> Option<u32> {
    let plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let (Some(year), Some(month), Some(day), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_date_time(text: &str) -> bool {
    let split = text.split_at_checked(10);
    split.is_some_and(|(date, rest)| {
        is_date(date) && rest.strip_prefix(['T', 't']).is_some_and(is_time)
    })
}

fn is_time(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(8) else { return false };
    let mut parts = clock.split(':').map(|part| number(part, 2));
    let (Some(Some(hour)), Some(Some(minute)), Some(Some(second)), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            if zone.len() == fraction.len() {
                return false;
            }
            zone
        }
        None => rest,
    };
    let Some(offset) = offset(zone) else { return false };
    // A leap second is the last one of a day in universal time.
    let universal = (i64::from(hour * 60 + minute) - offset).rem_euclid(24 * 60);
    hour < 24 && minute < 60 && (second < 60 || second == 60 && universal == 23 * 60 + 59)
}

/// Minutes ahead of universal time.
fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let (sign, rest) = match zone.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
    (hours < 24 && minutes < 60).then_some(sign * i64::from(hours * 60 + minutes))
}

fn is_duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else { return false };
    let (date, time) = match rest.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (rest, None),
    };
    if let Some(weeks) = date.strip_suffix('W') {
        return time.is_none() && !weeks.is_empty() && weeks.bytes().all(|b| b.is_ascii_digit());
    }
    let time_fits = time.is_none_or(|time| !time.is_empty() && units_follow(time, "HMS"));
    time_fits && units_follow(date, "YMD") && !(date.is_empty() && time.is_none())
}

/// Whether numbers with units follow one another without leaving a unit out between two.
fn units_follow(text: &str, units: &str) -> bool {
    let mut last: Option<usize> = None;
    let mut rest = text;
    while !rest.is_empty() {
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let Some(unit) = after.chars().next().filter(|_| after.len() < rest.len()) else {
            return false;
        };
        let Some(at) = units.find(unit) else { return false };
        if last.is_some_and(|last| at != last + 1) {
            return false;
        }
        last = Some(at);
        rest = after.get(unit.len_utf8()..).unwrap_or_default();
    }
    true
}

fn is_email(text: &str) -> bool {
    text.is_ascii() && is_idn_email(text)
}

fn is_idn_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let quoted = local.strip_prefix('"').and_then(|local| local.strip_suffix('"'));
    let local_fits = match quoted {
        Some(quoted) => !quoted.replace("\\\"", "").replace("\\\\", "").contains(['"', '\\']),
        None => local.split('.').all(|atom| {
            !atom.is_empty()
                && atom.chars().all(|c| {
                    c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c) || !c.is_ascii()
                })
        }),
    };
    let literal = domain.strip_prefix('[').and_then(|domain| domain.strip_suffix(']'));
    let domain_fits = match literal {
        Some(literal) => match literal.strip_prefix("IPv6:") {
            Some(address) => is_ipv6(address),
            None => is_ipv4(literal),
        },
        None => is_idn_hostname(domain),
    };
    local_fits && domain_fits && local.len() <= 64
}

fn is_hostname(text: &str) -> bool {
    text.is_ascii() && text.len() <= 253 && text.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    let fits = (1..=63).contains(&label.len())
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    // Two hyphens there are reserved for encoded names.
    let reserved = label.get(2..4) == Some("--");
    let encoded = label.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case("xn--"));
    fits && (!reserved || encoded && label.len() > 4)
}

fn is_idn_hostname(text: &str) -> bool {
    let labels: Vec<&str> = text.split(['.', '\u{3002}', '\u{FF0E}', '\u{FF61}']).collect();
    text.chars().count() <= 253
        && labels.into_iter().all(|label| {
            if label.is_ascii() {
                return is_label(label);
            }
            let hyphens = label.starts_with('-')
                || label.ends_with('-')
                || label.chars().skip(2).take(2).eq(['-', '-']);
            let first_is_letter = label.chars().next().is_some_and(|c| !is_mark(c));
            !hyphens
                && first_is_letter
                && label.chars().count() <= 63
                && label.chars().all(|c| c == '-' || c.is_alphanumeric() || is_mark(c))
                && !label.contains(['\u{302E}', '\u{302F}', '\u{0640}', '\u{07FA}'])
        })
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5BD}'
        | '\u{900}'..='\u{903}' | '\u{93A}'..='\u{94F}' | '\u{302A}'..='\u{302F}')
}

fn is_ipv4(text: &str) -> bool {
    text.parse::<Ipv4Addr>().is_ok()
}

fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}

fn is_uri(text: &str) -> bool {
    text.is_ascii() && is_iri(text)
}

fn is_uri_reference(text: &str) -> bool {
    text.is_ascii() && is_iri_reference(text)
}

fn is_iri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let scheme_fits = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    scheme_fits && is_hierarchy(rest)
}

fn is_iri_reference(text: &str) -> bool {
    if is_iri(text) {
        return true;
    }
    // A colon in the first segment would make what stands before it a scheme.
    let first = text.split(['/', '?', '#']).next().unwrap_or_default();
    !first.contains(':') && is_hierarchy(text)
}

/// What follows the scheme.
fn is_hierarchy(text: &str) -> bool {
    let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = match path.strip_prefix("//") {
        Some(rest) => {
            let end = rest.find('/').unwrap_or(rest.len());
            rest.split_at_checked(end).unwrap_or((rest, ""))
        }
        None => ("", path),
    };
    is_authority(authority)
        && has_only(path, ":@/")
        && has_only(query, ":@/?")
        && has_only(fragment, ":@/?")
}

fn is_authority(text: &str) -> bool {
    let (user, host) = text.rsplit_once('@').unwrap_or(("", text));
    if !has_only(user, ":") {
        return false;
    }
    if let Some(literal) = host.strip_prefix('[') {
        let Some((address, port)) = literal.split_once(']') else { return false };
        return (is_ipv6(address) || is_future_address(address))
            && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port));
    }
    let (host, port) = host.rsplit_once(':').unwrap_or((host, ""));
    has_only(host, "") && is_port(port)
}

/// An address of a version that there is not yet: `v1.whatever`.
fn is_future_address(text: &str) -> bool {
    let version = text.strip_prefix(['v', 'V']).and_then(|rest| rest.split_once('.'));
    version.is_some_and(|(version, address)| {
        !version.is_empty()
            && version.bytes().all(|byte| byte.is_ascii_hexdigit())
            && !address.is_empty()
            && address.is_ascii()
            && !address.contains('%')
            && has_only(address, ":")
    })
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether there are only characters that may stand anywhere, escapes, and those in `also`.
fn has_only(text: &str, also: &str) -> bool {
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let fits = match c {
            '%' => {
                let hex = |c: Option<char>| c.is_some_and(|c| c.is_ascii_hexdigit());
                hex(chars.next()) && hex(chars.next())
            }
            c => {
                c.is_ascii_alphanumeric()
                    || "-._~!$&'()*+,;=".contains(c)
                    || also.contains(c)
                    || !c.is_ascii()
            }
        };
        if !fits {
            return false;
        }
    }
    true
}

fn is_uri_template(text: &str) -> bool {
    let mut rest = text;
    loop {
        let Some((literal, after)) = rest.split_once('{') else { return is_template_text(rest) };
        let Some((expression, after)) = after.split_once('}') else { return false };
        if !is_template_text(literal) || !is_template_expression(expression) {
            return false;
        }
        rest = after;
    }
}

fn is_template_text(text: &str) -> bool {
    !text.contains(|c: char| c.is_control() || " \"<>\\^`{|}".contains(c))
}

fn is_template_expression(text: &str) -> bool {
    let names = text.strip_prefix(|c| "+#./;?&".contains(c)).unwrap_or(text);
    names.split(',').all(|name| {
        let name = match name.split_once(':') {
            Some((name, length))
                if is_port(length)
                    && (1..5).contains(&length.len())
                    && !length.starts_with('0') =>
            {
                name
            }
            Some(_) => return false,
            None => name.strip_suffix('*').unwrap_or(name),
        };
        name.split('.').all(|part| {
            !part.is_empty()
                && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '%'))
        })
    })
}

fn is_json_pointer(text: &str) -> bool {
    (text.is_empty() || text.starts_with('/'))
        && text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']))
}

fn is_relative_json_pointer(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - rest.len();
    let number_fits = digits == 1 || digits > 1 && !text.starts_with('0');
    number_fits && (rest == "#" || is_json_pointer(rest))
}

fn is_regex(text: &str) -> bool {
    Regex::ecma(text).is_ok()
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, good: &[&str], bad: &[&str]) {
        let accepts = named(name).unwrap_or_else(|| panic!("there is no format {name}"));
        for text in good {
            assert!(accepts(text), "{name} should take {text:?}");
        }
        for text in bad {
            assert!(!accepts(text), "{name} should refuse {text:?}");
        }
    }

    #[test]
    fn dates_and_times_are_those_of_rfc_3339() {
        check(
            "date-time",
            &["2026-02-28t23:59:60z", "2024-02-29T00:00:00.123456789012+23:59"],
            &[
                "2026-02-29T00:00:00Z",
                "2026-01-01 00:00:00Z",
                "2026-01-01T24:00:00Z",
                "2026-01-01T00:00:00",
            ],
        );
        check("time", &["08:30:06Z", "22:59:60-01:00"], &["8:30:06Z", "22:59:60Z", "08:30:06.Z"]);
        check(
            "duration",
            &["P1Y2M3DT4H5M6S", "PT1M", "P4W"],
            &["P", "PT", "P1YT", "P1Y4D", "P4W1D", "1Y"],
        );
    }

    #[test]
    fn names_and_addresses() {
        check(
            "hostname",
            &["a", "a-b.example", "xn--nxasmq6b"],
            &["", "-a", "a-", "a..b", "a_b", "ab--c"],
        );
        check(
            "email",
            &["joe@example.com", "\"a b\"@example.com", "a@[127.0.0.1]"],
            &["joe", ".a@b.c", "a..b@c"],
        );
        check("ipv4", &["127.0.0.1"], &["127.0.0.01", "1.2.3", "0x7f.0.0.1"]);
        check("ipv6", &["::1", "::ffff:1.2.3.4"], &["::1%eth0", "1::2::3", "12345::"]);
        check(
            "uuid",
            &["2EB8AA08-AA98-11EA-B4AA-73B441D16380"],
            &["2eb8aa08aa9811eab4aa73b441d16380"],
        );
    }

    #[test]
    fn references_and_pointers() {
        check(
            "uri",
            &["http://a.b/c?d#e", "urn:x:y", "ldap://[2001:db8::7]/c"],
            &["//a", "a b:", "http://a b", "http://[::1"],
        );
        check("uri-reference", &["/a", "#b", "a/b:c", ""], &["a:b c", ":a", "\\\\x"]);
        check("iri", &["http://ƒøø.ßår/?∂"], &["/a"]);
        check("uri-template", &["http://x/{a,b*}{?c:3}"], &["http://x/{a", "a}b", "{}"]);
        check("json-pointer", &["", "/a~0b/c~1"], &["a", "/~", "/~2"]);
        check("relative-json-pointer", &["0", "10/a", "1#"], &["01", "/a", "-1", "1##"]);
        check("regex", &["^a+$"], &["^(a", "\\a"]);
    }
}
