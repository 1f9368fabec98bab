//! Bench `cbor`: an object and a list to CBOR and back, with other crates' values beside.
//!
//! Peers get the same object as their own encoder writes it, because not all of them read every shortest
//! float. None of them sorts keys, keeps positions or refuses duplicates; `crdkit sorted` and decoding do.
//! Behind each table stand the ratios that matter: to the fastest peer, and to this project's own JSON.

use crate::generate;
use crate::measure::{Entry, Times, compare};
use anyhow::{Result, anyhow};
use cbor4ii::core::Value as Cbor4ii;
use crdkit_codec::{DecodeOptions, cbor, json};
use crdkit_value::Document;
use std::hint::black_box;
use std::path::Path;

const PEERS: [&str; 3] = ["cbor4ii", "ciborium", "minicbor-serde"];
const SORTED: &str = "crdkit sorted";
const ROTATED: &str = "crdkit rotated";
const IN_ORDER: &str = "crdkit sorted, was in order";
const JSON: &str = "crdkit, the same as JSON";
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

pub(crate) fn run(corpus: &Path) -> Result<()> {
    let recorded = std::fs::read_to_string(corpus.join("cbor/bench-cr.json"));
    let text = recorded.unwrap_or_else(|_| generate::object(0));
    both("object", &text, 300, 50)?;
    both("list", &generate::list(400), 30, 8)
}

fn both(title: &str, text: &str, rounds: usize, repeat: usize) -> Result<()> {
    let value: serde_json::Value = serde_json::from_str(text)?;
    let decoded = json::decode(text.as_bytes(), &DecodeOptions::default());
    let document = decoded.map_err(|issue| anyhow!("{issue}"))?.document;
    let peers_item = cbor4ii::serde::to_vec(Vec::new(), &value)?;
    decode(&format!("CBOR decode, {title}"), text, &document, &peers_item, (rounds, repeat))?;
    encode(&format!("CBOR encode, {title}"), &document, &value, &peers_item, (rounds, repeat))
}

fn decode(
    title: &str,
    text: &str,
    document: &Document,
    peers_item: &[u8],
    (rounds, repeat): (usize, usize),
) -> Result<()> {
    let write = |order| {
        let mut out = Vec::new();
        cbor::encode(document.root(), order, &mut out).map(|()| out).map_err(|e| anyhow!("{e}"))
    };
    let (sorted, rotated) = (write(cbor::Order::Sorted)?, write(cbor::Order::Rotated(SEED))?);
    let plain = DecodeOptions::default();
    let positions = DecodeOptions::new().positions(true);
    let times = compare(
        title,
        sorted.len() * repeat,
        rounds,
        "cbor4ii",
        vec![
            Entry::new(SORTED, repeat, || drop(black_box(cbor::decode(&sorted, &plain)))),
            Entry::new(ROTATED, repeat, || drop(black_box(cbor::decode(&rotated, &plain)))),
            Entry::new("crdkit with positions", repeat, || {
                drop(black_box(cbor::decode(&sorted, &positions)));
            }),
            Entry::new("cbor4ii", repeat, || {
                drop(black_box(cbor4ii::serde::from_slice::<Cbor4ii>(peers_item)));
            }),
            Entry::new("ciborium", repeat, || {
                drop(black_box(ciborium::from_reader::<ciborium::Value, _>(peers_item)));
            }),
            Entry::new("minicbor-serde", repeat, || {
                drop(black_box(minicbor_serde::from_slice::<serde_json::Value>(peers_item)));
            }),
            Entry::new(JSON, repeat, || {
                drop(black_box(json::decode(text.as_bytes(), &plain)));
            }),
            Entry::new("serde_json", repeat, || {
                drop(black_box(serde_json::from_str::<serde_json::Value>(text)));
            }),
        ],
    );
    conclude(&times, &[SORTED, ROTATED]);
    Ok(())
}

fn encode(
    title: &str,
    document: &Document,
    value: &serde_json::Value,
    peers_item: &[u8],
    (rounds, repeat): (usize, usize),
) -> Result<()> {
    let cbor4ii_value = cbor4ii::serde::from_slice::<Cbor4ii>(peers_item)?;
    let ciborium_value = ciborium::from_reader::<ciborium::Value, _>(peers_item)?;
    let crdkit = |document: &Document, order| {
        let mut out = Vec::new();
        let _ = cbor::encode(document.root(), order, &mut out);
        black_box(out)
    };
    let stored = crdkit(document, cbor::Order::Sorted);
    let stored = cbor::decode(&stored, &DecodeOptions::default());
    let stored = stored.map_err(|issue| anyhow!("{issue}"))?.document;
    let times = compare(
        title,
        peers_item.len() * repeat,
        rounds,
        "cbor4ii",
        vec![
            Entry::new(SORTED, repeat, || drop(crdkit(document, cbor::Order::Sorted))),
            Entry::new(IN_ORDER, repeat, || drop(crdkit(&stored, cbor::Order::Sorted))),
            Entry::new(ROTATED, repeat, || drop(crdkit(document, cbor::Order::Rotated(SEED)))),
            Entry::new("cbor4ii", repeat, || {
                drop(black_box(cbor4ii::serde::to_vec(Vec::new(), &cbor4ii_value)));
            }),
            Entry::new("ciborium", repeat, || {
                let mut out = Vec::new();
                let _ = ciborium::into_writer(&ciborium_value, &mut out);
                black_box(out);
            }),
            Entry::new("minicbor-serde", repeat, || {
                drop(black_box(minicbor_serde::to_vec(value)));
            }),
            Entry::new(JSON, repeat, || {
                let mut out = Vec::new();
                json::write(document.root(), json::Layout::Compact, &mut out);
                black_box(out);
            }),
            Entry::new("serde_json", repeat, || {
                drop(black_box(serde_json::to_vec(value)));
            }),
        ],
    );
    conclude(&times, &[SORTED, IN_ORDER, ROTATED]);
    Ok(())
}

/// The ratios that are wanted: below one to the fastest peer, above two to JSON when decoding.
fn conclude(times: &Times<'_>, names: &[&str]) {
    let fastest = PEERS.iter().map(|peer| times.of(peer)).fold(f64::INFINITY, f64::min);
    for name in names {
        let (own, json) = (times.of(name), times.of(JSON));
        println!(
            "  {name}: {:.3} of the fastest peer, {:.2} times as fast as JSON",
            own / fastest,
            json / own
        );
    }
    println!();
}
