//! An object laid over another one without anybody owning anything: how policies change objects.
//!
//! Upstream: `apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go`.

use crate::Schema;
use crate::typed::{ListKind, MAX_DEPTH, Repeats, Shape, Type, merge, problems_text, validate};
use crdkit_value::{Document, Kind, Value};
use std::fmt::Write as _;

/// Lays `configuration` over `object`, as the schema says objects are merged.
///
/// # Errors
/// The server's words about a configuration that is none, or that would replace what is one leaf.
pub fn merge_configuration(
    schema: &Schema<'_>,
    object: &mut Document,
    configuration: &Document,
) -> Result<(), String> {
    let problems = validate(schema, configuration.root(), Repeats::Refused);
    if !problems.is_empty() {
        let problems = problems_text(&problems);
        return Err(format!("failed to convert patch object to typed object: {problems}"));
    }
    let mut atomics = Vec::new();
    find_atomics(
        schema,
        schema.root(),
        configuration.root(),
        &mut String::new(),
        MAX_DEPTH,
        &mut atomics,
    );
    if !atomics.is_empty() {
        return Err(format!(
            "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: {}",
            atomics.join(", ")
        ));
    }
    if let Some(merged) = merge(schema, object, configuration.root()).document {
        *object = merged;
    }
    Ok(())
}

/// Notes the paths of all values that are one leaf although they have parts.
fn find_atomics(
    schema: &Schema<'_>,
    ty: Type,
    value: Value<'_>,
    path: &mut String,
    depth: usize,
    found: &mut Vec<String>,
) {
    if depth == 0 {
        return;
    }
    let length = path.len();
    match (schema.shape(ty, Some(value)), value.kind()) {
        (Shape::Map { atomic }, Kind::Object(members)) => {
            if atomic {
                found.push(path.clone());
            }
            for (key, member) in members {
                let known = schema.member(ty, key).filter(|known| known.is_declared);
                let Some(known) = known else { continue };
                path.push('.');
                path.push_str(key);
                find_atomics(schema, known.ty, member, path, depth - 1, found);
                path.truncate(length);
            }
        }
        (Shape::List(kind), Kind::Array(items)) => {
            if kind == ListKind::Atomic {
                found.push(path.clone());
            }
            for (at, item) in items.enumerate() {
                let _ = write!(path, "[{at}]");
                find_atomics(schema, schema.items(ty), item, path, depth - 1, found);
                path.truncate(length);
            }
        }
        _ => {}
    }
}
