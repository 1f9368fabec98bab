//! Answers as servers and what stands before them give: repeated, refused, or not understood.

use crate::support::{answer, answered_by, lamp, lamps};
use crdkit_client::{ClientError, ClientGates, ListOptions, WriteOptions};
use http::Response;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const BUSY: &str = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"storage is (re)initializing","reason":"TooManyRequests","details":{"retryAfterSeconds":0},"code":429}"#;

#[tokio::test]
async fn a_server_that_is_busy_is_asked_again() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let client =
        answered_by(ClientGates::default(), move |_| match count.fetch_add(1, Ordering::Relaxed) {
            0 | 1 => {
                let mut busy = answer(429, "application/json", BUSY);
                busy.headers_mut().insert("retry-after", "0".parse().unwrap());
                busy
            }
            2 => {
                let mut away = answer(503, "text/plain", "away");
                away.headers_mut().insert("retry-after", "0".parse().unwrap());
                away
            }
            _ => answer(201, "application/json", r#"{"kind":"Lamp","metadata":{"name":"desk"}}"#),
        });
    lamps(&client).create(&lamp("desk", "{}"), &WriteOptions::default()).await.unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 4);

    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let client = answered_by(ClientGates::default(), move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        answer(429, "application/json", BUSY)
    });
    let error = lamps(&client).get("desk").await.unwrap_err();
    assert_eq!((error.code(), asked.load(Ordering::Relaxed)), (429, 6));
}

#[tokio::test]
async fn what_is_not_understood_is_told() {
    let table: [(u16, &str, &str, &str); 5] = [
        (200, "application/json", "{", "the answer cannot be read"),
        (200, "text/html", "<html>", "its content type is \"text/html\""),
        (200, "application/cbor", "{}", "the answer cannot be read"),
        (502, "text/html", "<html>bad gateway</html>", "bad gateway"),
        (500, "application/json", "{\"kind\":\"Other\"}", "Other"),
    ];
    for (code, kind, body, expected) in table {
        let client = answered_by(ClientGates::default(), move |_| answer(code, kind, body));
        let error = lamps(&client).get("desk").await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(error.code(), if code == 200 { 0 } else { code });
    }
}

#[tokio::test]
async fn a_list_that_is_forgotten_is_asked_for_as_a_whole() {
    let client = answered_by(ClientGates::default(), |request| {
        let query = request.uri().query().unwrap_or_default().to_owned();
        let list = |items: &str, token: &str| -> Response<_> {
            let text = format!(
                r#"{{"kind":"LampList","apiVersion":"example.com/v1","metadata":{{"resourceVersion":"5","continue":"{token}"}},"items":[{items}]}}"#
            );
            answer(200, "application/json", text)
        };
        let (one, two) = (r#"{"metadata":{"name":"a"}}"#, r#"{"metadata":{"name":"b"}}"#);
        if query.contains("continue=") {
            let text = r#"{"kind":"Status","apiVersion":"v1","metadata":{"continue":"x"},"status":"Failure","message":"The provided continue parameter is too old","reason":"Expired","code":410}"#;
            return answer(410, "application/json", text);
        }
        if query.contains("limit=") { list(one, "more") } else { list(&format!("{one},{two}"), "") }
    });
    let all = lamps(&client).list_all(&ListOptions::default()).await.unwrap();
    assert_eq!(all.items.len(), 2);
}

#[tokio::test]
async fn a_body_that_is_too_large_is_not_read() {
    let client = answered_by(ClientGates::default(), |_| {
        answer(200, "application/json", format!("{{\"a\":\"{}\"}}", "x".repeat(1000)))
    });
    let mut settings = client.settings().clone();
    settings.max_answer = 100;
    let error = lamps(&client.with_settings(settings)).get("desk").await.unwrap_err();
    assert!(matches!(&error, ClientError::Answer { .. }), "{error}");
}
