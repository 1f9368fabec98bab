//! Holds a value against its compiled schema, with the API server's semantics.
//!
//! Takes a value, a schema and, for an update, the value it replaces; gives [`Finding`]s, small
//! records that become [`crdkit_issue::Issue`]s only when somebody looks. A valid value costs one walk
//! and no allocation.
//!
//! A node is checked in the server's order: type, junctors, string, format, number, array, enum,
//! object. All of them run even when the type is wrong; `null` meets only type and enum. Each check
//! adds to a match count, by which a junctor picks the clause whose findings it shows.
//!
//! On an update, findings of a value that equals the one it replaces are dropped ([`correlate`]).
//! Recurses once per schema level and clause; reading a CRD bounds those.
//! Upstream: `kube-openapi/pkg/validation/validate`, `apiextensions-apiserver/pkg/apiserver/validation`.

pub mod correlate;
mod enums;
mod finding;
mod junctor;
mod keywords;
mod number;
mod positions;
mod text;

pub use enums::is_character;
pub use finding::{
    Finding, NumberSubject, Problem, Relation, Scope, literal, place_name, shown, too_few,
    too_many, type_name, wrong_type,
};
pub use keywords::{Keywords, ServerKeywords};
pub use number::{is_in_i64, is_integer, truncate};
pub use positions::Positions;

use crate::compile::{Additional, Field, Flags, Id, Node, Plain, Table};
use crate::status;
use crdkit_issue::{FieldPath, Issue};
use crdkit_value::{Items, Kind, MemberIndex, Members, NodeId, Tag, Value};
use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

/// Everything wrong with `value`, which stands at `base` and replaces `old`, as issues: sorted by path,
/// and of several that say the same only one, as the server keeps them.
pub fn issues<'v>(
    table: &Table,
    schema: Id,
    value: Value<'v>,
    old: Option<Value<'v>>,
    base: &FieldPath,
) -> Vec<(NodeId, Issue)> {
    let found = update(table, schema, value, old);
    if found.is_empty() {
        return Vec::new();
    }
    let positions = &Positions::default();
    let scope = Scope { table, schema, root: value, base, positions };
    let issues = found.iter().map(|finding| (finding.value, finding.issue(&scope)));
    let mut issues: Vec<_> = issues.collect();
    issues.sort_by(|(_, left), (_, right)| left.path.cmp(&right.path));
    // A line may be long, and there may be many: what tells them apart is enough.
    let (mut seen, state) = (HashSet::new(), RandomState::new());
    issues.retain(|(_, issue)| seen.insert(state.hash_one(status::line(issue))));
    issues
}

/// Everything wrong with `value`, which replaces `old`, in the order it was found.
pub fn update<'v>(
    table: &Table,
    schema: Id,
    value: Value<'v>,
    old: Option<Value<'v>>,
) -> Vec<Finding> {
    let mut validator = Validator::new(table, ServerKeywords);
    validator.value(schema, value, old, Position::Root);
    validator.findings
}

/// Holds values against schemas of one table. `K` says what schemas may ask beyond the server's keywords.
#[derive(Debug)]
pub struct Validator<'t, K: Keywords<'t>> {
    /// The table of the schemas.
    pub table: &'t Table,
    /// A stack: what a clause or an unchanged value adds may be taken off again.
    pub findings: Vec<Finding<K::Problem>>,
    /// What those who implement [`Keywords`] remember while they work.
    pub keywords: K,
}

/// Where a value stands, as far as that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The value that validation began with.
    Root,
    /// Anywhere else.
    Inside,
    /// Where another schema is being held against the same value.
    Part,
}

