//! `crdkit default`: objects as they would be stored.

pub(crate) mod annotate;
mod args;
pub(crate) mod changes;
pub(crate) mod definitions;

pub(crate) use args::Default;

use crate::args::Args;
use crate::config::Config;
use crate::exit::Exit;
use crate::input::Input;
use crate::limits;
use crate::objects::{self, Identity};
use crate::report::{self, SourceText};
use crate::source::{self, Purpose};
use crate::stdout;
use anyhow::Result;
use args::DefaultNotation;
use clap::CommandFactory as _;
use clap::error::ErrorKind;
use crdkit_codec::{Decoded, json, yaml};
use crdkit_engine::Changes;
use crdkit_issue::{Issue, codes};
use crdkit_native::{NativeKind, NativeKinds};
use crdkit_value::{Document, Value};
use definitions::{LocatedCrd, LocatedCrds};
use std::mem::take;

pub(crate) fn run(args: &Default) -> Result<Exit> {
    if args.annotate && args.output == DefaultNotation::Json {
        let text = "JSON has no comments: `--annotate` needs `--output yaml`";
        Args::command().error(ErrorKind::ArgumentConflict, text).exit();
    }
    let config =
        if args.no_config { Config::default() } else { Config::load(args.config.as_deref())? };
    let client = args.fetching.client();
    let mut exit = Exit::Fine;
    let mut inputs = Vec::new();
    for path in &args.paths {
        let found = source::find(path, Purpose::Objects, &client);
        let read = found.and_then(|found| {
            found.entries.iter().map(crate::input::InputEntry::read).collect::<Result<Vec<Input>>>()
        });
        match read {
            Ok(read) => inputs.extend(read),
            Err(error) => {
                report::failure(&error);
                exit = Exit::Failed;
            }
        }
    }
    let sources: Vec<String> = config.crds.iter().chain(&args.crds).cloned().collect();
    let mut definitions = LocatedCrds::load(&sources, &client)?;
    for input in &inputs {
        definitions.add(input);
    }
    let mut printer = Printer { args, n_printed: 0, out: String::new() };
    for input in &inputs {
        let source = SourceText::of(input);
        let options = limits::decoding().positions(true);
        for outcome in objects::decode(input, &options) {
            let identity = outcome.as_ref().map(|it| objects::identify(&it.document));
            let subject = identity.map(Result::unwrap_or_default).unwrap_or_default().short();
            let issues =
                match outcome.and_then(|decoded| stored(decoded, &definitions, &mut printer)) {
                    Ok(warnings) => warnings,
                    Err(errors) => {
                        exit = exit.max(Exit::Findings);
                        errors
                    }
                };
            for issue in &issues {
                source.show_about(&subject, issue);
            }
        }
    }
    stdout::print(&printer.out)?;
    Ok(exit)
}

/// Prints one object as it would be stored; gives warnings, or why it would not be stored.
fn stored(
    decoded: Decoded,
    definitions: &LocatedCrds,
    printer: &mut Printer<'_>,
) -> Result<Vec<Issue>, Vec<Issue>> {
    let identity = objects::identify(&decoded.document).map_err(|issue| vec![*issue])?;
    if identity.is_crd() {
        return Ok(Vec::new());
    }
    let refuse = |issue: Issue, key: &str| {
        let value = decoded.document.root().get(key);
        let place = value.and_then(|value| decoded.document.place(value.id()));
        vec![place.map_or(issue.clone(), |place| issue.span(place.value))]
    };
    let mode = printer.args.field_validation;
    let mut options = limits::request().field_validation(mode.into());
    if !identity.namespace.is_empty() {
        options.namespace = identity.namespace.as_str().into();
    }
    let original = decoded.document.clone();
    let definition = definitions.get(&identity);
    let mut outcome = match (definition, native_kind(&identity)) {
        (Some(definition), _) => {
            let crd = definition.compiled().map_err(|problem| {
                let issue = Issue::error(codes::source::UNUSABLE_SCHEMA);
                let issue = issue.with("kind", identity.gvk.kind.as_str());
                refuse(issue.with("problem", problem), "kind")
            })?;
            let Some(version) = crd.version(&identity.gvk.version) else {
                let issue = objects::unknown_version(&identity, &crd);
                return Err(refuse(issue, "apiVersion"));
            };
            version.create(decoded, &options)
        }
        (None, Some(kind)) => kind.create(decoded, &options),
        (None, None) => {
            let hint = "name its file or directory with `--crds`";
            return Err(match objects::list_problem(&decoded.document) {
                Some(issue) => vec![issue],
                None => refuse(objects::no_schema(&identity, hint), "kind"),
            });
        }
    };
    if !outcome.is_accepted() {
        return Err(outcome.issues);
    }
    let (issues, changes) = (take(&mut outcome.issues), take(&mut outcome.changes));
    let mut stored = outcome.into_document();
    let generation = stored.root().pointer("/metadata/generation").map(Value::id);
    if let Some(id) = generation {
        stored.remove(id);
    }
    printer.print([&original, &stored], &changes, definition, &identity);
    Ok(issues)
}

/// The kind that comes with Kubernetes, if it is one.
fn native_kind(identity: &Identity) -> Option<&'static NativeKind> {
    let gvk = &identity.gvk;
    NativeKinds::latest().find(&gvk.group, &gvk.version, &gvk.kind)
}

/// Collects what is printed, so that findings do not come in between.
struct Printer<'a> {
    args: &'a Default,
    n_printed: usize,
    out: String,
}

impl Printer<'_> {
    fn print(
        &mut self,
        [original, stored]: [&Document; 2],
        changes: &Changes,
        definition: Option<&LocatedCrd>,
        identity: &Identity,
    ) {
        let root = stored.root();
        let mut text = match self.args.output {
            DefaultNotation::Json => json::text(root, json::Layout::Pretty) + "\n",
            DefaultNotation::Yaml => {
                if self.n_printed > 0 {
                    self.out.push_str("---\n");
                }
                yaml::text(root)
            }
        };
        if self.args.annotate {
            let version = &identity.gvk.version;
            let notes = changes::notes([original, stored], changes, definition, version);
            text = annotate::annotate(&text, root, &notes);
        }
        self.out.push_str(&text);
        self.n_printed += 1;
    }
}
