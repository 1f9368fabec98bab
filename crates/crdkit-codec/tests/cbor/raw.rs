//! Values kept as bytes, what they turn into, and telling formats apart.

use super::{bytes, document, hex};
use crdkit_codec::cbor::{self, FieldsV1, RawExtension, RawFormat, decode_list, decode_object};
use crdkit_codec::{DecodeError, DecodeOptions, Format, Mixed};

/// The JSON and the CBOR of a raw value, or `!` where it has none.
#[track_caller]
fn check_extension(raw: &[u8], format: Option<RawFormat>, json: &str, cbor: &str) {
    let extension = RawExtension::new(raw.to_vec());
    assert_eq!(extension.format(), format);
    let text = extension.to_json().map(|text| String::from_utf8_lossy(&text).into_owned());
    assert_eq!(text.unwrap_or("!".into()), json);
    assert_eq!(extension.to_cbor().map_or("!".into(), |item| hex(&item)), cbor);
}

#[test]
fn an_extension_is_kept_in_its_own_format_and_turned_into_the_other() {
    let (json, cbor) = (Some(RawFormat::Json), Some(RawFormat::Cbor));
    check_extension(
        b"{ \"b\":1.0,\"a\":2}",
        json,
        "{ \"b\":1.0,\"a\":2}",
        "a241610241 62f93c00".replace(' ', "").as_str(),
    );
    check_extension(&bytes("d9d9f7a1 4161f93c00"), cbor, r#"{"a":1}"#, "d9d9f7a14161f93c00");
    check_extension(b"-", json, "-", "!");
    check_extension(&bytes("d9d9f7 f97e00"), cbor, "!", "d9d9f7f97e00");
    check_extension(&bytes("a0"), None, "!", "!");
    check_extension(b"", None, "!", "!");
    check_extension(&bytes("30"), json, "0", "00");
}

#[test]
fn an_extension_takes_what_it_is_given() {
    assert_eq!(RawExtension::from_cbor(&bytes("a0")).raw(), Some(&bytes("d9d9f7a0")[..]));
    assert_eq!(RawExtension::from_cbor(&bytes("d9d9f7a0")).raw(), Some(&bytes("d9d9f7a0")[..]));
    assert_eq!(RawExtension::from_cbor(&bytes("f6")).raw(), None);
    assert_eq!(RawExtension::from_json(b"null").raw(), None);
    assert_eq!(RawExtension::from_json(b" 1").raw(), Some(&b" 1"[..]));
    assert_eq!(&*RawExtension::default().to_json().unwrap(), b"null");
    let named = RawExtension::with_format(bytes("a14161f6"), RawFormat::Cbor);
    assert_eq!(&*named.to_json().unwrap(), br#"{"a":null}"#);
    let mut raw = RawExtension::new(bytes("d9d9f7a0"));
    raw.make_json().unwrap();
    assert_eq!(raw.raw(), Some(&b"{}"[..]));
    let options = DecodeOptions::default();
    assert_eq!(raw.document(&options).unwrap(), document("{}"));
}

#[test]
fn fields_are_an_object_or_null() {
    let cbor = |raw: &[u8]| FieldsV1::new(raw.to_vec()).to_cbor().map(|item| hex(&item)).ok();
    let json = |raw: &[u8]| {
        let fields = FieldsV1::new(raw.to_vec());
        fields.to_json().map(|text| String::from_utf8(text.into_owned()).unwrap()).ok()
    };
    assert_eq!(cbor(br#"{"f:a":{}}"#).as_deref(), Some("a143663a61a0"));
    assert_eq!(cbor(b" null").as_deref(), Some("f6"));
    assert_eq!(cbor(b"nothing"), None);
    assert_eq!(cbor(b"").as_deref(), Some("f6"));
    assert_eq!(json(&bytes("a143663a61a0")).as_deref(), Some(r#"{"f:a":{}}"#));
    assert_eq!(json(&bytes("d9d9f7 f6")).as_deref(), Some("null"));
    assert_eq!(json(&bytes("d9d9f7 01")), None);
    assert_eq!(json(b"").as_deref(), Some("null"));
}

#[test]
fn cbor_is_taken_over_only_with_definite_lengths_and_right_tags() {
    assert!(cbor::check_embedded(&bytes("a2 4161 f97e00 4161 61ff")).is_ok());
    for refused in ["9fff", "5fff", "a14161", "0000", "c04161", "c16161", "c201", ""] {
        assert!(cbor::check_embedded(&bytes(refused)).is_err(), "{refused}");
    }
}

#[test]
fn json_and_cbor_turn_into_one_another() {
    let there = |json: &str| cbor::from_json(json.as_bytes()).map(|item| hex(&item)).ok();
    assert_eq!(
        there("[1,1.0,-0,1e3,18446744073709551615]").as_deref(),
        Some("8501f93c0000f963d0fa5f800000")
    );
    assert_eq!(there(r#"{"a":1,"a":2}"#).as_deref(), Some("a1416102"));
    assert_eq!(there(r#""\ud800""#).as_deref(), Some("43efbfbd"));
    assert_eq!(there("1e999"), None);
    assert_eq!(there("{} x"), None);
    let back = |hex: &str| String::from_utf8(cbor::to_json(&bytes(hex)).unwrap()).unwrap();
    assert_eq!(back("a2 4162 f93c00 426161 f98000"), r#"{"aa":-0,"b":1}"#);
    assert_eq!(
        back("83 fb444b1ae4d6e2ef50 fb3e7ad7f29abcaf48 f90001"),
        "[1e+21,1e-7,5.960464477539063e-8]"
    );
    assert_eq!(back("46 3c3e26 22 5c 7f"), r#""\u003c\u003e\u0026\"\\"#.to_owned() + "\u{7f}\"");
    assert_eq!(back("47 e280a8 e280a9 08"), r#""\u2028\u2029\b""#);
    assert_eq!(back("a2 41ff 01 41fe 02"), r#"{"\ufffd":2,"\ufffd":1}"#);
}

#[test]
fn stored_objects_are_told_apart_by_how_they_begin() {
    let options = DecodeOptions::default();
    assert_eq!(cbor::decode_stored(b"{}", &options).unwrap().0, Format::Json);
    assert_eq!(cbor::decode_stored(&bytes("d9d9f7a0"), &options).unwrap().0, Format::Cbor);
    assert!(cbor::decode_stored(&bytes("a0"), &options).is_err());
}

#[test]
fn json_and_cbor_may_follow_one_another() {
    let input = [
        &b"{\"a\": 1}\n"[..],
        &bytes("d9d9f7 a1 4161 02 d9d9f7 03"),
        b" [4]",
        &bytes("d9d9f7 a1 61"),
    ]
    .concat();
    let options = DecodeOptions::default();
    let mut mixed = Mixed::from_slice(&input, &options);
    let mut next = || match mixed.next() {
        Some(Ok((format, decoded))) => format!("{format:?} {:?}", decoded.document),
        Some(Err(DecodeError::Refused(issue))) => {
            format!("{} {}", issue.code, issue.span.unwrap().start)
        }
        Some(Err(DecodeError::Io(error))) => error.to_string(),
        None => "nothing".into(),
    };
    assert_eq!(next(), r#"Json {"a": , 1}"#.replace(" ,", ""));
    assert_eq!(next(), r#"Cbor {"a": , 2}"#.replace(" ,", ""));
    assert_eq!(next(), "Cbor 3");
    assert_eq!(next(), "Json [4]");
    assert_eq!(next(), format!("cbor-truncated {}", input.len()));
    assert_eq!(next(), "nothing");
}

#[test]
fn documents_of_all_formats_may_follow_one_another() {
    let input = [
        &b"a: 1\n---\n{b: 2}\n"[..],
        &bytes("d9d9f7 a1 4163 03"),
        b"\n {\"d\": 4}\n--- [5]\n---\ne: 6\n",
        &bytes("d9d9f7 07"),
        b"\n\n",
        &bytes("d9d9f7 08"),
        b"f: [",
        &bytes("d9d9f7 09"),
    ]
    .concat();
    let options = DecodeOptions::default();
    let documents: Vec<String> = Mixed::from_slice(&input, &options)
        .map(|outcome| match outcome {
            Ok((format, decoded)) => format!("{format:?} {:?}", decoded.document),
            Err(DecodeError::Refused(issue)) => issue.code.to_string(),
            Err(DecodeError::Io(error)) => error.to_string(),
        })
        .collect();
    assert_eq!(
        documents,
        [
            r#"Yaml {"a": 1}"#,
            r#"Yaml {"b": 2}"#,
            r#"Cbor {"c": 3}"#,
            r#"Json {"d": 4}"#,
            "Yaml [5]",
            r#"Yaml {"e": 6}"#,
            "Cbor 7",
            "Cbor 8",
            "yaml-syntax",
            "not-read",
        ]
    );
    // Places are those in the whole stream.
    let options = options.positions(true);
    for outcome in Mixed::from_slice(&input, &options).take(8) {
        let document = outcome.unwrap().1.document;
        let Some((key, member)) = document.root().members().next() else { continue };
        let place = document.place(member.id()).unwrap();
        let written = &input[place.key.unwrap().start..place.value.end];
        assert!(String::from_utf8_lossy(written).contains(key), "{written:02x?}");
    }
}

#[test]
fn an_object_says_what_it_is() {
    let decode = |hex: &str| match decode_object(&bytes(hex), &DecodeOptions::default()) {
        Ok(object) => format!("{}/{} {}", object.kind.group, object.kind.version, object.kind.kind),
        Err(error) => format!("{:?} {}", error.kind.map(|kind| kind.kind), error.issue.code),
    };
    let (kind, version) = ("446b696e64 414b", "4a61706956657273696f6e 44672f7631");
    assert_eq!(decode(&format!("a2 {kind} {version}")), "g/v1 K");
    assert_eq!(decode(&format!("a1 {kind}")), r#"Some("K") missing-api-version"#);
    assert_eq!(decode(&format!("a1 {version}")), r#"Some("") missing-kind"#);
    assert_eq!(decode("f6"), r#"Some("") missing-kind"#);
    assert_eq!(decode("80"), "None cbor-type");
    assert_eq!(decode(&format!("a3 {kind} {version} 4161 f7")), r#"Some("K") cbor-simple-value"#);
    assert_eq!(decode(&format!("a3 {kind} {version} f5 01")), "None cbor-key-type");
    assert_eq!(decode(&format!("a2 {kind} {kind}")), "None cbor-duplicate-key");
}

#[test]
fn items_of_a_list_take_their_kind_from_the_list() {
    let encode = |json: &str| {
        let mut out = Vec::new();
        cbor::encode(document(json).root(), cbor::Order::Sorted, &mut out).unwrap();
        out
    };
    let options = DecodeOptions::default();
    let list = encode(
        r#"{"kind":"KList","apiVersion":"g/v1","items":[{},{"kind":"Z","apiVersion":"v2"}]}"#,
    );
    let list = decode_list(&list, &options).unwrap().document;
    let expected = r#"{"kind":"KList","apiVersion":"g/v1","items":[{"kind":"K","apiVersion":"g/v1"},{"kind":"Z","apiVersion":"v2"}]}"#;
    assert_eq!(list, document(expected));
    let code = |json: &str| decode_list(&encode(json), &options).unwrap_err().issue.code.name();
    assert_eq!(code(r#"{"kind":"KList","apiVersion":"v1","items":null}"#), "list-items");
    assert_eq!(code(r#"{"kind":"KList","apiVersion":"v1","items":[1]}"#), "list-item");
    assert_eq!(code(r#"{"kind":"List","apiVersion":"v1","items":[{}]}"#), "missing-kind");
    assert_eq!(code(r#"{"kind":"KList","items":[{}]}"#), "missing-api-version");
}
