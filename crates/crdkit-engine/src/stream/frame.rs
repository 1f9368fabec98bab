//! An array or object that is open: what it still has to see, and what is wrong when it ends.

use super::schema::{self, Member, Schemas};
use super::seen::Seen;
use crate::list_type;
use crdkit_issue::{Code, FieldPath, Issue, Segment, codes::object as codes};
use crdkit_schema::compile::{Id, ListType, Node, Table, Types};
use crdkit_value::{Document, Event, NodeId, Value};
use std::collections::BTreeSet;

/// One open array or object.
pub(super) struct Frame<'t> {
    kind: Kind<'t>,
    /// The schemas that apply to it; all they say counts, even if its type is wrong.
    schemas: Vec<Id>,
    /// The schemas of items.
    items: Schemas,
    n_children: usize,
    /// What its siblings must not have the same of, as far as it has come: for an item of a map list.
    identity: Option<Document>,
    /// Where it began in the input.
    pub(super) start: usize,
}

enum Kind<'t> {
    Object {
        /// Required fields that have not come yet.
        missing: BTreeSet<&'t str>,
        keys: Seen,
        /// The key whose value comes next.
        key: Option<Box<str>>,
    },
    Array {
        /// The items so far, for a list of which no two may be the same.
        items: Seen,
    },
}

/// What is to be done with a child.
pub(super) enum Child {
    /// It is checked by these schemas.
    Check(Schemas),
    /// Nobody asks for it.
    Skip,
}

impl<'t> Frame<'t> {
    /// Opens an object or array that `schemas` apply to; what is wrong with that goes to `found`.
    pub(super) fn open(
        table: &'t Table,
        schemas: &[Id],
        is_object: bool,
        start: usize,
        found: &mut Vec<Issue>,
    ) -> Self {
        let mut items = Vec::new();
        let mut missing = BTreeSet::new();
        for id in schemas {
            let node = table.node(*id);
            if !has_type(node, is_object) {
                found.push(wrong_type(node, is_object));
            }
            missing.extend(node.required.iter().map(|name| table.name(*name)));
            schema::item(node, &mut items);
        }
        let kind = if is_object {
            Kind::Object { missing, keys: Seen::default(), key: None }
        } else {
            Kind::Array { items: Seen::default() }
        };
        Self {
            kind,
            schemas: schemas.to_vec(),
            items: items.into(),
            n_children: 0,
            identity: None,
            start,
        }
    }

    /// Takes the key of the next member. What is wrong with it goes to `found`, where paths are relative
    /// to this object.
    pub(super) fn member(
        &mut self,
        table: &'t Table,
        key: &str,
        options: &super::Options,
        found: &mut Vec<Issue>,
    ) -> Child {
        self.n_children += 1;
        let Kind::Object { missing, keys, key: current } = &mut self.kind else {
            return Child::Skip;
        };
        *current = Some(key.into());
        let mut schemas = Vec::new();
        let mut verdict = if self.schemas.is_empty() { Member::Known } else { Member::Unknown };
        for id in &self.schemas {
            match schema::member(table, table.node(*id), key, &mut schemas) {
                Member::Known if verdict == Member::Unknown => verdict = Member::Known,
                Member::Known | Member::Unknown => {}
                Member::Forbidden => verdict = Member::Forbidden,
            }
        }
        missing.remove(key);
        let path = FieldPath::root().join(Segment::named(key));
        if keys.note(key, self.n_children).is_some() {
            use crdkit_value::Duplicates::{Error, FirstWins, LastWins};
            match options.duplicates {
                Error | LastWins => {
                    let code = crdkit_issue::codes::decode::DUPLICATE_KEY;
                    found.push(Issue::error(code).with("key", key).at(path));
                }
                FirstWins => return Child::Skip,
            }
            self.n_children -= 1;
            return Child::Check(schemas.into());
        }
        match verdict {
            Member::Known => Child::Check(schemas.into()),
            Member::Forbidden => {
                let issue = Issue::error(codes::FORBIDDEN_FIELD).with("key", key).with("name", "");
                found.push(issue.value(key));
                Child::Skip
            }
            Member::Unknown => match options.unknown {
                super::Unknown::Prune => Child::Skip,
                super::Unknown::Strict => {
                    let code = crdkit_issue::codes::crd::UNKNOWN_FIELD;
                    found.push(Issue::error(code).at(path));
                    Child::Skip
                }
                super::Unknown::Preserve => Child::Check(schemas.into()),
            },
        }
    }

    /// The schemas of the next item.
    pub(super) fn item(&self) -> Schemas {
        Schemas::clone(&self.items)
    }

    /// How the child that comes next, or came last, is called.
    pub(super) fn child(&self) -> Segment {
        match &self.kind {
            Kind::Object { key, .. } => Segment::named(key.as_deref().unwrap_or_default()),
            Kind::Array { .. } => Segment::Index(self.n_children),
        }
    }

