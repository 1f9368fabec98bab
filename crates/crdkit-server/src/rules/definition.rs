//! CRDs themselves, as objects that are written: decoded, filled in, checked.
//!
//! What follows from a CRD, its conditions and what is served, is the business of `crds`.

use super::normalise;
use super::{Accepted, Between, Part, Refused, Verdict};
use crate::stored::{metadata, metadata_text, remove};
use crdkit_codec::{DecodeOptions, Decoded};
use crdkit_engine::{FieldValidation, Input, RequestOptions};
use crdkit_issue::Issue;
use crdkit_schema::check;
use crdkit_schema::read;
use crdkit_schema::status::{self, Status, Subject};
use crdkit_value::{Document, Duplicates, NewValue, NodeId, Value};

const GROUP: &str = "apiextensions.k8s.io";
const KIND: &str = "CustomResourceDefinition";
/// The version of Kubernetes whose formats are known.
const MINOR: u32 = 37;

pub(super) fn create(input: Input<'_>, options: &RequestOptions, between: Between<'_>) -> Verdict {
    let (mut document, mut warnings) = read(input, options)?;
    let meta = metadata(&mut document);
    for key in [
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "selfLink",
        "generation",
        "namespace",
    ] {
        remove(&mut document, meta, key);
    }
    fill_in(&mut document);
    remove(&mut document, NodeId::ROOT, "status");
    let refuse = |status, warnings| Box::new(Refused { status, warnings, undecodable: None });
    if let Err(status) = between(&mut document) {
        return Err(refuse(status, warnings));
    }
    let meta = metadata(&mut document);
    if let Some(uid) = &options.uid {
        document.insert(meta, "uid", uid);
    }
    if let Some(time) = &options.time {
        let time = crdkit_text::timestamp::Timestamp { nanoseconds: 0, ..*time };
        document.insert(meta, "creationTimestamp", &time.to_string());
    }
    let prefix = metadata_text(document.root(), "generateName").to_owned();
    if metadata_text(document.root(), "name").is_empty() && !prefix.is_empty() {
        document.insert(meta, "name", &format!("{prefix}{}", options.name_suffix));
    }
    document.insert(meta, "generation", 1);
    let status = document.insert(NodeId::ROOT, "status", NewValue::EmptyObject);
    let storage = storage_version(document.root()).map(str::to_owned);
    if let Some(status) = status {
        let stored = Document::array_of(storage.as_deref());
        document.insert(status, "storedVersions", &stored);
    }
    normalise::crd(&mut document);
    let (mut crd, limits) = read::crd(document.root());
    crd.prepare_for_create();
    let mut issues = limits;
    issues.extend(check::create(&crd));
    if issues.is_empty() {
        warnings.extend(check::warnings(&crd, None, MINOR).iter().map(Issue::server_message));
    }
    finish(document, &issues, warnings)
}

/// A CRD with nothing in it.
pub(crate) fn empty() -> Document {
    let mut document = Document::object().with("metadata", NewValue::EmptyObject);
    normalise::crd(&mut document);
    document
}

pub(super) fn update(
    part: Part,
    old: &Document,
    input: Input<'_>,
    options: &RequestOptions,
    between: Between<'_>,
) -> Verdict {
    let (mut document, mut warnings) = read(input, options)?;
    fill_in(&mut document);
    let refuse = |status, warnings| Box::new(Refused { status, warnings, undecodable: None });
    let meta = metadata(&mut document);
    remove(&mut document, meta, "namespace");
    if let Err(status) = between(&mut document) {
        return Err(refuse(status, warnings));
    }
    let before = old.root();
    if let Err(status) = same_object(document.root(), before, options) {
        return Err(refuse(status, warnings));
    }
    if part == Part::Status {
        keep_all_but_status(&mut document, before);
    } else {
        keep(&mut document, NodeId::ROOT, "status", before);
        let storage = storage_version(document.root()).map(str::to_owned);
        add_stored_version(&mut document, storage.as_deref());
    }
    let meta = metadata(&mut document);
    let old_meta = before.get("metadata");
    for (key, always) in [
        ("uid", false),
        ("creationTimestamp", true),
        ("deletionTimestamp", true),
        ("deletionGracePeriodSeconds", false),
    ] {
        let value = old_meta.and_then(|old| old.get(key));
        if let Some(value) = value
            && (always || document.value(meta).get(key).is_none())
        {
            document.insert(meta, key, value);
        }
    }
    normalise::crd(&mut document);
    let generation = old_meta.and_then(|old| old.get("generation")).and_then(Value::as_i64);
    let generation = generation.unwrap_or(1);
    let same = document.root().get("spec") == before.get("spec");
    let meta = metadata(&mut document);
    document.insert(meta, "generation", if same { generation } else { generation + 1 });
    let (crd, limits) = read::crd(document.root());
    let (old_crd, _) = read::crd(before);
    let mut issues = limits;
    issues.extend(check::update(&crd, &old_crd));
    if part == Part::Status {
        // The versions that were stored are for whoever migrates them to say.
        issues.retain(|issue| issue.path.to_string().starts_with("metadata"));
    }
    if part == Part::Main && issues.is_empty() {
        let found = check::warnings(&crd, Some(&old_crd), MINOR);
        warnings.extend(found.iter().map(Issue::server_message));
    }
    finish(document, &issues, warnings)
}

