//! What expressions see of the schemas of a CRD's model, and how small and large it can be.

use super::escape;
use super::shapes::{Facts, Kind, ShapeBuilder, ShapeSource, map_keys};
use crate::model::{Schema, SchemaId, Schemas};
use crdkit_cel::{ListKind, ShapeId, ShapeKind, Shapes};
use crdkit_value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What expressions see of the schemas of a document.
#[derive(Clone, Debug)]
pub struct Types {
    shapes: Arc<Shapes>,
    by_schema: Vec<Option<ShapeId>>,
    /// The fewest bytes a value takes up in a request.
    sizes: BTreeMap<ShapeId, u64>,
}

impl Types {
    /// Describes all schemas; `roots` are those that describe whole objects.
    pub fn of(schemas: &Schemas<'_>, roots: &[SchemaId]) -> Self {
        let mut builder = ShapeBuilder::new(Model { schemas, roots }, schemas.len());
        // Children have larger ids than the schemas they are in, so they are described first.
        let ids: Vec<SchemaId> = schemas.iter().map(|(id, _)| id).collect();
        for id in ids.into_iter().rev() {
            builder.add(id);
        }
        let by_schema = builder.known.iter().map(|known| known.map(|(shape, _)| shape)).collect();
        let sizes = builder.known.iter().copied().flatten().collect();
        Self { shapes: Arc::new(builder.shapes), by_schema, sizes }
    }

    /// The table that the shapes are in.
    pub fn shapes(&self) -> &Arc<Shapes> {
        &self.shapes
    }

    /// What expressions see of a schema, looked at alone.
    pub fn shape(&self, id: SchemaId) -> Option<ShapeId> {
        self.by_schema.get(id.index()).copied().flatten()
    }

    /// What expressions see of the property `name` of a value they see.
    pub fn property(&self, shape: ShapeId, name: &str) -> Option<ShapeId> {
        self.shapes.member(shape, &escape(name)?)
    }

    /// What expressions see of the items of a list, or the values of a map, that they see.
    pub fn element(&self, shape: ShapeId) -> Option<ShapeId> {
        match &self.shapes.get(shape)?.kind {
            ShapeKind::List { element, .. } => Some(*element),
            ShapeKind::Map { value } => Some(*value),
            _ => None,
        }
    }

    /// The fewest bytes a value takes up in a request.
    pub fn min_size(&self, shape: ShapeId) -> u64 {
        self.sizes.get(&shape).copied().unwrap_or(2)
    }
}

#[derive(Clone, Copy)]
struct Model<'s, 'd> {
    schemas: &'s Schemas<'d>,
    roots: &'s [SchemaId],
}

impl ShapeSource for Model<'_, '_> {
    type Id = SchemaId;

    fn index(&self, id: SchemaId) -> usize {
        id.index()
    }

    fn facts(&self, id: SchemaId) -> Facts<'_, SchemaId> {
        let schema = self.schemas.get(id);
        let (bounds, extensions) = (schema.bounds(), schema.extensions());
        let (kind, limit) = match schema.type_name {
            _ if extensions.int_or_string => (Kind::IntOrString, bounds.max_length),
            "array" => (Kind::Array(schema.item_schema(), list_kind(schema)), bounds.max_items),
            "object" => match schema.additional_schema() {
                Some(value) => (Kind::Map(value), bounds.max_properties),
                None => (Kind::Object, None),
            },
            "string" => (Kind::Text, bounds.max_length),
            "boolean" => (Kind::Bool, None),
            "number" => (Kind::Number, None),
            "integer" => (Kind::Integer, None),
            _ => (Kind::Other, None),
        };
        let properties = schema.properties.iter();
        let has_default = |id| self.schemas.get(id).default.is_some();
        let listed = schema.enum_values.filter(|list| list.items().len() > 0);
        let longest = |list: Value<'_>| {
            let texts = list.items().filter_map(Value::as_str);
            texts.map(|text| text.len() as u64).max().unwrap_or_default()
        };
        Facts {
            kind,
            nullable: schema.nullable,
            format: schema.format,
            limit,
            longest_listed: listed.map(longest),
            is_resource: extensions.embedded_resource || self.roots.contains(&id),
            properties: properties.map(|(name, id)| (name, id, has_default(id))).collect(),
            required: schema.required.clone(),
        }
    }

    fn property(&self, id: SchemaId, name: &str) -> Option<SchemaId> {
        self.schemas.get(id).properties.get(name)
    }
}

fn list_kind(schema: &Schema<'_>) -> ListKind {
    let extensions = schema.extensions();
    match extensions.list_type {
        Some("set") => ListKind::Set,
        Some("map") => map_keys(extensions.list_map_keys.iter().copied()),
        _ => ListKind::Atomic,
    }
}
