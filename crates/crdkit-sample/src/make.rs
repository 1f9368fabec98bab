//! Values of schemas, without regard to rules.
//!
//! Takes schemas that must all hold, the first of which has the structure, and gives a value with as
//! many fields as asked for: required fields, least lengths, formats, patterns, enumerations, unlike
//! items, `allOf` and one branch of each `anyOf` and `oneOf` are minded. Recurses once per schema level,
//! which reading bounds.

use crate::leaf::{self, LARGEST, Memo, Wanted};
use crate::{Extent, build};
use crdkit_schema::model::{Schema, SchemaId, Schemas};
use crdkit_value::{Document, NodeId, Value};
use std::cell::Cell;
use std::collections::HashSet;

/// Makes values of the schemas of one table.
pub(crate) struct Maker<'c> {
    pub(crate) schemas: &'c Schemas<'c>,
    pub(crate) memo: Memo,
    /// How many values may still be made for the one that is asked for.
    pub(crate) room: Cell<usize>,
}

/// A value is not made larger than this, whatever its schema asks for.
const MOST_VALUES: usize = 100_000;

/// How a value is to be.
#[derive(Clone, Copy)]
pub(crate) struct SampleShape {
    pub(crate) extent: Extent,
    /// Levels below which nothing optional is shown, for the usual extent.
    pub(crate) room: i8,
    /// Which branch of `anyOf` and `oneOf` is satisfied, counted round.
    pub(crate) choice: usize,
}

impl SampleShape {
    pub(crate) const LEAST: Self = Self { extent: Extent::Minimal, room: 0, choice: 0 };

    pub(crate) fn with_choice(self, choice: usize) -> Self {
        Self { choice, ..self }
    }

    /// The shape of what is one level down. A choice is meant for one place only.
    fn inner(self) -> Self {
        Self { room: self.room.saturating_sub(1).max(-1), choice: 0, ..self }
    }
}

/// Schemas joined by `allOf` and such are followed this far.
const MOST_JOINED: usize = 64;

impl<'c> Maker<'c> {
    pub(crate) fn schema(&self, id: SchemaId) -> &'c Schema<'c> {
        self.schemas.get(id)
    }

    /// `ids`, and what they are joined with: `allOf`, and one branch of `anyOf` and `oneOf`.
    pub(crate) fn joined(&self, ids: &[SchemaId], choice: usize) -> Vec<SchemaId> {
        let mut all = ids.to_vec();
        let mut at = 0;
        while let Some(id) = all.get(at).copied()
            && all.len() < MOST_JOINED
        {
            let junctors = self.schema(id).junctors();
            all.extend(&junctors.all_of);
            for branches in [&junctors.any_of, &junctors.one_of] {
                let chosen = choice.checked_rem(branches.len()).and_then(|it| branches.get(it));
                all.extend(chosen);
            }
            at += 1;
        }
        all
    }

    fn all(&self, ids: &[SchemaId]) -> Vec<&'c Schema<'c>> {
        ids.iter().map(|id| self.schema(*id)).collect()
    }

    /// The schemas that the member `name` must satisfy, the structural one first.
    pub(crate) fn member(&self, joined: &[SchemaId], name: &str) -> Vec<SchemaId> {
        let child = |id: &SchemaId| {
            let schema = self.schema(*id);
            schema.properties.get(name).or_else(|| schema.additional_schema())
        };
        joined.iter().filter_map(child).collect()
    }

    /// The schemas that every item must satisfy.
    pub(crate) fn items(&self, joined: &[SchemaId]) -> Vec<SchemaId> {
        joined.iter().filter_map(|id| self.schema(*id).item_schema()).collect()
    }

    /// A value that `ids` accept; less than they ask for where that is very much.
    pub(crate) fn value(&self, ids: &[SchemaId], shape: SampleShape) -> Document {
        self.room.set(MOST_VALUES);
        self.part(ids, shape)
    }

    /// Takes room for so many values; false if there is not enough.
    fn has_room(&self, n_values: usize) -> bool {
        let left = self.room.get().checked_sub(n_values);
        self.room.set(left.unwrap_or(0));
        left.is_some()
    }

