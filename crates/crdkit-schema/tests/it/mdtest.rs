//! The rules for CRDs, as Markdown under `resources/mdtest`.
//!
//! A block with the role `crd` is a whole CRD; `spec` and `schema` are put where they belong in a
//! small valid one. With an `old …` block before it, a block is an update of that, otherwise a create.

use crate::support;
use crdkit_codec::Decoded;
use crdkit_issue::{Issue, LineIndex};
use crdkit_schema::{check, read};
use crdkit_testkit::{Block, Case, Finding};

const ENVELOPE: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com, resourceVersion: '1'}
";

const SPEC: &str = "spec:
  group: example.com
  names: {plural: widgets, kind: Widget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
";

/// The text of a block as a whole CRD, and how many lines stand before its own.
fn whole(block: &Block) -> (String, usize) {
    let role = block.role();
    let indented = |by: &str| {
        let lines = block.text.lines().map(|line| format!("{by}{line}\n"));
        lines.collect::<String>()
    };
    let before = match role.strip_prefix("old ").unwrap_or(&role) {
        "crd" => return (block.text.clone(), 0),
        "spec" => format!("{ENVELOPE}spec:\n"),
        _ => format!("{ENVELOPE}{SPEC}"),
    };
    let by = if role.ends_with("spec") { "  " } else { "        " };
    let after = if role.starts_with("old ") { STATUS } else { "" };
    let text = format!("{before}{}{after}", indented(by));
    (text, before.lines().count())
}

/// What is stored with a CRD that is in use.
const STATUS: &str =
    "status: {storedVersions: [v1], conditions: [{type: Established, status: 'True'}]}\n";

fn run(markdown: &str) {
    crdkit_testkit::run(markdown, |case: &Case| {
        let block = case.blocks.last().expect("a case has blocks");
        let (text, before) = whole(block);
        let decoded = support::decode(&text);
        let old = case.blocks.iter().find(|block| block.role().starts_with("old "));
        let issues = match old {
            Some(old) => support::update(&decoded, &support::decode(&whole(old).0)),
            None => support::create(&decoded),
        };
        located(&issues, &text, before)
    });
}

fn located(issues: &[Issue], text: &str, before: usize) -> Vec<Finding> {
    let lines = LineIndex::new(text.as_bytes());
    let line = |issue: &Issue| {
        let span = issue.span?;
        let line = lines.position(text.as_bytes(), span.start).line;
        (line - 1).checked_sub(before)
    };
    issues.iter().map(|issue| (line(issue).unwrap_or(0), issue.code.name().to_owned())).collect()
}

/// What is accepted with a warning.
fn warn(markdown: &str) {
    crdkit_testkit::run(markdown, |case: &Case| {
        let block = case.blocks.last().expect("a case has blocks");
        let (text, before) = whole(block);
        let decoded: Decoded = support::decode(&text);
        let (crd, _) = read::crd(decoded.document.root());
        let mut issues = check::warnings(&crd, None, 36);
        issues.extend(check::published(&crd.schemas));
        located(&issues, &text, before)
    });
}

macro_rules! mdtests {
    ($($runner:ident: $($name:ident),+;)+) => {
        $($(
            #[test]
            fn $name() {
                $runner(include_str!(concat!("../../resources/mdtest/", stringify!($name), ".md")));
            }
        )+)+
    };
}

mdtests! {
    run: decode, metadata, names, versions, subresources, columns, selectable_fields, conversion,
        approval, structural, clauses, keywords, extensions, defaults, rules, update;
    warn: warnings;
}
