//! What suites about verdicts have in common: CRDs by name, verdicts as JSON, and their score.

use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::{Context as _, Result};
use crdkit_engine::{Crd, Outcome, Version};
use crdkit_schema::set::CrdSet;
use crdkit_schema::status::Status;
use crdkit_schema::{export, read};
use crdkit_structure::definitions;
use crdkit_value::{Document, Value};
use std::collections::BTreeMap;

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

    /// The same CRDs, each written down as OpenAPI documents and read again.
    pub(crate) fn through_openapi(crds: Option<&Cases>) -> Result<Self> {
        let crds = crds.context("this suite needs CRDs: name their file with `--crds`")?;
        let mut described = Vec::new();
        for case in crds.iter() {
            let document = case.get("crd").map(Document::copy_of).unwrap_or_default();
            let (crd, _) = read::crd(document.root());
            let only = [crd];
            let versions = only.iter().flat_map(|crd| crd.spec.versions.iter());
            let documents = versions.filter(|version| version.served).flat_map(|version| {
                let group = document.root().pointer("/spec/group").and_then(Value::as_str);
                let openapi = export::openapi(group.unwrap_or_default(), version.name, &only);
                definitions::crds_of_openapi(openapi.root())
            });
            let (set, _) = CrdSet::load(documents.collect::<Vec<_>>());
            let definition = set.iter().next().context("a recorded CRD describes no kind")?;
            let compiled = definition.compiled().ok().context("a CRD cannot be compiled")?;
            described.push((name(case), compiled.clone().into()));
        }
        Ok(Self(described.into_iter().collect()))
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