    /// A part of a value.
    fn part(&self, ids: &[SchemaId], shape: SampleShape) -> Document {
        let joined = self.joined(ids, shape.choice);
        let schemas = self.all(&joined);
        if shape.extent != Extent::Minimal
            && let Some(default) = schemas.first().and_then(|schema| schema.default)
            && default.as_object().is_none()
        {
            return Document::copy_of(default);
        }
        if let Some(value) = enumerated(&schemas).nth(shape.choice.min(1)) {
            return Document::copy_of(value);
        }
        match type_name(&schemas, shape.choice) {
            "string" => Document::from(&self.text(&schemas)),
            "integer" => build::number(leaf::number(&schemas).round()),
            "number" => build::number(leaf::number(&schemas)),
            "boolean" => Document::from(false),
            "array" => {
                let least = count(schemas.iter().filter_map(|it| it.bounds().min_items).max());
                let shown = usize::from(shape.extent != Extent::Minimal);
                let most = count(schemas.iter().filter_map(|it| it.bounds().max_items).min());
                let bounded = schemas.iter().any(|it| it.bounds().max_items.is_some());
                let shown = if bounded { shown.min(most) } else { shown };
                Document::array_of(&self.some(&joined, least.max(shown), shape.inner()))
            }
            _ => self.object(&joined, shape),
        }
    }

