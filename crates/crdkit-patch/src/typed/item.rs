//! Items of lists: the path element that tells each apart.

use super::{ListKind, Schema, Type};
use crate::set::{Element, Key, Scalar};
use crdkit_text::quote::quote;
use crdkit_value::{Kind, Tag, Value};
use std::borrow::Cow;

/// What tells `item` of a list of type `list` apart.
///
/// # Errors
/// The server's message, when nothing does.
pub(crate) fn element<'a>(
    schema: &Schema<'a>,
    list: Type,
    kind: ListKind,
    item: Value<'a>,
) -> Result<Element<'a>, String> {
    match kind {
        ListKind::Map => key(schema, list, item),
        ListKind::Set | ListKind::Atomic => match item.kind() {
            Kind::Object(_) => {
                Err("associative list without keys has an element that's a map type".to_owned())
            }
            Kind::Array(_) => {
                Err("not supported: associative list with lists as elements".to_owned())
            }
            Kind::Null => {
                Err("associative list without keys has an element that's an explicit null"
                    .to_owned())
            }
            _ => Ok(Element::Value(Scalar::of(item))),
        },
    }
}

/// The items of `list` with what tells each apart; those that nothing does are left out.
pub(crate) fn elements<'a>(
    schema: &Schema<'a>,
    ty: Type,
    kind: ListKind,
    list: Value<'a>,
) -> Vec<(Element<'a>, Value<'a>)> {
    let items = list.items();
    let mut elements = Vec::with_capacity(items.len());
    elements.extend(items.filter_map(|item| Some((element(schema, ty, kind, item).ok()?, item))));
    elements
}

/// Whether something tells `item` apart: whether [`element`] gives something.
pub(crate) fn is_told_apart(
    schema: &Schema<'_>,
    list: Type,
    kind: ListKind,
    item: Value<'_>,
) -> bool {
    let is_there =
        |name| item.get(name).is_some() || schema.default(schema.items(list), name).is_some();
    match (kind, item.tag()) {
        (ListKind::Map, Tag::Object) => match schema.only_key(list) {
            Some(name) => is_there(name),
            None => schema.keys(list).any(is_there),
        },
        (ListKind::Map, _) | (_, Tag::Object | Tag::Array | Tag::Null) => false,
        _ => true,
    }
}

/// Whether both lists, which have the same number of items, are known to have the same elements in the same order.
pub(crate) fn is_in_step(
    schema: &Schema<'_>,
    ty: Type,
    kind: ListKind,
    left: Value<'_>,
    right: Value<'_>,
) -> bool {
    let is_same = |left: Option<Value<'_>>, right: Option<Value<'_>>| {
        let text = left.and_then(Value::as_bytes);
        text.is_some() && text == right.and_then(Value::as_bytes)
    };
    let mut pairs = left.items().zip(right.items());
    match (kind, schema.only_key(ty)) {
        (ListKind::Map, Some(name)) => {
            pairs.all(|(left, right)| is_same(left.get(name), right.get(name)))
        }
        (ListKind::Map, None) => false,
        _ => pairs.all(|(left, right)| is_same(Some(left), Some(right))),
    }
}

/// Whether all elements of `few` are among `all`, in the same order, and in both each is there once.
pub(crate) fn is_in_order<V, W>(few: &[(Element<'_>, V)], all: &[(Element<'_>, W)]) -> bool {
    let mut rest = all.iter();
    few.len() <= all.len()
        && few.iter().all(|(element, _)| rest.any(|(other, _)| other == element))
        && is_each_once(all)
}

/// Whether both lists have the same elements in the same order, each once.
pub(crate) fn is_same_order<V, W>(left: &[(Element<'_>, V)], right: &[(Element<'_>, W)]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).all(|((left, _), (right, _))| left == right)
        && is_each_once(left)
}

/// Whether no element is there twice.
pub(crate) fn is_each_once<V>(items: &[(Element<'_>, V)]) -> bool {
    /// Up to here looking at all pairs is faster than sorting.
    const FEW: usize = 8;
    if items.len() <= FEW {
        let mut rest = items;
        while let [(first, _), others @ ..] = rest {
            if others.iter().any(|(other, _)| other == first) {
                return false;
            }
            rest = others;
        }
        return true;
    }
    let mut elements: Vec<&Element<'_>> = items.iter().map(|(element, _)| element).collect();
    elements.sort_unstable();
    elements.windows(2).all(|pair| matches!(pair, [left, right] if left != right))
}

fn key<'a>(schema: &Schema<'a>, list: Type, item: Value<'a>) -> Result<Element<'a>, String> {
    match item.kind() {
        Kind::Object(_) => {}
        Kind::Null => {
            return Err("associative list with keys may not have a null element".to_owned());
        }
        _ => return Err("associative list with keys may not have non-map elements".to_owned()),
    }
    let field = |name: &'a str| {
        let value = item.get(name).or_else(|| schema.default(schema.items(list), name))?;
        Some((name, Scalar::of(value)))
    };
    if let Some(name) = schema.only_key(list) {
        if let Some((name, value)) = field(name) {
            return Ok(Element::Key(Key::one(name, value)));
        }
    } else {
        let fields = schema.keys(list).filter_map(field);
        let fields: Vec<_> = fields.map(|(name, value)| (Cow::Borrowed(name), value)).collect();
        if !fields.is_empty() {
            return Ok(Element::Key(Key::several(fields)));
        }
    }
    let names: Vec<String> = schema.keys(list).map(quote).collect();
    Err(format!(
        "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values for any key fields)",
        names.join(" ")
    ))
}
