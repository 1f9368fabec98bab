//! Schemas as the expression language sees their values.
//!
//! A schema without a type of its own is not seen, and neither is a list or map of such. The whole object
//! and embedded resources always show `kind`, `apiVersion` and the name in `metadata`. Sizes bound what a
//! rule can cost: without a limit in the schema, as much as fits into a request.
//!
//! The model of a CRD and the compiled table both have their schemas described by the same code; each says
//! through [`ShapeSource`] what it knows of a schema.
//!
//! Upstream: `apiserver/pkg/cel/common/schemas.go`, `apiextensions-apiserver/pkg/apiserver/schema/cel/model`.

use super::{MAX_REQUEST_BYTES, escape};
use crdkit_cel::{Field, ListKind, Shape, ShapeId, ShapeKind, Shapes};
use std::collections::BTreeSet;

/// Where schemas come from.
pub(crate) trait ShapeSource {
    /// Names a schema.
    type Id: Copy;

    /// The position of a schema in a table with one row for each.
    fn index(&self, id: Self::Id) -> usize;

    /// What is known of a schema.
    fn facts(&self, id: Self::Id) -> Facts<'_, Self::Id>;

    /// The property `name` of a schema.
    fn property(&self, id: Self::Id, name: &str) -> Option<Self::Id>;
}

/// What expressions need to know of a schema.
pub(crate) struct Facts<'s, I> {
    pub(crate) kind: Kind<I>,
    pub(crate) nullable: bool,
    /// `format` of a string.
    pub(crate) format: &'s str,
    /// `maxLength`, `maxItems` or `maxProperties`, whichever applies.
    pub(crate) limit: Option<i64>,
    /// Bytes of the longest text that `enum` lists, if it lists anything.
    pub(crate) longest_listed: Option<u64>,
    /// Whether it describes a whole object or an embedded resource.
    pub(crate) is_resource: bool,
    /// `properties`: name, schema, whether it has a default.
    pub(crate) properties: Vec<(&'s str, I, bool)>,
    /// `required`.
    pub(crate) required: Vec<&'s str>,
}

/// What the values of a schema are.
pub(crate) enum Kind<I> {
    IntOrString,
    Array(Option<I>, ListKind),
    Map(I),
    Object,
    Text,
    Bool,
    Number,
    Integer,
    /// Nothing that expressions know.
    Other,
}

/// Bytes of the largest string, without its quotes.
const LARGEST_TEXT: u64 = MAX_REQUEST_BYTES - 2;
/// The largest and the smallest timestamp, duration and date in a request.
const DATE_TIME: (u64, u64) = (32, 21);
const DURATION: (u64, u64) = (32, 3);
const DATE: (u64, u64) = (12, 12);

/// Names of the keys of a list that is a map, as expressions see them.
pub(crate) fn map_keys<'k>(keys: impl Iterator<Item = &'k str>) -> ListKind {
    ListKind::Map { keys: keys.filter_map(escape).map(|key| (&*key).into()).collect() }
}

/// Describes schemas, those inside others before these.
pub(crate) struct ShapeBuilder<S: ShapeSource> {
    pub(crate) source: S,
    pub(crate) shapes: Shapes,
    /// The shape of each schema, with the fewest bytes that a value of it takes up in a request.
    pub(crate) known: Vec<Option<(ShapeId, u64)>>,
}

impl<S: ShapeSource> ShapeBuilder<S> {
    pub(crate) fn new(source: S, n_schemas: usize) -> Self {
        Self { source, shapes: Shapes::default(), known: vec![None; n_schemas] }
    }

    /// Describes a schema.
    pub(crate) fn add(&mut self, id: S::Id) {
        let index = self.source.index(id);
        let shape = self.describe(id);
        if let Some(slot) = self.known.get_mut(index) {
            *slot = shape;
        }
    }

    fn describe(&mut self, id: S::Id) -> Option<(ShapeId, u64)> {
        let Self { source, shapes, known } = self;
        let known = |id| known.get(source.index(id)).copied().flatten();
        let facts = source.facts(id);
        let (limit, nullable) = (facts.limit, facts.nullable);
        let (kind, largest, size) = match facts.kind {
            Kind::IntOrString => (ShapeKind::IntOrString, limit.map_or(LARGEST_TEXT, in_bytes), 1),
            Kind::Array(items, kind) => {
                let (element, size) = known(items?)?;
                let largest = limit.map_or(LARGEST_TEXT / (size + 1), not_negative);
                (ShapeKind::List { element, kind }, largest, 2)
            }
            Kind::Map(value) => {
                let (value, size) = known(value)?;
                let largest = limit.map_or(LARGEST_TEXT / (size + 6), not_negative);
                (ShapeKind::Map { value }, largest, 2)
            }
            Kind::Object => {
                let (kind, size) = object(source, shapes, known, id, &facts);
                (kind, 0, size)
            }
            Kind::Text => text(&facts),
            Kind::Bool => (ShapeKind::Bool, 0, 4),
            Kind::Number => (ShapeKind::Double, 0, 1),
            Kind::Integer => (ShapeKind::Int, 0, 1),
            Kind::Other => return None,
        };
        let shape = shapes.add(Shape { kind, nullable, max_elements: largest });
        Some((shape, size))
    }
}

