//! The command line as typed.

use crate::commands::explain::Explain;
use crate::commands::sample::Sample;
use crate::commands::schema::SchemaCommand;
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
#[command(
    after_help = "Exit codes: 0 success, 1 findings, 2 wrong usage, 3 could not do the work."
)]
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
    /// On terminals, unless environment variables say otherwise
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
    Validate(Box<Validate>),
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
    Schema(SchemaCommand),
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

/// Validate objects offline, with the API server's own verdict
///
/// Every object goes through the same steps as on create in the API server: unknown fields, pruning,
/// defaults, schema, list types and CEL rules. With `--old`, objects are validated as updates. CRDs
/// among the inputs are used, and checked as `crdkit lint` checks them.
///
/// Command lines written for kubeconform work unchanged: flags with a single dash switch to its text,
/// JSON and exit codes, as `--compat kubeconform` does.
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
    /// Files, directories or other sources of objects; standard input if none is given, or with `-`
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

    /// Whether to validate kinds built into Kubernetes with the rules this program ships
    #[arg(long, value_name = "SWITCH", default_value = "on", help_heading = "Schemas")]
    pub(crate) native: Switch,

    /// Skip objects of unknown kinds instead of reporting them
    #[arg(long, help_heading = "Schemas")]
    pub(crate) ignore_missing_schemas: bool,

    /// The objects as they are now; objects of the same name are validated as updates of them
    #[arg(long, value_name = "SOURCE", help_heading = "Checks")]
    pub(crate) old: Vec<String>,

    /// Admission policies with their bindings, parameters and namespaces; may be given more than once
    #[arg(long, value_name = "SOURCE", help_heading = "Policies")]
    pub(crate) policies: Vec<String>,

    /// The user that policies see as the sender of the objects
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

    /// Kinds to skip, such as `Secret` or `apps/v1/Deployment`, separated by commas
    #[arg(long, value_name = "KINDS", value_delimiter = ',', help_heading = "Checks")]
    #[arg(visible_aliases = ["skip-kind", "skip-kinds"])]
    pub(crate) skip: Vec<String>,

    /// Kinds that are not allowed, separated by commas
    #[arg(long, value_name = "KINDS", value_delimiter = ',', help_heading = "Checks")]
    pub(crate) reject: Vec<String>,

    /// Skip files whose path matches this regular expression
    #[arg(long, value_name = "REGEX", help_heading = "Checks", value_parser = regex)]
    pub(crate) ignore_filename_pattern: Vec<String>,

    /// Stop at the first invalid object
    #[arg(long, help_heading = "Checks", visible_alias = "fail-fast")]
    pub(crate) exit_on_error: bool,

    /// Number of parallel jobs [default: one per processor]
    #[arg(short, long = "jobs", value_name = "N", help_heading = "Checks")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) n: Option<u16>,

    /// Keep running and validate again whenever a file changes
    #[arg(long, help_heading = "Checks")]
    pub(crate) watch: bool,

    /// Behave like another program, including its output
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

/// Check CRDs: everything the API server would refuse, and likely mistakes
///
/// Expressions of admission policies are type-checked against the kinds that the policies match. Conversion rules are
/// checked against their CRD: does every object survive a round trip through the other version?
#[derive(Debug, ClapArgs)]
#[command(after_help = SOURCES)]
#[command(after_long_help = concat!("\
Examples:
  crdkit lint crds/
  crdkit lint --old git:v1.2.0:crds crds/        as an update of the released CRDs
  crdkit lint --cost crds/                       with the worst-case cost of each rule
  crdkit lint --quality conventions crds/        with the conventions of the Kubernetes API
  crdkit lint --crds crds/ policies/ conversions/

", sources!()))]
pub(crate) struct Lint {
    /// Sources of CRDs, policies and conversion rules; `-` is standard input
    #[arg(value_name = "SOURCE", default_value = "-")]
    pub(crate) paths: Vec<String>,

    /// More CRDs for policies and conversion rules to refer to; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    pub(crate) crds: Vec<String>,

    /// The CRDs as they are now; CRDs of the same name are checked as updates of them
    #[arg(long, value_name = "SOURCE")]
    pub(crate) old: Vec<String>,

    /// Show the worst-case cost of each rule, and for rules over the limit which `maxItems`,
    /// `maxProperties` or `maxLength` would bring them below it
    #[arg(long)]
    pub(crate) cost: bool,

    /// Checks beyond those of the API server; their findings are warnings [default: mistakes]
    #[arg(long, value_name = "CHECKS")]
    pub(crate) quality: Option<Quality>,