    /// A text that people can read, if there is one.
    fn text(&self, schemas: &[&Schema<'_>]) -> String {
        let wanted = Wanted::new(schemas);
        if wanted.is_plain() && wanted.accepts("example") {
            return "example".to_owned();
        }
        // A format says more than a pattern about what is meant.
        let tells = !wanted.is_plain() && !schemas.iter().any(|it| is_told(it));
        let familiar = leaf::FAMILIAR.iter().filter(|_| tells);
        if let Some(text) = familiar.copied().find(|text| wanted.accepts(text)) {
            return text.to_owned();
        }
        wanted.texts(&self.memo, None, 1).into_iter().next().unwrap_or_default()
    }

    /// So many items, unlike one another where the list asks for it.
    pub(crate) fn list(
        &self,
        joined: &[SchemaId],
        n_items: usize,
        shape: SampleShape,
    ) -> Vec<Document> {
        self.room.set(MOST_VALUES);
        self.some(joined, n_items, shape)
    }

    fn some(&self, joined: &[SchemaId], n_items: usize, shape: SampleShape) -> Vec<Document> {
        let n_items = n_items.min(LARGEST);
        let items = self.items(joined);
        if items.is_empty() {
            let n_items = n_items.min(self.room.get());
            self.has_room(n_items);
            return vec![Document::object(); n_items];
        }
        let schemas = self.all(joined);
        let list_type = schemas.iter().find_map(|schema| schema.extensions().list_type);
        let unique = schemas.iter().any(|schema| schema.unique_items);
        if n_items < 2 {
            return (0..n_items).map(|_| self.part(&items, shape)).collect();
        }
        match list_type {
            Some("set") => self.unlike(&items, n_items, shape),
            Some("map") => {
                let keys = schemas.iter().flat_map(|schema| &schema.extensions().list_map_keys);
                let item = self.joined(&items, shape.choice);
                let mut list = self.repeated(&items, n_items, shape);
                for key in keys {
                    let values = self.unlike(&self.member(&item, key), n_items, shape);
                    if values.len() < n_items {
                        continue;
                    }
                    for (item, value) in list.iter_mut().zip(&values) {
                        build::set(item, key, value.root());
                    }
                    break;
                }
                list
            }
            _ if unique => self.unlike(&items, n_items, shape),
            _ => self.repeated(&items, n_items, shape),
        }
    }

    /// The same value so many times, as far as there is room.
    fn repeated(&self, ids: &[SchemaId], n_values: usize, shape: SampleShape) -> Vec<Document> {
        let value = self.part(ids, shape);
        let n_values = n_values.min(self.room.get() / value.n_nodes().max(1));
        self.has_room(n_values.saturating_mul(value.n_nodes()));
        vec![value; n_values]
    }

    /// Values that differ from one another; fewer if there are not so many.
    fn unlike(&self, ids: &[SchemaId], n_values: usize, shape: SampleShape) -> Vec<Document> {
        let joined = self.joined(ids, shape.choice);
        let schemas = self.all(&joined);
        let listed: Vec<_> = enumerated(&schemas).take(n_values).collect();
        if !listed.is_empty() {
            return listed.into_iter().map(Document::copy_of).collect();
        }
        match type_name(&schemas, shape.choice) {
            "string" => {
                let wanted = Wanted::new(&schemas);
                let numbered: Vec<_> = (1..=n_values).map(|at| format!("example-{at}")).collect();
                let texts = if numbered.iter().all(|text| wanted.accepts(text)) {
                    numbered
                } else {
                    wanted.texts(&self.memo, None, n_values)
                };
                texts.iter().map(Document::from).collect()
            }
            "integer" | "number" => {
                let bounds = leaf::bounds(&schemas);
                let (first, step) = (leaf::number(&schemas), bounds.multiple_of.unwrap_or(1.0));
                let ups = (0..u32::try_from(n_values).unwrap_or(0)).map(f64::from);
                ups.map(|up| build::number(step.mul_add(up, first))).collect()
            }
            "boolean" => [false, true].map(Document::from).into(),
            "object" => {
                // Objects differ if one of their members does.
                let mut objects = self.repeated(ids, n_values, shape);
                let n_values = objects.len();
                let names = schemas.iter().flat_map(|schema| schema.properties.iter());
                for (name, _) in names {
                    let values = self.unlike(&self.member(&joined, name), n_values, shape.inner());
                    if values.len() >= n_values {
                        for (object, value) in objects.iter_mut().zip(&values) {
                            build::set(object, name, value.root());
                        }
                        return objects;
                    }
                }
                objects.truncate(1);
                objects
            }
            _ => vec![self.part(ids, shape)],
        }
    }

    /// An object with the members that `shape` asks for.
    fn object(&self, joined: &[SchemaId], shape: SampleShape) -> Document {
        let schemas = self.all(joined);
        let mut object = Document::object();
        if schemas.iter().any(|schema| schema.extensions().embedded_resource) {
            let [api_version, kind] = ["apiVersion", "kind"].map(|name| {
                let ids = self.member(joined, name);
                self.all(&self.joined(&ids, 0)).iter().find_map(|schema| {
                    schema.default.or_else(|| schema.enum_values.and_then(|values| values.at(0)))
                })
            });
            embed(&mut object, api_version, kind);
        }
        let avoided = self.avoided(joined, shape.choice);
        let required: Vec<&str> =
            schemas.iter().flat_map(|schema| &schema.required).copied().collect();
        let most = schemas.iter().filter_map(|schema| schema.bounds().max_properties).min();
        let most = most.map_or(usize::MAX, |most| count(Some(most)));
        let mut known: HashSet<&str> = HashSet::new();
        let mut last = None;
        for name in required.iter().copied() {
            if !known.insert(name) || !self.has_room(1) {
                continue;
            }
            let ids = self.member(joined, name);
            let filled_in = ids.first().is_some_and(|id| self.schema(*id).default.is_some());
            let left_out = filled_in && shape.extent == Extent::Minimal;
            if !ids.is_empty() && !left_out && !is_fixed(&object, name) {
                let value = self.part(&ids, shape.inner());
                last = object.append_member(NodeId::ROOT, last, name, value.root());
            } else {
                known.remove(name);
            }
        }
        if let Some(main) = schemas.first().filter(|_| shape.extent != Extent::Minimal) {
            for (name, id) in main.properties.iter() {
                let is_known =
                    known.contains(name) || is_fixed(&object, name) || avoided.contains(&name);
                let room = object.root().members().len() < most;
                if !is_known && room && self.is_shown(id, shape) && self.has_room(1) {
                    let ids = self.member(joined, name);
                    let value = self.part(&ids, shape.inner());
                    last = object.append_member(NodeId::ROOT, last, name, value.root());
                    known.insert(name);
                }
            }
        }
        let shown = shape.extent != Extent::Minimal
            && object.root().members().len() == 0
            && schemas.iter().any(|schema| schema.additional_schema().is_some());
        let wanted = schemas.iter().filter_map(|schema| schema.bounds().min_properties).max();
        let enough = count(wanted).max(usize::from(shown)).min(most).min(LARGEST);
        self.pad(joined, enough, &avoided, shape, &mut object);
        object
    }

    /// Adds members until there are `least`, as far as there are names for them.
    fn pad(
        &self,
        joined: &[SchemaId],
        least: usize,
        avoided: &[&str],
        shape: SampleShape,
        object: &mut Document,
    ) {
        let schemas = self.all(joined);
        let known = schemas.iter().flat_map(|schema| schema.properties.iter());
        let mut names: Vec<String> = known.map(|(name, _)| name.to_owned()).collect();
        names.retain(|name| !avoided.contains(&name.as_str()));
        let open = |schema: &&Schema<'_>| {
            schema.additional_schema().is_some() || schema.preserves_unknown_fields()
        };
        if schemas.iter().any(open) {
            let numbered = (2..=least).map(|number| format!("key{number}"));
            names.extend(std::iter::once("key".to_owned()).chain(numbered));
        }
        for name in names {
            if object.root().members().len() >= least {
                return;
            }
            if object.root().get(&name).is_none() {
                let ids = self.member(joined, &name);
                let value = match ids.as_slice() {
                    [] => Document::from("value"),
                    ids => self.part(ids, shape.inner()),
                };
                build::set(object, &name, value.root());
            }
        }
    }

