//! Reports: their order, fail-fast, and how they end.

use crate::support::{decode, issues, line, loose, schema};
use crdkit_issue::FieldPath;
use crdkit_structure::validate::{self, ValidateRequest};

const SCHEMA: &str = "
required: [z]
properties:
  list: {items: {type: integer, minimum: 5}}
  b: {type: string, minLength: 3, pattern: '^x'}
  a: {type: string}";

const VALUE: &str = "{list: [1, a, 2, 9, 9, 9, 9, 9, 9, 9, 3], b: v, a: 1}";

// Proves REQ-092.
#[test]
fn findings_stand_in_the_order_of_paths_with_numbers_as_numbers() {
    let schema = schema(SCHEMA, &loose());
    let lines: Vec<String> = issues(&schema, &decode(VALUE)).iter().map(line).collect();
    assert_eq!(
        lines,
        [
            "type-mismatch @ /a",
            "min-length @ /b",
            "minimum @ /list/0",
            "type-mismatch @ /list/1",
            "minimum @ /list/2",
            "minimum @ /list/10",
            "required @ /z"
        ]
    );
}

// Proves REQ-092.
#[test]
fn fail_fast_gives_the_first_finding_of_the_document() {
    let schema = schema(SCHEMA, &loose());
    let value = decode("{b: v, a: 1, list: [1], z: 1}");
    let request = |fail_fast| {
        let mut request = ValidateRequest::default();
        request.fail_fast = fail_fast;
        request
    };
    let all = validate::report(&schema, schema.root(), value.root(), &request(false));
    let first = validate::report(&schema, schema.root(), value.root(), &request(true));
    assert_eq!(first.len(), 1);
    assert_eq!(line(&first[0].1), "min-length @ /b");
    assert!(all.contains(&first[0]));
}

#[test]
fn a_report_that_is_cut_says_so_once() {
    let schema = schema(SCHEMA, &loose());
    let value = decode(VALUE);
    for limit in 0..9 {
        let mut request = ValidateRequest::default();
        request.max_issues = limit;
        let found = validate::report(&schema, schema.root(), value.root(), &request);
        let cut = found
            .iter()
            .filter(|(_, issue)| issue.code.info().name == "findings-truncated")
            .count();
        assert_eq!((found.len(), cut), if limit < 7 { (limit + 1, 1) } else { (7, 0) }, "{limit}");
    }
}

// Proves REQ-013.
#[test]
fn any_part_of_a_document_can_be_held_against_any_part_of_a_schema() {
    let schema = schema(SCHEMA, &loose());
    let list = schema.node(schema.root()).fields.get(schema.table(), "list").expect("declared");
    let items = schema.node(list).items.expect("declared");
    let value = decode("{x: [1]}");
    let item = value.root().pointer("/x/0").expect("there");
    let mut request = ValidateRequest::default();
    request.base = FieldPath::root().field("list").index(41);
    let found = validate::report(&schema, items, item, &request);
    assert_eq!(
        found.iter().map(|(_, issue)| line(issue)).collect::<Vec<_>>(),
        ["minimum @ /list/41"]
    );
}
