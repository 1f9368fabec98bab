//! Each rule with what it finds, where, and the same put right.

use super::{Quality, issues};
use crdkit_codec::{DecodeOptions, yaml};
use crdkit_issue::codes;
use std::collections::BTreeSet;

/// A version with one field that nothing is wrong with besides, written in the places marked with words.
const VERSION: &str = "\
name: v1
schema:
  openAPIV3Schema:
    type: object
    properties:
      spec:
        type: object
        description: What is wanted.
        properties:
          FIELD
      STATUS
SUBRESOURCES
";
const STATUS: &str = "status: {type: object, description: d, STATUS}";
const SUBRESOURCES: &str = "subresources: {status: {}}";

/// The findings about `version`, each as its code and the text that it points at.
fn found(version: &str, quality: Quality) -> Vec<(String, String)> {
    let indented = version.trim_end().replace('\n', "\n    ");
    let crd = format!("spec:\n  versions:\n  - {indented}\n");
    let options = DecodeOptions::new().positions(true);
    let document = yaml::decode(crd.as_bytes(), &options).expect(&crd).document;
    let found = issues(&document, quality).into_iter().map(|issue| {
        let span = issue.span.expect("a place");
        (issue.code.name().to_owned(), crd[span.start..span.end].to_owned())
    });
    found.collect()
}

fn with_field(field: &str) -> String {
    let field = field.trim_end().replace('\n', "\n          ");
    let status = STATUS.replace(", STATUS", "");
    VERSION
        .replace("FIELD", &field)
        .replace("STATUS", &status)
        .replace("SUBRESOURCES", SUBRESOURCES)
}

fn with_status(status: &str) -> String {
    let field = "size: {type: integer, format: int32, description: d}";
    let status = STATUS.replace("STATUS", status);
    VERSION.replace("FIELD", field).replace("STATUS", &status).replace("SUBRESOURCES", SUBRESOURCES)
}

/// A version with more besides its schema.
fn with_version(more: &str) -> String {
    with_status("properties: {}") + more
}

#[track_caller]
fn check(code: &str, quality: Quality, wrong: &str, at: &str, right: &str) {
    let expected = vec![(code.to_owned(), at.to_owned())];
    assert_eq!(found(wrong, quality), expected, "{wrong}");
    assert_eq!(found(right, quality), [], "{right}");
}

/// Likely mistakes: code, the field as it is wrong, what the finding points at, the field as it is right.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    (
        "impossible-bounds",
        "a: {type: string, minLength: 9, maxLength: 5}",
        "9",
        "a: {type: string, minLength: 5, maxLength: 5}",
    ),
    (
        "impossible-bounds",
        "a: {type: integer, minimum: 5, maximum: 5, exclusiveMaximum: true}",
        "5",
        "a: {type: integer, minimum: 5, maximum: 6, exclusiveMaximum: true}",
    ),
    (
        "required-undeclared",
        "a: {type: object, required: [b], properties: {c: {type: string}}}",
        "b",
        "a: {type: object, required: [c], properties: {c: {type: string}}}",
    ),
    (
        "format-overflow",
        "a: {type: integer, format: int32, maximum: 3000000000}",
        "3000000000",
        "a: {type: integer, format: int64, maximum: 3000000000}",
    ),
    (
        "format-overflow",
        "a: {type: integer, format: int64, default: 1e19}",
        "1e19",
        "a: {type: integer, format: int64, default: 9000000000000000000}",
    ),
    ("enum-repeated", "a: {type: string, enum: [x, y, x]}", "x", "a: {type: string, enum: [x, y]}"),
    (
        "enum-excluded",
        "a: {type: string, enum: [low, high], maxLength: 3}",
        "high",
        "a: {type: string, enum: [low, high], maxLength: 4}",
    ),
    (
        "enum-excluded",
        "a: {type: string, enum: [low, 'a b'], pattern: '^[a-z]+$'}",
        "'a b'",
        "a: {type: string, enum: [low, b], pattern: '^[a-z]+$'}",
    ),
    (
        "enum-excluded",
        "a: {type: integer, enum: [1, 20], maximum: 10}",
        "20",
        "a: {type: integer, enum: [1, 10], maximum: 10}",
    ),
    (
        "enum-excluded",
        "a: {type: string, enum: [a, 20]}",
        "20",
        "a: {type: string, enum: [a, '20']}",
    ),
    (
        "unbounded-rules",
        "a: {type: array, items: {type: string, x-kubernetes-validations: [{rule: 'true'}]}}",
        "a",
        "a: {type: array, maxItems: 9, items: {type: string, x-kubernetes-validations: [{rule: 'true'}]}}",
    ),
    (
        "unbounded-rules",
        "a: {type: object, additionalProperties: {type: object, properties: {b: {x-kubernetes-validations: [{rule: 'true'}]}}}}",
        "a",
        "a: {type: object, maxProperties: 9, additionalProperties: {type: object, properties: {b: {x-kubernetes-validations: [{rule: 'true'}]}}}}",
    ),
];

