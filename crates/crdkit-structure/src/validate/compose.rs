//! Schemas combined: alternatives with their strategies, discriminators, conditions, references.
//!
//! Alternatives put their findings on the validator's stack. When none matches, those of the closest stay
//! there after the finding that says so; the closest is the one with the fewest, and one for values of
//! another type only if all are. Ties go to the first, so the outcome never varies.

use super::issue::causes;
use super::{LooseFinding, LooseProblem, LooseValidator, weight};
use crate::compiled::Settings;
use crate::import::{Ambiguity, DefaultMode, Profile, Unknown};
use crate::member;
use crdkit_schema::compile::{DefaultId, Discriminator, Id, Junctors, More, Name, Table};
use crdkit_schema::validate::{Instance, Problem};
use crdkit_value::{NodeId, Value};

/// How the alternatives fared.
struct Tried {
    /// The positions of those that match.
    matching: Vec<usize>,
    /// The closest of the others.
    closest: usize,
}

impl<'t> LooseValidator<'_, 't> {
    /// `anyOf` and `oneOf`.
    pub(super) fn alternatives_of(
        &mut self,
        at: &Instance<'t, '_>,
        settings: &'t Settings,
        junctors: &'t Junctors,
    ) {
        let discriminator = at.node.more().and_then(|more| more.discriminator.as_ref());
        for (keyword, branches) in [("anyOf", &junctors.any_of), ("oneOf", &junctors.one_of)] {
            if branches.is_empty() {
                continue;
            }
            match discriminator {
                Some(discriminator) => self.discriminated(at, discriminator, branches),
                None => self.union(at, settings, keyword, branches),
            }
        }
    }

    fn union(
        &mut self,
        at: &Instance<'t, '_>,
        settings: &'t Settings,
        keyword: &'static str,
        branches: &'t [Id],
    ) {
        let start = self.findings.len();
        let exclusive = keyword == "oneOf";
        // One match is enough for an `anyOf` unless somebody asks what all of them do.
        let first_suffices = !exclusive
            && !settings.tracks
            && !settings.exclusive_any_of
            && !may_project_differently(self.table, settings, branches);
        let tried = self.try_all(branches, at.value, first_suffices);
        if tried.matching.is_empty() {
            let causes = u32::try_from(self.findings.len() - start).unwrap_or(u32::MAX);
            let closest = u32::try_from(tried.closest).unwrap_or(u32::MAX);
            let problem = match settings.ambiguity {
                Ambiguity::ScoreBest => LooseProblem::Branch { index: closest, causes },
                _ => LooseProblem::NoMatch { closest, causes, keyword },
            };
            return self.insert(start, at, Problem::Beyond(problem));
        }
        self.findings.truncate(start);
        let ambiguous = tried.matching.len() > 1
            && settings.ambiguity == Ambiguity::Error
            && (exclusive
                || settings.exclusive_any_of
                || project_differently(self.table, settings, at, branches, &tried.matching));
        if ambiguous {
            let bit = |at: usize| 1_u64 << at.min(63);
            let branches = tried.matching.iter().fold(0, |set, at| set | bit(*at));
            self.add(at, Problem::Beyond(LooseProblem::Ambiguous { branches, keyword }));
        }
    }

    /// Tries the branches; the findings of the closest stay on the stack.
    fn try_all(&mut self, branches: &[Id], value: Value<'_>, first_suffices: bool) -> Tried {
        let start = self.findings.len();
        let mut tried = Tried { matching: Vec::new(), closest: 0 };
        let mut best: Option<Score> = None;
        for (index, branch) in branches.iter().copied().enumerate() {
            let (before, marks) = (self.findings.len(), self.marks());
            if self.part(branch, value) {
                tried.matching.push(index);
                if first_suffices {
                    break;
                }
                continue;
            }
            self.take_back(marks);
            let found = self.findings.get(before..).unwrap_or_default();
            let score = score(self.table, branch, value.id(), found);
            if best.is_none_or(|best| score < best) {
                best = Some(score);
                tried.closest = index;
                self.findings.drain(start..before);
            } else {
                self.findings.truncate(before);
            }
        }
        tried
    }

    fn discriminated(
        &mut self,
        at: &Instance<'t, '_>,
        discriminator: &'t Discriminator,
        branches: &'t [Id],
    ) {
        let name = discriminator.property;
        let chosen = at.value.get(self.table.name(name));
        let Some(text) = chosen.and_then(Value::as_str) else {
            return self.add(at, Problem::Beyond(LooseProblem::DiscriminatorMissing { name }));
        };
        let mut mapping = discriminator.mapping.iter();
        let found = mapping.find(|(value, _)| self.table.name(*value) == text);
        if let Some(branch) = found.and_then(|(_, branch)| branches.get(*branch as usize)) {
            self.part(*branch, at.value);
        } else {
            let member = chosen.map_or(at.value.id(), Value::id);
            self.add(at, Problem::Beyond(LooseProblem::DiscriminatorUnknown { member }));
        }
    }

    /// `allOf` and `not`.
    pub(super) fn combined(&mut self, at: &Instance<'t, '_>, junctors: &'t Junctors) {
        for branch in junctors.all_of.iter().copied() {
            self.part(branch, at.value);
        }
        if let Some(branch) = junctors.not {
            let (before, marks) = (self.findings.len(), self.marks());
            let valid = self.part(branch, at.value);
            self.findings.truncate(before);
            self.take_back(marks);
            if valid {
                self.add(at, Problem::Not);
            }
        }
    }

    /// `if`, `then` and `else`.
    pub(super) fn condition(&mut self, at: &Instance<'t, '_>, more: &'t More) {
        let Some(condition) = more.condition else { return };
        let (before, marks) = (self.findings.len(), self.marks());
        let valid = self.part(condition.test, at.value);
        self.findings.truncate(before);
        if !valid {
            self.take_back(marks);
        }
        if let Some(branch) = if valid { condition.then } else { condition.otherwise } {
            self.part(branch, at.value);
        }
    }

    /// `$ref` beside other keywords, and `$dynamicRef`.
    pub(super) fn references(&mut self, at: &Instance<'t, '_>, more: &'t More) {
        for target in more.references.iter().copied() {
            self.part(target, at.value);
        }
        if let Some(dynamic) = more.dynamic {
            let scopes = self.keywords.scopes.iter();
            let mut anchors = scopes.filter_map(|scope| self.table.anchor(*scope, dynamic.anchor));
            let target = anchors.next().unwrap_or(dynamic.fallback);
            self.part(target, at.value);
        }
    }
}

