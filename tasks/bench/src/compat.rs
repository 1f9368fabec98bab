//! Bench `compat`: real upgrades of CRDs, one pair after the other, in both modes.
//!
//! A pair is compared from decoded documents, as the command line has them. Printed are the mean and the
//! slowest pair, each the best of a few rounds.

use crate::corpus::{compact, lines};
use anyhow::{Context as _, Result};
use crdkit_compat::{crdify, semantic};
use crdkit_schema::read;
use crdkit_value::{Document, Value};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;

pub(crate) fn run(directory: &Path) -> Result<()> {
    let path = directory.join("compat.jsonl.gz");
    let mut pairs = Vec::new();
    for line in lines(&path).context("this stage needs recorded upgrades")? {
        let side = |key| line.root().get(key).map(Document::copy_of).unwrap_or_default();
        let id = line.root().get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        pairs.push((id, side("old"), side("new")));
    }
    let size = |document: &Document| compact(document.root()).len();
    let bytes: usize = pairs.iter().map(|(_, old, new)| size(old) + size(new)).sum();
    println!("{} pairs, {} bytes a pair", pairs.len(), bytes / pairs.len().max(1));
    measure("crdify", &pairs, |old, new| {
        let (old, new) = (read::crd(old.root()).0, read::crd(new.root()).0);
        drop(black_box(crdify::compare(&old, &new, &crdify::Config::default())));
    });
    measure("semantic", &pairs, |old, new| drop(black_box(semantic::compare(old, new))));
    Ok(())
}

fn measure(mode: &str, pairs: &[(String, Document, Document)], run: impl Fn(&Document, &Document)) {
    let mut times = Vec::new();
    for (id, old, new) in pairs {
        let mut best = Duration::MAX;
        for _ in 0..ROUNDS {
            let started = Instant::now();
            run(old, new);
            best = best.min(started.elapsed());
        }
        times.push((best, id));
    }
    let total: Duration = times.iter().map(|(time, _)| *time).sum();
    let mean =
        total.as_secs_f64() * 1e3 / f64::from(u32::try_from(times.len().max(1)).unwrap_or(1));
    times.sort();
    println!("  {mode:<10} {mean:>8.3} ms a pair");
    for (time, id) in times.iter().rev().take(3) {
        println!("    slowest {:>8.3} ms  {id}", time.as_secs_f64() * 1e3);
    }
}
