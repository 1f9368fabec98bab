//! Rows of tables.

use crdkit_codec::{DecodeOptions, json};
use crdkit_native::{NativeCell, NativeKinds};
use crdkit_text::timestamp::Timestamp;

fn cells(plural: &str, group: &str, text: &str) -> Vec<String> {
    let object = json::decode(text.as_bytes(), &DecodeOptions::default()).expect("JSON").document;
    let kind = NativeKinds::latest().resource(group, "v1", plural).expect("a kind");
    let now = Timestamp::parse_rfc3339("2024-11-02T10:00:00Z").expect("a time");
    let shown = |cell: NativeCell| match cell {
        NativeCell::Text(text) => text,
        NativeCell::Int(int) => int.to_string(),
        NativeCell::Bool(bool) => bool.to_string(),
        _ => String::new(),
    };
    kind.row(object.root(), now).cells.into_iter().map(shown).collect()
}

#[test]
fn a_deployment_shows_how_many_are_ready() {
    let row = cells(
        "deployments",
        "apps",
        r#"{"metadata":{"name":"web","creationTimestamp":"2024-11-01T07:00:00Z"},
            "spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}}},"status":{"readyReplicas":2}}"#,
    );
    assert_eq!(row.get(..5), Some(&["web", "2/3", "0", "0", "27h"].map(str::to_owned)[..]));
}

#[test]
fn a_pod_shows_what_its_containers_are_doing() {
    let row = cells(
        "pods",
        "",
        r#"{"metadata":{"name":"web"},"spec":{"containers":[{"name":"a"},{"name":"b"}]},
            "status":{"phase":"Running","containerStatuses":[
              {"name":"a","ready":true,"restartCount":1,"state":{"running":{}}},
              {"name":"b","restartCount":2,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}}"#,
    );
    let wanted = ["web", "1/2", "CrashLoopBackOff", "3", "<unknown>"].map(str::to_owned);
    assert_eq!(row.get(..5), Some(&wanted[..]));
}
