//! Commands about fields and who owns them: `patch`, `apply`, `owners` and `diff`.
//!
//! They have in common where objects and CRDs come from ([`Files`]), what is known about a kind ([`KindSchema`]), and how
//! objects are written ([`Printer`]).

pub(crate) mod apply;
pub(crate) mod diff;
pub(crate) mod owners;
pub(crate) mod patch;

use crate::args::Fetching;
use crate::commands::default::definitions::LocatedCrds;
use crate::config::Config;
use crate::exit::Exit;
use crate::input::{Input, InputEntry};
use crate::limits;
use crate::objects::{self, Identity};
use crate::report::{self, SourceText};
use crate::source::{self, Purpose};
use crate::write::KindRules;
use anyhow::Result;
use clap::{Args, ValueEnum};
use crdkit_codec::{Decoded, json, yaml};
use crdkit_engine::{Crd, FieldValidation, Outcome, RequestOptions};
use crdkit_issue::Severity;
use crdkit_native::{NativeKind, NativeKinds};
use crdkit_patch::{Definitions as NativeTypes, Schema};
use crdkit_schema::compile::Table;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, NodeId};
use std::path::PathBuf;
use std::time::SystemTime;

/// Where CRDs come from, and settings.
#[derive(Debug, Args)]
pub(crate) struct Kinds {
    /// A source of CRDs; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    crds: Vec<String>,

    /// Settings file [default: .crdkit.yaml here or in the nearest parent directory]
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
pub(crate) struct FoundObject {
    /// The position of the file in [`Files::inputs`].
    input: usize,
    identity: Identity,
    decoded: Decoded,
}

/// Objects that were read, and the CRDs that were found.
pub(crate) struct Files {
    inputs: Vec<Input>,
    objects: Vec<FoundObject>,
    definitions: LocatedCrds,
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
        let definitions = LocatedCrds::load(&sources, &kinds.fetching.client())?;
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
        let options = limits::decoding().positions(true);
        for outcome in objects::decode(&input, &options) {
            let found = outcome.and_then(|decoded| {
                let identity =
                    objects::identify(&decoded.document).map_err(|issue| vec![*issue])?;
                Ok(FoundObject { input: at, identity, decoded })
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
        if let Some(definition) = self.definitions.get(identity) {
            return definition.compiled().map(KindSchema::Crd);
        }
        let gvk = &identity.gvk;
        let native = NativeKinds::latest().find(&gvk.group, &gvk.version, &gvk.kind);
        Ok(native.map_or(KindSchema::Unknown, KindSchema::Native))
    }

    /// Says what is wrong with an object, at a value of it.
    pub(crate) fn refuse(&mut self, found: &FoundObject, value: Option<NodeId>, problem: &str) {
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
        self.error(&text);
    }

    /// Shows a line about something that is wrong.
    fn error(&mut self, text: &str) {
        report::note(text);
        self.exit = self.exit.max(Exit::Findings);
    }

    /// Shows what was found about an object that was judged. Gives whether it was accepted.
    pub(crate) fn judged(&mut self, found: &FoundObject, outcome: &Outcome) -> bool {
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
    /// A kind that comes with Kubernetes.
    Native(&'static NativeKind),
    Unknown,
}

impl KindSchema {
    /// What field managers know about objects.
    pub(crate) fn fields(&self, identity: &Identity) -> Schema<'_> {
        let nothing = || Schema::new(Table::empty(), None, true);
        match self {
            Self::Crd(crd) => {
                let compiled = crd.compiled();
                let version = compiled.version(&identity.gvk.version);
                version.map_or_else(nothing, |version| {
                    Schema::new(compiled.table(), version.schema, !compiled.prunes())
                })
            }
            Self::Native(kind) => {
                let types = NativeTypes::native();
                Schema::of_kind(types, &kind.api_version(), kind.kind).unwrap_or_else(nothing)
            }
            Self::Unknown => nothing(),
        }
    }

    /// What checks objects.
    ///
    /// # Errors
    /// Why nothing does, for people.
    pub(crate) fn rules(&self, identity: &Identity) -> Result<KindRules<'_>, String> {
        match self {
            Self::Crd(crd) => {
                let version = crd.version(&identity.gvk.version);
                version.map(KindRules::Custom).ok_or("its version is not served".to_owned())
            }
            Self::Native(kind) => Ok(KindRules::Native(kind)),
            Self::Unknown => {
                Err("there is no CRD for its kind; name its file or directory with `--crds`"
                    .to_owned())
            }
        }
    }
}

/// A request that is about an object of a file.
pub(crate) fn options(identity: &Identity, mode: FieldValidation) -> RequestOptions {
    let mut options = limits::request().field_validation(mode);
    options.name = Some(identity.name.as_str()).filter(|name| !name.is_empty()).map(Into::into);
    if !identity.namespace.is_empty() {
        options.namespace = identity.namespace.as_str().into();
    }
    options
}

/// What tells objects apart, in whatever version they are written: group, kind, namespace, name. What says no namespace is in `default`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ObjectKey<'a>([&'a str; 4]);

impl<'a> ObjectKey<'a> {
    pub(crate) fn of(identity: &'a Identity) -> Self {
        let Identity { gvk, namespace, name } = identity;
        let namespace = if namespace.is_empty() { "default" } else { namespace.as_str() };
        Self([&gvk.group, &gvk.kind, namespace, name])
    }
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
