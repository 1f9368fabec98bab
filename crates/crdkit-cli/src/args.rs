//! The command line as typed.

use crate::format::Format;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// One engine for Kubernetes custom resources.
#[derive(Debug, Parser)]
#[command(name = "crdkit", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 fine, 1 findings, 2 wrong usage, 3 could not do the work.")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Convert(Convert),
}

/// Convert between JSON, YAML and NDJSON, read the way Kubernetes reads them
///
/// Reads files, directories (all files with a known ending, in order) or standard input and writes
/// every document they hold. Findings go to standard error with line, column and a caret.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  crdkit convert deploy.yaml                     YAML to JSON on standard output
  crdkit convert --to yaml list.json -o list.yaml
  cat events.ndjson | crdkit convert --from ndjson --to yaml -
")]
pub(crate) struct Convert {
    /// Files or directories; `-` is standard input
    #[arg(value_name = "PATH", default_value = "-")]
    pub(crate) paths: Vec<PathBuf>,

    /// Format of the input [default: by file name, then by content]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<Format>,

    /// Format of the output [default: by the name of the output file, otherwise json]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<Format>,

    /// Write to a file, which is replaced only when all of the output has been written
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Write JSON without line breaks and indentation
    #[arg(long)]
    pub(crate) compact: bool,

    /// What to make of a key that an object has more than once
    #[arg(long, value_name = "POLICY", default_value = "error")]
    pub(crate) duplicates: Duplicates,
}

/// `--duplicates`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Duplicates {
    /// Report each repetition; the last value stays, as in Kubernetes
    Error,
    /// Keep the last value and say nothing
    LastWins,
    /// Keep the first value and say nothing
    FirstWins,
}

impl From<Duplicates> for crdkit::value::Duplicates {
    fn from(duplicates: Duplicates) -> Self {
        match duplicates {
            Duplicates::Error => Self::Error,
            Duplicates::LastWins => Self::LastWins,
            Duplicates::FirstWins => Self::FirstWins,
        }
    }
}
