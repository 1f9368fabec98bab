//! Bench `validate`: the whole pipeline from bytes over objects that are accepted, and its parts.
//!
//! The peer parses the same bytes with `serde_json` and checks the schema with `jsonschema`: no unknown
//! fields, no pruning, no defaults, no list types, no rules.

use crate::corpus::Corpus;
use crate::measure::{allocations, compare_parts};
use anyhow::{Context as _, Result};
use crdkit_codec::{DecodeOptions, json};
use crdkit_engine::{Crd, RequestOptions, Version};
use crdkit_value::Value;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;

/// An object, what judges it, and its peer.
pub(crate) type Work<'w> = (Version<'w>, &'w jsonschema::Validator, &'w [u8]);

/// Objects that are measured together, and how often.
const PART: usize = 64;
const ROUNDS: usize = 15;

pub(crate) fn run(directory: &Path) -> Result<()> {
    let corpus = Corpus::load(directory)?;
    let compiled = Crd::compile_all(corpus.crds.iter().map(|(_, document)| document))?;
    let crds: BTreeMap<&str, &Crd> =
        corpus.crds.iter().map(|(name, _)| name.as_str()).zip(&compiled).collect();
    let peers: BTreeMap<(&str, String), jsonschema::Validator> = corpus
        .crds
        .iter()
        .flat_map(|(name, document)| {
            let versions =
                document.root().pointer("/spec/versions").into_iter().flat_map(Value::items);
            versions.filter_map(move |version| {
                let schema = crate::corpus::compact(version.pointer("/schema/openAPIV3Schema")?);
                let validator =
                    jsonschema::validator_for(&serde_json::from_slice(&schema).ok()?).ok()?;
                Some(((name.as_str(), version.get("name")?.as_str()?.to_owned()), validator))
            })
        })
        .collect();
    let work: Vec<Work<'_>> = corpus
        .objects
        .iter()
        .filter_map(|(name, version, body)| {
            let ours = crds.get(name.as_str())?.version(version)?;
            let peer = peers.get(&(name.as_str(), version.clone()))?;
            Some((ours, peer, body.as_slice()))
        })
        .collect();
    let bytes: usize = work.iter().map(|(.., body)| body.len()).sum();
    let n_objects = work.len();
    println!(
        "{n_objects} objects, {} bytes in the mean",
        bytes.checked_div(n_objects).context("no objects")?
    );
    let options = RequestOptions::default();
    let decode = DecodeOptions::default();
    let create = |work: &[Work<'_>]| {
        for (version, _, body) in work {
            drop(black_box(version.create(*body, &options)));
        }
    };
    let peer = |work: &[Work<'_>]| {
        for (_, peer, body) in work {
            if let Ok(value) = serde_json::from_slice(body) {
                black_box(peer.is_valid(&value));
            }
        }
    };
    let decode_only = |work: &[Work<'_>]| {
        for (.., body) in work {
            drop(black_box(json::decode(body, &decode)));
        }
    };
    let parts: Vec<&[Work<'_>]> = work.chunks(PART).collect();
    let part = |at: usize| parts.get(at).copied().unwrap_or_default();
    compare_parts(
        "validate",
        bytes,
        ROUNDS,
        "serde_json + jsonschema",
        parts.len(),
        vec![
            ("crdkit, whole pipeline", Box::new(|at| create(part(at)))),
            ("crdkit, decode only", Box::new(|at| decode_only(part(at)))),
            ("serde_json + jsonschema", Box::new(|at| peer(part(at)))),
        ],
    );
    crate::stages::print(&parts, &options, ROUNDS);
    let ((), ours) = allocations(|| create(&work));
    let ((), theirs) = allocations(|| peer(&work));
    println!(
        "allocations for each object: crdkit {:.1}, peer {:.1}",
        ours.each(n_objects),
        theirs.each(n_objects)
    );
    let untouched = work.iter().filter_map(|(version, _, body)| {
        let (outcome, count) = allocations(|| version.create(*body, &options));
        let count = outcome.changes.defaulted.is_empty().then_some(count.count)?;
        Some((count, version.crd().kind(), *body))
    });
    if let Some((most, kind, body)) = untouched.max_by_key(|(count, ..)| *count) {
        println!("most for an object without defaults: {most} ({kind}, {} bytes)", body.len());
    }
    Ok(())
}
