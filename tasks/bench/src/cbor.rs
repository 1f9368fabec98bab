//! Bench `cbor`: an object to CBOR and back, with other crates' values beside.
//!
//! Peers get the same object as their own encoder writes it, because not all of them read every shortest
//! float. None of them sorts keys, keeps positions or refuses duplicates; `crdkit sorted` and decoding do.

use crate::generate;
use crate::measure::{Entry, compare};
use anyhow::{Result, anyhow};
use cbor4ii::core::Value as Cbor4ii;
use crdkit::codec::{DecodeOptions, cbor, json};
use std::hint::black_box;
use std::path::Path;

pub(crate) fn run(corpus: &Path) -> Result<()> {
    let recorded = std::fs::read_to_string(corpus.join("cbor/bench-cr.json"));
    let text = recorded.unwrap_or_else(|_| generate::list(4));
    let value: serde_json::Value = serde_json::from_str(&text)?;
    let decoded = json::decode(text.as_bytes(), &DecodeOptions::default());
    let document = decoded.map_err(|issue| anyhow!("{issue}"))?.document;
    let mut item = Vec::new();
    cbor::encode(document.root(), cbor::Order::Sorted, &mut item)
        .map_err(|issue| anyhow!("{issue:?}"))?;
    let peers_item = cbor4ii::serde::to_vec(Vec::new(), &value).unwrap_or_default();
    decode(&text, &item, &peers_item);
    encode(&document, &value, &peers_item);
    Ok(())
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
            Entry::new("crdkit", REPEAT, || drop(black_box(cbor::decode(item, &plain)))),
            Entry::new("crdkit with positions", REPEAT, || {
                drop(black_box(cbor::decode(item, &positions)));
            }),
            Entry::new("cbor4ii", REPEAT, || {
                drop(black_box(cbor4ii::serde::from_slice::<Cbor4ii>(peers_item)));
            }),
            Entry::new("ciborium", REPEAT, || {
                drop(black_box(ciborium::from_reader::<ciborium::Value, _>(peers_item)));
            }),
            Entry::new("minicbor-serde", REPEAT, || {
                drop(black_box(minicbor_serde::from_slice::<serde_json::Value>(peers_item)));
            }),
            Entry::new("crdkit, the same as JSON", REPEAT, || {
                drop(black_box(json::decode(text.as_bytes(), &plain)));
            }),
            Entry::new("serde_json", REPEAT, || {
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
            Entry::new("crdkit sorted", REPEAT, || crdkit(cbor::Order::Sorted)),
            Entry::new("crdkit rotated", REPEAT, || {
                crdkit(cbor::Order::Rotated(0x9E37_79B9_7F4A_7C15));
            }),
            Entry::new("cbor4ii", REPEAT, || {
                drop(black_box(cbor4ii::serde::to_vec(Vec::new(), &cbor4ii_value)));
            }),
            Entry::new("ciborium", REPEAT, || {
                let mut out = Vec::new();
                let _ = ciborium::into_writer(&ciborium_value, &mut out);
                black_box(out);
            }),
            Entry::new("minicbor-serde", REPEAT, || {
                drop(black_box(minicbor_serde::to_vec(value)));
            }),
            Entry::new("serde_json", REPEAT, || {
                drop(black_box(serde_json::to_vec(value)));
            }),
        ],
    );
}