/// How far a value is from an alternative: whether its type is wrong, then how many things are.
type Score = (bool, u64);

/// Findings count without their causes; a wrong type counts as everything that the alternative asks for.
fn score(table: &Table, branch: Id, value: NodeId, found: &[LooseFinding]) -> Score {
    let (mut wrong_type, mut score) = (false, 0);
    let mut rest = found.iter();
    while let Some(finding) = rest.next() {
        let causes = causes(finding);
        match finding.problem {
            Problem::Beyond(LooseProblem::Branch { .. }) => continue,
            Problem::Type | Problem::Beyond(LooseProblem::Never) if finding.value == value => {
                wrong_type = true;
                score += 1 + u64::from(weight(table, branch));
            }
            _ => score += 1,
        }
        for _ in 0..causes {
            rest.next();
        }
    }
    (wrong_type, score)
}

/// Whether several branches could match one value and give different results.
fn may_project_differently(table: &Table, settings: &Settings, branches: &[Id]) -> bool {
    let prunes = settings.profile == Profile::Loose
        && matches!(settings.unknown, Unknown::Prune | Unknown::Passthrough { .. });
    let declares = |id: &Id| !table.node(table.resolve(*id)).fields.is_empty();
    (prunes || fills(settings)) && branches.iter().any(declares)
        || has_codecs(table, settings, branches)
}

/// Whether defaults of alternatives count.
fn fills(settings: &Settings) -> bool {
    settings.profile == Profile::Loose && settings.defaults != DefaultMode::Ignore
}

/// The defaults that a schema has for members that `value` lacks.
fn missing_defaults(table: &Table, id: Id, value: Value<'_>) -> Vec<(Name, DefaultId)> {
    let fields = table.node(table.resolve(id)).fields.iter();
    let default = |id: Id| table.node(table.resolve(id)).default;
    fields
        .filter(|(name, _)| value.get(table.name(*name)).is_none())
        .filter_map(|(name, id)| Some((name, default(id)?)))
        .collect()
}

fn has_codecs(table: &Table, settings: &Settings, branches: &[Id]) -> bool {
    !settings.canonical.is_empty()
        && branches.iter().any(|id| codec(table, settings, *id).is_some())
}

/// The format of a schema, if texts of it have a canonical spelling.
fn codec<'t>(table: &'t Table, settings: &Settings, id: Id) -> Option<&'t str> {
    let more = table.node(table.resolve(id)).more()?;
    let format = table.name(more.format?);
    settings.canonical.iter().any(|known| *known.name == *format).then_some(format)
}

/// Whether the matching branches would make different results of the value: another spelling, or other
/// keys that are known.
fn project_differently(
    table: &Table,
    settings: &Settings,
    at: &Instance<'_, '_>,
    branches: &[Id],
    matching: &[usize],
) -> bool {
    let ids = matching.iter().filter_map(|index| branches.get(*index).copied());
    let ids: Vec<Id> = ids.collect();
    if has_codecs(table, settings, &ids) {
        let mut codecs = ids.iter().map(|id| codec(table, settings, *id));
        let first = codecs.next();
        if codecs.any(|other| Some(other) != first) {
            return true;
        }
    }
    if fills(settings) && at.value.as_object().is_some() {
        let mut defaults = ids.iter().map(|id| missing_defaults(table, *id, at.value));
        let first = defaults.next();
        if defaults.any(|other| Some(other) != first) {
            return true;
        }
    }
    let prunes = settings.profile == Profile::Loose
        && matches!(settings.unknown, Unknown::Prune | Unknown::Passthrough { .. });
    prunes
        && at.value.members().any(|(key, _)| {
            let own = member::is_declared(table, at.node, key);
            let has = |id: &Id| {
                let node = table.node(table.resolve(*id));
                member::is_declared(table, node, key)
                    || member::is_declared_by_parts(table, settings, node, key)
            };
            let mut declared = ids.iter().map(has);
            let first = declared.next();
            !own && declared.any(|other| Some(other) != first)
        })
}

/// Which of the alternatives that match decides what becomes of the value: the only one, or the first, or
/// the one that declares most of the properties present, as the settings say.
pub(super) fn preferred(
    table: &Table,
    settings: &Settings,
    value: Value<'_>,
    branches: &[Id],
    matching: &[usize],
) -> Option<usize> {
    let declared = |index: usize| {
        let id = branches.get(index).copied();
        let node = id.map(|id| table.node(table.resolve(id)));
        let is_declared =
            |key: &str| node.is_some_and(|node| node.fields.get(table, key).is_some());
        value.members().filter(|(key, _)| is_declared(key)).count()
    };
    match settings.ambiguity {
        Ambiguity::ScoreBest => matching.iter().copied().rev().max_by_key(|index| declared(*index)),
        _ => matching.first().copied(),
    }
}
