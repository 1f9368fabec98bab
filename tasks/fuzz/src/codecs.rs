//! Decoders and encoders: whatever is decoded is written, and what was written is read back.

use crate::options;
use crdkit_codec::json::{Documents, Framing, Layout, NumberNotation};
use crdkit_codec::yaml::Documents as yaml_documents;
use crdkit_codec::{DecodeError, Decoded, Format, Style, cbor as binary};
use crdkit_value::Document;

/// JSON, alone and as a stream, in every style.
pub(crate) fn json(bytes: &[u8]) {
    let styles = [
        Style::Compact,
        Style::Pretty,
        Style::Go(Layout::Compact),
        Style::Canonical(NumberNotation::Exact),
    ];
    check(Format::Json, bytes, &styles);
    check(Format::Ndjson, bytes, &[Style::Compact]);
    for framing in [Framing::Concatenated, Framing::Lines] {
        let options = options();
        let whole = Documents::from_slice(bytes, framing, &options).map(told).collect::<Vec<_>>();
        let parts = Documents::from_read(bytes, framing, &options).map(told).collect::<Vec<_>>();
        assert_eq!(whole, parts, "a slice and a reader: {framing:?}");
    }
}

/// YAML.
pub(crate) fn yaml(bytes: &[u8]) {
    check(Format::Yaml, bytes, &[Style::Compact]);
    let options = options();
    let whole = yaml_documents::from_slice(bytes, &options).map(told).collect::<Vec<_>>();
    let parts = yaml_documents::from_read(bytes, &options).map(told).collect::<Vec<_>>();
    assert_eq!(whole, parts, "a slice and a reader");
}

/// A document, or that there is none: what is wrong may be worded by how much was seen.
fn told(outcome: Result<Decoded, DecodeError>) -> Option<Document> {
    outcome.ok().map(|decoded| decoded.document)
}

/// CBOR, alone, as a sequence and mixed with text.
pub(crate) fn cbor(bytes: &[u8]) {
    check(Format::Cbor, bytes, &[Style::Compact]);
    check(Format::CborSeq, bytes, &[Style::Compact]);
    check(Format::Mixed, bytes, &[]);
    let _ = binary::diag::notations(bytes);
    let _ = binary::to_json(bytes);
    let _ = binary::object_kind(bytes, &options());
}

/// Reads `bytes` as one document and as many, with and without positions; what is read is written and read again.
fn check(format: Format, bytes: &[u8], styles: &[Style]) {
    let plain = options();
    let placed = options().positions(true);
    let without = format.decode(bytes, &plain);
    let with = format.decode(bytes, &placed);
    assert_eq!(shown(&without), shown(&with), "positions change nothing but positions");
    for decoded in without.into_iter().chain(format.documents(bytes, &plain).flatten()) {
        for style in styles {
            survives(format, &decoded.document, *style);
        }
        survives(Format::CborSeq, &decoded.document, Style::Compact);
    }
}

/// What both ways of decoding agree on.
fn shown<E>(outcome: &Result<Decoded, E>) -> Option<(&Document, usize)> {
    outcome.as_ref().ok().map(|decoded| (&decoded.document, decoded.issues.len()))
}

fn survives(format: Format, document: &Document, style: Style) {
    let mut written = Vec::new();
    if format.encode(document.root(), 0, style, &mut written).is_err() {
        return;
    }
    let read = format.decode(&written, &crdkit_codec::DecodeOptions::default());
    let read = read.map(|decoded| (decoded.document, decoded.issues.len()));
    let (found, n_issues) = read.as_ref().map_or((None, 0), |(read, n)| (Some(read), *n));
    let text = String::from_utf8_lossy(&written);
    // Go writes large whole numbers of any kind as digits: they are read as other numbers, which are written alike.
    if let (Style::Go(_), Some(found)) = (style, found) {
        let mut again = Vec::new();
        let outcome = format.encode(found.root(), 0, style, &mut again);
        assert_eq!((outcome.ok(), again, n_issues), (Some(()), written, 0));
        return;
    }
    assert_eq!((found, n_issues), (Some(document), 0), "{format:?} {style:?}: {text}");
}
