//! One compiled schema.
//!
//! What most schemas have stands in [`Node`] itself; what few have is behind one pointer.

use super::fields::Fields;
use super::flags::Flags;
use super::format::Format;
use super::literal::{DefaultId, LiteralId};
use super::more::More;
use super::pattern::PatternId;
use super::table::{Id, Name};
use crdkit_issue::FieldPath;
use crdkit_value::Kind;

/// A schema, ready to be used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Node {
    /// What values may be.
    pub types: Types,
    /// Facts about it and what is below.
    pub flags: Flags,
    /// `x-kubernetes-list-type`.
    pub list_type: ListType,
    /// `format`, if it is one that the server checks.
    pub format: Option<Format>,
    /// `items`.
    pub items: Option<Id>,
    /// `additionalProperties`.
    pub additional: Additional,
    /// `default`, as it is after its own pruning and defaulting.
    pub default: Option<DefaultId>,
    /// `pattern`.
    pub pattern: Option<PatternId>,
    /// `properties`.
    pub fields: Fields,
    /// `required`.
    pub required: Box<[Name]>,
    pub(crate) rare: Option<Box<Rare>>,
}

/// What few schemas have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Rare {
    pub(crate) bounds: Bounds,
    pub(crate) enum_values: Box<[LiteralId]>,
    pub(crate) junctors: Junctors,
    pub(crate) list_map_keys: Box<[Name]>,
    pub(crate) rules: Box<[CompiledRule]>,
    pub(crate) field_defaults: Box<[FieldDefault]>,
    pub(crate) more: Option<Box<More>>,
}

/// A property that has a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldDefault {
    /// The property.
    pub name: Name,
    /// Its default.
    pub default: DefaultId,
    /// Whether `null` is a value like any other, instead of asking for the default.
    pub nullable: bool,
}

/// What a value may be: `type`, or both of integer and string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Types {
    /// Anything.
    #[default]
    Any,
    /// `object`.
    Object,
    /// `array`.
    Array,
    /// `string`.
    String,
    /// `integer`.
    Integer,
    /// `number`.
    Number,
    /// `boolean`.
    Boolean,
    /// `x-kubernetes-int-or-string`.
    IntOrString,
    /// A type that there is not, so that no value is of it. The server refuses such schemas now.
    Other(Name),
}

/// `additionalProperties`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Additional {
    /// Not written.
    #[default]
    Absent,
    /// `true` or `false`.
    Allowed(bool),
    /// A schema for their values.
    Schema(Id),
}

/// `x-kubernetes-list-type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ListType {
    /// `atomic`, or not written.
    #[default]
    Atomic,
    /// `set`.
    Set,
    /// `map`.
    Map,
}

/// A number by its bits, so that schemas can be compared and hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Number(u64);

/// Limits on numbers, lengths and counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// `maximum`.
    pub maximum: Option<Number>,
    /// `exclusiveMaximum`.
    pub exclusive_maximum: bool,
    /// `minimum`.
    pub minimum: Option<Number>,
    /// `exclusiveMinimum`.
    pub exclusive_minimum: bool,
    /// `multipleOf`.
    pub multiple_of: Option<Number>,
    /// `maxLength`.
    pub max_length: Option<i64>,
    /// `minLength`.
    pub min_length: Option<i64>,
    /// `maxItems`.
    pub max_items: Option<i64>,
    /// `minItems`.
    pub min_items: Option<i64>,
    /// `maxProperties`.
    pub max_properties: Option<i64>,
    /// `minProperties`.
    pub min_properties: Option<i64>,
}

/// Schemas combined by logic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Junctors {
    /// `anyOf`.
    pub any_of: Box<[Id]>,
    /// `oneOf`.
    pub one_of: Box<[Id]>,
    /// `allOf`.
    pub all_of: Box<[Id]>,
    /// `not`.
    pub not: Option<Id>,
}

/// One of `x-kubernetes-validations`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CompiledRule {
    /// `rule`.
    pub rule: Box<str>,
    /// `message`.
    pub message: Box<str>,
    /// `messageExpression`.
    pub message_expression: Box<str>,
    /// `reason`.
    pub reason: Option<Box<str>>,
    /// `fieldPath`: where below the value findings are reported.
    pub field_path: FieldPath,
    /// `optionalOldSelf`.
    pub optional_old_self: bool,
}

impl Node {
    /// Limits on numbers, lengths and counts.
    pub fn bounds(&self) -> Option<&Bounds> {
        self.rare.as_deref().map(|rare| &rare.bounds)
    }

    /// The entries of `enum`.
    pub fn enum_values(&self) -> &[LiteralId] {
        self.rare.as_deref().map_or(&[], |rare| &rare.enum_values)
    }

    /// Schemas combined by logic.
    pub fn junctors(&self) -> Option<&Junctors> {
        self.rare.as_deref().map(|rare| &rare.junctors)
    }

    /// `x-kubernetes-list-map-keys`.
    pub fn list_map_keys(&self) -> &[Name] {
        self.rare.as_deref().map_or(&[], |rare| &rare.list_map_keys)
    }

    /// `x-kubernetes-validations`.
    pub fn rules(&self) -> &[CompiledRule] {
        self.rare.as_deref().map_or(&[], |rare| &rare.rules)
    }

    /// The properties that have a default.
    pub fn field_defaults(&self) -> &[FieldDefault] {
        self.rare.as_deref().map_or(&[], |rare| &rare.field_defaults)
    }

    /// The schema of additional properties, if they have one.
    pub fn additional_schema(&self) -> Option<Id> {
        match self.additional {
            Additional::Schema(id) => Some(id),
            _ => None,
        }
    }

    /// The fact `flag`.
    pub fn has(&self, flag: Flags) -> bool {
        self.flags.has(flag)
    }
}

impl ListType {
    /// The list type called `name`.
    pub fn named(name: Option<&str>) -> Self {
        match name {
            Some("set") => Self::Set,
            Some("map") => Self::Map,
            _ => Self::Atomic,
        }
    }
}

impl Types {
    /// The type called `name`; anything else means any type.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "object" => Self::Object,
            "array" => Self::Array,
            "string" => Self::String,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            _ => Self::Any,
        }
    }

    /// As the server's messages show it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Any | Self::Other(_) => "",
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::IntOrString => "integer,string",
        }
    }

    /// Whether it names the JSON type of `kind`, where `1` is an integer and `1.0` a number.
    #[inline]
    pub fn names(self, kind: &Kind<'_>) -> bool {
        match kind {
            Kind::Null => false,
            Kind::Bool(_) => self == Self::Boolean,
            Kind::Int(_) => self.takes_integers(),
            Kind::Float(_) | Kind::Number(_) => self == Self::Number,
            Kind::String(_) => matches!(self, Self::String | Self::IntOrString),
            Kind::Array(_) => self == Self::Array,
            Kind::Object(_) => self == Self::Object,
        }
    }

    /// Whether `integer` is among the types.
    pub fn takes_integers(self) -> bool {
        matches!(self, Self::Integer | Self::IntOrString)
    }

    /// Whether `integer` or `number` is among the types.
    pub fn takes_numbers(self) -> bool {
        matches!(self, Self::Integer | Self::IntOrString | Self::Number)
    }
}

impl Number {
    /// The number itself.
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl From<f64> for Number {
    fn from(number: f64) -> Self {
        Self(number.to_bits())
    }
}
