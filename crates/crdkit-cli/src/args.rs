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
    Validate(Validate),
    Lint(Lint),
    Compat(Compat),
    Convert(Convert),
}

/// Validate custom resources: the API server's verdict, offline
///
/// Every object goes through what the API server does on create: unknown fields, pruning, defaults,
/// schema, list types and CEL rules. With `--old`, objects are taken as updates of those of the same
/// name. CRDs among the inputs are used, and checked as `crdkit lint` does.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  crdkit validate --crds crds/ manifests/
  crdkit validate --crds crds/ --old live.yaml changed.yaml
  kustomize build . | crdkit validate --crds crds/ -
")]
pub(crate) struct Validate {
    /// Files or directories with objects; `-` is standard input
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,

    /// Files or directories with CRDs
    #[arg(long, value_name = "PATH")]
    pub(crate) crds: Vec<PathBuf>,

    /// Files or directories with the objects as they are now; objects are then updates of them
    #[arg(long, value_name = "PATH")]
    pub(crate) old: Vec<PathBuf>,

    /// What happens to fields that are unknown or given twice
    #[arg(long, value_name = "MODE", default_value = "strict")]
    pub(crate) field_validation: FieldValidation,

    /// Let objects pass that no CRD was given for
    #[arg(long)]
    pub(crate) ignore_missing_schemas: bool,

    /// How findings are shown
    #[arg(short, long, value_name = "FORMAT", default_value = "pretty")]
    pub(crate) output: Report,
}

/// Check CRDs themselves: everything the API server would refuse
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  crdkit lint crds/
  crdkit lint --old released/ crds/              as an update of the released ones
")]
pub(crate) struct Lint {
    /// Files or directories with CRDs; `-` is standard input
    #[arg(value_name = "CRD", default_value = "-")]
    pub(crate) paths: Vec<PathBuf>,

    /// Files or directories with the CRDs as they are now; CRDs are then updates of them
    #[arg(long, value_name = "PATH")]
    pub(crate) old: Vec<PathBuf>,

    /// How findings are shown
    #[arg(short, long, value_name = "FORMAT", default_value = "pretty")]
    pub(crate) output: Report,
}

/// Is a change of CRDs safe?
///
/// Compares the CRDs of two sources by name. In mode `crdify` every edit that could matter is listed, with
/// crdify's configuration and report. In mode `semantic` the question is what becomes of objects: each
/// answer is safe, unsafe with an object that shows it, or unknown with the reason. When each side
/// holds a single CRD the output is its report; otherwise there is one for each CRD that both sides
/// have, and those that were added or removed are listed.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Sources:
  PATH, file://PATH       a file or a directory; `-` is standard input
  git://REF?path=PATH     a file as it is in a revision of the repository here

Examples:
  crdkit compat --mode semantic released/ crds/
  crdkit compat --config crdify.yaml 'git://v1.2.0?path=crds/lamps.yaml' crds/lamps.yaml
")]
pub(crate) struct Compat {
    /// The CRDs as they are now
    #[arg(value_name = "OLD")]
    pub(crate) old: String,

    /// The CRDs as they are to be
    #[arg(value_name = "NEW")]
    pub(crate) new: String,

    /// What is compared
    #[arg(long, value_name = "MODE", default_value = "crdify")]
    pub(crate) mode: CompatMode,

    /// A configuration file of crdify
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// What an answer that is not known means in mode `semantic`
    #[arg(long, value_name = "VERDICT", default_value = "error")]
    pub(crate) on_unknown: OnUnknown,

    /// How the report is shown
    #[arg(short, long, value_name = "FORMAT", default_value = "plaintext")]
    pub(crate) output: CompatReport,
}

/// `--mode` of `compat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompatMode {
    /// Edits, as crdify lists them
    Crdify,
    /// What becomes of objects
    Semantic,
}

/// `--on-unknown` of `compat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnUnknown {
    /// It counts as unsafe
    Error,
    /// It is shown and does not fail the run
    Warn,
}

/// `--output` of `compat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompatReport {
    /// A line for each finding
    Plaintext,
    /// A Markdown list
    Markdown,
    Json,
    Yaml,
}

/// `--output` of commands that report findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Report {
    /// One line for each finding
    Text,
    /// The source line with a caret below each finding
    Pretty,
    /// An array of findings
    Json,
}

/// `--field-validation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FieldValidation {
    /// The object is refused
    Strict,
    /// They are reported as warnings
    Warn,
    /// They are removed without a word
    Ignore,
}

impl From<FieldValidation> for crdkit::FieldValidation {
    fn from(mode: FieldValidation) -> Self {
        match mode {
            FieldValidation::Strict => Self::Strict,
            FieldValidation::Warn => Self::Warn,
            FieldValidation::Ignore => Self::Ignore,
        }
    }
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
