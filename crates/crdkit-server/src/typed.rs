//! Native kinds as field managers see them: the parts that objects always have, which nobody owns.

use crate::catalogue::snapshot::Served;
use crate::rules::Rules;
use crdkit_engine::RequestOptions;
use crdkit_value::{Document, Kind, NewValue, NodeId, Value};

/// An object of a native kind with nothing in it but the parts that are always there.
pub(crate) fn empty(served: &Served) -> Document {
    let mut document = match &served.rules {
        Rules::Native(kind) | Rules::Review(kind) => {
            let nothing = Document::object().with("metadata", NewValue::EmptyObject);
            kind.stored(&nothing, &RequestOptions::new().namespace("")).into_document()
        }
        Rules::Definition => crate::rules::empty_definition(),
        Rules::Custom(_) => Document::object(),
    };
    // Parts are always there, and so is nothing where something could be; what is in them by default is not.
    let removed: Vec<NodeId> = document
        .root()
        .ids()
        .filter(|id| *id != NodeId::ROOT && is_default(document.value(*id)))
        .collect();
    for id in removed {
        document.remove(id);
    }
    document
}

fn is_default(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Object(_) => value.key().is_none(),
        Kind::Null | Kind::Bool(false) | Kind::Int(0) => false,
        Kind::String(text) => !text.is_empty(),
        _ => true,
    }
}
