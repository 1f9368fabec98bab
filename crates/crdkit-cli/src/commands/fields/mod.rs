//! Commands about fields and who owns them: `patch`, `apply`, `owners` and `diff`.
//!
//! They have in common where objects and CRDs come from ([`Files`]), what is known about a kind ([`KindSchema`]), and how
//! objects are written ([`Printer`]).

pub(crate) mod apply;
pub(crate) mod diff;
pub(crate) mod owners;
pub(crate) mod patch;

use crate::args::Fetching;
use crate::commands::default::definitions::Definitions;
use crate::config::Config;
use crate::exit::Exit;
use crate::input::{Input, InputEntry};
use crate::objects::{self, Identity};
use crate::report::{self, SourceText};
use crate::source::{self, Purpose};
use anyhow::Result;
use clap::{Args, ValueEnum};
use crdkit_codec::{DecodeOptions, Decoded, json, yaml};
use crdkit_engine::{Crd, Outcome};
use crdkit_issue::Severity;
use crdkit_patch::managed::{CrdVersions, Versions};
use crdkit_patch::{Definitions as NativeTypes, Schema};
use crdkit_schema::compile::Table;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, NodeId};
use std::path::PathBuf;
use std::time::SystemTime;

/// Where CRDs come from, and settings.
#[derive(Debug, Args)]
pub(crate) struct Kinds {
    /// Where CRDs are; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    crds: Vec<String>,

    /// Settings [default: .crdkit.yaml here or in the nearest directory above]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Ignore `.crdkit.yaml`
    #[arg(long, conflicts_with = "config")]
    no_config: bool,

    #[command(flatten)]
    fetching: Fetching,
}

/// `--output`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Notation {
    Yaml,
    Json,
}

/// An object of a file.
pub(crate) struct Found {
    /// The position of the file in [`Files::inputs`].
    input: usize,
    identity: Identity,
    decoded: Decoded,
}

/// Objects that were read, and the CRDs that were found.
pub(crate) struct Files {
    inputs: Vec<Input>,
    objects: Vec<Found>,
    definitions: Definitions,
    exit: Exit,
}

impl Files {
    /// Reads the objects of `paths`, and CRDs from there and from where `kinds` says.
    pub(crate) fn read(kinds: &Kinds) -> Result<Self> {
        let config = if kinds.no_config {
            Config::default()
        } else {
            Config::load(kinds.config.as_deref())?
        };
        let sources: Vec<String> = config.crds.iter().chain(&kinds.crds).cloned().collect();
        let definitions = Definitions::load(&sources, &kinds.fetching.client())?;
        Ok(Self { inputs: Vec::new(), objects: Vec::new(), definitions, exit: Exit::Fine })
    }

    /// Reads the objects of `paths`. Gives where they begin among all objects.
    pub(crate) fn add(&mut self, kinds: &Kinds, paths: &[String]) -> usize {
        let first = self.objects.len();
        for path in paths {
            let found = source::find(path, Purpose::Objects, &kinds.fetching.client());
            let read = found.and_then(|found| {
                found.entries.iter().map(InputEntry::read).collect::<Result<Vec<Input>>>()
            });
            match read {
                Ok(read) => read.into_iter().for_each(|input| self.add_input(input)),
                Err(error) => {
                    report::failure(&error);
                    self.exit = Exit::Failed;
                }
            }
        }
        first
    }

    fn add_input(&mut self, input: Input) {
        self.definitions.add(&input);
        let at = self.inputs.len();
        let options = DecodeOptions { positions: true, ..DecodeOptions::default() };
        for outcome in objects::decode(&input, &options) {
            let found = outcome.and_then(|decoded| {
                let identity =
                    objects::identify(&decoded.document).map_err(|issue| vec![*issue])?;
                Ok(Found { input: at, identity, decoded })
            });
            match found {
                Ok(found) => self.objects.push(found),
                Err(issues) => {
                    let source = SourceText::of(&input);
                    for issue in &issues {
                        source.show(issue);
                    }
                    self.exit = self.exit.max(Exit::Findings);
                }
            }
        }
        self.inputs.push(input);
    }

    /// What is known about the kind of an object.
    pub(crate) fn schema(&self, identity: &Identity) -> Result<KindSchema, String> {
        match self.definitions.get(identity) {
            Some(definition) => definition.compiled().map(KindSchema::Crd),
            None => Ok(KindSchema::Native),
        }
    }

