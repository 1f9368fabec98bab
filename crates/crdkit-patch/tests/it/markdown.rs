//! The Markdown cases below `resources/mdtest`: blocks `json merge`, `json patch` and `json strategic VERSION KIND`, a case to a line.

use crdkit_codec::{DecodeOptions, json};
use crdkit_patch::{Definitions, PatchLimits, Schema, json::JsonPatch, merge, strategic};
use crdkit_testkit::Block;
use crdkit_value::Document;
use std::path::Path;

#[test]
fn markdown_cases_hold() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("resources/mdtest");
    let mut failures = Vec::new();
    for blocks in crdkit_testkit::blocks(&directory) {
        for block in &blocks {
            for line in block.text.lines() {
                let outcome = check(block, line);
                failures.extend(outcome.err().map(|problem| format!("{line}\n  {problem}")));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}

fn check(block: &Block, line: &str) -> Result<(), String> {
    let case = decode(line);
    let part = |at| case.root().at(at).map(Document::copy_of);
    let mut object = part(0).expect("an object");
    let patch = part(1).expect("a patch");
    match block.word(1) {
        "merge" => merge::apply(&mut object, patch.root()),
        "patch" => {
            let before = object.clone();
            let patch = JsonPatch::from_document(patch, &PatchLimits::default());
            let outcome = patch.and_then(|patch| patch.apply(&mut object));
            if let (Err(error), Some(_)) = (&outcome, part(2)) {
                return Err(error.to_string());
            }
            if outcome.is_err() {
                return (object == before).then_some(()).ok_or("half applied".to_owned());
            }
        }
        "strategic" => {
            let before = object.clone();
            let schema = Schema::of_kind(Definitions::native(), block.word(2), block.word(3));
            let outcome = strategic::apply(&mut object, patch.root(), &schema.expect("a kind"));
            if let Err(error) = outcome {
                let want = part(2).and_then(|want| want.root().as_str().map(str::to_owned));
                return match want == Some(error.to_string()) {
                    true if object == before => Ok(()),
                    true => Err("half applied".to_owned()),
                    false => Err(format!("failed: {error}")),
                };
            }
        }
        other => return Err(format!("no block is called {other}")),
    }
    match part(2) {
        Some(want) if want == object => Ok(()),
        _ => Err(format!("gave {object}")),
    }
}

fn decode(text: &str) -> Document {
    json::decode(text.as_bytes(), &DecodeOptions::default()).expect("JSON").document
}
