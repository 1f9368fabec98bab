//! Rules on bare schemas: what they say, what they cost, and what would make them cheap enough.

use crate::support::decode;
use crdkit_issue::{FieldPath, Issue};
use crdkit_schema::check::{self, RuleCost, Site};
use crdkit_schema::read;
use crdkit_value::Document;

const BUDGET: i64 = 10_000_000;

/// What the rules of `schema` say about `value`, and what they cost.
#[track_caller]
fn evaluate(schema: &str, value: &str, old: Option<&str>, budget: i64) -> (Vec<Issue>, i64) {
    let schema = decode(schema).document;
    let (schemas, root, _) = read::bare_schema(schema.root());
    let (value, old) = (decode(value).document, old.map(|old| decode(old).document));
    let values = (value.root(), old.as_ref().map(Document::root));
    check::evaluate(&schemas, root, false, values, budget, "root")
}

#[track_caller]
fn check(schema: &str, value: &str, expected: &[&str]) {
    let (issues, _) = evaluate(schema, value, None, BUDGET);
    let found: Vec<String> = issues.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected, "{schema}\n{value}");
}

fn arg(issue: &Issue, name: &str) -> String {
    let arg = issue.args.iter().find(|(known, _)| *known == name);
    arg.map(|(_, arg)| arg.to_string()).unwrap_or_default()
}

const RANGE: &str = "
    type: object
    properties: {min: {type: integer}, max: {type: integer}}
    x-kubernetes-validations: [{rule: self.min <= self.max, message: min is above max}]";

#[test]
fn a_rule_that_does_not_hold_is_a_finding_with_what_it_saw() {
    check(RANGE, "{min: 1, max: 3}", &[]);
    check(RANGE, "{min: 3, max: 1}", &["root: min is above max"]);
    let (issues, _) = evaluate(RANGE, "{min: 3, max: 1}", None, BUDGET);
    let issue = issues.first().expect("one finding");
    assert_eq!(arg(issue, "rule"), "self.min <= self.max");
    assert_eq!(arg(issue, "saw"), "self.min = 3, self.max = 1");
}

#[test]
fn what_a_rule_saw_is_brief() {
    let schema = "
        type: object
        properties:
          name: {type: string}
          tags: {type: array, items: {type: string}}
          limits: {type: object, properties: {cpu: {type: string}}}
        x-kubernetes-validations:
        - rule: size(self.name) < 3 && self.tags.all(t, t == self.name) && has(self.limits.cpu)";
    let name = "n".repeat(200);
    let (issues, _) =
        evaluate(schema, &format!("{{name: {name}, tags: [a, b], limits: {{}}}}"), None, BUDGET);
    let saw = issues.first().map(|issue| arg(issue, "saw")).unwrap_or_default();
    assert!(saw.starts_with("self.name = \"nnnn"), "{saw}");
    assert!(saw.ends_with("…, self.tags = [2 items], no self.limits.cpu"), "{saw}");
    assert!(saw.chars().count() < 200, "{saw}");
}

#[test]
fn a_rule_that_cannot_be_evaluated_is_a_finding_of_its_own() {
    check(RANGE, "{max: 1}", &["root: no such key: min evaluating rule: min is above max"]);
}

#[test]
fn rules_in_all_of_see_the_whole_value() {
    let schema = "
        type: object
        properties: {a: {type: string}, list: {type: array, items: {type: string}}}
        allOf:
        - x-kubernetes-validations: [{rule: has(self.a), message: a is missing}]
        - properties:
            list:
              items:
                x-kubernetes-validations: [{rule: self != 'x', message: no x}]
              allOf:
              - x-kubernetes-validations: [{rule: size(self) < 3, message: three or more}]";
    check(schema, "{a: a, list: [z]}", &[]);
    check(
        schema,
        "{list: [z, x, z]}",
        &["root: a is missing", "root.list: three or more", "root.list[1]: no x"],
    );
}

