//! Schema objects into the flat table.
//!
//! A schema's id is given out before its children are read, so children come after their parents
//! and a `$ref` may lead to a schema that is still being read.

use super::fields::{flag, optional_text, present, strings, text, text_map};
use crate::model::{
    Additional, Bounds, Dependency, Extensions, ExternalDocs, Items, Junctors, Legacy, Properties,
    Published, Rule, Schema, SchemaId, Schemas, Union,
};
use crdkit_issue::{Issue, codes};
use crdkit_text::kind::{GroupVersion, GroupVersionKind};
use crdkit_value::{Kind, Value};

/// Schemas nest no deeper than this, so that walks over them may recurse.
pub const MAX_DEPTH: usize = 200;

/// Reads schemas; made for one document.
pub(super) struct SchemaReader<'d> {
    rows: Vec<Option<Schema<'d>>>,
    pending: Vec<(SchemaId, Value<'d>, usize)>,
    root: Value<'d>,
    pub(super) issues: Vec<Issue>,
}

impl<'d> SchemaReader<'d> {
    pub(super) fn new(root: Value<'d>) -> Self {
        Self { rows: Vec::new(), pending: Vec::new(), root, issues: Vec::new() }
    }

    /// The id of the schema at `value`, which will be read by [`Self::run`].
    pub(super) fn add(&mut self, value: Value<'d>, depth: usize) -> SchemaId {
        let id = SchemaId(u32::try_from(self.rows.len()).unwrap_or(u32::MAX));
        self.rows.push(None);
        self.pending.push((id, value, depth));
        id
    }

    /// Reads what was added, and what that contains.
    pub(super) fn run(&mut self) {
        while let Some((id, value, depth)) = self.pending.pop() {
            let schema = if depth > MAX_DEPTH {
                self.too_deep(value);
                Schema::new(value)
            } else {
                self.schema(value, depth + 1)
            };
            if let Some(row) = self.rows.get_mut(id.index()) {
                *row = Some(schema);
            }
        }
    }

    /// The table, and what could not be read into it.
    pub(super) fn finish(self) -> (Schemas<'d>, Vec<Issue>) {
        let empty = Schema::new(self.root);
        let rows = self.rows.into_iter().map(|row| row.unwrap_or_else(|| empty.clone())).collect();
        (Schemas { rows, empty: Box::new(empty) }, self.issues)
    }

