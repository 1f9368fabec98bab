//! The command line as typed.

use crate::commands::explain::Explain;
use crate::commands::sample::Sample;
use crate::commands::schema::Schema;
use crate::commands::test::Test;
use crate::commands::{self, cel::Cel};
use crate::config::Config;
use crate::format::{InputFormat, OutputFormat};
use crate::kubernetes::KubernetesVersion;
use crate::limits::LimitArgs;
use crate::location;
use crate::quality::Quality;
use crate::report::{ReportFormat, Spec};
use crate::source::Client;
use crate::source::render::Rendering;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use crdkit_text::regex::Regex;
use std::path::PathBuf;

/// The part of help that says what a source is.
macro_rules! sources {
    () => {
        "\
Sources:
  crds/  crd.yaml  chart-1.2.0.tgz         files, directories, packed or unpacked Helm charts
  -                                        standard input
  git:REF:PATH                             files of a commit in this repository
  git+URL?ref=REF&path=PATH                files of a commit in another one
  https://…                                a file or a packed chart on the network
  helm+URL?chart=NAME&version=VERSION      a chart of a Helm repository
  oci://HOST/REPOSITORY:TAG                a chart, archive or file of a registry
  kube:  kube:CONTEXT                      the CRDs of a live cluster, through the kubeconfig
An OpenAPI v3 document counts as the CRDs it describes."
    };
}

pub(crate) use sources;

const SOURCES: &str = sources!();

/// One engine for Kubernetes custom resources.
#[derive(Debug, Parser)]
#[command(name = "crdkit", version, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 fine, 1 findings, 2 wrong usage, 3 could not do the work.")]
pub(crate) struct Args {
    /// When to use colours
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        global = true,
        visible_alias = "colour"
    )]
    #[arg(help_heading = "Output")]
    pub(crate) color: Colors,

    #[command(subcommand)]
    pub(crate) command: Command,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// `--color`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colors {
    /// On terminals, unless the environment says otherwise
    Auto,
    Always,
    Never,
}

