//! Steps from a schema to the schemas it contains.
//!
//! A step is unambiguous, unlike the text it is shown as: a property called `items` is not the
//! keyword.

use crdkit_schema::model::{Additional, Dependency, Items, Schema, SchemaId};
use std::fmt;

/// One step down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaStep<'d> {
    Items,
    Item(usize),
    AllOf(usize),
    AnyOf(usize),
    OneOf(usize),
    Not,
    Property(&'d str),
    AdditionalProperties,
    PatternProperty(&'d str),
    AdditionalItems,
    Definition(&'d str),
    Dependency(&'d str),
}

impl<'d> SchemaStep<'d> {
    /// Every step that leads somewhere from `schema`.
    pub(crate) fn all(schema: &Schema<'d>) -> Vec<(Self, SchemaId)> {
        let mut steps = Vec::new();
        match &schema.items {
            Some(Items::Schema(id)) => steps.push((Self::Items, *id)),
            Some(Items::List(ids)) => numbered(ids, Self::Item, &mut steps),
            Some(Items::Neither) | None => {}
        }
        let junctors = schema.junctors();
        numbered(&junctors.all_of, Self::AllOf, &mut steps);
        numbered(&junctors.any_of, Self::AnyOf, &mut steps);
        numbered(&junctors.one_of, Self::OneOf, &mut steps);
        steps.extend(junctors.not.map(|id| (Self::Not, id)));
        steps.extend(schema.properties.iter().map(|(name, id)| (Self::Property(name), id)));
        steps.extend(schema.additional_schema().map(|id| (Self::AdditionalProperties, id)));
        let legacy = schema.legacy();
        let named =
            |entries: &Option<Vec<(&'d str, SchemaId)>>| entries.clone().unwrap_or_default();
        let patterns = named(&legacy.pattern_properties).into_iter();
        steps.extend(patterns.map(|(name, id)| (Self::PatternProperty(name), id)));
        if let Some(Additional::Schema(id)) = legacy.additional_items {
            steps.push((Self::AdditionalItems, id));
        }
        let definitions = named(&legacy.definitions).into_iter();
        steps.extend(definitions.map(|(name, id)| (Self::Definition(name), id)));
        for (name, dependency) in legacy.dependencies.iter().flatten() {
            if let Dependency::Schema(id) = dependency {
                steps.push((Self::Dependency(name), *id));
            }
        }
        steps
    }

    /// Where this step leads from `schema`.
    pub(crate) fn follow(self, schema: &Schema<'_>) -> Option<SchemaId> {
        let junctors = schema.junctors();
        let legacy = schema.legacy();
        let named = |entries: &Option<Vec<(&str, SchemaId)>>, name: &str| {
            entries.iter().flatten().find(|(known, _)| *known == name).map(|(_, id)| *id)
        };
        match self {
            Self::Items => schema.item_schema(),
            Self::Item(index) => match &schema.items {
                Some(Items::List(ids)) => ids.get(index).copied(),
                _ => None,
            },
            Self::AllOf(index) => junctors.all_of.get(index).copied(),
            Self::AnyOf(index) => junctors.any_of.get(index).copied(),
            Self::OneOf(index) => junctors.one_of.get(index).copied(),
            Self::Not => junctors.not,
            Self::Property(name) => schema.properties.get(name),
            Self::AdditionalProperties => schema.additional_schema(),
            Self::PatternProperty(name) => named(&legacy.pattern_properties, name),
            Self::AdditionalItems => match legacy.additional_items {
                Some(Additional::Schema(id)) => Some(id),
                _ => None,
            },
            Self::Definition(name) => named(&legacy.definitions, name),
            Self::Dependency(name) => {
                let mut entries = legacy.dependencies.iter().flatten();
                match entries.find(|(known, _)| *known == name)? {
                    (_, Dependency::Schema(id)) => Some(*id),
                    _ => None,
                }
            }
        }
    }
}

fn numbered<'d>(
    ids: &[SchemaId],
    step: fn(usize) -> SchemaStep<'d>,
    steps: &mut Vec<(SchemaStep<'d>, SchemaId)>,
) {
    steps.extend(ids.iter().enumerate().map(|(index, id)| (step(index), *id)));
}

/// The step as crdify writes it.
impl fmt::Display for SchemaStep<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Items => f.write_str(".items"),
            Self::Item(index) => write!(f, ".items[{index}]"),
            Self::AllOf(index) => write!(f, ".allOf[{index}]"),
            Self::AnyOf(index) => write!(f, ".anyOf[{index}]"),
            Self::OneOf(index) => write!(f, ".oneOf[{index}]"),
            Self::Not => f.write_str(".not"),
            Self::Property("") => f.write_str("[]"),
            Self::Property(name) => write!(f, ".{name}"),
            Self::AdditionalProperties => f.write_str(".additionalProperties"),
            Self::PatternProperty(name) => write!(f, ".patternProperties[{name}]"),
            Self::AdditionalItems => f.write_str(".additionalItems"),
            Self::Definition(name) => write!(f, ".definitions[{name}]"),
            Self::Dependency(name) => write!(f, ".dependencies[{name}]"),
        }
    }
}
