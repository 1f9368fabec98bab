//! Values that a schema accepts, as small as can be.
//!
//! A sample is a guess: required fields, least lengths, formats, patterns, enumerations and the
//! `required` of one branch of `anyOf` and `oneOf` are minded, rules are not. Whoever needs to know runs
//! it through the engine.

use super::rule::{Choice, Hop, plain};
use super::suspect::KEY;
use crdkit_sample::build;
use crdkit_sample::leaf::{LARGEST, Memo, number, texts};
use crdkit_schema::model::{Schema, SchemaId, Schemas};
use crdkit_schema::rules::escape;
use crdkit_text::regex::{Regex, Search, SearchOutcome};
use crdkit_value::{Document, NodeId};
use std::borrow::Cow;
use std::collections::HashSet;

/// Makes samples of the schemas of one table.
#[derive(Clone, Copy)]
pub(super) struct Sampler<'c> {
    pub(super) schemas: &'c Schemas<'c>,
    pub(super) memo: &'c Memo,
    /// Which branch of `anyOf` and `oneOf` is satisfied, counted round.
    pub(super) choice: usize,
}

impl<'c> Sampler<'c> {
    pub(super) fn schema(&self, id: SchemaId) -> &'c Schema<'c> {
        self.schemas.get(id)
    }

    /// A value of the schema.
    pub(super) fn sample(&self, id: SchemaId) -> Document {
        let schema = self.schema(id);
        if let Some(value) = schema.enum_values.and_then(|values| values.at(0)) {
            return Document::copy_of(value);
        }
        let extensions = schema.extensions();
        if extensions.int_or_string {
            return build::number(1.0);
        }
        match schema.type_name {
            "string" => {
                Document::from(texts(self.memo, &[schema], 1).first().map_or("", String::as_str))
            }
            "integer" | "number" => build::number(number(&[schema])),
            "boolean" => Document::from(false),
            "array" => {
                let count = usize::try_from(schema.bounds().min_items.unwrap_or(0)).unwrap_or(0);
                Document::array_of(&self.list(schema, count.min(LARGEST)))
            }
            _ => self.object(schema, None),
        }
    }

    /// A sample with one certain member, and without what would be one too many beside it.
    pub(super) fn with(&self, id: SchemaId, name: &str, value: &Document) -> Document {
        let schema = self.schema(id);
        let mut object = self.object(schema, Some(name));
        object.insert(NodeId::ROOT, name, value.root());
        let most = schema.bounds().max_properties.and_then(|most| usize::try_from(most).ok());
        let surplus = object.root().members().len().saturating_sub(most.unwrap_or(usize::MAX));
        let others: Vec<_> = object
            .root()
            .members()
            .filter(|(key, _)| *key != name && !schema.required.contains(key))
            .map(|(_, member)| member.id())
            .take(surplus)
            .collect();
        for id in others {
            object.remove(id);
        }
        object
    }

    /// An object; `wanted` is a member that will be added to it.
    fn object(&self, schema: &Schema<'c>, wanted: Option<&str>) -> Document {
        let mut object = Document::object();
        if schema.extensions().embedded_resource {
            object.insert(NodeId::ROOT, "apiVersion", "v1");
            object.insert(NodeId::ROOT, "kind", "ConfigMap");
            let mut metadata = Document::object();
            metadata.insert(NodeId::ROOT, "name", "example");
            object.insert(NodeId::ROOT, "metadata", metadata.root());
        }
        let own: Vec<_> = object.root().members().map(|(name, _)| name.to_owned()).collect();
        let mut known: HashSet<_> = own.iter().map(String::as_str).collect();
        for name in self.required(schema, wanted) {
            let Some(child) = child(schema, name) else { continue };
            if self.schema(child).default.is_none() && known.insert(name) {
                object.insert(NodeId::ROOT, name, self.sample(child).root());
            }
        }
        let least = usize::try_from(schema.bounds().min_properties.unwrap_or(0)).unwrap_or(0);
        let least = least.saturating_sub(usize::from(wanted.is_some()));
        self.pad(schema, least.min(LARGEST), &mut object);
        object
    }

    /// Adds members until there are `count`, as far as the schema has names for them.
    pub(super) fn pad(&self, schema: &Schema<'c>, count: usize, object: &mut Document) {
        let named = schema.properties.iter().map(|(name, _)| Cow::Borrowed(name));
        let is_open = schema.additional_schema().is_some() || schema.preserves_unknown_fields();
        let others = (0..if is_open { count } else { 0 }).map(|number| format!("key{number}"));
        for name in named.chain(others.map(Cow::Owned)) {
            if object.root().members().len() >= count {
                return;
            }
            if object.root().get(&name).is_none() {
                let value = match child(schema, &name) {
                    Some(child) => self.sample(child),
                    None => Document::from("value"),
                };
                build::set(object, &name, value.root());
            }
        }
    }

