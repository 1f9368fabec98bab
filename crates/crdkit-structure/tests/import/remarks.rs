//! One schema for each remark, with its code and place.

use crate::support::{loose, try_import};
use crdkit_structure::import::{
    CelOptions, CrdSelector, DiagnosticLevel, Dialect, Formats, Functions, ImportError,
    ImportOptions, Unevaluated,
};

#[track_caller]
fn check(options: &ImportOptions, text: &str, expected: &[&str]) {
    let imported = try_import(text, options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let found: Vec<String> = imported
        .diagnostics
        .iter()
        .map(|it| format!("{} {}", it.code, it.schema_path.pointer()))
        .collect();
    assert_eq!(found, expected, "{text}");
    assert_eq!(imported.diagnostics.has_warnings(), imported.diagnostics.warnings().count() > 0);
}

// Proves REQ-190, REQ-193, REQ-194, REQ-195, REQ-197, REQ-198, REQ-199, REQ-201.
#[test]
fn structural_rules() {
    let options = ImportOptions::new();
    let list = |rest: &str, items: &str| {
        format!("{{type: object, properties: {{l: {{type: array, items: {items}, {rest}}}}}}}")
    };
    let item = "{type: object, required: [a], properties: {a: {type: string}, b: {type: string}, o: {type: object}}}";
    let keys = |keys: &str| {
        list(&format!("x-kubernetes-list-type: map, x-kubernetes-list-map-keys: {keys}"), item)
    };
    for (text, expected) in [
        ("{type: object}".to_owned(), &[][..]),
        ("{properties: {a: {type: string}}}".to_owned(), &["schema_non_structural "]),
        ("{type: object, anyOf: [{properties: {a: {type: string}}}]}".to_owned(),
            &["schema_non_structural /anyOf/0/properties/a/type"]),
        ("{type: object, properties: {a: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}}}".to_owned(), &[]),
        ("{type: object, properties: {a: {x-kubernetes-int-or-string: true, allOf: [{anyOf: [{type: integer}, {type: string}]}, {pattern: x}]}}}".to_owned(), &[]),
        ("{type: object, properties: {l: {type: array}}}".to_owned(), &["schema_non_structural /properties/l"]),
        ("{type: [object, 'null']}".to_owned(), &["schema_non_structural /type"]),
        ("{type: object, additionalProperties: {type: string}}".to_owned(),
            &["schema_non_structural /additionalProperties"]),
        ("{type: object, properties: {m: {type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}}}".to_owned(),
            &["schema_non_structural /properties/m/additionalProperties"]),
        ("{type: object, properties: {m: {type: object, x-kubernetes-preserve-unknown-fields: true, additionalProperties: false}}}".to_owned(),
            &["schema_unknown_conflict /properties/m/additionalProperties"]),
        (list("uniqueItems: true", "{type: string}"), &["schema_non_structural /properties/l/uniqueItems"]),
        ("{type: object, patternProperties: {a: {type: string}}}".to_owned(), &["schema_non_structural /patternProperties"]),
        ("{type: object, properties: {a: {type: string, $ref: '#/definitions/d'}}, definitions: {d: {type: string}}}".to_owned(),
            &["schema_non_structural /definitions", "schema_non_structural /properties/a/$ref"]),
        ("{type: object, dependencies: {a: [b]}}".to_owned(), &["schema_non_structural /dependencies"]),
        ("{type: object, properties: {l: {type: array, items: {type: string}, additionalItems: false}}}".to_owned(),
            &["schema_non_structural /properties/l/additionalItems", "schema_unsupported_keyword /properties/l/additionalItems"]),
        ("{type: object, id: x}".to_owned(), &["schema_non_structural /id", "schema_unsupported_keyword /id"]),
        ("{type: object, x-kubernetes-preserve-unknown-fields: false}".to_owned(),
            &["schema_preserve_false /x-kubernetes-preserve-unknown-fields"]),
        ("{type: object, properties: {a: {x-kubernetes-int-or-string: true, x-kubernetes-preserve-unknown-fields: true}}}".to_owned(),
            &["schema_int_or_string_conflict /properties/a/x-kubernetes-int-or-string"]),
        ("{type: object, properties: {a: {type: string, x-kubernetes-embedded-resource: true}}}".to_owned(),
            &["schema_embedded_type /properties/a/x-kubernetes-embedded-resource"]),
        ("{type: object, x-kubernetes-list-type: set}".to_owned(), &["schema_list_type /x-kubernetes-list-type"]),
        (list("x-kubernetes-list-type: bag", "{type: string}"), &["schema_list_type /properties/l/x-kubernetes-list-type"]),
        (list("x-kubernetes-list-map-keys: [a]", item), &["schema_list_keys /properties/l/x-kubernetes-list-map-keys"]),
        (list("x-kubernetes-list-type: map", item), &["schema_list_keys /properties/l/x-kubernetes-list-map-keys"]),
        (keys("[a]"), &[]),
        (keys("[a, a]"), &["schema_list_keys /properties/l/x-kubernetes-list-map-keys"]),
        (keys("[z]"), &["schema_list_keys /properties/l/x-kubernetes-list-map-keys"]),
        (keys("[b]"), &["schema_list_key_not_required /properties/l/x-kubernetes-list-map-keys"]),
        (keys("[o]"), &["schema_list_key_not_required /properties/l/x-kubernetes-list-map-keys", "schema_list_keys /properties/l/x-kubernetes-list-map-keys"]),
        (list("x-kubernetes-list-type: set", item), &["schema_set_items /properties/l/items"]),
        ("{type: string, x-kubernetes-map-type: atomic}".to_owned(), &["schema_map_type /x-kubernetes-map-type"]),
        ("{type: object, x-kubernetes-map-type: other}".to_owned(), &["schema_map_type /x-kubernetes-map-type"]),
    ] {
        check(&options, &text, expected);
    }
}

/// What an import by default says, as an error.
#[track_caller]
fn refused(options: &ImportOptions, text: &str) -> Vec<String> {
    match try_import(text, options) {
        Err(ImportError::Schema(diagnostics)) => diagnostics
            .iter()
            .map(|it| format!("{} {}", it.code, it.schema_path.pointer()))
            .collect(),
        other => panic!("{text}: {other:?}"),
    }
}

// Proves REQ-104.
#[test]
fn a_malformed_keyword_is_an_error_with_its_place_in_every_profile() {
    for keyword in [
        "minimum: '5'",
        "maximum: {}",
        "exclusiveMinimum: '1'",
        "multipleOf: x",
        "minLength: -1",
        "maxItems: 1.5",
        "minProperties: many",
        "required: name",
        "required: [1]",
        "enum: x",
        "pattern: 5",
        "format: 1",
        "type: 5",
        "type: []",
        "oneOf: {}",
        "anyOf: 1",
        "allOf: {a: {}}",
        "not: 1",
        "properties: []",
        "patternProperties: 1",
        "additionalProperties: 'no'",
        "dependentRequired: {a: b}",
        "nullable: 'true'",
        "uniqueItems: 1",
        "x-kubernetes-preserve-unknown-fields: 'yes'",
        "x-kubernetes-int-or-string: 1",
        "x-kubernetes-embedded-resource: {}",
        "x-kubernetes-list-type: 1",
        "x-kubernetes-list-map-keys: name",
        "x-kubernetes-validations: {rule: 'true'}",
        "x-kubernetes-validations: [{message: x}]",
        "x-kubernetes-unions: {}",
        "x-kubernetes-unions: [{discriminator: 1}]",
        "x-kubernetes-patch-strategy: often",
        "x-kubernetes-patch-merge-key: name",
        "x-kubernetes-group-version-kind: Pod",
        "x-kubernetes-action: walk",
        "discriminator: kind",
        "discriminator: {mapping: {}}",
    ] {
        let name = keyword.split(':').next().unwrap_or_default();
        let text = format!("{{properties: {{a: {{{keyword}}}}}}}");
        let expected = format!("schema_invalid /properties/a/{name}");
        for options in
            [loose(), ImportOptions::new(), ImportOptions::kubernetes(), ImportOptions::audit()]
        {
            let found = refused(&options, &text);
            assert!(found.contains(&expected), "{keyword}: {found:?}");
            let imported = try_import(&text, &options.malformed(DiagnosticLevel::Warning));
            let imported = imported.unwrap_or_else(|error| panic!("{keyword}: {error}"));
            assert!(imported.diagnostics.has_warnings(), "{keyword}");
        }
    }
}

#[test]
fn a_keyword_of_another_dialect_does_not_vanish() {
    let draft4 = loose().dialect(Dialect::Draft4);
    for (keyword, value) in [("const", "1"), ("contains", "{}"), ("if", "{}"), ("nullable", "true")]
    {
        let expected = format!("schema_unsupported_keyword /{keyword}");
        check(&draft4, &format!("{{{keyword}: {value}}}"), &[&expected]);
    }
    let openapi = loose().dialect(Dialect::OpenApi30);
    check(&openapi, "{prefixItems: [{}]}", &["schema_unsupported_keyword /prefixItems"]);
    check(&loose(), "{then: {}}", &["schema_unsupported_keyword /then"]);
}

#[test]
fn a_document_of_components_is_no_schema() {
    let text = "{openapi: 3.0.0, components: {schemas: {
      A: {type: object, properties: {b: {$ref: '#/components/schemas/B'}},
          x-kubernetes-group-version-kind: [{group: g, version: v1, kind: A}]},
      B: {type: integer}}}}";
    assert!(matches!(try_import(text, &loose()), Err(ImportError::Selector(_))));
    for selector in [CrdSelector::component("A"), CrdSelector::kind("A").group("g")] {
        let imported = try_import(text, &loose().select(selector)).expect("a component");
        assert_eq!(crate::support::found(&imported.schema, "{b: x}"), ["type-mismatch @ /b"]);
    }
    let wrong = CrdSelector::kind("A").group("other");
    assert!(matches!(try_import(text, &loose().select(wrong)), Err(ImportError::Selector(_))));
}

