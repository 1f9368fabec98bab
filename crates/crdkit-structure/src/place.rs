//! Places of values: JSON Pointers in which `*` stands for any step.
//!
//! Takes a pointer as it is written; says whether a path is one of those it stands for, and finds their values.

use crdkit_issue::{FieldPath, PointerError, pointer_index};
use crdkit_value::Value;

/// The places that a pointer with wildcards stands for.
#[derive(Clone, Debug)]
pub(super) struct PlacePattern {
    steps: Box<[Box<str>]>,
}

impl PlacePattern {
    pub(super) fn parse(pointer: &str) -> Result<Self, PointerError> {
        let path = FieldPath::from_pointer(pointer)?;
        Ok(Self { steps: path.segments().iter().map(|step| step.text().into()).collect() })
    }

    /// The whole document.
    pub(super) fn root() -> Self {
        Self { steps: Box::default() }
    }

    /// As it is written.
    pub(super) fn pointer(&self) -> String {
        ["", &self.steps.join("/")].join(if self.steps.is_empty() { "" } else { "/" })
    }

    /// Whether `path` is one of them.
    pub(super) fn fits(&self, path: &FieldPath) -> bool {
        let mut steps = self.steps.iter().zip(path.segments());
        self.steps.len() == path.segments().len()
            && steps.all(|(step, segment)| is_any(step) || **step == *segment.text())
    }

    /// The places that it stands for in what is at `path`, if there may be some.
    pub(super) fn below(&self, path: &FieldPath) -> Option<Self> {
        let (above, below) = self.steps.split_at_checked(path.segments().len())?;
        let mut steps = above.iter().zip(path.segments());
        let leads_there = steps.all(|(step, segment)| is_any(step) || **step == *segment.text());
        leads_there.then(|| Self { steps: below.into() })
    }

    /// The values of a document that stand there.
    pub(super) fn values<'v>(&self, root: Value<'v>) -> Vec<Value<'v>> {
        self.steps.iter().fold(vec![root], |values, step| {
            let below = |value: Value<'v>| -> Vec<Value<'v>> {
                if is_any(step) {
                    return value
                        .items()
                        .chain(value.members().map(|(_, member)| member))
                        .collect();
                }
                let item = || pointer_index(step).and_then(|index| value.at(index));
                value.get(step).or_else(item).into_iter().collect()
            };
            values.into_iter().flat_map(below).collect()
        })
    }
}

fn is_any(step: &str) -> bool {
    step == "*"
}
