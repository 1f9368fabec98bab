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
use crdkit_engine::{Crd, FieldValidation, Options, Outcome};
use crdkit_issue::{LineIndex, Severity};
use crdkit_testkit::Block;
use crdkit_value::Document;

/// One test for each file, so that none is forgotten and each is named.
macro_rules! files {
    ($($name:ident: $file:literal,)+) => {$(
        #[test]
        fn $name() {
            hold(include_str!(concat!("../../resources/mdtest/", $file)));
        }
    )+};
}

files! {
    unknown_fields_are_pruned: "prune/unknown.md",
    nulls_are_dropped: "prune/nulls.md",
    defaults_are_filled_in: "defaults/defaults.md",
    metadata_follows_its_rules: "metadata/names.md",
    embedded_resources_are_resources: "metadata/embedded.md",
    types_and_fields_are_checked: "validate/types.md",
    numbers_are_checked: "validate/numbers.md",
    strings_lists_and_enums_are_checked: "validate/strings.md",
    junctors_are_checked: "validate/junctors.md",
    sets_and_maps_have_no_repetitions: "list_type/lists.md",
    scale_values_are_usable: "scale/scale.md",
    rules_are_evaluated: "rules/rules.md",
    unchanged_values_may_stay_wrong: "update/ratcheting.md",
    updates_keep_what_the_server_decides: "update/metadata.md",
    objects_go_through_the_storage_version: "decode/versions.md",
}

fn hold(markdown: &str) {
    let cases = crdkit_testkit::cases(markdown);
    assert!(!cases.is_empty(), "there is no case in this file");
    let blocks: Vec<Block> = cases.into_iter().flat_map(|case| case.blocks).collect();
    let mut failures = Vec::new();
    run(&blocks, &mut failures);
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n\n"));
}

/// The first word of a block's role.
fn role(block: &Block) -> &str {
    block.role.split(' ').next().unwrap_or_default()
}

fn has(block: &Block, word: &str) -> bool {
    block.role.split(' ').any(|other| other == word)
}

fn place(block: &Block) -> String {
    format!("line {}", block.line)
}

/// What the comments at the ends of lines expect.
fn notes(block: &Block) -> Vec<String> {
    let mut notes = Vec::new();
    for (at, line) in block.text.lines().enumerate() {
        let Some((_, comment)) = line.rsplit_once("# ") else { continue };
        let wanted = comment
            .split(", ")
            .filter(|note| note.starts_with("issue: ") || note.starts_with("warning: "));
        notes.extend(wanted.map(|note| format!("line {}: {note}", at + 1)));
    }
    notes.sort();
    notes
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
        match role(block) {
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
            other => failures.push(format!("{}: unknown block `{other}`", place(block))),
        }
    }
}

fn version_parts(block: &Block) -> String {
    let mut out = String::new();
    let has = |word: &str| has(block, word);
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
    let has = |word: &str| has(block, word);
    let field_validation = match () {
        () if has("ignore") => FieldValidation::Ignore,
        () if has("warn") => FieldValidation::Warn,
        () => FieldValidation::Strict,
    };
    let options = Options { field_validation, ..Options::default() };
    let decoded = support::object(&block.text);
    let version = crd.version("v1").expect("version v1");
    let outcome = match old {
        Some(old) if has("status") => version.update_status(&old, decoded, &options),
        Some(old) => version.update(&old, decoded, &options),
        None => version.create(decoded, &options),
    };
    let found = found(&outcome, &block.text);
    let wanted = notes(block);
    if found != wanted {
        failures.push(format!("{}\nfound  {found:#?}\nwanted {wanted:#?}", place(block)));
    }
    Last {
        message: outcome.status().map(|status| status.message).unwrap_or_default(),
        warnings: outcome.warning_texts().collect::<Vec<_>>().join("\n"),
        document: outcome.document,
    }
}

fn found(outcome: &Outcome<'_>, text: &str) -> Vec<String> {
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
        failures.push(format!("{}\nfound  {found}\nwanted {wanted}", place(block)));
    }
}

fn compare(block: &Block, found: &str, wanted: &str, failures: &mut Vec<String>) {
    if found != wanted {
        failures.push(format!("{}\nfound  {found}\nwanted {wanted}", place(block)));
    }
}
