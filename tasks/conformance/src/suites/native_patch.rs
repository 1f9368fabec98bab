//! Suite `native-patch`: patches, applies and updates of objects of native kinds, with who owns their fields.
//!
//! In the mode `each` every request is about the base, in the mode `sequence` about what the one before has left.

use super::native::{NOW, REVISION, UID};
use super::{Suite, native, verdict};
use crate::answer::Answer;
use crate::case::Case;
use crate::score::Score;
use crdkit_codec::DecodeOptions;
use crdkit_codec::json::{self, Layout};
use crdkit_engine::{FieldValidation, Outcome, RequestOptions, Stored};
use crdkit_native::NativeKind;
use crdkit_patch::managed::{Versions, Writer, copy_owners, keep_times};
use crdkit_patch::{Definitions, PatchLimits, Schema, json as json_patch, merge, strategic};
use crdkit_schema::status::{Cause, Status, Subject};
use crdkit_text::quote::quote;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, NodeId, Value};

pub(crate) const SUITE: Suite = Suite {
    name: "native-patch",
    cases: "native/native-patch.jsonl.gz",
    crds: None,
    prepare: |_| Ok(Box::new(|case| answer(case).unwrap_or_else(|| Answer::to(&case.id).finish()))),
    score,
};

/// The versions of a native kind, of which there is one here.
struct NativeVersions(&'static NativeKind);

impl Versions for NativeVersions {
    fn schema(&self, api_version: &str) -> Option<Schema<'_>> {
        Schema::of_kind(Definitions::native(), api_version, self.0.kind)
    }

    fn convert(&self, object: &Document, api_version: &str) -> Result<Document, String> {
        let mut converted = object.clone();
        converted.insert(NodeId::ROOT, "apiVersion", api_version);
        Ok(converted)
    }
}

/// What came of a request.
enum Response {
    Outcome(Box<Outcome>),
    Status(Box<Status>),
}

fn answer(case: &Case) -> Option<Vec<u8>> {
    let kind = native::kind(case.text("gvk"))?;
    let base = case.get("base").map(|base| stored(kind, base));
    let is_sequence = case.text("mode") == "sequence";
    let list = case.get("requests").or(case.get("steps"))?;
    let mut live = base;
    // Objects that would bind others were made in a namespace of their own.
    let namespace = match kind.plural {
        "limitranges" | "resourcequotas" => "nat-quota",
        _ => "default",
    };
    let responses = list.items().enumerate().map(|(number, request)| {
        let response = run(kind, request, number, live.as_ref(), namespace);
        let code = if live.is_some() { 200 } else { 201 };
        match response {
            Response::Outcome(outcome) => {
                if let Some(status) = outcome.status().filter(|status| status.code == 400)
                    && is_patch(request)
                {
                    // What a patch makes of an object is the patch's fault, whatever the object is called.
                    let nameless = Subject { group: "", version: "", kind: "", name: "" };
                    let status = invalid(nameless, "patch", &status.message);
                    return verdict::refused(&status);
                }
                let answer = verdict::of(&outcome, code);
                let Some(stored) = outcome.into_stored() else { return answer };
                let mut stored = allocated(request, stored);
                let answer = answer.value("object", shown(stored.document()).root());
                if is_sequence {
                    stored.set_resource_version(REVISION);
                    live = Some(stored);
                }
                answer
            }
            Response::Status(status) => verdict::refused(&status),
        }
    });
    let responses: Vec<Answer> = responses.collect();
    Some(Answer::to(&case.id).objects("responses", responses.into_iter()).finish())
}

fn is_patch(request: Value<'_>) -> bool {
    ["strategic", "merge", "json"].contains(&text(request, "op"))
}

/// The answer to an object with one invalid field.
fn invalid(subject: Subject<'_>, field: &str, problem: &str) -> Status {
    let (reason, message) = ("FieldValueInvalid".into(), format!("Invalid value: {problem}"));
    subject.refused(vec![Cause { reason, field: field.to_owned(), message }])
}

/// The object with the addresses and ports that the server chose.
fn allocated(request: Value<'_>, stored: Stored) -> Stored {
    let Some(chosen) = request.get("allocated").filter(|it| it.as_object().is_some()) else {
        return stored;
    };
    let key = stored.read_by();
    let mut document = stored.into_document();
    for (path, value) in chosen.members() {
        let pointer = path.replace(['.', '['], "/").replace(']', "");
        let (parent, key) = pointer.rsplit_once('/').unwrap_or(("", &pointer));
        let parent = document.root().pointer(&format!("/{parent}")).map(Value::id);
        if let Some(parent) = parent {
            document.insert(parent, key, value);
        }
    }
    Stored::new(document, key)
}

