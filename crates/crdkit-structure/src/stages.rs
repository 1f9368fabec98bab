//! The order of the stages, and nothing else.
//!
//! Lexical → unknown members and nulls → defaults → keywords → codecs → gathering of unknown members → rules
//! of the program → rules in CEL. A stage looks only at values with which the stages before found nothing
//! wrong; what stands beside a wrong value is looked at all the same.
//!
//! Defaults come before the keywords that count members, and before codecs, because a default is written
//! as the wire has it. CEL sees the wire's values too: its types are those of the schema.

use super::decoded::Parsed;
use super::options::{ParseOptions, RuleTime};
use super::passthrough;
use super::places::{Way, convert_part};
use super::project::{How, Projected, project, project_part};
use super::schema::Schema;
use super::scope::{Ids, Scope};
use super::wire::Wire;
use crate::cel::{self, Call};
use crate::compiled::{CompiledSchema, Semantics};
use crate::import::{DefaultMode, Nulls, Unknown};
use crate::validate::{ValidateRequest, report};
use crdkit_issue::{FieldPath, FindingStage, Issue, Issues, Severity, codes};
use crdkit_schema::compile::{Flags, Id};
use crdkit_schema::prune;
use crdkit_schema::spans;
use crdkit_value::{Collected, Document, NodeId, PresenceMap, Value};
use std::collections::{BTreeSet, HashSet};

pub(crate) type Found = Vec<(NodeId, Issue)>;

/// A value on its way: what applies to it, and where it stands.
pub(crate) struct Place<'p> {
    pub(crate) ids: Ids,
    /// Whether a schema around it keeps what is unknown.
    pub(crate) keep: bool,
    /// Whether it is made what the schema says it is; metadata of resources is not.
    pub(crate) projects: bool,
    pub(crate) path: FieldPath,
    /// What it replaces, for keywords and rules in CEL, which tell items of lists apart by their keys.
    pub(crate) old: Option<Value<'p>>,
    /// What stood at its place before, for the program's own rules.
    pub(crate) old_here: Option<Value<'p>>,
    /// Whether somebody asks for the value as it was before codecs.
    pub(crate) keeps_wire: bool,
}

/// What a value is when it has been through.
pub(crate) struct Passed {
    pub(crate) presence: PresenceMap,
    /// The value before codecs, where it was asked for and there are any.
    pub(crate) wire: Option<Document>,
}

/// Reads `wire` through all stages.
pub(super) fn parse(schema: &Schema, wire: Wire<'_>, options: &ParseOptions) -> Parsed {
    let settings = schema.compiled().settings();
    let decoded = match wire.decode(settings.numbers, options, false) {
        Ok(decoded) => decoded,
        Err(issue) => return refused(*issue),
    };
    let mut document = decoded.document;
    let mut found: Found = decoded.issues.into_iter().map(|issue| (NodeId::ROOT, issue)).collect();
    if options.converted {
        found.push((NodeId::ROOT, Issue::warning(codes::domain::DUPLICATES_UNKNOWN)));
    }
    let presence = options.presence.as_ref().map(|filter| Collected::of(&document, filter));
    let place = Place {
        ids: Scope::new(schema.compiled()).root(),
        keep: false,
        projects: true,
        path: FieldPath::root(),
        old: options.old.as_deref().map(Document::root),
        old_here: options.old.as_deref().map(Document::root),
        keeps_wire: false,
    };
    let Passed { presence, .. } =
        through(schema, &place, &mut document, presence, &mut found, options);
    conclude(document, presence, found, wire, settings.numbers, options)
}

