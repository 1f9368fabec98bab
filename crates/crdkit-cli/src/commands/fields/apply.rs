//! `crdkit apply`: server-side apply on files.

use super::{Files, FoundObject, Kinds, Notation, ObjectKey, Printer, options, time};
use crate::exit::Exit;
use crate::stdout;
use crate::write::{Author, ObjectWrite, Refusal};
use anyhow::Result;
use clap::Args;
use crdkit_engine::FieldValidation;
use crdkit_patch::managed::ApplyError;
use crdkit_value::Document;
use std::collections::BTreeMap;

/// Server-side apply on files: field owners, conflicts, removed fields
///
/// Applies every object in turn to the object of the same name in `--current` or to the result of an earlier apply, and
/// prints the objects with their `managedFields` as the API server would store them. Fields that other managers own
/// are conflicts, reported where the configuration sets them; `--force` takes them over.
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

    /// The field manager
    #[arg(long, value_name = "NAME", visible_alias = "field-manager", default_value = "crdkit")]
    manager: String,

    /// The objects as they are now; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    current: Vec<String>,

    /// Take over fields from other managers
    #[arg(long, visible_alias = "force-conflicts")]
    force: bool,

    /// The time of the request, in RFC 3339 form [default: now]
    #[arg(long, value_name = "TIME")]
    time: Option<String>,

    /// The format of objects
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: Notation,

    #[command(flatten)]
    kinds: Kinds,
}

/// Objects as they are now.
type Current<'a> = BTreeMap<ObjectKey<'a>, Document>;

pub(crate) fn run(args: &Apply) -> Result<Exit> {
    let mut files = Files::read(&args.kinds)?;
    let first = files.add(&args.kinds, &args.current);
    let given = files.add(&args.kinds, &args.paths);
    let mut configs = std::mem::take(&mut files.objects);
    let wanted = configs.split_off(given);
    let mut current = Current::new();
    for FoundObject { identity, decoded, .. } in configs.iter().skip(first) {
        current.entry(ObjectKey::of(identity)).or_insert_with(|| decoded.document.clone());
    }
    let mut printer = Printer::new(args.output);
    for config in wanted.iter().filter(|config| !config.identity.is_crd()) {
        if let Some(object) = apply(args, &mut files, config, &current)? {
            printer.print(&object);
            current.insert(ObjectKey::of(&config.identity), object);
        }
    }
    stdout::print(&printer.out)?;
    Ok(files.exit)
}

/// The object as it would be stored, if it would.
fn apply(
    args: &Apply,
    files: &mut Files,
    config: &FoundObject,
    current: &Current<'_>,
) -> Result<Option<Document>> {
    let schema = files.schema(&config.identity);
    let rules = schema.as_ref().map_err(Clone::clone).and_then(|it| it.rules(&config.identity));
    let rules = match rules {
        Ok(rules) => rules,
        Err(problem) => {
            files.refuse(config, None, &problem);
            return Ok(None);
        }
    };
    let options = options(&config.identity, FieldValidation::Ignore);
    let live = current.get(&ObjectKey::of(&config.identity));
    let live = live.map(|object| rules.stored(object, &options));
    let author = Author { manager: &args.manager, time: time(args.time.as_deref())? };
    let change = ObjectWrite::Apply { config: &config.decoded.document, force: args.force };
    match rules.write(live.as_ref(), change, author, &options) {
        Ok(outcome) => Ok(files.judged(config, &outcome).then(|| outcome.into_document())),
        Err(Refusal::Apply(ApplyError::Conflicts(conflicts))) => {
            for conflict in conflicts {
                let problem = format!("conflict with {}: {}", conflict.owner, conflict.field);
                files.refuse(config, conflict.value, &problem);
            }
            Ok(None)
        }
        Err(refusal) => {
            let code = refusal.status().code;
            files.refuse(config, None, &format!("{refusal} (status {code})"));
            Ok(None)
        }
    }
}
