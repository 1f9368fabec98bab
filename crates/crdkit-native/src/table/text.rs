//! Texts in cells: ages, labels, selectors.

use crdkit_text::timestamp::Timestamp;
use crdkit_value::Value;

/// How long ago a point in time was; `<unknown>` if there is none.
pub(super) fn age(time: Option<&str>, now: Timestamp) -> String {
    match time.and_then(|time| Timestamp::parse_rfc3339(time).ok()) {
        Some(time) => duration(now.seconds.saturating_sub(time.seconds)),
        None => "<unknown>".to_owned(),
    }
}

/// A span of seconds, the rougher the longer it is.
pub(super) fn duration(seconds: i64) -> String {
    let pair = |large: i64, unit: &str, small: i64, small_unit: &str| match small {
        0 => format!("{large}{unit}"),
        _ => format!("{large}{unit}{small}{small_unit}"),
    };
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match () {
        () if seconds < -1 => "<invalid>".to_owned(),
        () if seconds < 0 => "0s".to_owned(),
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => pair(minutes, "m", seconds % 60, "s"),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => pair(hours, "h", minutes % 60, "m"),
        () if hours < 48 => format!("{hours}h"),
        () if hours < 24 * 8 => pair(hours / 24, "d", hours % 24, "h"),
        () if hours < 24 * 365 * 2 => format!("{}d", hours / 24),
        () if hours < 24 * 365 * 8 => pair(hours / 24 / 365, "y", hours / 24 % 365, "d"),
        () => format!("{}y", hours / 24 / 365),
    }
}

/// The text at a path.
pub(super) fn at<'v>(object: Value<'v>, path: &str) -> &'v str {
    find(object, path).and_then(Value::as_str).unwrap_or_default()
}

/// The value at a path of members.
pub(super) fn find<'v>(object: Value<'v>, path: &str) -> Option<Value<'v>> {
    path.split('.').try_fold(object, Value::get)
}

/// The items of the list at a path.
pub(super) fn items<'v>(object: Value<'v>, path: &str) -> impl Iterator<Item = Value<'v>> + Clone {
    find(object, path).into_iter().flat_map(Value::items)
}

/// Texts with commas between them.
pub(super) fn join<'t>(texts: impl Iterator<Item = &'t str>, separator: &str) -> String {
    texts.collect::<Vec<_>>().join(separator)
}

/// A text, or another one if it is empty.
pub(super) fn or(text: String, other: &str) -> String {
    if text.is_empty() { other.to_owned() } else { text }
}

/// Labels as `a=b,c=d`.
pub(super) fn labels(map: Option<Value<'_>>) -> String {
    let mut pairs: Vec<String> = map
        .into_iter()
        .flat_map(Value::members)
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
        .collect();
    pairs.sort_unstable();
    or(pairs.join(","), "<none>")
}

/// A label selector as it is written on the command line.
pub(super) fn selector(selector: Option<Value<'_>>) -> String {
    let Some(selector) = selector else { return "<none>".to_owned() };
    let mut parts: Vec<(String, String)> = Vec::new();
    for (key, value) in selector.get("matchLabels").into_iter().flat_map(Value::members) {
        parts.push((key.to_owned(), format!("{key}={}", value.as_str().unwrap_or_default())));
    }
    for expression in items(selector, "matchExpressions") {
        let key = at(expression, "key");
        let mut values: Vec<&str> = items(expression, "values").filter_map(Value::as_str).collect();
        values.sort_unstable();
        let values = values.join(",");
        let text = match at(expression, "operator") {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "Exists" => key.to_owned(),
            "DoesNotExist" => format!("!{key}"),
            _ => return "<error>".to_owned(),
        };
        parts.push((key.to_owned(), text));
    }
    parts.sort_by(|left, right| left.0.cmp(&right.0));
    or(parts.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(","), "<none>")
}
