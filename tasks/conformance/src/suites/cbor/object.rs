//! Suites `cbor-object` and `cbor-storage`: whole objects, with the kind they say they are of.
//!
//! Messages about `PartialObjectMetadata` that name a Go type and its field are not compared: Rust types
//! have names of their own.

use super::super::{Answerer, Suite};
use super::{is, lenient, partial, same, same_json, unhex};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_codec::cbor::{self, Object};
use crdkit_codec::{DecodeOptions, go_json, json};
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Value};

pub(crate) const OBJECT: Suite = Suite {
    name: "cbor-object",
    cases: "cbor/decode_object.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(object)) },
    score: score_object,
};

pub(crate) const STORAGE: Suite = Suite {
    name: "cbor-storage",
    cases: "cbor/storage_recognition.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(storage)) },
    score: score_storage,
};

fn object(case: &Case) -> Vec<u8> {
    let bytes = unhex(case.text("cbor_hex"));
    let answer = Answer::to(&case.id);
    let options = DecodeOptions::default();
    let (outcome, show): (_, fn(&Object) -> String) = match case.text("into") {
        "PartialObjectMetadata" => {
            return answer.merge(&partial::answer(&bytes, is(case, "strict"))).finish();
        }
        "UnstructuredList" => (cbor::decode_list(&bytes, &options), list_text),
        _ => (cbor::decode_object(&bytes, &options), |object| text(object.document.root())),
    };
    match outcome {
        Ok(object) => answer
            .bool("ok", true)
            .string("gvk", &kind_text(&object.kind))
            .string("json", &show(&object)),
        Err(error) => {
            let answer = answer.bool("ok", false).string("error", &error.server_message());
            match &error.kind {
                Some(kind) => answer.string("gvk", &kind_text(kind)),
                None => answer,
            }
        }
    }
    .finish()
}

pub(super) fn kind_text(kind: &GroupVersionKind) -> String {
    format!("{}|{}|{}", kind.group, kind.version, kind.kind)
}

fn text(value: Value<'_>) -> String {
    let mut out = Vec::new();
    go_json::write(value, json::Layout::Compact, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// A list the way Go keeps it: its items beside all the rest.
fn list_text(list: &Object) -> String {
    let mut rest = list.document.clone();
    let items = list.document.root().get("items");
    let texts: Vec<String> = items.into_iter().flat_map(Value::items).map(text).collect();
    if let Some(items) = items {
        rest.remove(items.id());
    }
    let items = if texts.is_empty() { "null".to_owned() } else { format!("[{}]", texts.join(",")) };
    format!(r#"{{"Items":{items},"Object":{}}}"#, text(rest.root()))
}

fn score_object(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    score.add("verdict", same(case, answer, "ok"), &case.id);
    score.add("kind", same(case, answer, "gvk"), &case.id);
    if is(case, "ok") {
        score.add("value", same_json(case, answer, "json"), &case.id);
    }
    let names_go_type = case.text("into") == "PartialObjectMetadata"
        && !is(case, "ok")
        && case.text("error").contains("into Go");
    if case.get("error").is_some() && !names_go_type {
        score.add("message", same(case, answer, "error"), &case.id);
    }
}

fn storage(case: &Case) -> Vec<u8> {
    let bytes = unhex(case.text("data_hex"));
    let recognized = bytes.starts_with(&cbor::SELF_DESCRIBED);
    let outcome = if recognized {
        let object = cbor::decode_object(&bytes, &lenient());
        object.map(|object| object.document).map_err(|error| error.server_message())
    } else {
        json::decode(&bytes, &lenient())
            .map_err(|issue| issue.server_message())
            .and_then(|decoded| with_kind(decoded.document))
    };
    let answer = Answer::to(&case.id).bool("cbor_recognized", recognized);
    match outcome {
        Ok(document) => answer.bool("ok", true).string("json", &text(document.root())),
        Err(error) => answer.bool("ok", false).string("error", &error),
    }
    .finish()
}

/// Stored JSON must name a kind; unlike CBOR it may leave out the version.
fn with_kind(document: Document) -> Result<Document, String> {
    match document.root().get("kind").and_then(Value::as_str) {
        None | Some("") => Err(format!("Object 'Kind' is missing in '{}'", text(document.root()))),
        Some(_) => Ok(document),
    }
}

fn score_storage(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    score.add("recognized", same(case, answer, "cbor_recognized"), &case.id);
    score.add("verdict", same(case, answer, "ok"), &case.id);
    if is(case, "ok") {
        score.add("value", same_json(case, answer, "json"), &case.id);
    } else {
        score.add("message", same(case, answer, "error"), &case.id);
    }
}
