//! Kinds that come with Kubernetes, and protobuf: one verdict whatever the format, and what was stored is stored again
//! unchanged.

use crate::{documents, options};
use crdkit_codec::{DecodeOptions, Format, Style};
use crdkit_engine::{Outcome, RequestOptions};
use crdkit_native::{NativeKinds, protobuf as wire};
use crdkit_text::kind::GroupVersion;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Value};

/// An object of a native kind, and one that replaces it.
pub(crate) fn native(bytes: &[u8]) {
    let mut documents = documents(bytes).into_iter();
    let Some(object) = documents.next() else { return };
    let new = documents.next().unwrap_or_else(|| object.clone());
    let text = |key| object.document.root().get(key).and_then(Value::as_str).unwrap_or_default();
    let Some(GroupVersion { group, version }) = GroupVersion::parse(text("apiVersion")) else {
        return;
    };
    let Some(kind) = NativeKinds::latest().find(group, version, text("kind")) else { return };
    let options = RequestOptions::default();
    let created = kind.create(object.clone(), &options);
    let told = |outcome: &Outcome| outcome.status().map(|it| (it.code, it.reason));
    for format in [Format::Json, Format::Cbor] {
        let (mut bytes, root) = (Vec::new(), object.document.root());
        if format.encode(root, 0, Style::Compact, &mut bytes).is_err() {
            continue;
        }
        let Ok(again) = format.decode(&bytes, &DecodeOptions::default()) else { continue };
        if again.document.root().is_identical(root) && object.issues.is_empty() {
            let verdict = kind.create(again, &options);
            assert_eq!(told(&verdict), told(&created), "{format:?} makes no difference");
        }
    }
    assert_eq!(created.is_accepted(), created.status().is_none());
    if !created.is_accepted() {
        return;
    }
    let stored = Document::copy_of(created.document().root());
    let now = Timestamp { seconds: 1_700_000_000, nanoseconds: 0, offset: 0 };
    let _ = kind.row(stored.root(), now);
    let same = kind.update(&stored, stored.clone(), &options);
    assert!(!same.is_accepted() || *same.document() == stored, "an update with nothing new");
    let _ = kind.update(&stored, new.clone(), &options).status();
    let _ = kind.update_status(&stored, new, &options).status();
    if let Ok(body) = wire::encode(stored.root()) {
        let read = wire::decode(&body, &crate::options().limits);
        assert!(read.is_ok(), "what is stored is read back: {:?}", read.err());
    }
}

/// A body in protobuf: what is read is written, and what was written is read back.
pub(crate) fn protobuf(bytes: &[u8]) {
    let limits = options().limits;
    let Ok(document) = wire::decode(bytes, &limits) else { return };
    let Ok(body) = wire::encode(document.root()) else { return };
    let again = wire::decode(&body, &limits).map_err(|error| error.to_string());
    let _ = wire::encode_event("ADDED", document.root());
    let written = again.as_ref().map(|it| wire::encode(it.root()).map_err(|it| it.to_string()));
    assert_eq!(written, Ok(Ok(body)), "what was written is read and written again unchanged");
}
