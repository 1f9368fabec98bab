//! Bench `decode`: bytes to a document, dropping it included.

use crate::generate;
use crate::measure::{Entry, compare};
use anyhow::Result;
use crdkit_codec::{DecodeOptions, json, yaml};
use std::hint::black_box;
use std::path::Path;

#[expect(clippy::unnecessary_wraps, reason = "one signature for all stages")]
pub(crate) fn run(_corpus: &Path) -> Result<()> {
    let list = generate::list(4_000);
    let object = generate::object(0);
    json("JSON list", &list, 15, 1);
    json("JSON object", &object, 300, 200);
    yaml("YAML list", &to_yaml(&list), 5, 1);
    yaml("YAML object", &to_yaml(&object), 100, 100);
    Ok(())
}

fn json(title: &str, text: &str, rounds: usize, repeat: usize) {
    let plain = DecodeOptions::default();
    let positions = DecodeOptions::new().positions(true);
    let bytes = text.as_bytes();
    compare(
        title,
        bytes.len() * repeat,
        rounds,
        "serde_json",
        vec![
            Entry::new("crdkit", repeat, move || {
                drop(black_box(json::decode(bytes, &plain)));
            }),
            Entry::new("crdkit with positions", repeat, move || {
                drop(black_box(json::decode(bytes, &positions)));
            }),
            Entry::new("serde_json", repeat, move || {
                drop(black_box(serde_json::from_slice::<serde_json::Value>(bytes)));
            }),
        ],
    );
}

fn yaml(title: &str, text: &str, rounds: usize, repeat: usize) {
    let options = DecodeOptions::default();
    let bytes = text.as_bytes();
    compare(
        title,
        bytes.len() * repeat,
        rounds,
        "serde_yaml",
        vec![
            Entry::new("crdkit", repeat, move || {
                drop(black_box(yaml::decode(bytes, &options)));
            }),
            Entry::new("serde_yaml", repeat, move || {
                drop(black_box(serde_yaml::from_slice::<serde_yaml::Value>(bytes)));
            }),
            Entry::new("serde-saphyr", repeat, move || {
                drop(black_box(serde_saphyr::from_slice::<serde_json::Value>(bytes)));
            }),
        ],
    );
}

fn to_yaml(json_text: &str) -> String {
    let mut out = Vec::new();
    if let Ok(decoded) = json::decode(json_text.as_bytes(), &DecodeOptions::default()) {
        yaml::write(decoded.document.root(), &mut out);
    }
    String::from_utf8(out).unwrap_or_default()
}
