//! What must hold for any text: no panic, canonical forms read back, orders agree with values.

use crdkit_text::formats::TextFormat;
use crdkit_text::ip::{Cidr, Ip};
use crdkit_text::quantity::Quantity;
use crdkit_text::regex::Regex;
use crdkit_text::semver::Version;
use crdkit_text::timestamp::Timestamp;
use crdkit_text::url::Url;
use crdkit_text::{duration, names, number, quote};
use proptest::prelude::*;

proptest! {
    #[test]
    fn no_text_makes_a_parser_fail_otherwise_than_by_refusing(text in ".{0,40}") {
        for (_, format) in TextFormat::ALL {
            format.accepts(&text);
        }
        let _ = (Ip::parse(&text), Cidr::parse(&text), Url::parse(&text), Version::parse(&text));
        let _ = (Timestamp::parse_rfc3339(&text), Timestamp::parse_date_time(&text));
        let _ = (duration::parse_lenient(&text), number::parse_float(&text), number::parse_int(&text, 0));
        let _ = (names::label_key(&text), names::mask_trailing_dash(&text), Quantity::parse(&text));
    }

    #[test]
    fn any_pattern_is_compiled_or_refused(pattern in r"[a-c()\[\]{}|*+?^$.\\1-3,:?iPpdwQE<>é-]{0,24}", text in "[a-cé1-3]{0,12}") {
        if let Ok(regex) = Regex::new(&pattern) {
            let found = regex.find(&text);
            prop_assert_eq!(found.is_some(), regex.is_match(&text));
            prop_assert_eq!(regex.captures(&text).and_then(|groups| groups[0].clone()), found);
        }
    }

    #[test]
    fn an_escaped_literal_matches_itself(text in any::<String>()) {
        let regex = Regex::new(&format!(r"\A\Q{}\E\z", text.replace(r"\E", ""))).unwrap();
        prop_assert!(regex.is_match(&text.replace(r"\E", "")));
    }

    #[test]
    fn canonical_quantities_read_back_as_equal(text in r"[+-]?[0-9]{0,12}(\.[0-9]{0,12})?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|e[0-9]|E-[0-9])?") {
        if let Ok(quantity) = Quantity::parse(&text) {
            let canonical = quantity.to_string();
            let again = Quantity::parse(&canonical).unwrap();
            prop_assert_eq!(&again, &quantity);
            prop_assert_eq!(again.to_string(), canonical);
            let twice = quantity.checked_add(&again).unwrap();
            prop_assert_eq!(twice.checked_sub(&quantity).unwrap(), quantity);
        }
    }

    #[test]
    fn floats_read_back_as_themselves(bits in any::<u64>()) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        for text in [number::shortest(value), number::decimal(value), number::json(value).unwrap()] {
            prop_assert_eq!(number::parse_float(&text).unwrap().to_bits(), bits, "{}", text);
        }
    }

    #[test]
    fn durations_read_back_as_themselves(nanoseconds in any::<i64>()) {
        prop_assert_eq!(duration::parse(&duration::format(nanoseconds)), Ok(nanoseconds));
    }

    #[test]
    fn timestamps_read_back_as_themselves(seconds in -62_135_596_800_i64..253_402_300_800, nanoseconds in 0_u32..1_000_000_000) {
        let instant = Timestamp { seconds, nanoseconds, offset: 0 };
        prop_assert_eq!(Timestamp::parse_rfc3339(&instant.to_string()), Ok(instant));
    }

    #[test]
    fn networks_contain_their_own_address(bits in any::<u128>(), prefix in 0_u8..=128) {
        let text = format!("{}/{prefix}", std::net::Ipv6Addr::from_bits(bits));
        if let Ok(network) = Cidr::parse(&text) {
            prop_assert!(network.contains_ip(network.ip()) && network.contains_cidr(&network.masked()));
            prop_assert_eq!(network.to_string(), text);
        }
    }

    #[test]
    fn a_printed_url_parses_to_the_same_print(text in r"[a-z:/?#@\[\]%0-9. é-]{0,30}") {
        if let Ok(url) = Url::parse(&text) {
            let printed = url.to_string();
            if let Ok(again) = Url::parse(&printed) {
                prop_assert_eq!(again.to_string(), printed);
            }
        }
    }

    #[test]
    fn quoted_text_is_ascii_where_asked(text in any::<String>()) {
        prop_assert!(quote::quote_to_ascii(&text).is_ascii());
        prop_assert_eq!(quote::quote_bytes(text.as_bytes()), quote::quote(&text));
    }
}
