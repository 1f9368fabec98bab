//! Items of lists: the path element that tells each apart.

use super::{ListKind, Schema, Type};
use crate::set::{Element, Scalar};
use crdkit_text::quote::quote;
use crdkit_value::{Kind, Value};
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

fn key<'a>(schema: &Schema<'a>, list: Type, item: Value<'a>) -> Result<Element<'a>, String> {
    match item.kind() {
        Kind::Object(_) => {}
        Kind::Null => {
            return Err("associative list with keys may not have a null element".to_owned());
        }
        _ => return Err("associative list with keys may not have non-map elements".to_owned()),
    }
    let items = schema.items(list);
    let keys = schema.keys(list);
    let mut fields = Vec::with_capacity(keys.len());
    for name in keys {
        let value = item.get(name).or_else(|| schema.default(items, name));
        fields.extend(value.map(|value| (Cow::Borrowed(name), Scalar::of(value))));
    }
    if fields.is_empty() {
        let names: Vec<String> = schema.keys(list).map(quote).collect();
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{}] (and doesn't have default values for any key fields)",
            names.join(" ")
        ));
    }
    fields.sort_unstable_by(|left, right| left.0.cmp(&right.0));
    Ok(Element::Key(fields.into()))
}
