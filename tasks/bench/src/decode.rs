//! Bench `decode`: bytes to a document, dropping it included.

use crate::generate;
use crate::measure::{Entry, compare};
use crdkit::codec::{DecodeOptions, json};
use std::hint::black_box;

pub(crate) fn run() {
    let list = generate::list(4_000);
    let object = generate::object(0);
    json("JSON list", &list, 15, 1);
    json("JSON object", &object, 300, 200);
}

fn json(title: &str, text: &str, rounds: usize, repeat: usize) {
    let plain = DecodeOptions::default();
    let positions = DecodeOptions { positions: true, ..DecodeOptions::default() };
    let bytes = text.as_bytes();
    compare(
        title,
        bytes.len() * repeat,
        rounds,
        "serde_json",
        vec![
            entry("crdkit", repeat, move || drop(black_box(json::decode(bytes, &plain)))),
            entry("crdkit with positions", repeat, move || {
                drop(black_box(json::decode(bytes, &positions)));
            }),
            entry("serde_json", repeat, move || {
                drop(black_box(serde_json::from_slice::<serde_json::Value>(bytes)));
            }),
        ],
    );
}

fn entry<'a>(name: &'a str, repeat: usize, mut run: impl FnMut() + 'a) -> Entry<'a> {
    Entry { name, run: Box::new(move || (0..repeat).for_each(|_| run())) }
}