    /// Says what is wrong with an object, at a value of it.
    pub(crate) fn refuse(&mut self, found: &Found, value: Option<NodeId>, problem: &str) {
        let place = value.and_then(|value| found.decoded.document.place(value));
        let input = self.inputs.get(found.input);
        let position = input.zip(place).and_then(|(input, place)| {
            SourceText::of(input).position(place.key.unwrap_or(place.value).start)
        });
        let name = input.map_or("", |input| &input.name);
        let text = match position {
            Some(at) => format!("{name}:{}:{}: error: {problem}", at.line, at.column),
            None => format!("{name}: error: {}: {problem}", found.identity),
        };
        report::note(&text);
        self.exit = self.exit.max(Exit::Findings);
    }

    /// Shows what was found about an object that was judged. Gives whether it was accepted.
    pub(crate) fn judged(&mut self, found: &Found, outcome: &Outcome) -> bool {
        for issue in &outcome.issues {
            let level = match issue.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let name = self.inputs.get(found.input).map_or("", |input| &input.name);
            report::note(&format!("{name}: {level}[{}]: {issue}", issue.code));
        }
        if !outcome.is_accepted() {
            self.exit = self.exit.max(Exit::Findings);
        }
        outcome.is_accepted()
    }
}

/// What is known about a kind.
pub(crate) enum KindSchema {
    Crd(Crd),
    /// A kind that comes with Kubernetes, or one that nothing is known about.
    Native,
}

impl KindSchema {
    /// What field managers know about objects.
    pub(crate) fn fields(&self, identity: &Identity) -> Schema<'_> {
        let nothing = || Schema::new(Table::empty(), None, true);
        match self {
            Self::Crd(crd) => {
                let versions = CrdVersions(crd.compiled());
                let table = crd.compiled().table();
                let version = versions.0.version(&identity.gvk.version);
                version.map_or_else(nothing, |version| {
                    Schema::new(table, version.schema, !crd.compiled().prunes())
                })
            }
            Self::Native => {
                let (version, kind) = (identity.api_version(), &identity.gvk.kind);
                Schema::of_kind(NativeTypes::native(), &version, kind).unwrap_or_else(nothing)
            }
        }
    }
}

/// The one version of a native kind that files are in.
pub(crate) struct NativeVersion<'i>(pub(crate) &'i Identity);

impl Versions for NativeVersion<'_> {
    fn schema(&self, api_version: &str) -> Option<Schema<'_>> {
        Schema::of_kind(NativeTypes::native(), api_version, &self.0.gvk.kind)
    }

    fn convert(&self, object: &Document, _: &str) -> Result<Document, String> {
        Ok(object.clone())
    }
}

/// Whether both are about the same object.
pub(crate) fn is_same(left: &Identity, right: &Identity) -> bool {
    let space = |identity: &Identity| match identity.namespace.as_str() {
        "" => "default".to_owned(),
        namespace => namespace.to_owned(),
    };
    left.gvk.group_kind() == right.gvk.group_kind()
        && left.name == right.name
        && space(left) == space(right)
}

/// Collects what is printed, so that findings do not come in between.
pub(crate) struct Printer {
    notation: Notation,
    n_printed: usize,
    pub(crate) out: String,
}

impl Printer {
    pub(crate) fn new(notation: Notation) -> Self {
        Self { notation, n_printed: 0, out: String::new() }
    }

    pub(crate) fn print(&mut self, document: &Document) {
        match self.notation {
            Notation::Json => {
                self.out.push_str(&json::text(document.root(), json::Layout::Pretty));
                self.out.push('\n');
            }
            Notation::Yaml => {
                if self.n_printed > 0 {
                    self.out.push_str("---\n");
                }
                self.out.push_str(&yaml::text(document.root()));
            }
        }
        self.n_printed += 1;
    }
}

/// The time that `text` says, or now.
pub(crate) fn time(text: Option<&str>) -> Result<Timestamp> {
    if let Some(text) = text {
        return Timestamp::parse_rfc3339(text)
            .map_err(|problem| anyhow::anyhow!("`--time {text}` is not a time: {problem}"));
    }
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or_default();
    Ok(Timestamp { seconds, nanoseconds: 0, offset: 0 })
}