    /// Succeed even if the input has no CRDs
    #[arg(long)]
    pub(crate) allow_empty: bool,

    #[command(flatten)]
    pub(crate) reporting: Reporting,

    #[command(flatten)]
    pub(crate) fetching: Fetching,
}

/// Is a change to CRDs safe?
///
/// Compares the CRDs of two sources by name. The question is what happens to objects, and to the people and
/// programs that write and read them. Each answer is safe, unsafe with an object that proves it, or unknown
/// with the reason. Mode `crdify` instead lists every edit that could matter, with crdify's configuration,
/// report and wording.
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

    /// What to compare
    #[arg(long, value_name = "MODE", default_value = "semantic")]
    pub(crate) mode: CompareMode,

    /// Severities and exceptions, or crdify's configuration in its mode
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// How to treat unknown answers; can also be set in the configuration [default: error]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) on_unknown: Option<OnUnknown>,

    /// Real objects to try with the new CRDs; those that break are reported. `kube:` takes those of the
    /// live cluster; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    pub(crate) with_objects: Vec<String>,

    /// Write the objects that prove a change unsafe to this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) emit_witness: Option<PathBuf>,

    /// text, pretty, json, yaml, ndjson, markdown, sarif, junit, tap, github or gitlab, on standard output or
    /// in a file; may be given more than once. Mode `crdify` knows plaintext, markdown, json and yaml
    #[arg(short, long, value_name = "FORMAT[=FILE]", help_heading = "Output")]
    pub(crate) output: Vec<Spec>,

    /// Also show what is safe, and minor changes
    #[arg(long, help_heading = "Output")]
    pub(crate) verbose: bool,

    /// Show every place separately instead of one per cause
    #[arg(long, help_heading = "Output")]
    pub(crate) all: bool,

    /// Show at most this many findings; all of them are counted
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
    /// What happens to objects
    Semantic,
    /// Edits, as crdify lists them
    Crdify,
}

/// `--on-unknown` of `compat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnUnknown {
    /// Count them as unsafe
    Error,
    /// Show them without failing the run
    Warn,
    /// Do not show them
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

    /// Show counts at the end, even in formats that omit them
    #[arg(long)]
    pub(crate) summary: bool,

    /// Show nothing but findings and failures
    #[arg(short, long, conflicts_with = "summary")]
    pub(crate) quiet: bool,

    /// Settings file [default: .crdkit.yaml here or in the nearest parent directory]
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
    /// Do not use the network; remote sources must be pinned in `crdkit.lock` and cached
    #[arg(long)]
    pub(crate) offline: bool,

    /// Refuse remote sources that are not pinned in `crdkit.lock`
    #[arg(long)]
    pub(crate) locked: bool,

    /// Cache fetched files in this directory [default for pinned sources: the user's cache]
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,

    /// Trust any certificate
    #[arg(long)]
    pub(crate) insecure_skip_tls_verify: bool,

    /// Log what is fetched and looked up
    #[arg(long)]
    pub(crate) debug: bool,
}

/// `--compat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// kubeconform: its text and JSON, exit code 1 for every failure, unknown fields refused only with `-strict`
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
    /// Refuse the object
    Strict,
    /// Report them as warnings
    Warn,
    /// Remove them silently
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
/// Reads files, directories (all files with a known extension, in order) or standard input, and writes
/// every document in them. Findings go to standard error with line, column and a caret, or for CBOR
/// with the offset and the surrounding bytes.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  crdkit convert deploy.yaml                     YAML to JSON on standard output
  crdkit convert --to yaml list.json -o list.yaml
  cat events.ndjson | crdkit convert --from ndjson --to yaml -
  crdkit convert deploy.yaml -o deploy.cbor      as the API server stores it
  crdkit convert --to diag deploy.cbor           CBOR in readable form
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

    /// Write to a file, which is replaced only after all output has been written
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Write JSON without line breaks and indentation
    #[arg(long)]
    pub(crate) compact: bool,

    /// What to do about a key that an object has more than once
    #[arg(long, value_name = "POLICY", default_value = "error")]
    pub(crate) duplicates: Duplicates,

    /// Conversion rules from one version of a kind to another; may be given more than once
    #[arg(long, value_name = "SOURCE", requires = "version")]
    pub(crate) conversion: Vec<String>,

    /// The version to convert objects to
    #[arg(long, value_name = "VERSION", requires = "conversion")]
    pub(crate) version: Option<String>,
}

/// `--duplicates`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Duplicates {
    /// Report each repetition and keep the last value, as Kubernetes does
    Error,
    /// Keep the last value silently
    LastWins,
    /// Keep the first value silently
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