#[test]
fn rules_below_what_expressions_cannot_see_do_not_run() {
    let schema = "
        type: object
        properties:
          any:
            x-kubernetes-preserve-unknown-fields: true
            properties:
              a: {type: string, x-kubernetes-validations: [{rule: 'false'}]}
          'not escapable':
            type: object
            properties:
              a: {type: string, x-kubernetes-validations: [{rule: 'false'}]}";
    check(
        schema,
        "{any: {a: x}, 'not escapable': {a: x}}",
        &["root.not escapable.a: failed rule: false"],
    );
}

#[test]
fn the_budget_ends_everything_when_it_is_used_up() {
    let (issues, left) = evaluate(RANGE, "{min: 1, max: 3}", None, 5);
    assert_eq!((issues.len(), left), (0, 0));
    let (issues, left) = evaluate(RANGE, "{min: 1, max: 3}", None, 4);
    let found: Vec<String> = issues.iter().map(ToString::to_string).collect();
    assert!(found.concat().contains("running out of cost budget"), "{found:?}");
    assert_eq!(left, -1);
}

#[test]
fn a_rule_about_the_old_value_needs_one() {
    let schema = "{type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}";
    let run = |old| evaluate(schema, "a", old, BUDGET).0.len();
    assert_eq!([run(None), run(Some("a")), run(Some("b"))], [0, 0, 1]);
}

/// The costs of the rules of a schema.
fn costs(schema: &str) -> Vec<RuleCost> {
    let schema = decode(schema).document;
    let (schemas, root, _) = read::bare_schema(schema.root());
    check::costs(&schemas, root)
}

#[test]
fn a_rule_over_the_limit_comes_with_the_limits_that_help() {
    let schema = "
        type: object
        properties:
          list:
            type: array
            items:
              type: object
              properties: {name: {type: string}}
            x-kubernetes-validations:
            - rule: self.all(a, self.exists_one(b, a.name == b.name))";
    let costs = costs(schema);
    let [cost] = costs.as_slice() else { panic!("{costs:?}") };
    assert!(cost.is_over());
    assert_eq!(cost.path.to_string(), "list");
    let remedies: Vec<String> = cost
        .remedies
        .iter()
        .map(|bounds| {
            let bound = |bound: &check::Bound| {
                format!("{} {} {}", bound.path, bound.keyword, bound.limit > 1)
            };
            bounds.iter().map(bound).collect::<Vec<_>>().join(" and ")
        })
        .collect();
    let both = "list maxItems true and list[*].name maxLength true";
    assert!(remedies.iter().any(|remedy| remedy == both), "{remedies:?}");
    // With the limits of the last remedy the rule is cheap enough.
    let limits = cost.remedies.last().expect("a remedy");
    let limit = |keyword| limits.iter().find(|bound| bound.keyword == keyword).map(|it| it.limit);
    let (items, length) = (limit("maxItems").unwrap_or(0), limit("maxLength").unwrap_or(0));
    let limited = schema
        .replace("type: array", &format!("type: array\n            maxItems: {items}"))
        .replace("{type: string}", &format!("{{type: string, maxLength: {length}}}"));
    let costs = self::costs(&limited);
    assert!(costs.iter().all(|cost| !cost.is_over()), "{costs:?}");
}

#[test]
fn a_cheap_rule_needs_no_remedy() {
    let costs = costs(RANGE);
    let [cost] = costs.as_slice() else { panic!("{costs:?}") };
    assert_eq!((cost.cost, cost.field), (5, "rule"));
    assert!(cost.remedies.is_empty());
}

#[test]
fn a_site_knows_what_expressions_see_there() {
    let schema = decode(
        "{type: object, properties: {list: {type: array, maxItems: 7, items: {type: string}}}}",
    )
    .document;
    let (schemas, root, _) = read::bare_schema(schema.root());
    let path = |text: &str| text.parse::<FieldPath>().expect("a path");
    let site = Site::find(&schemas, root, &path("list[*]"), false).expect("a place");
    assert_eq!(site.repeated, 7);
    let checked = site.environment.compile("self == 'a'").expect("an expression");
    assert_eq!(site.total(&checked), 7 * site.each(&checked).max);
    assert!(site.environment.compile("self == 1").is_err());
    assert!(Site::find(&schemas, root, &path("other"), false).is_none());
}
