//! Suite `yaml`: what the Kubernetes YAML reader makes of a text, plain and strict.

use super::{Answerer, Suite};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_codec::{DecodeOptions, yaml};
use crdkit_value::{Document, NumberMode};

pub(crate) const SUITE: Suite =
    Suite { name: "yaml", cases: "yaml.jsonl.gz", crds: None, prepare, score };

#[expect(clippy::unnecessary_wraps, reason = "one signature for all suites")]
fn prepare(_crds: Option<&Cases>) -> Result<Answerer> {
    Ok(Box::new(answer))
}

fn answer(case: &Case) -> Vec<u8> {
    let answer = Answer::to(&case.id);
    // As text, because the recording spells large numbers out as Kubernetes does.
    let options = DecodeOptions::new().numbers(NumberMode::Text);
    match yaml::decode(case.text("yaml").as_bytes(), &options) {
        Err(issue) => answer.string("error", &issue.server_message()),
        Ok(decoded) => {
            let answer = answer.value("json", decoded.document.root());
            match decoded.issues.first() {
                Some(issue) => answer.string("strict_error", &issue.server_message()),
                None => answer,
            }
        }
    }
    .finish()
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    let answer = answer.root();
    let has = |key| answer.get(key).is_some();
    score.add("answered", true, &case.id);
    if case.get("error").is_some() {
        score.add("rejects", has("error"), &case.id);
        return;
    }
    let same = case.get("json").zip(answer.get("json")).is_some_and(|(want, got)| want == got);
    score.add("value", same, &case.id);
    let strict = case.get("strict_error").is_some() == has("strict_error");
    score.add("strict", strict, &case.id);
}
