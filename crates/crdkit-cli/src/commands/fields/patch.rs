//! `crdkit patch`: objects as a patch makes them.

use super::{Files, FoundObject, KindSchema, Kinds, Notation, Printer, options, time};
use crate::args::FieldValidation;
use crate::exit::Exit;
use crate::limits;
use crate::report::SourceText;
use crate::source::refused;
use crate::write::{Author, ObjectWrite, Refusal};
use crate::{report, stdout};
use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use crdkit_codec::Format;
use crdkit_issue::Issue;
use crdkit_patch::managed::ApplyError;
use crdkit_patch::{PatchError, PatchLimits, json, merge};
use crdkit_value::{Document, NodeId, Value};
use std::borrow::Cow;
use std::fs;
use std::path::PathBuf;

/// Patch objects offline, as the API server would
///
/// Prints every object as it would be stored after the patch, or its findings if it would be refused. Strategic
/// merge patches work for built-in kinds.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  crdkit patch --crds crds/ lamp.yaml --type merge -p '{\"spec\":{\"watts\":40}}'
  crdkit patch --crds crds/ lamp.yaml --type json -p '[{\"op\":\"remove\",\"path\":\"/spec/label\"}]'
  crdkit patch deploy.yaml --type strategic --patch-file sidecar.yaml
  crdkit patch --crds crds/ lamp.yaml --type apply --manager ci --patch-file wanted.yaml
")]
pub(crate) struct Patch {
    /// Files, directories or other sources of objects; `-` is standard input
    #[arg(value_name = "SOURCE", default_value = "-")]
    paths: Vec<String>,

    /// The kind of patch
    #[arg(long = "type", value_name = "TYPE", default_value = "merge")]
    kind: PatchKind,

    /// The patch, in JSON or YAML
    #[arg(short = 'p', long = "patch", value_name = "PATCH", required_unless_present = "file")]
    text: Option<String>,

    /// A file with the patch
    #[arg(long = "patch-file", value_name = "FILE", conflicts_with = "text")]
    file: Option<PathBuf>,

    /// The field manager, if the object has `managedFields`
    #[arg(long, value_name = "NAME", visible_alias = "field-manager", default_value = "crdkit")]
    manager: String,

    /// With `--type apply`: take over fields from other managers
    #[arg(long, visible_alias = "force-conflicts")]
    force: bool,

    /// The time of the request, in RFC 3339 form [default: now]
    #[arg(long, value_name = "TIME")]
    time: Option<String>,

    /// The format of objects
    #[arg(short, long, value_name = "FORMAT", default_value = "yaml")]
    output: Notation,

    /// What happens to fields that are unknown or given twice
    #[arg(long, value_name = "MODE", default_value = "strict", ignore_case = true)]
    field_validation: FieldValidation,

    #[command(flatten)]
    kinds: Kinds,
}

/// `--type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PatchKind {
    /// JSON Patch (RFC 6902)
    Json,
    /// Merge patch (RFC 7396)
    Merge,
    /// Strategic merge patch
    Strategic,
    /// Server-side apply: the patch is a configuration, and its manager owns the fields in it
    Apply,
}

pub(crate) fn run(args: &Patch) -> Result<Exit> {
    let mut files = Files::read(&args.kinds)?;
    files.add(&args.kinds, &args.paths);
    let bytes = match (&args.text, &args.file) {
        (Some(text), _) => text.clone().into_bytes(),
        (None, Some(path)) => {
            fs::read(path).with_context(|| format!("`{}` cannot be read", path.display()))?
        }
        (None, None) => Vec::new(),
    };
    // JSON is YAML as well.
    let positions = limits::decoding().positions(true);
    let decoded = Format::Yaml.decode(&bytes, &positions);
    let name = args.file.as_ref().map_or("<patch>".into(), |path| path.to_string_lossy());
    let refused = |issue: Box<Issue>| refused(&SourceText::new(&name, &bytes, 1), &issue);
    let document = decoded.map_err(refused).context("the patch cannot be read")?.document;
    let patch = PatchText { name, bytes: &bytes, document };
    let mut printer = Printer::new(args.output);
    for found in std::mem::take(&mut files.objects) {
        if found.identity.is_crd() {
            continue;
        }
        patched(args, &mut files, &found, &patch, &mut printer)?;
    }
    stdout::print(&printer.out)?;
    Ok(files.exit)
}

