//! Which objects are judged, what of them, and when a run stops.

use crate::judge::{SkippedPath, Subresource};
use clap::{Args as ClapArgs, ValueEnum};
use std::num::NonZeroUsize;

/// Options of `validate` that no other command has.
#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Choices {
    /// A source of objects, as kubectl spells it; may be given more than once
    #[arg(short, long, value_name = "SOURCE")]
    pub(crate) filename: Vec<String>,

    /// The name of standard input in reports; its extension decides the format
    #[arg(long, value_name = "NAME")]
    pub(crate) stdin_filename: Option<String>,

    /// Which CRD to use if several with the same name differ
    #[arg(long, value_name = "CHOICE", default_value = "last", help_heading = "Schemas")]
    pub(crate) crds_conflict: CrdsConflict,

    /// Treat objects without a schema as errors, even if the settings say otherwise
    #[arg(long, help_heading = "Schemas", overrides_with = "ignore_missing_schemas")]
    pub(crate) no_ignore_missing_schemas: bool,

    /// Validate updates of this subresource; requires `--old`
    #[arg(long, value_name = "NAME", help_heading = "Checks", requires = "old")]
    pub(crate) subresource: Option<Subresource>,

    /// Validate only these kinds, such as `Secret` or `apps/v1/Deployment`
    #[arg(long, value_name = "KINDS", value_delimiter = ',', help_heading = "Checks")]
    pub(crate) only: Vec<String>,

    /// Do not validate what is at or below this path, such as `/spec/data` or `Secret:/data`
    #[arg(long, value_name = "[KIND:]POINTER", help_heading = "Checks")]
    pub(crate) skip_json_path: Vec<SkippedPath>,

    /// Validate `${…}` and encrypted values as written, as a server would if nothing replaced them
    #[arg(long, help_heading = "Checks")]
    pub(crate) as_is: bool,

    /// Refuse files without Kubernetes objects instead of skipping them
    #[arg(long, help_heading = "Checks")]
    pub(crate) require_objects: bool,

    /// Succeed even if there is nothing to validate
    #[arg(long, help_heading = "Checks")]
    pub(crate) allow_empty: bool,

    /// Fix what can be fixed safely: typos in fields and values, missing or superfluous quotes, versions that are no
    /// longer served
    #[arg(long, help_heading = "Checks", conflicts_with_all = ["watch", "compat"])]
    pub(crate) fix: bool,

    /// Stop after this many errors
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(crate) max_errors: Option<NonZeroUsize>,

    /// Exit with 0 even if there are findings
    #[arg(long, help_heading = "Output")]
    pub(crate) exit_zero: bool,
}

/// `--crds-conflict`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CrdsConflict {
    /// None: report an error
    Error,
    /// The one given first, with a warning
    First,
    /// The one given last, with a warning; CRDs among the objects take precedence over all others
    Last,
}