/// An object with known fields, and the fewest bytes it takes up. Of a resource, type and name are always
/// seen.
fn object<S: ShapeSource>(
    source: &S,
    shapes: &mut Shapes,
    known: impl Fn(S::Id) -> Option<(ShapeId, u64)>,
    id: S::Id,
    facts: &Facts<'_, S::Id>,
) -> (ShapeKind, u64) {
    let required: BTreeSet<&str> = facts.required.iter().copied().collect();
    let given = facts.is_resource && !declares_meta(source, id);
    let mut fields = Vec::with_capacity(facts.properties.len());
    let mut size = 2;
    let mut add = |name: &str, shape: ShapeId, own: u64, has_default: bool| {
        if let Some(seen) = escape(name) {
            fields.push(Field { name: (&*seen).into(), key: name.into(), shape });
        }
        if required.contains(name) && !has_default {
            size += name.len() as u64 + own + 4;
        }
    };
    for (name, property, has_default) in &facts.properties {
        if given && crate::prune::is_meta(name) {
            continue;
        }
        if let Some((shape, own)) = known(*property) {
            add(name, shape, own, *has_default);
        }
    }
    // A name that no expression can spell, so that none depends on it.
    let type_name = |part: &str| format!("selfType@{}{part}", source.index(id)).into();
    if given {
        let plain = text_up_to(shapes, LARGEST_TEXT);
        let declared = source.property(id, "metadata");
        let mut name = |name: &str, longest: i64| {
            let property = declared.and_then(|metadata| source.property(metadata, name));
            let own = property.and_then(|property| source.facts(property).limit);
            let shape = text_up_to(shapes, in_bytes(own.map_or(longest, |own| own.min(longest))));
            Field { name: name.into(), key: name.into(), shape }
        };
        let fields = vec![name("generateName", 252), name("name", 253)];
        let kind = ShapeKind::Object { name: type_name("metadata"), fields };
        let metadata = shapes.add(Shape { kind, nullable: false, max_elements: 0 });
        add("kind", plain, 2, false);
        add("apiVersion", plain, 2, false);
        add("metadata", metadata, 2, false);
    }
    (ShapeKind::Object { name: type_name(""), fields }, size)
}

fn text_up_to(shapes: &mut Shapes, max_elements: u64) -> ShapeId {
    shapes.add(Shape { kind: ShapeKind::String, nullable: false, max_elements })
}

/// Whether a resource says itself what its type and name are.
fn declares_meta<S: ShapeSource>(source: &S, id: S::Id) -> bool {
    let kind = |id, name: &str| {
        source.property(id, name).map(|property| (property, source.facts(property).kind))
    };
    let is_text = |id, name: &str| matches!(kind(id, name), Some((_, Kind::Text)));
    is_text(id, "kind")
        && is_text(id, "apiVersion")
        && kind(id, "metadata").is_some_and(|(metadata, kind)| {
            matches!(kind, Kind::Object | Kind::Map(_))
                && is_text(metadata, "name")
                && is_text(metadata, "generateName")
        })
}

fn text<I>(facts: &Facts<'_, I>) -> (ShapeKind, u64, u64) {
    match facts.format {
        "byte" => (ShapeKind::Bytes, facts.limit.map_or(LARGEST_TEXT, not_negative), 2),
        "duration" => (ShapeKind::Duration, DURATION.0, DURATION.1),
        "date" => (ShapeKind::Date, DATE.0, DATE.1),
        "date-time" => (ShapeKind::DateTime, DATE_TIME.0, DATE_TIME.1),
        _ => {
            let unlimited = facts.longest_listed.unwrap_or(LARGEST_TEXT);
            (ShapeKind::String, facts.limit.map_or(unlimited, in_bytes), 2)
        }
    }
}

/// A character takes up to four bytes.
fn in_bytes(length: i64) -> u64 {
    not_negative(length).saturating_mul(4)
}

fn not_negative(limit: i64) -> u64 {
    u64::try_from(limit).unwrap_or_default()
}
