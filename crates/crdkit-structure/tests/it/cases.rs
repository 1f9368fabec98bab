//! The Markdown cases below `resources/schema`.
//!
//! | Block | Meaning |
//! |---|---|
//! | `yaml schema` | the schema of what follows; more words are options of the import |
//! | `json input` | an input; what it gives is shown by the blocks after it |
//! | `json value` | the value as the program sees it |
//! | `text presence` | what is known about places, one to a line, without those that are only seen |
//! | `text seen` | the places that the input had, one to a line |
//! | `text issues` | findings: path, code and hint, one to a line; without this block there are none |
//! | `text warnings` | the same for warnings |
//! | `json canonical` | the exact canonical output |
//! | `json preserving` | the exact preserving output |
//! | `json literal` | the exact preserving output when presence alone decides |

use crdkit_issue::{Issues, PathStyle};
use crdkit_structure::{
    CelOptions, Codecs, DefaultMode, EncodeMode, ImportOptions, Nulls, Numbers, ParseOptions,
    Parsed, Profile, Schema, Semantics, Unknown, import_with,
};
use crdkit_testkit::Block;
use crdkit_value::{Document, Presence};
use std::fmt::Write as _;
use std::path::Path;

#[test]
fn schema_cases_hold() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("resources/schema");
    let mut failures = Vec::new();
    for blocks in crdkit_testkit::blocks(&directory) {
        run(&blocks, &mut failures);
    }
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n\n"));
}

fn run(blocks: &[Block], failures: &mut Vec<String>) {
    let mut schema = None;
    let mut last: Option<(Parsed, &Block, bool)> = None;
    for block in blocks {
        let role = block.word(1);
        if matches!(role, "schema" | "input")
            && let Some((parsed, input, false)) = last.take()
        {
            compare(input, &issues(&parsed.issues), "", failures);
        }
        match role {
            "schema" => schema = Some(import(block)),
            "input" => {
                let schema = schema.as_ref().expect("a schema comes first");
                last = Some((parse(schema, block), block, false));
            }
            _ => {
                let schema = schema.as_ref().expect("a schema comes first");
                let (parsed, _, told) = last.as_mut().expect("an input comes first");
                *told |= role == "issues";
                let found = show(schema, parsed, role);
                compare(block, &found, block.text.trim_end(), failures);
            }
        }
    }
    if let Some((parsed, input, false)) = last {
        compare(input, &issues(&parsed.issues), "", failures);
    }
}

fn import(block: &Block) -> Schema {
    let mut codecs = Codecs::new();
    let options =
        block.words.iter().skip(2).fold(ImportOptions::new(), |options, word| match &**word {
            "apply" => options.defaults(DefaultMode::Apply),
            "annotate" => options.defaults(DefaultMode::Annotate),
            "strict" => options.unknown(Unknown::Strict),
            "preserve" => options.unknown(Unknown::Preserve),
            "prune" => options.unknown(Unknown::Prune),
            "server" => options.semantics(Semantics::Server),
            "whole" => options.numbers(Numbers::BigInt),
            "loose" => options.profile(Profile::Loose),
            "drop-nulls" => options.nulls(Nulls::DropLikeApiServer),
            "cel" => options.cel(CelOptions::default()),
            "codecs" => {
                codecs = Codecs::standard();
                options
            }
            other => match other.strip_prefix("passthrough=") {
                Some(target) => options.unknown(Unknown::Passthrough { target: target.into() }),
                None => panic!("{}: unknown option `{other}`", block.place()),
            },
        });
    let document = crate::support::decode(&block.text).document;
    let imported = import_with(document.root(), &options, codecs);
    imported.unwrap_or_else(|error| panic!("{}: {error}", block.place())).schema
}

fn parse(schema: &Schema, block: &Block) -> Parsed {
    let has = |word: &str| block.words.iter().any(|other| other == word);
    let mut options = ParseOptions::new().report_pruned(has("pruned")).fail_fast(has("fail-fast"));
    if has("last-wins") {
        options = options.duplicates(crdkit_value::Duplicates::LastWins).report_duplicates(true);
    }
    schema.parse(block.text.as_bytes(), &options)
}

fn show(schema: &Schema, parsed: &Parsed, role: &str) -> String {
    let decoded = || crdkit_structure::Decoded::new(parsed.value.clone(), parsed.presence.clone());
    let text = |output: Result<Vec<u8>, crdkit_structure::EncodeError>| match output {
        Ok(bytes) => String::from_utf8(bytes).expect("UTF-8"),
        Err(error) => format!("error: {error}"),
    };
    match role {
        "value" => canonical(&parsed.value),
        "presence" => places(parsed, |presence| presence != Presence::SEEN),
        "seen" => places(parsed, Presence::is_seen),
        "issues" => issues(&parsed.issues),
        "warnings" => issues(&parsed.warnings),
        "canonical" => text(schema.encode_canonical(&parsed.value)),
        "preserving" => text(schema.encode_preserving(&decoded())),
        "literal" => {
            let mode = EncodeMode::Preserve { strict: true };
            text(schema.encode_with(&parsed.value, Some(&parsed.presence), mode))
        }
        other => format!("unknown block `{other}`"),
    }
}

fn canonical(document: &Document) -> String {
    let mut out = Vec::new();
    let notation = crdkit_codec::json::NumberNotation::Exact;
    crdkit_codec::json::write_canonical(document.root(), notation, &mut out).expect("numbers");
    String::from_utf8(out).expect("UTF-8")
}

fn places(parsed: &Parsed, wanted: impl Fn(Presence) -> bool) -> String {
    let mut out = String::new();
    for (path, presence) in &parsed.presence {
        if wanted(presence) && !path.is_root() {
            let _ = writeln!(out, "{} {presence:?}", path.pointer());
        }
    }
    out.trim_end().to_owned()
}

fn issues(issues: &Issues) -> String {
    let mut out = String::new();
    for issue in issues {
        let hint = issue.hint(PathStyle::JsonPointer, None).unwrap_or_default();
        let line = format!("{} {} {hint}", issue.path.pointer(), issue.short());
        let _ = writeln!(out, "{}", line.trim());
    }
    out.trim_end().to_owned()
}

fn compare(block: &Block, found: &str, wanted: &str, failures: &mut Vec<String>) {
    if found != wanted {
        failures.push(format!("{}\nfound  {found}\nwanted {wanted}", block.place()));
    }
}

#[test]
fn a_default_that_lies_in_itself_ends() {
    let document = crate::support::decode("{properties: {a: {$ref: '#', default: {}}}}").document;
    let options = ImportOptions::new().defaults(DefaultMode::Apply);
    let schema = import_with(document.root(), &options, Codecs::new()).expect("a schema").schema;
    let parsed = schema.parse(b"{}", &ParseOptions::new());
    let codes: Vec<_> = parsed.issues.iter().map(|issue| issue.code.name()).collect();
    let bounds = ["defaults-cut", "evaluation-too-deep"];
    assert!(codes.iter().any(|code| bounds.contains(code)), "{codes:?}");
}
