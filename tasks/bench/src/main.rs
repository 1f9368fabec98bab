//! `cargo run --release -p bench -- STAGE` measures crdkit and its peers alternately in one process
//! and prints the ratios. Figures depend on the machine; ratios hardly do.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "measuring needs a clock")]

mod decode;
mod generate;
mod measure;

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("decode") => decode::run(),
        _ => {
            eprintln!("usage: bench STAGE\n\nstages: decode");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