    /// Required names, with those of `allOf` and of one branch of `anyOf` and `oneOf`: one that
    /// requires `wanted` if there is one.
    fn required(&self, schema: &Schema<'c>, wanted: Option<&str>) -> Vec<&'c str> {
        let junctors = schema.junctors();
        let branch = |ids: &[SchemaId]| {
            let asks = |id: &&SchemaId| {
                wanted.is_some_and(|wanted| self.schema(**id).required.contains(&wanted))
            };
            let at = self.choice.checked_rem(ids.len())?;
            ids.iter().find(asks).or_else(|| ids.get(at)).copied()
        };
        let mut names = schema.required.clone();
        let chosen = [branch(&junctors.any_of), branch(&junctors.one_of)];
        for id in junctors.all_of.iter().copied().chain(chosen.into_iter().flatten()) {
            names.extend(&self.schema(id).required);
        }
        names
    }

    /// A value with a choice made at a place inside it; nothing when it is to be absent or has no such
    /// place. What is missing on the way is filled in.
    pub(super) fn put(
        &self,
        id: SchemaId,
        value: Option<&Document>,
        place: &[Hop],
        choice: &Choice,
    ) -> Option<Document> {
        let schema = self.schema(id);
        let base = || value.map_or_else(|| self.sample(id), |it| Document::copy_of(it.root()));
        let Some((hop, rest)) = place.split_first() else {
            return match choice {
                Choice::Is(value) => Some(Document::copy_of(value.root())),
                Choice::Sized(size) => self.sized(id, *size),
                Choice::There => Some(base()),
                Choice::Absent => None,
            };
        };
        let mut whole = base();
        match hop {
            Hop::Field(name) => {
                let written =
                    |it: &&str| escape(it).is_some_and(|escaped| plain(&escaped) == *name);
                let named = schema.properties.iter().find(|(key, _)| key == name || written(key));
                let (key, child) =
                    named.or_else(|| Some((name.as_str(), schema.additional_schema()?)))?;
                let inner = whole.root().get(key).map(Document::copy_of);
                match self.put(child, inner.as_ref(), rest, choice) {
                    Some(inner) => build::set(&mut whole, key, inner.root()),
                    None => whole = build::without(&whole, key),
                }
            }
            Hop::Element if schema.additional_schema().is_some() => {
                let inner = self.put(schema.additional_schema()?, None, rest, choice)?;
                build::set(&mut whole, KEY, inner.root());
            }
            Hop::Element => {
                let mut items: Vec<_> = whole.root().items().map(Document::copy_of).collect();
                if items.is_empty() {
                    items = self.list(schema, 1);
                }
                // Of a map the keys must stay unlike one another, so that one item has to do.
                let is_map = schema.extensions().list_type == Some("map");
                let item = schema.item_schema()?;
                for place in items.iter_mut().take(if is_map { 1 } else { usize::MAX }) {
                    *place = self.put(item, Some(place), rest, choice)?;
                }
                whole = Document::array_of(&items);
            }
        }
        Some(whole)
    }

    /// A value of so many characters, items or fields.
    fn sized(&self, id: SchemaId, size: usize) -> Option<Document> {
        let schema = self.schema(id);
        match schema.type_name {
            "string" => {
                let pattern =
                    Regex::new(schema.pattern).ok().filter(|_| !schema.pattern.is_empty());
                let Some(pattern) = pattern else { return Some(Document::from(&"a".repeat(size))) };
                let search = Search {
                    matching: vec![&pattern],
                    failing: Vec::new(),
                    min_length: size,
                    max_length: Some(size),
                };
                match search.run(1) {
                    SearchOutcome::Texts(texts) => texts.first().map(Document::from),
                    SearchOutcome::Unknown => None,
                }
            }
            "array" => Some(Document::array_of(&self.list(schema, size))),
            "object" => {
                let mut object = self.object(schema, None);
                self.pad(schema, size, &mut object);
                Some(object)
            }
            _ => None,
        }
    }

    /// So many items of an array, unlike one another where the array asks for it.
    pub(super) fn list(&self, schema: &Schema<'c>, count: usize) -> Vec<Document> {
        let Some(item) = schema.item_schema() else {
            return vec![Document::object(); count];
        };
        let extensions = schema.extensions();
        match extensions.list_type {
            Some("set") => self.unlike(item, count),
            Some("map") => {
                let mut items = self.repeated(item, count);
                let Some(key) = extensions.list_map_keys.first() else { return items };
                let Some(key_schema) = self.schema(item).properties.get(key) else { return items };
                for (item, value) in items.iter_mut().zip(self.unlike(key_schema, count)) {
                    build::set(item, key, value.root());
                }
                items
            }
            _ => self.repeated(item, count),
        }
    }

    /// The same sample so many times; fewer if that would be very much.
    fn repeated(&self, id: SchemaId, count: usize) -> Vec<Document> {
        const MOST: usize = 16_384;
        let value = self.sample(id);
        let count = count.min((MOST / value.n_nodes().max(1)).max(1));
        vec![value; count]
    }

    /// Values of a schema that differ from one another; fewer if there are not so many.
    fn unlike(&self, id: SchemaId, count: usize) -> Vec<Document> {
        let schema = self.schema(id);
        if let Some(values) = schema.enum_values {
            return values.items().take(count).map(Document::copy_of).collect();
        }
        match schema.type_name {
            "string" => texts(self.memo, &[schema], count).iter().map(Document::from).collect(),
            "integer" | "number" => {
                let first = number(&[schema]);
                let ups = (0..u32::try_from(count).unwrap_or(0)).map(f64::from);
                ups.map(|up| build::number(first + up)).collect()
            }
            _ => vec![self.sample(id)],
        }
    }
}

/// The schema of the member called `name`.
pub(super) fn child(schema: &Schema<'_>, name: &str) -> Option<SchemaId> {
    schema.properties.get(name).or_else(|| schema.additional_schema())
}