    /// Changes the schema called `id`, which has been read.
    pub(super) fn get_mut(&mut self, id: SchemaId) -> Option<&mut Schema<'d>> {
        self.rows.get_mut(id.index())?.as_mut()
    }

    /// How many ids were given out.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    fn too_deep(&mut self, value: Value<'d>) {
        // One finding says it; a wide schema must not repeat it for every sibling.
        if self.issues.is_empty() {
            let mut issue = Issue::error(codes::crd::SCHEMA_TOO_DEEP).with("limit", MAX_DEPTH);
            issue.span = value.document().place(value.id()).map(|place| place.value);
            self.issues.push(issue.at(value.path()));
        }
    }

    /// `depth` is that of the children.
    fn schema(&mut self, value: Value<'d>, depth: usize) -> Schema<'d> {
        let mut schema = Schema::new(value);
        for (key, member) in value.members() {
            match key {
                "type" => schema.type_name = member.as_str().unwrap_or_default(),
                "format" => schema.format = member.as_str().unwrap_or_default(),
                "description" => schema.description = member.as_str().unwrap_or_default(),
                "pattern" => schema.pattern = member.as_str().unwrap_or_default(),
                "default" => schema.default = Some(member).filter(|value| !value.is_null()),
                "enum" => schema.enum_values = Some(member).filter(|it| it.as_array().is_some()),
                "nullable" => schema.nullable = member.as_bool().unwrap_or_default(),
                "uniqueItems" => schema.unique_items = member.as_bool().unwrap_or_default(),
                "required" => schema.required = strings(member),
                "properties" => schema.properties = Properties::new(self.map(member, depth)),
                "items" => schema.items = self.items(member, depth),
                "additionalProperties" => {
                    schema.additional_properties = self.additional(member, depth);
                }
                _ => {
                    let known = bound(key, member, &mut schema)
                        || self.junctor(key, member, depth, &mut schema)
                        || extension(key, member, &mut schema)
                        || self.legacy(key, member, depth, &mut schema);
                    if !known {
                        published(key, member, &mut schema);
                        schema.unknown.push((key, member));
                    }
                }
            }
        }
        schema
    }

    fn map(&mut self, map: Value<'d>, depth: usize) -> Vec<(&'d str, SchemaId)> {
        map.members().map(|(name, value)| (name, self.add(value, depth))).collect()
    }

    fn list(&mut self, list: Value<'d>, depth: usize) -> Vec<SchemaId> {
        list.items().map(|value| self.add(value, depth)).collect()
    }

    fn items(&mut self, value: Value<'d>, depth: usize) -> Option<Items> {
        Some(match value.kind() {
            Kind::Null => return None,
            Kind::Object(_) => Items::Schema(self.add(value, depth)),
            Kind::Array(items) if items.len() > 0 => Items::List(self.list(value, depth)),
            _ => Items::Neither,
        })
    }

    fn additional(&mut self, value: Value<'d>, depth: usize) -> Option<Additional> {
        match value.kind() {
            Kind::Object(_) => Some(Additional::Schema(self.add(value, depth))),
            Kind::Bool(allowed) => Some(Additional::Allowed(allowed)),
            _ => None,
        }
    }

    fn junctor(
        &mut self,
        key: &str,
        value: Value<'d>,
        depth: usize,
        schema: &mut Schema<'d>,
    ) -> bool {
        let junctors: &mut Junctors = match key {
            "allOf" | "anyOf" | "oneOf" | "not" => schema.junctors.get_or_insert_default(),
            _ => return false,
        };
        match key {
            "allOf" => junctors.all_of = self.list(value, depth),
            "anyOf" => junctors.any_of = self.list(value, depth),
            "oneOf" => junctors.one_of = self.list(value, depth),
            _ => {
                junctors.not = value.as_object().is_some().then(|| self.add(value, depth));
            }
        }
        true
    }

    fn legacy(
        &mut self,
        key: &str,
        value: Value<'d>,
        depth: usize,
        schema: &mut Schema<'d>,
    ) -> bool {
        let known = matches!(
            key,
            "id" | "$schema"
                | "$ref"
                | "title"
                | "externalDocs"
                | "example"
                | "additionalItems"
                | "patternProperties"
                | "definitions"
                | "dependencies"
        );
        if !known || value.is_null() {
            return known;
        }
        let legacy: &mut Legacy<'d> = schema.legacy.get_or_insert_default();
        match key {
            "id" => legacy.id = value.as_str().unwrap_or_default(),
            "$schema" => legacy.schema = value.as_str().unwrap_or_default(),
            "$ref" => legacy.reference = value.as_str(),
            "title" => legacy.title = value.as_str().unwrap_or_default(),
            "example" => legacy.example = Some(value),
            "additionalItems" => legacy.additional_items = self.additional(value, depth),
            "patternProperties" => legacy.pattern_properties = Some(self.map(value, depth)),
            "definitions" => legacy.definitions = Some(self.map(value, depth)),
            "externalDocs" => {
                let (description, url) = (text(value, "description"), text(value, "url"));
                legacy.external_docs = Some(ExternalDocs { description, url });
            }
            _ => {
                let members = value.members();
                let read = members.map(|(name, value)| (name, self.dependency(value, depth)));
                legacy.dependencies = Some(read.collect());
            }
        }
        true
    }

    fn dependency(&mut self, value: Value<'d>, depth: usize) -> Dependency<'d> {
        match value.kind() {
            Kind::Object(_) => Dependency::Schema(self.add(value, depth)),
            Kind::Array(_) => Dependency::Names(strings(value)),
            _ => Dependency::Neither,
        }
    }
}

fn bound(key: &str, value: Value<'_>, schema: &mut Schema<'_>) -> bool {
    let known = matches!(
        key,
        "maximum"
            | "exclusiveMaximum"
            | "minimum"
            | "exclusiveMinimum"
            | "multipleOf"
            | "maxLength"
            | "minLength"
            | "maxItems"
            | "minItems"
            | "maxProperties"
            | "minProperties"
    );
    if !known {
        return false;
    }
    let bounds: &mut Bounds = schema.bounds.get_or_insert_default();
    match key {
        "maximum" => bounds.maximum = value.as_f64(),
        "exclusiveMaximum" => bounds.exclusive_maximum = value.as_bool().unwrap_or_default(),
        "minimum" => bounds.minimum = value.as_f64(),
        "exclusiveMinimum" => bounds.exclusive_minimum = value.as_bool().unwrap_or_default(),
        "multipleOf" => bounds.multiple_of = value.as_f64(),
        "maxLength" => bounds.max_length = value.as_i64(),
        "minLength" => bounds.min_length = value.as_i64(),
        "maxItems" => bounds.max_items = value.as_i64(),
        "minItems" => bounds.min_items = value.as_i64(),
        "maxProperties" => bounds.max_properties = value.as_i64(),
        _ => bounds.min_properties = value.as_i64(),
    }
    true
}

fn extension<'d>(key: &str, value: Value<'d>, schema: &mut Schema<'d>) -> bool {
    let Some(name) = key.strip_prefix("x-kubernetes-") else { return false };
    let known = matches!(
        name,
        "preserve-unknown-fields"
            | "embedded-resource"
            | "int-or-string"
            | "list-map-keys"
            | "list-type"
            | "map-type"
            | "validations"
    );
    if !known {
        return false;
    }
    let extensions: &mut Extensions<'d> = schema.extensions.get_or_insert_default();
    match name {
        "preserve-unknown-fields" => extensions.preserve_unknown_fields = value.as_bool(),
        "embedded-resource" => extensions.embedded_resource = value.as_bool().unwrap_or_default(),
        "int-or-string" => extensions.int_or_string = value.as_bool().unwrap_or_default(),
        "list-map-keys" => extensions.list_map_keys = strings(value),
        "list-type" => extensions.list_type = value.as_str(),
        "map-type" => extensions.map_type = value.as_str(),
        _ => extensions.validations = value.items().map(rule).collect(),
    }
    true
}

