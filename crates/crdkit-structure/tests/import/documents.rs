//! Documents: dialects, references of every form, resources, other documents, CRDs.

use crate::support::{check, check_with, decode, found, loose, schema, try_import};
use crdkit_structure::import::{
    CrdSelector, DiagnosticLevel, Dialect, ImportError, ImportOptions, ResolveError,
    ResolverLimits, VersionSelector,
};
use crdkit_value::Document;
use std::collections::BTreeMap;
use std::error::Error as _;

// Proves REQ-010, REQ-041.
#[test]
fn both_ways_to_write_a_limit_and_null_mean_the_same() {
    let pairs = [
        ("{type: string, nullable: true}", "{type: [string, 'null']}"),
        ("{minimum: 1, exclusiveMinimum: true}", "{exclusiveMinimum: 1}"),
        ("{maximum: 1, exclusiveMaximum: true}", "{exclusiveMaximum: 1}"),
        ("{minimum: 1, exclusiveMinimum: false}", "{minimum: 1}"),
    ];
    for (old, new) in pairs {
        let old = schema(old, &loose().dialect(Dialect::OpenApi30));
        let new = schema(new, &loose().dialect(Dialect::OpenApi31));
        assert_eq!(old.node(old.root()), new.node(new.root()));
    }
}

// Proves REQ-009.
#[test]
fn the_dialect_is_told_by_the_document() {
    let beside = |head: &str| {
        format!(
            "{{{head} properties: {{a: {{$ref: '#/definitions/d', type: string}}}}, definitions: {{d: {{minimum: 1}}}}}}"
        )
    };
    for (head, alone) in [
        ("", false),
        ("openapi: 3.0.3,", true),
        ("openapi: 3.1.0,", false),
        ("$schema: 'http://json-schema.org/draft-04/schema#',", true),
        ("$schema: 'https://json-schema.org/draft/2020-12/schema',", false),
        ("nullable: true,", true),
    ] {
        let lines = found(&schema(&beside(head), &loose()), "{a: 0}");
        let expected: &[&str] = if alone { &["minimum @ /a"] } else { &["type-mismatch @ /a"] };
        assert_eq!(lines.first().map(String::as_str), expected.first().copied(), "{head}");
    }
}

// Proves REQ-031.
#[test]
fn references_may_be_pointers_anchors_or_addresses() {
    for (reference, defs) in [
        ("#/$defs/d", "d: {type: integer}"),
        ("#/$defs/a~1b~0c", "'a/b~c': {type: integer}"),
        ("#/$defs/a%25b", "'a%b': {type: integer}"),
        ("#here", "d: {$anchor: here, type: integer}"),
        ("https://example.com/other", "d: {$id: 'https://example.com/other', type: integer}"),
        ("other.json", "d: {$id: 'other.json', type: integer}"),
        ("#/$defs/list/prefixItems/0", "list: {prefixItems: [{type: integer}]}"),
    ] {
        let text = format!("{{properties: {{a: {{$ref: '{reference}'}}}}, $defs: {{{defs}}}}}");
        check(&text, "{a: x}", &["type-mismatch @ /a"]);
    }
    check(
        "{components: {schemas: {D: {type: integer}}}, items: {$ref: '#/components/schemas/D'}}",
        "[x]",
        &["type-mismatch @ /0"],
    );
}

// Proves REQ-012.
#[test]
fn recursive_schemas_are_checked_all_the_way_down() {
    let text = "{type: object, properties: {next: {$ref: '#'}, name: {type: string}}, additionalProperties: false}";
    check(
        text,
        "{name: a, next: {name: b, next: {name: 1}}}",
        &["type-mismatch @ /next/next/name"],
    );
    let text = "
$ref: '#/$defs/tree'
$defs:
  tree: {properties: {left: {$ref: '#/$defs/tree'}, right: {$ref: '#/$defs/node'}, value: {type: integer}}}
  node: {allOf: [{$ref: '#/$defs/tree'}]}";
    check(text, "{left: {right: {left: {value: x}}}}", &["type-mismatch @ /left/right/left/value"]);
}

#[test]
fn what_stands_beside_a_reference_counts_or_is_remarked_upon() {
    let text = "{properties: {a: {$ref: '#/$defs/d', maxLength: 2}}, $defs: {d: {minLength: 2}}}";
    check(text, "{a: abc}", &["max-length @ /a"]);
    let old = loose().dialect(Dialect::OpenApi30);
    check_with(&old, text, "{a: abc}", &[]);
    let imported = try_import(text, &old).expect("a schema");
    let codes: Vec<_> = imported.diagnostics.iter().map(|it| (it.code, it.level)).collect();
    assert_eq!(codes, [("schema_ref_siblings", DiagnosticLevel::Warning)]);
}

#[test]
fn a_reference_that_leads_nowhere_is_an_error() {
    for text in ["{$ref: '#/$defs/none'}", "{$ref: '#none'}", "{$ref: 'https://example.com/x'}"] {
        let error = try_import(text, &loose()).expect_err("nothing there");
        assert!(matches!(error, ImportError::Reference { .. }), "{text}: {error}");
    }
    for text in [
        "{$ref: '#'}",
        "{$ref: '#/$defs/a', $defs: {a: {$ref: '#/$defs/b'}, b: {$ref: '#/$defs/a'}}}",
        "{allOf: [{$ref: '#'}]}",
        "{properties: {x: {$ref: '#/$defs/a'}}, $defs: {a: {not: {anyOf: [{$ref: '#/$defs/a'}, true]}}}}",
    ] {
        let error = try_import(text, &loose()).expect_err("a loop");
        assert!(error.to_string().contains("schema_ref_loop"), "{text}: {error}");
    }
}