impl From<Colors> for anstream::ColorChoice {
    fn from(colors: Colors) -> Self {
        match colors {
            Colors::Auto => Self::Auto,
            Colors::Always => Self::Always,
            Colors::Never => Self::Never,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Validate(Validate),
    Test(Test),
    Lint(Lint),
    Compat(Compare),
    Pr(commands::pr::PullRequest),
    Fetch(commands::fetch::Fetch),
    Default(commands::default::Default),
    Patch(commands::fields::patch::Patch),
    Apply(commands::fields::apply::Apply),
    Owners(commands::fields::owners::Owners),
    Diff(commands::fields::diff::Diff),
    Explain(Explain),
    Docs(commands::docs::Docs),
    Sample(Sample),
    Schema(Schema),
    Cel(Cel),
    #[cfg(feature = "serve")]
    Serve(commands::serve::Serve),
    #[cfg(feature = "serve")]
    Webhook(commands::webhook::Webhook),
    Convert(Convert),
    #[cfg(feature = "serve")]
    Envtest(commands::envtest::Envtest),
    Completions(commands::completions::Completions),
    Man(commands::completions::Man),
}

/// Validate custom resources: the API server's verdict, offline
///
/// Every object goes through what the API server does on create: unknown fields, pruning, defaults,
/// schema, list types and CEL rules. With `--old`, objects are taken as updates of those of the same
/// name. CRDs among the inputs are used, and checked as `crdkit lint` does.
///
/// A command line written for kubeconform works as it is: flags with one dash switch to its text, JSON
/// and exit codes, as `--compat kubeconform` does.
#[derive(Debug, ClapArgs)]
#[command(version, display_name = "crdkit", disable_version_flag = true, after_help = SOURCES)]
#[command(after_long_help = concat!("\
Examples:
  crdkit validate --crds crds/ manifests/
  crdkit validate --crds crds/ --old live.yaml changed.yaml
  crdkit validate --policies policies/ manifests/
  crdkit validate --crds git:main:config/crd -o pretty -o sarif=crdkit.sarif manifests/
  helm template --include-crds chart/ | crdkit validate
  crdkit validate -summary -strict -ignore-missing-schemas manifests/

", sources!()))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Validate {
    /// Files, directories or other sources of objects; `-` or nothing is standard input
    #[arg(value_name = "SOURCE")]
    pub(crate) paths: Vec<String>,

    /// Show the version
    #[arg(short = 'v', action = clap::ArgAction::Version)]
    pub(crate) version: Option<bool>,

    /// A source of CRDs; may be given more than once
    #[arg(
        long,
        value_name = "SOURCE",
        visible_alias = "local-crds",
        alias = "crd-paths",
        alias = "crd"
    )]
    #[arg(help_heading = "Schemas")]
    pub(crate) crds: Vec<String>,

    /// A template of files with JSON Schemas in kubeconform's layout, or a source of CRDs
    #[arg(short, long, value_name = "TEMPLATE", help_heading = "Schemas")]
    #[arg(value_parser = location::checked)]
    pub(crate) schema_location: Vec<String>,

    /// Whether kinds that come with Kubernetes are judged by what this program knows about them
    #[arg(long, value_name = "SWITCH", default_value = "on", help_heading = "Schemas")]
    pub(crate) native: Switch,

    /// Let objects of unknown kinds pass; they count as skipped
    #[arg(long, help_heading = "Schemas")]
    pub(crate) ignore_missing_schemas: bool,

    /// The objects as they are now: objects of the same name are updates of them
    #[arg(long, value_name = "SOURCE", help_heading = "Checks")]
    pub(crate) old: Vec<String>,

    /// Admission policies, with their bindings, parameters and namespaces; may be given more than once
    #[arg(long, value_name = "SOURCE", help_heading = "Policies")]
    pub(crate) policies: Vec<String>,

    /// Who sends the objects, as policies see it
    #[arg(
        long = "as",
        value_name = "USER",
        default_value = "kubernetes-admin",
        help_heading = "Policies"
    )]
    pub(crate) user: String,

    /// A group of that user; may be given more than once
    #[arg(long = "as-group", value_name = "GROUP", help_heading = "Policies")]
    pub(crate) groups: Vec<String>,

    /// What happens to fields that are unknown or given twice [default: strict]
    #[arg(long, value_name = "MODE", help_heading = "Checks", ignore_case = true)]
    pub(crate) field_validation: Option<FieldValidation>,

    /// The same as `--field-validation strict`
    #[arg(long, help_heading = "Checks", conflicts_with = "field_validation")]
    pub(crate) strict: bool,

    /// Kinds to leave out, such as `Secret` or `apps/v1/Deployment`; commas between them
    #[arg(long, value_name = "KINDS", value_delimiter = ',', help_heading = "Checks")]
    #[arg(visible_aliases = ["skip-kind", "skip-kinds"])]
    pub(crate) skip: Vec<String>,

    /// Kinds that must not occur
    #[arg(long, value_name = "KINDS", value_delimiter = ',', help_heading = "Checks")]
    pub(crate) reject: Vec<String>,

    /// Leave out files whose path matches this regular expression
    #[arg(long, value_name = "REGEX", help_heading = "Checks", value_parser = regex)]
    pub(crate) ignore_filename_pattern: Vec<String>,

    /// Stop at the first object that is refused
    #[arg(long, help_heading = "Checks", visible_alias = "fail-fast")]
    pub(crate) exit_on_error: bool,

    /// How many objects to judge at once [default: one for each processor]
    #[arg(short, long = "jobs", value_name = "N", help_heading = "Checks")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) n: Option<u16>,

    /// Keep running, and validate again whenever a file changes
    #[arg(long, help_heading = "Checks")]
    pub(crate) watch: bool,

    /// Work and write as another program does
    #[arg(long, value_name = "PROGRAM", help_heading = "Output")]
    pub(crate) compat: Option<Compat>,

    #[command(flatten)]
    pub(crate) choices: commands::validate::Choices,

    #[command(flatten)]
    pub(crate) rendering: Rendering,

    #[command(flatten)]
    pub(crate) reporting: Reporting,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}

/// Check CRDs themselves: everything the API server would refuse
///
/// Expressions of admission policies are held against the kinds that the policies are about, and rules of conversions
/// against their CRD: does every object come back from the other version as it was?
#[derive(Debug, ClapArgs)]
#[command(after_help = SOURCES)]
#[command(after_long_help = concat!("\
Examples:
  crdkit lint crds/
  crdkit lint --old git:v1.2.0:crds crds/        as an update of the released ones
  crdkit lint --cost crds/                       and what each rule can cost
  crdkit lint --crds crds/ policies/ conversions/

", sources!()))]
pub(crate) struct Lint {
    /// Sources of CRDs, policies and rules of conversions; `-` is standard input
    #[arg(value_name = "SOURCE", default_value = "-")]
    pub(crate) paths: Vec<String>,

