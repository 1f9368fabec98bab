//! Objects as bytes: what the store holds, what a client gets, and the way between.
//!
//! An object is stored as the JSON it is served as, without its revision: `apiVersion`, `kind` and `metadata` first, so
//! that the place of `resourceVersion` is known without reading, then the rest in order of names. Custom resources can be stored in
//! CBOR instead, as the API server does it; both are read, whichever is written.

use bytes::Bytes;
use crdkit_codec::cbor::{self, Order};
use crdkit_codec::json::Layout;
use crdkit_codec::{DecodeOptions, go_json};
use crdkit_store::{Revision, StoreEntry};
use crdkit_value::{Document, NodeId, Value};

const REVISION: &str = "resourceVersion";

/// How the stored form of objects of a kind begins; what follows are the members of their metadata.
pub(crate) fn prefix(api_version: &str, kind: &str) -> String {
    let (api_version, kind) = (go_json::string(api_version), go_json::string(kind));
    format!("{{\"apiVersion\":{api_version},\"kind\":{kind},\"metadata\":{{")
}

/// The stored form of an object.
pub(crate) fn encode(object: Value<'_>) -> Bytes {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut out = prefix(text("apiVersion"), text("kind")).into_bytes();
    let metadata = object.get("metadata").into_iter().flat_map(Value::members);
    members(metadata.filter(|(key, _)| *key != REVISION).collect(), &mut out);
    out.push(b'}');
    let rest = object.members();
    let rest = rest.filter(|(key, _)| !["apiVersion", "kind", "metadata"].contains(key));
    let rest: Vec<_> = rest.collect();
    if !rest.is_empty() {
        out.push(b',');
        members(rest, &mut out);
    }
    out.push(b'}');
    settled(&out)
}

/// Bytes that stay for long, without the room that was kept while they were written.
fn settled(written: &[u8]) -> Bytes {
    Bytes::copy_from_slice(written)
}

fn members(mut members: Vec<(&str, Value<'_>)>, out: &mut Vec<u8>) {
    members.sort_unstable_by_key(|(key, _)| *key);
    for (at, (key, value)) in members.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(go_json::string(key).as_bytes());
        out.push(b':');
        go_json::write(value, Layout::Compact, out);
    }
}

/// The stored form of an object that is not what is served, so that nobody takes it for that.
pub(crate) fn encode_apart(object: Value<'_>) -> Bytes {
    let served = encode(object);
    let mut out = Vec::with_capacity(served.len() + 1);
    out.extend_from_slice(b"{ ");
    out.extend_from_slice(served.get(1..).unwrap_or_default());
    out.into()
}

/// The stored form of an object in CBOR.
pub(crate) fn encode_cbor(mut object: Document) -> Bytes {
    if let Some(metadata) = object.root().get("metadata").map(Value::id) {
        remove(&mut object, metadata, REVISION);
    }
    let mut out = Vec::new();
    // Objects have no numbers that CBOR has no form for.
    let _ = cbor::encode(object.root(), Order::Sorted, &mut out);
    settled(&out)
}

/// Whether two stored forms are of the same object.
pub(crate) fn is_same(left: &[u8], right: &[u8]) -> bool {
    fn content(value: &[u8]) -> &[u8] {
        let inside = value.strip_prefix(b"{").unwrap_or(value);
        inside.strip_prefix(b" ").unwrap_or(inside)
    }
    content(left) == content(right)
}

/// Appends a stored form that begins with `prefix`, with the revision it was written at.
pub(crate) fn splice(value: &[u8], prefix: usize, revision: Revision, out: &mut Vec<u8>) {
    let (head, tail) = value.split_at_checked(prefix).unwrap_or((value, &[]));
    out.extend_from_slice(head);
    out.extend_from_slice(b"\"resourceVersion\":\"");
    out.extend_from_slice(revision.0.to_string().as_bytes());
    out.push(b'"');
    if tail.first().is_some_and(|byte| *byte != b'}') {
        out.push(b',');
    }
    out.extend_from_slice(tail);
}

