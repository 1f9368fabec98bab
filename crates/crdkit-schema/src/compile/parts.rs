//! What one schema says, as the compiler takes it.
//!
//! The model of a CRD comes in here: names and patterns are in the table afterwards, and schemas inside it are ids.

use super::build::{Compiler, Reading};
use super::format::{Format, FormatKind};
use super::more::More;
use super::node::{Additional, Bounds, CompiledRule, Junctors, ListType, Types};
use super::pattern::{Pattern, PatternId};
use super::table::Id;
use crate::field_path::{self, Brackets};
use crate::model::{self, Schema, SchemaId};
use crdkit_value::Value;

/// Everything that one schema says, before it is a [`Node`](super::Node).
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "keywords that are true or false")]
pub struct SchemaParts<'d> {
    /// `type`.
    pub types: Types,
    /// `nullable`.
    pub nullable: bool,
    /// `x-kubernetes-preserve-unknown-fields`.
    pub preserves: bool,
    /// `x-kubernetes-embedded-resource`.
    pub is_embedded: bool,
    /// `x-kubernetes-map-type: atomic`.
    pub is_atomic_map: bool,
    /// Whether it is the schema of whole objects.
    pub is_root: bool,
    /// `x-kubernetes-list-type`.
    pub list_type: ListType,
    /// `x-kubernetes-list-map-keys`.
    pub list_map_keys: &'d [&'d str],
    /// `format`, if it is checked.
    pub format: Option<Format>,
    /// `pattern`.
    pub pattern: Option<PatternId>,
    /// `items`.
    pub items: Option<Id>,
    /// `properties`, each name once.
    pub properties: Vec<(&'d str, Id)>,
    /// `additionalProperties`.
    pub additional: Additional,
    /// `required`.
    pub required: &'d [&'d str],
    /// Limits on numbers, lengths and counts.
    pub bounds: Bounds,
    /// `enum`.
    pub enum_values: Option<Value<'d>>,
    /// Schemas combined by logic.
    pub junctors: Junctors,
    /// `x-kubernetes-validations`.
    pub rules: Box<[CompiledRule]>,
    /// `default`.
    pub default: Option<Value<'d>>,
    /// The keywords of JSON Schema that CRDs lack.
    pub more: Option<Box<More>>,
}

/// A schema of the model, with the ids of those that were compiled before it.
#[derive(Clone, Copy)]
pub(super) struct SchemaSource<'s, 'd> {
    pub(super) schemas: &'s model::Schemas<'d>,
    pub(super) id: SchemaId,
    pub(super) schema: &'s Schema<'d>,
    pub(super) ids: &'s [Id],
}

impl SchemaSource<'_, '_> {
    fn child(&self, id: SchemaId) -> Option<Id> {
        self.ids.get(id.index()).copied()
    }
}

impl Compiler {
    /// What a schema of a CRD says.
    pub(super) fn parts<'s>(
        &mut self,
        source: SchemaSource<'s, '_>,
        is_root: bool,
        reading: Reading,
    ) -> SchemaParts<'s> {
        let SchemaSource { schemas, id, schema, .. } = source;
        let child = |id: SchemaId| source.child(id);
        let children = |ids: &[SchemaId]| ids.iter().copied().filter_map(child).collect();
        let (extensions, junctors) = (schema.extensions(), schema.junctors());
        let types = match (extensions.int_or_string, reading) {
            (true, Reading::Objects { .. }) => Types::IntOrString,
            _ => match Types::named(schema.type_name) {
                Types::Any if !schema.type_name.is_empty() => {
                    Types::Other(self.name(schema.type_name))
                }
                types => types,
            },
        };
        let kind = match reading {
            Reading::Objects { .. } => FormatKind::named(schema.format, types),
            Reading::Defaults => FormatKind::as_written(schema.format),
        };
        let properties = schema.properties.iter();
        SchemaParts {
            types,
            nullable: schema.nullable,
            preserves: schema.preserves_unknown_fields(),
            is_embedded: extensions.embedded_resource,
            is_atomic_map: extensions.map_type == Some("atomic"),
            is_root,
            list_type: ListType::named(extensions.list_type),
            list_map_keys: &extensions.list_map_keys,
            format: kind.map(|kind| Format { name: self.name(schema.format), kind }),
            pattern: (!schema.pattern.is_empty())
                .then(|| self.pattern(Pattern::new(schema.pattern))),
            items: schema.item_schema().and_then(child),
            properties: properties.filter_map(|(name, id)| Some((name, child(id)?))).collect(),
            additional: match schema.additional_properties {
                None => Additional::Absent,
                Some(model::Additional::Allowed(allowed)) => Additional::Allowed(allowed),
                Some(model::Additional::Schema(id)) => {
                    child(id).map_or(Additional::Absent, Additional::Schema)
                }
            },
            required: &schema.required,
            bounds: bounds(schema.bounds()),
            enum_values: schema.enum_values,
            junctors: Junctors {
                any_of: children(&junctors.any_of),
                one_of: children(&junctors.one_of),
                all_of: children(&junctors.all_of),
                not: junctors.not.and_then(child),
            },
            rules: extensions.validations.iter().map(|it| rule(schemas, id, it)).collect(),
            default: schema.default,
            more: None,
        }
    }
}

fn bounds(bounds: &model::Bounds) -> Bounds {
    Bounds {
        maximum: bounds.maximum.map(Into::into),
        exclusive_maximum: bounds.exclusive_maximum,
        minimum: bounds.minimum.map(Into::into),
        exclusive_minimum: bounds.exclusive_minimum,
        multiple_of: bounds.multiple_of.map(Into::into),
        max_length: bounds.max_length,
        min_length: bounds.min_length,
        max_items: bounds.max_items,
        min_items: bounds.min_items,
        max_properties: bounds.max_properties,
        min_properties: bounds.min_properties,
    }
}

fn rule(schemas: &model::Schemas<'_>, id: SchemaId, rule: &model::Rule<'_>) -> CompiledRule {
    let resolved = field_path::resolve(schemas, id, rule.field_path, Brackets::Allowed);
    CompiledRule {
        rule: rule.rule.into(),
        message: rule.message.into(),
        message_expression: rule.message_expression.into(),
        reason: rule.reason.map(Into::into),
        field_path: resolved.map(|resolved| resolved.path).unwrap_or_default(),
        optional_old_self: rule.optional_old_self == Some(true),
    }
}
