//! What the proposal for CBOR promises, as far as no other table or property shows it; and that every test which
//! `plan.md` names is there.

use super::{bytes, document, hex};
use crdkit_codec::media::{
    ClientGates, Fallback, MediaType, Offer, PatchOffer, WriteTarget, request_type,
};
use crdkit_codec::{DecodeOptions, Format, cbor};
use std::path::Path;

fn outcome(item: &str) -> String {
    match cbor::decode(&bytes(item), &DecodeOptions::default()) {
        Ok(decoded) => format!("{:?}", decoded.document),
        Err(issue) => issue.code.name().to_owned(),
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test reads the tests")]
fn every_test_of_the_plan_exists() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cbor");
    let requests = tests.join("../../../crdkit-client/tests/it");
    let mut sources = String::new();
    let entries = [&tests, &requests].map(|folder| std::fs::read_dir(folder).unwrap());
    for entry in entries.into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            sources += &std::fs::read_to_string(path).unwrap();
        }
    }
    let plan = std::fs::read_to_string(tests.join("plan.md")).unwrap();
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| Item");
    let rows: Vec<&str> =
        plan.lines().filter(is_row).filter(|line| !line.starts_with("| -")).collect();
    assert_eq!(rows.len(), 32);
    for row in rows {
        let names: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "{row}");
        for name in names {
            assert!(sources.contains(&format!("fn {name}(")), "there is no test `{name}`");
        }
    }
}

#[test]
fn a_key_twice_is_refused_however_it_is_written() {
    for item in [
        "a2 4161 01 4161 02",
        "a2 4161 01 6161 02",
        "a2 4161 01 5f4161ff 02",
        "bf 4161 01 7f6161ff 02 ff",
        "a2 d6 4161 01 4459513d3d 02",
        "a2 4161 01 d9d9f7 4161 02",
        "a1 4162 a2 4161 01 4161 02",
        "81 a3 4162 01 4161 02 4162 03",
        "a2 40 01 40 02",
        "a2 f6 01 40 02",
        "a2 41ff 01 41ff 02",
    ] {
        assert_eq!(outcome(item), "cbor-duplicate-key", "{item}");
    }
    // In any order, at any place, among few and many.
    for n in [2_u8, 3, 8, 31, 32, 33, 64, 200] {
        for (first, second) in [(0, n - 1), (0, 1), (n / 2 - 1, n - 1), (n - 2, n - 1)] {
            let turns = [0, 1, n / 2, n - 1].map(usize::from);
            for (step, turn) in [1_u8, 3, 7].into_iter().flat_map(|step| turns.map(|it| (step, it)))
            {
                let mut keys: Vec<u8> = (0..n).map(|at| at.wrapping_mul(step)).collect();
                keys.rotate_left(turn);
                let item = |keys: &[u8]| {
                    let pairs = keys.iter().flat_map(|key| match key % 3 {
                        0 => vec![0x43, b'k', *key, b'x', 0xF6],
                        _ => vec![0x42, b'k', *key, 0xF6],
                    });
                    [0xB8, n].into_iter().chain(pairs).collect::<Vec<u8>>()
                };
                let code = |keys: &[u8]| {
                    let decoded = cbor::decode(&item(keys), &DecodeOptions::default());
                    decoded.map_or_else(|issue| issue.code.name(), |_| "ok")
                };
                assert_eq!(code(&keys), "ok", "{keys:?}");
                keys[usize::from(second)] = keys[usize::from(first)];
                assert_eq!(code(&keys), "cbor-duplicate-key", "{keys:?}");
            }
        }
    }
}

#[test]
fn text_is_utf8_in_each_of_its_chunks() {
    assert_eq!(outcome("7f 62c3bc ff"), "\"ü\"");
    assert_eq!(outcome("7f 61c3 61bc ff"), "cbor-invalid-utf8");
    assert_eq!(outcome("5f 41c3 41bc ff"), "\"ü\"");
    for text in ["61ff", "62c080", "63eda080", "64f4908080", "a1 61ff 01", "82 01 61c3"] {
        assert_eq!(outcome(text), "cbor-invalid-utf8", "{text}");
    }
}

#[test]
fn tags_leave_nothing_but_plain_values() {
    for (item, value) in [
        ("c0 74323031332d30332d32315432303a30343a30305a", "\"2013-03-21T20:04:00Z\""),
        ("c1 1a514b67b0", "\"2013-03-21T20:04:00Z\""),
        ("c1 fb41d452d9ec200000", "\"2013-03-21T20:04:00.5Z\""),
        ("d5 42fbff", "\"-_8\""),
        ("d6 42fbff", "\"+/8=\""),
        ("d7 42fbff", "\"fbff\""),
        ("d818 4101", "\"\\u0001\""),
        ("d820 6161", "\"a\""),
        ("d9d9f7 d9d9f7 01", "1"),
        ("c2 4101", "cbor-bignum"),
        ("c3 4101", "cbor-bignum"),
    ] {
        assert_eq!(outcome(item), value, "{item}");
    }
}