impl<'t, K: Keywords<'t>> Validator<'t, K> {
    /// One that has found nothing yet.
    pub fn new(table: &'t Table, keywords: K) -> Self {
        Self { table, findings: Vec::new(), keywords }
    }

    /// Checks `value`, which replaces `old`. Gives the match count.
    pub fn value<'v>(
        &mut self,
        schema: Id,
        value: Value<'v>,
        old: Option<Value<'v>>,
        position: Position,
    ) -> u32 {
        let before = self.findings.len();
        let count = self.check(schema, value, old, position);
        if let Some(old) = old
            && self.findings.len() > before
            && correlate::equal(self.table, Some(schema), value, old)
        {
            self.findings.truncate(before);
        }
        count
    }

    fn check<'v>(
        &mut self,
        schema: Id,
        value: Value<'v>,
        old: Option<Value<'v>>,
        position: Position,
    ) -> u32 {
        if let Some(count) = K::check(self, schema, value, position) {
            return count;
        }
        let node = self.table.node(schema);
        let kind = value.kind();
        let at = Instance { schema, node, value };
        if matches!(kind, Kind::Null) {
            let wanted = text::type_allows_null(node);
            if !wanted {
                self.add(&at, Problem::Type);
            }
            self.enum_values(&at, &kind);
            return u32::from(wanted);
        }
        // One at the end, one each for the junctors and the enum, which always apply.
        let mut count = 3;
        count += self.types(&at, &kind);
        if let Some(rare) = node.rare.as_deref() {
            count += self.junctors(&at, &rare.junctors);
        }
        count += 1;
        count += match kind {
            Kind::Null | Kind::Bool(_) => 0,
            Kind::String(text) => self.string(&at, text),
            Kind::Int(_) | Kind::Float(_) | Kind::Number(_) => self.number(&at, &kind),
            Kind::Array(ref items) => 2 + self.items(&at, items.clone(), old),
            Kind::Object(_) => 1,
        };
        self.enum_values(&at, &kind);
        if let Kind::Object(members) = kind {
            count += self.members(&at, members, old, position);
        }
        count
    }

    fn items<'v>(
        &mut self,
        at: &Instance<'t, 'v>,
        items: Items<'v>,
        old: Option<Value<'v>>,
    ) -> u32 {
        let n_items = items.len();
        let mut count = 0;
        if let Some(schema) = at.node.items {
            let pairs = old.map(|old| correlate::Pairs::new(self.table, at.node, old));
            let plain = self.plain(schema);
            for item in items {
                if plain.accepts(item.tag()) {
                    count += plain_count(item.tag());
                    continue;
                }
                let old = pairs.as_ref().and_then(|pairs| pairs.find(item));
                count += self.value(schema, item, old, Position::Inside);
            }
        }
        self.count_items(at, n_items);
        count
    }

    /// `minItems` and `maxItems`.
    #[inline]
    pub fn count_items(&mut self, at: &Instance<'t, '_>, n_items: usize) {
        let Some(bounds) = at.node.bounds() else { return };
        if let Some(limit) = bounds.min_items.filter(|limit| as_i64(n_items) < *limit) {
            self.add(at, Problem::MinItems { limit });
        }
        if let Some(limit) = bounds.max_items.filter(|limit| as_i64(n_items) > *limit) {
            self.add(at, Problem::MaxItems { limit });
        }
    }

    /// `minProperties` and `maxProperties`.
    #[inline]
    pub fn count_members(&mut self, at: &Instance<'t, '_>, n_members: usize) {
        let Some(bounds) = at.node.bounds() else { return };
        if let Some(limit) = bounds.min_properties.filter(|limit| as_i64(n_members) < *limit) {
            self.add(at, Problem::MinProperties { limit });
        }
        if let Some(limit) = bounds.max_properties.filter(|limit| as_i64(n_members) > *limit) {
            self.add(at, Problem::MaxProperties { limit });
        }
    }

    fn members<'v>(
        &mut self,
        at: &Instance<'t, 'v>,
        members: Members<'v>,
        old: Option<Value<'v>>,
        position: Position,
    ) -> u32 {
        let (table, node) = (self.table, at.node);
        self.count_members(at, members.len());
        let (mut count, mut n_required) = (0, 0);
        if !node.fields.is_empty() || node.additional != Additional::Absent {
            let old = old.map(MemberIndex::new);
            let rest = node.additional_schema().map(|schema| self.plain(schema));
            for (key, member) in members {
                let (schema, plain) = match node.fields.find(table, key) {
                    Some(&Field { schema, plain, required, .. }) => {
                        n_required += usize::from(required);
                        (schema, if K::PLAIN { plain } else { Plain::default() })
                    }
                    None => match node.additional {
                        Additional::Schema(schema) => (schema, rest.unwrap_or_default()),
                        Additional::Allowed(false) => {
                            self.add(at, Problem::ForbiddenProperty { member: member.id() });
                            continue;
                        }
                        Additional::Allowed(true) | Additional::Absent => continue,
                    },
                };
                if plain.accepts(member.tag()) {
                    count += plain_count(member.tag());
                    continue;
                }
                // The server converts old and new objects to one version, so a change of these two
                // would not be seen.
                let seen = position != Position::Root || !matches!(key, "kind" | "apiVersion");
                let old = old.as_ref().filter(|_| seen).and_then(|old| old.get(key));
                count += self.value(schema, member, old, Position::Inside);
            }
        }
        if n_required < node.required.len() {
            self.required(at);
        }
        count
    }

    /// What `schema` accepts without a further look.
    fn plain(&self, schema: Id) -> Plain {
        if K::PLAIN { Plain::of(self.table.node(schema)) } else { Plain::default() }
    }

    /// Looks for what is required by name: not all of it was met among the declared properties.
    fn required(&mut self, at: &Instance<'t, '_>) {
        let keys = MemberIndex::new(at.value);
        for name in at.node.required.iter().copied() {
            if keys.get(self.table.name(name)).is_none() {
                self.add(at, Problem::Required { name });
            }
        }
    }

    /// Notes what is wrong with a value.
    pub fn add(&mut self, at: &Instance<'_, '_>, problem: Problem<K::Problem>) {
        self.findings.push(Finding { schema: at.schema, value: at.value.id(), problem });
    }
}