/// The same for what stands beside the schema of a version.
const VERSIONS: &[(&str, &str, &str, &str)] = &[
    (
        "column-without-field",
        "additionalPrinterColumns: [{type: integer, jsonPath: .spec.sise}]",
        ".spec.sise",
        "additionalPrinterColumns: [{type: integer, jsonPath: .spec.size}]",
    ),
    (
        "column-type-mismatch",
        "additionalPrinterColumns: [{type: boolean, jsonPath: .spec.size}]",
        "boolean",
        "additionalPrinterColumns: [{type: date, jsonPath: .metadata.creationTimestamp}]",
    ),
];

/// Conventions.
const CONVENTIONS: &[(&str, &str, &str, &str)] = &[
    (
        "description-missing",
        "a: {type: integer, format: int32}",
        "a",
        "a: {type: integer, format: int32, description: d}",
    ),
    (
        "field-name",
        "max_size: {type: integer, format: int32, description: d}",
        "max_size",
        "maxSize: {type: integer, format: int32, description: d}",
    ),
    (
        "field-name",
        "Size: {type: integer, format: int32, description: d}",
        "Size",
        "size: {type: integer, format: int32, description: d}",
    ),
    (
        "timestamp-name",
        "startTimestamp: {type: string, format: date-time, description: d}",
        "startTimestamp",
        "startTime: {type: string, format: date-time, description: d}",
    ),
    (
        "enum-name",
        "a: {type: string, enum: [read-only, ReadWrite], description: d}",
        "read-only",
        "a: {type: string, enum: [ReadOnly, ReadWrite], description: d}",
    ),
    (
        "integer-format-missing",
        "a: {type: integer, description: d}",
        "integer",
        "a: {type: integer, format: int64, description: d}",
    ),
    (
        "limit-missing",
        "a: {type: string, description: d}",
        "a",
        "a: {type: string, maxLength: 9, description: d}",
    ),
    (
        "limit-missing",
        "a: {type: array, items: {type: integer, format: int32}, description: d}",
        "a",
        "a: {type: array, maxItems: 9, items: {type: integer, format: int32}, description: d}",
    ),
    (
        "limit-missing",
        "a: {type: object, additionalProperties: {type: integer, format: int32}, description: d}",
        "a",
        "a: {type: object, maxProperties: 9, additionalProperties: {type: integer, format: int32}, description: d}",
    ),
    (
        "boolean-field",
        "a: {type: boolean, description: d}",
        "a",
        "a: {type: string, enum: [Always, Never], description: d}",
    ),
    (
        "fractional-number",
        "a: {type: number, description: d}",
        "number",
        "a: {type: integer, format: int32, description: d}",
    ),
    (
        "duration-field",
        "a: {type: string, format: duration, description: d}",
        "format",
        "aSeconds: {type: integer, format: int32, description: d}",
    ),
    (
        "nullable-field",
        "a: {type: integer, format: int32, nullable: true, description: d}",
        "nullable",
        "a: {type: integer, format: int32, description: d}",
    ),
    (
        "unknown-fields-kept",
        "a: {type: object, x-kubernetes-preserve-unknown-fields: true, description: d}",
        "x-kubernetes-preserve-unknown-fields",
        "a: {type: object, description: d}",
    ),
    (
        "required-default",
        "a: {type: object, description: d, required: [b], properties: {b: {type: integer, format: int32, default: 1, description: d}}}",
        "b",
        "a: {type: object, description: d, properties: {b: {type: integer, format: int32, default: 1, description: d}}}",
    ),
    (
        "list-type-missing",
        "a: {type: array, maxItems: 9, description: d, items: {type: object}}",
        "a",
        "a: {type: array, maxItems: 9, description: d, x-kubernetes-list-type: atomic, items: {type: object}}",
    ),
    (
        "items-optional",
        "a: {type: array, maxItems: 9, description: d, x-kubernetes-list-type: atomic, items: {type: object, properties: {b: {type: integer, format: int32, description: d}}}}",
        "items",
        "a: {type: array, maxItems: 9, description: d, x-kubernetes-list-type: atomic, items: {type: object, required: [b], properties: {b: {type: integer, format: int32, description: d}}}}",
    ),
    (
        "map-of-objects",
        "a: {type: object, maxProperties: 9, description: d, additionalProperties: {type: object, properties: {b: {type: integer, format: int32, description: d}}}}",
        "additionalProperties",
        "a: {type: object, maxProperties: 9, description: d, additionalProperties: {type: integer, format: int32}}",
    ),
    (
        "enum-mutable",
        "type: {type: string, enum: [Disk], description: d}\ndisk: {type: object, description: d}",
        "type",
        "type: {type: string, enum: [Disk], description: d, x-kubernetes-validations: [{rule: self == oldSelf}]}\ndisk: {type: object, description: d}",
    ),
];

