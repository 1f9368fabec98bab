//! What only schemas outside CRDs have: the keywords of JSON Schema that structural schemas lack.
//!
//! It stands behind a pointer of its own, so that the schemas of CRDs do not pay for it.

use super::literal::LiteralId;
use super::node::{Node, Types};
use super::pattern::PatternId;
use super::table::{Id, Name};
use crate::compile::Flags;
use crdkit_text::number::Decimal;
use crdkit_value::Kind;

/// The keywords of JSON Schema that structural schemas lack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct More {
    /// `type`, where it is not one type with or without null.
    pub types: Option<TypeSet>,
    /// `const`.
    pub constant: Option<LiteralId>,
    /// Limits on numbers, exactly as written.
    pub range: Range,
    /// `uniqueItems`.
    pub unique_items: bool,
    /// `prefixItems`, or `items` as a list; [`Node::items`] is for those after them.
    pub prefix_items: Box<[Id]>,
    /// `contains`.
    pub contains: Option<Contains>,
    /// `patternProperties`.
    pub pattern_properties: Box<[(PatternId, Id)]>,
    /// `propertyNames`.
    pub property_names: Option<Id>,
    /// `dependentRequired`.
    pub dependent_required: Box<[(Name, Box<[Name]>)]>,
    /// `dependentSchemas`.
    pub dependent_schemas: Box<[(Name, Id)]>,
    /// `if`, `then` and `else`.
    pub condition: Option<Condition>,
    /// What `$ref` beside other keywords refers to.
    pub references: Box<[Id]>,
    /// The whole schema is a reference that could not be replaced by what it refers to.
    pub target: Option<Slot>,
    /// `$dynamicRef`.
    pub dynamic: Option<DynamicReference>,
    /// The schema is the root of a resource with dynamic anchors.
    pub resource: Option<ResourceId>,
    /// `unevaluatedProperties`.
    pub unevaluated_properties: Option<Id>,
    /// `unevaluatedItems`.
    pub unevaluated_items: Option<Id>,
    /// `discriminator`.
    pub discriminator: Option<Discriminator>,
    /// `x-kubernetes-unions`.
    pub unions: Box<[Union]>,
    /// `format`, whether or not it is checked.
    pub format: Option<Name>,
    /// Which of the settings' checks is for the format.
    pub check: Option<u16>,
    /// `x-kubernetes-int-or-string`.
    pub int_or_string: bool,
    /// Whether some keyword here is one that the API server does not have; the compiler decides.
    pub beyond: bool,
    /// Keywords that describe, and extensions, for those who write the schema out again.
    pub annotations: Box<[(Name, LiteralId)]>,
}

impl More {
    /// Whether some keyword here is one that the API server does not have.
    pub(super) fn is_beyond(&self) -> bool {
        let known = Self {
            range: self.range.clone(),
            format: self.format,
            check: self.check,
            int_or_string: self.int_or_string,
            beyond: self.beyond,
            annotations: self.annotations.clone(),
            ..Self::default()
        };
        *self != known
    }
}

/// A reference that is resolved when all schemas are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

/// A schema resource: what one `$id` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId(pub u32);

/// Limits on numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Range {
    /// `minimum`.
    pub minimum: Option<Box<Decimal>>,
    /// `exclusiveMinimum`.
    pub exclusive_minimum: Option<Box<Decimal>>,
    /// `maximum`.
    pub maximum: Option<Box<Decimal>>,
    /// `exclusiveMaximum`.
    pub exclusive_maximum: Option<Box<Decimal>>,
    /// `multipleOf`.
    pub multiple_of: Option<Box<Decimal>>,
}

/// `contains` with its counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Contains {
    /// What items are counted.
    pub schema: Id,
    /// `minContains`.
    pub min: u64,
    /// `maxContains`.
    pub max: Option<u64>,
}

/// `if` with what follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// `if`.
    pub test: Id,
    /// `then`.
    pub then: Option<Id>,
    /// `else`.
    pub otherwise: Option<Id>,
}

/// `$dynamicRef`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DynamicReference {
    /// The dynamic anchor.
    pub anchor: Name,
    /// What it refers to when no resource on the way redefines the anchor.
    pub fallback: Id,
}

/// `discriminator`: the property whose value chooses among the alternatives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Discriminator {
    /// The property.
    pub property: Name,
    /// The alternative, by position, for each value.
    pub mapping: Box<[(Name, u32)]>,
}

/// One of `x-kubernetes-unions`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Union {
    /// The field whose value says which other one is set.
    pub discriminator: Option<Name>,
    /// The fields, each with the value that stands for it.
    pub fields: Box<[(Name, Name)]>,
}

/// A set of JSON types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeSet(u8);

impl TypeSet {
    /// No type: nothing is valid.
    pub const NONE: Self = Self(0);
    /// `null`.
    pub const NULL: Self = Self(1);
    /// `boolean`.
    pub const BOOLEAN: Self = Self(1 << 1);
    /// `integer`.
    pub const INTEGER: Self = Self(1 << 2);
    /// `number`, which integers are as well.
    pub const NUMBER: Self = Self(1 << 3);
    /// `string`.
    pub const STRING: Self = Self(1 << 4);
    /// `array`.
    pub const ARRAY: Self = Self(1 << 5);
    /// `object`.
    pub const OBJECT: Self = Self(1 << 6);
    /// Every type.
    pub const ANY: Self = Self(0x7F);

