//! The `x-kubernetes-*` keywords of one schema, rules excepted.

use super::root::Context;
use super::{at, supported};
use crate::internal_json;
use crate::model::{Items, Schema, Schemas};
use crate::path::Path;
use crdkit_codec::go_json;
use crdkit_issue::{Arg, Code, Issue, codes};
use std::collections::BTreeSet;

/// How many findings about the keys of one list are worth having.
const MOST_KEY_FINDINGS: usize = 100;

/// Checks one schema object.
pub(super) fn check(
    context: Context<'_, '_>,
    schema: &Schema<'_>,
    path: &Path<'_>,
    issues: &mut Vec<Issue>,
) {
    let extensions = schema.extensions();
    if extensions.preserve_unknown_fields == Some(false) {
        let keyword = "x-kubernetes-preserve-unknown-fields";
        let issue =
            at(codes::crd::PRESERVE_FALSE, &path.field(keyword), schema.source.get(keyword));
        issues.push(issue.value(false));
    }
    let mut check = ExtensionCheck { context, schema, path, issues };
    if let Some(map_type) = extensions.map_type {
        let codes = (codes::crd::MAP_TYPE_NEEDS_TYPE, codes::crd::MAP_TYPE_NEEDS_OBJECT);
        check.needs_type("object", codes);
        check.one_of("x-kubernetes-map-type", map_type, &["atomic", "granular"]);
    }
    if let Some(list_type) = extensions.list_type {
        let codes = (codes::crd::LIST_TYPE_NEEDS_TYPE, codes::crd::LIST_TYPE_NEEDS_ARRAY);
        if check.needs_type("array", codes) && context.options.require_atomic_set {
            check.atomic_set();
        }
        check.one_of("x-kubernetes-list-type", list_type, &["atomic", "set", "map"]);
    }
    check.list_map();
    if context.options.require_list_map_keys {
        issues.extend(list_map_keys(context.schemas, schema, path));
    }
}

/// Whether a list of type `set` has items that can be merged.
pub(super) fn non_atomic_set(schemas: &Schemas<'_>, schema: &Schema<'_>) -> bool {
    let item = schema.item_schema().filter(|_| schema.extensions().list_type == Some("set"));
    item.is_some_and(|item| {
        let item = schemas.get(item);
        let extensions = item.extensions();
        match item.type_name {
            "array" => !matches!(extensions.list_type, None | Some("atomic")),
            "object" => extensions.map_type != Some("atomic"),
            _ => false,
        }
    })
}

/// Whether an item of a list of type `map` could lack a key.
pub(super) fn breaks_list_map_keys(schemas: &Schemas<'_>, schema: &Schema<'_>) -> bool {
    !list_map_keys(schemas, schema, &Path::Root).is_empty()
}

struct ExtensionCheck<'a, 'c, 'd> {
    context: Context<'c, 'd>,
    schema: &'a Schema<'d>,
    path: &'a Path<'a>,
    issues: &'a mut Vec<Issue>,
}