// Proves REQ-104.
#[test]
fn what_cannot_be_meant() {
    let options = loose().malformed(DiagnosticLevel::Warning);
    for (text, expected) in [
        ("{pattern: '('}", &["schema_regex_invalid /pattern"][..]),
        ("{pattern: '(?=x)'}", &["schema_regex_invalid /pattern"]),
        ("{patternProperties: {'[': true}}", &["schema_regex_invalid /patternProperties"]),
        ("{type: text}", &["schema_type_unknown /type"]),
        ("{multipleOf: 0}", &["schema_invalid /multipleOf"]),
        ("{items: 3}", &["schema_invalid /items"]),
        (
            "{properties: {a: {type: string, default: 1}}}",
            &["schema_default_invalid /properties/a/default"],
        ),
        ("{maxLenght: 3}", &["schema_unsupported_keyword /maxLenght"]),
        ("{x-anything: 3}", &[]),
    ] {
        check(&options, text, expected);
    }
    let warn = options.clone().unevaluated(Unevaluated::Warn);
    check(&warn, "{unevaluatedItems: false}", &["schema_approximated /unevaluatedItems"]);
    let approximate = options.clone().unevaluated(Unevaluated::Approximate);
    check(
        &approximate,
        "{unevaluatedProperties: false}",
        &["schema_approximated /unevaluatedProperties"],
    );
    let strict = options.formats(Formats::AllStrict);
    check(&strict, "{format: unheard-of}", &["schema_format_unknown /format"]);
}

