//! What holds for every input of a schema: presence, round trips, canonical text.

use crate::arbitrary::{Choices, arbitrary_node, import_options, instance, spoiled};
use crdkit_structure::{
    Codecs, Decoded, DefaultMode, ExportOptions, ParseOptions, Schema, Unknown, document_of,
};
use crdkit_value::{Document, Value};
use proptest::prelude::*;

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
    #![proptest_config(ProptestConfig { max_global_rejects: 20_000, ..ProptestConfig::with_cases(1_000) })]

    // Proves REQ-143, REQ-160, REQ-173.
    #[test]
    fn a_round_trip_keeps_what_the_input_had(
        node in arbitrary_node(),
        options in proptest::collection::vec(any::<u8>(), 20),
        choices in proptest::collection::vec(any::<u8>(), 64),
    ) {
        let mut choices = Choices(choices.into_iter());
        let options = import_options(&mut Choices(options.into_iter()));
        let schema = node.build(&options).unwrap().schema.with_codecs(Codecs::standard());
        let settings = schema.compiled().settings().clone();
        let written = schema.to_json_schema(&ExportOptions::new());
        let input = instance(written.root(), &mut choices);
        let input = spoiled(input, &mut choices);
        let parsed = schema.parse(&input, &ParseOptions::new());
        prop_assume!(parsed.is_valid());
        let value = parsed.into_result().unwrap();
        let gathers = matches!(settings.unknown, Unknown::Passthrough { .. });
        let keeps = settings.unknown != Unknown::Prune;

        // Presence is the set of places of the input.
        if !gathers {
            let mut expected = Vec::new();
            pointers(input.root(), "", &mut expected);
            expected.sort();
            let mut seen: Vec<_> =
                value.presence.iter().filter(|(_, it)| it.is_seen()).map(|(path, _)| path.pointer()).collect();
            seen.sort();
            prop_assert_eq!(seen, expected);
        }

        // Preserving gives the input back, and canonical text does not depend on the way there.
        let preserved = schema.encode_preserving(&value).unwrap();
        let preserved = document_of(std::str::from_utf8(&preserved).unwrap());
        if keeps {
            prop_assert_eq!(&preserved, &input, "{}\n{:?}", written, settings);
        }
        // Defaults that are not filled in may make a value something that the schema does not ask for.
        let canonical = schema.encode_canonical(&value.value);
        prop_assume!(canonical.is_ok() || settings.defaults == DefaultMode::Apply);
        let canonical = canonical.unwrap();
        let again = decode(&schema, &preserved);
        prop_assert_eq!(&schema.encode_canonical(&again.value).unwrap(), &canonical);

        // Canonical text is a fixed point, and needs no defaults any more.
        let read = document_of(std::str::from_utf8(&canonical).unwrap());
        let fixed = decode(&schema, &read);
        prop_assert_eq!(fixed.presence.counts().default_applied, 0);
        prop_assert_eq!(schema.encode_canonical(&fixed.value).unwrap(), canonical);
    }

    #[test]
    fn pruning_and_filling_in_need_no_second_look(
        node in arbitrary_node(),
        options in proptest::collection::vec(any::<u8>(), 20),
        choices in proptest::collection::vec(any::<u8>(), 64),
    ) {
        let mut choices = Choices(choices.into_iter());
        let options = import_options(&mut Choices(options.into_iter()));
        let options = options.unknown(Unknown::Prune).defaults(DefaultMode::Apply);
        let schema = node.build(&options).unwrap().schema;
        let written = schema.to_json_schema(&ExportOptions::new());
        let input = instance(written.root(), &mut choices);
        let input = spoiled(input, &mut choices);
        let once = schema.parse(&input, &ParseOptions::new());
        let twice = schema.parse(&once.value, &ParseOptions::new());
        prop_assert_eq!(&twice.value, &once.value, "{}\n{}", written, input);
        prop_assert_eq!(twice.presence.counts().pruned, 0);
        prop_assert_eq!(twice.presence.counts().default_applied, 0);
    }
}
