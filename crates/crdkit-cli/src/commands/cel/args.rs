//! The arguments of `crdkit cel`.

use super::path;
use crate::kubernetes::KubernetesVersion;
use clap::{Args, Subcommand, ValueEnum};
use crdkit_issue::FieldPath;
use std::path::PathBuf;

/// Try CEL expressions: compiled, costed and run as in the API server
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crdkit cel eval '1 + 2'
  crdkit cel eval --object backup.yaml 'self.spec.retention.days > 7'
  crdkit cel check --crd crd.yaml --path spec 'self.schedule == oldSelf.schedule'
  crdkit cel cost --crd crd.yaml --path 'spec.targets[*]' 'self.name.matches(\"^[a-z]+$\")'
")]
pub(crate) struct Cel {
    #[command(subcommand)]
    pub(crate) action: CelAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CelAction {
    /// Run an expression: its value as JSON, its type, and what it cost
    Eval(Eval),
    /// Compile an expression: its type, or the errors in it
    Check(ExpressionScope),
    /// Estimate the worst-case cost of an expression as a rule, and compare it with the server's limit
    Cost(ExpressionScope),
}

#[derive(Debug, Args)]
pub(crate) struct Eval {
    #[command(flatten)]
    pub(crate) place: ExpressionScope,

    /// The object; defaults are filled in if a CRD is given. `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) object: Option<PathBuf>,

    /// The object before the change, for `oldSelf`
    #[arg(long, value_name = "FILE")]
    pub(crate) old: Option<PathBuf>,
}

/// An expression and what it is about.
#[derive(Debug, Args)]
pub(crate) struct ExpressionScope {
    /// The expression
    pub(crate) expression: String,

    /// The CRD whose schema gives `self` its type; without one, `self` is untyped
    #[arg(long, value_name = "FILE", visible_alias = "crds")]
    pub(crate) crd: Option<PathBuf>,

    /// The version of the CRD [default: the storage version]
    #[arg(long, value_name = "NAME", requires = "crd")]
    pub(crate) api_version: Option<String>,

    /// The field that `self` stands for, such as `spec.targets[0]`; without an object, `[*]` stands for any item
    #[arg(long, value_name = "PATH", default_value = "", value_parser = path::parse)]
    pub(crate) path: FieldPath,

    /// `oldSelf` is optional, as in a rule with `optionalOldSelf`
    #[arg(long)]
    pub(crate) optional_old_self: bool,

    /// How the result is shown
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    pub(crate) output: CelNotation,

    #[command(flatten)]
    pub(crate) kubernetes: KubernetesVersion,
}

/// `--output`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CelNotation {
    /// For people
    Text,
    Json,
}
