//! OpenAPI version 2: one document for everything, for older clients.
//!
//! It is put together from the text of [`ResourceFragment`]s, one for each resource, and the definitions they share.

use super::operation::{Operation, Parameter, paths};
use super::{
    Context, NativeDefinitions, Notation, definitions, media_types, name, parameter, schema, text,
};
use crate::catalogue::resource::Resource;
use crdkit_value::{Value, Writer};
use std::collections::BTreeSet;

/// The description of one resource.
#[derive(Clone, Debug)]
pub struct ResourceFragment {
    /// Members of `paths`, as JSON.
    paths: Vec<u8>,
    /// Members of `definitions`, as JSON.
    definitions: Vec<u8>,
    /// Definitions that others have to write.
    references: Vec<Box<str>>,
}

impl ResourceFragment {
    /// The description of `resource`.
    pub fn new(resource: &Resource) -> Self {
        let mut context = Context::new(Notation::V2);
        let mut writer = Writer::new();
        writer.object(|writer| {
            for item in paths(resource) {
                writer.nested(&item.path, |writer| {
                    for one in &item.operations {
                        operation(writer, &mut context, resource, one);
                    }
                    writer.list("parameters", &item.parameters, shared_parameter);
                });
            }
        });
        let paths = members(writer.finish().root());
        let mut writer = Writer::new();
        writer.object(|writer| schema::write_kind(writer, &mut context, resource));
        let definitions = members(writer.finish().root());
        Self { paths, definitions, references: context.references.into_keys().collect() }
    }
}

/// The document made of `parts`. `native` finds definitions of native kinds.
pub fn document<'p>(
    info: super::v3::Info<'_>,
    parts: impl IntoIterator<Item = &'p ResourceFragment> + Clone,
    native: NativeDefinitions<'_>,
) -> Vec<u8> {
    let mut out = br#"{"swagger":"2.0","info":"#.to_vec();
    out.extend(document_info(info));
    out.extend(br#","paths":"#);
    object(&mut out, parts.clone().into_iter().map(|part| part.paths.as_slice()));
    let shared = shared_definitions(parts.clone(), native);
    out.extend(br#","definitions":"#);
    let mut all = vec![shared.as_slice()];
    for part in parts {
        all.push(&part.definitions);
    }
    object(&mut out, all);
    out.extend(br#","parameters":"#);
    let mut writer = Writer::new();
    writer.object(|writer| {
        for (key, known) in parameter::all() {
            writer.key(&shared_key(key));
            parameter::write_query(writer, Notation::V2, known);
        }
    });
    out.extend(text(writer.finish().root()));
    out.push(b'}');
    out
}

fn document_info(info: super::v3::Info<'_>) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.text("title", info.title);
        writer.text("version", info.version);
    });
    text(writer.finish().root())
}

/// Members of `definitions` that no part has, as JSON.
fn shared_definitions<'p>(
    parts: impl IntoIterator<Item = &'p ResourceFragment>,
    native: NativeDefinitions<'_>,
) -> Vec<u8> {
    let names: BTreeSet<_> = parts.into_iter().flat_map(|part| &part.references).collect();
    let mut context = Context::new(Notation::V2);
    context.references.extend(names.into_iter().map(|name| (name.clone(), false)));
    let mut writer = Writer::new();
    writer.object(|writer| definitions::write_referenced(writer, &mut context, native));
    members(writer.finish().root())
}

/// The members of an object, as JSON.
fn members(object: Value<'_>) -> Vec<u8> {
    let mut text = text(object);
    text.pop();
    text.drain(..1.min(text.len()));
    text
}

/// Appends the object that has all of these members.
fn object<'m>(out: &mut Vec<u8>, members: impl IntoIterator<Item = &'m [u8]>) {
    out.push(b'{');
    let start = out.len();
    for some in members.into_iter().filter(|some| !some.is_empty()) {
        if out.len() > start {
            out.push(b',');
        }
        out.extend(some);
    }
    out.push(b'}');
}

/// Clients look for what a shared parameter is called up to the hyphen.
fn shared_key(key: &str) -> String {
    if key.contains('-') { key.to_owned() } else { format!("{key}-all") }
}

fn shared_parameter(writer: &mut Writer, parameter: &Parameter) {
    match parameter {
        Parameter::Query(key) => {
            writer.object(|writer| {
                writer.text("$ref", &format!("#/parameters/{}", shared_key(key)));
            });
        }
        other => parameter::write(writer, Notation::V2, other),
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
        writer.texts("consumes", media_types(resource, operation.patches));
        writer.texts("produces", media_types(resource, false));
        writer.texts("schemes", ["https"]);
        parameters(writer, context, operation);
        writer.nested("responses", |writer| {
            let (definition, codes) = &operation.answer;
            for (code, description) in *codes {
                writer.nested(code, |writer| {
                    writer.text("description", description);
                    writer.nested("schema", |writer| context.reference(writer, definition));
                });
            }
            writer.nested("401", |writer| writer.text("description", "Unauthorized"));
        });
        writer.text("x-kubernetes-action", operation.action);
        writer.key("x-kubernetes-group-version-kind");
        super::write_kind_name(writer, &operation.kind);
    });
}

/// The body, then the others. Those of a patch are written out, because older clients look for them there.
fn parameters(writer: &mut Writer, context: &mut Context, operation: &Operation) {
    let body = operation.body.iter().map(|body| (Some(body), None));
    let others = operation.parameters.iter().map(|parameter| (None, Some(parameter)));
    if operation.body.is_none() && operation.parameters.is_empty() {
        return;
    }
    writer.list("parameters", body.chain(others), |writer, one| match one {
        (Some((definition, required)), _) => writer.object(|writer| {
            writer.text("name", "body");
            writer.text("in", "body");
            if *required {
                writer.flag("required", true);
            }
            writer.nested("schema", |writer| context.reference(writer, definition));
        }),
        (None, Some(parameter)) if operation.patches => {
            parameter::write(writer, Notation::V2, parameter);
        }
        (None, Some(parameter)) => shared_parameter(writer, parameter),
        (None, None) => {}
    });
}