    /// More CRDs, which policies and rules are about; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    pub(crate) crds: Vec<String>,

    /// The CRDs as they are now: CRDs of the same name are updates of them
    #[arg(long, value_name = "SOURCE")]
    pub(crate) old: Vec<String>,

    /// Show what each rule can cost, and for one over the limit which `maxItems`, `maxProperties` or
    /// `maxLength` would bring it under
    #[arg(long)]
    pub(crate) cost: bool,

    /// Rules beyond those of the API server; what they find are warnings
    #[arg(long, value_name = "RULES", default_value = "mistakes")]
    pub(crate) quality: Quality,

    /// Succeed if there is no CRD in the input
    #[arg(long)]
    pub(crate) allow_empty: bool,

    #[command(flatten)]
    pub(crate) reporting: Reporting,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}

/// Is a change of CRDs safe?
///
/// Compares the CRDs of two sources by name. The question is what becomes of objects, and of the people and
/// programs who write and read them: each answer is safe, unsafe with an object that shows it, or unknown
/// with the reason. In mode `crdify` every edit that could matter is listed instead, with crdify's
/// configuration, report and words.
#[derive(Debug, ClapArgs)]
#[command(after_help = SOURCES)]
#[command(after_long_help = concat!("\
Examples:
  crdkit compat git:v1.2.0:crds crds/
  crdkit compat --with-objects backup/ released/ crds/
  crdkit compat -o pretty -o sarif=compat.sarif git:main:crds crds/
  crdkit compat --mode crdify --config crdify.yaml released/ crds/
  crdkit compat 'git://v1.2.0?path=crds/lamps.yaml' file://crds/lamps.yaml     as crdify spells it

", sources!()))]
pub(crate) struct Compare {
    /// The CRDs as they are now
    #[arg(value_name = "OLD")]
    pub(crate) old: String,

    /// The CRDs as they will be
    #[arg(value_name = "NEW")]
    pub(crate) new: String,

    /// What is compared
    #[arg(long, value_name = "MODE", default_value = "semantic")]
    pub(crate) mode: CompareMode,

    /// Levels and exceptions, or a configuration of crdify for its mode
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// How unknown answers count; the settings can say so as well [default: error]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) on_unknown: Option<OnUnknown>,

    /// Real objects: those that are worse off with the new CRDs are reported; `kube:` are those of the
    /// cluster; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    pub(crate) with_objects: Vec<String>,

    /// Write the objects that show what is unsafe into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) emit_witness: Option<PathBuf>,

    /// text, pretty, json, yaml, ndjson, markdown, sarif, junit, tap, github or gitlab, on standard output or
    /// in a file; may be given more than once. Mode `crdify` knows plaintext, markdown, json and yaml
    #[arg(short, long, value_name = "FORMAT[=FILE]", help_heading = "Output")]
    pub(crate) output: Vec<Spec>,

    /// Show what is safe, and changes that are worth no more than a note
    #[arg(long, help_heading = "Output")]
    pub(crate) verbose: bool,

    /// Show every place by itself instead of one for each cause
    #[arg(long, help_heading = "Output")]
    pub(crate) all: bool,

    /// Show at most this many findings; all of them count
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(crate) max: Option<usize>,

    /// Show nothing but findings and failures
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}

/// `--mode` of `compat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareMode {
    /// What becomes of objects
    Semantic,
    /// Edits, as crdify lists them
    Crdify,
}

/// `--on-unknown` of `compat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnUnknown {
    /// It counts as unsafe
    Error,
    /// It is shown and does not fail the run
    Warn,
    /// It is not shown
    Ignore,
}

/// How findings are shown, and what the project says about them.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Output")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Reporting {
    /// text, pretty, json, ndjson, yaml, markdown, junit, tap, sarif, github or gitlab, on standard
    /// output or in a file; may be given more than once [default: pretty]
    #[arg(short, long, value_name = "FORMAT[=FILE]")]
    pub(crate) output: Vec<Spec>,

    /// Also show objects without findings
    #[arg(long)]
    pub(crate) verbose: bool,

    /// Show counts at the end, even in formats that leave them out
    #[arg(long)]
    pub(crate) summary: bool,

    /// Show nothing but findings and failures
    #[arg(short, long, conflicts_with = "summary")]
    pub(crate) quiet: bool,

    /// Settings [default: .crdkit.yaml here or in the nearest directory above]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Ignore `.crdkit.yaml`
    #[arg(long, conflicts_with = "config")]
    pub(crate) no_config: bool,

    #[command(flatten)]
    pub(crate) kubernetes: KubernetesVersion,
}

