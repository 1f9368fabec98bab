//! Values as documents: the events a decoder of the same document would give.
//!
//! What JSON has no form for becomes text, as `string()` gives it where it does: times, spans of time,
//! types, numbers that are not finite, values of the libraries' own types. Bytes become base64, an
//! absent optional null.

use std::ops::ControlFlow;

use crdkit_text::base64::Base64;
use crdkit_value::{Event, Value};

use super::{Data, List, Map, Opaque, Val};
use crate::library::convert::text_of;

/// Calls `visit` with the events of `value` until it breaks. Documents are walked without recursion, and
/// what an expression makes nests no deeper than the expression.
pub(crate) fn events<'v, B>(
    data: Data<'v>,
    value: &Val<'v>,
    visit: &mut impl FnMut(Event<'_>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    match value {
        Val::Null | Val::Optional(None) => visit(Event::Null),
        Val::Bool(value) => visit(Event::Bool(*value)),
        Val::Int(value) => visit(Event::Int(*value)),
        Val::Uint(value) => match i64::try_from(*value) {
            Ok(value) => visit(Event::Int(value)),
            Err(_) => visit(Event::String(&text_of(&Val::Uint(*value)))),
        },
        Val::Double(value) if value.is_finite() => visit(Event::Float(*value)),
        Val::Double(_) | Val::Duration(_) | Val::Timestamp(_) => {
            visit(Event::String(&text_of(value)))
        }
        Val::String(text) => visit(Event::String(text)),
        Val::Bytes(bytes) => visit(Event::String(&Base64::Standard.encode(bytes))),
        Val::Type(ty) => visit(Event::String(&ty.to_string())),
        Val::Optional(Some(inner)) => events(data, inner, visit),
        Val::Opaque(opaque) => visit(Event::String(&opaque_text(opaque))),
        Val::Object(node) | Val::List(List::Node(node)) | Val::Map(Map::Node(node)) => {
            document(node.value, visit)
        }
        Val::List(list) => {
            visit(Event::BeginArray)?;
            for item in list.iter(data).flatten() {
                events(data, &item, visit)?;
            }
            visit(Event::EndArray)
        }
        Val::Map(Map::Table(table)) => {
            visit(Event::BeginObject)?;
            for (key, value) in table.entries {
                visit(Event::Key(&text_of(key)))?;
                events(data, value, visit)?;
            }
            visit(Event::EndObject)
        }
    }
}

fn document<B>(
    value: Value<'_>,
    visit: &mut impl FnMut(Event<'_>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    value.events().try_for_each(visit)
}

fn opaque_text(opaque: &Opaque) -> String {
    match opaque {
        Opaque::Quantity { value, .. } => value.to_string(),
        Opaque::Semver(version) => version.to_string(),
        Opaque::Url(url) => url.to_string(),
        Opaque::Ip(ip) => ip.to_string(),
        Opaque::Cidr(cidr) => cidr.to_string(),
        Opaque::Format(format) => format.name.to_owned(),
        Opaque::Authorizer(_) | Opaque::Decision(_) => opaque.type_name().to_owned(),
    }
}
