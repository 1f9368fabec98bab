//! Objects are followed: what is there, what happens, and what happens to watches.

use crate::support::{answer, answered_by, client, lamp, lamps, name, server};
use crdkit_client::{Change, ClientGates, DeleteOptions, Follower, ListOptions, WriteOptions};
use crdkit_value::Document;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The next so many changes, in words.
async fn seen(follower: &mut Follower<Document>, count: usize) -> String {
    let mut words = Vec::new();
    while words.len() < count {
        words.push(match follower.next().await {
            Ok(Change::Restarted) => "restarted".to_owned(),
            Ok(Change::Complete) => "complete".to_owned(),
            Ok(Change::Applied(object)) => format!("+{}", name(&object)),
            Ok(Change::Deleted(object)) => format!("-{}", name(&object)),
            Err(error) => format!("{error}"),
        });
    }
    words.join(" ")
}

#[tokio::test]
async fn objects_are_followed() {
    let env = server().await;
    for gates in [ClientGates::default(), crate::support::CBOR] {
        let (client, wire) = client(&env, gates).await;
        let lamps = lamps(&client);
        let write = WriteOptions::default();
        lamps.create(&lamp("desk", "{}"), &write).await.unwrap();
        let before = env.snapshot().await.unwrap();
        wire.take();
        let mut follower = lamps.follow(&ListOptions::default());
        assert_eq!(seen(&mut follower, 3).await, "restarted +desk complete");
        lamps.create(&lamp("hall", "{}"), &write).await.unwrap();
        lamps.delete("desk", &DeleteOptions::default()).await.unwrap();
        assert_eq!(seen(&mut follower, 2).await, "+hall -desk");
        // What happened is forgotten: everything is told again.
        env.restore(&before).await.unwrap();
        assert_eq!(seen(&mut follower, 3).await, "restarted +desk complete");
        assert_eq!(wire.take().iter().filter(|it| it.method == "GET").count(), 2);
        lamps.delete("desk", &DeleteOptions::default()).await.unwrap();
        assert_eq!(seen(&mut follower, 1).await, "-desk");
    }
}

fn event(kind: &str, object: &str) -> String {
    format!("{{\"type\":\"{kind}\",\"object\":{object}}}\n")
}

fn object(name: &str, version: u32) -> String {
    format!(
        r#"{{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{{"name":"{name}","resourceVersion":"{version}"}}}}"#
    )
}

/// A server that does not stream what is there, ends watches, and forgets.
#[tokio::test]
async fn watches_go_on_where_they_were() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    let times = AtomicUsize::new(0);
    let client = answered_by(ClientGates::default(), move |request| {
        let query = request.uri().query().unwrap_or_default().to_owned();
        noted.lock().unwrap().push(query.clone());
        if query.contains("sendInitialEvents") {
            let text = r#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Invalid","code":422}"#;
            return answer(422, "application/json", text);
        }
        if !query.contains("watch") {
            let text = format!(
                r#"{{"apiVersion":"example.com/v1","kind":"LampList","metadata":{{"resourceVersion":"10"}},"items":[{}]}}"#,
                object("desk", 9)
            );
            return answer(200, "application/json", text);
        }
        let events = match times.fetch_add(1, Ordering::Relaxed) {
            // It ends after an event and a bookmark.
            0 => event("ADDED", &object("hall", 11)) + &event("BOOKMARK", &object("", 15)),
            // It ends in the middle of a line.
            1 => event("MODIFIED", &object("hall", 16)) + "{\"type\":",
            // It fails for a moment.
            2 => return answer(500, "text/plain", "oh no"),
            // It has forgotten.
            3 => event(
                "ERROR",
                r#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old","reason":"Expired","code":410}"#,
            ),
            _ => event("DELETED", &object("desk", 20)),
        };
        answer(200, "application/json", events)
    });
    let mut follower = lamps(&client).follow(&ListOptions::default());
    assert_eq!(
        seen(&mut follower, 9).await,
        "restarted +desk complete +hall +hall oh no restarted +desk complete"
    );
    assert_eq!(seen(&mut follower, 1).await, "-desk");
    let asked = asked.lock().unwrap();
    let versions: Vec<_> = asked
        .iter()
        .filter(|query| query.contains("watch=true") && !query.contains("sendInitial"))
        .map(|query| query.rsplit("resourceVersion=").next().unwrap())
        .collect();
    assert_eq!(versions, ["10", "15", "16", "16", "10"]);
    assert_eq!(asked.iter().filter(|query| query.contains("sendInitialEvents")).count(), 1);
}