/// The object of a stored form, as of a revision. What is not an object was not written here and is empty.
pub(crate) fn decode(value: &[u8], revision: Revision) -> Document {
    let decoded = cbor::decode_stored(value, &DecodeOptions::default());
    let mut document = decoded.map_or_else(|_| Document::object(), |(_, decoded)| decoded.document);
    set_revision(&mut document, revision);
    document
}

/// The type and the metadata of an entry, read without the rest.
pub(crate) fn head(entry: &StoreEntry) -> Document {
    match head_end(&entry.value) {
        Some(end) => {
            let mut text = entry.value.get(..end).unwrap_or_default().to_vec();
            text.push(b'}');
            decode(&text, entry.revision)
        }
        None => object(entry),
    }
}

/// Where the metadata of a stored form ends: it is the first object in it.
fn head_end(value: &[u8]) -> Option<usize> {
    if !value.starts_with(b"{") {
        return None;
    }
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    for (at, byte) in value.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 1 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The object of an entry.
pub(crate) fn object(entry: &StoreEntry) -> Document {
    decode(&entry.value, entry.revision)
}

/// Gives an object the revision it has.
pub(crate) fn set_revision(document: &mut Document, revision: Revision) {
    let metadata = metadata(document);
    document.insert(metadata, REVISION, &revision.to_string());
}

/// The metadata of an object, which is made if there is none.
pub(crate) fn metadata(document: &mut Document) -> NodeId {
    let found = document.root().get("metadata").filter(|it| it.as_object().is_some());
    match found {
        Some(metadata) => metadata.id(),
        None => document
            .insert(NodeId::ROOT, "metadata", crdkit_value::NewValue::EmptyObject)
            .unwrap_or(NodeId::ROOT),
    }
}

/// A text of an object's metadata; empty if there is none.
pub(crate) fn metadata_text<'v>(object: Value<'v>, key: &str) -> &'v str {
    let value = object.get("metadata").and_then(|metadata| metadata.get(key));
    value.and_then(Value::as_str).unwrap_or_default()
}

/// Removes a member of an object, if it is there.
pub(crate) fn remove(document: &mut Document, object: NodeId, key: &str) {
    if let Some(member) = document.value(object).get(key).map(Value::id) {
        document.remove(member);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_revision_is_put_in_without_reading() {
        let text = br#"{"spec":{"b":1,"a":2},"kind":"K","metadata":{"name":"n","resourceVersion":"5"},"apiVersion":"g/v1"}"#;
        let stored = encode(decode(text, Revision(3)).root());
        let expected =
            r#"{"apiVersion":"g/v1","kind":"K","metadata":{"name":"n"},"spec":{"a":2,"b":1}}"#;
        assert_eq!(stored, expected);
        let mut out = Vec::new();
        splice(&stored, prefix("g/v1", "K").len(), Revision(7), &mut out);
        let found = decode(&out, Revision(0));
        assert!(String::from_utf8(out).unwrap().contains(r#"{"resourceVersion":"7","name":"n"}"#));
        assert_eq!(metadata_text(found.root(), "name"), "n");
    }

    #[test]
    fn the_head_is_read_without_the_rest() {
        let text = r#"{"spec":{"b":1},"kind":"K","metadata":{"name":"n","labels":{"a":"}\\\"{"}},"apiVersion":"g/v1"}"#;
        let stored = encode(decode(text.as_bytes(), Revision(3)).root());
        for value in [stored.clone(), encode_apart(decode(&stored, Revision(3)).root())] {
            let entry =
                StoreEntry { key: "k".into(), value, created: Revision(1), revision: Revision(7) };
            let head = head(&entry);
            let labels = head.root().pointer("/metadata/labels/a").and_then(Value::as_str);
            assert_eq!(labels, Some("}\\\"{"));
            assert_eq!(metadata_text(head.root(), "resourceVersion"), "7");
            assert!(head.root().get("spec").is_none());
        }
    }
}
