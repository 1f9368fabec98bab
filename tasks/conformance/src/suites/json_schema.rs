//! Suite `json-schema`: the public tests of JSON Schema, drafts 4 and 2020-12.
//!
//! A case is one file of groups, each a schema with values and whether they are valid. Documents that
//! schemas refer to come from a folder of their own. Formats are checked in the files about formats only.

use super::{Answerer, Suite};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_structure::import::{
    DiagnosticLevel, Dialect, Formats, ImportOptions, Profile, ResolveError, Resolver, Unevaluated,
    Unknown, import,
};
use crdkit_structure::validate;
use crdkit_value::{Document, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

// Proves REQ-009, REQ-016, REQ-040, REQ-132.
pub(crate) const SUITE: Suite = Suite {
    name: "json-schema",
    cases: "json-schema/tests",
    crds: Some("json-schema/remotes"),
    prepare: |remotes: Option<&Cases>| -> Result<Answerer> {
        let remotes = remotes.into_iter().flat_map(Cases::iter);
        let remotes = remotes.map(|case| (case.id.clone(), Document::copy_of(case.root())));
        let remotes = Remotes(Arc::new(remotes.collect()));
        Ok(Box::new(move |case| answer(case, &remotes)))
    },
    score,
};

#[derive(Clone)]
struct Remotes(Arc<BTreeMap<String, Document>>);

impl Resolver for Remotes {
    fn resolve(&self, uri: &str) -> Result<Document, ResolveError> {
        let name = uri.strip_prefix("http://localhost:1234/").ok_or(ResolveError::Refused)?;
        self.0.get(name).cloned().ok_or(ResolveError::Refused)
    }
}

fn options(id: &str, remotes: &Remotes) -> ImportOptions {
    let dialect = if id.starts_with("draft4/") { Dialect::Draft4 } else { Dialect::Auto };
    let formats = id.contains("/optional/format");
    ImportOptions::new()
        .profile(Profile::Loose)
        .dialect(dialect)
        .unknown(Unknown::Preserve)
        .unevaluated(Unevaluated::Exact)
        // A pattern that the engine does not know does not count; the cases show where that matters.
        .malformed(DiagnosticLevel::Warning)
        .formats(if formats { Formats::KnownStrict } else { Formats::Annotation })
        .resolver(remotes.clone())
}

fn answer(case: &Case, remotes: &Remotes) -> Vec<u8> {
    let options = options(&case.id, remotes);
    let mut verdicts = Vec::new();
    for group in case.root().items() {
        let schema = group.get("schema").map(|schema| import(schema, &options));
        for test in group.get("tests").into_iter().flat_map(Value::items) {
            let verdict = match (&schema, test.get("data")) {
                (Some(Ok(imported)), Some(data)) => {
                    let schema = &imported.schema;
                    let valid = validate::is_valid(schema, schema.root(), data);
                    if valid { "valid" } else { "invalid" }.to_owned()
                }
                (Some(Err(error)), _) => error.to_string(),
                _ => "no schema".to_owned(),
            };
            verdicts.push(verdict);
        }
    }
    Answer::to(&case.id).strings("verdicts", &verdicts).finish()
}

/// Why the cases of a file are not all right.
const REASONS: &[(&str, &str)] = &[
    ("hostname.json", "the tables of IDNA are not consulted"),
    ("cross-draft.json", "2019-09 is not a dialect here"),
    ("format/ecmascript-regex.json", "patterns are matched in linear time"),
    ("zeroTerminatedFloats.json", "1.0 is an integer, as in every later draft"),
];

fn score(case: &Case, answer: &Document, score: &mut Score) {
    let draft = case.id.split('/').next().unwrap_or_default();
    let measure = match case.id.split('/').nth(1) {
        Some("optional") if case.id.contains("/optional/format/") => format!("{draft} formats"),
        Some("optional") => format!("{draft} optional"),
        _ => format!("{draft} required"),
    };
    let mut verdicts = answer.root().get("verdicts").into_iter().flat_map(Value::items);
    for group in case.root().items() {
        let text = |value: Value<'_>| {
            value.get("description").and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        for test in group.get("tests").into_iter().flat_map(Value::items) {
            let valid = test.get("valid").and_then(Value::as_bool) == Some(true);
            let verdict = verdicts.next().and_then(Value::as_str).unwrap_or_default();
            let right = verdict == if valid { "valid" } else { "invalid" };
            let mut id = format!("{} / {} / {}", case.id, text(group), text(test));
            if let Some(reason) = REASONS.iter().find(|(file, _)| case.id.ends_with(file)) {
                id = format!("{id} ({})", reason.1);
            }
            if !matches!(verdict, "valid" | "invalid") {
                id = format!("{id}: {verdict}");
            }
            score.add(&measure, right, &id);
        }
    }
}
