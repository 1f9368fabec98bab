//! crdify's configuration file.

use crate::support::document;
use crdkit_compat::crdify::{Config, ConversionPolicy, CrdifyCheck, Enforcement, Policy};

#[track_caller]
fn problems(text: &str) -> Vec<String> {
    let issues = Config::read(document(text).root()).err().unwrap_or_default();
    issues.iter().map(ToString::to_string).collect()
}

#[test]
fn what_is_not_mentioned_is_strict() {
    for text in ["", "{}", "validations: null", "validations: []\nother: 1"] {
        assert_eq!(Config::read(document(text).root()), Ok(Config::default()), "{text}");
    }
    let config = Config::default();
    assert_eq!(config.enforcement(CrdifyCheck::Enum), Enforcement::Error);
    assert_eq!(config.enforcement(CrdifyCheck::Unhandled), Enforcement::Error);
    assert_eq!(config.enum_addition, Policy::Disallow);
}

#[test]
fn the_last_entry_of_a_name_wins_with_its_options() {
    let text = "validations:
- {name: enum, enforcement: Warn, configuration: {additionPolicy: Allow, other: 1}}
- {name: enum, enforcement: None}
- {name: scope, enforcement: Warn, configuration: {additionPolicy: ignored here}}
unhandledEnforcement: Warn
conversion: Ignore";
    let config = Config::read(document(text).root()).unwrap();
    assert_eq!(config.enforcement(CrdifyCheck::Enum), Enforcement::None);
    assert_eq!(config.enum_addition, Policy::Disallow);
    assert_eq!(config.enforcement(CrdifyCheck::Scope), Enforcement::Warn);
    assert_eq!(config.enforcement(CrdifyCheck::Unhandled), Enforcement::Warn);
    assert_eq!(config.conversion, ConversionPolicy::Ignore);
}

#[test]
fn everything_that_is_wrong_is_said_at_its_place() {
    for (text, expected) in [
        ("[1]", &["must be an object"][..]),
        ("validations: 1", &["validations: must be a list"]),
        ("validations: [{enforcement: Warn}]", &[
            "validations[0]: validations[0] is invalid: name is required",
        ]),
        ("validations: [{name: enum}]", &["validations[0]: enforcement is required"]),
        ("validations: [{name: enum, enforcement: ''}]", &["validations[0]: enforcement is required"]),
        ("validations: [{name: enum, enforcement: error}]", &[
            "validations[0].enforcement: unknown enforcement: \"error\"",
        ]),
        ("validations: [{name: unhandled, enforcement: Warn}]", &[
            "validations[0].name: unknown validation : \"unhandled\"",
        ]),
        ("validations: [{name: 7, enforcement: Warn}]", &[
            "validations[0].name: must be a string",
            "validations[0]: validations[0] is invalid: name is required",
        ]),
        (
            "{validations: [{name: pattern, enforcement: Warn, configuration: {removalPolicy: Maybe}}],
              conversion: Some, unhandledEnforcement: Never}",
            &[
                "validations[0].configuration.removalPolicy: unknown removal policy : \"Maybe\" \
                 (valid values: \"Allow\", \"Disallow\")",
                "unhandledEnforcement: unknown enforcement: \"Never\"",
                "conversion: unknown conversion policy: \"Some\"",
            ],
        ),
    ] {
        assert_eq!(problems(text), expected, "{text}");
    }
}
