//! `crdkit apply`: server-side apply on files.

use super::{Files, Found, KindSchema, Kinds, NativeVersion, Notation, Printer, is_same, time};
use crate::exit::Exit;
use crate::objects::Identity;
use crate::stdout;
use anyhow::Result;
use clap::Args;
use crdkit_engine::{FieldValidation, RequestOptions};
use crdkit_patch::managed::{ApplyError, CrdVersions, Versions as _, Writer};
use crdkit_value::Document;

/// Server-side apply on files: who owns what, conflicts, what is removed
///
/// Applies every object, one after the other, to the object of the same name in `--current` or to what an apply before it
/// has made, and prints the objects with their `managedFields` as the API server would store them. Fields that others own
/// are conflicts, shown where the configuration has them; `--force` takes them over.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  crdkit apply --crds crds/ --manager ci lamp.yaml
  crdkit apply --crds crds/ --manager ci --current live.yaml lamp.yaml
  crdkit apply --crds crds/ --manager ci --current live.yaml --force lamp.yaml
")]
pub(crate) struct Apply {
    /// Configurations: files, directories or other sources; `-` is standard input
    #[arg(value_name = "SOURCE", default_value = "-")]
    paths: Vec<String>,

    /// Who applies
    #[arg(long, value_name = "NAME", visible_alias = "field-manager", default_value = "crdkit")]
    manager: String,

    /// The objects as they are now; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    current: Vec<String>,

    /// Take fields from their owners
    #[arg(long, visible_alias = "force-conflicts")]
    force: bool,

    /// When, as RFC 3339 has it [default: now]
    #[arg(long, value_name = "TIME")]
    time: Option<String>,

    /// How objects are written
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: Notation,

    #[command(flatten)]
    kinds: Kinds,
}

/// Objects as they are now.
type Current = Vec<(Identity, Document)>;

pub(crate) fn run(args: &Apply) -> Result<Exit> {
    let mut files = Files::read(&args.kinds)?;
    let first = files.add(&args.kinds, &args.current);
    let given = files.add(&args.kinds, &args.paths);
    let mut configs = std::mem::take(&mut files.objects);
    let wanted = configs.split_off(given);
    let current = configs.into_iter().skip(first);
    let mut current: Current = current.map(|it| (it.identity, it.decoded.document)).collect();
    let mut printer = Printer::new(args.output);
    for config in wanted.iter().filter(|config| !config.identity.is_crd()) {
        if let Some(object) = apply(args, &mut files, config, &current)? {
            printer.print(&object);
            current.retain(|(identity, _)| !is_same(identity, &config.identity));
            current.push((config.identity.clone(), object));
        }
    }
    stdout::print(&printer.out)?;
    Ok(files.exit)
}

/// The object as it would be stored, if it would.
fn apply(
    args: &Apply,
    files: &mut Files,
    config: &Found,
    current: &Current,
) -> Result<Option<Document>> {
    let crd = match files.schema(&config.identity) {
        Ok(KindSchema::Crd(crd)) => crd,
        Ok(KindSchema::Native) => return native(args, files, config, current),
        Err(problem) => {
            files.refuse(config, None, &problem);
            return Ok(None);
        }
    };
    let Some(version) = crd.version(&config.identity.gvk.version) else {
        files.refuse(config, None, "its version is not served");
        return Ok(None);
    };
    let mut options = RequestOptions::new().field_validation(FieldValidation::Ignore);
    if !config.identity.namespace.is_empty() {
        options.namespace = config.identity.namespace.as_str().into();
    }
    let live = current.iter().find(|(identity, _)| is_same(identity, &config.identity));
    let live = live.map(|(_, object)| version.stored(object, &options));
    let versions = CrdVersions(crd.compiled());
    let writer = Writer {
        manager: &args.manager,
        api_version: &version.compiled().api_version,
        subresource: "",
        time: time(args.time.as_deref())?,
        reset: if version.compiled().status { &[&["status"]] } else { &[] },
        versions: &versions,
    };
    let before = live.as_ref().map(crdkit_engine::Stored::document);
    let Some(applied) = written(args, files, config, &writer, before) else { return Ok(None) };
    let outcome = match version.read_applied(applied, &options) {
        Err(refused) => *refused,
        Ok(read) => match &live {
            Some(live) => read.update(live),
            None => read.create(),
        },
    };
    Ok(files.judged(config, &outcome).then(|| outcome.into_document()))
}

/// The same for a kind that comes with Kubernetes, without its defaults and without a verdict.
fn native(
    args: &Apply,
    files: &mut Files,
    config: &Found,
    current: &Current,
) -> Result<Option<Document>> {
    let versions = NativeVersion(&config.identity);
    let api_version = config.identity.api_version();
    if versions.schema(&api_version).is_none() {
        let problem = "there is no CRD for its kind; name its file or directory with `--crds`";
        files.refuse(config, None, problem);
        return Ok(None);
    }
    let writer = Writer {
        manager: &args.manager,
        api_version: &api_version,
        subresource: "",
        time: time(args.time.as_deref())?,
        reset: &[&["status"]],
        versions: &versions,
    };
    let live = current.iter().find(|(identity, _)| is_same(identity, &config.identity));
    Ok(written(args, files, config, &writer, live.map(|(_, object)| object)))
}

/// What `writer` makes of `live`; conflicts and other reasons why not are shown.
fn written(
    args: &Apply,
    files: &mut Files,
    config: &Found,
    writer: &Writer<'_>,
    live: Option<&Document>,
) -> Option<Document> {
    let kind = &config.identity.gvk.kind;
    match writer.apply(kind, live, &config.decoded.document, args.force) {
        Ok(applied) => return Some(applied.document),
        Err(ApplyError::Conflicts(conflicts)) => {
            for conflict in conflicts {
                let problem = format!("conflict with {}: {}", conflict.owner, conflict.field);
                files.refuse(config, conflict.value, &problem);
            }
        }
        Err(error) => files.refuse(config, None, &error.to_string()),
    }
    None
}
