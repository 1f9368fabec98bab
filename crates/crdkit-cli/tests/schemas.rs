//! SARIF and `JUnit` reports against their published schemas, by validators that crdkit has no part in.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::process::Command;

const SARIF: &str = include_str!("../resources/schemas/sarif-2.1.0.json");
const JUNIT: &str = include_str!("../resources/schemas/junit.xsd");

/// Runs that between them have every kind of finding: in objects, in files that are none, in CRDs, in
/// binary input, silenced ones, cases of suites, and nothing at all.
const RUNS: &[&[&str]] = &[
    &["validate", "--crds", "fixtures/crds", "fixtures/invalid", "fixtures/manifests"],
    &["validate", "--crds", "fixtures/crds", "fixtures/broken"],
    &["validate", "--crds", "fixtures/chart/crds", "fixtures/bad"],
    &["validate", "--config", "fixtures/project/.crdkit.yaml", "fixtures/project/manifests"],
    &["validate", "--ignore-missing-schemas", "fixtures/manifests"],
    &["validate", "--ignore-filename-pattern", ".", "fixtures/manifests"],
    &["lint", "fixtures/broken-crd", "fixtures/costly"],
    &["test", "fixtures/suites"],
];

fn report(arguments: &[&str], format: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_crdkit"));
    let output =
        command.current_dir(root).args(arguments).args(["-q", "-o", format]).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn sarif_validator() -> jsonschema::Validator {
    // One pattern of the published schema has a bracket too many, which not every dialect takes for itself.
    let schema = SARIF.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap()
}

#[test]
fn sarif_reports_are_valid() {
    let validator = sarif_validator();
    let mut n_results = 0;
    for run in RUNS {
        let log: serde_json::Value = serde_json::from_str(&report(run, "sarif")).unwrap();
        let problems: Vec<_> = validator
            .iter_errors(&log)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(problems.is_empty(), "{run:?}: {problems:#?}");
        for result in log.pointer("/runs/0/results").unwrap().as_array().unwrap() {
            n_results += 1;
            let fingerprint = result.pointer("/partialFingerprints").unwrap().as_object().unwrap();
            assert_eq!(fingerprint.len(), 1);
            let location = result.pointer("/locations/0/physicalLocation").unwrap();
            let binary = location.to_string().contains(".cbor");
            let whole_file = result.pointer("/ruleId").unwrap() == "truncated";
            assert!(location.get("region").is_some() || binary || whole_file, "{result:#}");
        }
    }
    assert!(n_results > 20, "{n_results}");
}

#[test]
fn a_sarif_report_with_a_mistake_is_not() {
    let validator = sarif_validator();
    let text = report(RUNS.first().unwrap(), "sarif").replace("startLine", "lineStart");
    assert!(!validator.is_valid(&serde_json::from_str(&text).unwrap()));
}

fn junit_problems(text: &str) -> Vec<String> {
    let schema = uppsala::parse(JUNIT).unwrap();
    let validator = uppsala::XsdValidator::from_schema(&schema).unwrap();
    let document = uppsala::parse(text).unwrap();
    validator.validate(&document).iter().map(ToString::to_string).collect()
}

#[test]
fn junit_reports_are_valid() {
    for run in RUNS {
        let text = report(run, "junit");
        let problems = junit_problems(&text);
        assert!(problems.is_empty(), "{run:?}: {problems:#?}\n{text}");
    }
}

#[test]
fn a_junit_report_with_a_mistake_is_not() {
    let text =
        report(RUNS.first().unwrap(), "junit").replace("<testcase name=", "<testcase title=");
    assert!(!junit_problems(&text).is_empty());
}
