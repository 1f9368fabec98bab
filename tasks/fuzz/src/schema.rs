//! Schemas without CRDs: a stream says what parsing says, and what was parsed and written is parsed again unchanged.

use crate::documents;
use crdkit_codec::json::{self, Layout};
use crdkit_issue::{Issue, codes};
use crdkit_structure::stream::{Strategy, Stream, StreamOptions, StreamStep};
use crdkit_structure::{Codecs, ImportOptions, ParseOptions, Profile, Schema, import_with};

/// A schema and a value.
pub(crate) fn schema(bytes: &[u8]) {
    let mut documents = documents(bytes).into_iter().map(|it| it.document);
    let (Some(schema), Some(value)) = (documents.next(), documents.next()) else { return };
    let text = json::text(value.root(), Layout::Compact);
    for profile in [Profile::StructuralV1, Profile::Loose] {
        let options = ImportOptions::new().profile(profile);
        let Ok(imported) = import_with(schema.root(), &options, Codecs::new()) else { continue };
        judge(&imported.schema, &text);
    }
}

fn judge(schema: &Schema, text: &str) {
    const MOST: usize = 1000;
    let parse = ParseOptions::new().max_issues(MOST);
    let parsed = schema.parse(text, &parse);
    let whole = facts(parsed.issues.iter().chain(parsed.warnings.iter()));
    // Beyond so many, which ones are kept depends on the order they are found in.
    if whole.len() >= MOST {
        return;
    }
    for threshold in [0, 40] {
        let strategy = Strategy::new().threshold(threshold);
        let options = StreamOptions::new().strategy(strategy).parse(parse.clone());
        let mut stream = Stream::new(text.as_bytes(), schema, &options);
        let mut issues = Vec::new();
        while let Ok(Some(step)) = stream.step() {
            match step {
                StreamStep::Part(part) => issues.extend(part.issues),
                StreamStep::Finding(issue) => issues.push(issue),
                _ => {}
            }
        }
        assert_eq!(facts(issues.iter()), whole, "a stream that holds {threshold} bytes");
    }
}

/// What findings say, in an order that does not depend on when they were found.
fn facts<'i>(issues: impl Iterator<Item = &'i Issue>) -> Vec<String> {
    // A stream does not hold a key of a list that is an object or a list itself, and cannot compare it.
    let compared = issues.filter(|issue| issue.code != codes::object::REPEATED_KEYS);
    let mut facts: Vec<_> = compared
        .map(|issue| format!("{} {} {}", issue.severity, issue.code, issue.path.pointer()))
        .collect();
    facts.sort();
    facts.dedup();
    facts
}