/// How sources on the network are read.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Network")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Fetching {
    /// Do not use the network: sources that are on it must be pinned in `crdkit.lock` and kept
    #[arg(long)]
    pub(crate) offline: bool,

    /// Refuse sources on the network that are not pinned in `crdkit.lock`
    #[arg(long)]
    pub(crate) locked: bool,

    /// Keep fetched files in this directory and use them next time [default for what is pinned: the
    /// user's cache]
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,

    /// Trust any certificate
    #[arg(long)]
    pub(crate) insecure_skip_tls_verify: bool,

    /// Say what is fetched and looked for
    #[arg(long)]
    pub(crate) debug: bool,
}

/// `--compat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// kubeconform: its text, its JSON, exit code 1 for every failure, unknown fields only with `-strict`
    Kubeconform,
}

impl Reporting {
    /// The outputs to write; `default` if none was named.
    pub(crate) fn outputs(&self, default: ReportFormat) -> Vec<Spec> {
        match self.output.as_slice() {
            [] => vec![Spec { format: default, file: None }],
            specs => specs.to_vec(),
        }
    }

    /// The project's settings.
    pub(crate) fn config(&self) -> anyhow::Result<Config> {
        if self.no_config { Ok(Config::default()) } else { Config::load(self.config.as_deref()) }
    }
}

impl Fetching {
    pub(crate) fn client(&self) -> Client {
        let Self { offline, locked, insecure_skip_tls_verify: insecure, debug, .. } = *self;
        Client::new(offline, insecure, debug, self.cache.clone()).locked(locked)
    }
}

/// A regular expression, unchanged.
pub(crate) fn regex(text: &str) -> Result<String, String> {
    Regex::new(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// Something that can be turned off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

/// `--field-validation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FieldValidation {
    /// The object is refused
    Strict,
    /// They are reported as warnings
    Warn,
    /// They are removed silently
    Ignore,
}

impl From<FieldValidation> for crdkit_engine::FieldValidation {
    fn from(mode: FieldValidation) -> Self {
        match mode {
            FieldValidation::Strict => Self::Strict,
            FieldValidation::Warn => Self::Warn,
            FieldValidation::Ignore => Self::Ignore,
        }
    }
}

/// Convert between JSON, YAML, NDJSON and CBOR, read the way Kubernetes reads them
///
/// Reads files, directories (all files with a known ending, in order) or standard input and writes
/// every document they hold. Findings go to standard error with line, column and a caret,
/// for CBOR with the offset and the bytes around it.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  crdkit convert deploy.yaml                     YAML to JSON on standard output
  crdkit convert --to yaml list.json -o list.yaml
  cat events.ndjson | crdkit convert --from ndjson --to yaml -
  crdkit convert deploy.yaml -o deploy.cbor      as the API server stores it
  crdkit convert --to diag deploy.cbor           CBOR for people to read
  crdkit convert --conversion rules.yaml --version v1 --to yaml lamps.yaml
")]
pub(crate) struct Convert {
    /// Files or directories; `-` is standard input
    #[arg(value_name = "PATH", default_value = "-")]
    pub(crate) paths: Vec<PathBuf>,

    /// Format of the input [default: by file name, then by content]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<InputFormat>,

    /// Format of the output [default: by the name of the output file, otherwise json]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<OutputFormat>,

    /// Write to a file, which is replaced only when all of the output has been written
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Write JSON without line breaks and indentation
    #[arg(long)]
    pub(crate) compact: bool,

    /// What to make of a key that an object has more than once
    #[arg(long, value_name = "POLICY", default_value = "error")]
    pub(crate) duplicates: Duplicates,

    /// Rules that give objects in another version of their kind; may be given more than once
    #[arg(long, value_name = "SOURCE", requires = "version")]
    pub(crate) conversion: Vec<String>,

    /// The version that objects are wanted in, by the rules
    #[arg(long, value_name = "VERSION", requires = "conversion")]
    pub(crate) version: Option<String>,
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

impl From<Duplicates> for crdkit_value::Duplicates {
    fn from(duplicates: Duplicates) -> Self {
        match duplicates {
            Duplicates::Error => Self::Error,
            Duplicates::LastWins => Self::LastWins,
            Duplicates::FirstWins => Self::FirstWins,
        }
    }
}
