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
use super::project::{ProjectOptions, ProjectPart, Projected, project, project_part};
use super::said::ReportedStatements;
use super::schema::Schema;
use super::scope::{Ids, Scope};
use super::wire::Wire;
use crate::cel::{self, Call};
use crate::compiled::{CompiledSchema, Semantics};
use crate::import::{DefaultMode, Nulls, Unknown};
use crate::validate::{self, ValidateRequest, report_part};
use crdkit_issue::{Arg, FieldPath, FindingStage, Issue, Issues, Severity, codes};
use crdkit_schema::compile::{Flags, Id};
use crdkit_schema::prune;
use crdkit_schema::spans;
use crdkit_value::{Collected, Document, NodeId, PresenceMap, Value};
use std::collections::BTreeSet;

pub(crate) type Found = Vec<(NodeId, Issue)>;

/// A value on its way: what applies to it, and where it stands.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct ValuePlace<'p> {
    pub(crate) ids: Ids,
    /// Whether a schema around it keeps what is unknown.
    pub(crate) keep: bool,
    /// Whether it is made what the schema says it is; metadata of resources is not.
    pub(crate) projects: bool,
    /// Whether it is a document, and not a part of one.
    pub(crate) is_whole: bool,
    /// The way to it, which is asked for where it counts.
    pub(crate) path: &'p dyn Fn() -> FieldPath,
    /// What it replaces, for keywords and rules in CEL, which tell items of lists apart by their keys.
    pub(crate) old: Option<Value<'p>>,
    /// What stood at its place before, for the program's own rules.
    pub(crate) old_here: Option<Value<'p>>,
    /// Whether it is to be compared with others.
    pub(crate) is_compared: bool,
}

impl<'p> ValuePlace<'p> {
    /// The place of a document that replaces `old`.
    fn whole(ids: Ids, old: Option<Value<'p>>) -> Self {
        let path = &FieldPath::root;
        let (old_here, is_compared) = (old, false);
        Self { ids, keep: false, projects: true, is_whole: true, path, old, old_here, is_compared }
    }
}

/// What a value is when it has been through.
pub(crate) struct Passed {
    pub(crate) presence: PresenceMap,
    /// The value as it is compared with others, where that was asked for and is something else: before codecs, and with
    /// the defaults that are only noted.
    pub(crate) compared: Option<Document>,
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
    let root = Scope::new(schema.compiled()).root();
    let place = ValuePlace::whole(root, options.old.as_deref().map(Document::root));
    let Passed { presence, .. } =
        through(schema, &place, &mut document, presence, &mut found, options);
    let scope = Scope::new(schema.compiled());
    for (_, issue) in &mut found {
        scope.style(issue);
    }
    conclude(document, presence, found, wire, settings.numbers, options)
}

/// Takes a value, whole or a part of a larger one, through the stages after decoding. Paths of findings are relative
/// to it.
pub(crate) fn through(
    schema: &Schema,
    place: &ValuePlace<'_>,
    document: &mut Document,
    mut presence: Option<Collected>,
    found: &mut Found,
    options: &ParseOptions,
) -> Passed {
    let (compiled, settings) = (schema.compiled(), schema.compiled().settings());
    let n_source = document.n_nodes();
    let mut projected = Projected::default();
    if place.projects && changes(compiled, place, document) {
        let how =
            ProjectOptions { report_pruned: options.report_pruned, ..ProjectOptions::of(settings) };
        let part =
            ProjectPart { ids: Ids::clone(&place.ids), keep: place.keep, is_whole: place.is_whole };
        projected = project_part(compiled, part, document, presence.as_mut(), how);
        found.append(&mut projected.found);
    }
    let (wrong, filled) = keywords(compiled, place, document);
    found.extend(wrong);
    let unkept = validate::unkept_numbers(settings, document.root());
    let is_known = |at: &(NodeId, Issue)| {
        found.iter().any(|(id, issue)| *id == at.0 && issue.code == at.1.code)
    };
    let unkept: Found = unkept.into_iter().filter(|at| !is_known(at)).collect();
    found.extend(unkept);

    // The rules in CEL come last and see what was there before codecs.
    let has_rules = settings.cel.is_some();
    let mut before_codecs = None;
    if !schema.codecs().is_empty() {
        before_codecs = (has_rules || place.is_compared).then(|| document.clone());
        let wrong = errors(found).filter(|(_, issue)| !is_about_others(issue));
        let wrong: BTreeSet<NodeId> = wrong.map(|(id, _)| *id).collect();
        let path = (place.path)();
        let at = (&wrong, Ids::clone(&place.ids), &path);
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
        if !rules.is_empty() {
            let (path, old) = ((place.path)(), place.old_here);
            found.extend(rules.run(&path, document.root(), &presence, old, is_wrong));
        }
        let seen = before_codecs.as_ref().unwrap_or(document);
        let mut call = Call::new(seen.root());
        call.old = place.old;
        call.time = options.rule_time.as_ref().map(RuleTime::as_ref);
        for applied in place.ids.iter().filter(|applied| has_rules && applied.judges()) {
            found.extend(cel(compiled, applied.id(), call, &mistyped));
        }
    }
    let compared = filled.or(before_codecs).filter(|_| place.is_compared);
    Passed { presence, compared }
}

