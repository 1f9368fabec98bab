//! Objects: members, unknown keys, names, dependencies, counts, unions by field, embedded resources.

use super::{LooseKeywords, LooseProblem, LooseValidator, Role};
use crate::compiled::Settings;
use crate::import::{DefaultMode, Embedded, Nulls, Unknown};
use crate::member;
use crdkit_schema::compile::{Additional, Flags, Member, More, Node, Table, TypeSet, Union};
use crdkit_schema::embedded::TypeProblem;
use crdkit_schema::validate::{Instance, Problem, Validator};
use crdkit_value::{Members, NodeId, Value};
use foldhash::HashSet;

/// Up to here looking through all marks is faster than hashing.
const LINEAR: usize = 16;

impl<'t> LooseValidator<'_, 't> {
    pub(super) fn object(
        &mut self,
        at: &Instance<'t, '_>,
        settings: &'t Settings,
        members: Members<'_>,
        role: Role,
    ) {
        let node = at.node;
        if let Some(more) = node.more() {
            self.unions(at, more);
        }
        let strict = role == Role::Own && settings.unknown == Unknown::Strict;
        let looks = !node.fields.is_empty()
            || node.additional != Additional::Absent
            || !node.pattern_properties().is_empty()
            || strict;
        if looks {
            for (key, member) in members.clone() {
                if !self.will_go(at, settings, member) {
                    self.member(at, settings, key, member, strict);
                }
            }
        }
        self.count_members(at, members.len());
        for name in node.required.iter().copied() {
            let text = self.table.name(name);
            let member = at.value.get(text);
            let is_missing = member.is_none_or(|member| self.will_go(at, settings, member));
            if is_missing && !self.fills_in(node, settings, text) {
                self.add(at, Problem::Required { name });
            }
        }
        self.embedded(at, settings.embedded);
        let Some(more) = node.more() else { return };
        self.property_names(at, settings, more, members);
        for (because, names) in &more.dependent_required {
            if at.value.get(self.table.name(*because)).is_some() {
                for name in names.iter().copied() {
                    if at.value.get(self.table.name(name)).is_none() {
                        let problem = LooseProblem::Dependent { name, because: *because };
                        self.add(at, Problem::Beyond(problem));
                    }
                }
            }
        }
        for (because, schema) in &more.dependent_schemas {
            if at.value.get(self.table.name(*because)).is_some() {
                self.part(*schema, at.value);
            }
        }
    }

    fn member(
        &mut self,
        at: &Instance<'t, '_>,
        settings: &'t Settings,
        key: &str,
        value: Value<'_>,
        strict: bool,
    ) {
        let (table, node) = (self.table, at.node);
        let said = member::said(table, settings, node, key, |schema| {
            self.child(schema, value);
        });
        if matches!(said, Member::Known(()) | Member::Allowed | Member::Kept) {
            return self.mark(value);
        }
        if is_refused(table, settings, node, key, said, strict) {
            let problem = LooseProblem::UnknownKey { member: value.id() };
            self.add(at, Problem::Beyond(problem));
        }
    }

    /// Whether `member` is a `null` that is still to be removed.
    fn will_go(&self, at: &Instance<'t, '_>, settings: &Settings, member: Value<'_>) -> bool {
        let (table, node) = (self.table, at.node);
        self.keywords.fills
            && settings.nulls == Nulls::DropLikeApiServer
            && member.is_null()
            && member
                .key()
                .and_then(|key| node.fields.get(table, key))
                .is_some_and(|id| !table.node(table.resolve(id)).type_set().has(TypeSet::NULL))
    }

    /// Whether a default will stand in for the absent property.
    fn fills_in(&self, node: &Node, settings: &Settings, name: &str) -> bool {
        self.keywords.fills
            && settings.defaults != DefaultMode::Ignore
            && node.fields.get(self.table, name).is_some_and(|id| {
                self.table.node(self.table.resolve(id)).default.is_some()
                    || self.table.node(id).default.is_some()
            })
    }

    fn property_names(
        &mut self,
        at: &Instance<'t, '_>,
        settings: &'t Settings,
        more: &'t More,
        members: Members<'_>,
    ) {
        let Some(schema) = more.property_names else { return };
        for (key, member) in members {
            let name = super::text_document(key);
            // Findings about the name are about another document, so they stay with this validator.
            let mut keywords = LooseKeywords::new(settings, &name);
            keywords.depth = self.keywords.depth;
            keywords.scopes.clone_from(&self.keywords.scopes);
            let mut names = Validator::new(self.table, keywords);
            if !LooseValidator(&mut names).part(schema, name.root()) {
                let problem = LooseProblem::PropertyName { member: member.id() };
                self.add(at, Problem::Beyond(problem));
            }
        }
    }

    /// `x-kubernetes-unions`: the discriminator says which field is set; where there is none, one may be.
    fn unions(&mut self, at: &Instance<'t, '_>, more: &'t More) {
        let table = self.table;
        for union in &more.unions {
            let discriminator = union.discriminator;
            let chosen = discriminator.and_then(|name| at.value.get(table.name(name)));
            let (Some(discriminator), Some(chosen)) = (discriminator, chosen) else {
                self.at_most_one(at, union);
                continue;
            };
            let Some(text) = chosen.as_str() else {
                let problem = LooseProblem::DiscriminatorMissing { name: discriminator };
                self.add(at, Problem::Beyond(problem));
                continue;
            };
            let selected = union.fields.iter().find(|(_, value)| table.name(*value) == text);
            let Some((selected, _)) = selected else {
                let problem = LooseProblem::DiscriminatorUnknown { member: chosen.id() };
                self.add(at, Problem::Beyond(problem));
                continue;
            };
            for (field, _) in &union.fields {
                match at.value.get(table.name(*field)) {
                    None if field == selected => {
                        self.add(at, Problem::Beyond(LooseProblem::UnionRequired { name: *field }));
                    }
                    Some(member) if field != selected => {
                        let problem =
                            LooseProblem::UnionField { member: member.id(), discriminator };
                        self.add(at, Problem::Beyond(problem));
                    }
                    _ => {}
                }
            }
        }
    }

    fn at_most_one(&mut self, at: &Instance<'t, '_>, union: &'t Union) {
        let fields =
            union.fields.iter().filter_map(|(name, _)| at.value.get(self.table.name(*name)));
        let set: Vec<Value<'_>> = fields.filter(|field| !field.is_null()).collect();
        if let Some((first, others)) = set.split_first() {
            for other in others {
                let problem = LooseProblem::UnionSeveral { member: other.id(), first: first.id() };
                self.add(at, Problem::Beyond(problem));
            }
        }
    }

    pub(super) fn embedded(&mut self, at: &Instance<'t, '_>, checks: Embedded) {
        if !at.node.has(Flags::EMBEDDED) || checks == Embedded::Off {
            return;
        }
        for (name, expected) in
            [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")]
        {
            let Some(member) = at.value.get(name) else {
                if expected == "string" || checks == Embedded::Minimal {
                    self.add(at, Problem::Beyond(LooseProblem::EmbeddedRequired { name }));
                }
                continue;
            };
            let fits = match expected {
                "string" => member.as_str().is_some(),
                _ => member.as_object().is_some(),
            };
            if !fits {
                let problem = LooseProblem::EmbeddedType { member: member.id(), expected };
                self.add(at, Problem::Beyond(problem));
            } else if checks == Embedded::Kubernetes
                && expected == "string"
                && TypeProblem::of(name, member).is_some()
            {
                let problem = LooseProblem::EmbeddedInvalid { member: member.id() };
                self.add(at, Problem::Beyond(problem));
            }
        }
    }

    pub(super) fn unevaluated_properties(
        &mut self,
        at: &Instance<'t, '_>,
        settings: &'t Settings,
        more: &'t More,
        members: Members<'_>,
        marks: usize,
    ) {
        let Some(schema) = more.unevaluated_properties else { return };
        let seen = self.seen(marks);
        for (key, member) in members {
            let declared = || {
                settings.approximates
                    && member::is_declared_by_parts(self.table, settings, at.node, key)
            };
            if !seen.has(member.id()) && !declared() {
                self.unevaluated(at, schema, member);
            }
        }
    }

    /// A member or item that nothing has looked at, under the schema for such.
    pub(super) fn unevaluated(
        &mut self,
        at: &Instance<'t, '_>,
        schema: crdkit_schema::compile::Id,
        child: Value<'_>,
    ) {
        let before = self.findings.len();
        if self.child(schema, child) {
            return self.mark(child);
        }
        if self.table.node(schema).type_set().is_empty() {
            self.findings.truncate(before);
            self.add(at, Problem::Beyond(LooseProblem::Unevaluated { child: child.id() }));
        }
    }

    /// What has been looked at since `marks`.
    pub(super) fn seen(&self, marks: usize) -> Seen {
        let all = self.keywords.marks.get(marks..).unwrap_or_default();
        if all.len() <= LINEAR {
            Seen::Few(all.to_vec())
        } else {
            Seen::Many(all.iter().copied().collect())
        }
    }
}

/// Whether the keywords of `node` do not let an object have the member `key`; `strict` says that it must be known.
pub(crate) fn refuses(
    table: &Table,
    settings: &Settings,
    node: &Node,
    key: &str,
    strict: bool,
) -> bool {
    let said = member::said(table, settings, node, key, |_| {});
    is_refused(table, settings, node, key, said, strict)
}

fn is_refused(
    table: &Table,
    settings: &Settings,
    node: &Node,
    key: &str,
    said: Member<()>,
    strict: bool,
) -> bool {
    match said {
        Member::Known(()) | Member::Allowed | Member::Kept => false,
        Member::Refused => true,
        Member::Unknown => {
            strict
                && !member::is_silent(node)
                && !member::is_declared_by_parts(table, settings, node, key)
        }
    }
}

/// Values that have been looked at.
pub(super) enum Seen {
    Few(Vec<NodeId>),
    Many(HashSet<NodeId>),
}

impl Seen {
    pub(super) fn has(&self, id: NodeId) -> bool {
        match self {
            Self::Few(ids) => ids.contains(&id),
            Self::Many(ids) => ids.contains(&id),
        }
    }
}