/// The match count of a scalar that a schema accepts by its type alone: what [`Validator::check`] adds up
/// to when no check has anything to do.
fn plain_count(tag: Tag) -> u32 {
    match tag {
        Tag::String => 7,
        Tag::Int | Tag::Float | Tag::Number => 8,
        Tag::Null | Tag::False | Tag::True | Tag::Array | Tag::Object => 6,
    }
}

/// A value and the schema that it is held against.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'t, 'v> {
    /// The schema.
    pub schema: Id,
    /// What the schema says.
    pub node: &'t Node,
    /// The value.
    pub value: Value<'v>,
}

fn as_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Node {
    fn is_nullable(&self) -> bool {
        self.has(Flags::NULLABLE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::Types;
    use crdkit_value::{Document, Event};

    #[test]
    fn a_plain_scalar_counts_as_much_as_a_full_check() {
        let scalars = [
            Event::Null,
            Event::Bool(false),
            Event::Bool(true),
            Event::Int(1),
            Event::Float(1.5),
            Event::Number("1"),
            Event::String("a"),
        ];
        let mut n_plain = 0;
        for types in [
            Types::Any,
            Types::Object,
            Types::Array,
            Types::String,
            Types::Integer,
            Types::Number,
            Types::Boolean,
            Types::IntOrString,
        ] {
            let mut table = Table::new();
            table.nodes.push(Node { types, ..Node::default() });
            let [schema] = *table.ids().collect::<Vec<_>>() else { unreachable!() };
            for event in scalars {
                let document = Document::of_events([event]);
                let mut validator = Validator::new(&table, ServerKeywords);
                let count = validator.check(schema, document.root(), None, Position::Inside);
                let tag = document.root().tag();
                if validator.plain(schema).accepts(tag) {
                    n_plain += 1;
                    assert!(validator.findings.is_empty(), "{types:?} {event:?}");
                    assert_eq!(count, plain_count(tag), "{types:?} {event:?}");
                }
            }
        }
        assert_eq!(n_plain, 8);
    }
}
