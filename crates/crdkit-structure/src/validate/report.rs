//! Values held against a [`CompiledSchema`]: what is asked for, and findings in their order.
//!
//! Findings are sorted by path (names by their bytes, items by position, parents first), then by stage,
//! keyword and code, so that the same input always gives the same report. A report may end at the first
//! finding in document order, or at a number of them with one more that says so.

use super::fits::Fits;
use super::issue::{causes, keyword};
use super::{LooseFinding, LooseKeywords, LooseProblem};
use crate::compiled::CompiledSchema;
use crate::said::ReportedStatements;
use crdkit_issue::{FieldPath, FindingStage, Issue, codes};
use crdkit_schema::compile::Id;
use crdkit_schema::validate::{Position, Positions, Problem, Scope, Validator};
use crdkit_value::{NodeId, Value};
use std::fmt::Write as _;

/// What a value is held against a schema for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ValidateRequest<'v> {
    /// The value that it replaces: what has not changed is not complained about, where the API server's
    /// semantics apply.
    pub old: Option<Value<'v>>,
    /// Where the value stands.
    pub base: FieldPath,
    /// Whether only the first finding in document order is wanted.
    pub fail_fast: bool,
    /// How many findings are wanted.
    pub max_issues: usize,
}

impl Default for ValidateRequest<'_> {
    fn default() -> Self {
        Self { old: None, base: FieldPath::root(), fail_fast: false, max_issues: 1_000 }
    }
}

/// Everything wrong with `value` under the schema `id` of `schema`, which may be of any part of a document.
/// The id with an issue is that of the value it is about.
pub fn report<'v>(
    schema: &CompiledSchema,
    id: Id,
    value: Value<'v>,
    request: &ValidateRequest<'v>,
) -> Vec<(NodeId, Issue)> {
    report_part(schema, id, value, request, &FieldPath::root)
}

/// The same for a part of a document, to which `around` is the way. Paths of findings begin at the part; those that
/// stand in texts do not.
pub(crate) fn report_part<'v>(
    schema: &CompiledSchema,
    id: Id,
    value: Value<'v>,
    request: &ValidateRequest<'v>,
    around: &dyn Fn() -> FieldPath,
) -> Vec<(NodeId, Issue)> {
    let found = findings(schema, id, value, request.old);
    if found.is_empty() {
        return Vec::new();
    }
    let (table, base, positions) = (schema.table(), &request.base, &Positions::default());
    let scope = Scope { table, schema: id, root: value, base, positions };
    let mut entries = entries(schema, &scope, &found, around);
    if request.fail_fast {
        let first = entries.into_iter().min_by_key(|entry| entry.value);
        return first.into_iter().map(|entry| (entry.value, entry.issue)).collect();
    }
    entries.sort_by(|left, right| left.order().cmp(&right.order()));
    let mut said = ReportedStatements::default();
    entries.retain(|entry| said.is_new(&entry.issue));
    let cut = entries.len() > request.max_issues;
    entries.truncate(request.max_issues);
    let mut issues: Vec<_> = entries.into_iter().map(|entry| (entry.value, entry.issue)).collect();
    if cut {
        let limit = request.max_issues;
        let issue = Issue::error(codes::schema::TRUNCATED).with("limit", limit);
        issues.push((value.id(), issue.at(request.base.clone())));
    }
    issues
}

/// Whether nothing is wrong with `value`.
pub fn is_valid(schema: &CompiledSchema, id: Id, value: Value<'_>) -> bool {
    findings(schema, id, value, None).is_empty()
}

/// Which alternative of `anyOf` or `oneOf` of the schema `id` is the value's, if they have any.
pub fn branch(schema: &CompiledSchema, id: Id, value: Value<'_>) -> Option<Id> {
    let node = schema.node(id);
    let junctors = node.junctors()?;
    let branches = if junctors.one_of.is_empty() { &junctors.any_of } else { &junctors.one_of };
    Fits::new(schema, value.document()).chosen(node, branches, value)
}

fn findings<'v>(
    schema: &CompiledSchema,
    id: Id,
    value: Value<'v>,
    old: Option<Value<'v>>,
) -> Vec<LooseFinding> {
    let keywords = LooseKeywords::new(schema.settings(), value.document());
    let mut validator = Validator::new(schema.table(), keywords);
    validator.value(id, value, old, Position::Root);
    validator.findings
}

/// A finding on its way into a report.
struct ReportEntry {
    value: NodeId,
    keyword: &'static str,
    issue: Issue,
}

impl ReportEntry {
    fn order(&self) -> (&FieldPath, FindingStage, &str, &str) {
        let info = self.issue.code.info();
        (&self.issue.path, info.stage, self.keyword, info.name)
    }
}

fn entries(
    schema: &CompiledSchema,
    scope: &Scope<'_>,
    found: &[LooseFinding],
    around: &dyn Fn() -> FieldPath,
) -> Vec<ReportEntry> {
    let mut entries = Vec::new();
    // The alternative that the next findings belong to, and how many they are.
    let mut branch: Option<(u32, usize)> = None;
    let mut rest = found;
    while let Some((finding, after)) = rest.split_first() {
        rest = after;
        if let Problem::Beyond(LooseProblem::Branch { index, causes }) = finding.problem {
            branch = Some((index, causes as usize));
            continue;
        }
        let mut issue = issue(schema, scope, finding);
        let causes = causes(finding);
        if let Some((because, after)) = after.split_at_checked(causes)
            && causes > 0
        {
            issue = issue.with("causes", summary(schema, scope, because, around));
            rest = after;
        }
        if let Some((index, left)) = branch {
            issue = issue.with("branch", i64::from(index));
            branch =
                left.checked_sub(1 + causes).filter(|left| *left > 0).map(|left| (index, left));
        }
        let keyword = keyword(finding);
        let issue = issue.with("keyword", keyword);
        entries.push(ReportEntry { value: finding.value, keyword, issue });
    }
    entries
}

fn issue(schema: &CompiledSchema, scope: &Scope<'_>, finding: &LooseFinding) -> Issue {
    finding.issue_with(scope, |problem| {
        let value = scope.root.document().value(finding.value);
        problem.issue(scope, schema.settings(), finding.schema, value)
    })
}

/// The first findings in a few words.
fn summary(
    schema: &CompiledSchema,
    scope: &Scope<'_>,
    found: &[LooseFinding],
    around: &dyn Fn() -> FieldPath,
) -> String {
    let entries = entries(schema, scope, found, around);
    let around = around();
    let shown = entries.iter().take(3).map(|entry| {
        let path = entry.issue.path.rebase(&around).pointer();
        format!("{} at {path}", entry.issue.code.info().name)
    });
    let mut text = shown.collect::<Vec<_>>().join("; ");
    if entries.len() > 3 {
        let _ = write!(text, "; {} in all", entries.len());
    }
    text
}
