//! Suite `apply`: sequences of server-side applies, updates and merge patches on one object.
//!
//! Every step is a request to the object that the steps before have left; what was recorded of an answer is not looked at.

use super::verdict::{self, Crds};
use super::{Answerer, Suite};
use crate::answer::Answer;
use crate::case::Case;
use crate::score::Score;
use anyhow::Result;
use crdkit_engine::{FieldValidation, Outcome, RequestOptions, Stored, Version};
use crdkit_patch::managed::{CrdVersions, Writer, keep_times};
use crdkit_patch::merge;
use crdkit_schema::status::Status;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Value};

pub(crate) const SUITE: Suite = Suite {
    name: "apply",
    cases: "apply-sequences.jsonl.gz",
    crds: Some("crds.jsonl.gz"),
    prepare: |crds| {
        let crds = Crds::compile(crds)?;
        let answer: Answerer = Box::new(move |case| answer(&crds, case));
        Ok(answer)
    },
    score,
};

fn answer(crds: &Crds, case: &Case) -> Vec<u8> {
    let mut live = None;
    let steps = case.get("steps").into_iter().flat_map(Value::items);
    let steps = steps.enumerate().map(|(number, step)| {
        let Some(request) = Request::new(crds, case, step, number) else { return Answer::new() };
        match request.run(live.as_ref()) {
            Ok(outcome) => {
                let code = if live.is_some() { 200 } else { 201 };
                let answer = verdict::of(&outcome, code);
                let Some(stored) = outcome.into_stored() else { return answer };
                let answer = answer.value("object", shown(stored.document()).root());
                live = Some(stored);
                answer
            }
            Err(status) => verdict::refused(&status),
        }
    });
    Answer::to(&case.id).objects("steps", steps).finish()
}

/// One step.
struct Request<'c> {
    version: Version<'c>,
    crds: CrdVersions<'c>,
    step: Value<'c>,
    options: RequestOptions,
    time: Timestamp,
}

impl<'c> Request<'c> {
    fn new(crds: &'c Crds, case: &'c Case, step: Value<'c>, number: usize) -> Option<Self> {
        let crd = crds.get(case.text("crd"))?;
        let bodies = case.get("steps")?.items().filter_map(|step| step.get("body"));
        let api_version = bodies.clone().find_map(|body| body.get("apiVersion")?.as_str())?;
        let seconds = i64::try_from(number).ok()?;
        let name = bodies.clone().find_map(|body| body.get("metadata")?.get("name")?.as_str())?;
        Some(Self {
            version: crd.version(api_version.rsplit('/').next()?)?,
            crds: CrdVersions(crd.compiled()),
            step,
            options: RequestOptions::new().field_validation(FieldValidation::Ignore).name(name),
            time: Timestamp { seconds: 1_700_000_000 + seconds, nanoseconds: 0, offset: 0 },
        })
    }

    fn run(&self, live: Option<&Stored>) -> Result<Outcome, Box<Status>> {
        let compiled = self.version.compiled();
        let reset: &[&[&str]] = if compiled.status { &[&["status"]] } else { &[] };
        let text = |key| self.step.get(key).and_then(Value::as_str).unwrap_or_default();
        let writer = Writer {
            manager: text("manager"),
            api_version: &compiled.api_version,
            subresource: "",
            time: self.time,
            reset,
            versions: &self.crds,
        };
        let body = self.step.get("body").map(Document::copy_of).unwrap_or_default();
        let before = live.map(Stored::document);
        let (object, is_tracked) = match text("op") {
            "apply" => {
                let force = self.step.get("force").and_then(Value::as_bool).unwrap_or_default();
                let kind = self.crds.0.kind();
                let applied = writer.apply(kind, before, &body, force);
                (applied.map_err(|error| Box::new(error.status()))?.document, true)
            }
            "merge" => {
                let mut object = before.cloned().unwrap_or_default();
                merge::apply(&mut object, body.root());
                (object, false)
            }
            _ => (body, false),
        };
        let read = if is_tracked {
            self.version.read_applied(object, &self.options)
        } else {
            self.version.read(object, &self.options)
        };
        let mut read = match read {
            Ok(read) => read,
            Err(refused) => return Ok(*refused),
        };
        if !is_tracked {
            writer.update(before, read.document_mut());
        }
        if let Some(before) = before {
            keep_times(before, read.document_mut());
        }
        Ok(match live {
            Some(live) => read.update(live),
            None => read.create(),
        })
    }
}

/// The object without what a server decides by itself.
fn shown(object: &Document) -> Document {
    let mut object = Document::copy_of(object.root());
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
    let wanted = case.get("steps").into_iter().flat_map(Value::items);
    let given = answer.root().get("steps");
    for (at, want) in wanted.enumerate() {
        let Some(want) = want.get("response") else { continue };
        let given = given.and_then(|given| given.at(at));
        let part = |key| given.and_then(|given| given.get(key));
        let id = format!("{}[{at}]", case.id);
        if let Some(object) = want.get("object") {
            let managers = |object: Option<Value<'_>>| {
                let object = object.map(Document::copy_of).unwrap_or_default();
                let list = object.root().pointer("/metadata/managedFields");
                let mut entries: Vec<_> =
                    list.into_iter().flat_map(Value::items).map(Document::copy_of).collect();
                entries.sort_by(|left, right| left.root().cmp(&right.root()));
                entries
            };
            score.add("code", want.get("code") == part("code"), &id);
            score.add("object", plain(Some(object)) == plain(part("object")), &id);
            score.add("managedFields", managers(Some(object)) == managers(part("object")), &id);
        } else {
            verdict::score("refused", want, given, &id, score);
        }
    }
}

fn plain(object: Option<Value<'_>>) -> Document {
    let mut object = object.map(Document::copy_of).unwrap_or_default();
    let metadata = object.root().get("metadata");
    let keys = ["managedFields", "generation"];
    let gone: Vec<_> = keys.iter().filter_map(|key| Some(metadata?.get(key)?.id())).collect();
    for id in gone {
        object.remove(id);
    }
    object
}
