//! Objects: members, unknown keys, names, dependencies, counts, unions by field, embedded resources.

use super::{Imported, Kept, Role};
use crate::compile::{Additional, Flags, More, Node};
use crate::import::{DefaultMode, Embedded, Unknown};
use crate::prune::is_meta;
use crate::schema::Settings;
use crate::unknown;
use crate::validate::finding::Problem;
use crate::validate::{At, Validator, as_i64};
use crdkit_text::names;
use crdkit_value::{Members, NodeId, Value};
use foldhash::HashSet;

/// Up to here looking through all marks is faster than hashing.
const LINEAR: usize = 16;

impl<'t> Validator<'t> {
    pub(super) fn object(
        &mut self,
        at: &At<'t, '_>,
        settings: &'t Settings,
        members: Members<'_>,
        role: Role,
    ) {
        let node = at.node;
        if let Some(more) = node.more() {
            self.unions(at, more);
        }
        let is_resource = node.has(Flags::ROOT) || node.has(Flags::EMBEDDED);
        let strict = role == Role::Own && settings.unknown == Unknown::Strict;
        let looks = !node.fields.is_empty()
            || node.additional != Additional::Absent
            || !node.pattern_properties().is_empty()
            || strict;
        if looks {
            for (key, member) in members.clone() {
                self.member(at, settings, key, member, is_resource, strict);
            }
        }
        self.counts(at, as_i64(members.len()));
        for name in node.required.iter().copied() {
            let text = self.table.name(name);
            if at.value.get(text).is_none() && !self.fills_in(node, settings, text) {
                self.add(at, Problem::Required { name });
            }
        }
        if node.has(Flags::EMBEDDED) && settings.embedded != Embedded::Off {
            self.embedded(at, settings.embedded);
        }
        let Some(more) = node.more() else { return };
        self.property_names(at, settings, more, members);
        for (because, names) in &more.dependent_required {
            if at.value.get(self.table.name(*because)).is_some() {
                for name in names.iter().copied() {
                    if at.value.get(self.table.name(name)).is_none() {
                        let problem = Kept::Dependent { name, because: *because };
                        self.add(at, Problem::Imported(problem));
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
        at: &At<'t, '_>,
        settings: &'t Settings,
        key: &str,
        member: Value<'_>,
        is_resource: bool,
        strict: bool,
    ) {
        let (table, node) = (self.table, at.node);
        let mut known = false;
        if let Some(schema) = node.fields.get(table, key) {
            known = true;
            self.child(schema, member);
        }
        for (pattern, schema) in node.pattern_properties() {
            let pattern = table.pattern(*pattern);
            if pattern.is_some_and(|pattern| pattern.is_match(key) == Ok(true)) {
                known = true;
                self.child(*schema, member);
            }
        }
        if known || is_resource && is_meta(key) || node.has(Flags::PRESERVE) {
            return self.mark(member);
        }
        match node.additional {
            Additional::Schema(schema) => {
                self.child(schema, member);
                self.mark(member);
            }
            Additional::Allowed(true) => self.mark(member),
            Additional::Allowed(false) => {
                let problem = Kept::UnknownKey { member: member.id() };
                self.add(at, Problem::Imported(problem));
            }
            Additional::Absent => {
                if strict
                    && !unknown::is_silent(node)
                    && !unknown::is_declared_by_parts(table, settings, node, key)
                {
                    let problem = Kept::UnknownKey { member: member.id() };
                    self.add(at, Problem::Imported(problem));
                }
            }
        }
    }

    fn counts(&mut self, at: &At<'t, '_>, n_members: i64) {
        let Some(bounds) = at.node.bounds() else { return };
        if let Some(limit) = bounds.min_properties.filter(|limit| n_members < *limit) {
            self.add(at, Problem::MinProperties { limit });
        }
        if let Some(limit) = bounds.max_properties.filter(|limit| n_members > *limit) {
            self.add(at, Problem::MaxProperties { limit });
        }
    }

    /// Whether a default stands in for the absent property, as far as `required` is concerned.
    fn fills_in(&self, node: &Node, settings: &Settings, name: &str) -> bool {
        settings.defaults != DefaultMode::Ignore
            && node.fields.get(self.table, name).is_some_and(|id| {
                self.table.node(self.table.resolve(id)).default.is_some()
                    || self.table.node(id).default.is_some()
            })
    }

    fn property_names(
        &mut self,
        at: &At<'t, '_>,
        settings: &'t Settings,
        more: &'t More,
        members: Members<'_>,
    ) {
        let Some(schema) = more.property_names else { return };
        for (key, member) in members {
            let name = super::text_document(key);
            // Findings about the name are about another document, so they stay with this validator.
            let imported = Some(Imported::new(settings, &name));
            let mut names = Validator { table: self.table, findings: Vec::new(), imported };
            if let (Some(inner), Some(outer)) = (&mut names.imported, &self.imported) {
                inner.depth = outer.depth;
                inner.scopes.clone_from(&outer.scopes);
            }
            if !names.part(schema, name.root()) {
                let problem = Kept::PropertyName { member: member.id() };
                self.add(at, Problem::Imported(problem));
            }
        }
    }

    /// `x-kubernetes-unions`: the discriminator says which field is set.
    fn unions(&mut self, at: &At<'t, '_>, more: &'t More) {
        let table = self.table;
        for union in &more.unions {
            let Some(discriminator) = union.discriminator else { continue };
            let Some(chosen) = at.value.get(table.name(discriminator)) else { continue };
            let Some(text) = chosen.as_str() else {
                let problem = Kept::DiscriminatorMissing { name: discriminator };
                self.add(at, Problem::Imported(problem));
                continue;
            };
            let selected = union.fields.iter().find(|(_, value)| table.name(*value) == text);
            let Some((selected, _)) = selected else {
                let problem = Kept::DiscriminatorUnknown { member: chosen.id() };
                self.add(at, Problem::Imported(problem));
                continue;
            };
            for (field, _) in &union.fields {
                match at.value.get(table.name(*field)) {
                    None if field == selected => {
                        self.add(at, Problem::Imported(Kept::UnionRequired { name: *field }));
                    }
                    Some(member) if field != selected => {
                        let problem = Kept::UnionField { member: member.id(), discriminator };
                        self.add(at, Problem::Imported(problem));
                    }
                    _ => {}
                }
            }
        }
    }

    fn embedded(&mut self, at: &At<'t, '_>, checks: Embedded) {
        for (name, expected) in
            [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")]
        {
            let Some(member) = at.value.get(name) else {
                if expected == "string" || checks == Embedded::Minimal {
                    self.add(at, Problem::Imported(Kept::EmbeddedRequired { name }));
                }
                continue;
            };
            let fits = match expected {
                "string" => member.as_str().is_some(),
                _ => member.as_object().is_some(),
            };
            if !fits {
                let problem = Kept::EmbeddedType { member: member.id(), expected };
                self.add(at, Problem::Imported(problem));
            } else if checks == Embedded::Kubernetes
                && member.as_str().is_some_and(|text| embedded_problem(name, text).is_some())
            {
                let problem = Kept::EmbeddedInvalid { member: member.id() };
                self.add(at, Problem::Imported(problem));
            }
        }
    }

    pub(super) fn unevaluated_properties(
        &mut self,
        at: &At<'t, '_>,
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
                    && unknown::is_declared_by_parts(self.table, settings, at.node, key)
            };
            if !seen.has(member.id()) && !declared() {
                self.unevaluated(at, schema, member);
            }
        }
    }

    /// A member or item that nothing has looked at, under the schema for such.
    pub(super) fn unevaluated(
        &mut self,
        at: &At<'t, '_>,
        schema: crate::compile::Id,
        child: Value<'_>,
    ) {
        let before = self.findings.len();
        if self.child(schema, child) {
            return self.mark(child);
        }
        if self.table.node(schema).type_set().is_empty() {
            self.findings.truncate(before);
            self.add(at, Problem::Imported(Kept::Unevaluated { child: child.id() }));
        }
    }

    /// What has been looked at since `marks`.
    pub(super) fn seen(&self, marks: usize) -> Seen {
        let all = self.imported.as_ref().and_then(|imported| imported.marks.get(marks..));
        let all = all.unwrap_or_default();
        if all.len() <= LINEAR {
            Seen::Few(all.to_vec())
        } else {
            Seen::Many(all.iter().copied().collect())
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

/// What is wrong with the `apiVersion` or `kind` of a resource.
pub(super) fn embedded_problem(name: &str, text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("must not be empty".into());
    }
    match name {
        "apiVersion" => crate::metadata::group_version_problem(text),
        "kind" => {
            let problems = names::dns1035_label(&text.to_lowercase());
            (!problems.is_empty()).then(|| problems.join(","))
        }
        _ => None,
    }
}
