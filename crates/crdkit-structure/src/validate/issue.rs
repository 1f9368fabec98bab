//! The findings of imported schemas as issues, and their order in a report.
//!
//! Takes the validator's small records with the values and schemas they are about; gives codes with parameters.

use super::problem::Indices;
use super::{LooseFinding, LooseProblem, number};
use crate::compiled::Settings;
use crdkit_codec::go_json;
use crdkit_issue::{Arg, Code, FieldPath, Issue, Segment, codes};
use crdkit_schema::compile::{Id, Literal, Node, Table};
use crdkit_schema::embedded::TypeProblem;
use crdkit_schema::validate::{self, Problem, Relation, Scope, literal};
use crdkit_text::number::Decimal;
use crdkit_text::quote::quote;
use crdkit_value::{NodeId, Value};

/// How many of the findings after this one only explain it.
pub(super) fn causes(finding: &LooseFinding) -> usize {
    match finding.problem {
        Problem::Beyond(LooseProblem::NoMatch { causes, .. }) => causes as usize,
        _ => 0,
    }
}

/// The keyword that a finding is about.
pub(super) fn keyword(finding: &LooseFinding) -> &'static str {
    match finding.problem {
        Problem::Type | Problem::Range { .. } => "type",
        Problem::TypeOfFormat | Problem::Format => "format",
        Problem::MaxLength { .. } => "maxLength",
        Problem::MinLength { .. } => "minLength",
        Problem::Pattern => "pattern",
        Problem::MultipleOf { .. } | Problem::FactorNotPositive { .. } => "multipleOf",
        Problem::Bound { relation, .. } => relation_keyword(relation),
        Problem::MinItems { .. } => "minItems",
        Problem::MaxItems { .. } => "maxItems",
        Problem::MinProperties { .. } => "minProperties",
        Problem::MaxProperties { .. } => "maxProperties",
        Problem::Required { .. } => "required",
        Problem::ForbiddenProperty { .. } => "additionalProperties",
        Problem::Enum => "enum",
        Problem::AnyOf => "anyOf",
        Problem::OneOf { .. } => "oneOf",
        Problem::AllOf { .. } => "allOf",
        Problem::Not => "not",
        Problem::Beyond(kept) => kept.keyword(),
    }
}

fn relation_keyword(relation: Relation) -> &'static str {
    match relation {
        Relation::AtLeast => "minimum",
        Relation::Above => "exclusiveMinimum",
        Relation::AtMost => "maximum",
        Relation::Below => "exclusiveMaximum",
    }
}

