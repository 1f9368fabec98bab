//! Small documents, put together piece by piece.

use crdkit_value::{Document, Event, NodeId, Value};

/// A document that is one scalar.
pub fn scalar(event: Event<'_>) -> Document {
    Document::of_events([event])
}

/// A document that is a text.
pub fn text(text: &str) -> Document {
    scalar(Event::String(text))
}

/// A number, as an integer where it is one.
pub fn number(number: f64) -> Document {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
    if number.fract() == 0.0 && number.abs() < 9.0e15 {
        scalar(Event::Int(number as i64))
    } else {
        scalar(Event::Float(number))
    }
}

/// An object without members.
pub fn object() -> Document {
    Document::of_events([Event::BeginObject, Event::EndObject])
}

/// A list of `items`.
pub fn array<'d>(items: impl IntoIterator<Item = &'d Document>) -> Document {
    let mut array = Document::of_events([Event::BeginArray, Event::EndArray]);
    for item in items {
        array.push(NodeId::ROOT, item.root());
    }
    array
}

/// Sets a member of the root, which becomes an object if it is none.
pub fn set(document: &mut Document, key: &str, value: Value<'_>) {
    if document.root().as_object().is_none() {
        *document = object();
    }
    document.insert(NodeId::ROOT, key, value);
}

/// A copy of the root without a member.
pub fn without(document: &Document, key: &str) -> Document {
    let mut copy = Document::copy_of(document.root());
    if let Some(id) = copy.root().get(key).map(Value::id) {
        copy.remove(id);
    }
    copy
}
