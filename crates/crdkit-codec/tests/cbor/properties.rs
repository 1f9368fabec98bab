//! What holds for every value and every input.

use super::hex;
use crdkit_codec::{DecodeError, DecodeOptions, cbor, json};
use crdkit_issue::Span;
use crdkit_value::{Builder, Document, Duplicates, Event, Limits, NodeId};
use proptest::prelude::*;

/// A value, from which a document is made.
#[derive(Clone, Debug)]
enum Tree {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Bytes(Vec<u8>),
    Array(Vec<Tree>),
    Object(std::collections::BTreeMap<Vec<u8>, Tree>),
}

fn trees() -> impl Strategy<Value = Tree> {
    let bytes = prop_oneof![
        "[a-z]{0,9}".prop_map(String::into_bytes),
        "\\PC{0,30}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..6),
    ];
    let int = prop_oneof![any::<i64>(), -300..300_i64];
    let float = any::<f64>().prop_filter("finite", |float| float.is_finite());
    let small = any::<f32>().prop_filter("finite", |float| float.is_finite()).prop_map(f64::from);
    let leaf = prop_oneof![
        Just(Tree::Null),
        any::<bool>().prop_map(Tree::Bool),
        int.prop_map(Tree::Int),
        float.prop_map(Tree::Float),
        small.prop_map(Tree::Float),
        bytes.clone().prop_map(Tree::Bytes),
    ];
    leaf.prop_recursive(5, 60, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Tree::Array),
            prop::collection::btree_map(bytes.clone(), inner, 0..8).prop_map(Tree::Object),
        ]
    })
}

fn build(tree: &Tree) -> Document {
    let limits = Limits::default();
    let mut builder = Builder::new(&limits, Duplicates::Error);
    add(tree, &mut builder);
    let (document, issues) = builder.finish();
    assert!(issues.is_empty());
    document
}

fn add(tree: &Tree, builder: &mut Builder<'_>) {
    let mut event = |event: Event<'_>| builder.event(event, Span::default()).unwrap();
    match tree {
        Tree::Null => event(Event::Null),
        Tree::Bool(bool) => event(Event::Bool(*bool)),
        Tree::Int(int) => event(Event::Int(*int)),
        Tree::Float(float) => event(Event::Float(*float)),
        Tree::Bytes(bytes) => text(bytes, builder, |shown| Event::String(shown)),
        Tree::Array(items) => {
            event(Event::BeginArray);
            for item in items {
                add(item, builder);
            }
            builder.event(Event::EndArray, Span::default()).unwrap();
        }
        Tree::Object(members) => {
            event(Event::BeginObject);
            for (key, member) in members {
                text(key, builder, |shown| Event::Key(shown));
                add(member, builder);
            }
            builder.event(Event::EndObject, Span::default()).unwrap();
        }
    }
}

fn text(bytes: &[u8], builder: &mut Builder<'_>, event: impl Fn(&str) -> Event<'_>) {
    let shown: String = bytes
        .utf8_chunks()
        .flat_map(|chunk| {
            let bad = chunk.invalid().iter().map(|_| '\u{FFFD}');
            chunk.valid().chars().chain(bad).collect::<Vec<_>>()
        })
        .collect();
    builder.event(event(&shown), Span::default()).unwrap();
    if shown.as_bytes() != bytes {
        builder.exact(bytes);
    }
}

fn encode(document: &Document, order: cbor::Order) -> Vec<u8> {
    let mut out = Vec::new();
    cbor::encode(document.root(), order, &mut out).unwrap();
    out
}

fn decode(bytes: &[u8]) -> Result<Document, String> {
    let decoded = cbor::decode(bytes, &DecodeOptions::default());
    decoded.map(|decoded| decoded.document).map_err(|issue| issue.code.name().to_owned())
}

/// The value a reader over chunks builds, or the code it stops at.
fn read_in_chunks(bytes: &[u8], chunk: usize) -> Result<Document, String> {
    let options = DecodeOptions::default();
    let mut reader = cbor::Reader::with_chunk_size(bytes, chunk, &options.limits);
    let mut builder = Builder::new(&options.limits, Duplicates::Error);
    let name = |error| match error {
        DecodeError::Refused(issue) => issue.code.name().to_owned(),
        DecodeError::Io(error) => error.to_string(),
    };
    while let Some((event, span)) = reader.next_event().map_err(name)? {
        builder.event(event, span).map_err(|issue| issue.code.name().to_owned())?;
        if let Some(bytes) = reader.exact() {
            builder.exact(bytes);
        }
    }
    Ok(builder.finish().0)
}

