//! Fields of an object by type; a value of another type counts as absent.

use crdkit_value::Value;

/// The member called `key`, unless it is `null`.
pub(super) fn present<'d>(object: Value<'d>, key: &str) -> Option<Value<'d>> {
    object.get(key).filter(|value| !value.is_null())
}

/// A string that may be absent.
pub(super) fn optional_text<'d>(object: Value<'d>, key: &str) -> Option<&'d str> {
    object.get(key)?.as_str()
}

/// A string, empty when absent.
pub(super) fn text<'d>(object: Value<'d>, key: &str) -> &'d str {
    optional_text(object, key).unwrap_or_default()
}

/// A boolean, false when absent.
pub(super) fn flag(object: Value<'_>, key: &str) -> bool {
    object.get(key).and_then(Value::as_bool).unwrap_or_default()
}

/// The strings of a list; `null` in a list of strings is the empty string.
pub(super) fn texts<'d>(object: Value<'d>, key: &str) -> Vec<&'d str> {
    object.get(key).map(strings).unwrap_or_default()
}

/// The strings of a list.
pub(super) fn strings(list: Value<'_>) -> Vec<&str> {
    list.items().map(|item| item.as_str().unwrap_or_default()).collect()
}

/// The items of a list.
pub(super) fn list<'d, T>(
    object: Value<'d>,
    key: &str,
    read: impl FnMut(Value<'d>) -> T,
) -> Vec<T> {
    object.get(key).map(|list| list.items().map(read).collect()).unwrap_or_default()
}

/// The entries of a map of strings.
pub(super) fn text_map<'d>(object: Value<'d>, key: &str) -> Vec<(&'d str, &'d str)> {
    let entries = object.get(key).map(Value::members).into_iter().flatten();
    entries.map(|(name, value)| (name, value.as_str().unwrap_or_default())).collect()
}
