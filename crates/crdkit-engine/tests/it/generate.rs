//! Schemas by chance, and objects made after them with mistakes.
//!
//! A [`Shape`] is written down as a schema, and makes values: mostly what the schema asks for, now and
//! then a null, another type, an unknown field, or nothing. What is chosen comes from a list of small
//! numbers, so that a failing case shrinks to one with few mistakes.

use proptest::prelude::*;
use std::fmt::Write as _;

/// What a schema describes.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Integer {
        maximum: i64,
        default: Option<i64>,
    },
    Number,
    Text {
        max_length: usize,
        nullable: bool,
        default: bool,
    },
    Choice {
        default: bool,
    },
    Flag,
    IntOrString,
    List {
        item: Box<Shape>,
        set: bool,
    },
    /// A list of objects that are told apart by `name`.
    Named(Vec<Field>),
    Map(Box<Shape>),
    Object {
        fields: Vec<Field>,
        preserve: bool,
        rule: bool,
        default: bool,
    },
    Any,
}

/// A property.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    name: &'static str,
    shape: Shape,
    required: bool,
}

const NAMES: [&str; 8] =
    ["size", "mode", "labels", "zones", "ports", "limits", "apiVersion", "aRatherLongFieldName"];

/// Any shape of an object.
pub(crate) fn object() -> impl Strategy<Value = Shape> {
    shape().prop_filter_map("an object", |shape| match shape {
        Shape::Object { fields, preserve, rule, .. } => {
            Some(Shape::Object { fields, preserve, rule, default: false })
        }
        _ => None,
    })
}

/// The numbers that values are made from.
pub(crate) fn choices() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..60)
}

fn shape() -> impl Strategy<Value = Shape> {
    let leaf = prop_oneof![
        (0..9_i64, prop::option::of(0..12_i64))
            .prop_map(|(maximum, default)| Shape::Integer { maximum, default }),
        Just(Shape::Number),
        (0..4_usize, any::<bool>(), any::<bool>()).prop_map(|(max_length, nullable, default)| {
            Shape::Text { max_length, nullable, default }
        }),
        any::<bool>().prop_map(|default| Shape::Choice { default }),
        Just(Shape::Flag),
        Just(Shape::IntOrString),
        Just(Shape::Any),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        let field = (prop::sample::select(&NAMES[..]), inner.clone(), any::<bool>())
            .prop_map(|(name, shape, required)| Field { name, shape, required });
        let fields = prop::collection::vec(field, 0..5).prop_map(|mut fields| {
            fields.sort_unstable_by_key(|field| field.name);
            fields.dedup_by_key(|field| field.name);
            fields
        });
        prop_oneof![
            (inner.clone().prop_map(Box::new), any::<bool>())
                .prop_map(|(item, set)| Shape::List { item, set }),
            inner.prop_map(|item| Shape::Map(Box::new(item))),
            fields.clone().prop_map(Shape::Named),
            (fields, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
                |(fields, preserve, rule, default)| {
                    Shape::Object { fields, preserve, rule, default }
                }
            ),
        ]
    })
}

