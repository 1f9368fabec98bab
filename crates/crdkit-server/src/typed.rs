//! Native kinds as field managers see them: the parts that objects always have, which nobody owns.

use crate::catalogue::snapshot::Served;
use crate::rules::Rules;
use crdkit_value::Document;

/// An object of a native kind with nothing in it but the parts that are always there.
pub(crate) fn empty(served: &Served) -> Document {
    match &served.rules {
        Rules::Native(kind) | Rules::Review(kind) => kind.empty(),
        Rules::Definition => crdkit_native::always_there(crate::rules::empty_definition()),
        Rules::Custom(_) => Document::object(),
    }
}