#[test]
fn a_pattern_that_cannot_be_read_does_not_refuse_documents() {
    let options = loose().malformed(DiagnosticLevel::Warning);
    crate::support::check_with(&options, "{properties: {a: {pattern: '('}}}", "{a: x}", &[]);
}

// Proves REQ-005, REQ-037, REQ-064, REQ-065.
#[test]
fn rules_are_compiled_when_they_are_to_be_evaluated() {
    let rule =
        |text: &str| format!("{{type: object, x-kubernetes-validations: [{{rule: \"{text}\"}}]}}");
    let loose = || loose().malformed(DiagnosticLevel::Warning);
    let cel = loose().cel(CelOptions::default());
    check(&cel, &rule("true"), &[]);
    for text in ["", "self.", "self.nothing == 1"] {
        check(&cel, &rule(text), &["schema_cel_invalid /x-kubernetes-validations/0/rule"]);
    }
    let mut small = CelOptions::default();
    small.max_expression_bytes = 3;
    check(
        &loose().cel(small),
        &rule("true"),
        &["schema_cel_invalid /x-kubernetes-validations/0/rule"],
    );
    let mut few = CelOptions::default();
    few.functions = Functions::Only(["size".to_owned()].into());
    let few = loose().cel(few);
    check(&few, &rule("size('a') == 1"), &[]);
    check(
        &few,
        &rule("'a'.startsWith('a')"),
        &["schema_cel_invalid /x-kubernetes-validations/0/rule"],
    );
    check(&loose(), &rule("self."), &["schema_cel_ignored /x-kubernetes-validations"]);
}

