//! Bench `compile`: all CRDs of the corpus, from decoded documents to something that validates.
//!
//! The peer builds a validator for each version's schema. It takes a pattern apart when it is built,
//! crdkit when it is first used.

use crate::corpus::{Corpus, compact};
use crate::measure::{Entry, allocations, compare};
use anyhow::Result;
use crdkit_engine::Crd;
use crdkit_value::{Document, Value};
use std::hint::black_box;
use std::path::Path;

pub(crate) fn run(directory: &Path) -> Result<()> {
    let corpus = Corpus::load(directory)?;
    let documents: Vec<Document> = corpus.crds.into_iter().map(|(_, document)| document).collect();
    let schemas: Vec<serde_json::Value> = documents
        .iter()
        .flat_map(|document| {
            document.root().pointer("/spec/versions").into_iter().flat_map(Value::items)
        })
        .filter_map(|version| version.pointer("/schema/openAPIV3Schema"))
        .filter_map(|schema| serde_json::from_slice(&compact(schema)).ok())
        .collect();
    let bytes = documents.iter().map(|document| compact(document.root()).len()).sum();
    println!("{} CRDs, {} schemas", documents.len(), schemas.len());
    let build = || Crd::compile_all(&documents);
    let peer = || schemas.iter().map(jsonschema::validator_for).collect::<Vec<_>>();
    let refused = peer().iter().filter(|built| built.is_err()).count();
    println!("jsonschema refuses {refused} of the schemas");
    compare(
        "compile",
        bytes,
        5,
        "jsonschema",
        vec![
            Entry::new("crdkit", 1, || drop(black_box(build()))),
            Entry::new("jsonschema", 1, || drop(black_box(peer()))),
        ],
    );
    let (_crds, ours) = allocations(build);
    let (_validators, theirs) = allocations(peer);
    ours.print("crdkit", &theirs);
    theirs.print("jsonschema", &theirs);
    Ok(())
}