/// What is wrong with `document`, a value of the wire, whatever its presence.
pub(super) fn check(schema: &Schema, document: &Document) -> Issues {
    let options = ParseOptions::new().presence(None);
    let mut document = Document::copy_of(document.root());
    let how = ProjectOptions::of(schema.compiled().settings());
    let mut found = project(schema.compiled(), &mut document, None, how).found;
    let root = Scope::new(schema.compiled()).root();
    let place = ValuePlace::whole(root, None);
    found.extend(keywords(schema.compiled(), &place, &document).0);
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
    let mut errors: Vec<_> = issues.filter(|issue| issue.severity == Severity::Error).collect();
    for issue in &mut errors {
        Scope::new(schema.compiled()).style(issue);
    }
    Issues::sorted(errors, options.limits.issues)
}

/// Whether projecting `document` may change or report anything: decided by a walk that allocates nothing and
/// says yes where it is not sure.
fn changes(compiled: &CompiledSchema, place: &ValuePlace<'_>, document: &Document) -> bool {
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

/// The findings of the keywords of all schemas of `place` about `document`. Where defaults are only noted, they count as if they were there.
///
/// Gives the document with them, too.
fn keywords(
    compiled: &CompiledSchema,
    place: &ValuePlace<'_>,
    document: &Document,
) -> (Found, Option<Document>) {
    let (settings, ids) = (compiled.settings(), &place.ids);
    let n_nodes = document.n_nodes();
    let mut filled = None;
    if settings.defaults == DefaultMode::Annotate {
        let mut copy = document.clone();
        let how = ProjectOptions { defaults: DefaultMode::Apply, ..ProjectOptions::nothing() };
        let part = ProjectPart { ids: Ids::clone(ids), keep: true, is_whole: place.is_whole };
        project_part(compiled, part, &mut copy, None, how);
        filled = Some(copy);
    }
    let value = filled.as_ref().unwrap_or(document).root();
    let mut request = ValidateRequest { max_issues: usize::MAX, ..ValidateRequest::default() };
    // Only the server lets values pass that were wrong before.
    request.old = place.old.filter(|_| settings.semantics == Semantics::Server);
    let mut found = Found::new();
    for applied in ids.iter().filter(|applied| applied.judges()) {
        found.extend(report_part(compiled, applied.id(), value, &request, place.path));
    }
    // What is wrong inside a default is the schema's affair.
    found.retain(|(id, _)| id.index() < n_nodes);
    (found, filled)
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

/// Whether a finding is about an item among others, which is not wrong by itself.
fn is_about_others(issue: &Issue) -> bool {
    let Some(Arg::Text(keyword)) = issue.arg("keyword") else { return false };
    matches!(&**keyword, "uniqueItems" | "x-kubernetes-list-type" | "x-kubernetes-list-map-keys")
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
    let mut said = ReportedStatements::default();
    found.retain(|(_, issue)| said.is_new(issue));
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
