//! Small documents, put together piece by piece.

use crdkit_value::{Document, NewValue, NodeId, Value};

/// A number, as an integer where it is one.
pub fn number(number: f64) -> Document {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
    if number.fract() == 0.0 && number.abs() < 9.0e15 {
        Document::from(number as i64)
    } else {
        Document::from(number)
    }
}

/// Sets a member of the root, which becomes an object if it is not one.
pub fn set<'v>(document: &mut Document, key: &str, value: impl Into<NewValue<'v>>) {
    if document.root().as_object().is_none() {
        *document = Document::object();
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