fn text<'v>(value: Value<'v>, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn stored(kind: &'static NativeKind, object: Value<'_>) -> Stored {
    let mut document = real(object);
    if let Some(metadata) = document.root().get("metadata").map(Value::id) {
        document.insert(metadata, "uid", UID);
        document.insert(metadata, "resourceVersion", REVISION);
        document.insert(metadata, "creationTimestamp", "2026-07-31T00:00:00Z");
    }
    kind.stored(&document, &RequestOptions::new())
}

fn real(object: Value<'_>) -> Document {
    let mut text = Vec::new();
    json::write(object, Layout::Compact, &mut text);
    let text = String::from_utf8_lossy(&text).replace("<uid>", UID).replace("<now>", NOW);
    let decoded = json::decode(text.as_bytes(), &DecodeOptions::default());
    decoded.map(|decoded| decoded.document).unwrap_or_default()
}

fn run(
    kind: &'static NativeKind,
    request: Value<'_>,
    number: usize,
    live: Option<&Stored>,
    namespace: &str,
) -> Response {
    let text = |key| text(request, key);
    let api_version = kind.api_version();
    let reset = kind.reset_fields(text("subresource"));
    let reset: Vec<&[&str]> = reset.iter().map(Vec::as_slice).collect();
    let seconds = 1_700_000_000 + i64::try_from(number).unwrap_or_default();
    let writer = Writer {
        manager: text("manager"),
        api_version: &api_version,
        subresource: text("subresource"),
        time: Timestamp { seconds, nanoseconds: 0, offset: 0 },
        reset: &reset,
        versions: &NativeVersions(kind),
    };
    let mode = match text("fieldValidation") {
        "Strict" => FieldValidation::Strict,
        "Warn" => FieldValidation::Warn,
        _ => FieldValidation::Ignore,
    };
    let mut options = RequestOptions::new().field_validation(mode).uid(UID).namespace(namespace);
    options.time = Timestamp::parse_rfc3339(NOW).ok();
    let name = |object: Option<Value<'_>>| {
        object.and_then(|object| object.pointer("/metadata/name")?.as_str().map(str::to_owned))
    };
    let body = request.get("body").map(real).unwrap_or_default();
    let name = name(live.map(|live| live.document().root())).or_else(|| name(Some(body.root())));
    options.name = name.map(Into::into);
    let namespace = live.and_then(|live| live.document().root().pointer("/metadata/namespace"));
    if let Some(namespace) = namespace.and_then(Value::as_str) {
        options = options.namespace(namespace);
    }
    let before = live.map(Stored::document);
    let mut is_tracked = false;
    let object = match changed(kind, &writer, request, before, body, &mut is_tracked) {
        Ok(object) => object,
        Err(response) => return response,
    };
    // Only the whole of an object says which one it is for; a patch would change it.
    let uid = |object: &Document| {
        let uid = object.root().pointer("/metadata/uid").and_then(Value::as_str);
        uid.unwrap_or_default().to_owned()
    };
    let found = uid(&object);
    if is_patch(request) && !found.is_empty() && before.is_some_and(|before| uid(before) != found) {
        let name = options.name.as_deref().unwrap_or_default();
        let subject = Subject { group: kind.group, version: "", kind: kind.kind, name };
        let problem = format!("{}: field is immutable", quote(&found));
        return Response::Status(Box::new(invalid(subject, "metadata.uid", &problem)));
    }
    let mut read = match kind.read(object, &options) {
        Ok(read) => read,
        Err(refused) => return Response::Outcome(refused),
    };
    if !is_tracked {
        read.show_given();
        let mut seen = kind.as_written(read.document());
        match before {
            Some(before) => writer.update(Some(&kind.as_written(before)), &mut seen),
            None => writer.create(&kind.empty(), &mut seen),
        }
        copy_owners(&seen, read.document_mut());
        read.hide_given();
    }
    if let Some(before) = before {
        keep_times(before, read.document_mut());
    }
    Response::Outcome(Box::new(match (live, text("subresource")) {
        (Some(live), "status") => read.update_status(live),
        (Some(live), _) => read.update(live),
        (None, _) => read.create(),
    }))
}

