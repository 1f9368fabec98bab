//! Keys that are given twice: policies, reports, places.

use crdkit_codec::yaml::StrictReader;
use crdkit_codec::{DecodeOptions, Decoded, json, yaml};
use crdkit_issue::Severity;
use crdkit_value::{Duplicates, Value};

fn decode(text: &str, duplicates: Duplicates, report_duplicates: bool) -> [Decoded; 2] {
    let options = DecodeOptions::new()
        .duplicates(duplicates)
        .report_duplicates(report_duplicates)
        .positions(true);
    [
        json::decode(text.as_bytes(), &options).unwrap(),
        yaml::decode(text.as_bytes(), &options).unwrap(),
    ]
}

/// The second is spelled differently; inside the list paths are absolute.
const TEXT: &str = r#"{"a": 1, "b": [{"k": 1, "k": 2}, {"k": 3}], "\u0061": 4}"#;

// Proves REQ-039, REQ-047.
#[test]
fn the_policy_decides_which_value_stays() {
    for (duplicates, a, k) in
        [(Duplicates::Error, 4, 2), (Duplicates::LastWins, 4, 2), (Duplicates::FirstWins, 1, 1)]
    {
        for decoded in decode(TEXT, duplicates, false) {
            let at = |pointer| decoded.document.root().pointer(pointer).and_then(Value::as_i64);
            assert_eq!((at("/a"), at("/b/0/k"), at("/b/1/k")), (Some(a), Some(k), Some(3)));
            let expected = if duplicates == Duplicates::Error { 2 } else { 0 };
            assert_eq!(decoded.issues.len(), expected);
        }
    }
}

// Proves REQ-047.
#[test]
fn tolerated_repetitions_are_warnings_if_asked_for() {
    for duplicates in [Duplicates::LastWins, Duplicates::FirstWins] {
        for decoded in decode(TEXT, duplicates, true) {
            let found: Vec<_> = decoded.issues.iter().map(|issue| issue.path.pointer()).collect();
            assert_eq!(found, ["/b/0/k", "/a"]);
            for issue in &decoded.issues {
                assert_eq!(issue.severity, Severity::Warning);
                assert!(issue.span.is_some() && !issue.related.is_empty());
            }
        }
    }
}

// Proves REQ-125.
#[test]
fn the_strict_reader_tells_all_with_line_and_column() {
    let text =
        "a: 1\nb:\n  - k: 1\n    k: 2\na: 3\n---\nfine: true\n---\n\"x\": [\n---\nx: 1\nx: 2\n";
    let reader = StrictReader::from_read(text.as_bytes()).unwrap();
    let documents: Vec<_> = reader.documents().collect();
    assert_eq!(documents.len(), 4);
    let first = documents[0].as_ref().unwrap().clone();
    let found: Vec<_> = first
        .duplicates()
        .iter()
        .map(|it| {
            let (first, again) = (it.first, it.again);
            (it.path.pointer(), (first.line, first.column), (again.line, again.column))
        })
        .collect();
    assert_eq!(found, [("/b/0/k".to_owned(), (3, 5), (4, 5)), ("/a".to_owned(), (1, 1), (5, 1))]);
    let error = first.into_result().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`k` at line 4, column 5 was given at line 3, column 5 already; \
         `a` at line 5, column 1 was given at line 1, column 1 already"
    );
    let fine = documents[1].as_ref().unwrap().clone();
    assert_eq!(fine.to_json(), b"{\"fine\":true}");
    assert!(fine.into_result().is_ok());
    assert!(documents[2].is_err());
    assert_eq!(documents[3].as_ref().unwrap().clone().duplicates().len(), 1);
}
