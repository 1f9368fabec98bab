//! Requests and the answers to them, as the API server gives them: the Markdown cases below `resources/answers`.
//!
//! Each file is one conversation with a server of its own that has a CRD for lamps. A block `http` is a request: a line
//! with the method and the path, lines with headers, the body, and `=> CODE` with the message of a failure, or with a JSON
//! pointer and what stands there. `=> CODE` alone says no more. A body without a header that says otherwise is JSON.
#![expect(clippy::unwrap_used, reason = "tests")]

mod support;

use crdkit_codec::{DecodeOptions, Format, go_json};
use crdkit_server::Settings;
use crdkit_testkit::Block;
use crdkit_value::{Document, Value};
use std::path::Path;
use support::Client;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const CRD: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"lamps.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
"names":{"plural":"lamps","kind":"Lamp"},"versions":[{"name":"v1","served":true,"storage":true,
"subresources":{"status":{},"scale":{"specReplicasPath":".spec.bulbs","statusReplicasPath":".status.bulbs"}},
"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","properties":{"watts":{"type":"integer"},"bulbs":{"type":"integer"},
"hue":{"type":"string","default":"warm"}}},
"status":{"type":"object","properties":{"on":{"type":"boolean"},"bulbs":{"type":"integer"}}}}}}},
{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","properties":{"watts":{"type":"integer"}}}}}}}]}}"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn markdown_cases_hold() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("resources/answers");
    let mut failures = Vec::new();
    for blocks in crdkit_testkit::blocks(&directory) {
        let mut settings = Settings::default();
        settings.garbage_collection = false;
        settings.namespace_deletion = false;
        let client = Client::start(settings).await;
        assert_eq!(client.json("POST", CRDS, CRD).await.0, 201);
        for block in blocks.iter().filter(|block| block.word(0) == "http") {
            failures.extend(ask(&client, block).await);
        }
        client.server.stop().await;
    }
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n\n"));
}

/// What the answer to the request of a block is, if it is not the one that is expected.
async fn ask(client: &Client, block: &Block) -> Option<String> {
    let (request, expected) = block.text.rsplit_once("=> ").unwrap();
    let mut lines = request.lines().peekable();
    let first = lines.next().unwrap();
    let (method, path) = first.split_once(' ').unwrap();
    let mut headers = Vec::new();
    while let Some(line) = lines.next_if(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
    {
        headers.extend(line.split_once(": "));
    }
    if !headers.iter().any(|(name, _)| *name == "content-type") {
        headers.push(("content-type", "application/json"));
    }
    let body = lines.collect::<Vec<_>>().join("\n");
    let (code, head, answer) = client.raw(method, path, &headers, body.as_bytes()).await;
    let decoded = Format::Json.decode(&answer, &DecodeOptions::default());
    let answer = decoded.map_or_else(|_| Document::null(), |decoded| decoded.document);
    let expected = expected.trim_end();
    let wanted = expected.split_once(' ').map_or("", |(_, wanted)| wanted);
    let found = match wanted.split_once(' ') {
        _ if wanted.is_empty() => code.to_string(),
        Some(("warning", _)) => {
            let warning = head.lines().find_map(|line| line.strip_prefix("warning: "));
            format!("{code} warning {}", warning.unwrap_or("none"))
        }
        Some((pointer, wanted)) if pointer.starts_with('/') => {
            let value = answer.root().pointer(pointer);
            let found = value.map_or_else(|| "nothing".to_owned(), go_json::value);
            match Format::Json.decode(wanted.as_bytes(), &DecodeOptions::default()) {
                // Members may stand in any order.
                Ok(decoded) if go_json::value(decoded.document.root()) == found => {
                    format!("{code} {pointer} {wanted}")
                }
                _ => format!("{code} {pointer} {found}"),
            }
        }
        _ => {
            let message = answer.root().get("message").and_then(Value::as_str);
            format!("{code} {}", message.unwrap_or_default())
        }
    };
    (found != expected).then(|| format!("{first}\n{body}\nexpected {expected}\nfound    {found}"))
}