/// The object that a request makes of the one before.
fn changed(
    kind: &'static NativeKind,
    writer: &Writer<'_>,
    request: Value<'_>,
    before: Option<&Document>,
    body: Document,
    is_tracked: &mut bool,
) -> Result<Document, Response> {
    let status = |status| Response::Status(Box::new(status));
    let mut object = before.map(|before| kind.as_written(before)).unwrap_or_default();
    match request.get("op").and_then(Value::as_str).unwrap_or_default() {
        "apply" => {
            *is_tracked = true;
            let force = request.get("force").and_then(Value::as_bool).unwrap_or_default();
            let before = before.map(|before| kind.as_written(before));
            let applied = writer.apply(kind.kind, before.as_ref(), &body, force);
            Ok(applied.map_err(|error| status(error.status()))?.document)
        }
        "strategic" => {
            let schema = writer.versions.schema(writer.api_version);
            let schema =
                schema.ok_or_else(|| status(Status::bad_request("no such kind".to_owned())))?;
            strategic::apply(&mut object, body.root(), &schema)
                .map_err(|error| status(error.status()))?;
            Ok(object)
        }
        "merge" => {
            merge::apply(&mut object, body.root());
            Ok(object)
        }
        "json" => {
            let patch = json_patch::JsonPatch::from_document(body, &PatchLimits::default());
            let applied = patch.and_then(|patch| patch.apply(&mut object));
            applied.map_err(|error| status(error.status()))?;
            Ok(object)
        }
        // A PUT carried the version that it replaced.
        _ => {
            let mut body = body;
            if let Some(metadata) = body.root().get("metadata").map(Value::id) {
                body.insert(metadata, "resourceVersion", REVISION);
            }
            Ok(body)
        }
    }
}

/// The object as it was recorded.
fn shown(object: &Document) -> Document {
    let mut text = Vec::new();
    json::write(object.root(), Layout::Compact, &mut text);
    let text = String::from_utf8_lossy(&text).replace(UID, "<uid>").replace(NOW, "<now>");
    let decoded = json::decode(text.as_bytes(), &DecodeOptions::default());
    let mut object = decoded.map(|decoded| decoded.document).unwrap_or_default();
    let metadata = object.root().get("metadata");
    let times = metadata.and_then(|it| it.get("managedFields")).into_iter().flat_map(Value::items);
    let mut gone: Vec<_> = times.filter_map(|entry| entry.get("time")).map(Value::id).collect();
    for key in ["uid", "creationTimestamp", "resourceVersion"] {
        gone.extend(metadata.and_then(|metadata| metadata.get(key)).map(Value::id));
    }
    for id in gone {
        object.remove(id);
    }
    object
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    let wanted = case.get("requests").or(case.get("steps"));
    let given = answer.root().get("responses");
    for (at, want) in wanted.into_iter().flat_map(Value::items).enumerate() {
        let Some(want) = want.get("response") else { continue };
        let given = given.and_then(|given| given.at(at));
        let part = |key| given.and_then(|given| given.get(key));
        let id = format!("{}[{at}]", case.id);
        score.add("code", want.get("code") == part("code"), &id);
        if want.get("causes").is_some_and(|causes| causes.items().len() > 0) {
            let causes = |verdict| verdict::causes(verdict, &["reason", "field"]);
            score.add("causes", causes(Some(want)) == causes(given), &id);
        }
        if let Some(object) = want.get("object") {
            let plain = |object: Option<Value<'_>>| {
                let mut object = object.map(Document::copy_of).unwrap_or_default();
                let managed = object.root().pointer("/metadata/managedFields").map(Value::id);
                if let Some(id) = managed {
                    object.remove(id);
                }
                object
            };
            let managers = |object: Option<Value<'_>>| {
                let list = object.and_then(|object| object.pointer("/metadata/managedFields"));
                let mut entries: Vec<_> =
                    list.into_iter().flat_map(Value::items).map(Document::copy_of).collect();
                entries.sort_by(|left, right| left.root().cmp(&right.root()));
                entries
            };
            score.add("object", plain(Some(object)) == plain(part("object")), &id);
            score.add("managedFields", managers(Some(object)) == managers(part("object")), &id);
        }
    }
}
