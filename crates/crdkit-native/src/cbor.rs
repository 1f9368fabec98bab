//! Objects of native kinds in CBOR: like all objects, except that what is bytes in Go is bytes there and not Base64.
//!
//! Upstream: `apimachinery/pkg/runtime/serializer/cbor`.

use crate::data::{Body, GoType, Type, objects};
use crate::kinds::NativeKinds;
use crate::own::ValueType;
use crdkit_codec::cbor::{self, Order};
use crdkit_text::base64::Base64;
use crdkit_value::{Kind, Value};

/// What CBOR begins with, so that it is recognized.
const SELF_DESCRIBED: [u8; 3] = [0xd9, 0xd9, 0xf7];

/// Bytes that are Base64 where there are only texts.
const BASE64: u8 = 0xd6;

const BYTES: u8 = 2;
const ARRAY: u8 = 4;
const MAP: u8 = 5;

/// An object, or a list of objects, of a native kind that has bytes; nothing if there are none in it.
pub fn encode(object: Value<'_>) -> Option<Vec<u8>> {
    let text = |key| object.get(key).and_then(Value::as_str);
    let (api_version, kind) = (text("apiVersion")?, text("kind")?);
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let find = |kind: &str| NativeKinds::latest().find(group, version, kind)?.root_type();
    let items = || object.get("items").filter(|items| items.as_array().is_some());
    let (of, is_list) = match (find(kind), kind.strip_suffix("List")) {
        (Some(of), _) => (ValueType::Named(of), false),
        (None, Some(kind)) => (ValueType::Named(find(kind)?), true),
        (None, None) => return None,
    };
    let has_any = if is_list {
        items()?.items().any(|item| has_bytes(item, of))
    } else {
        has_bytes(object, of)
    };
    if !has_any {
        return None;
    }
    let mut out = SELF_DESCRIBED.to_vec();
    if is_list {
        map(object, &mut out, |name, member, out| match name {
            "items" => {
                head(ARRAY, member.items().count(), out);
                member.items().for_each(|item| write(item, Some(of), out));
            }
            _ => write(member, None, out),
        });
    } else {
        write(object, Some(of), &mut out);
    }
    Some(out)
}

fn is_bytes(of: ValueType) -> bool {
    match of {
        ValueType::Plain(GoType::Bytes) => true,
        ValueType::Plain(GoType::Pointer(of)) => is_bytes(ValueType::Plain(of)),
        ValueType::Plain(GoType::Named(id)) => {
            objects().types.get(*id).is_some_and(|of| is_bytes(ValueType::Named(of)))
        }
        ValueType::Named(Type { body: Body::Alias(of), .. }) => is_bytes(ValueType::Plain(of)),
        _ => false,
    }
}

fn has_bytes(value: Value<'_>, of: ValueType) -> bool {
    let below = |value, of: Option<ValueType>| of.is_some_and(|of| has_bytes(value, of));
    match value.kind() {
        Kind::String(_) => is_bytes(of),
        Kind::Array(_) => value.items().any(|item| below(item, of.item())),
        Kind::Object(_) => value.members().any(|(name, member)| below(member, of.field(name))),
        _ => false,
    }
}

fn write(value: Value<'_>, of: Option<ValueType>, out: &mut Vec<u8>) {
    let Some(of) = of.filter(|of| has_bytes(value, *of)) else {
        // Objects have no numbers that CBOR has no form for.
        let _ = cbor::write(value, Order::Sorted, out);
        return;
    };
    match value.kind() {
        Kind::String(text) => {
            let bytes = Base64::Standard.decode(text).unwrap_or_default();
            out.push(BASE64);
            head(BYTES, bytes.len(), out);
            out.extend_from_slice(&bytes);
        }
        Kind::Array(items) => {
            head(ARRAY, items.len(), out);
            value.items().for_each(|item| write(item, of.item(), out));
        }
        _ => map(value, out, |name, member, out| write(member, of.field(name), out)),
    }
}

/// Writes the members of an object: those with short names first, then by their bytes.
fn map(value: Value<'_>, out: &mut Vec<u8>, mut member: impl FnMut(&str, Value<'_>, &mut Vec<u8>)) {
    let mut members: Vec<(&str, Value<'_>)> = value.members().collect();
    members.sort_by_key(|(name, _)| (name.len(), *name));
    head(MAP, members.len(), out);
    for (name, value) in members {
        head(BYTES, name.len(), out);
        out.extend_from_slice(name.as_bytes());
        member(name, value, out);
    }
}

/// The shortest head of a thing of a kind with a length.
fn head(major: u8, length: usize, out: &mut Vec<u8>) {
    let major = major << 5;
    let bytes = u64::try_from(length).unwrap_or_default().to_be_bytes();
    let wide = |first: u8, width: usize, out: &mut Vec<u8>| {
        out.push(major | first);
        out.extend_from_slice(bytes.get(8 - width..).unwrap_or_default());
    };
    match length {
        0..24 => out.push(major | bytes.last().copied().unwrap_or_default()),
        24..0x100 => wide(24, 1, out),
        0x100..0x1_0000 => wide(25, 2, out),
        0x1_0000..0x1_0000_0000 => wide(26, 4, out),
        _ => wide(27, 8, out),
    }
}

#[cfg(test)]
mod tests {
    use super::encode;
    use crdkit_codec::{DecodeOptions, json};

    fn encoded(text: &str) -> Option<Vec<u8>> {
        let decoded = json::decode(text.as_bytes(), &DecodeOptions::default()).ok()?;
        encode(decoded.document.root())
    }

    #[test]
    fn bytes_are_bytes() {
        let secret = r#"{"apiVersion":"v1","kind":"Secret","data":{"k":"aGk="}}"#;
        let body =
            b"\xd9\xd9\xf7\xa3\x44data\xa1\x41k\xd6\x42hi\x44kind\x46Secret\x4aapiVersion\x42v1";
        assert_eq!(encoded(secret).as_deref(), Some(&body[..]));
        let list = format!(r#"{{"apiVersion":"v1","kind":"SecretList","items":[{secret}]}}"#);
        let bytes = encoded(&list).unwrap_or_default();
        assert!(bytes.windows(4).any(|part| part == b"\xd6\x42hi"), "{bytes:?}");
        assert_eq!(encoded(r#"{"apiVersion":"v1","kind":"ConfigMap","data":{"k":"aGk="}}"#), None);
        assert_eq!(encoded(r#"{"apiVersion":"acme.test/v1","kind":"Secret"}"#), None);
    }
}
