//! From a path of elements to the value it leads to.

use super::{Element, Scalar};
use crdkit_value::Value;

/// The value that `path` leads to from `value`. An item is found by the key fields that it has; one that is left to its
/// default does not count.
pub(crate) fn find<'v>(value: Value<'v>, path: &[&Element<'_>]) -> Option<Value<'v>> {
    path.iter().try_fold(value, |value, element| match element {
        Element::Field(name) => value.get(name),
        Element::Index(at) => value.at(usize::try_from(*at).ok()?),
        Element::Value(wanted) => value.items().find(|item| Scalar::of(*item) == *wanted),
        Element::Key(fields) => value.items().find(|item| {
            let is_same = |name: &str, wanted: &Scalar<'_>| {
                item.get(name).is_none_or(|found| Scalar::of(found) == *wanted)
            };
            fields.iter().all(|(name, wanted)| is_same(name, wanted))
        }),
    })
}
