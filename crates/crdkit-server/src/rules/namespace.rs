//! Namespaces: decoded, labelled with their name, kept alive by a finalizer of their own.

use super::{Accepted, Between, Part, Verdict};
use crate::stored::{metadata, metadata_text, remove};
use crdkit_codec::{DecodeOptions, Decoded};
use crdkit_engine::{Input, RequestOptions};
use crdkit_schema::status::Status;
use crdkit_value::{Document, NewValue, NodeId, Value};

const LABEL: &str = "kubernetes.io/metadata.name";

fn read(input: Input<'_>) -> Result<Document, Box<Status>> {
    let decoded = match input {
        Input::Decoded(decoded) => decoded,
        Input::Bytes(format, bytes) => {
            let refuse = |issue: Box<crdkit_issue::Issue>| {
                Box::new(Status::bad_request(issue.server_message()))
            };
            format.decode(bytes, &DecodeOptions::default()).map_err(refuse)?
        }
    };
    let Decoded { mut document, .. } = decoded;
    document.insert(NodeId::ROOT, "apiVersion", "v1");
    document.insert(NodeId::ROOT, "kind", "Namespace");
    Ok(document)
}

pub(super) fn create(input: Input<'_>, options: &RequestOptions, between: Between<'_>) -> Verdict {
    let mut document = read(input)?;
    let meta = metadata(&mut document);
    if metadata_text(document.root(), "name").is_empty() {
        let prefix = metadata_text(document.root(), "generateName").to_owned();
        document.insert(meta, "name", &format!("{prefix}{}", options.name_suffix));
    }
    label(&mut document);
    between(&mut document)?;
    let meta = metadata(&mut document);
    if let Some(uid) = &options.uid {
        document.insert(meta, "uid", uid);
    }
    if let Some(time) = &options.time {
        let time = crdkit_text::timestamp::Timestamp { nanoseconds: 0, ..*time };
        document.insert(meta, "creationTimestamp", &time.to_string());
    }
    let spec = Document::object().with("finalizers", &Document::array_of(["kubernetes"]));
    document.insert(NodeId::ROOT, "spec", &spec);
    document.insert(NodeId::ROOT, "status", &Document::object().with("phase", "Active"));
    Ok(Accepted { document, warnings: Vec::new() })
}

pub(super) fn update(
    part: Part,
    old: &Document,
    input: Input<'_>,
    _options: &RequestOptions,
    between: Between<'_>,
) -> Verdict {
    let mut document = read(input)?;
    label(&mut document);
    between(&mut document)?;
    let meta = metadata(&mut document);
    for key in ["uid", "creationTimestamp", "deletionTimestamp", "resourceVersion"] {
        if let Some(value) = old.root().get("metadata").and_then(|old| old.get(key)) {
            document.insert(meta, key, value);
        }
    }
    for (key, own) in [("spec", part == Part::Finalize), ("status", part == Part::Status)] {
        if !own {
            match old.root().get(key) {
                Some(value) => {
                    document.insert(NodeId::ROOT, key, value);
                }
                None => remove(&mut document, NodeId::ROOT, key),
            }
        }
    }
    Ok(Accepted { document, warnings: Vec::new() })
}

fn label(document: &mut Document) {
    let meta = metadata(document);
    let name = metadata_text(document.root(), "name").to_owned();
    let labels = document.value(meta).get("labels").filter(|it| it.as_object().is_some());
    let labels = labels.map(Value::id);
    let labels = labels.or_else(|| document.insert(meta, "labels", NewValue::EmptyObject));
    if let Some(labels) = labels {
        document.insert(labels, LABEL, &name);
    }
}
