//! The time that objects get to end when they are deleted. Pods alone get any.
//!
//! Upstream: `BeforeDelete` in `apiserver/pkg/registry/rest/delete.go`, `CheckGracefulDelete` in
//! `pkg/registry/core/pod/strategy.go`.

use crate::stored;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Value};

/// What a deletion does to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grace {
    /// Nothing: it gets no time.
    None,
    /// It says that it is being deleted, and has so many seconds.
    Begun(i64),
    /// It says so already, and has no less time than before.
    Pending,
}

/// Says in a pod that it is being deleted. `asked` is the time that the deletion gives it, in seconds.
pub(super) fn begin(pod: &mut Document, asked: Option<i64>, now: Timestamp) -> Grace {
    let at_least_one = |seconds: i64| if seconds < 0 { 1 } else { seconds };
    let asked = asked.map(at_least_one);
    let root = pod.root();
    let integer = |path: &str| root.pointer(path).and_then(Value::as_i64);
    let text = |path: &str| root.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let (seconds, end) = match text("/metadata/deletionTimestamp") {
        "" => {
            let is_over = text("/spec/nodeName").is_empty()
                || matches!(text("/status/phase"), "Failed" | "Succeeded");
            let seconds = asked.or_else(|| integer("/spec/terminationGracePeriodSeconds"));
            let seconds = if is_over { 0 } else { at_least_one(seconds.unwrap_or_default()) };
            (seconds, now.seconds.saturating_add(seconds))
        }
        end => {
            let Some(before) = integer("/metadata/deletionGracePeriodSeconds") else {
                return Grace::None;
            };
            // It can only get less.
            match (asked, Timestamp::parse_rfc3339(end)) {
                (Some(asked), Ok(end)) if asked < before => {
                    (asked, end.seconds.saturating_sub(before).saturating_add(asked))
                }
                _ => return Grace::Pending,
            }
        }
    };
    let is_first = text("/metadata/deletionTimestamp").is_empty();
    let generation = integer("/metadata/generation").filter(|it| is_first && *it > 0);
    let end = Timestamp { seconds: end, nanoseconds: 0, offset: 0 };
    let metadata = stored::metadata(pod);
    if let Some(generation) = generation {
        pod.insert(metadata, "generation", generation + 1);
    }
    pod.insert(metadata, "deletionTimestamp", &end.to_string());
    pod.insert(metadata, "deletionGracePeriodSeconds", seconds);
    Grace::Begun(seconds)
}

/// Whether a pod still has time.
pub(super) fn has_time(object: Value<'_>) -> bool {
    let seconds = object.pointer("/metadata/deletionGracePeriodSeconds").and_then(Value::as_i64);
    seconds.is_some_and(|seconds| seconds > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crdkit_codec::{DecodeOptions, Format, go_json};

    /// What becomes of a pod, and what its metadata are then.
    fn begun(pod: &str, asked: Option<i64>) -> (Grace, String) {
        let decoded = Format::Json.decode(pod.as_bytes(), &DecodeOptions::default());
        let mut pod = decoded.map_or_else(|_| Document::null(), |it| it.document);
        let grace = begin(&mut pod, asked, Timestamp { seconds: 100, nanoseconds: 7, offset: 0 });
        (grace, pod.root().get("metadata").map(go_json::value).unwrap_or_default())
    }

    #[test]
    fn pods_that_run_get_their_time_and_others_none() {
        let marked = |end: &str, seconds: i64| {
            format!(
                r#"{{"deletionGracePeriodSeconds":{seconds},"deletionTimestamp":"1970-01-01T00:{end}Z","generation":2}}"#
            )
        };
        let running = r#"{"metadata":{"generation":1},"spec":{"nodeName":"n","terminationGracePeriodSeconds":30}}"#;
        let done =
            r#"{"metadata":{"generation":1},"spec":{"nodeName":"n"},"status":{"phase":"Failed"}}"#;
        let waiting =
            r#"{"metadata":{"generation":1},"spec":{"terminationGracePeriodSeconds":30}}"#;
        for (pod, asked, seconds, end) in [
            (running, None, 30, "02:10"),
            (running, Some(5), 5, "01:45"),
            (running, Some(-3), 1, "01:41"),
            (running, Some(0), 0, "01:40"),
            (done, Some(5), 0, "01:40"),
            (waiting, None, 0, "01:40"),
        ] {
            let expected = (Grace::Begun(seconds), marked(end, seconds));
            assert_eq!(begun(pod, asked), expected, "{pod} {asked:?}");
        }
    }

    #[test]
    fn time_that_was_given_only_gets_less() {
        let marked = |end: &str, seconds: i64| {
            format!(
                r#"{{"deletionGracePeriodSeconds":{seconds},"deletionTimestamp":"1970-01-01T00:{end}Z"}}"#
            )
        };
        let before = marked("01:00", 30);
        let pod = format!(r#"{{"metadata":{before}}}"#);
        for asked in [None, Some(30), Some(60)] {
            assert_eq!(begun(&pod, asked), (Grace::Pending, before.clone()), "{asked:?}");
        }
        assert_eq!(begun(&pod, Some(10)), (Grace::Begun(10), marked("00:40", 10)));
        let forced = r#"{"metadata":{"deletionTimestamp":"1970-01-01T00:01:00Z"}}"#;
        assert_eq!(begun(forced, Some(10)).0, Grace::None);
    }
}
