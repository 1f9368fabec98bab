//! The Markdown cases below `resources/mdtest`.
//!
//! | Block | Meaning |
//! |---|---|
//! | `yaml old` | the object that the next one replaces |
//! | `yaml object` | creates an object, or replaces the old one; a word may say `ignore` or `status` |
//! | `yaml output` | what the last object became |
//! | `text message` | the server's message about the last object |
//!
//! An object without a message after it is accepted.

use crdkit_codec::{DecodeOptions, Format, go_json};
use crdkit_engine::{FieldValidation, Outcome, RequestOptions};
use crdkit_native::NativeKinds;
use crdkit_testkit::Block;
use crdkit_text::kind::GroupVersion;
use crdkit_value::{Document, Value};
use std::path::Path;

#[test]
fn markdown_cases_hold() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("resources/mdtest");
    let mut failures = Vec::new();
    for blocks in crdkit_testkit::blocks(&directory) {
        run(&blocks, &mut failures);
    }
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n\n"));
}

fn run(blocks: &[Block], failures: &mut Vec<String>) {
    let (mut old, mut last) = (None, None);
    for (at, block) in blocks.iter().enumerate() {
        let mut compare = |found: &str, wanted: &str| {
            if found != wanted {
                failures.push(format!("{}\nfound  {found}\nwanted {wanted}", block.place()));
            }
        };
        match block.word(1) {
            "old" => old = Some(decode(&block.text)),
            "object" => {
                let outcome = request(old.take(), block);
                let next = blocks.get(at + 1).map(|next| next.word(1));
                if next != Some("message") {
                    compare(&message(&outcome), "");
                }
                last = Some(outcome);
            }
            "message" => {
                let message = message(last.as_ref().expect("an object comes first"));
                compare(message.trim_end(), block.text.trim());
            }
            _ => {
                let last = last.as_ref().expect("an object comes first");
                let wanted = decode(&block.text);
                if *last.document() != wanted {
                    compare(
                        &go_json::value(last.document().root()),
                        &go_json::value(wanted.root()),
                    );
                }
            }
        }
    }
}

fn decode(text: &str) -> Document {
    let decoded = Format::Yaml.decode(text.as_bytes(), &DecodeOptions::default());
    decoded.expect("the block is YAML").document
}

fn message(outcome: &Outcome) -> String {
    outcome.status().map(|status| status.message).unwrap_or_default()
}

fn request(old: Option<Document>, block: &Block) -> Outcome {
    let object = decode(&block.text);
    let text = |key| object.root().get(key).and_then(Value::as_str).unwrap_or_default();
    let version = GroupVersion::parse(text("apiVersion")).expect("a version");
    let kind = NativeKinds::latest().find(version.group, version.version, text("kind"));
    let kind = kind.expect("a native kind");
    let has = |word: &str| block.words.iter().any(|other| other == word);
    let mode = if has("ignore") { FieldValidation::Ignore } else { FieldValidation::Strict };
    let options = RequestOptions::new().field_validation(mode);
    match old {
        Some(old) if has("status") => kind.update_status(&old, object, &options),
        Some(old) => kind.update(&old, object, &options),
        None => kind.create(object, &options),
    }
}