    /// Whether an optional member is part of a sample.
    fn is_shown(&self, id: SchemaId, shape: SampleShape) -> bool {
        let schema = self.schema(id);
        let plain = schema.properties.is_empty() && schema.items.is_none();
        match shape.extent {
            Extent::All => true,
            Extent::Minimal => false,
            Extent::Usual => {
                let deprecated = schema.description.get(..10);
                let deprecated = deprecated.is_some_and(|it| it.eq_ignore_ascii_case("deprecated"));
                !deprecated && (shape.room > 0 || (shape.room == 0 && plain))
            }
        }
    }

    /// Names that must not be there if the chosen branches are to hold alone.
    fn avoided(&self, joined: &[SchemaId], choice: usize) -> Vec<&'c str> {
        let mut names = Vec::new();
        for id in joined {
            let junctors = self.schema(*id).junctors();
            let chosen = choice.checked_rem(junctors.one_of.len());
            for (at, branch) in junctors.one_of.iter().enumerate() {
                if Some(at) != chosen {
                    names.extend(&self.schema(*branch).required);
                }
            }
            if let Some(not) = junctors.not {
                let alternatives = &self.schema(not).junctors().any_of;
                for id in alternatives.iter().chain([&not]) {
                    names.extend(&self.schema(*id).required);
                }
            }
        }
        let required =
            |name: &&str| joined.iter().any(|id| self.schema(*id).required.contains(name));
        names.retain(|name| !required(name));
        names
    }
}

/// The values that every enumeration has, those that say something first.
fn enumerated<'d>(schemas: &[&Schema<'d>]) -> impl Iterator<Item = Value<'d>> {
    let lists: Vec<_> = schemas.iter().filter_map(|schema| schema.enum_values).collect();
    let first: Vec<_> = lists.first().into_iter().flat_map(|list| list.items()).collect();
    let others = lists.iter().skip(1);
    let others: Vec<HashSet<_>> = others.map(|list| list.items().collect()).collect();
    let (empty, telling): (Vec<_>, Vec<_>) = first
        .into_iter()
        .filter(|value| others.iter().all(|list| list.contains(value)))
        .partition(|value| value.as_str() == Some("") || value.is_null());
    telling.into_iter().chain(empty)
}

/// The type that a value gets.
fn type_name<'d>(schemas: &[&Schema<'d>], choice: usize) -> &'d str {
    let named = schemas.iter().map(|schema| schema.type_name).find(|name| !name.is_empty());
    let either = schemas.iter().any(|schema| schema.extensions().int_or_string);
    match named {
        Some(name) => name,
        None if either && choice % 2 == 1 => "string",
        None if either => "integer",
        None => "object",
    }
}

fn is_told(schema: &Schema<'_>) -> bool {
    crdkit_text::formats::TextFormat::parse(schema.format).is_some()
}

fn count(bound: Option<i64>) -> usize {
    usize::try_from(bound.unwrap_or(0)).unwrap_or(0)
}

/// Gives an object what every resource has.
fn embed(object: &mut Document, api_version: Option<Value<'_>>, kind: Option<Value<'_>>) {
    let usual = [Document::from("v1"), Document::from("ConfigMap")];
    let [usual_version, usual_kind] = usual.each_ref().map(Document::root);
    build::set(object, "apiVersion", api_version.unwrap_or(usual_version));
    build::set(object, "kind", kind.unwrap_or(usual_kind));
    let mut metadata = Document::object();
    metadata.insert(NodeId::ROOT, "name", "example");
    build::set(object, "metadata", metadata.root());
}

/// Whether the member is one of those that [`embed`] gave.
fn is_fixed(object: &Document, name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata") && object.root().get(name).is_some()
}