    fn count_item(&mut self, table: &Table, value: Option<Value<'_>>, found: &mut Vec<Issue>) {
        let index = self.n_children;
        let Kind::Array { items } = &mut self.kind else { return };
        self.n_children += 1;
        let Some(value) = value else { return };
        for id in &self.schemas {
            let node = table.node(*id);
            let (text, code, shown) = match node.list_type {
                ListType::Atomic => continue,
                ListType::Set => {
                    let text = list_type::element_text(Some(value));
                    (text, codes::REPEATED_ITEM, crdkit_schema::validate::shown(value))
                }
                ListType::Map => {
                    if value.as_object().is_none() {
                        continue;
                    }
                    let text = list_type::key_object(table, node.list_map_keys(), value);
                    let shown = crdkit_issue::Arg::Literal(text.as_str().into());
                    (text, codes::REPEATED_KEYS, shown)
                }
            };
            // Only the second of a kind is reported.
            if let Some((_, 2)) = items.note(&text, index) {
                found.push(Issue::error(code).value(shown).at(FieldPath::root().index(index)));
            }
        }
    }

    /// What is wrong now that it ends; paths are relative to it.
    pub(super) fn close(&self, table: &Table, found: &mut Vec<Issue>) {
        if let Kind::Object { missing, .. } = &self.kind {
            for name in missing {
                found.push(Issue::error(codes::REQUIRED).at(FieldPath::root().field(name)));
            }
        }
        let n_children = i64::try_from(self.n_children).unwrap_or(i64::MAX);
        let is_object = matches!(self.kind, Kind::Object { .. });
        for bounds in self.schemas.iter().filter_map(|id| table.node(*id).bounds()) {
            let (least, most, few, many) = if is_object {
                let (few, many) = (codes::TOO_FEW_FIELDS, codes::TOO_MANY_FIELDS);
                (bounds.min_properties, bounds.max_properties, few, many)
            } else {
                let (few, many) = (codes::TOO_FEW_ITEMS, codes::TOO_MANY_ITEMS);
                (bounds.min_items, bounds.max_items, few, many)
            };
            if let Some(limit) = least.filter(|limit| n_children < *limit) {
                found.push(count(few, n_children, limit));
            }
            if let Some(limit) = most.filter(|limit| n_children > *limit) {
                found.push(count(many, n_children, limit));
            }
        }
    }

    /// Why a child must be held whole, if it must.
    pub(super) fn whole_child(&self, table: &Table) -> Option<&'static str> {
        let mut lists = self.schemas.iter().map(|id| table.node(*id).list_type);
        let is_set = !self.is_object() && lists.any(|list_type| list_type == ListType::Set);
        is_set.then_some("the uniqueness of items")
    }

    /// What an item that is opened has to remember of itself.
    pub(super) fn remember(&mut self, parent: &Self, table: &Table) {
        let mut lists = parent.schemas.iter().map(|id| table.node(*id).list_type);
        if self.is_object() && !parent.is_object() && lists.any(|it| it == ListType::Map) {
            self.identity = Some(Document::of_events([Event::BeginObject, Event::EndObject]));
        }
    }

    /// What it remembers of itself, when it ends.
    pub(super) fn into_identity(self) -> Option<Document> {
        self.identity
    }

    /// Takes note that a child has come, which is `value` unless it was opened; what is wrong with that goes to `found`.
    pub(super) fn count_child(
        &mut self,
        table: &Table,
        value: Option<Value<'_>>,
        found: &mut Vec<Issue>,
    ) {
        match (&self.kind, &mut self.identity, value) {
            (Kind::Array { .. }, ..) => self.count_item(table, value, found),
            // Keys are scalars, or wrong.
            (Kind::Object { key: Some(key), .. }, Some(identity), Some(value))
                if value.as_object().is_none() && value.as_array().is_none() =>
            {
                identity.insert(NodeId::ROOT, key, value);
            }
            _ => {}
        }
    }

    /// Why values of `schemas` must be held whole, if they must.
    pub(super) fn whole(table: &Table, schemas: &[Id]) -> Option<&'static str> {
        schemas.iter().find_map(|id| match schema::label(table.node(*id)) {
            schema::Label::Incremental => None,
            schema::Label::Buffered(why) => Some(why),
        })
    }

    /// Whether it has members, not items.
    pub(super) fn is_object(&self) -> bool {
        matches!(self.kind, Kind::Object { .. })
    }
}

fn has_type(node: &Node, is_object: bool) -> bool {
    match node.types {
        Types::Any => true,
        Types::Object => is_object,
        Types::Array => !is_object,
        _ => false,
    }
}

fn wrong_type(node: &Node, is_object: bool) -> Issue {
    let found = if is_object { "object" } else { "array" };
    Issue::error(codes::TYPE_MISMATCH)
        .with("expected", node.types.text())
        .with("found", found)
        .with("shown", crdkit_text::quote::quote(found))
        .value(found)
}

fn count(code: Code, count: i64, limit: i64) -> Issue {
    let items = if limit == 1 { "1 item".to_owned() } else { format!("{limit} items") };
    Issue::error(code).with("count", count).with("limit", limit).with("items", items).value(count)
}
