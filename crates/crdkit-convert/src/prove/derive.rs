//! Schemas rewritten as rules rewrite objects.
//!
//! Takes both versions of a pair and gives two CRDs for `crdkit-compat`: the old one allows at least every object that the rules
//! make of an accepted one, the new one is what has to accept and keep them. Where that cannot be said, it gives the reason.
//!
//! What a rewritten schema says about the objects around a place that changes is dropped rather than rewritten: it then
//! allows more, and what is proved holds for less as well.

use super::with_schema;
use crate::Pair;
use crate::place::Places;
use crate::rule::{ConversionRule, Direction};
use crdkit_schema::lookup::LookupStep;
use crdkit_value::{Document, NewValue, NodeId, Value};

/// The CRDs to compare, the old one first.
pub(super) fn sides(
    pair: &Pair,
    direction: Direction,
    here: &Document,
    there: &Document,
) -> Result<(Document, Document), String> {
    let schema = |crd: &Document| {
        let found = crd.root().pointer("/spec/versions/0/schema/openAPIV3Schema");
        found.map_or_else(Document::object, Document::copy_of)
    };
    let mut rewriting = Rewriting {
        schema: schema(here),
        other: schema(there),
        direction,
        made: Vec::new(),
        filled: Vec::new(),
    };
    match direction {
        Direction::Forward => pair.rules.iter().try_for_each(|rule| rewriting.apply(rule, pair))?,
        Direction::Backward => {
            pair.rules.iter().rev().try_for_each(|rule| rewriting.apply(rule, pair))?;
        }
    }
    let through = match direction {
        Direction::Forward => &pair.to,
        Direction::Backward => &pair.from,
    };
    let Rewriting { schema, mut other, .. } = rewriting;
    forget_defaults(schema.root(), &mut other);
    Ok((with_schema(here, through, schema.root()), with_schema(there, through, other.root())))
}

struct Rewriting {
    schema: Document,
    /// The schema of the version that rules lead to.
    other: Document,
    direction: Direction,
    /// Objects that exist for the sake of what was moved into them.
    made: Vec<Made>,
    /// Objects that were never empty, and are gone once all of their fields are.
    filled: Vec<Vec<LookupStep>>,
}

struct Made {
    path: Vec<LookupStep>,
    /// What is in it whenever it is there, as long as nothing else is moved into it.
    alone: Option<Vec<LookupStep>>,
}

impl Rewriting {
    fn apply(&mut self, rule: &ConversionRule, pair: &Pair) -> Result<(), String> {
        match rule {
            ConversionRule::Move(places) => {
                let (from, to) = match self.direction {
                    Direction::Forward => (&places.from, &places.to),
                    Direction::Backward => (&places.to, &places.from),
                };
                self.relocate(places, from, to)
            }
            ConversionRule::Compute { .. } => Err("what expressions make is only tried".to_owned()),
            ConversionRule::Keep { path, leaves, .. } if *leaves == self.direction => {
                let path = steps(&[], path);
                self.declared(&path)?;
                self.forget_rules(&path);
                self.remove(&path);
                Ok(())
            }
            ConversionRule::Keep { .. } => Ok(()),
            ConversionRule::Default { places, value } if self.direction == Direction::Forward => {
                self.give(places, value)
            }
            ConversionRule::Default { places, value } => {
                let path = steps(&places.scope, &places.from);
                let is_kept = pair.rules.iter().any(|rule| {
                    matches!(rule, ConversionRule::Keep { path, leaves, .. }
                        if *leaves == self.direction && places.scope.is_empty() && *path == places.from)
                });
                let always = is_required(&self.schema, &path)
                    || find(&self.schema, &path).and_then(|it| it.get("default"))
                        == Some(value.root());
                // Kept first, it is gone from the rewritten schema already.
                if find(&self.schema, &path).is_none() && is_kept {
                    return Ok(());
                }
                match (always, is_kept) {
                    (true, true) => Ok(()),
                    (true, false) => {
                        Err(format!("{} is only kept if it is the default", shown(&path)))
                    }
                    (false, _) => Err(format!(
                        "{} may be absent, and has the default afterwards",
                        shown(&path)
                    )),
                }
            }
        }
    }

