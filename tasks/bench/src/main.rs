//! `cargo run --release -p bench -- STAGE [CORPUS]` measures crdkit and its peers alternately in one
//! process and prints the ratios. Figures depend on the machine; ratios hardly do. Stages that need real
//! CRDs and objects take them from the directory CORPUS, or from the fixtures when it is not there.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "measuring needs a clock and files")]
#![expect(clippy::cast_precision_loss, reason = "figures are rounded anyway")]

mod cbor;
mod cel;
mod cli;
mod compat;
mod compile;
mod corpus;
mod decode;
mod generate;
mod measure;
mod patch;
mod serve;
mod stages;
mod store;
mod stream;
mod validate;
mod webhook;

use anyhow::Result;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::path::Path;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

type Stage = fn(&Path) -> Result<()>;

const STAGES: &[(&str, Stage)] = &[
    ("decode", decode::run),
    ("cbor", cbor::run),
    ("cel", cel::run),
    ("compile", compile::run),
    ("compat", compat::run),
    ("validate", validate::run),
    ("patch", patch::run),
    ("stream", stream::run),
    ("cli", cli::run),
    ("store", store::run),
    ("serve", serve::run),
    ("webhook", webhook::run),
];

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let stage = args.next().unwrap_or_default();
    let corpus = args.next().unwrap_or("../shared/corpus".into());
    let Some((_, run)) = STAGES.iter().find(|(name, _)| *name == stage) else {
        let names: Vec<_> = STAGES.iter().map(|(name, _)| *name).collect();
        eprintln!("usage: bench STAGE [CORPUS]\n\nstages: {}", names.join(", "));
        return ExitCode::from(2);
    };
    match run(Path::new(&corpus)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(3)
        }
    }
}
