//! An OpenAPI v3 document of one group and version, in the form the API server publishes.
//!
//! Schemas are as they are written in the CRDs, with `apiVersion`, `kind` and `metadata` filled in; the
//! paths tell plural, scope and subresources. Programs that read the server's own documents read this one.

use crate::model::Crd;
use crdkit_text::kind::GroupVersion;
use crdkit_value::{Document, Event, Value, Writer};

/// The extension on the path of a `scale` subresource that says where it reads and writes, which the server does not
/// publish.
pub const SCALE_PATHS: &str = "x-crdkit-scale";
/// The extension on the schema of the version that objects are stored in, which the server does not publish either.
pub const STORAGE: &str = "x-crdkit-storage";

/// The document of `group` and `version`, with the kinds of those `crds` that serve it.
pub fn openapi<'d>(group: &str, version: &str, crds: &'d [Crd<'d>]) -> Document {
    let served = || {
        crds.iter().filter(|crd| crd.spec.group == group).filter_map(|crd| {
            let versions = &crd.spec.versions;
            let at = versions.iter().position(|it| it.name == version && it.served)?;
            Some((crd, at))
        })
    };
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.text("openapi", "3.0.0");
        writer.nested("info", |writer| {
            writer.text("title", &GroupVersion { group, version }.to_string());
            writer.text("version", version);
        });
        writer.nested("paths", |writer| {
            served().for_each(|(crd, at)| paths(writer, crd, at, version));
        });
        writer.nested("components", |writer| {
            writer.nested("schemas", |writer| {
                served().for_each(|(crd, at)| kind(writer, crd, at, version));
            });
        });
    });
    writer.finish()
}

/// The paths of one object and of its subresources.
fn paths(writer: &mut Writer, crd: &Crd<'_>, at: usize, version: &str) {
    let namespaced = crd.spec.scope == "Namespaced";
    let within = if namespaced { "namespaces/{namespace}/" } else { "" };
    let (group, plural) = (crd.spec.group, crd.spec.names.plural);
    let base = if group.is_empty() { "/api".to_owned() } else { format!("/apis/{group}") };
    let object = format!("{base}/{version}/{within}{plural}/{{name}}");
    path(writer, &object, crd, version, None);
    let Some(subresources) = crd.subresources(at) else { return };
    if subresources.status {
        path(writer, &format!("{object}/status"), crd, version, None);
    }
    if let Some(scale) = subresources.source.get("scale").filter(|_| subresources.scale.is_some()) {
        path(writer, &format!("{object}/scale"), crd, version, Some(scale));
    }
}

fn path(writer: &mut Writer, path: &str, crd: &Crd<'_>, version: &str, scale: Option<Value<'_>>) {
    let namespaced = crd.spec.scope == "Namespaced";
    writer.nested(path, |writer| {
        if let Some(scale) = scale {
            writer.value(SCALE_PATHS, scale);
        }
        writer.list(
            "parameters",
            ["name"].into_iter().chain(namespaced.then_some("namespace")),
            |writer, name| {
                writer.object(|writer| {
                    writer.text("name", name);
                    writer.text("in", "path");
                    writer.flag("required", true);
                    writer.nested("schema", |writer| writer.text("type", "string"));
                });
            },
        );
        writer.nested("get", |writer| {
            let reference = format!("#/components/schemas/{}", component(crd, version));
            writer.nested("responses", |writer| {
                writer.nested("200", |writer| {
                    writer.text("description", "OK");
                    writer.nested("content", |writer| {
                        writer.nested("application/json", |writer| {
                            writer.nested("schema", |writer| writer.text("$ref", &reference));
                        });
                    });
                });
            });
            writer.key("x-kubernetes-group-version-kind");
            name(writer, crd, version);
        });
    });
}

/// The schema of one kind.
fn kind(writer: &mut Writer, crd: &Crd<'_>, at: usize, version: &str) {
    let source = crd.schema(at).map(|id| crd.schemas.get(id).source);
    let fixed = ["apiVersion", "kind", "metadata"];
    writer.nested(&component(crd, version), |writer| {
        for (keyword, value) in source.into_iter().flat_map(Value::members) {
            if keyword != "properties" && keyword != "type" {
                writer.value(keyword, value);
            }
        }
        writer.text("type", "object");
        writer.nested("properties", |writer| {
            for (field, type_name) in fixed.into_iter().zip(["string", "string", "object"]) {
                let written = source.and_then(|source| source.get("properties")?.get(field));
                match written {
                    Some(written) => writer.value(field, written),
                    None => writer.nested(field, |writer| writer.text("type", type_name)),
                }
            }
            let properties = source.and_then(|source| source.get("properties"));
            for (field, value) in properties.into_iter().flat_map(Value::members) {
                if !fixed.contains(&field) {
                    writer.value(field, value);
                }
            }
        });
        if crd.spec.versions.get(at).is_some_and(|version| version.storage) {
            writer.flag(STORAGE, true);
        }
        writer.key("x-kubernetes-group-version-kind");
        writer.event(Event::BeginArray);
        name(writer, crd, version);
        writer.event(Event::EndArray);
    });
}

fn name(writer: &mut Writer, crd: &Crd<'_>, version: &str) {
    writer.object(|writer| {
        writer.text("group", crd.spec.group);
        writer.text("version", version);
        writer.text("kind", crd.spec.names.kind);
    });
}

/// The name of a kind's schema: the group from its end, the version, the kind.
fn component(crd: &Crd<'_>, version: &str) -> String {
    let mut parts: Vec<_> = crd.spec.group.split('.').rev().filter(|it| !it.is_empty()).collect();
    parts.extend([version, crd.spec.names.kind]);
    parts.join(".")
}
