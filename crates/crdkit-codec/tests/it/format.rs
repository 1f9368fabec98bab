//! Formats behind their one interface: told apart, written and read back.

use crdkit_codec::json::{Layout, NumberNotation};
use crdkit_codec::media::MediaType;
use crdkit_codec::{DecodeError, DecodeOptions, EncodeError, Format, Style, json};
use std::path::Path;

#[test]
fn names_and_contents_tell_formats_apart() {
    for (name, format) in [
        ("a.json", Some(Format::Json)),
        ("a.b/c.YML", Some(Format::Yaml)),
        ("a.yaml", Some(Format::Yaml)),
        ("a.jsonl", Some(Format::Ndjson)),
        ("a.cbor", Some(Format::Cbor)),
        ("a.cborseq", Some(Format::CborSeq)),
        ("json", None),
        ("a.txt", None),
    ] {
        assert_eq!(Format::of_name(Path::new(name)), format, "{name}");
    }
    for (bytes, format) in [
        (&b" \n{"[..], Format::Json),
        (b"", Format::Yaml),
        (b"[1]", Format::Yaml),
        (b"a: 1", Format::Yaml),
        (b"\xa0", Format::Yaml),
        (b"\xd9\xd9\xf7\xa0", Format::CborSeq),
        (b"{}\xd9\xd9\xf7\xa0", Format::Mixed),
    ] {
        assert_eq!(Format::of_bytes(bytes), format, "{bytes:02x?}");
    }
    assert_eq!(Format::detect(Path::new("a.yaml"), b"{}"), Format::Yaml);
    assert_eq!(Format::detect(Path::new("a"), b"{}"), Format::Json);
}

#[test]
fn media_types_name_formats() {
    for format in [Format::Json, Format::Ndjson, Format::Yaml, Format::Cbor, Format::CborSeq] {
        assert_eq!(Format::of_media_type(format.media_type().unwrap()), Some(format));
    }
    for (header, format) in [
        ("Application/JSON; charset=utf-8", Some(Format::Json)),
        ("application/vnd.kubernetes.protobuf", None),
        ("", None),
    ] {
        assert_eq!(Format::of_media_type(header), format, "{header}");
    }
    assert_eq!(MediaType::Cbor.format(), Some(Format::Cbor));
    assert_eq!(MediaType::Protobuf.format(), None);
}

const DOCUMENT: &str = r#"{"b":[1,2.0,"<\u0001>"],"a":{},"é":null}"#;

#[test]
fn what_is_encoded_is_decoded_again() {
    let options = DecodeOptions::default();
    let document = json::decode(DOCUMENT.as_bytes(), &options).unwrap().document;
    for format in [Format::Json, Format::Ndjson, Format::Yaml, Format::CborSeq] {
        for style in [Style::Compact, Style::Pretty, Style::Go(Layout::Pretty)] {
            let mut out = Vec::new();
            for index in 0..3 {
                format.encode(document.root(), index, style, &mut out).unwrap();
            }
            let documents = format.documents(&out, &options).map(|it| it.unwrap().document);
            assert!(documents.eq([&document; 3].map(Clone::clone)), "{format:?} {style:?}");
            out.clear();
            format.encode(document.root(), 0, style, &mut out).unwrap();
            assert_eq!(format.decode(&out, &options).unwrap().document, document);
        }
    }
    let mut out = Vec::new();
    Format::Cbor.encode(document.root(), 0, Style::Compact, &mut out).unwrap();
    let second = Format::Cbor.encode(document.root(), 1, Style::Compact, &mut out);
    assert!(matches!(second, Err(EncodeError::NotTheOnly)));
    assert_eq!(Format::of_bytes(&out), Format::CborSeq);
}

#[test]
fn styles_of_json_differ() {
    let document = json::decode(DOCUMENT.as_bytes(), &DecodeOptions::default()).unwrap().document;
    let encode = |format: Format, style| {
        let mut out = Vec::new();
        format.encode(document.root(), 0, style, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    assert_eq!(encode(Format::Json, Style::Compact), DOCUMENT.to_owned() + "\n");
    assert_eq!(encode(Format::Ndjson, Style::Pretty), DOCUMENT.to_owned() + "\n");
    let go = r#"{"a":{},"b":[1,2,"\u003c\u0001\u003e"],"é":null}"#;
    assert_eq!(encode(Format::Json, Style::Go(Layout::Compact)), format!("{go}\n"));
    let canonical = r#"{"a":{},"b":[1,2,"<\u0001>"],"é":null}"#;
    assert_eq!(
        encode(Format::Json, Style::Canonical(NumberNotation::Exact)),
        format!("{canonical}\n")
    );
    let pretty = "{\n  \"a\": {},\n  \"b\": [\n    1,\n    2,\n    \"\\u003c\\u0001\\u003e\"\n  ],\n  \"é\": null\n}\n";
    assert_eq!(encode(Format::Json, Style::Go(Layout::Pretty)), pretty);
}

#[test]
fn what_an_error_keeps_from_being_read_is_said() {
    let codes = |format: Format, bytes: &[u8]| {
        let options = DecodeOptions::default();
        let show = |outcome| match outcome {
            Ok(_) => "document".to_owned(),
            Err(DecodeError::Refused(issue)) => {
                format!("{} {}", issue.code, issue.span.map_or(0, |span| span.start))
            }
            Err(DecodeError::Io(error)) => error.to_string(),
        };
        format.documents(bytes, &options).map(show).collect::<Vec<_>>()
    };
    assert_eq!(
        codes(Format::CborSeq, b"\x01\x1c\x02"),
        ["document", "cbor-reserved-argument 1", "not-read 2"]
    );
    assert_eq!(codes(Format::CborSeq, b"\x01\x1c"), ["document", "cbor-reserved-argument 1"]);
    assert_eq!(codes(Format::Mixed, b"a: [\xd9\xd9\xf7\x01"), ["yaml-syntax 4", "not-read 4"]);
    assert_eq!(codes(Format::Mixed, b"\xd9\xd9\xf7\x01 a: ["), ["document", "yaml-syntax 9"]);
}
