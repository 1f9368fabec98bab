//! Sets as they are written in `managedFields`: `FieldsV1`.
//!
//! A set is an object; its keys are path elements, told apart by a letter: `f:name`, `k:{"name":"a"}`, `v:"a"`,
//! `i:0`. A path that is in the set and ends has an empty object; where others go on from it, `.` stands for
//! itself.

use super::{Element, Entry, Key, Scalar, Set};
use crdkit_codec::{DecodeOptions, json};
use crdkit_value::{Document, NewValue, NodeId, Value};
use std::borrow::Cow;

/// Deeper sets are not read: objects are not nested so deep, and reading recurses.
const MAX_DEPTH: usize = 1_000;

/// Reads a set.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn read(fields: Value<'_>) -> Result<Set<'_>, String> {
    read_without(fields, &[])
}

/// The same as if the rows `gone`, which are sorted, were not there.
pub(super) fn read_without<'a>(fields: Value<'a>, gone: &[NodeId]) -> Result<Set<'a>, String> {
    SetReader { gone }.below(fields, MAX_DEPTH).map(|(set, _)| set)
}

struct SetReader<'g> {
    gone: &'g [NodeId],
}

impl SetReader<'_> {
    /// Gives the set and whether the path to it is in the set that it is a part of.
    fn below<'a>(&self, fields: Value<'a>, depth: usize) -> Result<(Set<'a>, bool), String> {
        let Some(members) = fields.as_object() else {
            return Err(format!("expected an object, found {fields}"));
        };
        if members.len() == 0 {
            return Ok((Set::default(), true));
        }
        if depth == 0 {
            return Err("the fields are nested too deep".to_owned());
        }
        let (mut entries, mut owned) = (Vec::with_capacity(members.len()), false);
        let mut is_empty = true;
        for (key, member) in members {
            if !self.gone.is_empty() && self.gone.binary_search(&member.id()).is_ok() {
                continue;
            }
            is_empty = false;
            if key == "." {
                owned = true;
                continue;
            }
            // What another letter means is not known, and therefore not looked at.
            let Some(element) = element(key)? else { continue };
            let (below, owned) = self.below(member, depth - 1)?;
            entries.push(Entry { element, owned, below });
        }
        Ok((Set::of(entries), owned || is_empty))
    }
}

/// The element that `key` is; none if it is of an unknown kind.
fn element(key: &str) -> Result<Option<Element<'_>>, String> {
    let bad = || format!("unable to interpret path element {key:?}");
    let (Some(kind), Some(text)) = (key.get(..2), key.get(2..)) else { return Err(bad()) };
    Ok(Some(match kind {
        "f:" => Element::Field(text),
        "v:" => Element::Value(scalar(text).ok_or_else(bad)?),
        "k:" => Element::Key(key_fields(text).ok_or_else(bad)?),
        "i:" => Element::Index(text.parse().map_err(|_| bad())?),
        _ => return Ok(None),
    }))
}

/// A JSON value. The usual ones are read where they stand.
fn scalar(text: &str) -> Option<Scalar<'_>> {
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    if let Some(inner) = inner
        && !inner.bytes().any(|byte| byte == b'\\' || byte == b'"')
    {
        return Some(Scalar::String(Cow::Borrowed(inner)));
    }
    if let Ok(int) = text.parse() {
        return Some(Scalar::Int(int));
    }
    let document = json::decode(text.as_bytes(), &DecodeOptions::default()).ok()?.document;
    Some(owned(Scalar::of(document.root())))
}

/// The members of a JSON object. The usual one, `{"name":"value"}` without escapes, is read where it stands.
fn key_fields(text: &str) -> Option<Key<'_>> {
    let plain = |text: &str| !text.bytes().any(|byte| byte == b'\\' || byte == b'"');
    let inner = text.strip_prefix("{\"").and_then(|text| text.strip_suffix("\"}"));
    if let Some((name, value)) = inner.and_then(|inner| inner.split_once("\":\""))
        && plain(name)
        && plain(value)
    {
        return Some(Key::one(name, Scalar::String(Cow::Borrowed(value))));
    }
    let document = json::decode(text.as_bytes(), &DecodeOptions::default()).ok()?.document;
    let members = document.root().as_object()?;
    let field = |(name, value): (&str, _)| (Cow::Owned(name.to_owned()), owned(Scalar::of(value)));
    Some(Key::several(members.map(field).collect()))
}

fn owned(scalar: Scalar<'_>) -> Scalar<'static> {
    match scalar {
        Scalar::Int(int) => Scalar::Int(int),
        Scalar::Float(float) => Scalar::Float(float),
        Scalar::Bool(bool) => Scalar::Bool(bool),
        Scalar::Null => Scalar::Null,
        Scalar::String(text) => Scalar::String(Cow::Owned(text.into_owned())),
        Scalar::Other(text) => Scalar::Other(Cow::Owned(text.into_owned())),
    }
}

/// Writes `set` as members of the object `object`, which is empty.
pub(crate) fn write(set: &Set<'_>, document: &mut Document, object: NodeId) {
    write_below(set, document, object, None, &mut String::new());
}

fn write_below(
    set: &Set<'_>,
    document: &mut Document,
    object: NodeId,
    last: Option<NodeId>,
    key: &mut String,
) {
    let mut last = last;
    for entry in &set.entries {
        key.clear();
        write_element(&entry.element, key);
        last = document.append_member(object, last, key, NewValue::EmptyObject);
        let Some(below) = last.filter(|_| !entry.below.is_empty()) else { continue };
        let own =
            entry.owned.then(|| document.append_member(below, None, ".", NewValue::EmptyObject));
        write_below(&entry.below, document, below, own.flatten(), key);
    }
}

/// Appends the key that `element` is.
pub(super) fn write_element(element: &Element<'_>, out: &mut String) {
    match element {
        Element::Field(name) => {
            out.push_str("f:");
            out.push_str(name);
        }
        Element::Key(fields) => {
            out.push_str("k:{");
            for (at, (name, value)) in fields.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                crdkit_codec::go_json::write_string(name, out);
                out.push(':');
                value.write(out);
            }
            out.push('}');
        }
        Element::Value(value) => {
            out.push_str("v:");
            value.write(out);
        }
        Element::Index(index) => {
            out.push_str("i:");
            out.push_str(&index.to_string());
        }
    }
}