/// The patch, and where it is from.
struct PatchText<'a> {
    name: Cow<'a, str>,
    bytes: &'a [u8],
    document: Document,
}

impl PatchText<'_> {
    /// Says that `found` is not patched, because of `part` of the patch, and how the server answers.
    fn refuse(
        &self,
        files: &mut Files,
        found: &FoundObject,
        part: Option<NodeId>,
        problem: &str,
        status: u16,
    ) {
        let place = self.document.place(part.unwrap_or(NodeId::ROOT));
        let source = SourceText::new(&self.name, self.bytes, 1);
        let position =
            place.and_then(|place| source.position(place.key.unwrap_or(place.value).start));
        let place = position.map_or_else(String::new, |at| format!(":{}:{}", at.line, at.column));
        let (name, identity) = (&self.name, &found.identity);
        files.error(&format!("{name}{place}: error: {identity}: {problem} (status {status})"));
    }

    /// The operation of a JSON Patch that `error` is about.
    fn operation(&self, error: &PatchError) -> Option<NodeId> {
        match error {
            PatchError::Operation { index, .. } => self.document.root().at(*index).map(Value::id),
            _ => None,
        }
    }
}

/// Prints the object as it would be stored after the patch, if it would.
fn patched(
    args: &Patch,
    files: &mut Files,
    found: &FoundObject,
    patch: &PatchText<'_>,
    printer: &mut Printer,
) -> Result<()> {
    let schema = match files.schema(&found.identity) {
        Ok(KindSchema::Unknown) => {
            unchecked(args, files, found, patch, printer);
            return Ok(());
        }
        schema => schema,
    };
    let rules = schema.as_ref().map_err(Clone::clone).and_then(|it| it.rules(&found.identity));
    let rules = match rules {
        Ok(rules) => rules,
        Err(problem) => {
            files.refuse(found, None, &problem);
            return Ok(());
        }
    };
    let options = options(&found.identity, args.field_validation.into());
    let live = rules.stored(&found.decoded.document, &options);
    let author = Author { manager: &args.manager, time: time(args.time.as_deref())? };
    let document = &patch.document;
    let change = match args.kind {
        PatchKind::Json => ObjectWrite::JsonPatch(document),
        PatchKind::Merge => ObjectWrite::MergePatch(document),
        PatchKind::Strategic => ObjectWrite::StrategicPatch(document),
        PatchKind::Apply => ObjectWrite::Apply { config: document, force: args.force },
    };
    match rules.write(Some(&live), change, author, &options) {
        Ok(outcome) => {
            if files.judged(found, &outcome) {
                printer.print(outcome.document());
            }
        }
        Err(Refusal::Apply(ApplyError::Conflicts(conflicts))) => {
            for conflict in conflicts {
                let problem = format!("conflict with {}: {}", conflict.owner, conflict.field);
                patch.refuse(files, found, conflict.value, &problem, 409);
            }
        }
        Err(refusal) => {
            let part = match &refusal {
                Refusal::Patch(error) => patch.operation(error),
                _ => None,
            };
            patch.refuse(files, found, part, &refusal.to_string(), refusal.status().code);
        }
    }
    Ok(())
}

/// The same for an object of a kind that nothing is known about: the patch is applied and nothing is checked.
fn unchecked(
    args: &Patch,
    files: &mut Files,
    found: &FoundObject,
    patch: &PatchText<'_>,
    printer: &mut Printer,
) {
    let mut object = found.decoded.document.clone();
    let document = patch.document.clone();
    let applied = match args.kind {
        PatchKind::Json => json::JsonPatch::from_document(document, &PatchLimits::default())
            .and_then(|patch| patch.apply(&mut object)),
        PatchKind::Merge => {
            merge::MergePatch::from_document(document).map(|patch| patch.apply(&mut object))
        }
        PatchKind::Strategic | PatchKind::Apply => {
            let problem = "there is no CRD for its kind; name its file or directory with `--crds`";
            files.refuse(found, None, problem);
            return;
        }
    };
    if let Err(error) = applied {
        let (part, code) = (patch.operation(&error), error.status().code);
        patch.refuse(files, found, part, &error.to_string(), code);
        return;
    }
    report::note(&format!("{}: not checked, since there is no CRD for its kind", found.identity));
    printer.print(&object);
}
