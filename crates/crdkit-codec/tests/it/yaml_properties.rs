//! What holds for every YAML text and every document.

use crate::arbitrary;
use crdkit_codec::yaml::{self, Documents};
use crdkit_codec::{DecodeError, DecodeOptions, json};
use crdkit_value::{Builder, Document, Event, Kind, Limits, NodeId, Value};
use proptest::prelude::*;

/// A manifest to break.
const MANIFEST: &str = "\
apiVersion: v1
kind: List
items:
- &first
  metadata: {name: a, labels: {\"on\": 'x', 1: y}}
  spec: &spec
    replicas: 3
    text: |
      one
        two
    folded: >-
      three
      four
    flow: [1, 2.5, ~, \"q\\n\"]
- <<: *first
  spec:
    <<: [*spec, {z: 1}]
    long: some words
      over lines # comment
---
? complex
: value
";

/// Pieces that mean something to a YAML scanner.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "\n",
        "\n  ",
        "\n- ",
        " ",
        ": ",
        "? ",
        "- ",
        "#",
        " #",
        "&a ",
        "*a",
        "!",
        "!!int ",
        "<<: ",
        "[",
        "]",
        "{",
        "}",
        ",",
        "'",
        "\"",
        "\\",
        "|",
        ">",
        "\n---\n",
        "...\n",
        "%TAG ! x\n",
        "a",
        "b",
        "1",
        "é",
        "\t",
        "\r\n",
        "~",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\u{1}",
        "0x",
        ".",
        "_",
        " some more words",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// A manifest with a few bytes changed.
fn mutant() -> impl Strategy<Value = Vec<u8>> {
    let place = any::<prop::sample::Index>();
    prop::collection::vec((place, 0..4_usize, pieces()), 1..6).prop_map(|changes| {
        let mut bytes = MANIFEST.as_bytes().to_vec();
        for (place, removed, inserted) in changes {
            let at = place.index(bytes.len() + 1);
            let end = (at + removed).min(bytes.len());
            bytes.splice(at..end, inserted.into_bytes());
        }
        bytes
    })
}

fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let limits = Limits::new().nodes(10_000);
    let options = DecodeOptions::new().limits(limits).positions(true);
    for outcome in Documents::from_slice(bytes, &options) {
        match outcome {
            Err(DecodeError::Io(error)) => return Err(TestCaseError::fail(error.to_string())),
            Err(DecodeError::Refused(issue)) => {
                let span =
                    issue.span.ok_or_else(|| TestCaseError::fail("a finding without a place"))?;
                prop_assert!(span.start <= span.end && span.start <= bytes.len(), "{issue:?}");
            }
            Ok(decoded) => {
                prop_assert!(decoded.document.n_nodes() <= 10_000);
                check_places(decoded.document.root(), bytes)?;
                check_round_trip(&decoded.document)?;
            }
        }
    }
    let good = |documents: Documents<'_, '_>| -> Vec<String> {
        documents.flatten().map(|decoded| format!("{:?}", decoded.document)).collect()
    };
    // A reader notices a bad character after a `...` line later, when the document before it is complete.
    let is_text = |text: &str| !text.contains(|c: char| c.is_control() && !c.is_whitespace());
    if std::str::from_utf8(bytes).is_ok_and(is_text) {
        let from_read = good(Documents::from_read(bytes, &options));
        prop_assert_eq!(from_read, good(Documents::from_slice(bytes, &options)));
        for chunk in [1, 2, 7, 64, 4096] {
            check_reader(bytes, chunk, &options)?;
        }
    }
    Ok(())
}

/// A reader that holds a few bytes at a time gives what decoding all of them gives.
fn check_reader(bytes: &[u8], chunk: usize, options: &DecodeOptions) -> Result<(), TestCaseError> {
    let read = || {
        let mut reader =
            yaml::Reader::with_chunk_size(bytes, chunk, &options.limits, options.numbers);
        let mut builder = Builder::new(&options.limits, options.duplicates).keeping_positions(0);
        reader.next_document()?;
        reader.fill(&mut builder, usize::MAX)?;
        reader.next_document()?;
        Ok(builder.finish().0)
    };
    let places = |document: &Document| -> Vec<_> {
        let mut open = vec![document.root()];
        let mut places = Vec::new();
        while let Some(value) = open.pop() {
            open.extend(value.items());
            open.extend(value.members().map(|(_, member)| member));
            places.push(document.place(value.id()));
        }
        places
    };
    match (yaml::decode(bytes, options), read()) {
        (Ok(whole), Ok(read)) => {
            // A document that is not there has no place.
            if whole.document.place(NodeId::ROOT).is_some() {
                prop_assert_eq!(places(&whole.document), places(&read));
            }
            prop_assert_eq!(whole.document, read);
        }
        // What counts only if it stays is refused at once.
        (_, Err(DecodeError::Refused(issue))) if issue.message().contains("unsupported") => {}
        (Err(whole), Err(DecodeError::Refused(issue))) => prop_assert_eq!(whole, issue),
        (whole, read) => prop_assert!(false, "{whole:?} {read:?} {bytes:?}"),
    }
    Ok(())
}

#[test]
fn a_finding_about_a_line_goes_to_its_end() {
    let options = DecodeOptions::new().positions(true);
    for text in [
        "a: 1\n&b }:  over lines # comment \n\u{e9}nt\n---",
        "a: 1\n&b }:  over more lines, and more of them \u{2028}c: 2\n",
        "- a: 1\n  &b }:  over more lines, \u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}, and more\r\nc",
        "a: 1\n&b }: up to the end of everything",
    ] {
        let issue = yaml::decode(text.as_bytes(), &options).unwrap_err();
        let span = issue.span.unwrap();
        let rest = &text[span.end..];
        assert!(rest.is_empty() || rest.starts_with(['\n', '\r', '\u{2028}']), "{rest:?}");
        for chunk in 1..text.len() {
            check_reader(text.as_bytes(), chunk, &options).unwrap();
        }
    }
}

/// Every place lies inside the text, and a number or boolean stands where it is said to.
fn check_places(root: Value<'_>, bytes: &[u8]) -> Result<(), TestCaseError> {
    let utf16 = matches!(bytes, [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..]);
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        open.extend(value.items());
        open.extend(value.members().map(|(_, member)| member));
        let place = value.document().place(value.id());
        let place = place.ok_or_else(|| TestCaseError::fail("a value without a place"))?;
        if utf16 {
            continue;
        }
        let source = bytes.get(place.value.start..place.value.end);
        prop_assert!(source.is_some(), "{place:?}");
        if let (Kind::Int(int @ 10..), Some(source)) = (value.kind(), source)
            && let Ok(text) = std::str::from_utf8(source)
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && !text.starts_with('0')
        {
            prop_assert_eq!(text, int.to_string());
        }
    }
    Ok(())
}

/// Documents without floats that are written like integers, which reading makes integers.
fn document() -> impl Strategy<Value = Document> {
    arbitrary::document().prop_filter("YAML has no such float", |document| {
        !document.root().events().any(|event| {
            matches!(event, Event::Float(float) if float.fract() == 0.0 && float.abs() < 1e19)
        })
    })
}

/// Writing and reading again gives the same document.
fn check_round_trip(document: &Document) -> Result<(), TestCaseError> {
    let options = DecodeOptions::default();
    let mut text = Vec::new();
    yaml::write(document.root(), &mut text);
    let again = yaml::decode(&text, &options);
    let again = again.map_err(|issue| TestCaseError::fail(format!("{issue} in {text:?}")))?;
    prop_assert_eq!(again.issues, []);
    prop_assert_eq!(&again.document, document, "{}", String::from_utf8_lossy(&text));
    let mut second = Vec::new();
    yaml::write(again.document.root(), &mut second);
    prop_assert_eq!(second, text);
    Ok(())
}

proptest! {
    #[test]
    fn what_is_written_reads_the_same(document in document()) {
        check_round_trip(&document)?;
    }

    #[test]
    fn json_is_yaml(document in document()) {
        let mut text = Vec::new();
        json::write(document.root(), json::Layout::Pretty, &mut text);
        // YAML has neither these characters nor keys of any length.
        prop_assume!(!text.contains(&0x7F));
        if let Ok(decoded) = yaml::decode(&text, &DecodeOptions::default()) {
            prop_assert_eq!(decoded.document, document);
        }
    }

    #[test]
    fn any_bytes_end_in_documents_or_findings(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes)?;
    }

    #[test]
    fn any_pieces_of_syntax_end_in_documents_or_findings(text in pieces()) {
        check(text.as_bytes())?;
    }

    #[test]
    fn broken_manifests_end_in_documents_or_findings(bytes in mutant()) {
        check(&bytes)?;
    }
}
