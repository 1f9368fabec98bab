//! Rules evaluated by an engine of the program's own.

use crate::support::decode;
use crdkit_issue::Issue;
use crdkit_schema::compile::CompiledRule;
use crdkit_structure::stream::{Stream, StreamOptions, StreamStep};
use crdkit_structure::{
    CelOptions, ImportError, ImportOptions, Imported, ParseOptions, RuleAnswer, RuleBudget,
    RuleEngine, RuleProgram, RuleStop, RuleVariables, Wire, import,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Understands `has NAME`, `same`, which compares with the old value, `spin`, which never ends, and `fail`.
struct Words;

enum Word {
    Has(String),
    Same,
    Spin,
    Fail,
}

impl RuleEngine for Words {
    fn compile(&self, rule: &CompiledRule) -> Result<Arc<dyn RuleProgram>, String> {
        Ok(Arc::new(match rule.rule.split_once(' ') {
            Some(("has", name)) => Word::Has(name.to_owned()),
            None if &*rule.rule == "same" => Word::Same,
            None if &*rule.rule == "spin" => Word::Spin,
            None if &*rule.rule == "fail" => Word::Fail,
            _ => return Err(format!("`{}` is not understood", rule.rule)),
        }))
    }
}

impl RuleProgram for Word {
    fn uses_old_self(&self) -> bool {
        matches!(self, Self::Same)
    }

    fn evaluate(
        &self,
        variables: RuleVariables<'_>,
        budget: &mut RuleBudget<'_>,
    ) -> Result<RuleAnswer, RuleStop> {
        budget.charge(1)?;
        let holds = match self {
            Self::Has(name) => variables.value.get(name).is_some(),
            Self::Same => variables.old == Some(variables.value),
            Self::Spin => loop {
                budget.charge(10)?;
            },
            Self::Fail => return Err(RuleStop::Problem("out of words".to_owned())),
        };
        Ok(if holds { RuleAnswer::Holds } else { RuleAnswer::Fails(None) })
    }
}

fn imported(rules: &[&str]) -> Result<Imported, ImportError> {
    let rules: Vec<_> = rules.iter().map(|rule| format!("{{rule: {rule}}}")).collect();
    let text = format!(
        "{{type: object, properties: {{a: {{type: integer}}, items: {{type: array, items: {{type: \
         object, properties: {{b: {{type: integer}}}}, x-kubernetes-validations: [{{rule: has b}}]}}}}}}, \
         x-kubernetes-validations: [{}]}}",
        rules.join(", ")
    );
    let mut options = CelOptions::default();
    options.rule_cost = 100;
    options.total_cost = 150;
    import(decode(&text).document.root(), &ImportOptions::new().cel_engine(Words, options))
}

fn shown<'i>(issues: impl IntoIterator<Item = &'i Issue>) -> Vec<String> {
    let shown = |issue: &Issue| format!("{}: {}", issue.path.pointer(), issue.message());
    issues.into_iter().map(shown).collect()
}

fn found(rules: &[&str], value: &str, options: &ParseOptions) -> Vec<String> {
    let schema = imported(rules).expect("a schema").schema;
    shown(schema.parse(Wire::Json(value.as_bytes()), options).issues.iter())
}

// Proves REQ-005, REQ-015, REQ-060.
#[test]
fn an_engine_of_the_programs_own_decides() {
    let options = ParseOptions::new();
    let good = r#"{"a": 1, "items": [{"b": 1}]}"#;
    assert_eq!(found(&["has a"], good, &options), [""; 0]);
    let bad = r#"{"items": [{"b": 1}, {}]}"#;
    let both = [": failed rule: has a", "/items/1: failed rule: has b"];
    assert_eq!(found(&["has a"], bad, &options), both);

    let schema = imported(&["has a"]).expect("a schema").schema;
    let options = StreamOptions::new();
    let mut stream = Stream::new(bad.as_bytes(), &schema, &options);
    let mut issues = Vec::new();
    while let Some(step) = stream.step().expect("JSON") {
        match step {
            StreamStep::Part(part) => issues.extend(part.issues),
            StreamStep::Finding(issue) => issues.push(issue),
            _ => {}
        }
    }
    assert_eq!(shown(&issues), both);
}

#[test]
fn rules_about_changes_are_asked_where_there_was_something() {
    let value = r#"{"a": 1}"#;
    assert_eq!(found(&["same"], value, &ParseOptions::new()), [""; 0]);
    let old = |text: &str| ParseOptions::new().old(decode(text).document);
    assert_eq!(found(&["same"], value, &old("{a: 1}")), [""; 0]);
    assert_eq!(found(&["same"], value, &old("{a: 2}")), [": failed rule: same"]);
}

#[test]
fn what_is_not_understood_is_a_diagnostic_and_what_has_no_answer_a_finding() {
    let refused = imported(&["sing"]).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(refused.contains("`sing` is not understood"), "{refused}");
    let options = ParseOptions::new();
    assert_eq!(found(&["fail"], "{}", &options), [": out of words evaluating rule: fail"]);
    let ended = "validation failed due to running out of cost budget, no further validation rules will be run";
    assert_eq!(found(&["spin", "has a"], "{}", &options), [format!(": {ended}")]);
    let clock = options.rule_time(Duration::ZERO, {
        let ticks = AtomicU64::new(0);
        move || Duration::from_nanos(ticks.fetch_add(1, Ordering::Relaxed))
    });
    let late = ": operation interrupted evaluating rule: spin";
    assert_eq!(found(&["spin"], "{}", &clock), [late]);
}
