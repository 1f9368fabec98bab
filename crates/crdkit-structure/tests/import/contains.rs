//! `contains` with its counts, at and around every bound.

use crate::support::{argument, decode, issues, loose, schema};
use proptest::prelude::*;

proptest! {
    // Proves REQ-027, REQ-089, REQ-090.
    #[test]
    fn counts_decide_and_are_told(
        marks in prop::collection::vec(any::<bool>(), 0..12),
        min in prop::option::of(0_usize..7),
        max in prop::option::of(0_usize..7),
    ) {
        let bound = |name: &str, limit: Option<usize>| {
            limit.map(|limit| format!(", {name}: {limit}")).unwrap_or_default()
        };
        let text = format!(
            "{{contains: {{const: 1}}{}{}}}",
            bound("minContains", min),
            bound("maxContains", max)
        );
        let items: Vec<&str> = marks.iter().map(|mark| if *mark { "1" } else { "0" }).collect();
        let found = issues(&schema(&text, &loose()), &decode(&format!("[{}]", items.join(", "))));
        let hits: Vec<usize> =
            marks.iter().enumerate().filter(|(_, mark)| **mark).map(|(at, _)| at).collect();
        let (few, many) = (hits.len() < min.unwrap_or(1), max.is_some_and(|max| hits.len() > max));
        let names: Vec<&str> = found.iter().map(|issue| issue.code.info().name).collect();
        let mut expected = Vec::new();
        if many {
            expected.push("max-contains");
        }
        if few {
            expected.push("min-contains");
        }
        prop_assert_eq!(names, expected);
        for issue in &found {
            prop_assert_eq!(argument(issue, "actual"), Some(hits.len().to_string()));
            let mut shown: Vec<String> = hits.iter().take(8).map(usize::to_string).collect();
            if hits.len() > 8 {
                shown.push("…".into());
            }
            prop_assert_eq!(argument(issue, "indices"), Some(shown.join(", ")));
        }
    }
}

// Proves REQ-119.
#[test]
fn every_bound_is_inclusive() {
    for hits in 0_usize..=5 {
        let value = format!("[{}]", vec!["1"; hits].join(", "));
        for limit in [0, 1, hits.saturating_sub(1), hits, hits + 1] {
            let fits = |keyword: &str| {
                let text =
                    format!("{{contains: {{const: 1}}, minContains: 0, {keyword}: {limit}}}");
                issues(
                    &schema(&text.replace("minContains: 0, minContains", "minContains"), &loose()),
                    &decode(&value),
                )
                .is_empty()
            };
            assert_eq!(fits("minContains"), hits >= limit, "{hits} {limit}");
            assert_eq!(fits("maxContains"), hits <= limit, "{hits} {limit}");
        }
    }
}

#[test]
fn counts_without_contains_do_not_count_and_items_are_checked_besides() {
    crate::support::check("{minContains: 3}", "[1]", &[]);
    crate::support::check(
        "{contains: {const: 1}, items: {type: integer}}",
        "[1, a]",
        &["type-mismatch @ /1"],
    );
    crate::support::check("{contains: {const: 1}}", "{}", &[]);
}