/// Conventions of the status.
const STATUSES: &[(&str, &str, &str, &str)] = &[
    (
        "phase-field",
        "properties: {phase: {type: string, description: d}}",
        "phase",
        "properties: {ready: {type: string, description: d}}",
    ),
    (
        "status-field-required",
        "required: [ready], properties: {ready: {type: string, description: d}}",
        "ready",
        "properties: {ready: {type: string, description: d}}",
    ),
    (
        "conditions-shape",
        "properties: {conditions: {type: string, description: d}}",
        "conditions",
        "properties: {}",
    ),
];

#[test]
fn likely_mistakes_are_found_where_they_are() {
    for (code, wrong, at, right) in MISTAKES {
        check(code, Quality::Mistakes, &with_field(wrong), at, &with_field(right));
        assert_eq!(found(&with_field(wrong), Quality::Off), []);
    }
    for (code, wrong, at, right) in VERSIONS {
        check(code, Quality::Mistakes, &with_version(wrong), at, &with_version(right));
    }
}

#[test]
fn departures_from_conventions_are_found_where_they_are() {
    for (code, wrong, at, right) in CONVENTIONS {
        check(code, Quality::Conventions, &with_field(wrong), at, &with_field(right));
        assert_eq!(found(&with_field(wrong), Quality::Mistakes), []);
    }
    for (code, wrong, at, right) in STATUSES {
        check(code, Quality::Conventions, &with_status(wrong), at, &with_status(right));
    }
}

#[test]
fn a_status_and_its_subresource_belong_together() {
    let right = with_status("properties: {}");
    let without = right.replace(SUBRESOURCES, "");
    check("status-without-subresource", Quality::Mistakes, &without, "status", &right);
    let undeclared = right.replace(&STATUS.replace("STATUS", "properties: {}"), "");
    check("status-undeclared", Quality::Mistakes, &undeclared, "status", &right);
    let required = right.replacen("type: object", "type: object\n    required: [status]", 1);
    check("status-required", Quality::Mistakes, &required, "status", &right);
}

#[test]
fn scale_reads_fields_that_there_are() {
    let scaled = |path: &str| {
        let scale = format!("{{status: {{}}, scale: {{specReplicasPath: {path}}}}}");
        with_status("properties: {}").replace("{status: {}}", &scale)
    };
    let (wrong, right) = (scaled(".spec.sise"), scaled(".spec.size"));
    check("scale-without-field", Quality::Mistakes, &wrong, ".spec.sise", &right);
}

#[test]
fn conditions_are_those_of_all_kinds() {
    let fields = ["type", "status", "reason", "message", "lastTransitionTime"];
    let fields =
        fields.map(|field| format!("{field}: {{type: string, description: d}}")).join(", ");
    let conditions = |keys: &str| {
        with_status(&format!(
            "properties: {{conditions: {{type: array, description: d, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [{keys}], items: {{type: object, required: [type], properties: {{{fields}}}}}}}}}"
        ))
    };
    let (wrong, right) = (conditions("reason"), conditions("type"));
    check("conditions-shape", Quality::Conventions, &wrong, "conditions", &right);
}

#[test]
fn every_rule_is_tried() {
    let tables = [MISTAKES, VERSIONS, CONVENTIONS, STATUSES];
    let mut tried: BTreeSet<_> = tables.into_iter().flatten().map(|row| row.0).collect();
    tried.extend([
        "status-without-subresource",
        "status-undeclared",
        "status-required",
        "scale-without-field",
    ]);
    let all: BTreeSet<_> = codes::quality::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(tried, all);
}

#[test]
fn what_only_restricts_another_schema_need_not_be_complete() {
    let field = "a: {type: object, description: d, properties: {b: {type: integer, format: int32, description: d}}, anyOf: [{properties: {b: {minimum: 1}}}, {required: [b]}]}";
    assert_eq!(found(&with_field(field), Quality::Conventions), []);
}
