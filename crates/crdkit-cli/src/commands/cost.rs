//! `crdkit lint --cost`: what each rule of a CRD can cost, and what would make it cheaper.

use crdkit_schema::check::{self, Bound, RuleCost, Site};
use crdkit_schema::read;
use crdkit_value::Document;
use serde::Serialize;
use std::fmt::Write as _;

/// What an expression can cost.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExpressionCost {
    version: String,
    path: String,
    /// `rule` or `messageExpression`.
    field: &'static str,
    expression: String,
    cost: u64,
    limit: u64,
    /// Bounds that would bring it under the limit; each list is enough.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remedies: Vec<Vec<BoundRow>>,
}

/// A keyword that is missing, and where.
#[derive(Debug, Serialize)]
struct BoundRow {
    keyword: &'static str,
    limit: u64,
    path: String,
}

/// Every expression of `crd`, in the order of versions, and the dearest first.
pub(crate) fn of(crd: &Document) -> Vec<ExpressionCost> {
    let (crd, _) = read::crd(crd.root());
    let mut out = Vec::new();
    for (index, version) in crd.spec.versions.iter().enumerate() {
        let Some(root) = crd.schema(index) else { continue };
        let mut costs = check::costs(&crd.schemas, root);
        costs.sort_by_key(|cost| std::cmp::Reverse(cost.cost));
        out.extend(costs.iter().map(|cost| ExpressionCost::new(version.name, cost)));
    }
    out
}

/// A line for each of `costs`, those over the limit with advice; nothing without rules.
pub(crate) fn table(crd: &Document, costs: &[ExpressionCost]) -> String {
    let (crd, _) = read::crd(crd.root());
    let mut out = String::new();
    for costs in costs.chunk_by(|left, right| left.version == right.version) {
        let Some(first) = costs.first() else { continue };
        let (plural, group) = (&crd.spec.names.plural, crd.spec.group);
        let _ = writeln!(out, "{plural}.{group} {}, limit {} each", first.version, Site::LIMIT);
        for cost in costs {
            line(&mut out, cost);
        }
        let total = costs.iter().fold(0_u64, |total, cost| total.saturating_add(cost.cost));
        let _ = writeln!(out, "  {total:>15} all together, limit {}", RuleCost::TOTAL_LIMIT);
    }
    out
}

impl ExpressionCost {
    fn new(version: &str, cost: &RuleCost) -> Self {
        let bound = |bound: &Bound| BoundRow {
            keyword: bound.keyword,
            limit: bound.limit,
            path: bound.path.to_string(),
        };
        let remedies = cost.remedies.iter().filter(|_| cost.is_over());
        Self {
            version: version.to_owned(),
            remedies: remedies.map(|bounds| bounds.iter().map(bound).collect()).collect(),
            path: cost.path.to_string(),
            field: cost.field,
            expression: cost.text.split_whitespace().collect::<Vec<_>>().join(" "),
            cost: cost.cost,
            limit: Site::LIMIT,
        }
    }
}

fn line(out: &mut String, cost: &ExpressionCost) {
    let field = if cost.field == "rule" { "" } else { "messageExpression " };
    let ExpressionCost { cost: amount, path, expression, .. } = cost;
    let _ = writeln!(out, "  {amount:>15} {}: {field}{expression}", place(path));
    if cost.cost <= cost.limit {
        return;
    }
    if cost.remedies.is_empty() {
        let _ = writeln!(
            out,
            "{:18}over the limit, and none of the limits that are missing would help",
            ""
        );
    }
    for (index, bounds) in cost.remedies.iter().enumerate() {
        let start = if index == 0 { "over the limit; enough is" } else { "or" };
        let bounds: Vec<_> = bounds.iter().map(bound).collect();
        let _ = writeln!(out, "{:18}{start} {}", "", bounds.join(" with "));
    }
}

fn bound(bound: &BoundRow) -> String {
    format!("{}: {} at {}", bound.keyword, bound.limit, place(&bound.path))
}

fn place(path: &str) -> &str {
    if path.is_empty() { "the object" } else { path }
}
