//! Suite `native-proto`: objects of native kinds as JSON and as protobuf.

use super::Suite;
use crate::answer::Answer;
use crate::case::Case;
use crate::score::Score;
use crdkit_native::protobuf;
use crdkit_text::base64::Base64;
use crdkit_value::{Document, Limits, Value};

pub(crate) const SUITE: Suite = Suite {
    name: "native-proto",
    cases: "native/native-proto.jsonl.gz",
    crds: None,
    prepare: |_| Ok(Box::new(answer)),
    score,
};

fn answer(case: &Case) -> Vec<u8> {
    let mut answer = Answer::to(&case.id);
    let body = Base64::Standard.decode(case.text("pb")).unwrap_or_default();
    match protobuf::decode(&body, &Limits::default()) {
        Ok(document) => answer = answer.value("json", document.root()),
        Err(error) => answer = answer.string("error", &error.to_string()),
    }
    if let Some(Ok(body)) = case.get("json").map(protobuf::encode) {
        answer = answer.string("pb", &Base64::Standard.encode(&body));
    }
    answer.finish()
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    let got = |key| answer.root().get(key);
    score.add("decode", case.get("json").is_some() && got("json") == case.get("json"), &case.id);
    if case.get("oneWay").and_then(Value::as_bool) != Some(true) {
        score.add("encode", got("pb") == case.get("pb"), &case.id);
    }
}
