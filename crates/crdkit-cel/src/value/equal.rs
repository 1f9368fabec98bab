//! Equality.
//!
//! Numbers compare across types, values of other types are unequal. Lists of the document compare by their kind, and the
//! left operand decides which kind that is. A document value compared with something of another type is an error, as on
//! the server.

use crdkit_value::{Kind, Value};

use super::{Data, List, ListIter, Map, Opaque, ShapedValue, Val, read};
use crate::ast::Name;
use crate::eval::EvalError;
use crate::shape::{ListKind, ShapeKind, find_field};

/// Whether two values are equal.
#[expect(clippy::float_cmp, reason = "equality of doubles is what is asked for")]
pub(crate) fn equal<'v>(
    data: Data<'v>,
    left: &Val<'v>,
    right: &Val<'v>,
) -> Result<bool, EvalError> {
    Ok(match (left, right) {
        (Val::Null, Val::Null) => true,
        (Val::Null, _) | (_, Val::Null) => false,
        (Val::Bool(a), Val::Bool(b)) => a == b,
        (Val::Int(a), Val::Int(b)) | (Val::Duration(a), Val::Duration(b)) => a == b,
        (Val::Uint(a), Val::Uint(b)) => a == b,
        (Val::Double(a), Val::Double(b)) => a == b,
        (
            Val::Int(_) | Val::Uint(_) | Val::Double(_),
            Val::Int(_) | Val::Uint(_) | Val::Double(_),
        ) => {
            matches!(super::compare(left, right), Ok(std::cmp::Ordering::Equal))
        }
        (Val::String(a), Val::String(b)) => a == b,
        (Val::Bytes(a), Val::Bytes(b)) => a == b,
        (Val::Timestamp(_), Val::Timestamp(_)) => super::compare(left, right)?.is_eq(),
        (Val::Type(a), Val::Type(b)) => a.runtime_name() == b.runtime_name(),
        (Val::Optional(a), Val::Optional(b)) => match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => equal(data, a, b)?,
            _ => false,
        },
        (Val::List(a), Val::List(b)) => lists_equal(data, *a, *b)?,
        (Val::Map(a), Val::Map(b)) => maps_equal(data, *a, *b)?,
        (Val::Object(a), Val::Object(b)) => objects_equal(data, *a, *b)?,
        (Val::Object(_) | Val::List(List::Node(_)) | Val::Map(Map::Node(_)), _) => {
            return Err(EvalError::NoSuchOverload(None));
        }
        (Val::Opaque(a), Val::Opaque(b)) => opaque_equal(a, b)?,
        _ => false,
    })
}

fn opaque_equal(left: &Opaque, right: &Opaque) -> Result<bool, EvalError> {
    Ok(match (left, right) {
        (Opaque::Quantity { value: a, .. }, Opaque::Quantity { value: b, computed: false }) => {
            a == b
        }
        (Opaque::Semver(a), Opaque::Semver(b)) => a == b,
        (Opaque::Url(a), Opaque::Url(b)) => a.to_string() == b.to_string(),
        (Opaque::Ip(a), Opaque::Ip(b)) => a == b,
        (Opaque::Cidr(a), Opaque::Cidr(b)) => a == b,
        (Opaque::Format(a), Opaque::Format(b)) => a.name == b.name,
        _ => return Err(EvalError::NoSuchOverload(None)),
    })
}