fn shelf(entries: &[(&str, &str)]) -> BTreeMap<String, Document> {
    entries.iter().map(|(uri, text)| ((*uri).to_owned(), decode(text))).collect()
}

#[test]
fn other_documents_come_from_the_resolver_within_limits() {
    let documents = shelf(&[
        ("https://example.com/a", "{$defs: {x: {$ref: 'b#/part'}}}"),
        ("https://example.com/b", "{part: {type: integer}, back: {$ref: a}}"),
    ]);
    let text = "{items: {$ref: 'https://example.com/a#/$defs/x'}}";
    let options = loose().resolver(documents);
    check_with(&options, text, "[x]", &["type-mismatch @ /0"]);
    let mut limits = ResolverLimits::default();
    limits.documents = 1;
    let error = try_import(text, &options.clone().resolver_limits(limits)).expect_err("two needed");
    let source = error.source().map(ToString::to_string);
    assert_eq!(source, Some(ResolveError::TooMuch("documents").to_string()));
    let mut limits = ResolverLimits::default();
    limits.nodes = 3;
    assert!(try_import(text, &options.resolver_limits(limits)).is_err());
    assert!(try_import(text, &loose()).is_err(), "nothing is fetched unless a resolver is given");
}

#[test]
fn relative_references_start_from_the_base() {
    let documents = shelf(&[("https://example.com/dir/b.json", "{type: integer}")]);
    let options = loose().base("https://example.com/dir/a.json").resolver(documents);
    check_with(&options, "{$ref: b.json}", "x", &["type-mismatch @ "]);
}

#[test]
fn the_meta_schemas_are_at_hand() {
    let modern = "{$ref: 'https://json-schema.org/draft/2020-12/schema'}";
    check(modern, "{properties: {a: {type: string}}}", &[]);
    assert!(!found(&schema(modern, &loose()), "{properties: {a: {type: 1}}}").is_empty());
    let old = "{$ref: 'http://json-schema.org/draft-04/schema#'}";
    let options = loose().dialect(Dialect::Draft4);
    check_with(&options, old, "{minLength: 1}", &[]);
    assert!(!found(&schema(old, &options), "{minLength: -1}").is_empty());
}

// Proves REQ-016.
#[test]
fn dynamic_references_go_to_the_outermost_anchor() {
    let text = "
$id: https://example.com/strict
$dynamicAnchor: node
$ref: tree
unevaluatedProperties: false
$defs:
  tree:
    $id: tree
    $dynamicAnchor: node
    properties: {data: true, children: {type: array, items: {$dynamicRef: '#node'}}}";
    check(text, "{children: [{data: 1}]}", &[]);
    check(text, "{children: [{daat: 1}]}", &["unevaluated @ /children/0/daat"]);
}

const CRDS: &str = "
- kind: CustomResourceDefinition
  metadata: {name: widgets.a.example.com}
  spec:
    group: a.example.com
    names: {kind: Widget}
    versions:
    - {name: v1alpha1, served: false, storage: false, schema: {openAPIV3Schema: {type: object, required: [alpha]}}}
    - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object, required: [beta]}}}
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, required: [one]}}}
- kind: CustomResourceDefinition
  metadata: {name: widgets.b.example.com}
  spec:
    group: b.example.com
    names: {kind: Widget}
    versions: [{name: v1, served: true, storage: true}]
    validation: {openAPIV3Schema: {type: object, required: [old]}}";

// Proves REQ-003.
#[test]
fn a_crd_is_selected_by_kind_group_name_and_version() {
    let widget = || CrdSelector::kind("Widget");
    for (selector, expected) in [
        (widget().group("a.example.com"), Some("one")),
        (widget().group("a.example.com").version(VersionSelector::FirstServed), Some("beta")),
        (
            widget().group("a.example.com").version(VersionSelector::Named("v1alpha1".into())),
            Some("alpha"),
        ),
        (widget().group("a.example.com").version(VersionSelector::Named("v9".into())), None),
        (widget().group("b.example.com"), Some("old")),
        (CrdSelector::name("widgets.b.example.com"), Some("old")),
        (widget(), None),
        (CrdSelector::kind("Gadget"), None),
    ] {
        let options = ImportOptions::new().select(selector.clone());
        match (try_import(CRDS, &options), expected) {
            (Ok(imported), Some(name)) => {
                assert_eq!(found(&imported.schema, "{}"), [format!("required @ /{name}")]);
            }
            (Err(ImportError::Selector(_)), None) => {}
            (other, _) => panic!("{selector:?}: {other:?}"),
        }
    }
    let list = CRDS.replace('\n', "\n  ");
    let list = format!("kind: CustomResourceDefinitionList\nitems:{list}");
    let options = ImportOptions::new().select(widget().group("a.example.com"));
    assert!(try_import(&list, &options).is_ok());
}

#[test]
fn the_document_is_not_changed() {
    let document = decode(CRDS);
    let before = format!("{:?}", document.root());
    let options = ImportOptions::new().select(CrdSelector::kind("Widget").group("a.example.com"));
    crdkit_structure::import::import(document.root(), &options).expect("a schema");
    assert_eq!(format!("{:?}", document.root()), before);
}
