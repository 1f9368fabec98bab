//! Schemas as the expression language sees their values.
//!
//! A schema without a type of its own is not seen, and neither is a list or map of such. Sizes bound
//! what a rule can cost: without a limit in the schema, as much as fits into a request.

use super::{MAX_REQUEST_BYTES, escape};
use crate::model::{Schema, SchemaId, Schemas};
use crdkit_cel::{Field, ListKind, Shape, ShapeId, ShapeKind, Shapes};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What expressions see of the schemas of a document.
#[derive(Clone, Debug)]
pub struct Types {
    shapes: Arc<Shapes>,
    by_schema: Vec<Option<ShapeId>>,
    /// The fewest bytes a value takes up in a request.
    sizes: BTreeMap<ShapeId, u64>,
}

/// Bytes of the largest string, without its quotes.
const LARGEST_TEXT: u64 = MAX_REQUEST_BYTES - 2;
/// The largest and the smallest timestamp, duration and date in a request.
const DATE_TIME: (u64, u64) = (32, 21);
const DURATION: (u64, u64) = (32, 3);
const DATE: (u64, u64) = (12, 12);

impl Types {
    /// Describes all schemas; `roots` are those that describe whole objects.
    pub fn of(schemas: &Schemas<'_>, roots: &[SchemaId]) -> Self {
        let mut builder = Builder {
            schemas,
            shapes: Shapes::default(),
            by_schema: vec![None; schemas.len()],
            sizes: BTreeMap::new(),
        };
        let roots: BTreeSet<SchemaId> = roots.iter().copied().collect();
        // Children have larger ids than the schemas they are in, so they are described first.
        let ids: Vec<SchemaId> = schemas.iter().map(|(id, _)| id).collect();
        for id in ids.into_iter().rev() {
            let schema = schemas.get(id);
            let resource = schema.extensions().embedded_resource || roots.contains(&id);
            let shape = builder.shape(id, schema, resource);
            if let Some(slot) = builder.by_schema.get_mut(id.index()) {
                *slot = shape;
            }
        }
        let Builder { shapes, by_schema, sizes, .. } = builder;
        Self { shapes: Arc::new(shapes), by_schema, sizes }
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
        let name = escape(name)?;
        match &self.shapes.get(shape)?.kind {
            ShapeKind::Object { fields, .. } => {
                let at = fields.binary_search_by(|field| (*field.name).cmp(&*name)).ok()?;
                fields.get(at).map(|field| field.shape)
            }
            _ => None,
        }
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
        self.sizes.get(&shape).copied().unwrap_or_default()
    }
}

struct Builder<'s, 'd> {
    schemas: &'s Schemas<'d>,
    shapes: Shapes,
    by_schema: Vec<Option<ShapeId>>,
    sizes: BTreeMap<ShapeId, u64>,
}

