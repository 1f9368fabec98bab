//! Named formats: `kubernetes.NamedFormat`.

use crdkit_text::formats::TextFormat;
use crdkit_text::names;
use crdkit_text::url::Url;

use super::no_overload;
use crate::cost::CostModel::{One, Validate};
use crate::declare::{Definition, define};
use crate::eval::Evaluated;
use crate::value::{CelFormat, Data, Opaque, Val};

pub(crate) const DEFINITIONS: &[Definition] = &[
    define("kubernetes.NamedFormat.validate(string) -> optional(list(string))", Validate, validate),
    define("format.named(string) -> optional(kubernetes.NamedFormat)", One, named),
    define("format.dns1123Label() -> kubernetes.NamedFormat", One, |data, _| {
        constant(data, "dns1123Label")
    }),
    define("format.dns1123Subdomain() -> kubernetes.NamedFormat", One, |data, _| {
        constant(data, "dns1123Subdomain")
    }),
    define("format.dns1035Label() -> kubernetes.NamedFormat", One, |data, _| {
        constant(data, "dns1035Label")
    }),
    define("format.qualifiedName() -> kubernetes.NamedFormat", One, |data, _| {
        constant(data, "qualifiedName")
    }),
    define("format.dns1123LabelPrefix() -> kubernetes.NamedFormat", One, |data, _| {
        constant(data, "dns1123LabelPrefix")
    }),
    define("format.dns1123SubdomainPrefix() -> kubernetes.NamedFormat", One, |data, _| {
        constant(data, "dns1123SubdomainPrefix")
    }),
    define("format.dns1035LabelPrefix() -> kubernetes.NamedFormat", One, |data, _| {
        constant(data, "dns1035LabelPrefix")
    }),
    define("format.labelValue() -> kubernetes.NamedFormat", One, |data, _| {
        constant(data, "labelValue")
    }),
    define("format.uri() -> kubernetes.NamedFormat", One, |data, _| constant(data, "uri")),
    define("format.uuid() -> kubernetes.NamedFormat", One, |data, _| constant(data, "uuid")),
    define("format.byte() -> kubernetes.NamedFormat", One, |data, _| constant(data, "byte")),
    define("format.date() -> kubernetes.NamedFormat", One, |data, _| constant(data, "date")),
    define("format.datetime() -> kubernetes.NamedFormat", One, |data, _| {
        constant(data, "datetime")
    }),
];

/// The formats with the sizes of their regular expressions, which their cost depends on.
static FORMATS: [(&str, CelFormat); 13] = [
    (
        "dns1123Label",
        CelFormat {
            name: "DNS1123Label",
            regex_size: 30,
            validate: |text| names::dns1123_label(text),
        },
    ),
    (
        "dns1123Subdomain",
        CelFormat {
            name: "DNS1123Subdomain",
            regex_size: 60,
            validate: |text| names::dns1123_subdomain(text),
        },
    ),
    (
        "dns1035Label",
        CelFormat {
            name: "DNS1035Label",
            regex_size: 30,
            validate: |text| names::dns1035_label(text),
        },
    ),
    (
        "qualifiedName",
        CelFormat {
            name: "QualifiedName",
            regex_size: 60,
            validate: |text| names::label_key(text),
        },
    ),
    (
        "dns1123LabelPrefix",
        CelFormat {
            name: "DNS1123LabelPrefix",
            regex_size: 30,
            validate: |text| names::dns1123_label(&names::mask_trailing_dash(text)),
        },
    ),
    (
        "dns1123SubdomainPrefix",
        CelFormat {
            name: "DNS1123SubdomainPrefix",
            regex_size: 60,
            validate: |text| names::dns1123_subdomain(&names::mask_trailing_dash(text)),
        },
    ),
    (
        "dns1035LabelPrefix",
        CelFormat {
            name: "DNS1035LabelPrefix",
            regex_size: 30,
            validate: |text| names::dns1035_label(&names::mask_trailing_dash(text)),
        },
    ),
    (
        "labelValue",
        CelFormat { name: "LabelValue", regex_size: 40, validate: |text| names::label_value(text) },
    ),
    (
        "uri",
        CelFormat {
            name: "URI",
            regex_size: 1103,
            validate: |text| {
                Url::parse_request_uri(text)
                    .err()
                    .map(|error| error.to_string())
                    .into_iter()
                    .collect()
            },
        },
    ),
    (
        "uuid",
        CelFormat {
            name: "uuid",
            regex_size: 70,
            validate: |text| unless(text, TextFormat::Uuid, "does not match the UUID format"),
        },
    ),
    (
        "byte",
        CelFormat {
            name: "byte",
            regex_size: 84,
            validate: |text| unless(text, TextFormat::Byte, "invalid base64"),
        },
    ),
    (
        "date",
        CelFormat {
            name: "date",
            regex_size: 71,
            validate: |text| unless(text, TextFormat::Date, "invalid date"),
        },
    ),
    (
        "datetime",
        CelFormat {
            name: "datetime",
            regex_size: 71,
            validate: |text| unless(text, TextFormat::DateTime, "invalid datetime"),
        },
    ),
];

fn unless(text: &str, format: TextFormat, message: &str) -> Vec<String> {
    if format.accepts(text) { Vec::new() } else { vec![message.to_owned()] }
}

fn find(name: &str) -> Option<&'static CelFormat> {
    FORMATS.iter().find(|(other, _)| *other == name).map(|(_, format)| format)
}

fn constant<'v>(data: Data<'v>, name: &str) -> Evaluated<'v> {
    find(name).map_or_else(no_overload, |format| {
        Ok(Val::Opaque(data.arena.opaque(Opaque::Format(format))))
    })
}

fn named<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(name)] if find(name).is_some() => Ok(data.arena.some(constant(data, name)?)),
        [Val::String(_)] => Ok(Val::Optional(None)),
        _ => no_overload(),
    }
}

fn validate<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let [Val::Opaque(Opaque::Format(format)), Val::String(text)] = arguments else {
        return no_overload();
    };
    let messages = (format.validate)(text);
    if messages.is_empty() {
        return Ok(Val::Optional(None));
    }
    let messages: Vec<Val<'v>> =
        messages.iter().map(|text| Val::String(data.arena.string(text))).collect();
    Ok(data.arena.some(data.arena.list(&messages)))
}
