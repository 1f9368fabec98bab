//! What suites about verdicts have in common: CRDs by name, verdicts as JSON, and their score.

use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::{Context as _, Result, anyhow};
use crdkit_codec::{DecodeOptions, json};
use crdkit_engine::{Crd, Outcome, Version};
use crdkit_schema::set::CrdSet;
use crdkit_schema::status::Status;
use crdkit_schema::{export, read};
use crdkit_server::catalogue::definition::Definition;
use crdkit_server::catalogue::resource::Resource;
use crdkit_server::openapi::v3;
use crdkit_structure::definitions;
use crdkit_value::{Document, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The CRDs that cases name.
pub(crate) struct Crds(BTreeMap<String, Crd>);

impl Crds {
    pub(crate) fn compile(crds: Option<&Cases>) -> Result<Self> {
        let crds = crds.context("this suite needs CRDs: name their file with `--crds`")?;
        let body = |case: &Case| case.get("crd").map(Document::copy_of).unwrap_or_default();
        let bodies: Vec<Document> = crds.iter().map(body).collect();
        let compiled = Crd::compile_all(&bodies).context("a recorded CRD cannot be compiled")?;
        Ok(Self(crds.iter().map(name).zip(compiled).collect()))
    }

    /// The same CRDs, each described by OpenAPI documents, which are read again.
    pub(crate) fn described(
        crds: Option<&Cases>,
        describe: fn(&Document) -> Result<Vec<Document>>,
    ) -> Result<Self> {
        let crds = crds.context("this suite needs CRDs: name their file with `--crds`")?;
        let mut described = BTreeMap::new();
        for case in crds.iter() {
            let document = case.get("crd").map(Document::copy_of).unwrap_or_default();
            let documents = describe(&document)?;
            let documents = documents.iter().flat_map(|it| definitions::crds_of_openapi(it.root()));
            let (set, _) = CrdSet::load(documents.collect::<Vec<_>>());
            let text = |pointer| document.root().pointer(pointer).and_then(Value::as_str);
            let (group, kind) = (text("/spec/group"), text("/spec/names/kind"));
            let definition = set.by_kind(group.unwrap_or_default(), kind.unwrap_or_default());
            let definition = definition.context("a recorded CRD is not described")?;
            let compiled = definition.compiled().ok().context("a CRD cannot be compiled")?;
            described.insert(name(case), compiled.clone().into());
        }
        Ok(Self(described))
    }

    /// The CRD called `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&Crd> {
        self.0.get(name)
    }

    /// The version that the object of `case` is written in.
    pub(crate) fn version(&self, case: &Case) -> Option<Version<'_>> {
        let api_version = case.get("object")?.get("apiVersion").and_then(Value::as_str)?;
        self.0.get(case.text("crd"))?.version(api_version.rsplit('/').next()?)
    }
}

/// What `crdkit schema export --to openapi` writes of a CRD: a document for each version.
#[expect(clippy::unnecessary_wraps, reason = "the other ways to documents can fail")]
pub(crate) fn exported(document: &Document) -> Result<Vec<Document>> {
    let (crd, _) = read::crd(document.root());
    let group = crd.spec.group;
    let crds = [crd];
    let versions = crds.iter().flat_map(|crd| crd.spec.versions.iter());
    let served = versions.filter(|version| version.served);
    Ok(served.map(|version| export::openapi(group, version.name, &crds)).collect())
}

/// What `crdkit serve` publishes of a CRD in `/openapi/v3`: a document for each version.
pub(crate) fn published_v3(document: &Document) -> Result<Vec<Document>> {
    let resources = resources(document)?;
    let documents = resources.iter().map(|it| v3::document(v3::Info::CUSTOM, [it], &|_| None));
    documents.map(|text| decoded(&text)).collect()
}

fn resources(document: &Document) -> Result<Vec<Resource>> {
    let definition = Definition::new(document).ok().context("a recorded CRD cannot be served")?;
    Ok(Resource::custom(&Arc::new(definition), document))
}

fn decoded(text: &[u8]) -> Result<Document> {
    let decoded = json::decode(text, &DecodeOptions::default());
    decoded.map(|decoded| decoded.document).map_err(|issue| anyhow!("{issue}"))
}

fn name(case: &Case) -> String {
    let name = case.text("name");
    if name.is_empty() { case.text("key").to_owned() } else { name.to_owned() }
}

/// What the server answers: `code` if all is well, the status otherwise.
pub(crate) fn of(outcome: &Outcome, code: i64) -> Answer {
    match outcome.status() {
        Some(status) => refused(&status),
        None => Answer::new().int("code", code),
    }
}

pub(crate) fn refused(status: &Status) -> Answer {
    let causes = status.causes().iter().map(|cause| {
        Answer::new()
            .string("reason", &cause.reason)
            .string("field", &cause.field)
            .string("message", &cause.message)
    });
    Answer::new()
        .int("code", status.code.into())
        .string("message", &status.message)
        .objects("causes", causes)
}

/// Counts code, causes and messages of one verdict. Causes are compared as sets, because the server's
/// order is not stable.
pub(crate) fn score(
    name: &str,
    want: Value<'_>,
    got: Option<Value<'_>>,
    id: &str,
    score: &mut Score,
) {
    let code = |value: Value<'_>| value.get("code").and_then(Value::as_i64);
    let text = |value: Value<'_>| value.get("message").and_then(Value::as_str).map(str::to_owned);
    score.add(&format!("{name} code"), got.and_then(code) == code(want), id);
    if code(want) == Some(400) && text(want).is_some_and(|text| !text.is_empty()) {
        score.add(&format!("{name} 400 message"), got.and_then(text) == text(want), id);
    }
    if want.get("causes").is_some_and(|causes| causes.items().len() > 0) {
        let same = |keys: &[&str]| causes(Some(want), keys) == causes(got, keys);
        score.add(&format!("{name} causes"), same(&["reason", "field"]), id);
        score.add(&format!("{name} messages"), same(&["reason", "field", "message"]), id);
    }
}

pub(crate) fn causes(verdict: Option<Value<'_>>, keys: &[&str]) -> Vec<Vec<Option<String>>> {
    verdict.map(|verdict| rows(verdict, "causes", keys)).unwrap_or_default()
}

/// The members `keys` of each object in the list `of`, in an order that does not matter.
pub(crate) fn rows(value: Value<'_>, of: &str, keys: &[&str]) -> Vec<Vec<Option<String>>> {
    let text =
        |item: Value<'_>, key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
    let row = |item| keys.iter().map(|key| text(item, key)).collect();
    let mut rows: Vec<Vec<_>> = value.get(of).into_iter().flat_map(Value::items).map(row).collect();
    rows.sort();
    rows
}
