//! Quantities: canonical forms, arithmetic, order, refusals.

use std::cmp::Ordering;

use crdkit_text::quantity::{Quantity, QuantityError, QuantityFormat};

fn quantity(text: &str) -> Quantity {
    Quantity::parse(text).expect(text)
}

#[test]
fn quantities_print_in_canonical_form() {
    for (text, canonical) in [
        ("0", "0"),
        ("-0", "0"),
        (".", "0"),
        ("1.5", "1500m"),
        ("1000", "1k"),
        ("1.5Gi", "1536Mi"),
        ("1024Ki", "1Mi"),
        ("1000Ki", "1000Ki"),
        ("0.5Ki", "512"),
        ("0.1Ki", "102400m"),
        ("12e6", "12e6"),
        ("1.2E-3", "1200e-6"),
        ("100000n", "100u"),
        ("0.0000000001", "1n"),
        ("9Ei", "9223372036854775807"),
        ("9223372036854775808", "9223372036854775808"),
        ("123456789012345678901234567890k", "123456789012345678901234567890k"),
        ("1e99", "1e99"),
        ("+1", "+1"),
    ] {
        assert_eq!(quantity(text).to_string(), canonical, "{text}");
    }
}

#[test]
fn refusals_have_the_servers_words() {
    for (text, error) in [
        ("", QuantityError::Format),
        ("1a", QuantityError::Format),
        ("a", QuantityError::Format),
        ("1 ", QuantityError::Format),
        ("1mm", QuantityError::Suffix),
        ("1Zi", QuantityError::Format),
        ("1e", QuantityError::Suffix),
        ("1e99999999999999999999", QuantityError::Suffix),
        (".e-10", QuantityError::Number),
    ] {
        assert_eq!(Quantity::parse(text).expect_err(text), error, "{text}");
    }
    assert!(
        QuantityError::Format
            .to_string()
            .starts_with("quantities must match the regular expression '^(")
    );
}

#[test]
fn sums_keep_the_format_of_the_first() {
    for (left, right, sum, difference) in [
        ("1Gi", "1Mi", "1025Mi", "1023Mi"),
        ("100m", "900m", "1", "-800m"),
        ("0", "1Ki", "1Ki", "-1Ki"),
        ("9223372036854775807", "1", "9223372036854775808", "9223372036854775806"),
        ("1e30", "1", "1000000000000000000000000000001", "999999999999999999999999999999"),
    ] {
        let (left, right) = (quantity(left), quantity(right));
        assert_eq!(left.checked_add(&right).unwrap().to_string(), sum);
        assert_eq!(left.checked_sub(&right).unwrap().to_string(), difference);
    }
    let seven = Quantity::from_i64(7, QuantityFormat::DecimalExponent);
    assert_eq!(quantity("1Ki").checked_add(&seven).unwrap().to_string(), "1031");
}

#[test]
fn order_is_by_value() {
    assert_eq!(quantity("1Ki"), quantity("1024"));
    assert_eq!(quantity("1000m"), quantity("1"));
    assert!(quantity("-1") < quantity("1n") && quantity("1k") < quantity("1Ki"));
    assert!(
        quantity("1e2000000000") > quantity("9Ei") && quantity("-1e2000000000") < quantity("1")
    );
    assert_eq!(quantity("-5").sign(), Ordering::Less);
}

#[test]
fn only_the_fast_form_is_an_integer() {
    assert_eq!(quantity("5k").as_i64(), Some(5000));
    assert_eq!(quantity("1500m").as_i64(), None);
    assert_eq!(quantity("1Ei").as_i64(), None);
    assert!(!quantity("1Ei").is_integer());
    assert!((quantity("1500m").as_f64() - 1.5).abs() < 1e-12);
    assert!(quantity("1e999").as_f64().is_infinite());
}

#[test]
fn absurd_exponents_cost_nothing() {
    let huge = quantity("1e2147483647");
    assert!(huge.checked_add(&quantity("1")).is_none());
    assert_eq!(quantity("1e-2147483648").to_string(), "1e-9");
    assert_eq!(quantity(&"9".repeat(100_000)).sign(), Ordering::Greater);
}
