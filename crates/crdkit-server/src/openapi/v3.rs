//! OpenAPI version 3: an index, and a document for each group and version.

use super::operation::{Operation, paths};
use super::{
    Context, NativeDefinitions, Notation, definitions, media_types, name, parameter, schema, text,
};
use crate::catalogue::resource::Resource;
use crate::digest::digest;
use crdkit_text::kind::GroupVersion;
use crdkit_value::{Document, Writer};

/// `info` of a document.
#[derive(Clone, Copy, Debug)]
pub struct Info<'t> {
    /// `title`.
    pub title: &'t str,
    /// `version`.
    pub version: &'t str,
}

impl Info<'static> {
    /// The `info` of documents about custom kinds.
    pub const CUSTOM: Self = Self { title: "Kubernetes CRD Swagger", version: "v0.1.0" };
}

/// The path of a version in the index and below `/openapi/v3/`.
pub fn path(group_version: GroupVersion<'_>) -> String {
    match group_version.group {
        "" => format!("api/{}", group_version.version),
        group => format!("apis/{group}/{}", group_version.version),
    }
}

/// The hash of the document of resources with these [`super::fingerprint`]s, in any order.
pub fn hash<'h>(fingerprints: impl IntoIterator<Item = &'h str>) -> String {
    let mut all: Vec<_> = fingerprints.into_iter().collect();
    all.sort_unstable();
    digest(all.into_iter().map(str::as_bytes))
}

/// The index: each path with the hash of its document.
pub fn index<'t>(documents: impl IntoIterator<Item = (&'t str, &'t str)>) -> Document {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.nested("paths", |writer| {
            for (path, hash) in documents {
                writer.nested(path, |writer| {
                    writer.text("serverRelativeURL", &relative_url(path, hash));
                });
            }
        });
    });
    writer.finish()
}

/// Where a document is found that has this hash.
pub fn relative_url(path: &str, hash: &str) -> String {
    format!("/openapi/v3/{path}?hash={hash}")
}

/// The document of `resources`, which are all those of one version. `native` finds definitions of native kinds.
pub fn document<'r>(
    info: Info<'_>,
    resources: impl IntoIterator<Item = &'r Resource> + Clone,
    native: NativeDefinitions<'_>,
) -> Vec<u8> {
    let mut context = Context::new(Notation::V3);
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.text("openapi", "3.0.0");
        writer.nested("info", |writer| {
            writer.text("title", info.title);
            writer.text("version", info.version);
        });
        writer.nested("paths", |writer| {
            for resource in resources.clone() {
                write_paths(writer, &mut context, resource);
            }
        });
        writer.nested("components", |writer| {
            writer.nested("schemas", |writer| {
                for resource in resources {
                    schema::write_kind(writer, &mut context, resource);
                }
                definitions::write_referenced(writer, &mut context, native);
            });
        });
    });
    text(writer.finish().root())
}

fn write_paths(writer: &mut Writer, context: &mut Context, resource: &Resource) {
    for item in paths(resource) {
        writer.nested(&item.path, |writer| {
            for one in &item.operations {
                operation(writer, context, resource, one);
            }
            parameters(writer, &item.parameters);
        });
    }
}

fn parameters(writer: &mut Writer, parameters: &[super::operation::Parameter]) {
    if !parameters.is_empty() {
        writer.list("parameters", parameters, |writer, one| {
            parameter::write(writer, Notation::V3, one);
        });
    }
}

fn operation(
    writer: &mut Writer,
    context: &mut Context,
    resource: &Resource,
    operation: &Operation,
) {
    writer.nested(operation.method, |writer| {
        writer.texts("tags", [name::tag(resource.kind.group_version())]);
        writer.text("description", &operation.description);
        writer.text("operationId", &operation.id);
        parameters(writer, &operation.parameters);
        if let Some((definition, required)) = &operation.body {
            writer.nested("requestBody", |writer| {
                let types = media_types(resource, operation.patches);
                content(writer, context, types, definition);
                if *required {
                    writer.flag("required", true);
                }
            });
        }
        writer.nested("responses", |writer| {
            let (definition, codes) = &operation.answer;
            for (code, description) in *codes {
                writer.nested(code, |writer| {
                    writer.text("description", description);
                    content(writer, context, media_types(resource, false), definition);
                });
            }
            writer.nested("401", |writer| writer.text("description", "Unauthorized"));
        });
        writer.text("x-kubernetes-action", operation.action);
        writer.key("x-kubernetes-group-version-kind");
        super::write_kind_name(writer, &operation.kind);
    });
}

fn content(writer: &mut Writer, context: &mut Context, types: &[&str], definition: &str) {
    writer.nested("content", |writer| {
        for media_type in types {
            writer.nested(media_type, |writer| {
                writer.nested("schema", |writer| context.reference(writer, definition));
            });
        }
    });
}