/// Takes a value, whole or a part of a larger one, through the stages after decoding. Paths of findings are relative
/// to it.
pub(crate) fn through(
    schema: &Schema,
    place: &Place<'_>,
    document: &mut Document,
    mut presence: Option<Collected>,
    found: &mut Found,
    options: &ParseOptions,
) -> Passed {
    let (compiled, settings) = (schema.compiled(), schema.compiled().settings());
    let n_source = document.n_nodes();
    let mut projected = Projected::default();
    if place.projects && changes(compiled, place, document) {
        let how = How { report_pruned: options.report_pruned, ..How::of(settings) };
        let part = (Ids::clone(&place.ids), place.keep);
        projected = project_part(compiled, part, document, presence.as_mut(), how);
        found.append(&mut projected.found);
    }
    found.extend(keywords(compiled, &place.ids, document, place.old));

    // The rules in CEL come last and see what was there before codecs.
    let has_rules = settings.cel.is_some();
    let mut before_codecs = None;
    if !schema.codecs().is_empty() {
        before_codecs = (has_rules || place.keeps_wire).then(|| document.clone());
        let wrong: BTreeSet<NodeId> = errors(found).map(|(id, _)| *id).collect();
        let at = (&wrong, Ids::clone(&place.ids), &place.path);
        let (converted, unconverted) =
            convert_part(compiled, schema.codecs(), Way::Decode, at, document);
        found.extend(unconverted);
        if let Some(presence) = &mut presence {
            for id in converted {
                presence.replaced(document.value(id));
            }
        }
    }

    let mut presence = presence.map(Collected::into_map).unwrap_or_default();
    if let Unknown::Passthrough { target } = &settings.unknown {
        let target = target.parse().unwrap_or_default();
        let (objects, unknown) = (&projected.objects, &projected.unknown);
        let (moves, taken) = passthrough::gather(document, &target, objects, unknown, n_source);
        for (from, to) in moves {
            presence.relocate(&from, &to);
        }
        found.extend(taken);
    }

    if has_rules || !schema.rules().is_empty() {
        let mistyped = mistyped(found);
        let is_wrong = |path: &FieldPath| mistyped.iter().any(|wrong| path.starts_with(wrong));
        let rules = schema.rules();
        found.extend(rules.run(&place.path, document.root(), &presence, place.old_here, is_wrong));
        let seen = before_codecs.as_ref().unwrap_or(document);
        let mut call = Call::new(seen.root());
        call.old = place.old;
        call.time = options.rule_time.as_ref().map(RuleTime::as_ref);
        for applied in place.ids.iter().filter(|applied| has_rules && applied.judges()) {
            found.extend(cel(compiled, applied.id(), call, &mistyped));
        }
    }
    Passed { presence, wire: before_codecs }
}

/// What is wrong with `document`, a value of the wire, whatever its presence.
pub(super) fn check(schema: &Schema, document: &Document) -> Issues {
    let options = ParseOptions::new().presence(None);
    let mut document = Document::copy_of(document.root());
    let how = How::of(schema.compiled().settings());
    let mut found = project(schema.compiled(), &mut document, None, how).found;
    let root = Scope::new(schema.compiled()).root();
    found.extend(keywords(schema.compiled(), &root, &document, None));
    if schema.compiled().settings().cel.is_some() {
        let mistyped = mistyped(&found);
        found.extend(cel(
            schema.compiled(),
            schema.compiled().root(),
            Call::new(document.root()),
            &mistyped,
        ));
    }
    let issues = found.into_iter().map(|(_, issue)| issue);
    let errors = issues.filter(|issue| issue.severity == Severity::Error).collect();
    Issues::sorted(errors, options.limits.issues)
}

/// Whether projecting `document` may change or report anything: decided by a walk that allocates nothing and
/// says yes where it is not sure.
fn changes(compiled: &CompiledSchema, place: &Place<'_>, document: &Document) -> bool {
    let (table, settings) = (compiled.table(), compiled.settings());
    let gathers = matches!(settings.unknown, Unknown::Passthrough { .. });
    if !compiled.is_plain() || settings.nulls != Nulls::Reject || gathers {
        return true;
    }
    place.ids.iter().any(|applied| {
        let id = &applied.id();
        let has_defaults = compiled.node(*id).has(Flags::HAS_DEFAULTS);
        if has_defaults && settings.defaults != DefaultMode::Ignore {
            return true;
        }
        settings.unknown != Unknown::Preserve
            && !prune::object(table, Some(*id), document.root()).unknown.is_empty()
    })
}

