//! The Markdown cases below `resources/mdtest`.
//!
//! | Block | Meaning |
//! |---|---|
//! | `yaml schema` | the schema of the objects that follow; more words are parts of the version: `status`, `scale` |
//! | `yaml crd` | a whole CRD in its place |
//! | `yaml old` | the object that the next one replaces |
//! | `yaml object` | creates an object, or replaces the old one; a word may say `warn`, `ignore` or `status` |
//! | `yaml output` | what the last object became, without type and metadata unless it shows them |
//! | `text message` | the server's message about the last object |
//! | `text warnings` | the server's warnings about it, one to a line |
//!
//! A comment `# issue: code` or `# warning: code` at the end of a line says what is found there; nothing
//! else may be found.

use crate::support;
use crdkit_engine::{Crd, FieldValidation, Outcome, RequestOptions};
use crdkit_issue::{LineIndex, Severity};
use crdkit_testkit::Block;
use crdkit_value::Document;
use std::path::Path;

// Proves REQ-111.
#[test]
fn markdown_cases_hold() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("resources/mdtest");
    let mut failures = Vec::new();
    for blocks in crdkit_testkit::blocks(&directory) {
        run(&blocks, &mut failures);
    }
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n\n"));
}

/// What the last object block gave.
struct Last {
    document: Document,
    message: String,
    warnings: String,
}

fn run(blocks: &[Block], failures: &mut Vec<String>) {
    let mut crd = None;
    let mut old = None;
    let mut last = None;
    for block in blocks {
        match block.word(1) {
            "schema" => crd = Some(support::crd(&block.text, &version_parts(block))),
            "crd" => crd = Crd::compile(&support::decode(&block.text).document).ok(),
            "old" => old = Some(support::object(&block.text).document),
            "object" => {
                let crd = crd.as_ref().expect("a schema comes first");
                last = Some(object(crd, old.take(), block, failures));
            }
            "output" => output(block, last.as_ref().expect("an object comes first"), failures),
            "message" => {
                let last = last.as_ref().expect("an object comes first");
                compare(block, last.message.trim(), block.text.trim(), failures);
            }
            "warnings" => {
                let last = last.as_ref().expect("an object comes first");
                compare(block, last.warnings.trim(), block.text.trim(), failures);
            }
            other => failures.push(format!("{}: unknown block `{other}`", block.place())),
        }
    }
}

fn version_parts(block: &Block) -> String {
    let mut out = String::new();
    let has = |word: &str| block.words.iter().any(|other| other == word);
    if has("status") || has("scale") {
        out.push_str("subresources:\n");
    }
    if has("status") {
        out.push_str("  status: {}\n");
    }
    if has("scale") {
        out.push_str(
            "  scale:\n    specReplicasPath: .spec.replicas\n    statusReplicasPath: .status.replicas\n    \
             labelSelectorPath: .status.selector\n",
        );
    }
    out
}

fn object(crd: &Crd, old: Option<Document>, block: &Block, failures: &mut Vec<String>) -> Last {
    let has = |word: &str| block.words.iter().any(|other| other == word);
    let field_validation = match () {
        () if has("ignore") => FieldValidation::Ignore,
        () if has("warn") => FieldValidation::Warn,
        () => FieldValidation::Strict,
    };
    let options = RequestOptions::new().field_validation(field_validation);
    let decoded = support::object(&block.text);
    let version = crd.version("v1").expect("version v1");
    let outcome = match old {
        Some(old) if has("status") => version.update_status(&old, decoded, &options),
        Some(old) => version.update(&old, decoded, &options),
        None => version.create(decoded, &options),
    };
    let found = found(&outcome, &block.text);
    let mut wanted: Vec<String> = block
        .notes(&["issue", "warning"])
        .into_iter()
        .map(|(line, kind, name)| format!("line {line}: {kind}: {name}"))
        .collect();
    wanted.sort();
    if found != wanted {
        failures.push(format!("{}\nfound  {found:#?}\nwanted {wanted:#?}", block.place()));
    }
    Last {
        message: outcome.status().map(|status| status.message).unwrap_or_default(),
        warnings: outcome.warning_texts().collect::<Vec<_>>().join("\n"),
        document: outcome.into_document(),
    }
}

fn found(outcome: &Outcome, text: &str) -> Vec<String> {
    let lines = LineIndex::new(text.as_bytes());
    let mut found: Vec<String> = outcome
        .issues
        .iter()
        .map(|issue| {
            let kind = match issue.severity {
                Severity::Error => "issue",
                Severity::Warning => "warning",
            };
            let span = issue.span.expect("every finding has a place");
            let line = lines.position(text.as_bytes(), span.start).line;
            format!("line {line}: {kind}: {}", issue.code)
        })
        .collect();
    found.sort();
    found
}

fn output(block: &Block, last: &Last, failures: &mut Vec<String>) {
    let wanted = support::decode(&block.text).document;
    let found = match wanted.root().get("kind") {
        Some(_) => Document::copy_of(last.document.root()),
        None => support::content(&last.document),
    };
    if found != wanted {
        let (found, wanted) = (support::text(found.root()), support::text(wanted.root()));
        failures.push(format!("{}\nfound  {found}\nwanted {wanted}", block.place()));
    }
}

fn compare(block: &Block, found: &str, wanted: &str, failures: &mut Vec<String>) {
    if found != wanted {
        failures.push(format!("{}\nfound  {found}\nwanted {wanted}", block.place()));
    }
}