fn lists_equal<'v>(data: Data<'v>, left: List<'v>, right: List<'v>) -> Result<bool, EvalError> {
    if left.len() != right.len() {
        return Ok(false);
    }
    match left.kind(data) {
        ListKind::Atomic => {
            for (a, b) in left.iter(data).zip(right.iter(data)) {
                data.arena.step()?;
                if !equal(data, &a?, &b?)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        ListKind::Set => sets_equal(data, left.iter(data), right.iter(data)),
        ListKind::Map { keys } => {
            let left: Vec<Val<'v>> = left.iter(data).collect::<Result<_, _>>()?;
            let right: Vec<Val<'v>> = right.iter(data).collect::<Result<_, _>>()?;
            map_lists_equal(data, keys, &left, &right)
        }
    }
}

/// The text that identifies a scalar in a set.
fn scalar_key(value: &Val<'_>) -> Result<(u8, String), EvalError> {
    Ok(match value {
        Val::Null => (0, String::new()),
        Val::Bool(value) => (1, value.to_string()),
        Val::Int(value) => (2, value.to_string()),
        Val::Uint(value) => (3, value.to_string()),
        Val::Double(value) => (4, (value + 0.0).to_bits().to_string()),
        Val::String(text) => (5, (*text).to_owned()),
        Val::Bytes(bytes) => (6, bytes.iter().map(|&byte| char::from(byte)).collect()),
        Val::Duration(value) => (7, value.to_string()),
        Val::Timestamp(value) => (8, format!("{}.{}", value.seconds, value.nanoseconds)),
        _ => {
            return Err(EvalError::fixed(
                "listSet operations are only supported on lists of scalar values",
            ));
        }
    })
}

fn sets_equal<'v>(
    _data: Data<'v>,
    left: ListIter<'v>,
    right: ListIter<'v>,
) -> Result<bool, EvalError> {
    let mut wanted = left.map(|value| scalar_key(&value?)).collect::<Result<Vec<_>, _>>()?;
    wanted.sort();
    wanted.dedup();
    let mut seen = Vec::new();
    for value in right {
        let key = scalar_key(&value?)?;
        let Ok(index) = wanted.binary_search(&key) else {
            return Ok(false);
        };
        seen.push(index);
    }
    seen.sort_unstable();
    seen.dedup();
    Ok(seen.len() == wanted.len())
}

/// Whether a set contains this scalar already.
pub(crate) fn set_contains<'v>(items: &[Val<'v>], value: &Val<'v>) -> Result<bool, EvalError> {
    let key = scalar_key(value)?;
    for item in items {
        if scalar_key(item)? == key {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The key of an element: raw members under the names expressions use, which for names that need escaping are never
/// there. That is how the server looks them up.
pub(crate) fn element_key(value: &Val<'_>, keys: &[Name]) -> Vec<String> {
    keys.iter()
        .map(|key| match value {
            Val::Object(node) => {
                node.value.get(key).map_or_else(String::new, |value| format!("{value:?}"))
            }
            _ => String::new(),
        })
        .collect()
}

fn map_lists_equal<'v>(
    data: Data<'v>,
    keys: &[Name],
    left: &[Val<'v>],
    right: &[Val<'v>],
) -> Result<bool, EvalError> {
    let mut by_key = std::collections::BTreeMap::new();
    for value in left {
        by_key.insert(element_key(value, keys), value);
    }
    let mut seen = std::collections::BTreeSet::new();
    for value in right {
        let key = element_key(value, keys);
        match by_key.get(&key) {
            Some(other) if equal(data, other, value)? => {
                seen.insert(key);
            }
            _ => return Ok(false),
        }
    }
    Ok(seen.len() == by_key.len())
}

fn maps_equal<'v>(data: Data<'v>, left: Map<'v>, right: Map<'v>) -> Result<bool, EvalError> {
    if left.len() != right.len() {
        return Ok(false);
    }
    for (key, value) in left.iter(data) {
        let Some(other) = right.get(&key, data) else {
            return Ok(false);
        };
        data.arena.step()?;
        if !equal(data, &value?, &other?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn objects_equal<'v>(
    data: Data<'v>,
    left: ShapedValue<'v>,
    right: ShapedValue<'v>,
) -> Result<bool, EvalError> {
    let (ShapeKind::Object { fields, .. }, Some(members)) =
        (&data.shape(left.shape).kind, left.value.as_object())
    else {
        return Ok(same_json(left.value, right.value));
    };
    if members.len() != right.value.members().len() {
        return Ok(false);
    }
    for (key, value) in members {
        let other = right.value.get(key);
        match fields.iter().find(|field| &*field.key == key) {
            Some(field) => match (value.is_null(), other.filter(|other| !other.is_null())) {
                (true, None) => {}
                (false, Some(other)) => {
                    let other_shape = match &data.shape(right.shape).kind {
                        ShapeKind::Object { fields, .. } => {
                            find_field(fields, &field.name).map_or(field.shape, |found| found.shape)
                        }
                        _ => field.shape,
                    };
                    let (a, b) = (read(data, value, field.shape)?, read(data, other, other_shape)?);
                    if !equal(data, &a, &b)? {
                        return Ok(false);
                    }
                }
                _ => return Ok(false),
            },
            // A member the shape does not know only counts if both sides have it.
            None => {
                if other.is_some_and(|other| !same_json(value, other)) {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// Deep equality of raw data; an explicit stack, because documents may be deep.
#[expect(clippy::float_cmp, reason = "equality of numbers is what is asked for")]
fn same_json(left: Value<'_>, right: Value<'_>) -> bool {
    let mut pending = vec![(left, right)];
    while let Some((left, right)) = pending.pop() {
        let same = match (left.kind(), right.kind()) {
            (Kind::Null, Kind::Null) => true,
            (Kind::Bool(a), Kind::Bool(b)) => a == b,
            (Kind::Int(a), Kind::Int(b)) => a == b,
            (Kind::Float(a), Kind::Float(b)) => a == b,
            (Kind::String(a), Kind::String(b)) | (Kind::Number(a), Kind::Number(b)) => a == b,
            (Kind::Array(a), Kind::Array(b)) => {
                let same = a.len() == b.len();
                pending.extend(a.zip(b));
                same
            }
            (Kind::Object(a), Kind::Object(b)) => {
                a.len() == b.len()
                    && a.into_iter().all(|(key, value)| match right.get(key) {
                        Some(other) => {
                            pending.push((value, other));
                            true
                        }
                        None => false,
                    })
            }
            _ => false,
        };
        if !same {
            return false;
        }
    }
    true
}
