//! Lists of findings: order, limits, summaries, and the view that schema libraries have of them.

use crdkit_issue::{Code, FieldPath, Issue, Issues, LineIndex, PathStyle, Span, codes};
use std::collections::BTreeSet;

fn at(code: Code, pointer: &str) -> Issue {
    Issue::error(code).at(path(pointer))
}

fn path(pointer: &str) -> FieldPath {
    pointer.parse().unwrap_or_default()
}

fn short(issues: &Issues) -> Vec<String> {
    issues.iter().map(|issue| format!("{} {}", issue.path.pointer(), issue.short())).collect()
}

// Proves REQ-093, REQ-147.
#[test]
fn a_report_is_sorted_by_path_then_stage_then_keyword_then_code() {
    use codes::{decode, domain, object};
    let issues = Issues::from(vec![
        at(object::RULE_FAILED, "/a/2"),
        at(domain::BUSINESS_RULE, "/a/2"),
        at(object::TOO_LONG, "/a/10"),
        at(object::TOO_SHORT, "/a/2"),
        at(object::PATTERN_MISMATCH, "/a/2"),
        at(object::TYPE_MISMATCH, "/a/2"),
        at(decode::DUPLICATE_KEY, "/a/2"),
        at(object::TOO_FEW_ITEMS, "/a"),
        at(object::REQUIRED, "/B"),
    ]);
    assert_eq!(
        short(&issues),
        [
            "/B required",
            "/a too_short",
            "/a/2 duplicate_key",
            "/a/2 invalid_type",
            "/a/2 too_short",
            "/a/2 pattern",
            "/a/2 business_rule",
            "/a/2 cel_violation",
            "/a/10 too_long",
        ]
    );
    let again = Issues::from(issues.clone().into_vec());
    assert_eq!(again, issues, "sorting what is sorted changes nothing");
}

#[test]
fn a_report_that_is_too_long_ends_with_one_note() {
    let many: Vec<_> =
        (0..20).map(|index| at(codes::object::REQUIRED, &format!("/{index}"))).collect();
    for limit in [0, 1, 19] {
        let issues = Issues::sorted(many.clone(), limit);
        assert_eq!(issues.len(), limit + 1);
        assert_eq!(issues.iter().filter(|issue| issue.short() == "truncated").count(), 1);
        assert!(issues.iter().last().is_some_and(|issue| issue.path.is_root()));
    }
    assert_eq!(Issues::sorted(many, 20).len(), 20);
}

// Proves REQ-180.
#[test]
fn a_summary_names_three_and_counts_the_rest() {
    use codes::object::{REQUIRED, TYPE_MISMATCH};
    let two = Issues::from(vec![at(TYPE_MISMATCH, ""), at(REQUIRED, "/a")]);
    assert_eq!(two.to_string(), "invalid_type at /; required at /a");
    let four = Issues::from((0..4).map(|at_| at(REQUIRED, &format!("/{at_}"))).collect::<Vec<_>>());
    assert_eq!(
        four.summary(PathStyle::Kubernetes),
        "required at [0]; required at [1]; required at [2]; ... (total 4)"
    );
}

// Proves REQ-068.
#[test]
fn hints_say_where_the_first_one_is() {
    let item = at(codes::object::REPEATED_ITEM, "/spec/a/3").first_at(path("/spec/a/1"));
    assert_eq!(item.hint(PathStyle::JsonPointer, None).as_deref(), Some("first at /spec/a/1"));
    assert_eq!(item.hint(PathStyle::Kubernetes, None).as_deref(), Some("first at .spec.a[1]"));
    let text = b"a: 1\n  a: 2\n";
    let key = at(codes::decode::DUPLICATE_KEY, "/a").related(Span::new(7, 8), "first given here");
    let lines = LineIndex::new(text);
    let hint = |source| key.hint(PathStyle::JsonPointer, source);
    assert_eq!(hint(Some((&lines, text))).as_deref(), Some("first at line 2, column 3"));
    assert_eq!(hint(None).as_deref(), Some("first at offset 7"));
    let rule = at(codes::object::RULE_FAILED, "").with("rule", "ü".repeat(100));
    assert_eq!(rule.hint(PathStyle::JsonPointer, None), Some(format!("{}…", "ü".repeat(60))));
}

#[test]
fn moving_a_finding_keeps_everything_and_moves_its_hint() {
    let base = path("/spec/lists/0");
    let issue = at(codes::object::REPEATED_ITEM, "/2")
        .first_at(path("/1"))
        .with("index", 2_usize)
        .span(Span::new(3, 4));
    let moved = issue.clone().rebase(&base);
    assert_eq!(moved.path.pointer(), "/spec/lists/0/2");
    assert_eq!(
        moved.hint(PathStyle::JsonPointer, None).as_deref(),
        Some("first at /spec/lists/0/1")
    );
    assert_eq!((moved.code, moved.span), (issue.code, issue.span));
    assert_eq!(moved.params().count(), 1);
}

/// The names a schema library's users branch on; a new one is a decision.
const KNOWN: &[&str] = &[
    "invalid_type",
    "required",
    "unknown_key",
    "duplicate_key",
    "duplicate_item",
    "too_small",
    "too_big",
    "not_multiple_of",
    "too_short",
    "too_long",
    "pattern",
    "invalid_enum",
    "invalid_const",
    "invalid_format",
    "discriminator_missing",
    "discriminator_unknown",
    "union_ambiguous",
    "union_no_match",
    "not_allowed",
    "unevaluated",
    "parse_error",
    "overflow",
    "truncated",
    "depth_exceeded",
    "cel_violation",
    "cel_error",
    "domain_range",
    "aggregate_violation",
    "uniqueness",
    "business_rule",
    "conflict",
    "dependency_unavailable",
    "custom",
];

#[test]
fn findings_about_values_have_one_of_the_known_names() {
    // What only the API server's own operations find keeps its name.
    let server_only: BTreeSet<&str> = [
        "api_version_form",
        "object_version_mismatch",
        "namespace_mismatch",
        "name_mismatch",
        "name_missing",
        "wrong_kind",
        "wrong_api_version",
        "scale_value",
        "finalizer_name",
        "deprecated",
        "rules_not_checked",
        "rules_not_run",
        "defaults_too_large",
    ]
    .into();
    for (group, codes) in codes::GROUPS {
        if !matches!(*group, "decode" | "object" | "schema" | "domain") {
            continue;
        }
        for code in *codes {
            let name = code.short();
            assert!(
                KNOWN.contains(&&*name) || server_only.contains(&*name),
                "{group} code {code} is called {name}"
            );
        }
    }
}
