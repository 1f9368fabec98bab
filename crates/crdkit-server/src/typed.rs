//! Native kinds as field managers see them: a schema made of the published one, and an object with nothing in it.

use crate::catalogue::resource::ResourceSchema;
use crate::catalogue::snapshot::Served;
use crate::rules::Rules;
use crdkit_codec::{DecodeOptions, Format};
use crdkit_engine::{Crd, RequestOptions};
use crdkit_native::NativeKinds;
use crdkit_schema::compile::CompiledCrd;
use crdkit_value::{Document, Kind, NewValue, NodeId, Value};

/// References deeper than this lead back to where they came from.
const DEPTH: usize = 24;

/// The schema of a native kind; made when it is first needed.
pub(crate) fn schema(served: &Served) -> Option<&CompiledCrd> {
    let make = || {
        let ResourceSchema::Native { definition } = &served.resource.schema else { return None };
        let schema = resolve(definition, DEPTH);
        let version = Document::object()
            .with("name", served.resource.kind.version.as_str())
            .with("served", true)
            .with("storage", true)
            .with("schema", &Document::object().with("openAPIV3Schema", &schema));
        let names = Document::object()
            .with("kind", served.resource.kind.kind.as_str())
            .with("plural", &served.resource.plural);
        let spec = Document::object()
            .with("group", served.resource.kind.group.as_str())
            .with("names", &names)
            .with("versions", &Document::array_of([&version]));
        Crd::compile(&Document::object().with("spec", &spec)).ok()
    };
    served.typed.get_or_init(make).as_ref().map(Crd::compiled)
}

/// The schema of a definition, with all that it refers to in its place.
fn resolve(definition: &str, depth: usize) -> Document {
    let text = NativeKinds::latest().schema(definition).unwrap_or("{}");
    let decoded = Format::Json.decode(text.as_bytes(), &DecodeOptions::default());
    let mut schema = decoded.map_or_else(|_| Document::object(), |decoded| decoded.document);
    for key in ["description", "x-kubernetes-group-version-kind"] {
        crate::stored::remove(&mut schema, NodeId::ROOT, key);
    }
    // Found first, because a copy of what is referred to may refer to the same again.
    let references: Vec<(NodeId, String)> = schema
        .root()
        .ids()
        .filter_map(|id| {
            let target = schema.value(id).get("$ref")?.as_str()?;
            Some((id, target.trim_start_matches("#/definitions/").to_owned()))
        })
        .collect();
    for (id, target) in references {
        let extensions: Vec<(String, Document)> = schema
            .value(id)
            .members()
            .filter(|(key, _)| key.starts_with("x-kubernetes-"))
            .map(|(key, value)| (key.to_owned(), Document::copy_of(value)))
            .collect();
        let mut part = match target.rsplit('.').next() {
            Some("ObjectMeta") => Document::object().with("type", "object"),
            _ if depth == 0 || is_atomic(&extensions) => {
                Document::object().with("type", "object").with(
                    "x-kubernetes-preserve-unknown-fields",
                    true,
                )
            }
            _ => resolve(&target, depth - 1),
        };
        for (key, value) in &extensions {
            part.insert(NodeId::ROOT, key, value);
        }
        schema.set(id, &part);
    }
    schema
}

fn is_atomic(extensions: &[(String, Document)]) -> bool {
    let is = |value: &Document| value.root().as_str() == Some("atomic");
    extensions.iter().any(|(key, value)| key.ends_with("-type") && is(value))
}

/// An object of a native kind with nothing in it but the parts that are always there.
pub(crate) fn empty(served: &Served) -> Document {
    let mut document = match &served.rules {
        Rules::Native(kind) => {
            let nothing = Document::object().with("metadata", NewValue::EmptyObject);
            kind.stored(&nothing, &RequestOptions::new().namespace("")).into_document()
        }
        Rules::Definition => crate::rules::empty_definition(),
        Rules::Custom(_) => Document::object(),
    };
    // Parts are always there; what is in them by default is not.
    let removed: Vec<NodeId> = document
        .root()
        .ids()
        .filter(|id| *id != NodeId::ROOT && !is_part(document.value(*id)))
        .collect();
    removed.into_iter().for_each(|id| document.remove(id));
    document
}

fn is_part(value: Value<'_>) -> bool {
    matches!(value.kind(), Kind::Object(_)) && value.key().is_some()
}