proptest! {
    #[test]
    fn what_was_encoded_decodes_to_the_same_value(tree in trees(), seed: u64) {
        let document = build(&tree);
        let sorted = encode(&document, cbor::Order::Sorted);
        let decoded = decode(&sorted).unwrap();
        prop_assert_eq!(&decoded, &document);
        let by_the_long_way = decode_with_positions(&sorted).unwrap();
        prop_assert!(decoded.root().events().eq(by_the_long_way.root().events()));
        prop_assert_eq!(decoded.n_nodes(), by_the_long_way.n_nodes());
        prop_assert_eq!(hex(&encode(&decoded, cbor::Order::Sorted)), hex(&sorted));
        let rotated = encode(&document, cbor::Order::Rotated(seed));
        prop_assert_eq!(decode(&rotated).unwrap(), document);
        prop_assert_eq!(rotated.len(), sorted.len());
    }

    #[test]
    fn a_changed_document_is_written_as_its_copy(
        tree in trees(),
        added in trees(),
        removed in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
        seed: u64,
    ) {
        let mut document = build(&tree);
        document.insert(NodeId::ROOT, "added", build(&added).root());
        for index in removed {
            let ids: Vec<_> = document.root().ids().collect();
            document.remove(*index.get(&ids));
        }
        let copy = Document::copy_of(document.root());
        for order in [cbor::Order::Sorted, cbor::Order::Rotated(seed)] {
            prop_assert_eq!(hex(&encode(&document, order)), hex(&encode(&copy, order)));
        }
    }

    #[test]
    fn reading_in_chunks_is_reading_at_once(tree in trees()) {
        let document = build(&tree);
        let item = encode(&document, cbor::Order::Sorted);
        for chunk in 1..item.len().min(40) {
            prop_assert_eq!(read_in_chunks(&item, chunk), Ok(document.clone()));
        }
    }

    #[test]
    fn keys_are_in_the_order_of_their_encoding(
        keys in prop::collection::btree_set(("[a-c]{0,9}", 0..320_usize), 0..40),
    ) {
        let keys = keys.into_iter().map(|(key, n)| (key + &"x".repeat(n)).into_bytes());
        let tree = Tree::Object(keys.map(|key| (key, Tree::Null)).collect());
        let out = encode(&build(&tree), cbor::Order::Sorted);
        let decoded = decode(&out).unwrap();
        let written: Vec<_> = decoded.root().members().map(|(key, _)| key).collect();
        prop_assert!(written.is_sorted_by_key(|key| (key.len(), *key)));
    }

    #[test]
    fn json_to_cbor_and_back_says_the_same(tree in trees()) {
        let mut text = Vec::new();
        json::write(build(&tree).root(), json::Layout::Compact, &mut text);
        if let Ok(item) = cbor::from_json(&text) {
            // Whole floats become integers on the first way back, and `-0` becomes `0` on the second.
            let again = |text: &[u8]| cbor::to_json(&cbor::from_json(text).unwrap()).unwrap();
            let second = again(&cbor::to_json(&item).unwrap());
            prop_assert_eq!(again(&second), second);
        }
    }

    #[test]
    fn cbor_to_json_and_back_says_the_same(tree in trees()) {
        let item = encode(&build(&tree), cbor::Order::Sorted);
        let text = cbor::to_json(&item).unwrap();
        // Whole floats become integers and bytes that are not text U+FFFD, both once and for all. Keys that are
        // the same then are one key.
        let again = cbor::from_json(&text).unwrap();
        let second = cbor::to_json(&again).unwrap();
        let third = cbor::to_json(&cbor::from_json(&second).unwrap()).unwrap();
        prop_assert_eq!(String::from_utf8(third).unwrap(), String::from_utf8(second).unwrap());
    }

    #[test]
    fn no_input_is_too_strange(input in prop::collection::vec(any::<u8>(), 0..64)) {
        strange(&input);
    }

    /// Bytes that are mostly heads of short items reach further than any bytes do.
    #[test]
    fn no_nearly_right_input_is_too_strange(
        tree in trees(),
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut input = encode(&build(&tree), cbor::Order::Sorted);
        for (place, byte) in places {
            let place = place.index(input.len());
            input[place] = byte;
        }
        strange(&input);
    }
}

/// The same by the way that keeps positions, which takes no short cut for plain input.
fn decode_with_positions(bytes: &[u8]) -> Result<Document, String> {
    let options = DecodeOptions::new().positions(true);
    let decoded = cbor::decode(bytes, &options);
    decoded.map(|decoded| decoded.document).map_err(|issue| issue.code.name().to_owned())
}

/// Whatever the input is: a verdict, whether positions are kept or not, and the same from a slice and from
/// chunks when it is accepted.
fn strange(input: &[u8]) {
    let whole = decode(input);
    assert_eq!(decode_with_positions(input), whole);
    for chunk in [1, 2, 7] {
        let streamed = read_in_chunks(input, chunk);
        if let Ok(document) = &whole {
            assert_eq!(streamed.as_ref(), Ok(document));
        }
    }
    if let Ok(document) = &whole {
        let item = encode(document, cbor::Order::Sorted);
        assert_eq!(decode(&item), whole);
    }
    let _ = cbor::diag::notation(input);
    let _ = cbor::check_embedded(input);
    let _ = cbor::decode_object(input, &DecodeOptions::default());
    let _ = cbor::decode_list(input, &DecodeOptions::default());
    let _ = cbor::to_json(input);
}
