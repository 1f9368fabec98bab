//! Bench `cbor`: an object to CBOR and back, with other crates' values beside.
//!
//! Peers get the same object as their own encoder writes it, because not all of them read every shortest
//! float. None of them sorts keys, keeps positions or refuses duplicates; `crdkit sorted` and decoding do.

use crate::generate;
use crate::measure::{Entry, compare};
use cbor4ii::core::Value as Cbor4ii;
use crdkit::codec::{DecodeOptions, cbor, json};
use std::hint::black_box;

pub(crate) fn run() {
    // A file may be named instead of the generated object.
    let text = match std::env::args().nth(2) {
        Some(path) => std::fs::read_to_string(path).unwrap_or_default(),
        None => generate::list(4),
    };
    let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) else { return };
    let Ok(decoded) = json::decode(text.as_bytes(), &DecodeOptions::default()) else { return };
    let document = decoded.document;
    let mut item = Vec::new();
    if cbor::encode(document.root(), cbor::Order::Sorted, &mut item).is_err() {
        return;
    }
    let peers_item = cbor4ii::serde::to_vec(Vec::new(), &value).unwrap_or_default();
    decode(&text, &item, &peers_item);
    encode(&document, &value, &peers_item);
}

fn decode(text: &str, item: &[u8], peers_item: &[u8]) {
    const REPEAT: usize = 50;
    let plain = DecodeOptions::default();
    let positions = DecodeOptions { positions: true, ..DecodeOptions::default() };
    compare(
        "CBOR decode",
        item.len() * REPEAT,
        300,
        "cbor4ii",
        vec![
            entry("crdkit", REPEAT, || drop(black_box(cbor::decode(item, &plain)))),
            entry("crdkit with positions", REPEAT, || {
                drop(black_box(cbor::decode(item, &positions)));
            }),
            entry("cbor4ii", REPEAT, || {
                drop(black_box(cbor4ii::serde::from_slice::<Cbor4ii>(peers_item)));
            }),
            entry("ciborium", REPEAT, || {
                drop(black_box(ciborium::from_reader::<ciborium::Value, _>(peers_item)));
            }),
            entry("minicbor-serde", REPEAT, || {
                drop(black_box(minicbor_serde::from_slice::<serde_json::Value>(peers_item)));
            }),
            entry("serde_json", REPEAT, || {
                drop(black_box(serde_json::from_str::<serde_json::Value>(text)));
            }),
        ],
    );
}

fn encode(document: &crdkit::value::Document, value: &serde_json::Value, peers_item: &[u8]) {
    const REPEAT: usize = 100;
    let Ok(cbor4ii_value) = cbor4ii::serde::from_slice::<Cbor4ii>(peers_item) else { return };
    let Ok(ciborium_value) = ciborium::from_reader::<ciborium::Value, _>(peers_item) else {
        return;
    };
    let crdkit = |order| {
        let mut out = Vec::new();
        let _ = cbor::encode(document.root(), order, &mut out);
        black_box(out);
    };
    compare(
        "CBOR encode",
        peers_item.len() * REPEAT,
        300,
        "cbor4ii",
        vec![
            entry("crdkit sorted", REPEAT, || crdkit(cbor::Order::Sorted)),
            entry("crdkit rotated", REPEAT, || crdkit(cbor::Order::Rotated(0x9E37_79B9_7F4A_7C15))),
            entry("cbor4ii", REPEAT, || {
                drop(black_box(cbor4ii::serde::to_vec(Vec::new(), &cbor4ii_value)));
            }),
            entry("ciborium", REPEAT, || {
                let mut out = Vec::new();
                let _ = ciborium::into_writer(&ciborium_value, &mut out);
                black_box(out);
            }),
            entry("minicbor-serde", REPEAT, || {
                drop(black_box(minicbor_serde::to_vec(value)));
            }),
            entry("serde_json", REPEAT, || {
                drop(black_box(serde_json::to_vec(value)));
            }),
        ],
    );
}

fn entry<'a>(name: &'a str, repeat: usize, mut run: impl FnMut() + 'a) -> Entry<'a> {
    Entry { name, run: Box::new(move || (0..repeat).for_each(|_| run())) }
}