fn finish(document: Document, issues: &[Issue], warnings: Vec<String>) -> Verdict {
    if issues.is_empty() {
        return Ok(Accepted { document, written: None, warnings });
    }
    let name = metadata_text(document.root(), "name");
    let subject = Subject { group: GROUP, version: "v1", kind: KIND, name };
    let status = Box::new(subject.invalid(issues));
    Err(Box::new(Refused { status, warnings, undecodable: None }))
}

/// A CRD as the server decodes it, without what it has no field for.
fn read(
    input: Input<'_>,
    options: &RequestOptions,
) -> Result<(Document, Vec<String>), Box<Refused>> {
    let subject = Subject { group: GROUP, version: "v1", kind: KIND, name: "" };
    let Decoded { document, issues } = match input {
        Input::Decoded(decoded) => decoded,
        Input::Bytes(format, bytes) => {
            let duplicates = match options.field_validation {
                FieldValidation::Ignore => Duplicates::LastWins,
                FieldValidation::Warn | FieldValidation::Strict => Duplicates::Error,
            };
            let decode = DecodeOptions::new().limits(options.limits.clone()).duplicates(duplicates);
            if let Some(status) = crate::decode::unrecognized(format, bytes, KIND) {
                return Err(Box::new(status).into());
            }
            format.decode(bytes, &decode).map_err(|issue| {
                Box::<Refused>::from(Box::new(Status::bad_request(issue.server_message())))
            })?
        }
    };
    let mut document = document;
    let name_problem = |status: Status, undecodable| {
        Box::new(Refused { status: Box::new(status), warnings: Vec::new(), undecodable })
    };
    let mut warnings = Vec::new();
    {
        let request = read::request(document.root(), &issues);
        let strict = match request {
            Ok(request) => request.strict,
            Err(found) => {
                let problem = found.first().map(Issue::server_message);
                return Err(name_problem(subject.bad_request(&found), problem));
            }
        };
        match options.field_validation {
            FieldValidation::Warn => warnings.extend(strict.iter().filter_map(status::strict_text)),
            FieldValidation::Strict if !strict.is_empty() => {
                let texts: Vec<String> = strict.iter().filter_map(status::strict_text).collect();
                let problem = format!("strict decoding error: {}", texts.join(", "));
                return Err(name_problem(subject.bad_request(&strict), Some(problem)));
            }
            FieldValidation::Ignore | FieldValidation::Strict => {}
        }
    }
    document.insert(NodeId::ROOT, "apiVersion", "apiextensions.k8s.io/v1");
    document.insert(NodeId::ROOT, "kind", KIND);
    if let Some(expected) = &options.name {
        let name = metadata_text(document.root(), "name");
        if name != &**expected {
            let text = match name {
                "" => format!(
                    "the name of the object ({expected} based on URL) was undeterminable: name must be provided"
                ),
                name => format!(
                    "the name of the object ({name}) does not match the name on the URL ({expected})"
                ),
            };
            return Err(Box::new(Status::bad_request(text)).into());
        }
    }
    let managers = document.root().pointer("/metadata/managedFields");
    let is_reset = managers.is_some_and(|it| it.as_array().is_some() && it.items().len() == 0);
    normalise::crd(&mut document);
    if is_reset {
        // Nobody is to own anything, which is not the same as nothing said.
        let meta = metadata(&mut document);
        document.insert(meta, "managedFields", NewValue::EmptyArray);
    }
    Ok((document, warnings))
}