#[test]
fn absent_null_and_empty_stay_apart() {
    let forms = ["{}", r#"{"a":null}"#, r#"{"a":[]}"#, r#"{"a":{}}"#, r#"{"a":""}"#];
    let items = forms.map(|json| {
        let mut out = Vec::new();
        cbor::write(document(json).root(), cbor::Order::Sorted, &mut out).unwrap();
        let back = cbor::decode(&out, &DecodeOptions::default()).unwrap().document;
        assert_eq!(back, document(json));
        hex(&out)
    });
    assert_eq!(items, ["a0", "a14161f6", "a1416180", "a14161a0", "a1416140"]);
}

#[test]
fn stored_objects_are_told_apart_by_their_prefix() {
    let object = document(r#"{"kind":"K","apiVersion":"v1"}"#);
    let mut stored = Vec::new();
    cbor::encode(object.root(), cbor::Order::Sorted, &mut stored).unwrap();
    assert!(stored.starts_with(&cbor::SELF_DESCRIBED));
    let options = DecodeOptions::default();
    let (format, decoded) = cbor::decode_stored(&stored, &options).unwrap();
    assert_eq!((format, &decoded.document), (Format::Cbor, &object));
    let json = br#"{"kind":"K","apiVersion":"v1"}"#;
    let (format, decoded) = cbor::decode_stored(json, &options).unwrap();
    assert_eq!((format, &decoded.document), (Format::Json, &object));
    // Once it is taken for CBOR it is not tried as anything else, and without the prefix it is not CBOR.
    assert_eq!(
        cbor::decode_stored(&bytes("d9d9f7"), &options).unwrap_err().code.name(),
        "cbor-truncated"
    );
    assert!(cbor::decode_stored(&stored[3..], &options).is_err());
}

#[test]
fn a_list_that_fails_ends_before_the_item_that_failed() {
    let limits = crdkit_value::Limits::default();
    let mut builder = crdkit_value::Builder::new(&limits, crdkit_value::Duplicates::Error);
    builder.event(crdkit_value::Event::Float(f64::NAN), crdkit_issue::Span::default()).unwrap();
    let (nan, _) = builder.finish();
    let mut out = Vec::new();
    let fields = document("{}");
    let mut writer =
        cbor::ListWriter::begin(&mut out, fields.root(), 2, cbor::Order::Sorted).unwrap();
    writer.item(document("1").root()).unwrap();
    assert!(matches!(writer.item(nan.root()), Err(cbor::WriteError::NotFinite(_))));
    drop(writer);
    assert_eq!(hex(&out), "d9d9f7a1456974656d738201");
    assert_eq!(
        cbor::decode(&out, &DecodeOptions::default()).unwrap_err().code.name(),
        "cbor-truncated"
    );
    // A single object that fails leaves its prefix, a value nothing.
    let mut out = Vec::new();
    assert!(cbor::encode(nan.root(), cbor::Order::Sorted, &mut out).is_err());
    assert_eq!(hex(&out), "d9d9f7");
    assert!(cbor::write(nan.root(), cbor::Order::Sorted, &mut out).is_err());
    assert_eq!(hex(&out), "d9d9f7");
}

#[test]
fn every_verb_speaks_cbor() {
    let gates = ClientGates { allow: true, prefer: true };
    let headers = gates.dynamic();
    for offer in [Offer::builtin(true), Offer::custom_resource(true)] {
        // Get, list, create, update, delete, deletecollection and the scale subresource differ in nothing here.
        let request = request_type(&headers.content_type, &offer, false);
        assert_eq!(request.ok(), Some(MediaType::Cbor));
        let response = offer.response(&headers.accept).unwrap();
        assert_eq!(response.content_type(), "application/cbor");
        let watch = offer.watch(&headers.accept).unwrap();
        assert_eq!(watch.content_type(), "application/cbor-seq");
    }
    let patches = PatchOffer::custom_resource(true);
    assert_eq!(patches.patch_type(gates.apply().name()).ok(), Some(gates.apply()));
    // What is sent begins with the prefix, each event of a watch as well as the object in it.
    let mut events = cbor::SequenceWriter::new(Vec::new());
    for kind in ["ADDED", "MODIFIED", "DELETED"] {
        events.event(kind, document(r#"{"kind":"K"}"#).root(), cbor::Order::Rotated(7)).unwrap();
    }
    let sent = hex(&events.into_inner());
    assert_eq!(sent.matches("d9d9f7a2").count(), 3);
    assert_eq!(sent.matches("d9d9f7a1446b696e64414b").count(), 3);
}

#[test]
fn a_server_without_cbor_is_served_in_json() {
    let server = Offer::custom_resource(false);
    let headers = ClientGates { allow: true, prefer: true }.dynamic();
    // Reading works at once, because the client takes JSON as well.
    assert_eq!(server.response(&headers.accept).unwrap().content_type(), "application/json");
    // Writing is refused once, and from then on done in JSON.
    let mut known = Fallback::default();
    let target = WriteTarget::new("POST", "/apis/example.com/v1/namespaces/default/widgets");
    let first = known.choose(&target, &headers.content_type).to_owned();
    assert!(request_type(&first, &server, false).is_err());
    assert!(known.saw(&target, &first, 415, "application/json"));
    let second = known.choose(&target, &headers.content_type);
    assert_eq!(request_type(second, &server, false).ok(), Some(MediaType::Json));
}
