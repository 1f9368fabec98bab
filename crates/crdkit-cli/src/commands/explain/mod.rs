//! `crdkit explain`: what a kind's fields are, from its CRD alone, or from the schema that comes with Kubernetes.

mod args;
mod describe;
mod layout;

pub(crate) use args::{Explain, ExplainNotation};

use crate::exit::Exit;
use crate::kinds::{self, quoted};
use crate::stdout;
use anyhow::{Context as _, Result, anyhow};
use crdkit_codec::{DecodeOptions, json, yaml};
use crdkit_schema::lookup::{self, LookupStep, NotFound};
use crdkit_schema::model::{Crd, SchemaId, Schemas};
use crdkit_schema::read;
pub(crate) use describe::ExplainedField;
use describe::{Describer, Explained};
pub(crate) use layout::facts;

/// What every object has, in words of its own; CRDs say little about it.
const METADATA: &str = include_str!("metadata.yaml");

pub(crate) fn run(args: &Explain) -> Result<Exit> {
    let meant = args.definitions.meant(&args.name)?;
    let mut path = meant.path;
    path.extend(args.path.as_deref().map(lookup::parse).unwrap_or_default());
    let crd = kinds::read(&meant.document)?;
    let at = kinds::version(&crd, args.api_version.as_deref())?;
    let explained = explain(&crd, at, &path, args.recursive)?;
    let text = match args.output {
        ExplainNotation::Text => layout::text(&explained, args.recursive),
        ExplainNotation::Json => serde_json::to_string_pretty(&explained)? + "\n",
        ExplainNotation::Yaml => {
            let text = serde_json::to_vec(&explained)?;
            let decoded = json::decode(&text, &DecodeOptions::default());
            let decoded = decoded.map_err(|issue| anyhow!("{issue}"))?;
            yaml::text(decoded.document.root())
        }
    };
    stdout::print(&text)?;
    Ok(Exit::Fine)
}

/// An object of version number `at`, with all fields below it.
pub(crate) fn whole(crd: &Crd<'_>, at: usize) -> Result<ExplainedField> {
    explain(crd, at, &[], true).map(|explained| explained.field)
}

/// What is at `path` in objects of version number `at`.
fn explain(crd: &Crd<'_>, at: usize, path: &[LookupStep], recursive: bool) -> Result<Explained> {
    let metadata = yaml::decode(METADATA.as_bytes(), &DecodeOptions::default());
    let metadata = metadata.map_err(|issue| anyhow!("{issue}"))?;
    let (common, common_root, _) = read::bare_schema(metadata.document.root());
    let kind = crd.spec.names.kind;
    let root = crd.schema(at).with_context(|| format!("this version of {kind} has no schema"))?;
    let place = lookup::find(&crd.schemas, root, path);
    let is_common = matches!(path.first(), Some(LookupStep::Name(name)) if is_common(name));
    let silent = match &place {
        Ok(place) => says_nothing(&crd.schemas, place.schema),
        Err(_) => true,
    };
    let (schemas, place) = if is_common && silent {
        (&common, lookup::find(&common, common_root, path))
    } else {
        (&crd.schemas, place)
    };
    let place = place.map_err(|error| anyhow!("{}", not_found(kind, &error)))?;
    let describer = Describer { schemas, recursive };
    let mut explained = Explained::of(crd, at, describer.field(&place));
    if path.is_empty() {
        // What a CRD leaves unsaid about the fields that every object has.
        let fields = &mut explained.field.fields;
        for (position, name) in ["apiVersion", "kind", "metadata"].into_iter().enumerate() {
            let steps = [LookupStep::Name(name.to_owned())];
            let known = fields.iter().position(|field| field.name == name);
            let unsaid =
                known.and_then(|at| fields.get(at)).is_none_or(|it| it.description.is_empty());
            if let Ok(place) = lookup::find(&common, common_root, &steps)
                && unsaid
            {
                let mut field = Describer { schemas: &common, recursive: false }.field(&place);
                field.fields.clear();
                match known.and_then(|at| fields.get_mut(at)) {
                    Some(known) => *known = field,
                    None => fields.insert(position.min(fields.len()), field),
                }
            }
        }
    }
    Ok(explained)
}

fn is_common(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

fn says_nothing(schemas: &Schemas<'_>, id: SchemaId) -> bool {
    let schema = schemas.get(id);
    schema.description.is_empty() && schema.properties.is_empty()
}

fn not_found(kind: &str, error: &NotFound) -> String {
    let place = match lookup::print(&error.before).as_str() {
        "" => kind.to_owned(),
        path => format!("{kind}.{path}"),
    };
    let LookupStep::Name(name) = &error.step else {
        return format!("`{place}` is neither a list nor a map, so that it has no items");
    };
    match (error.alike.as_slice(), error.known.as_slice()) {
        ([], []) => format!("`{place}` has no fields, so that it has no `{name}`"),
        ([], known) => {
            format!("`{place}` has no field `{name}`; it has {}", known.join(", "))
        }
        (alike, _) => {
            format!("`{place}` has no field `{name}`; did you mean {}?", quoted(alike))
        }
    }
}
