//! A short run over every target. `FUZZ_SEED` chooses other mutations, `FUZZ_MUTATIONS` more of them.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops where it is wrong")]
#![expect(clippy::disallowed_methods, reason = "the environment says how far a run goes")]

use fuzz::drive::drive;
use fuzz::seeds::Seeds;
use fuzz::{TARGETS, Target};
use std::path::Path;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}

#[track_caller]
fn check(name: &str, n_mutations: u64) {
    let target: &Target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let seeds = Seeds::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap();
    let seed = number("FUZZ_SEED", 1);
    let n_mutations = number("FUZZ_MUTATIONS", n_mutations);
    let n_mutations = usize::try_from(n_mutations).unwrap();
    if let Err(failure) = drive(target, &seeds, seed, |n| n < n_mutations) {
        let input = failure.input.escape_ascii();
        panic!("{name}: FUZZ_SEED={seed}, input {}: b\"{input}\"", failure.index);
    }
}

#[test]
fn json() {
    check("json", 20_000);
}

#[test]
fn yaml() {
    check("yaml", 20_000);
}

#[test]
fn cbor() {
    check("cbor", 20_000);
}

#[test]
fn cel() {
    check("cel", 20_000);
}

#[test]
fn crd() {
    check("crd", 5000);
}

#[test]
fn request() {
    check("request", 5000);
}

#[test]
fn compat() {
    check("compat", 300);
}

#[test]
fn sample() {
    check("sample", 300);
}

#[test]
fn schema() {
    check("schema", 5000);
}

#[test]
fn patch() {
    check("patch", 5000);
}

#[test]
fn apply() {
    check("apply", 3000);
}

#[test]
fn native() {
    check("native", 5000);
}

#[test]
fn protobuf() {
    check("protobuf", 20_000);
}

#[test]
fn policy() {
    check("policy", 3000);
}

#[test]
fn every_target_has_seeds_and_a_file_for_libfuzzer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let seeds = Seeds::read(&root).unwrap();
    let manifest = std::fs::read_to_string(root.join("fuzz/Cargo.toml")).unwrap();
    for Target { name, seeds: of, .. } in TARGETS {
        assert!(of(&seeds).len() > 2, "{name}");
        let path = format!("fuzz_targets/{name}.rs");
        assert!(manifest.contains(&path), "fuzz/Cargo.toml does not name {path}");
        let text = std::fs::read_to_string(root.join("fuzz").join(&path)).unwrap();
        assert!(text.contains(&format!("fuzz::run(\"{name}\", bytes)")), "{path}");
    }
}
