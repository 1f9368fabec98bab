//! What holds for all JSON input.

use crate::arbitrary;
use crdkit_codec::json::{self, Documents, Framing, Layout, Reader};
use crdkit_codec::{DecodeError, DecodeOptions};
use crdkit_value::{Limits, NumberMode};
use proptest::prelude::*;

const REAL: &str = r#"{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a","labels":{"a/b":"c"},"annotations":{"note":"line\nbreak \u00e9 \ud83d\ude00"}},"spec":{"replicas":3,"ratio":0.25,"big":9223372036854775807,"ports":[{"name":"http","port":80},{"name":"é","port":-1e-3}],"empty":{},"none":null,"flag":true}}"#;

/// All events of a reader, as text, up to and with the finding that ends them.
fn events<S: json::ByteSource>(mut reader: Reader<S>) -> Vec<String> {
    let mut out = Vec::new();
    loop {
        match reader.next_event() {
            Ok(Some((event, span))) => out.push(format!("{event:?} {span:?}")),
            Ok(None) => return out,
            Err(DecodeError::Refused(issue)) => {
                out.push(format!("{issue:?}"));
                return out;
            }
            Err(DecodeError::Io(error)) => panic!("{error}"),
        }
    }
}

fn check_chunks(text: &[u8]) {
    let limits = Limits::default();
    let whole = events(Reader::from_slice(text, &limits, NumberMode::Value));
    for chunk in 1..=text.len().min(40) {
        let reader = Reader::with_chunk_size(text, chunk, &limits, NumberMode::Value);
        assert_eq!(events(reader), whole, "chunks of {chunk}");
    }
    for split in 0..=text.len() {
        let (head, tail) = text.split_at(split);
        let reader = std::io::Read::chain(head, tail);
        let reader = Reader::with_chunk_size(reader, split.max(1), &limits, NumberMode::Value);
        assert_eq!(events(reader), whole, "split at {split}");
    }
}

#[test]
fn chunks_at_every_split_point_give_the_same_events() {
    check_chunks(REAL.as_bytes());
    check_chunks(b"[1.5e3, tru");
    check_chunks(b"{\"a\xff\":\"\\ud83d\\ude0");
    check_chunks(b"");
}

proptest! {
    #[test]
    fn reading_what_was_written_gives_the_same_document(document in arbitrary::document()) {
        for layout in [Layout::Compact, Layout::Pretty] {
            let mut text = Vec::new();
            json::write(document.root(), layout, &mut text);
            let back = json::decode(&text, &DecodeOptions::default()).unwrap();
            prop_assert_eq!(format!("{:?}", &back.document), format!("{:?}", &document));
            prop_assert!(back.issues.is_empty());
        }
    }

    #[test]
    fn any_bytes_give_a_document_or_a_finding_with_a_place(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(issue) = json::decode(&bytes, &DecodeOptions::default()) {
            let span = issue.span.unwrap();
            prop_assert!(span.start <= bytes.len() && span.end <= bytes.len());
        }
    }

    #[test]
    fn a_changed_document_gives_the_same_in_chunks(at in 0..REAL.len(), byte in any::<u8>(), chunk in 1_usize..64) {
        let mut text = REAL.as_bytes().to_vec();
        text[at] = byte;
        let limits = Limits::default();
        let whole = events(Reader::from_slice(&text, &limits, NumberMode::Value));
        let chunked = events(Reader::with_chunk_size(&text[..], chunk, &limits, NumberMode::Value));
        prop_assert_eq!(whole, chunked);
    }

    #[test]
    fn a_changed_document_is_the_same_from_a_slice_and_from_a_stream(at in 0..REAL.len(), byte in any::<u8>()) {
        let mut text = REAL.as_bytes().to_vec();
        text[at] = byte;
        let options = DecodeOptions::new().positions(true);
        let whole = json::decode(&text, &options);
        let streamed = Documents::from_read(&text[..], Framing::Concatenated, &options).next();
        if let (Ok(whole), Some(Ok(streamed))) = (whole, streamed) {
            prop_assert_eq!(format!("{:?}", &whole.document), format!("{:?}", &streamed.document));
            prop_assert_eq!(format!("{:?}", &whole.issues), format!("{:?}", &streamed.issues));
        }
    }

    #[test]
    fn arrays_and_objects_end_as_they_began(objects in prop::collection::vec(any::<bool>(), 1..300), wrong in any::<prop::sample::Index>()) {
        let begins: String = objects.iter().map(|object| if *object { "{\"a\":" } else { "[" }).collect();
        let ends = |wrong: Option<usize>| -> String {
            let kinds = objects.iter().enumerate().rev();
            kinds.map(|(depth, object)| if *object == (Some(depth) != wrong) { '}' } else { ']' }).collect()
        };
        let text = format!("{begins}0{}", ends(None));
        let document = json::decode(text.as_bytes(), &DecodeOptions::default()).unwrap().document;
        let mut out = Vec::new();
        json::write(document.root(), Layout::Compact, &mut out);
        prop_assert_eq!(out, text.as_bytes());
        let depth = wrong.index(objects.len());
        let text = format!("{begins}0{}", ends(Some(depth)));
        let issue = json::decode(text.as_bytes(), &DecodeOptions::default()).unwrap_err();
        prop_assert_eq!(issue.span.map(|span| span.start), Some(text.len() - 1 - depth));
    }

    #[test]
    fn numbers_are_the_nearest_doubles(text in "-?(0|[1-9][0-9]{0,19})\\.[0-9]{1,20}([eE][+-]?[0-9]{1,2})?") {
        let document = json::decode(text.as_bytes(), &DecodeOptions::default()).unwrap().document;
        let expected = text.parse::<f64>().unwrap();
        prop_assert_eq!(document.root().as_f64().map(f64::to_bits), Some(expected.to_bits()));
    }

    #[test]
    fn positions_do_not_change_ids(at in 0..REAL.len(), byte in any::<u8>()) {
        let mut text = REAL.as_bytes().to_vec();
        text[at] = byte;
        let without = json::decode(&text, &DecodeOptions::default());
        let with = json::decode(&text, &DecodeOptions::new().positions(true));
        prop_assert_eq!(without.is_ok(), with.is_ok());
        if let (Ok(without), Ok(with)) = (without, with) {
            prop_assert_eq!(without.document.n_nodes(), with.document.n_nodes());
            for (id, value) in without.document.root().members().map(|(_, value)| (value.id(), value)) {
                prop_assert_eq!(format!("{value:?}"), format!("{:?}", with.document.value(id)));
            }
        }
    }
}