impl LooseProblem {
    fn keyword(self) -> &'static str {
        match self {
            Self::Never => "false",
            Self::Const => "const",
            Self::NotNumeric => "x-kubernetes-int-or-string",
            Self::Format => "format",
            Self::Limit { relation } => relation_keyword(relation),
            Self::Multiple => "multipleOf",
            Self::Overflow => "type",
            Self::UnknownKey { .. } => "additionalProperties",
            Self::PropertyName { .. } => "propertyNames",
            Self::Dependent { .. } => "dependentRequired",
            Self::FewContained { .. } => "minContains",
            Self::ManyContained { .. } => "maxContains",
            Self::Ambiguous { keyword, .. } | Self::NoMatch { keyword, .. } => keyword,
            Self::Branch { .. } | Self::TooDeep => "",
            Self::DiscriminatorMissing { .. } | Self::DiscriminatorUnknown { .. } => {
                "discriminator"
            }
            Self::UnionField { .. } | Self::UnionRequired { .. } | Self::UnionSeveral { .. } => {
                "x-kubernetes-unions"
            }
            Self::Unevaluated { .. } => "unevaluated",
            Self::Repeated { is_set: true, .. } => "x-kubernetes-list-type",
            Self::Repeated { is_set: false, .. } => "uniqueItems",
            Self::RepeatedKeys { .. } | Self::KeyMissing { .. } => "x-kubernetes-list-map-keys",
            Self::EmbeddedRequired { .. }
            | Self::EmbeddedInvalid { .. }
            | Self::EmbeddedType { .. } => "x-kubernetes-embedded-resource",
        }
    }

    /// The problem as an issue.
    pub(super) fn issue(
        self,
        scope: &Scope<'_>,
        settings: &Settings,
        schema: Id,
        value: Value<'_>,
    ) -> Issue {
        let table = scope.table;
        let node = table.node(schema);
        let document = value.document();
        let place = |id: NodeId| scope.path(id);
        let here = || place(value.id());
        let range = |of: fn(&crdkit_schema::compile::Range) -> &Option<Box<Decimal>>| {
            let limit = node.more().and_then(|more| of(&more.range).as_deref());
            limit.map_or_else(String::new, Decimal::to_string)
        };
        match self {
            Self::Never => Issue::error(codes::schema::NEVER_VALID).at(here()),
            Self::Const => {
                let constant = node.more().and_then(|more| more.constant);
                let expected = constant.map(|id| shown(table.literal(id))).unwrap_or_default();
                Issue::error(codes::schema::NOT_THE_CONSTANT).with("expected", expected).at(here())
            }
            Self::NotNumeric => Issue::error(codes::object::PATTERN_MISMATCH)
                .with("pattern", r"^-?\d+$")
                .value(value.as_str().unwrap_or_default())
                .at(here()),
            Self::Format => {
                let name = node.more().and_then(|more| more.format);
                let name = name.map_or("", |name| table.name(name));
                Issue::error(codes::object::FORMAT_MISMATCH)
                    .with("expected", name)
                    .with("hint", name)
                    .with("shown", go_json::value(value))
                    .at(here())
            }
            Self::Limit { relation } => {
                let (code, limit) = match relation {
                    Relation::AtLeast => (codes::object::TOO_SMALL, range(|it| &it.minimum)),
                    Relation::Above => {
                        (codes::object::TOO_SMALL, range(|it| &it.exclusive_minimum))
                    }
                    Relation::AtMost => (codes::object::TOO_LARGE, range(|it| &it.maximum)),
                    Relation::Below => {
                        (codes::object::TOO_LARGE, range(|it| &it.exclusive_maximum))
                    }
                };
                let exclusive = matches!(relation, Relation::Above | Relation::Below);
                Issue::error(code)
                    .with("relation", relation.text())
                    .with("limit", limit)
                    .with("exclusive", exclusive)
                    .with("actual", go_json::value(value))
                    .at(here())
            }
            Self::Multiple => Issue::error(codes::object::NOT_A_MULTIPLE)
                .with("limit", range(|it| &it.multiple_of))
                .at(here()),
            Self::Overflow => number::overflow(settings).at(here()),
            Self::UnknownKey { member } => {
                let key = document.value(member).key().unwrap_or_default();
                Issue::error(codes::schema::UNKNOWN_KEY).with("key", key).at(place(member))
            }
            Self::PropertyName { member } => {
                let key = document.value(member).key().unwrap_or_default();
                Issue::error(codes::schema::PROPERTY_NAME).with("key", key).at(place(member))
            }
            Self::Dependent { name, because } => Issue::error(codes::schema::DEPENDENT_REQUIRED)
                .with("because", table.name(because))
                .at(here().field(table.name(name))),
            Self::FewContained { matching } => {
                let expected = node.contains().map_or(0, |contains| contains.min);
                contained(codes::schema::TOO_FEW_CONTAINED, expected, matching).at(here())
            }
            Self::ManyContained { matching } => {
                let expected = node.contains().and_then(|contains| contains.max).unwrap_or(0);
                contained(codes::schema::TOO_MANY_CONTAINED, expected, matching).at(here())
            }
            Self::Ambiguous { branches, .. } => {
                let indices = (0..64).filter(|at| branches & (1 << at) != 0);
                let indices: Vec<String> = indices.map(|at: u32| at.to_string()).collect();
                Issue::error(codes::schema::UNION_AMBIGUOUS)
                    .with("branches", indices.join(", "))
                    .at(here())
            }
            Self::NoMatch { closest, .. } => Issue::error(codes::schema::UNION_NO_MATCH)
                .with("hint", format!("closest is {closest}"))
                .with("branch", i64::from(closest))
                .at(here()),
            // Never shown; it only says which alternative the findings after it belong to.
            Self::Branch { index, .. } => Issue::error(codes::schema::UNION_NO_MATCH)
                .with("hint", format!("closest is {index}"))
                .at(here()),
            Self::DiscriminatorMissing { name } => {
                Issue::error(codes::schema::DISCRIMINATOR_MISSING)
                    .at(here().field(table.name(name)))
            }
            Self::DiscriminatorUnknown { member } => {
                let found = document.value(member).as_str().unwrap_or_default();
                Issue::error(codes::schema::DISCRIMINATOR_UNKNOWN)
                    .with("found", found)
                    .with("hint", found)
                    .at(place(member))
            }
            Self::UnionField { member, discriminator } => {
                let field = document.value(member).key().unwrap_or_default();
                Issue::error(codes::schema::UNION_FIELD)
                    .with("field", field)
                    .with("discriminator", table.name(discriminator))
                    .at(place(member))
            }
            Self::UnionRequired { name } | Self::KeyMissing { name } => {
                Issue::error(codes::object::REQUIRED).at(here().field(table.name(name)))
            }
            Self::Unevaluated { child } => {
                let what = match document.value(child).key() {
                    Some(key) => format!("`{key}`"),
                    None => "this item".into(),
                };
                Issue::error(codes::schema::UNEVALUATED).with("what", what).at(place(child))
            }
            Self::UnionSeveral { member, first } => {
                let key = |id: NodeId| document.value(id).key().unwrap_or_default();
                Issue::error(codes::schema::UNION_SEVERAL)
                    .with("field", key(member))
                    .with("other", key(first))
                    .at(place(member))
            }
            Self::Repeated { first, .. } => {
                repeated(codes::object::REPEATED_ITEM, place(first), here())
                    .value(validate::shown(value))
            }
            Self::RepeatedKeys { first } => {
                repeated(codes::object::REPEATED_KEYS, place(first), here())
                    .with("keys", shown_keys(table, node, value))
            }
            Self::EmbeddedRequired { name } => {
                Issue::error(codes::object::EMBEDDED_REQUIRED).at(here().field(name))
            }
            Self::EmbeddedInvalid { member } => {
                let member_value = document.value(member);
                let name = member_value.key().unwrap_or_default();
                let problem = TypeProblem::of(name, member_value);
                Issue::error(codes::object::EMBEDDED_INVALID)
                    .with("problem", problem.map(|it| it.text()).unwrap_or_default())
                    .value(member_value.as_str().unwrap_or_default())
                    .at(place(member))
            }
            Self::EmbeddedType { member, expected } => {
                let found = validate::type_name(document.value(member));
                validate::wrong_type(expected, found).at(place(member))
            }
            Self::TooDeep => Issue::error(codes::schema::TOO_DEEP).at(here()),
        }
    }
}

