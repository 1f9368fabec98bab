//! The Markdown cases below `resources/mdtest`.
//!
//! | Block | Meaning |
//! |---|---|
//! | `yaml rules` | the rules, in place of those before |
//! | `text problems` | what is wrong with the rules |
//! | `yaml object` | an object |
//! | `yaml VERSION` | the last object in that version, which goes on as the last object |
//! | `text VERSION` | why it cannot be converted |
//! | `yaml crd` | the CRD, in place of that before |
//! | `text trips` | whether objects come back, a line for each way |

use crdkit_codec::{DecodeOptions, Format, go_json};
use crdkit_convert::Conversion;
use crdkit_convert::prove::{RoundTrip, RoundTripVerdict, prove};
use crdkit_testkit::Block;
use crdkit_value::Document;
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
    let mut rules = None;
    let mut object = Document::null();
    let mut crd = Document::null();
    for block in blocks {
        let mut compare = |found: &str, wanted: &str| {
            if found.trim() != wanted.trim() {
                failures.push(format!("{}\nfound  {found}\nwanted {wanted}", block.place()));
            }
        };
        match (block.word(0), block.word(1)) {
            (_, "rules") => rules = Some(Conversion::read(document(&block.text).root())),
            (_, "crd") => crd = document(&block.text),
            (_, "object") => object = document(&block.text),
            ("text", "problems") => {
                let found = rules.as_ref().expect("rules").as_ref().err();
                let found = found.into_iter().flatten().map(ToString::to_string);
                compare(&found.collect::<Vec<_>>().join("\n"), &block.text);
            }
            ("text", "trips") => {
                let rules = rules.as_ref().expect("rules").as_ref().expect("usable rules");
                let found = prove(rules, &crd).expect("a usable CRD");
                compare(&found.iter().map(line).collect::<Vec<_>>().join("\n"), &block.text);
            }
            (language, version) => {
                let rules = rules.as_ref().expect("rules").as_ref().expect("usable rules");
                match rules.convert(&object, version) {
                    Ok(converted) => {
                        let wanted = document(&block.text);
                        if language != "yaml" || converted != wanted {
                            compare(
                                &go_json::value(converted.root()),
                                &go_json::value(wanted.root()),
                            );
                        }
                        object = converted;
                    }
                    Err(problem) => compare(&problem.to_string(), &block.text),
                }
            }
        }
    }
}

fn line(trip: &RoundTrip) -> String {
    let RoundTrip { from, through, verdict, .. } = trip;
    let verdict = match verdict {
        RoundTripVerdict::Proved => "proved".to_owned(),
        RoundTripVerdict::Broken { problem, .. } => format!("broken: {problem}"),
        RoundTripVerdict::Open { reason, .. } => format!("open: {reason}"),
    };
    format!("{from} -> {through} -> {from}: {verdict}")
}

fn document(text: &str) -> Document {
    let decoded = Format::Yaml.decode(text.as_bytes(), &DecodeOptions::default());
    decoded.expect("the block is YAML").document
}