impl<'d> Builder<'_, 'd> {
    fn add(&mut self, kind: ShapeKind, nullable: bool, max_elements: u64, size: u64) -> ShapeId {
        let id = self.shapes.add(Shape { kind, nullable, max_elements });
        self.sizes.insert(id, size);
        id
    }

    fn known(&self, id: SchemaId) -> Option<(ShapeId, u64)> {
        let shape = self.by_schema.get(id.index()).copied().flatten()?;
        Some((shape, self.sizes.get(&shape).copied().unwrap_or_default()))
    }

    fn shape(&mut self, id: SchemaId, schema: &Schema<'d>, resource: bool) -> Option<ShapeId> {
        let bounds = schema.bounds();
        if schema.extensions().int_or_string {
            let largest = bounds.max_length.map_or(LARGEST_TEXT, in_bytes);
            return Some(self.add(ShapeKind::IntOrString, schema.nullable, largest, 1));
        }
        let (kind, largest, size) = match schema.type_name {
            "array" => {
                let (element, size) = self.known(schema.item_schema()?)?;
                let largest = bounds.max_items.map_or(LARGEST_TEXT / (size + 1), not_negative);
                (ShapeKind::List { element, kind: list_kind(schema) }, largest, 2)
            }
            "object" => match schema.additional_schema() {
                Some(value) => {
                    let (value, size) = self.known(value)?;
                    let fitting = LARGEST_TEXT / (size + 6);
                    let largest = bounds.max_properties.map_or(fitting, not_negative);
                    (ShapeKind::Map { value }, largest, 2)
                }
                None => return Some(self.object(id, schema, resource)),
            },
            "string" => text(schema),
            "boolean" => (ShapeKind::Bool, 0, 4),
            "number" => (ShapeKind::Double, 0, 1),
            "integer" => (ShapeKind::Int, 0, 1),
            _ => return None,
        };
        Some(self.add(kind, schema.nullable, largest, size))
    }

    /// An object with known fields. Of a resource, type and name are always seen.
    fn object(&mut self, id: SchemaId, schema: &Schema<'d>, resource: bool) -> ShapeId {
        let required: BTreeSet<&str> = schema.required.iter().copied().collect();
        let given = resource && !self.declares_meta(schema);
        let mut fields = Vec::with_capacity(schema.properties.len());
        let mut size = 2;
        let mut add = |name: &str, shape: ShapeId, own: u64, has_default: bool| {
            if let Some(seen) = escape(name) {
                fields.push(Field { name: (&*seen).into(), key: name.into(), shape });
            }
            if required.contains(name) && !has_default {
                size += name.len() as u64 + own + 4;
            }
        };
        for (name, property) in schema.properties.iter() {
            let meta = matches!(name, "kind" | "apiVersion" | "metadata");
            if let Some((shape, own)) = self.known(property).filter(|_| !(given && meta)) {
                add(name, shape, own, self.schemas.get(property).default.is_some());
            }
        }
        if given {
            let text = self.text_up_to(LARGEST_TEXT);
            let metadata = self.metadata(id, schema);
            add("kind", text, 2, false);
            add("apiVersion", text, 2, false);
            add("metadata", metadata, 2, false);
        }
        let kind = ShapeKind::Object { name: type_name(id, ""), fields };
        self.add(kind, schema.nullable, 0, size)
    }

    /// Whether a resource says itself what its type and name are.
    fn declares_meta(&self, schema: &Schema<'d>) -> bool {
        let declares = |schema: &Schema<'d>, name: &str, type_name: &str| {
            let property = schema.properties.get(name)?;
            let property = self.schemas.get(property);
            (property.type_name == type_name).then_some(property)
        };
        declares(schema, "kind", "string").is_some()
            && declares(schema, "apiVersion", "string").is_some()
            && declares(schema, "metadata", "object").is_some_and(|metadata| {
                declares(metadata, "name", "string").is_some()
                    && declares(metadata, "generateName", "string").is_some()
            })
    }

    /// The metadata of a resource: names, as long as they may be.
    fn metadata(&mut self, id: SchemaId, schema: &Schema<'d>) -> ShapeId {
        let declared = schema.properties.get("metadata").map(|it| self.schemas.get(it));
        let limit = |name: &str, longest: i64| {
            let property = declared.and_then(|metadata| metadata.properties.get(name));
            let own = property.and_then(|it| self.schemas.get(it).bounds().max_length);
            in_bytes(own.map_or(longest, |own| own.min(longest)))
        };
        let (name, generate_name) = (limit("name", 253), limit("generateName", 252));
        let (name, generate_name) = (self.text_up_to(name), self.text_up_to(generate_name));
        let field = |name: &str, shape| Field { name: name.into(), key: name.into(), shape };
        let fields = vec![field("generateName", generate_name), field("name", name)];
        let kind = ShapeKind::Object { name: type_name(id, "metadata"), fields };
        self.add(kind, false, 0, 2)
    }

    fn text_up_to(&mut self, largest: u64) -> ShapeId {
        self.add(ShapeKind::String, false, largest, 2)
    }
}

/// A name that no expression can spell, so that none depends on it.
fn type_name(id: SchemaId, part: &str) -> Arc<str> {
    format!("selfType@{}{part}", id.index()).into()
}

fn text(schema: &Schema<'_>) -> (ShapeKind, u64, u64) {
    let max_length = schema.bounds().max_length;
    match schema.format {
        "byte" => (ShapeKind::Bytes, max_length.map_or(LARGEST_TEXT, not_negative), 2),
        "duration" => (ShapeKind::Duration, DURATION.0, DURATION.1),
        "date" => (ShapeKind::Date, DATE.0, DATE.1),
        "date-time" => (ShapeKind::DateTime, DATE_TIME.0, DATE_TIME.1),
        _ => {
            let longest_of = |list: crdkit_value::Value<'_>| {
                list.items()
                    .filter_map(crdkit_value::Value::as_str)
                    .map(|text| text.len() as u64)
                    .max()
            };
            let listed = schema.enum_values.filter(|list| list.items().len() > 0);
            let unlimited =
                || listed.map_or(LARGEST_TEXT, |list| longest_of(list).unwrap_or_default());
            (ShapeKind::String, max_length.map_or_else(unlimited, in_bytes), 2)
        }
    }
}

fn list_kind(schema: &Schema<'_>) -> ListKind {
    let extensions = schema.extensions();
    match extensions.list_type {
        Some("set") => ListKind::Set,
        Some("map") => {
            let keys = extensions.list_map_keys.iter().filter_map(|key| escape(key));
            ListKind::Map { keys: keys.map(|key| (&*key).into()).collect() }
        }
        _ => ListKind::Atomic,
    }
}

/// A character takes up to four bytes.
fn in_bytes(length: i64) -> u64 {
    not_negative(length).saturating_mul(4)
}

fn not_negative(limit: i64) -> u64 {
    u64::try_from(limit).unwrap_or_default()
}