    /// Moves the property at `from` to `to`.
    fn relocate(
        &mut self,
        places: &Places,
        from: &[Box<str>],
        to: &[Box<str>],
    ) -> Result<(), String> {
        let n_common = from.iter().zip(to).take_while(|(from, to)| from == to).count();
        let n_common = n_common.min(from.len().min(to.len()).saturating_sub(1));
        let common = steps(&places.scope, from.get(..n_common).unwrap_or_default());
        let (source, target) = (steps(&places.scope, from), steps(&places.scope, to));
        self.declared(&source)?;
        self.declared(&target)?;
        for path in [&source, &target] {
            self.not_a_key(path)?;
        }
        let Some(property) = find(&self.schema, &source).map(Document::copy_of) else {
            return Ok(());
        };
        let around = (common.len() + 1)..=source.len();
        let always = around
            .clone()
            .all(|end| is_required(&self.schema, source.get(..end).unwrap_or_default()));
        self.forget_rules(&source);
        let parent = source.get(..source.len() - 1).unwrap_or_default();
        if parent.len() > common.len() && is_required(&self.schema, &source) {
            self.filled.push(parent.to_vec());
        }
        self.remove(&source);
        // Objects that are emptied by this go with it.
        for end in around.rev().skip(1) {
            let parent = source.get(..end).unwrap_or_default();
            let required = find(&self.schema, parent).and_then(|it| it.get("required"));
            if required.is_some_and(|it| it.items().len() > 0) {
                break;
            }
            self.release(parent);
            let is_bare = find(&self.schema, parent).is_some_and(|it| {
                it.get("properties").is_none_or(|it| it.members().next().is_none())
            });
            if is_bare && self.filled.iter().any(|path| path == parent) {
                self.remove(parent);
            }
        }
        if find(&self.schema, &target).is_some() {
            return Err(format!("{} may be there already", shown(&target)));
        }
        for end in (common.len() + 1)..target.len() {
            let path = target.get(..end).unwrap_or_default();
            if find(&self.schema, path).is_none() {
                let made = Document::object().with("type", "object");
                self.insert(path, &made, always);
                self.made.push(Made { path: path.to_vec(), alone: None });
                continue;
            }
            let is_made = self.made.iter().any(|made| made.path == path);
            let found = find(&self.schema, path);
            let is_never_empty = found.is_some_and(|it| {
                it.get("required").is_some_and(|it| it.items().len() > 0)
                    && it.get("nullable").and_then(Value::as_bool) != Some(true)
            });
            if !is_made && !is_never_empty {
                return Err(format!("{} may be empty already", shown(path)));
            }
            let made = self.made.iter_mut().find(|made| made.path == path);
            if let Some(alone) = made.and_then(|made| made.alone.take()) {
                self.release(&alone);
            }
            if always {
                self.require(path);
            }
        }
        let parent = target.get(..target.len() - 1).unwrap_or_default();
        let is_empty = find(&self.schema, parent).is_some_and(|it| it.get("properties").is_none());
        let made = self.made.iter_mut().find(|made| made.path == parent).filter(|_| is_empty);
        let is_alone = made.is_some();
        if let Some(made) = made.filter(|_| !always) {
            made.alone = Some(target.clone());
        }
        self.forget_rules(&target);
        self.insert(&target, &property, always || is_alone);
        Ok(())
    }

    /// Adds a property with one value.
    fn give(&mut self, places: &Places, value: &Document) -> Result<(), String> {
        let path = steps(&places.scope, &places.from);
        self.declared(&path)?;
        if find(&self.schema, &path).is_some() {
            return Err(format!("{} goes on the way back if it is the default", shown(&path)));
        }
        let Some(known) = find(&self.other, &path) else { return Ok(()) };
        let given = Document::copy_of(known).with("enum", &Document::array_of([value]));
        let parent = path.get(..path.len() - 1).unwrap_or_default();
        if node(&self.schema, parent).is_some() {
            self.insert(&path, &given, true);
        }
        Ok(())
    }

    /// Refuses places of which the schema does not say whether anything is there.
    fn declared(&self, path: &[LookupStep]) -> Result<(), String> {
        for end in 1..=path.len() {
            let part = path.get(..end).unwrap_or_default();
            if find(&self.schema, part).is_some() {
                continue;
            }
            let around = part.split_last().and_then(|(_, around)| find(&self.schema, around));
            let is_open = around.is_some_and(|it| {
                it.get("type").and_then(Value::as_str) != Some("object")
                    || it.get("additionalProperties").is_some_and(|it| it.as_bool() != Some(false))
                    || it.get("x-kubernetes-preserve-unknown-fields").is_some()
                    || it.get("x-kubernetes-embedded-resource").is_some()
            });
            let problem = || format!("{} may be there without being declared", shown(path));
            return if is_open { Err(problem()) } else { Ok(()) };
        }
        Ok(())
    }

    /// Refuses keys of lists that are maps: they tell items apart.
    fn not_a_key(&self, path: &[LookupStep]) -> Result<(), String> {
        for (at, pair) in path.windows(2).enumerate() {
            let [LookupStep::Each, LookupStep::Name(name)] = pair else { continue };
            let list = find(&self.schema, path.get(..at).unwrap_or_default());
            let keys = list.and_then(|it| it.get("x-kubernetes-list-map-keys"));
            let mut keys = keys.into_iter().flat_map(Value::items);
            if keys.any(|key| key.as_str() == Some(name)) {
                return Err(format!("{} is a key of its list", shown(path)));
            }
        }
        Ok(())
    }

