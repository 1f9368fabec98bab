//! What Go's encoder leaves out, and what it always writes.
//!
//! A field that is not a pointer has a value even when nothing was given: it is written unless its tag says to leave
//! out what is empty, and for structures that makes no difference. Empty lists that are written anyway are written as
//! `null`; so are times. Those two come last (`finish`), after checks and defaults.

use crate::data::{Body, Field, GoType, Omit, Special, Type, objects};
use crdkit_value::{Document, Kind, NewValue, NodeId, Value};

/// The value of a field that was not given.
#[derive(Clone, Copy)]
pub(crate) enum Zero {
    Text,
    Bool,
    Number,
    Quantity,
    Object,
    /// Written as `null`.
    Null,
}

impl Zero {
    /// The empty value of a type, and the type if it is a structure.
    pub(crate) fn of(of: &'static GoType) -> (Self, Option<&'static Type>) {
        match of {
            GoType::String => (Self::Text, None),
            GoType::Bool => (Self::Bool, None),
            GoType::Int32 | GoType::Int64 | GoType::Float64 => (Self::Number, None),
            GoType::Bytes | GoType::List(_) | GoType::Map(_) | GoType::Pointer(_) => {
                (Self::Null, None)
            }
            GoType::Named(id) => {
                let Some(of) = objects().types.get(*id) else { return (Self::Null, None) };
                match &of.body {
                    Body::Struct(_) => (Self::Object, Some(of)),
                    Body::Alias(of) => Self::of(of),
                    Body::Special(Special::Quantity) => (Self::Quantity, None),
                    Body::Special(Special::IntOrString) => (Self::Number, None),
                    Body::Special(_) => (Self::Null, None),
                }
            }
        }
    }

    pub(crate) fn value(self) -> NewValue<'static> {
        match self {
            Self::Text => NewValue::String(""),
            Self::Bool => NewValue::Bool(false),
            Self::Number => NewValue::Int(0),
            Self::Quantity => NewValue::String("0"),
            Self::Object => NewValue::EmptyObject,
            Self::Null => NewValue::Null,
        }
    }
}

/// What collections of a type are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CollectionKind {
    List,
    Map,
}

/// Whether values of a type are lists or maps.
pub(crate) fn shape(of: &'static GoType) -> CollectionKind {
    match of {
        GoType::Map(_) => CollectionKind::Map,
        GoType::Pointer(of) => shape(of),
        GoType::Named(_) => match named(of).map(|of| &of.body) {
            Some(Body::Alias(of)) => shape(of),
            _ => CollectionKind::List,
        },
        _ => CollectionKind::List,
    }
}

/// Whether an empty value of a field is written, `null` not counted.
pub(crate) fn is_written(field: &'static Field) -> bool {
    match (Zero::of(&field.of).0, field.omit) {
        (Zero::Null, _) | (_, Omit::Zero) => false,
        (Zero::Object | Zero::Quantity, _) => true,
        (_, omit) => omit == Omit::Never || is_special(&field.of),
    }
}

fn is_special(of: &'static GoType) -> bool {
    matches!(named(of), Some(Type { body: Body::Special(_), .. }))
}

fn named(of: &'static GoType) -> Option<&'static Type> {
    match of {
        GoType::Named(id) => objects().types.get(*id),
        _ => None,
    }
}

/// Whether a value that was given means the same as none.
pub(crate) fn is_left_out(value: Value<'_>, field: &'static Field) -> bool {
    let is_empty = match value.kind() {
        Kind::Null => true,
        Kind::Bool(bool) => !bool,
        Kind::Int(int) => int == 0,
        Kind::Float(float) => float == 0.0,
        Kind::String(text) => text.is_empty(),
        Kind::Array(items) => items.len() == 0,
        Kind::Object(members) => members.len() == 0,
        Kind::Number(_) => false,
    };
    is_empty
        && match Zero::of(&field.of).0 {
            Zero::Null => !matches!(field.of, GoType::Pointer(_)) && !is_special(&field.of),
            Zero::Object | Zero::Quantity => false,
            _ => field.omit != Omit::Never && !is_special(&field.of),
        }
}

/// Whether a value of a field is there but counts as absent for defaults.
pub(crate) fn is_zero(value: Value<'_>, field: &'static Field) -> bool {
    match (Zero::of(&field.of).0, value.kind()) {
        (Zero::Text, Kind::String(text)) => text.is_empty(),
        (Zero::Number, Kind::Int(int)) => int == 0,
        (Zero::Bool, Kind::Bool(bool)) => !bool,
        (Zero::Quantity, Kind::String(text)) => text == "0",
        _ => false,
    }
}

/// Puts in the empty value of a field.
pub(crate) fn field(document: &mut Document, object: NodeId, field: &'static Field) {
    let (zero, of) = Zero::of(&field.of);
    let added = document.insert(object, field.name, zero.value());
    if let (Some(added), Some(of)) = (added, of) {
        fill(document, added, of);
    }
}

/// Puts in what is always written of the object `id`, and of everything in it.
pub(crate) fn fill(document: &mut Document, id: NodeId, of: &'static Type) {
    for field in of.fields() {
        match document.value(id).get(field.name).map(Value::id) {
            Some(member) => below(document, member, &field.of, &mut fill),
            None if is_written(field) => self::field(document, id, field),
            None => {}
        }
    }
}

/// Puts in the nulls that are written: empty lists and maps, times, and whatever JSON is not there.
pub(crate) fn finish(document: &mut Document, id: NodeId, of: &'static Type) {
    for field in of.fields() {
        match document.value(id).get(field.name).map(Value::id) {
            Some(member) => below(document, member, &field.of, &mut finish),
            None if is_written_as_null(field) => {
                document.insert(id, field.name, NewValue::Null);
            }
            None => {}
        }
    }
}

fn is_written_as_null(field: &'static Field) -> bool {
    if matches!(field.of, GoType::Pointer(_)) || field.omit == Omit::Zero {
        return field.omit == Omit::Never;
    }
    matches!(Zero::of(&field.of).0, Zero::Null)
        && (field.omit == Omit::Never || is_special(&field.of))
}

/// Calls `visit` with every structure in the value `id` that no other is around.
pub(crate) fn below(
    document: &mut Document,
    id: NodeId,
    of: &'static GoType,
    visit: &mut dyn FnMut(&mut Document, NodeId, &'static Type),
) {
    match of {
        GoType::Pointer(of) => below(document, id, of, visit),
        GoType::Named(name) => {
            let Some(of) = objects().types.get(*name) else { return };
            match &of.body {
                Body::Struct(_) => visit(document, id, of),
                Body::Alias(of) => below(document, id, of, visit),
                Body::Special(_) => {}
            }
        }
        GoType::List(of) | GoType::Map(of) if holds_structures(of) => {
            let value = document.value(id);
            let items = value.items().map(Value::id);
            let ids: Vec<NodeId> =
                items.chain(value.members().map(|(_, member)| member.id())).collect();
            for id in ids {
                below(document, id, of, visit);
            }
        }
        _ => {}
    }
}

/// Whether values of a type can be or hold structures.
fn holds_structures(of: &'static GoType) -> bool {
    match of {
        GoType::Pointer(of) | GoType::List(of) | GoType::Map(of) => holds_structures(of),
        GoType::Named(name) => match objects().types.get(*name).map(|of| &of.body) {
            Some(Body::Struct(_)) => true,
            Some(Body::Alias(of)) => holds_structures(of),
            _ => false,
        },
        _ => false,
    }
}