/// The findings of the keywords of all of `ids`. Where defaults are only noted, they count as if they were there.
fn keywords(
    compiled: &CompiledSchema,
    ids: &Ids,
    document: &Document,
    old: Option<Value<'_>>,
) -> Found {
    let settings = compiled.settings();
    let n_nodes = document.n_nodes();
    let mut filled = None;
    if settings.defaults == DefaultMode::Annotate {
        let mut copy = document.clone();
        let how = How { defaults: DefaultMode::Apply, ..How::nothing() };
        project_part(compiled, (Ids::clone(ids), true), &mut copy, None, how);
        filled = Some(copy);
    }
    let value = filled.as_ref().unwrap_or(document).root();
    let mut request = ValidateRequest { max_issues: usize::MAX, ..ValidateRequest::default() };
    // Only the server lets values pass that were wrong before.
    request.old = old.filter(|_| settings.semantics == Semantics::Server);
    let mut found = Found::new();
    for applied in ids.iter().filter(|applied| applied.judges()) {
        found.extend(report(compiled, applied.id(), value, &request));
    }
    // What is wrong inside a default is the schema's affair.
    found.retain(|(id, _)| id.index() < n_nodes);
    let scope = Scope::new(compiled);
    for (_, issue) in &mut found {
        issue.path = scope.styled_from(ids, &issue.path);
    }
    found
}

/// The findings of rules in CEL, without those about values in which something has the wrong type.
fn cel(compiled: &CompiledSchema, id: Id, call: Call<'_>, mistyped: &[FieldPath]) -> Found {
    let mut found = cel::check(compiled, id, &FieldPath::root(), call);
    found.retain(|(id, _)| {
        let path = call.value.document().path(*id);
        !mistyped.iter().any(|wrong| wrong.starts_with(&path))
    });
    found
}

fn errors(found: &Found) -> impl Iterator<Item = &(NodeId, Issue)> {
    found.iter().filter(|(_, issue)| issue.severity == Severity::Error)
}

/// The places where a value has the wrong type, or is missing.
fn mistyped(found: &Found) -> Vec<FieldPath> {
    let typed = |issue: &Issue| {
        let short = issue.short();
        let is_type = issue.code.info().stage == FindingStage::Type;
        is_type && short != "unknown_key" || short == "required"
    };
    errors(found).filter(|(_, issue)| typed(issue)).map(|(_, issue)| issue.path.clone()).collect()
}

/// Input that is not a document.
fn refused(issue: Issue) -> Parsed {
    Parsed {
        value: Document::null(),
        presence: PresenceMap::new(),
        issues: issue.into(),
        warnings: Issues::default(),
    }
}

/// Gives findings their place in the source and their order.
fn conclude(
    document: Document,
    presence: PresenceMap,
    mut found: Found,
    wire: Wire<'_>,
    numbers: crate::import::Numbers,
    options: &ParseOptions,
) -> Parsed {
    if !found.is_empty() {
        let again = wire.source().and_then(|_| wire.decode(numbers, options, true).ok());
        spans::fill(&mut found, &document, again.as_ref(), &[]);
    }
    let mut seen = HashSet::new();
    found.retain(|(_, issue)| seen.insert((issue.path.pointer(), issue.code, issue.args.clone())));
    let (mut errors, warnings): (Found, Found) =
        found.into_iter().partition(|(_, issue)| issue.severity == Severity::Error);
    if options.fail_fast {
        errors.sort_by_key(|(id, issue)| (issue.span.map(|span| span.start), *id));
        errors.truncate(1);
    }
    let sorted = |found: Found| {
        let issues = found.into_iter().map(|(_, issue)| issue).collect();
        Issues::sorted(issues, options.limits.issues)
    };
    Parsed { value: document, presence, issues: sorted(errors), warnings: sorted(warnings) }
}