    const NAMES: [(&'static str, Self); 7] = [
        ("null", Self::NULL),
        ("boolean", Self::BOOLEAN),
        ("integer", Self::INTEGER),
        ("number", Self::NUMBER),
        ("string", Self::STRING),
        ("array", Self::ARRAY),
        ("object", Self::OBJECT),
    ];

    /// The type called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, set)| set)
    }

    /// Both sets together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both sets; an integer is a number.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let wide = |set: Self| if set.has(Self::NUMBER) { set.0 | Self::INTEGER.0 } else { set.0 };
        Self(wide(self) & wide(other))
    }

    /// This set without the other.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all of `other` are in the set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a value of this kind is of one of the types; a number without a fraction is an integer.
    pub fn takes(self, kind: &Kind<'_>) -> bool {
        match kind {
            Kind::Null => self.has(Self::NULL),
            Kind::Bool(_) => self.has(Self::BOOLEAN),
            Kind::Int(_) => self.0 & (Self::INTEGER.0 | Self::NUMBER.0) != 0,
            Kind::Float(float) => {
                self.has(Self::NUMBER) || self.has(Self::INTEGER) && float.fract() == 0.0
            }
            Kind::Number(text) => {
                self.has(Self::NUMBER)
                    || self.has(Self::INTEGER)
                        && Decimal::parse(text).is_some_and(|number| number.is_integer())
            }
            Kind::String(_) => self.has(Self::STRING),
            Kind::Array(_) => self.has(Self::ARRAY),
            Kind::Object(_) => self.has(Self::OBJECT),
        }
    }

    /// The names of the types, separated by commas.
    pub fn text(self) -> String {
        let names = Self::NAMES.into_iter().filter(|(_, set)| self.has(*set));
        names.map(|(name, _)| name).collect::<Vec<_>>().join(",")
    }
}

impl From<Types> for TypeSet {
    fn from(types: Types) -> Self {
        match types {
            Types::Any => Self::ANY,
            Types::Object => Self::OBJECT,
            Types::Array => Self::ARRAY,
            Types::String => Self::STRING,
            Types::Integer => Self::INTEGER,
            Types::Number => Self::NUMBER,
            Types::Boolean => Self::BOOLEAN,
            Types::IntOrString => Self::INTEGER.with(Self::STRING),
            Types::Other(_) => Self::NONE,
        }
    }
}

impl Node {
    /// What only schemas outside CRDs have.
    #[inline]
    pub fn more(&self) -> Option<&More> {
        self.rare.as_deref()?.more.as_deref()
    }

    /// The types that values may have, null among them.
    pub fn type_set(&self) -> TypeSet {
        match self.more().and_then(|more| more.types) {
            Some(types) => types,
            None if self.has(Flags::NULLABLE) => TypeSet::from(self.types).with(TypeSet::NULL),
            None => self.types.into(),
        }
    }

    /// Whether nothing is valid: what `false` says.
    pub fn is_never(&self) -> bool {
        self.type_set().is_empty() && !matches!(self.types, Types::Other(_))
    }

    /// `prefixItems`.
    pub fn prefix_items(&self) -> &[Id] {
        self.more().map_or(&[], |more| &more.prefix_items)
    }

    /// The schema of the item at `index`.
    pub fn item(&self, index: usize) -> Option<Id> {
        self.prefix_items().get(index).copied().or(self.items)
    }

    /// `patternProperties`.
    pub fn pattern_properties(&self) -> &[(PatternId, Id)] {
        self.more().map_or(&[], |more| &more.pattern_properties)
    }

    /// What is referred to beside other keywords.
    pub(crate) fn references(&self) -> &[Id] {
        self.more().map_or(&[], |more| &more.references)
    }

    /// Schemas that no CRD has and whose rules count: those of items by position, of members by the pattern of their
    /// name, and what is referred to.
    pub(crate) fn more_with_rules(&self) -> impl Iterator<Item = Id> {
        self.more().into_iter().flat_map(|more| {
            let patterns = more.pattern_properties.iter().map(|(_, id)| *id);
            let positions = more.prefix_items.iter().copied();
            patterns.chain(positions).chain(more.references.iter().copied())
        })
    }

    /// `contains`.
    pub fn contains(&self) -> Option<Contains> {
        self.more().and_then(|more| more.contains)
    }

    /// Whether something here can be decided only when all of the value is at hand: alternatives,
    /// conditions, what is unevaluated, rules, an `enum` or `const` that an array or object may match.
    pub fn needs_whole(&self) -> bool {
        let Some(rare) = self.rare.as_deref() else { return false };
        let junctors = &rare.junctors;
        let alternatives = !junctors.any_of.is_empty()
            || !junctors.one_of.is_empty()
            || !junctors.all_of.is_empty()
            || junctors.not.is_some();
        let more = rare.more.as_deref().is_some_and(|more| {
            more.constant.is_some()
                || more.condition.is_some()
                || !more.references.is_empty()
                || more.dynamic.is_some()
                || more.resource.is_some()
                || !more.dependent_schemas.is_empty()
                || more.unevaluated_items.is_some()
                || more.unevaluated_properties.is_some()
                || !more.unions.is_empty()
        });
        alternatives || more || !rare.enum_values.is_empty() || !rare.rules.is_empty()
    }
}
