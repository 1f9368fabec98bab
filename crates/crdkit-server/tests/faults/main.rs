//! What a server does when something around it fails: the disk, a client, the clock, a handler.
#![expect(clippy::unwrap_used, reason = "tests")]

mod disk;
mod hanging;
#[path = "../support/mod.rs"]
mod support;

use crdkit_server::{Entropy, Server, Settings, SystemEntropy};
use crdkit_store::{
    Clock, EmbeddedOptions, EmbeddedStore, MemoryOptions, MemoryStore, Millis, SystemClock,
};
use crdkit_value::{Document, Value};
use disk::Disk;
use hanging::HangingStore;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use support::Client;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// More than is remembered of the past.
const CREATED: u64 = 300;
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn map(name: &str, data: &str) -> String {
    format!(r#"{{"metadata":{{"name":"{name}"}},"data":{{"a":"{data}"}}}}"#)
}

fn text<'d>(document: &'d Document, pointer: &str) -> &'d str {
    document.root().pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn names(list: &Document) -> Vec<&str> {
    let items = list.root().get("items").into_iter().flat_map(Value::items);
    items.filter_map(|it| it.pointer("/metadata/name")?.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_said_and_got_over() {
    let disk = Disk::default();
    EmbeddedStore::create_on(&disk, 1 << 20).unwrap();
    let store = EmbeddedStore::open_on(
        Box::new(disk.clone()),
        EmbeddedOptions::default(),
        Arc::new(SystemClock),
    );
    let client = Client::of(Server::builder().store(Arc::new(store.unwrap()))).await;
    assert_eq!(client.json("POST", MAPS, &map("before", "x")).await.0, 201);
    disk.set_full(true);
    // As long as there is room in the file itself, there may be room for a write.
    let mut refused = 0;
    for at in 0..40 {
        let name = format!("full-{at}");
        let (code, status) = client.json("POST", MAPS, &map(&name, &"x".repeat(100_000))).await;
        match code {
            201 => assert_eq!(refused, 0, "room came back by itself"),
            // Of the one that was on its way nobody knows whether it arrived.
            503 | 504 => {
                let reasons = ["ServiceUnavailable", "Timeout"];
                assert!(reasons.contains(&text(&status, "/reason")), "{status:?}");
                refused += 1;
            }
            code => panic!("{code} {status:?}"),
        }
    }
    assert!(refused > 0);
    // A store that cannot write opens its file anew, for which it needs room; until then nothing is read either.
    let (code, status) = client.json("GET", &format!("{MAPS}/before"), "").await;
    assert!(matches!(code, 200 | 503), "{code} {status:?}");
    disk.set_full(false);
    let mut code = 0;
    for _ in 0..100 {
        code = client.json("POST", MAPS, &map("after", "x")).await.0;
        if code < 500 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(code, 201);
    let (_, list) = client.json("GET", MAPS, "").await;
    let found = names(&list);
    assert!(found.contains(&"before") && found.contains(&"after"), "{found:?}");
}

/// Randomness that fails when it is told to.
struct Panicking(AtomicBool);

impl Entropy for Panicking {
    fn fill(&self, bytes: &mut [u8]) {
        assert!(!self.0.load(Ordering::SeqCst), "told to panic");
        SystemEntropy.fill(bytes);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_that_panics_costs_one_answer() {
    let entropy = Arc::new(Panicking(AtomicBool::new(false)));
    let client = Client::of(Server::builder().entropy(Arc::clone(&entropy) as _)).await;
    entropy.0.store(true, Ordering::SeqCst);
    let (code, status) = client.json("POST", MAPS, &map("a", "x")).await;
    assert_eq!((code, text(&status, "/reason")), (500, "InternalError"), "{status:?}");
    entropy.0.store(false, Ordering::SeqCst);
    assert_eq!(client.json("POST", MAPS, &map("a", "x")).await.0, 201);
    let (_, _, metrics) = client.raw("GET", "/metrics", &[], b"").await;
    let metrics = String::from_utf8(metrics).unwrap();
    assert!(metrics.contains("\napiserver_panics_total 1\n"), "{metrics}");
}

/// A clock that is where it is put.
struct Jumping(AtomicU64);

impl Clock for Jumping {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::SeqCst))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clocks_that_jump_lose_nothing_but_what_expires() {
    const EVENTS: &str = "/api/v1/namespaces/default/events";
    let now = SystemClock.now();
    let clock = Arc::new(Jumping(AtomicU64::new(now.0)));
    let store = MemoryStore::new(MemoryOptions::default(), Arc::clone(&clock) as _);
    let builder = Server::builder().store(Arc::new(store)).clock(Arc::clone(&clock) as _);
    let client = Client::of(builder).await;
    let event =
        r#"{"metadata":{"name":"e"},"involvedObject":{"namespace":"default"},"reason":"R"}"#;
    for hours in [0, 48, -24, 1, 0] {
        let at = i64::try_from(now.0).unwrap() + hours * 3_600_000;
        clock.0.store(u64::try_from(at).unwrap(), Ordering::SeqCst);
        let name = format!("at{}", hours + 100);
        let _ = client.json("DELETE", &format!("{MAPS}/{name}"), "").await;
        let (code, made) = client.json("POST", MAPS, &map(&name, "x")).await;
        assert_eq!(code, 201, "{made:?}");
        let path = format!("{MAPS}/{name}?fieldManager=other");
        let merge = "application/merge-patch+json";
        assert_eq!(client.call("PATCH", &path, merge, r#"{"data":{"b":"y"}}"#).await.0, 200);
        let (code, _) = client.json("POST", EVENTS, event).await;
        assert!([201, 409].contains(&code), "{code}");
    }
    clock.0.store(now.0 + 80 * 3_600_000, Ordering::SeqCst);
    for _ in 0..100 {
        if client.json("GET", &format!("{EVENTS}/e"), "").await.0 == 404 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(client.json("GET", &format!("{EVENTS}/e"), "").await.0, 404);
    let (_, list) = client.json("GET", MAPS, "").await;
    assert_eq!(names(&list), ["at100", "at101", "at148", "at76"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_say_nothing_or_half_of_it_disturb_nobody() {
    let client = Client::start(Settings::default()).await;
    let mut silent = Vec::new();
    for _ in 0..200 {
        silent.push(TcpStream::connect(client.server.address()).await.unwrap());
    }
    let mut halves = Vec::new();
    for part in [
        "GET /api/v1/na",
        "POST /api/v1/namespaces HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{\"a\"",
    ] {
        for _ in 0..50 {
            let mut stream = client.connect().await;
            stream.write_all(part.as_bytes()).await.unwrap();
            halves.push(stream);
        }
    }
    for at in 0..20 {
        assert_eq!(client.json("POST", MAPS, &map(&format!("m{at}"), "x")).await.0, 201);
    }
    let started = tokio::time::Instant::now();
    client.server.stop().await;
    assert!(started.elapsed() < Duration::from_secs(2), "nobody holds a server that stops");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watchers_that_do_not_read_are_cut_off_and_others_see_everything() {
    let client = Client::start(Settings::default()).await;
    let mut idle = Vec::new();
    for _ in 0..50 {
        idle.push(client.send("GET", &format!("{MAPS}?watch=1"), "", "").await);
    }
    let mut reader = client.send("GET", &format!("{MAPS}?watch=1"), "", "").await;
    let seen = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&seen);
    let reading = tokio::spawn(async move {
        const MARK: &[u8] = b"\"type\":\"ADDED\"";
        let (mut window, mut buffer) = (Vec::new(), vec![0; 1 << 18]);
        while counted.load(Ordering::SeqCst) < CREATED {
            let read = reader.read(&mut buffer).await.unwrap();
            assert!(read > 0, "the watch ended early");
            window.extend_from_slice(&buffer[..read]);
            let found = window.windows(MARK.len()).filter(|it| *it == MARK).count();
            counted.fetch_add(found as u64, Ordering::SeqCst);
            window.drain(..window.len().saturating_sub(MARK.len() - 1));
        }
    });
    let large = "x".repeat(300_000);
    for at in 0..CREATED {
        let (code, status) = client.json("POST", MAPS, &map(&format!("m{at}"), &large)).await;
        assert_eq!(code, 201, "{status:?}");
        // Whoever reads keeps up.
        while seen.load(Ordering::SeqCst) + 20 < at && !reading.is_finished() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    reading.await.unwrap();
    // Whoever did not read finds an end, and not everything.
    let mut first = idle.remove(0);
    let mut seen = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(30), first.read_to_end(&mut seen));
    let _ = read.await.unwrap();
    let seen = String::from_utf8_lossy(&seen);
    assert!(seen.contains("\"type\":\"ERROR\"") && seen.contains("\"code\":410"), "cut off");
    drop(idle);
    assert_eq!(client.json("GET", &format!("{MAPS}/m0"), "").await.0, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_stops_answering_costs_each_request_its_time() {
    let store = Arc::new(HangingStore::default());
    let mut settings = Settings::default();
    settings.request_timeout = Duration::from_millis(300);
    settings.garbage_collection = false;
    settings.namespace_deletion = false;
    let builder = Server::builder().settings(settings).store(Arc::clone(&store) as _);
    let client = Client::of(builder).await;
    assert_eq!(client.json("POST", MAPS, &map("before", "x")).await.0, 201);
    store.hang(true);
    for (method, path, body) in [
        ("POST", MAPS, map("lost", "x")),
        ("GET", MAPS, String::new()),
        ("GET", &format!("{MAPS}/before"), String::new()),
    ] {
        let (code, status) = client.json(method, path, &body).await;
        assert_eq!((code, text(&status, "/reason")), (504, "Timeout"), "{method} {status:?}");
    }
    // What needs no store is answered as ever.
    assert_eq!(client.json("GET", "/apis", "").await.0, 200);
    store.hang(false);
    assert_eq!(client.json("GET", &format!("{MAPS}/before"), "").await.0, 200);
    assert_eq!(client.json("POST", MAPS, &map("after", "x")).await.0, 201);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_too_large_is_refused_and_said() {
    let client = Client::start(Settings::default()).await;
    let large = map("large", &"x".repeat(4 << 20));
    let (code, status) = client.json("POST", MAPS, &large).await;
    assert_eq!((code, text(&status, "/reason")), (413, "RequestEntityTooLarge"), "{status:?}");
    // The answer may be lost, since nobody reads the rest of such a request; nothing else is.
    let mut stream = client.connect().await;
    let long = "x".repeat(1 << 20);
    let request = format!("GET {MAPS} HTTP/1.1\r\nhost: localhost\r\nx-long: {long}\r\n\r\n");
    let _ = stream.write_all(request.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    let operations =
        format!("[{}]", vec![r#"{"op":"test","path":"/kind","value":"x"}"#; 10_001].join(","));
    assert_eq!(client.json("POST", MAPS, &map("small", "x")).await.0, 201);
    let path = format!("{MAPS}/small");
    let (code, status) =
        client.call("PATCH", &path, "application/json-patch+json", &operations).await;
    assert_eq!((code, text(&status, "/reason")), (413, "RequestEntityTooLarge"), "{status:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_whose_client_is_gone_is_done_whole() {
    const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const CRD: &str = r#"{"metadata":{"name":"lamps.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"lamps","kind":"Lamp"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]}}"#;
    let store = Arc::new(HangingStore::default());
    let client = Client::of(Server::builder().store(Arc::clone(&store) as _)).await;
    store.hang(true);
    let gone = client.send("POST", CRDS, "application/json", CRD).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    drop(gone);
    tokio::time::sleep(Duration::from_millis(200)).await;
    store.hang(false);
    let mut code = 0;
    for _ in 0..200 {
        code = client.json("GET", "/apis/example.com/v1/lamps", "").await.0;
        if code == 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(code, 200, "the CRD is stored and served");
}