/// A list with too few or too many items that `contains` asks for.
pub(crate) fn contained(code: Code, expected: u64, matching: Indices) -> Issue {
    Issue::error(code)
        .with("expected", i64::try_from(expected).unwrap_or(i64::MAX))
        .with("actual", i64::from(matching.count))
        .with("indices", matching.text())
}

/// The keys that tell `item` apart in a list of the schema `list`.
pub(crate) fn shown_keys(table: &Table, list: &Node, item: Value<'_>) -> Arg {
    let names = list.list_map_keys().iter().map(|name| table.name(*name));
    let keys = names.filter_map(|name| {
        let value = item.get(name)?;
        Some(format!("{}:{}", quote(name), go_json::value(value)))
    });
    let keys: Vec<String> = keys.collect();
    Arg::Literal(format!("{{{}}}", keys.join(",")).into())
}

/// An item at `path` that is the same as the one at `first`.
pub(crate) fn repeated(code: Code, first: FieldPath, path: FieldPath) -> Issue {
    let index = |path: &FieldPath| match path.segments().last() {
        Some(Segment::Index(index)) => *index,
        _ => 0,
    };
    Issue::error(code)
        .with("first", index(&first))
        .with("index", index(&path))
        .first_at(first)
        .at(path)
}

fn shown(constant: &Literal) -> String {
    match constant {
        Literal::String(text) => quote(text),
        other => literal(other),
    }
}