impl ExtensionCheck<'_, '_, '_> {
    fn report(&mut self, code: Code, path: &Path<'_>) {
        self.issues.push(at(code, path, Some(self.schema.source)));
    }

    fn needs_type(&mut self, type_name: &str, (missing, wrong): (Code, Code)) -> bool {
        let path = self.path.field("type");
        match self.schema.type_name {
            "" => self.report(missing, &path),
            found if found != type_name => {
                self.issues.push(at(wrong, &path, self.schema.source.get("type")).value(found));
            }
            _ => return true,
        }
        false
    }

    fn one_of(&mut self, keyword: &str, value: &str, known: &[&str]) {
        if !known.contains(&value) {
            let source = self.schema.source.get(keyword);
            let issue = at(codes::crd::UNSUPPORTED_VALUE, &self.path.field(keyword), source);
            self.issues.push(issue.value(value).with("supported", supported(known)));
        }
    }

    /// The server shows the item's list type where it means its map type.
    fn atomic_set(&mut self) {
        let Some(item) = self.schema.item_schema() else { return };
        if !non_atomic_set(self.context.schemas, self.schema) {
            return;
        }
        let item = self.context.schemas.get(item);
        let keyword = match item.type_name {
            "array" => "x-kubernetes-list-type",
            _ => "x-kubernetes-map-type",
        };
        let shown = match item.extensions().list_type {
            Some(list_type) => go_json::string(list_type),
            None => "null".into(),
        };
        let path = self.path.field("items");
        let issue = at(codes::crd::SET_ITEMS_ATOMIC, &path.field(keyword), Some(item.source));
        self.issues.push(issue.value(Arg::Literal(shown.into())));
    }

    fn list_map(&mut self) {
        let extensions = self.schema.extensions();
        let (list_type, keys) = (extensions.list_type, &extensions.list_map_keys);
        let type_path = self.path.field("x-kubernetes-list-type");
        match list_type {
            None if !keys.is_empty() => {
                self.report(codes::crd::LIST_MAP_KEYS_NEED_LIST_TYPE, &type_path);
            }
            Some(list_type) if !keys.is_empty() && list_type != "map" => {
                let issue =
                    at(codes::crd::LIST_MAP_KEYS_NEED_MAP, &type_path, Some(self.schema.source));
                self.issues.push(issue.value(list_type));
            }
            _ => {}
        }
        if list_type != Some("map") {
            return;
        }
        if keys.is_empty() {
            let path = self.path.field("x-kubernetes-list-map-keys");
            self.report(codes::crd::LIST_MAP_KEYS_REQUIRED, &path);
        }
        let path = self.path.field("items");
        match &self.schema.items {
            None => self.report(codes::crd::LIST_MAP_NEEDS_ITEMS, &path),
            Some(Items::List(_) | Items::Neither) => {
                let shown = internal_json::items(self.context.schemas, self.schema);
                let issue = at(codes::crd::LIST_MAP_SINGLE_SCHEMA, &path, Some(self.schema.source));
                self.issues.push(issue.value(Arg::Literal(shown.into())));
            }
            Some(Items::Schema(item)) => {
                let item = self.context.schemas.get(*item);
                if item.type_name == "object" {
                    self.list_map_properties(item);
                } else {
                    let path = path.field("type");
                    let issue = at(codes::crd::LIST_MAP_ITEMS_OBJECT, &path, Some(item.source));
                    self.issues.push(issue.value(item.type_name));
                }
            }
        }
    }

    fn list_map_properties(&mut self, item: &Schema<'_>) {
        let keys = &self.schema.extensions().list_map_keys;
        let keys_path = self.path.field("x-kubernetes-list-map-keys");
        let items_path = self.path.field("items");
        let properties = items_path.field("properties");
        let mut seen = BTreeSet::new();
        let before = self.issues.len();
        let shown = || Arg::Literal(go_json::strings(keys.iter().copied()).into());
        for key in keys {
            // Each finding shows the whole list, so that many of them would take quadratic room.
            if self.issues.len() - before > MOST_KEY_FINDINGS {
                break;
            }
            let source = self.schema.source.get("x-kubernetes-list-map-keys");
            let report = |code| at(code, &keys_path, source).value(shown());
            match item.properties.get(key).map(|id| self.context.schemas.get(id)) {
                None => self.issues.push(report(codes::crd::LIST_MAP_KEY_UNKNOWN)),
                Some(property) if matches!(property.type_name, "array" | "object") => {
                    let path = properties.key(key);
                    let path = path.field("type");
                    let issue = at(codes::crd::LIST_MAP_KEY_SCALAR, &path, Some(property.source));
                    self.issues.push(issue.value(item.type_name));
                }
                Some(_) => {}
            }
            if !seen.insert(*key) {
                self.issues.push(report(codes::crd::LIST_MAP_KEY_DUPLICATE));
            }
        }
    }
}

/// Items must not be nullable, and every item of a `map` must have its keys.
fn list_map_keys(schemas: &Schemas<'_>, schema: &Schema<'_>, path: &Path<'_>) -> Vec<Issue> {
    let mut issues = Vec::new();
    let extensions = schema.extensions();
    let (Some(item), Some(list_type @ ("set" | "map"))) =
        (schema.item_schema(), extensions.list_type)
    else {
        return issues;
    };
    let item = schemas.get(item);
    let items_path = path.field("items");
    if item.nullable {
        let issue =
            at(codes::crd::LIST_ITEMS_NULLABLE, &items_path.field("nullable"), Some(item.source));
        issues.push(issue.with("type", list_type));
    }
    if list_type == "set" {
        return issues;
    }
    let required: BTreeSet<&str> = item.required.iter().copied().collect();
    let properties = items_path.field("properties");
    for key in &extensions.list_map_keys {
        let Some(property) = item.properties.get(key) else { continue };
        let property = schemas.get(property);
        let path = properties.key(key);
        if !required.contains(key) && property.default.is_none() {
            let path = path.field("default");
            issues.push(at(codes::crd::LIST_MAP_KEY_OPTIONAL, &path, Some(property.source)));
        }
        if property.nullable {
            let path = path.field("nullable");
            issues.push(at(codes::crd::LIST_MAP_KEY_NULLABLE, &path, Some(property.source)));
        }
    }
    issues
}
