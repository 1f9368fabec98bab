//! What must hold for every input, as functions of bytes that panic where it does not.
//!
//! `fuzz/fuzz_targets/` hands these functions to libFuzzer; [`drive`] tries them on the project's fixtures and on
//! mutations of them, with nothing but a stable compiler.

mod change;
mod codecs;
mod compare;
pub mod drive;
mod edit;
mod kubernetes;
mod mutate;
mod native;
mod policy;
mod schema;
pub mod seeds;

use crdkit_codec::{Decoded, Format};
use seeds::Seeds;

/// A function of bytes, and where good bytes for it come from.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, which is that of the file in `fuzz/fuzz_targets/`.
    pub name: &'static str,
    /// Panics where something does not hold that must.
    pub run: fn(&[u8]),
    /// Bytes that get far.
    pub seeds: fn(&Seeds) -> &[Vec<u8>],
}

/// All of them.
pub const TARGETS: &[Target] = &[
    Target { name: "json", run: codecs::json, seeds: |seeds| &seeds.json },
    Target { name: "yaml", run: codecs::yaml, seeds: |seeds| &seeds.yaml },
    Target { name: "cbor", run: codecs::cbor, seeds: |seeds| &seeds.cbor },
    Target { name: "cel", run: kubernetes::cel, seeds: |seeds| &seeds.cel },
    Target { name: "crd", run: kubernetes::crd, seeds: |seeds| &seeds.yaml },
    Target { name: "request", run: kubernetes::request, seeds: |seeds| &seeds.requests },
    Target { name: "compat", run: compare::compat, seeds: |seeds| &seeds.pairs },
    Target { name: "sample", run: compare::sample, seeds: |seeds| &seeds.crds },
    Target { name: "schema", run: schema::schema, seeds: |seeds| &seeds.schemas },
    Target { name: "patch", run: change::patch, seeds: |seeds| &seeds.patches },
    Target { name: "apply", run: change::apply, seeds: |seeds| &seeds.applies },
    Target { name: "native", run: native::native, seeds: |seeds| &seeds.natives },
    Target { name: "protobuf", run: native::protobuf, seeds: |seeds| &seeds.protobuf },
    Target { name: "policy", run: policy::policy, seeds: |seeds| &seeds.policies },
];

/// Runs the target called `name`.
pub fn run(name: &str, bytes: &[u8]) {
    if let Some(target) = TARGETS.iter().find(|target| target.name == name) {
        (target.run)(bytes);
    }
}

/// How much is accepted: enough for what fuzzers find, little enough to try much.
fn options() -> crdkit_codec::DecodeOptions {
    let mut options = crdkit_codec::DecodeOptions::default();
    options.limits.bytes = 1 << 20;
    options.limits.nodes = 100_000;
    options
}

/// All documents that can be read, in whatever format they look like.
fn documents(bytes: &[u8]) -> Vec<Decoded> {
    Format::of_bytes(bytes).documents(bytes, &options()).flatten().collect()
}
