//! Suite `sample`: the samples of every served version, and whether the API server would take them.
//!
//! The question is not a recorded verdict but the engine's own, which the other suites hold against
//! recorded ones. What is judged is the text as printed, comments and all.

use super::{Answerer, Suite};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_codec::{DecodeOptions, yaml};
use crdkit_engine::{Crd, RequestOptions};
use crdkit_sample::{Extent, Sampler, annotate};
use crdkit_value::{Document, Value};

pub(crate) const SUITE: Suite = Suite {
    name: "sample",
    cases: "crds.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(answer)) },
    score,
};

const EXTENTS: [(&str, Extent); 3] =
    [("minimal", Extent::Minimal), ("usual", Extent::Usual), ("all", Extent::All)];

fn answer(case: &Case) -> Vec<u8> {
    let answer = Answer::to(&case.id);
    let document = case.get("crd").map(Document::copy_of).unwrap_or_default();
    let (Ok(sampler), Ok(crd)) = (Sampler::new(&document), Crd::compile(&document)) else {
        return answer.finish();
    };
    let versions = sampler.crd().spec.versions.iter().filter(|version| version.served);
    let wanted =
        versions.flat_map(|version| EXTENTS.map(|(name, extent)| (version.name, name, extent)));
    let answers = wanted.map(|(version, name, extent)| {
        let problem = problem(&sampler, &crd, version, extent);
        let answer = Answer::new().string("version", version).string("extent", name);
        answer.string("problem", &problem.unwrap_or_default())
    });
    answer.objects("samples", answers).finish()
}

/// What is wrong with a sample as it is printed.
fn problem(sampler: &Sampler<'_>, crd: &Crd, version: &str, extent: Extent) -> Option<String> {
    let Some(sample) = sampler.sample(version, extent) else { return Some("no sample".into()) };
    let schemas = &sampler.crd().schemas;
    let text = annotate::yaml(sample.document.root(), schemas, sampler.schema(version));
    let decoded = match yaml::decode(text.as_bytes(), &DecodeOptions::default()) {
        Ok(decoded) => decoded,
        Err(issue) => return Some(format!("unreadable: {issue}")),
    };
    if decoded.document != sample.document {
        return Some("the text says something else".into());
    }
    let outcome = crd.version(version)?.create(decoded, &RequestOptions::default());
    let problems: Vec<_> = outcome.issues.iter().map(ToString::to_string).collect();
    (!outcome.is_accepted()).then(|| problems.join("; "))
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    let name = case.text("name");
    let samples: Vec<_> = answer.root().get("samples").into_iter().flat_map(Value::items).collect();
    score.add("answered", !samples.is_empty(), name);
    for sample in samples {
        let text = |key| sample.get(key).and_then(Value::as_str).unwrap_or_default();
        let id = format!("{name} {}: {}", text("version"), text("problem"));
        score.add(text("extent"), text("problem").is_empty(), &id);
    }
}
