//! Which objects a list, a watch or a deletion is about: label and field selectors, as text and as tests.

mod fields;
mod labels;

pub(crate) use fields::FieldSelector;
pub(crate) use labels::LabelSelector;

use crdkit_value::Value;

/// Both selectors of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    pub(crate) labels: LabelSelector,
    pub(crate) fields: FieldSelector,
}

impl Selection {
    /// Whether every object is selected.
    pub(crate) fn is_everything(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Whether `object` is selected.
    pub(crate) fn matches(&self, object: Value<'_>) -> bool {
        self.labels.matches(object) && self.fields.matches(object)
    }
}
