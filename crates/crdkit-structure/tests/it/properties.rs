//! What holds for every input of a schema: presence, round trips, canonical text.

use crdkit_structure::build::{Node, array, boolean, integer, map, object, string};
use crdkit_structure::{
    Decoded, DefaultMode, ImportOptions, ParseOptions, Schema, Unknown, document_of,
};
use crdkit_value::{Document, NodeId, Value};
use proptest::prelude::*;

/// A schema with some members; some have defaults, some allow null.
pub(crate) fn arbitrary_node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        Just(string()),
        Just(integer()),
        Just(boolean()),
        Just(string().nullable()),
        Just(integer().nullable()),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(array),
            inner.clone().prop_map(map),
            proptest::collection::vec((inner, any::<bool>()), 0..4).prop_map(|members| {
                let mut whole = object();
                for (name, (node, with_default)) in ["a", "b", "c", "d"].into_iter().zip(members) {
                    whole = match (with_default, default_for(&node)) {
                        (true, Some(default)) => whole.with_default(name, node, &default),
                        _ => whole.optional(name, node),
                    };
                }
                Node::from(whole)
            }),
        ]
    })
}

/// Something that the schema takes.
fn default_for(node: &Node) -> Option<Document> {
    let schema = node.clone().build(&ImportOptions::new()).ok()?.schema;
    ["\"x\"", "1", "true", "[]", "{}"]
        .into_iter()
        .map(document_of)
        .find(|candidate| schema.is_valid(candidate.root()))
}

/// A value that fits the schema document, with some members left out, some unknown, some null.
pub(crate) fn instance(schema: Value<'_>, choices: &mut impl Iterator<Item = u8>) -> Document {
    let mut choice = |n: u8| choices.next().unwrap_or(0) % n;
    let pick = |texts: &[&str], at: u8| {
        document_of(texts.get(usize::from(at)).copied().unwrap_or_default())
    };
    let types = schema.get("type");
    let nullable = types.is_some_and(|types| types.as_array().is_some());
    let name =
        types.and_then(|types| types.as_str().or_else(|| types.at(0)?.as_str())).unwrap_or("");
    if nullable && choice(3) == 0 {
        return Document::null();
    }
    match name {
        "string" => pick(&["\"\"", "\"ü\"", "\"a/b~\""], choice(3)),
        "integer" => pick(&["0", "-5", "9007199254740993"], choice(3)),
        "boolean" => pick(&["true", "false"], choice(2)),
        "array" => {
            let mut list = Document::array();
            for _ in 0..choice(3) {
                let item = instance(schema.get("items").unwrap(), choices);
                list.push(NodeId::ROOT, item.root());
            }
            list
        }
        _ => {
            let mut whole = Document::object();
            if let Some(values) = schema.get("additionalProperties") {
                for key in ["", "k"] {
                    if choices.next().unwrap_or(0).is_multiple_of(2) {
                        let entry = instance(values, choices);
                        whole.insert(NodeId::ROOT, key, entry.root());
                    }
                }
                return whole;
            }
            if choice(3) == 0 && schema.get("properties").is_some() {
                let extra = document_of(r#"{"n": null, "e": [], "o": {}}"#);
                whole.insert(NodeId::ROOT, "zz", extra.root());
            }
            for (key, member) in schema.get("properties").map(Value::members).into_iter().flatten()
            {
                if choices.next().unwrap_or(0).is_multiple_of(2) {
                    let value = instance(member, choices);
                    whole.insert(NodeId::ROOT, key, value.root());
                }
            }
            whole
        }
    }
}

fn decode(schema: &Schema, document: &Document) -> Decoded<Document> {
    let parsed = schema.parse(document, &ParseOptions::new());
    parsed.into_result().unwrap_or_else(|issues| panic!("{document:?}: {issues}"))
}

/// The places of a document, found independently of presence.
fn pointers(value: Value<'_>, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    for (key, member) in value.members() {
        pointers(member, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), out);
    }
    for (index, item) in value.items().enumerate() {
        pointers(item, &format!("{at}/{index}"), out);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    // Proves REQ-143, REQ-160, REQ-173.
    #[test]
    fn a_round_trip_keeps_what_the_input_had(
        node in arbitrary_node(),
        choices in proptest::collection::vec(any::<u8>(), 64),
        mode in 0..3_usize,
    ) {
        let mode = match mode {
            0 => DefaultMode::Apply,
            1 => DefaultMode::Annotate,
            _ => DefaultMode::Ignore,
        };
        let options = ImportOptions::new().defaults(mode).unknown(Unknown::Preserve);
        let schema = node.build(&options).unwrap().schema;
        let written = schema.to_json_schema(&crdkit_structure::ExportOptions::new());
        let input = instance(written.root(), &mut choices.into_iter());
        let value = decode(&schema, &input);

        // Presence is the set of places of the input.
        let mut expected = Vec::new();
        pointers(input.root(), "", &mut expected);
        expected.sort();
        let mut seen: Vec<_> =
            value.presence.iter().filter(|(_, it)| it.is_seen()).map(|(path, _)| path.pointer()).collect();
        seen.sort();
        prop_assert_eq!(seen, expected);

        // Preserving gives the input back, and canonical text does not depend on the way there.
        let preserved = schema.encode_preserving(&value).unwrap();
        let preserved = document_of(std::str::from_utf8(&preserved).unwrap());
        prop_assert_eq!(&preserved, &input);
        let canonical = schema.encode_canonical(&value.value).unwrap();
        let again = decode(&schema, &preserved);
        prop_assert_eq!(&schema.encode_canonical(&again.value).unwrap(), &canonical);

        // Canonical text is a fixed point, and needs no defaults any more.
        let read = document_of(std::str::from_utf8(&canonical).unwrap());
        let fixed = decode(&schema, &read);
        prop_assert_eq!(&fixed.value, &read);
        prop_assert_eq!(fixed.presence.counts().default_applied, 0);
        prop_assert_eq!(schema.encode_canonical(&fixed.value).unwrap(), canonical);
    }

    #[test]
    fn pruning_and_filling_in_need_no_second_look(
        node in arbitrary_node(),
        choices in proptest::collection::vec(any::<u8>(), 64),
    ) {
        let schema = node.build(&ImportOptions::new().defaults(DefaultMode::Apply)).unwrap().schema;
        let written = schema.to_json_schema(&crdkit_structure::ExportOptions::new());
        let input = instance(written.root(), &mut choices.into_iter());
        let once = decode(&schema, &input);
        let twice = decode(&schema, &once.value);
        prop_assert_eq!(&twice.value, &once.value);
        prop_assert_eq!(twice.presence.counts().pruned, 0);
        prop_assert_eq!(twice.presence.counts().default_applied, 0);
    }
}
