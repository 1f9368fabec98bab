//! `cargo run --release -p bench -- STAGE` measures crdkit and its peers alternately in one process
//! and prints the ratios. Figures depend on the machine; ratios hardly do.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "measuring needs a clock")]

mod cbor;
mod decode;
mod generate;
mod measure;

use std::process::ExitCode;

const STAGES: &[(&str, fn())] = &[("decode", decode::run), ("cbor", cbor::run)];

fn main() -> ExitCode {
    let stage = std::env::args().nth(1).unwrap_or_default();
    let Some((_, run)) = STAGES.iter().find(|(name, _)| *name == stage) else {
        let names: Vec<_> = STAGES.iter().map(|(name, _)| *name).collect();
        eprintln!("usage: bench STAGE\n\nstages: {}", names.join(", "));
        return ExitCode::from(2);
    };
    run();
    ExitCode::SUCCESS
}
