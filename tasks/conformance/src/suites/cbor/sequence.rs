//! Suite `cbor-framer`: how a stream is cut into items, up to the first error and three reads beyond it.

use super::super::{Answerer, Suite};
use super::{hex, same, unhex};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_codec::DecodeError;
use crdkit_codec::cbor::{Frames, Rules};
use crdkit_value::Document;

pub(crate) const FRAMER: Suite = Suite {
    name: "cbor-framer",
    cases: "cbor/framer.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(answer)) },
    score,
};

fn answer(case: &Case) -> Vec<u8> {
    let stream = unhex(case.text("stream_hex"));
    // Few bytes at a time, so that most items come in parts.
    let mut frames = Frames::with_chunk_size(&*stream, 3, Rules::go_client_frames(), 1 << 30);
    let mut next = || match frames.next_frame() {
        Ok(Some((frame, _))) => Ok(hex(frame)),
        Ok(None) => Err("EOF".to_owned()),
        Err(DecodeError::Refused(issue)) => Err(issue.server_message()),
        Err(DecodeError::Io(error)) => Err(error.to_string()),
    };
    let mut items = Vec::new();
    let error = loop {
        match next() {
            Ok(item) => items.push(item),
            Err(error) => break error,
        }
    };
    let after: Vec<String> =
        (0..3).map(|_| next().unwrap_or_else(|error| format!("err: {error}"))).collect();
    let answer = Answer::to(&case.id).strings("frames", &items).string("error", &error);
    answer.strings("after_error", &after).finish()
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    score.add("frames", same(case, answer, "frames"), &case.id);
    score.add("error", same(case, answer, "error"), &case.id);
    if case.get("after_error").is_some() {
        score.add("after the error", same(case, answer, "after_error"), &case.id);
    }
}