// Proves REQ-105.
#[test]
fn remarks_can_be_denied_by_level() {
    let note = "{then: {}}";
    assert!(try_import(note, &loose().deny(DiagnosticLevel::Warning)).is_ok());
    assert!(try_import(note, &loose().deny(DiagnosticLevel::Note)).is_err());
    assert!(try_import("{unheard: 1}", &loose().deny(DiagnosticLevel::Warning)).is_err());
    let warning = "{properties: {a: {type: string, default: 1}}}";
    assert!(try_import(warning, &loose().deny(DiagnosticLevel::Error)).is_ok());
    assert!(try_import(warning, &loose().deny(DiagnosticLevel::Warning)).is_err());
    assert!(try_import("{type: text}", &loose().deny(DiagnosticLevel::Error)).is_err());
}

// Proves REQ-205, REQ-206, REQ-207, REQ-208, REQ-209, REQ-210.
#[test]
fn extensions_are_kept_for_those_who_write_the_schema_out_again() {
    let imported = try_import(
        "{title: T, x-kubernetes-patch-strategy: 'merge,retainKeys', x-kubernetes-group-version-kind: {kind: A}}",
        &loose(),
    )
    .expect("a schema");
    let schema = imported.schema;
    let more = schema.node(schema.root()).more().expect("annotations");
    let names: Vec<&str> =
        more.annotations.iter().map(|(name, _)| schema.table().name(*name)).collect();
    assert_eq!(names, ["title", "x-kubernetes-patch-strategy", "x-kubernetes-group-version-kind"]);
}

/// All keywords of JSON Schema 2020-12.
const KEYWORDS: &[&str] = &[
    "$anchor",
    "$comment",
    "$defs",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$ref",
    "$schema",
    "$vocabulary",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "dependentRequired",
    "dependentSchemas",
    "deprecated",
    "description",
    "else",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "readOnly",
    "required",
    "then",
    "title",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
    "writeOnly",
];

/// What older languages have and counts in all of them, and what is read only when something refers to it.
fn is_taken(keyword: &str, value: &str) -> bool {
    match keyword {
        "exclusiveMaximum" | "exclusiveMinimum" => value == "true",
        "items" => value == "[]",
        "$defs" | "contentSchema" => value.contains("{type: 5}"),
        _ => false,
    }
}

/// The meta-schema decides what a keyword may be; what it refuses is never passed over in silence.
#[test]
fn what_the_meta_schema_refuses_is_told() {
    let meta = "{$ref: 'https://json-schema.org/draft/2020-12/schema'}";
    let meta = crate::support::schema(meta, &loose());
    let values = [
        "null",
        "true",
        "5",
        "-1",
        "1.5",
        "'x'",
        "''",
        "[]",
        "[1]",
        "['x']",
        "['x', 'x']",
        "[[]]",
        "{}",
        "{x: 1}",
        "{x: []}",
        "{x: [1]}",
        "{x: {type: 5}}",
        "[{type: 5}]",
        "{type: 5}",
    ];
    let options = loose().dialect(Dialect::Draft202012).malformed(DiagnosticLevel::Warning);
    let mut silent = Vec::new();
    for keyword in KEYWORDS {
        for value in values {
            let text = format!("{{{keyword:?}: {value}}}");
            if is_taken(keyword, value) || crate::support::found(&meta, &text).is_empty() {
                continue;
            }
            let is_told = match try_import(&text, &options) {
                Err(_) => true,
                Ok(imported) => imported
                    .diagnostics
                    .iter()
                    .any(|it| it.schema_path.pointer().starts_with(&format!("/{keyword}"))),
            };
            if !is_told {
                silent.push(text);
            }
        }
    }
    assert!(silent.is_empty(), "{} are silent:\n{}", silent.len(), silent.join("\n"));
}