    fn insert(&mut self, path: &[LookupStep], property: &Document, required: bool) {
        let Some((LookupStep::Name(name), parent)) = path.split_last() else { return };
        let Some(parent) = node(&self.schema, parent) else { return };
        let known = self.schema.value(parent).get("properties").map(Value::id);
        let known =
            known.or_else(|| self.schema.insert(parent, "properties", NewValue::EmptyObject));
        if let Some(properties) = known {
            self.schema.insert(properties, name, property);
        }
        if required {
            self.require(path);
        }
    }

    fn require(&mut self, path: &[LookupStep]) {
        let Some((LookupStep::Name(name), parent)) = path.split_last() else { return };
        let Some(parent) = node(&self.schema, parent) else { return };
        if is_required(&self.schema, path) {
            return;
        }
        let known = self.schema.value(parent).get("required").map(Value::id);
        let known = known.or_else(|| self.schema.insert(parent, "required", NewValue::EmptyArray));
        if let Some(required) = known {
            self.schema.push(required, &**name);
        }
    }

    /// A property that need not be there.
    fn release(&mut self, path: &[LookupStep]) {
        let Some((LookupStep::Name(name), parent)) = path.split_last() else { return };
        let Some(parent) = node(&self.schema, parent) else { return };
        let required = self.schema.value(parent).get("required").into_iter().flat_map(Value::items);
        let found = required.filter(|it| it.as_str() == Some(name)).map(Value::id);
        let found: Vec<NodeId> = found.collect();
        for id in found {
            self.schema.remove(id);
        }
        let list = self.schema.value(parent).get("required");
        if let Some(id) = list.filter(|it| it.items().len() == 0).map(Value::id) {
            self.schema.remove(id);
        }
    }

    fn remove(&mut self, path: &[LookupStep]) {
        self.release(path);
        if let Some(id) = node(&self.schema, path) {
            self.schema.remove(id);
        }
    }

    /// Drops what the objects around a place say about it in words that are not rewritten.
    fn forget_rules(&mut self, path: &[LookupStep]) {
        const WORDS: [&str; 9] = [
            "x-kubernetes-validations",
            "default",
            "enum",
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "minProperties",
            "maxProperties",
        ];
        for end in 0..path.len() {
            let Some(id) = node(&self.schema, path.get(..end).unwrap_or_default()) else { return };
            for word in WORDS {
                self.remove_keyword(id, word);
            }
        }
    }

    fn remove_keyword(&mut self, schema: NodeId, keyword: &str) {
        if let Some(id) = self.schema.value(schema).get(keyword).map(Value::id) {
            self.schema.remove(id);
        }
    }
}

/// Drops properties of `there` that `here` does not have and that have a default: what is filled in there goes again
/// on the way back, and means nothing for whether an object is accepted.
fn forget_defaults(here: Value<'_>, there: &mut Document) {
    let mut pending = vec![(here, NodeId::ROOT)];
    let mut dropped = Vec::new();
    while let Some((here, at)) = pending.pop() {
        let schema = there.value(at);
        let is_open = here.get("x-kubernetes-preserve-unknown-fields").is_some();
        // A rule may look at what is filled in.
        if is_open || schema.get("x-kubernetes-validations").is_some() {
            continue;
        }
        for (name, property) in schema.get("properties").into_iter().flat_map(Value::members) {
            match here.get("properties").and_then(|it| it.get(name)) {
                Some(known) => pending.push((known, property.id())),
                None if property.get("default").is_some() => {
                    dropped.push(property.id());
                    let required = schema.get("required").into_iter().flat_map(Value::items);
                    dropped.extend(required.filter(|it| it.as_str() == Some(name)).map(Value::id));
                }
                None => {}
            }
        }
        for key in ["items", "additionalProperties"] {
            if let (Some(here), Some(there)) = (here.get(key), schema.get(key)) {
                pending.push((here, there.id()));
            }
        }
    }
    for id in dropped {
        there.remove(id);
    }
}

fn steps(scope: &[LookupStep], names: &[Box<str>]) -> Vec<LookupStep> {
    let names = names.iter().map(|name| LookupStep::Name(name.to_string()));
    scope.iter().cloned().chain(names).collect()
}

fn shown(path: &[LookupStep]) -> String {
    crdkit_schema::lookup::print(path)
}

/// The schema of what is at `path`.
fn find<'d>(schema: &'d Document, path: &[LookupStep]) -> Option<Value<'d>> {
    path.iter().try_fold(schema.root(), |schema, step| match step {
        LookupStep::Name(name) => schema.get("properties").and_then(|it| it.get(name)),
        LookupStep::Each => schema.get("items").or_else(|| schema.get("additionalProperties")),
    })
}

fn node(schema: &Document, path: &[LookupStep]) -> Option<NodeId> {
    find(schema, path).map(Value::id)
}

/// Whether the object around `path` must have it.
fn is_required(schema: &Document, path: &[LookupStep]) -> bool {
    let Some((LookupStep::Name(name), parent)) = path.split_last() else { return true };
    let required = find(schema, parent).and_then(|it| it.get("required"));
    required.is_some_and(|it| it.items().any(|it| it.as_str() == Some(name)))
}
