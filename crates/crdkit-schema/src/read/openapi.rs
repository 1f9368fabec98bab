//! Schemas outside of CRDs: a bare schema, or the components of an OpenAPI document.
//!
//! `$ref` is followed within the document. A reference may lead to a schema that contains it; one
//! that leads only to further references and back is a finding, as is one that leads nowhere.

use super::schema::SchemaReader;
use crate::model::{Legacy, SchemaId, Schemas};
use crdkit_issue::{Issue, codes};
use crdkit_value::{NodeId, Value};
use std::collections::BTreeMap;

/// The schema that `root` is or, for an object with an `openAPIV3Schema`, the one it wraps.
pub fn schema(root: Value<'_>) -> (Schemas<'_>, SchemaId, Vec<Issue>) {
    let mut reader = SchemaReader::new(root);
    let id = reader.add(root.get("openAPIV3Schema").unwrap_or(root), 0);
    resolve(&mut reader, root);
    let (schemas, issues) = reader.finish();
    (schemas, id, issues)
}

/// The schemas in `components.schemas` (OpenAPI 3) or `definitions` (OpenAPI 2) by name.
pub fn openapi(root: Value<'_>) -> (Schemas<'_>, Vec<(&str, SchemaId)>, Vec<Issue>) {
    let mut reader = SchemaReader::new(root);
    let components = root.pointer("/components/schemas").or_else(|| root.get("definitions"));
    let members = components.map(Value::members).into_iter().flatten();
    let names = members.map(|(name, value)| (name, reader.add(value, 0))).collect();
    resolve(&mut reader, root);
    let (schemas, issues) = reader.finish();
    (schemas, names, issues)
}

/// Reads everything that was added and everything it refers to.
fn resolve<'d>(reader: &mut SchemaReader<'d>, root: Value<'d>) {
    let mut known: BTreeMap<NodeId, SchemaId> = BTreeMap::new();
    let mut done = 0;
    reader.run();
    while done < reader.len() {
        let end = reader.len();
        for id in ids(done, end) {
            if let Some(schema) = reader.get_mut(id) {
                known.entry(schema.source.id()).or_insert(id);
            }
        }
        for id in ids(done, end) {
            let Some(reference) = reference(reader, id) else { continue };
            let Some(value) = find(root, reference) else {
                report(reader, id, Issue::error(codes::crd::REFERENCE_UNRESOLVED));
                continue;
            };
            let target = *known.entry(value.id()).or_insert_with(|| reader.add(value, 0));
            set_target(reader, id, Some(target));
        }
        done = end;
        reader.run();
    }
    cut_circles(reader);
}

fn ids(start: usize, end: usize) -> impl Iterator<Item = SchemaId> {
    (start..end).map(|index| SchemaId(u32::try_from(index).unwrap_or(u32::MAX)))
}

fn legacy<'r, 'd>(reader: &'r mut SchemaReader<'d>, id: SchemaId) -> Option<&'r mut Legacy<'d>> {
    reader.get_mut(id)?.legacy.as_deref_mut()
}

fn reference<'d>(reader: &mut SchemaReader<'d>, id: SchemaId) -> Option<&'d str> {
    legacy(reader, id)?.reference
}

fn set_target(reader: &mut SchemaReader<'_>, id: SchemaId, target: Option<SchemaId>) {
    if let Some(legacy) = legacy(reader, id) {
        legacy.target = target;
    }
}

/// The value that a reference within the document names.
fn find<'d>(root: Value<'d>, reference: &str) -> Option<Value<'d>> {
    let pointer = reference.strip_prefix('#')?;
    if pointer.contains('%') {
        root.pointer(&percent_decode(pointer)?)
    } else {
        root.pointer(pointer)
    }
}

fn percent_decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                u8::try_from(digit()? << 4 | digit()?).ok()?
            }
            _ => byte,
        });
    }
    String::from_utf8(out).ok()
}

/// Reports references that lead to nothing but references, and takes their target away.
fn cut_circles(reader: &mut SchemaReader<'_>) {
    // The round in which a schema was first seen: meeting one of this round again closes a circle.
    let mut seen = vec![usize::MAX; reader.len()];
    for (round, start) in ids(0, reader.len()).enumerate() {
        let mut at = Some(start);
        while let Some(id) = at {
            let Some(mark) = seen.get_mut(id.index()) else { break };
            if *mark == round {
                report(reader, id, Issue::error(codes::crd::REFERENCE_CIRCLE));
                set_target(reader, id, None);
            }
            if *mark != usize::MAX {
                break;
            }
            *mark = round;
            at = legacy(reader, id).and_then(|legacy| legacy.target);
        }
    }
}

fn report(reader: &mut SchemaReader<'_>, id: SchemaId, issue: Issue) {
    let reference = reference(reader, id).unwrap_or_default();
    let Some(source) = reader.get_mut(id).map(|schema| schema.source) else { return };
    let at = source.get("$ref").unwrap_or(source);
    let mut issue = issue.with("reference", reference).at(at.path());
    issue.span = at.document().place(at.id()).map(|place| place.value);
    reader.issues.push(issue);
}
