//! The small path language of `fieldPath` and `selectableFields`: `.name` and `['key']`.
//!
//! A path is followed through properties and maps; lists cannot be entered.
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go`, `ValidFieldPath`.

use crate::model::{Additional, SchemaId, Schemas};
use crdkit_issue::FieldPath;

/// Where a path leads.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The steps: properties as fields, entries of maps as keys.
    pub path: FieldPath,
    /// The schema there; a map with any values has none for them.
    pub schema: Option<SchemaId>,
}

/// Whether a path may have steps in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brackets {
    /// `['key']` is a step.
    Allowed,
    /// Only names after dots are.
    Refused,
}

/// Follows `text` from `root`.
///
/// # Errors
/// What is wrong with the path, in the server's words.
pub fn resolve(
    schemas: &Schemas<'_>,
    root: SchemaId,
    text: &str,
    brackets: Brackets,
) -> Result<Resolved, String> {
    let mut at = Resolved { path: FieldPath::root(), schema: Some(root) };
    let mut rest = text;
    while let Some(token) = next_token(&mut rest) {
        match token {
            "[" if brackets == Brackets::Refused => {
                return Err("array notation is not allowed".into());
            }
            "[" => {
                let quoted = next_token(&mut rest).ok_or(END)?;
                let inner = quoted
                    .strip_prefix('\'')
                    .and_then(|inner| inner.strip_suffix('\''))
                    .ok_or_else(|| format!("expected single quoted string but got {quoted}"))?;
                at = step(schemas, at, &unescape(inner)?)?;
                let close = next_token(&mut rest).ok_or(END)?;
                if close != "]" {
                    return Err(format!("expected ] but got {close}"));
                }
            }
            "." => {
                let name = next_token(&mut rest).ok_or(END)?;
                at = step(schemas, at, name)?;
            }
            other => return Err(format!("expected [ or . but got: {other}")),
        }
    }
    Ok(at)
}

const END: &str = "unexpected end of JSON path";

fn step(schemas: &Schemas<'_>, at: Resolved, name: &str) -> Result<Resolved, String> {
    let nowhere = || "does not refer to a valid field".to_owned();
    let schema = schemas.get(at.schema.ok_or_else(nowhere)?);
    if !schema.properties.is_empty() {
        let child = schema.properties.get(name).ok_or_else(nowhere)?;
        return Ok(Resolved { path: at.path.field(name), schema: Some(child) });
    }
    let schema = match schema.additional_properties {
        None => return Err(nowhere()),
        Some(Additional::Schema(child)) => Some(child),
        Some(Additional::Allowed(_)) => None,
    };
    Ok(Resolved { path: at.path.key(name), schema })
}

/// Takes the next token: a delimiter, a string in single quotes, or what stands between delimiters.
fn next_token<'t>(rest: &mut &'t str) -> Option<&'t str> {
    let bytes = rest.as_bytes();
    let length = match bytes {
        [] => return None,
        [b'.' | b'[' | b']', ..] => 1,
        [b'\'', ..] => {
            let pairs = bytes
                .windows(2)
                .position(|pair| matches!(pair, [before, b'\''] if *before != b'\\'));
            pairs.map_or(bytes.len(), |at| at + 2)
        }
        _ => bytes.iter().position(|it| matches!(it, b'.' | b'[' | b']')).unwrap_or(bytes.len()),
    };
    let (token, after) = rest.split_at(length);
    *rest = after;
    Some(token)
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next() {
            Some('a') => '\u{7}',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('v') => '\u{b}',
            Some(c @ ('\'' | '\\')) => c,
            Some(c) => return Err(format!("invalid string literal: invalid escape char \\{c}")),
            None => return Err("invalid string literal: invalid escape char \\".into()),
        });
    }
    Ok(out)
}
