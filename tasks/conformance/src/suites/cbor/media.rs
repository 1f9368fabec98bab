//! Suites `cbor-accept` and `cbor-content-type`: which format a response has, and which one a request is in.

use super::super::{Answerer, Suite};
use super::{is, same};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_codec::media::{Clause, Offer, parse_accept, request_type};
use crdkit_value::Document;
use std::fmt::Write as _;

pub(crate) const ACCEPT: Suite = Suite {
    name: "cbor-accept",
    cases: "cbor/negotiate_accept.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(accept)) },
    score: score_accept,
};

pub(crate) const CONTENT_TYPE: Suite = Suite {
    name: "cbor-content-type",
    cases: "cbor/negotiate_content_type.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(content_type)) },
    score: score_content_type,
};

fn accept(case: &Case) -> Vec<u8> {
    let gate = is(case, "cbor_gate");
    let offer = match case.text("endpoint") {
        "builtin" => Offer::builtin(gate),
        "crd" => Offer::custom_resource(gate),
        _ => Offer::plain(gate),
    };
    let header = case.text("accept");
    let clauses: Vec<String> = parse_accept(header).iter().map(clause).collect();
    let answer = Answer::to(&case.id).strings("sorted_clauses", &clauses);
    let watch = is(case, "watch");
    match if watch { offer.watch(header) } else { offer.response(header) } {
        Err(error) => answer.string("error", &error.to_string()),
        Ok(response) => {
            let answer = answer
                .string("media_type", response.media_type.name())
                .string("response_content_type", response.content_type());
            // What the events of a watch are converted to was not recorded.
            match response.convert.filter(|_| !watch) {
                None => answer,
                Some(to) => answer
                    .string("convert", &format!("{}/{}, Kind={}", to.group, to.version, to.kind)),
            }
        }
    }
    .finish()
}

/// A clause the way Go's parser prints it.
fn clause(clause: &Clause) -> String {
    let mut text = format!("{}/{}", clause.kind, clause.subtype);
    for (key, value) in &clause.parameters {
        let _ = write!(text, ";{key}={value}");
    }
    let _ = write!(text, " q={}", clause.quality);
    text
}

fn score_accept(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    for key in ["media_type", "response_content_type", "convert", "error"] {
        if case.get(key).is_some() || answer.root().get(key).is_some() {
            score.add(key, same(case, answer, key), &case.id);
        }
    }
    if case.get("sorted_clauses").is_some() {
        score.add("clauses", same(case, answer, "sorted_clauses"), &case.id);
    }
}

fn content_type(case: &Case) -> Vec<u8> {
    let offer = Offer::builtin(is(case, "cbor_gate"));
    let answer = Answer::to(&case.id);
    match request_type(case.text("content_type"), &offer, is(case, "streaming")) {
        Ok(media_type) => answer.string("media_type", media_type.name()),
        Err(error) => answer.string("error", &error.to_string()),
    }
    .finish()
}

fn score_content_type(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    score.add("media_type", same(case, answer, "media_type"), &case.id);
    score.add("error", same(case, answer, "error"), &case.id);
}