impl Shape {
    /// A shape like this one: here and there with another default, another field, or none.
    pub(crate) fn altered(&self, choices: &mut Choices<'_>) -> Self {
        let is_changed = choices.next().is_multiple_of(4);
        let fields = |fields: &[Field], choices: &mut Choices<'_>| {
            let mut fields: Vec<Field> = fields
                .iter()
                .map(|field| Field { shape: field.shape.altered(choices), ..field.clone() })
                .collect();
            match choices.next() % 8 {
                0 => drop(fields.pop()),
                1 => fields.push(Field {
                    name: "added",
                    shape: Self::Choice { default: choices.next().is_multiple_of(2) },
                    required: false,
                }),
                _ => {}
            }
            fields
        };
        match self.clone() {
            Self::Integer { maximum, default } if is_changed => {
                Self::Integer { maximum, default: default.xor(Some(1)) }
            }
            Self::Text { max_length, nullable, default } if is_changed => {
                let is_default = choices.next().is_multiple_of(2);
                Self::Text {
                    max_length,
                    nullable: nullable == is_default,
                    default: default != is_default,
                }
            }
            Self::Flag | Self::Any if is_changed => Self::Any,
            Self::List { item, set } => {
                let item = if is_changed { Self::Any } else { item.altered(choices) };
                Self::List { item: Box::new(item), set }
            }
            Self::Map(item) => Self::Map(Box::new(item.altered(choices))),
            Self::Named(inner) => Self::Named(fields(&inner, choices)),
            Self::Object { fields: inner, preserve, rule, default } => Self::Object {
                fields: fields(&inner, choices),
                preserve: preserve != is_changed,
                rule,
                default,
            },
            other => other,
        }
    }

    /// The schema in JSON.
    pub(crate) fn schema(&self) -> String {
        match self {
            Self::Integer { maximum, default } => {
                let default = default.map(|it| format!(r#","default":{it}"#)).unwrap_or_default();
                format!(r#"{{"type":"integer","minimum":0,"maximum":{maximum}{default}}}"#)
            }
            Self::Number => r#"{"type":"number","multipleOf":0.25}"#.into(),
            Self::Text { max_length, nullable, default } => {
                let default = if *default { r#","default":"ab""# } else { "" };
                format!(
                    r#"{{"type":"string","maxLength":{max_length},"nullable":{nullable},"pattern":"^[a-c]*$"{default}}}"#
                )
            }
            Self::Choice { default } => {
                let default = if *default { r#","default":"a""# } else { "" };
                format!(r#"{{"type":"string","enum":["a","b"]{default}}}"#)
            }
            Self::Flag => r#"{"type":"boolean"}"#.into(),
            Self::IntOrString => r#"{"x-kubernetes-int-or-string":true}"#.into(),
            Self::List { item, set } => {
                let kind = if *set { "set" } else { "atomic" };
                format!(
                    r#"{{"type":"array","maxItems":3,"x-kubernetes-list-type":"{kind}","items":{}}}"#,
                    item.schema()
                )
            }
            Self::Named(fields) => {
                let item = object_schema(fields, r#""name":{"type":"string"}"#, "");
                format!(
                    r#"{{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{item}}}"#
                )
            }
            Self::Map(item) => {
                format!(r#"{{"type":"object","additionalProperties":{}}}"#, item.schema())
            }
            Self::Object { fields, preserve, rule, default } => {
                let mut extra = String::new();
                if *preserve {
                    extra.push_str(r#","x-kubernetes-preserve-unknown-fields":true"#);
                }
                if *rule {
                    let has_mode = fields.iter().any(|field| field.name == "mode");
                    let rule = if has_mode { "!has(self.mode)" } else { "has(self.unknown)" };
                    let _ = write!(extra, r#","x-kubernetes-validations":[{{"rule":"{rule}"}}]"#);
                }
                if *default {
                    extra.push_str(r#","default":{}"#);
                }
                object_schema(fields, "", &extra)
            }
            Self::Any => r#"{"x-kubernetes-preserve-unknown-fields":true}"#.into(),
        }
    }

    /// A value, in JSON.
    pub(crate) fn value(&self, choices: &mut Choices<'_>) -> String {
        let mut out = String::new();
        self.write(choices, &mut out);
        out
    }

    fn write(&self, choices: &mut Choices<'_>, out: &mut String) {
        let chosen = choices.next();
        if chosen % 16 == 15 {
            // Something else than the schema asks for.
            let other =
                ["null", "7", "-0.75", "\"abcd\"", "true", "[]", "{}", r#"{"mode":[null]}"#];
            out.push_str(other.get(usize::from(chosen >> 4) % other.len()).unwrap_or(&"null"));
            return;
        }
        let small = chosen >> 4;
        let _ = match self {
            Self::Integer { .. } => write!(out, "{small}"),
            Self::Number => write!(out, "{small}.25"),
            Self::Text { .. } => write!(out, "\"{}\"", "abc".repeat(usize::from(small % 3))),
            Self::Choice { .. } => write!(out, "\"{}\"", ["a", "b", "c"][usize::from(small % 3)]),
            Self::Flag => write!(out, "{}", small.is_multiple_of(2)),
            Self::IntOrString if small.is_multiple_of(2) => write!(out, "{small}"),
            Self::IntOrString => write!(out, "\"{small}%\""),
            Self::List { item, .. } => {
                for at in 0..small % 5 {
                    out.push(if at == 0 { '[' } else { ',' });
                    item.write(choices, out);
                }
                write!(out, "{}", if small.is_multiple_of(5) { "[]" } else { "]" })
            }
            Self::Named(fields) => {
                for at in 0..small % 4 {
                    out.push(if at == 0 { '[' } else { ',' });
                    let name =
                        format!(r#""name":"{}""#, ["x", "y"][usize::from(choices.next() % 2)]);
                    members(fields, &name, choices, out);
                }
                write!(out, "{}", if small.is_multiple_of(4) { "[]" } else { "]" })
            }
            Self::Map(item) => {
                out.push('{');
                for at in 0..small % 4 {
                    let _ = write!(out, "{}\"k{at}\":", if at == 0 { "" } else { "," });
                    item.write(choices, out);
                }
                write!(out, "}}")
            }
            Self::Object { fields, .. } => {
                members(fields, "", choices, out);
                Ok(())
            }
            Self::Any => write!(out, r#"{{"b":[{small},{{"c":null}}],"a":"x"}}"#),
        };
    }
}

fn object_schema(fields: &[Field], first: &str, extra: &str) -> String {
    let mut properties: Vec<String> = vec![first.to_owned()];
    properties.extend(fields.iter().map(|it| format!(r#""{}":{}"#, it.name, it.shape.schema())));
    properties.retain(|text| !text.is_empty());
    let mut required: Vec<String> = Vec::new();
    if !first.is_empty() {
        required.push("\"name\"".into());
    }
    let wanted = fields.iter().filter(|field| field.required);
    required.extend(wanted.map(|field| format!("{:?}", field.name)));
    let required = match required.as_slice() {
        [] => String::new(),
        names => format!(r#","required":[{}]"#, names.join(",")),
    };
    format!(r#"{{"type":"object","properties":{{{}}}{required}{extra}}}"#, properties.join(","))
}

/// The members of an object: what it should have but for a few that are left out, and now and then one
/// that nobody asked for.
fn members(fields: &[Field], first: &str, choices: &mut Choices<'_>, out: &mut String) {
    let mut separator = "";
    out.push('{');
    if !first.is_empty() {
        out.push_str(first);
        separator = ",";
    }
    for field in fields {
        if choices.next() % 4 == 3 {
            continue;
        }
        let _ = write!(out, "{separator}\"{}\":", field.name);
        field.shape.write(choices, out);
        separator = ",";
    }
    if choices.next() % 16 == 15 {
        let _ = write!(out, r#"{separator}"unknown":{{"a":1}}"#);
    }
    out.push('}');
}

/// Small numbers that decide what a value is; zeros when they have run out.
pub(crate) struct Choices<'a>(std::slice::Iter<'a, u8>);

impl<'a> Choices<'a> {
    pub(crate) fn new(choices: &'a [u8]) -> Self {
        Self(choices.iter())
    }

    fn next(&mut self) -> u8 {
        self.0.next().copied().unwrap_or_default()
    }
}
