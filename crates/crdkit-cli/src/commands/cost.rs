//! `crdkit lint --cost`: what each rule of a CRD can cost, and what would make it cheaper.

use crdkit_issue::FieldPath;
use crdkit_schema::check::{self, Bound, RuleCost, Site};
use crdkit_schema::read;
use crdkit_value::Document;
use std::fmt::Write as _;

/// One line for each expression of `crd`, those over the limit with advice; nothing without rules.
pub(crate) fn table(crd: &Document) -> String {
    let (crd, _) = read::crd(crd.root());
    let mut out = String::new();
    for (index, version) in crd.spec.versions.iter().enumerate() {
        let Some(root) = crd.schema(index) else { continue };
        let costs = check::costs(&crd.schemas, root);
        if costs.is_empty() {
            continue;
        }
        let (plural, group) = (&crd.spec.names.plural, crd.spec.group);
        let _ = writeln!(out, "{plural}.{group} {}, limit {} each", version.name, Site::LIMIT);
        for cost in &costs {
            line(&mut out, cost);
        }
        let total = costs.iter().fold(0_u64, |total, cost| total.saturating_add(cost.cost));
        let _ = writeln!(out, "  {total:>15} all together, limit {}", RuleCost::TOTAL_LIMIT);
    }
    out
}

fn line(out: &mut String, cost: &RuleCost) {
    let field = if cost.field == "rule" { "" } else { "messageExpression " };
    let text = cost.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let _ = writeln!(out, "  {:>15} {}: {field}{text}", cost.cost, place(&cost.path));
    if !cost.is_over() {
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

fn bound(bound: &Bound) -> String {
    format!("{}: {} at {}", bound.keyword, bound.limit, place(&bound.path))
}

fn place(path: &FieldPath) -> String {
    if path.is_root() { "the object".to_owned() } else { path.to_string() }
}