fn rule(value: Value<'_>) -> Rule<'_> {
    Rule {
        source: value,
        rule: text(value, "rule"),
        message: text(value, "message"),
        message_expression: text(value, "messageExpression"),
        reason: optional_text(value, "reason"),
        field_path: text(value, "fieldPath"),
        optional_old_self: present(value, "optionalOldSelf")
            .map(|_| flag(value, "optionalOldSelf")),
    }
}

fn published<'d>(key: &str, value: Value<'d>, schema: &mut Schema<'d>) {
    let known = matches!(
        key,
        "x-kubernetes-unions"
            | "x-kubernetes-patch-strategy"
            | "x-kubernetes-patch-merge-key"
            | "x-kubernetes-group-version-kind"
            | "x-kubernetes-action"
    );
    if !known {
        return;
    }
    let published: &mut Published<'d> = schema.published.get_or_insert_default();
    match key {
        "x-kubernetes-unions" => published.unions = value.items().map(union).collect(),
        "x-kubernetes-patch-strategy" => {
            let strategies = value.as_str().into_iter().flat_map(|text| text.split(','));
            published.patch_strategy = strategies.collect();
        }
        "x-kubernetes-patch-merge-key" => published.patch_merge_key = value.as_str(),
        "x-kubernetes-action" => published.action = value.as_str(),
        _ if value.as_object().is_some() => {
            published.group_version_kind = vec![group_version_kind(value)];
        }
        _ => published.group_version_kind = value.items().map(group_version_kind).collect(),
    }
}

fn union(value: Value<'_>) -> Union<'_> {
    let fields = text_map(value, "fields-to-discriminateBy");
    Union { discriminator: optional_text(value, "discriminator"), fields }
}

fn group_version_kind(value: Value<'_>) -> GroupVersionKind {
    let version = GroupVersion { group: text(value, "group"), version: text(value, "version") };
    version.kind(text(value, "kind"))
}
