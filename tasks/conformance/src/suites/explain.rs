//! Suite `explain`: every path of every version is found again by what people would write for it.

use super::{Answerer, Suite};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_schema::lookup::{self, LookupStep};
use crdkit_schema::read;
use crdkit_value::{Document, Value};

pub(crate) const SUITE: Suite = Suite {
    name: "explain",
    cases: "crds.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(answer)) },
    score,
};

fn answer(case: &Case) -> Vec<u8> {
    let document = case.get("crd").map(Document::copy_of).unwrap_or_default();
    let (crd, _) = read::crd(document.root());
    let (mut written, mut short, mut lost) = (0, 0, Vec::new());
    for (index, version) in crd.spec.versions.iter().enumerate() {
        let Some(root) = crd.schema(index) else { continue };
        for (steps, id) in lookup::paths(&crd.schemas, root) {
            let text = lookup::print(&steps);
            let found = |steps: &[LookupStep]| lookup::find(&crd.schemas, root, steps);
            match found(&lookup::parse(&text)) {
                Ok(place) if place.schema == id && place.steps == steps => written += 1,
                _ => lost.push(format!("{} {text}", version.name)),
            }
            // `kubectl explain` leaves out the steps into lists and maps.
            let names: Vec<_> =
                steps.into_iter().filter(|step| *step != LookupStep::Each).collect();
            short += i64::from(found(&names).is_ok());
        }
    }
    Answer::to(&case.id).int("found", written).int("short", short).strings("lost", &lost).finish()
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    let name = case.text("name");
    let count = |key| answer.root().get(key).and_then(Value::as_i64).unwrap_or_default();
    let lost: Vec<_> = answer.root().get("lost").into_iter().flat_map(Value::items).collect();
    score.add("answered", answer.root().get("found").is_some(), name);
    for path in 0..count("found") {
        score.add("paths", true, name);
        score.add("without []", path < count("short"), name);
    }
    for path in lost {
        score.add("paths", false, &format!("{name} {}", path.as_str().unwrap_or_default()));
    }
}
