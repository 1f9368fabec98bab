//! Native kinds: the phases of `crdkit-native`, and the few things that are done to their objects on the way to the store.

use super::{Accepted, Between, Part, Refused, Verdict, pod};
use crate::stored;
use crdkit_engine::{Input, Outcome, RequestOptions};
use crdkit_native::{NativeKind, ReadNative};
use crdkit_schema::status::{Status, Subject};
use crdkit_text::base64::Base64;
use crdkit_value::{Document, NodeId, Value};

pub(super) fn create(
    kind: &'static NativeKind,
    input: Input<'_>,
    options: &RequestOptions,
    between: Between<'_>,
) -> Verdict {
    let mut read = kind.read(input, options).map_err(refused)?;
    read.discard_system_fields();
    let mut read = pass(read, between)?;
    if is_namespace(kind) {
        label(read.document_mut(), &options.name_suffix);
    }
    let verdict = verdict(read.create()).map_err(|refused| of_core(kind, refused));
    warn_of_secret(kind, verdict)
}

pub(super) fn update(
    kind: &'static NativeKind,
    part: Part,
    old: &Document,
    input: Input<'_>,
    options: &RequestOptions,
    between: Between<'_>,
) -> Verdict {
    let read = kind.read(input, options).map_err(refused)?;
    let mut read = pass(read, between)?;
    if is_namespace(kind) {
        label(read.document_mut(), "");
    }
    if let Part::Ephemeral | Part::Resources = part {
        return pod::update(kind, part, old, read.document(), options);
    }
    let old = match part {
        Part::Finalize => kind.stored(&with_finalizers_of(old, read.document()), options),
        _ => kind.stored(old, options),
    };
    let verdict = verdict(match part {
        Part::Status => read.update_status(&old),
        _ => read.update(&old),
    });
    warn_of_secret(kind, verdict.map_err(|refused| of_core(kind, refused)))
}

/// Whatever is wrong with an event is wrong with one of the core group, as which it is checked.
#[expect(clippy::unnecessary_box_returns, reason = "what `map_err` gives and wants")]
fn of_core(kind: &NativeKind, mut refused: Box<Refused>) -> Box<Refused> {
    if kind.group == "events.k8s.io"
        && refused.status.code == 422
        && let Some(details) = &refused.status.details
    {
        let subject = Subject { group: "", version: "v1", kind: kind.kind, name: &details.name };
        refused.status = subject.refused(details.causes.clone()).into();
    }
    refused
}

/// Fields of events that the group of their own calls otherwise: here and there.
const EVENT_FIELDS: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// A stored object in the version of a kind.
pub(super) fn read(kind: &NativeKind, mut document: Document) -> Document {
    if kind.group == "events.k8s.io" {
        rename(&mut document, "events.k8s.io/v1", EVENT_FIELDS.iter().copied());
        for key in ["reportingController", "reportingInstance"] {
            let value = document.root().get(key);
            if value.and_then(Value::as_str) == Some("") {
                stored::remove(&mut document, NodeId::ROOT, key);
            }
        }
    }
    document
}

/// An object of a kind in the version that is stored.
pub(super) fn to_storage(kind: &NativeKind, mut document: Document) -> Document {
    if kind.group == "events.k8s.io" {
        rename(&mut document, "v1", EVENT_FIELDS.iter().map(|(core, own)| (*own, *core)));
    }
    document
}

fn rename<'n>(
    document: &mut Document,
    api_version: &str,
    names: impl Iterator<Item = (&'n str, &'n str)>,
) {
    document.insert(NodeId::ROOT, "apiVersion", api_version);
    for (from, to) in names {
        if let Some(member) = document.root().get(from).map(Value::id) {
            document.rename(member, to);
        }
    }
}

fn is_namespace(kind: &NativeKind) -> bool {
    (kind.group, kind.plural) == ("", "namespaces")
}

/// A namespace has its name as a label.
fn label(document: &mut Document, suffix: &str) {
    let metadata = stored::metadata(document);
    let text = |key| stored::metadata_text(document.root(), key).to_owned();
    let name = match (text("name"), text("generateName")) {
        (name, prefix) if name.is_empty() && !prefix.is_empty() && !suffix.is_empty() => {
            let name = format!("{prefix}{suffix}");
            document.insert(metadata, "name", &name);
            name
        }
        (name, _) => name,
    };
    if name.is_empty() {
        return;
    }
    let labels = document.value(metadata).get("labels").filter(|it| it.as_object().is_some());
    let labels = match labels.map(Value::id) {
        Some(labels) => Some(labels),
        None => document.insert(metadata, "labels", crdkit_value::NewValue::EmptyObject),
    };
    if let Some(labels) = labels {
        document.insert(labels, "kubernetes.io/metadata.name", &name);
    }
}

/// The old object with what the new one says about its end, which no other write changes.
fn with_finalizers_of(old: &Document, new: &Document) -> Document {
    let mut document = old.clone();
    let finalizers = new.root().pointer("/spec/finalizers").filter(|it| it.items().len() > 0);
    let spec = match finalizers {
        Some(finalizers) => Document::object().with("finalizers", finalizers),
        None => Document::object(),
    };
    document.insert(NodeId::ROOT, "spec", &spec);
    document
}

fn pass<'r>(
    mut read: ReadNative<'r>,
    between: Between<'_>,
) -> Result<ReadNative<'r>, Box<Refused>> {
    read.show_given();
    between(read.document_mut())?;
    read.hide_given();
    Ok(read)
}

#[expect(
    clippy::needless_pass_by_value,
    clippy::unnecessary_box_returns,
    reason = "what `map_err` gives and wants"
)]
pub(super) fn refused(outcome: Box<Outcome>) -> Box<Refused> {
    let warnings = outcome.warning_texts().collect();
    let undecodable = outcome.undecodable();
    let unknown = || Status::internal_error("refused without a reason");
    let status = Box::new(outcome.status().unwrap_or_else(unknown));
    Box::new(Refused { status, warnings, undecodable })
}

pub(super) fn verdict(outcome: Outcome) -> Verdict {
    if !outcome.is_accepted() {
        return Err(refused(Box::new(outcome)));
    }
    let warnings = outcome.warning_texts().collect();
    Ok(Accepted { document: outcome.into_document(), written: None, warnings })
}

/// What the server says of a secret that is for TLS and has no certificate and key.
fn warn_of_secret(kind: &NativeKind, verdict: Verdict) -> Verdict {
    let mut accepted = verdict?;
    let root = accepted.document.root();
    let is_tls = root.get("type").and_then(Value::as_str) == Some("kubernetes.io/tls");
    if (kind.group, kind.plural) == ("", "secrets") && is_tls {
        let text = |key: &str| {
            let encoded = root.pointer("/data").and_then(|data| data.get(key)?.as_str());
            Base64::Standard.decode(encoded.unwrap_or_default()).unwrap_or_default()
        };
        let is_pem = |bytes: &[u8]| bytes.windows(PEM.len()).any(|window| window == PEM);
        let found = [("certificate", "tls.crt"), ("key", "tls.key")];
        let missing = found.into_iter().find(|(_, key)| !is_pem(&text(key)));
        accepted.warnings.extend(
            missing.map(|(what, _)| format!("tls: failed to find any PEM data in {what} input")),
        );
    }
    Ok(accepted)
}

/// How a part of a PEM file begins.
const PEM: &[u8] = b"-----BEGIN ";
