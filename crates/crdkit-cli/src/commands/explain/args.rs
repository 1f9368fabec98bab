//! The arguments of `crdkit explain`.

use crate::kinds::Definitions;
use clap::{Args, ValueEnum};

/// Explain the fields of a kind: types, defaults, constraints, rules
///
/// Works offline, from CRDs alone, in the layout of `kubectl explain`, and also shows what that omits: limits,
/// patterns, list types, rules. Built-in kinds need no CRDs. Steps into lists and maps may be written or omitted:
/// `spec.ports.name`, `spec.ports[].name`, `spec.labels.*`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crdkit explain --crds crds/ backup
  crdkit explain --crds crds/ backup.spec.retention
  crdkit explain --crds crds/ backups.storage.example.com --recursive
  crdkit explain --crds crds/ Backup .spec.targets[].name -o yaml
  crdkit explain deployment.spec.template
")]
pub(crate) struct Explain {
    /// Kind, plural, singular or short name, in any case; optionally the group, then a path
    #[arg(value_name = "KIND[.PATH]")]
    pub(crate) name: String,

    /// The path, if written as a separate argument
    #[arg(value_name = "PATH")]
    pub(crate) path: Option<String>,

    /// Also show nested fields, with names and types only
    #[arg(short, long)]
    pub(crate) recursive: bool,

    /// The version, as `v1` or `group/v1` [default: the newest served version]
    #[arg(long, value_name = "VERSION")]
    pub(crate) api_version: Option<String>,

    /// How it is shown
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) output: ExplainNotation,

    #[command(flatten)]
    pub(crate) definitions: Definitions,
}

/// `--output`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplainNotation {
    /// For people
    #[value(alias = "plaintext")]
    Text,
    Json,
    Yaml,
}
