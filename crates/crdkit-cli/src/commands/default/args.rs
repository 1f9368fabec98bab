//! The arguments of `crdkit default`.

use crate::args::{Fetching, FieldValidation};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Show objects as they would be stored: with defaults and without unknown fields
///
/// Prints every object as the API server would store it on create, except for what only a server decides,
/// such as the uid. Objects that would be refused are not printed; their findings go to standard error.
/// Comments are not kept.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  crdkit default --crds crds/ lamp.yaml
  crdkit default --crds crds/ --annotate lamp.yaml      and what was added or removed, and why
  kubectl get crds -o yaml | crdkit default --crds - -o json lamp.yaml
")]
pub(crate) struct Default {
    /// Files, directories or other sources of objects; `-` is standard input
    #[arg(value_name = "SOURCE", default_value = "-")]
    pub(crate) paths: Vec<String>,

    /// A source of CRDs; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    pub(crate) crds: Vec<String>,

    /// Mark in comments what was added and removed, and by which part of the CRD
    #[arg(long)]
    pub(crate) annotate: bool,

    /// How objects are written
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    pub(crate) output: DefaultNotation,

    /// What happens to fields that are unknown or given twice
    #[arg(long, value_name = "MODE", default_value = "warn", ignore_case = true)]
    pub(crate) field_validation: FieldValidation,

    /// Settings file [default: .crdkit.yaml here or in the nearest parent directory]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Ignore `.crdkit.yaml`
    #[arg(long, conflicts_with = "config")]
    pub(crate) no_config: bool,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}

/// `--output` of `default`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DefaultNotation {
    Yaml,
    Json,
}
