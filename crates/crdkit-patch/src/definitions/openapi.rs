//! Types from OpenAPI definitions.
//!
//! Upstream: `kube-openapi/pkg/schemaconv/openapi.go`.

use super::{Definitions, FieldRow, ListRow, MapRow, RowId, Strategy, TypeRef, TypeRow};
use crate::typed::{ListKind, ScalarKind};
use crdkit_value::{Document, Value};

impl Definitions {
    /// The types that `definitions` has: an object with a schema for each name, as `definitions` of OpenAPI 2 and
    /// `components.schemas` of OpenAPI 3 are.
    pub fn from_openapi(definitions: Value<'_>) -> Self {
        let mut types = Self::default();
        for (at, (name, _)) in definitions.members().enumerate() {
            types.names.insert(name.into(), RowId(u32::try_from(at).unwrap_or(u32::MAX)));
            types.rows.push(TypeRow::default());
        }
        for (name, schema) in definitions.members() {
            let kinds = schema.get("x-kubernetes-group-version-kind");
            for kind in kinds.into_iter().flat_map(Value::items) {
                let text = |key| kind.get(key).and_then(Value::as_str).unwrap_or_default();
                let slash = if text("group").is_empty() { "" } else { "/" };
                let id = format!("{}{slash}{}/{}", text("group"), text("version"), text("kind"));
                types.kinds.extend(types.names.get(name).map(|row| (id.into(), *row)));
            }
        }
        for (at, (name, schema)) in definitions.members().enumerate() {
            let row = types.row_of(name, schema);
            if let Some(slot) = types.rows.get_mut(at) {
                *slot = row;
            }
        }
        types.make_granular();
        types
    }

    /// Gives the fields that say so a granular type, where the definition they refer to is one leaf.
    fn make_granular(&mut self) {
        for at in 0..self.rows.len() {
            let Some(TypeRow { map: Some(map), .. }) = self.rows.get(at) else { continue };
            let mut fields = map.fields.clone();
            for field in fields.iter_mut().filter(|field| field.is_granular) {
                let TypeRef::Row(id) = field.of else { continue };
                let Some(mut row) = self.row(id).cloned() else { continue };
                row.map.iter_mut().for_each(|map| map.atomic = false);
                field.of = TypeRef::Row(self.add(row));
            }
            if let Some(TypeRow { map: Some(map), .. }) = self.rows.get_mut(at) {
                map.fields = fields;
            }
        }
    }

    fn row_of(&mut self, name: &str, schema: Value<'_>) -> TypeRow {
        match name.rsplit('.').next() {
            Some("Quantity") => TypeRow { scalar: Some(ScalarKind::Any), ..TypeRow::default() },
            Some("RawExtension") => TypeRow {
                scalar: Some(ScalarKind::Any),
                list: Some(ListRow {
                    kind: ListKind::Atomic,
                    keys: Box::default(),
                    items: TypeRef::Atomic,
                }),
                map: Some(MapRow {
                    atomic: true,
                    fields: Box::default(),
                    element: Some(TypeRef::Atomic),
                }),
            },
            _ => self.schema(schema),
        }
    }

    fn schema(&mut self, schema: Value<'_>) -> TypeRow {
        let text = |key| schema.get(key).and_then(Value::as_str);
        let scalar = |kind| TypeRow { scalar: Some(kind), ..TypeRow::default() };
        match text("type") {
            Some("object") => TypeRow { map: Some(self.map(schema)), ..TypeRow::default() },
            Some("array") => TypeRow { list: Some(self.list(schema)), ..TypeRow::default() },
            Some("integer" | "number") => scalar(ScalarKind::Number),
            Some("boolean") => scalar(ScalarKind::Boolean),
            Some("string") => scalar(match text("format") {
                None | Some("" | "byte") => ScalarKind::String,
                Some(_) => ScalarKind::Any,
            }),
            Some(_) => scalar(ScalarKind::Any),
            None => TypeRow {
                scalar: Some(ScalarKind::Any),
                list: Some(self.list(schema)),
                map: Some(self.map(schema)),
            },
        }
    }

    fn map(&mut self, schema: Value<'_>) -> MapRow {
        let properties = schema.get("properties").into_iter().flat_map(Value::members);
        let mut fields: Vec<FieldRow> = properties
            .map(|(name, property)| FieldRow {
                name: name.into(),
                of: self.of(property),
                is_granular: map_type(property) == Some("granular"),
                strategy: strategy(property),
                default: property.get("default").filter(|it| !it.is_null()).map(Document::copy_of),
            })
            .collect();
        fields.sort_unstable_by(|left, right| left.name.cmp(&right.name));
        let element = match schema.get("additionalProperties") {
            None => fields.is_empty().then_some(TypeRef::Deduced),
            Some(allowed) => match allowed.as_bool() {
                Some(true) => Some(TypeRef::Deduced),
                Some(false) => None,
                None => Some(self.of(allowed)),
            },
        };
        MapRow { atomic: is_atomic(schema), fields: fields.into(), element }
    }

    fn list(&mut self, schema: Value<'_>) -> ListRow {
        let text = |key| schema.get(key).and_then(Value::as_str);
        let strategy = strategy(schema);
        let keys = schema.get("x-kubernetes-list-map-keys").into_iter().flat_map(Value::items);
        let keys: Box<[Box<str>]> = keys.filter_map(Value::as_str).map(Into::into).collect();
        let (kind, keys) = match text("x-kubernetes-list-type") {
            Some("set") => (ListKind::Set, Box::default()),
            Some("map") => (ListKind::Map, keys),
            None if strategy.merges && strategy.merge_key.is_empty() => {
                (ListKind::Set, Box::default())
            }
            None if strategy.merges => (ListKind::Map, Box::from([strategy.merge_key])),
            _ => (ListKind::Atomic, Box::default()),
        };
        let items = schema.get("items").map_or(TypeRef::Atomic, |items| self.of(items));
        ListRow { kind, keys, items }
    }

    /// The type of a schema inside another.
    fn of(&mut self, schema: Value<'_>) -> TypeRef {
        let reference =
            |schema: Value<'_>| schema.get("$ref").and_then(Value::as_str).map(str::to_owned);
        let inner = schema.get("allOf").filter(|all| all.items().len() == 1);
        let inner = inner.and_then(|all| reference(all.items().next()?));
        let Some(path) = reference(schema).or(inner) else {
            let row = self.schema(schema);
            return TypeRef::Row(self.add(row));
        };
        let Some(id) = path.rsplit('/').next().and_then(|name| self.named(name)) else {
            return TypeRef::Deduced;
        };
        if !is_atomic(schema) {
            return TypeRef::Row(id);
        }
        // The place says that what it refers to is one leaf here.
        let map =
            Some(MapRow { atomic: true, fields: Box::default(), element: Some(TypeRef::Deduced) });
        TypeRef::Row(self.add(TypeRow { map, ..TypeRow::default() }))
    }
}

fn is_atomic(schema: Value<'_>) -> bool {
    map_type(schema) == Some("atomic")
}

fn map_type(schema: Value<'_>) -> Option<&str> {
    schema.get("x-kubernetes-map-type").and_then(Value::as_str)
}

fn strategy(schema: Value<'_>) -> Strategy {
    let text = |key| schema.get(key).and_then(Value::as_str).unwrap_or_default();
    let names: Vec<&str> = text("x-kubernetes-patch-strategy").split(',').collect();
    Strategy {
        merges: names.contains(&"merge"),
        replaces: names.contains(&"replace"),
        retains_keys: names.contains(&"retainKeys"),
        merge_key: text("x-kubernetes-patch-merge-key").into(),
    }
}
