//! Rules of imported schemas, with limits and variables of the importer's choice.

use crate::support::decode;
use crdkit_issue::{FieldPath, Issue, PathStyle};
use crdkit_schema::rules::Cache;
use crdkit_structure::cel::{self, Call};
use crdkit_structure::import::{CelOptions, Functions, ImportOptions, Imported, import};
use std::cell::Cell;
use std::time::Duration;

/// A schema with one rule on an object with a name and a list of numbers.
fn schema(rule: &str) -> String {
    format!(
        "{{type: object, properties: {{name: {{type: string}}, list: {{type: array, items: {{type: \
         integer}}}}}}, x-kubernetes-validations: [{{rule: \"{rule}\"}}]}}"
    )
}

#[track_caller]
fn imported(schema: &str, options: CelOptions) -> Imported {
    let document = decode(schema).document;
    match import(document.root(), &ImportOptions::new().cel(options)) {
        Ok(imported) => imported,
        Err(error) => panic!("{error}"),
    }
}

/// Short name and hint of each finding.
fn run(imported: &Imported, value: &str, clock: Option<&dyn Fn() -> Duration>) -> Vec<String> {
    let document = decode(value).document;
    let mut call = Call::new(document.root());
    call.time = clock.map(|clock| (Duration::from_millis(100), clock));
    let schema = &imported.schema;
    let found = cel::check(schema, schema.root(), &FieldPath::root(), call);
    let view = |issue: &Issue| {
        format!("{}: {}", issue.short(), issue.hint(PathStyle::default(), None).unwrap_or_default())
    };
    found.iter().map(|(_, issue)| view(issue)).collect()
}

// Proves REQ-060, REQ-067, REQ-068.
#[test]
fn a_rule_that_is_false_is_a_violation_with_the_rule_as_a_hint() {
    let schema = imported(&schema("self.name != 'x'"), CelOptions::default());
    assert_eq!(run(&schema, "{name: b}", None), [""; 0]);
    assert_eq!(run(&schema, "{name: x}", None), ["cel_violation: self.name != 'x'"]);
    assert_eq!(run(&schema, "{}", None), ["cel_error: self.name != 'x'"]);
}

#[test]
fn a_long_rule_is_cut_between_two_characters() {
    let mut options = CelOptions::default();
    options.hint_chars = 15;
    let schema = imported(&schema("self.name != 'ääääääää'"), options);
    assert_eq!(run(&schema, "{name: ääääääää}", None), ["cel_violation: self.name != 'ä…"]);
}

#[test]
fn rules_can_be_left_out() {
    let document = decode(&schema("false")).document;
    let imported = import(document.root(), &ImportOptions::new()).expect("a schema");
    assert_eq!(run(&imported, "{}", None), [""; 0]);
}

#[test]
fn an_import_says_what_is_wrong_with_a_rule() {
    let import = |rule: &str, options: CelOptions| {
        let document = decode(&schema(rule)).document;
        match import(document.root(), &ImportOptions::new().cel(options)) {
            Ok(imported) => format!("{}", imported.diagnostics),
            Err(error) => error.to_string(),
        }
    };
    let mut options = CelOptions::default();
    options.functions = Functions::Only(["size".to_owned()].into());
    options.max_expression_bytes = 40;
    assert!(!import("size(self.name) > 1 && self.list.all(i, i > 0)", options.clone()).is_empty());
    assert!(
        import("self.name.matches('a')", options.clone())
            .contains("the function `matches` is not allowed")
    );
    let long = format!("self.name != '{}'", "x".repeat(60));
    assert!(import(&long, options).contains("the rule is longer than 40 bytes"));
    assert!(import("self.other", CelOptions::default()).contains("undefined field 'other'"));
}

// Proves REQ-063.
#[test]
fn a_rule_ends_when_its_time_or_its_budget_is_up() {
    let rule = "self.list.all(a, self.list.all(b, self.list.all(c, a + b + c >= 0)))";
    let list = format!("{{list: [{}]}}", vec!["1"; 300].join(", "));
    let mut options = CelOptions::default();
    options.hint_chars = 8;
    let costly = imported(&schema(rule), options.clone());
    assert_eq!(run(&costly, &list, None), ["cel_error: self.lis…"]);

    // A clock that goes on a millisecond each time it is looked at.
    options.rule_cost = u64::MAX;
    options.total_cost = u64::MAX;
    let slow = imported(&schema(rule), options.clone());
    let looked = Cell::new(0);
    let clock = || {
        looked.set(looked.get() + 1);
        Duration::from_millis(looked.get())
    };
    assert_eq!(run(&slow, &list, Some(&clock)), ["cel_error: self.lis…"]);
    assert!((100..300).contains(&looked.get()), "{}", looked.get());

    options.total_cost = 2;
    let poor = imported(&schema("self.name != 'x'"), options);
    assert_eq!(run(&poor, "{name: a}", None), ["cel_error: self.nam…"]);
}

/// A CRD whose rule wants to know the kind by a variable.
const RESOURCE: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  names: {kind: Lamp, plural: lamps}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {watts: {type: integer}}}}
        x-kubernetes-validations:
        - rule: kind == 'Lamp' && apiVersion.startsWith('example.com/') && metadata.name != 'x'
";

// Proves REQ-066.
#[test]
fn whole_objects_have_variables_of_their_own_when_asked_for() {
    let document = decode(RESOURCE).document;
    let mut options = CelOptions::default();
    options.resource_variables = true;
    let imported = imported(RESOURCE, options);
    let lamp = |name: &str| {
        format!(
            "{{apiVersion: example.com/v1, kind: Lamp, metadata: {{name: {name}}}, spec: {{}}}}"
        )
    };
    assert_eq!(run(&imported, &lamp("b"), None), [""; 0]);
    assert_eq!(run(&imported, &lamp("x"), None).len(), 1);
    // The API server offers no such variables.
    let plain = match import(document.root(), &ImportOptions::new().cel(CelOptions::default())) {
        Ok(imported) => format!("{}", imported.diagnostics),
        Err(error) => error.to_string(),
    };
    assert!(plain.contains("undeclared reference to 'kind'"), "{plain}");
}

// Proves REQ-062.
#[test]
fn schemas_share_what_was_compiled() {
    let mut options = CelOptions::default();
    let cache = Cache::new(2);
    options.cache = Some(cache.clone());
    let rule = schema("self.name != 'x'");
    for hits in 0..3 {
        let imported = imported(&rule, options.clone());
        assert_eq!(run(&imported, "{name: x}", None).len(), 1);
        assert_eq!((cache.len(), cache.hits()), (1, hits));
    }
    // The same text about another type is another rule.
    let other = rule.replace("type: string", "type: string, nullable: true");
    assert_eq!(run(&imported(&other, options.clone()), "{name: x}", None).len(), 1);
    assert_eq!((cache.len(), cache.hits()), (2, 2));
    // The rule that was not asked for the longest makes room.
    run(&imported(&schema("self.name != 'y'"), options.clone()), "{name: x}", None);
    assert_eq!(cache.len(), 2);
    run(&imported(&rule, options), "{name: x}", None);
    assert_eq!(cache.hits(), 2);
}