/// What the server sets where nothing is said.
fn fill_in(document: &mut Document) {
    let Some(spec) = document.root().get("spec").map(Value::id) else { return };
    if let Some(names) = document.value(spec).get("names").map(Value::id) {
        let text = |key| {
            let value = document.value(names).get(key).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        let (kind, singular, list_kind) = (text("kind"), text("singular"), text("listKind"));
        if singular.is_empty() {
            document.insert(names, "singular", &kind.to_lowercase());
        }
        if list_kind.is_empty() && !kind.is_empty() {
            document.insert(names, "listKind", &format!("{kind}List"));
        }
    }
    fill_in_stored(document);
    let Some(conversion) = document.value(spec).get("conversion").map(Value::id) else {
        document.insert(spec, "conversion", &Document::object().with("strategy", "None"));
        return;
    };
    let service = document.value(conversion).pointer("/webhook/clientConfig/service");
    if let Some(service) = service.filter(|it| it.as_object().is_some() && it.get("port").is_none())
    {
        let service = service.id();
        document.insert(service, "port", 443);
    }
}

/// A status that names no version that was stored names the one that is.
fn fill_in_stored(document: &mut Document) {
    let Some(status) = document.root().get("status").filter(|it| it.as_object().is_some()) else {
        return;
    };
    let stored = status.get("storedVersions").map_or(0, |it| it.items().len());
    let status = status.id();
    let storage = storage_version(document.root()).map(str::to_owned);
    if let Some(storage) = storage.filter(|_| stored == 0) {
        document.insert(status, "storedVersions", &Document::array_of([storage.as_str()]));
    }
}

/// An update must be about the object as it is stored.
fn same_object(
    new: Value<'_>,
    old: Value<'_>,
    options: &RequestOptions,
) -> Result<(), Box<Status>> {
    let name = options.name.as_deref().unwrap_or_default();
    let subject = Subject { group: GROUP, version: "v1", kind: "customresourcedefinitions", name };
    let (found, expected) =
        (metadata_text(new, "resourceVersion"), metadata_text(old, "resourceVersion"));
    if found.is_empty() {
        return Err(crate::decode::revision_required(&subject).into());
    }
    if found != expected {
        let problem = "the object has been modified; please apply your changes to the latest version and try again";
        return Err(subject.conflict(problem).into());
    }
    Ok(())
}

/// The status of the new object, the finalizers of either, and everything else of the old one.
fn keep_all_but_status(document: &mut Document, old: Value<'_>) {
    keep(document, NodeId::ROOT, "spec", old);
    let new_meta = metadata(document);
    let keep_these = ["finalizers", "managedFields", "resourceVersion"];
    let others = document.value(new_meta).members();
    let others: Vec<NodeId> =
        others.filter(|(key, _)| !keep_these.contains(key)).map(|(_, it)| it.id()).collect();
    for id in others {
        document.remove(id);
    }
    for (key, value) in old.get("metadata").into_iter().flat_map(Value::members) {
        if !keep_these.contains(&key) {
            document.insert(new_meta, key, value);
        }
    }
}

fn keep(document: &mut Document, object: NodeId, key: &str, old: Value<'_>) {
    match old.get(key) {
        Some(value) => {
            document.insert(object, key, value);
        }
        None => remove(document, object, key),
    }
}

fn add_stored_version(document: &mut Document, storage: Option<&str>) {
    let Some(storage) = storage else { return };
    let Some(status) = document.root().get("status").map(Value::id) else { return };
    let stored = document.value(status).get("storedVersions").filter(|it| it.as_array().is_some());
    match stored {
        Some(stored) if stored.items().any(|it| it.as_str() == Some(storage)) => {}
        Some(stored) => {
            let id = stored.id();
            document.push(id, storage);
        }
        None => {
            document.insert(status, "storedVersions", &Document::array_of([storage]));
        }
    }
}

fn storage_version(crd: Value<'_>) -> Option<&str> {
    let versions = crd.get("spec")?.get("versions")?;
    let is_storage = |it: &Value<'_>| it.get("storage").and_then(Value::as_bool) == Some(true);
    versions.items().find(is_storage)?.get("name")?.as_str()
}
