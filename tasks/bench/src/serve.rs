//! Bench `serve`: `crdkit serve` as a process of its own, and a client over TLS beside it on the same machine.
//!
//! Figures of one run, each with the goal it is held against. The program is `target/release/crdkit`, or what the
//! variable `CRDKIT` names.

use crate::corpus::{Corpus, compact};
use anyhow::{Context as _, Result, ensure};
use bytes::Bytes;
use chaos::client::Connector;
use chaos::server::Running;
use crdkit_value::{Document, NodeId, Value};
use http_body_util::BodyExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const LAMPS: &str = "/apis/bench.example.com/v1/namespaces/default/lamps";
/// How many CRDs are created.
const N_CRDS: usize = 570;
/// How long a rate is measured.
const SPAN: Duration = Duration::from_secs(3);
const CONNECTIONS: usize = 16;
const WATCHERS: usize = 1000;
const EVENTS: usize = 1000;
const MANY: usize = 100_000;

pub(crate) fn run(corpus: &Path) -> Result<()> {
    let program = std::env::var_os("CRDKIT").map_or("target/release/crdkit".into(), PathBuf::from);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let folder = tempfile::tempdir()?;
    start(&program, folder.path())?;
    definitions(&runtime, &program, folder.path(), corpus)?;
    rates(&runtime, &program, folder.path())?;
    watchers(&runtime, &program, folder.path())?;
    many(&runtime, &program, folder.path())
}

fn say(what: &str, found: &str, goal: &str) {
    println!("{what:<44} {found:>16}   goal {goal}");
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// The least of several starts, and what an empty server holds.
fn start(program: &Path, folder: &Path) -> Result<()> {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        best = best.min(Running::start(program, folder, &[])?.ready_after());
    }
    say("ready", &format!("{:.1} ms", best.as_secs_f64() * 1e3), "50 ms");
    let mut server = Running::start(program, folder, &[])?;
    std::thread::sleep(Duration::from_millis(300));
    say("resident, empty", &megabytes(server.resident()?), "25 MB");
    let took = server.stop()?;
    say("stopped", &format!("{:.1} ms", took.as_secs_f64() * 1e3), "1000 ms");
    Ok(())
}

/// CRDs of the corpus, and the same ones again in other groups until there are enough.
fn crds(corpus: &Path) -> Result<Vec<(String, Bytes)>> {
    let corpus = Corpus::load(corpus)?;
    let mut made = Vec::new();
    for at in 0..N_CRDS {
        let copy = at / corpus.crds.len().max(1);
        let (_, crd) = corpus.crds.get(at % corpus.crds.len().max(1)).context("no CRDs")?;
        let mut crd = crd.clone();
        let text = |pointer: &str| {
            crd.root().pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let (group, plural) = (text("/spec/group"), text("/spec/names/plural"));
        let group = if copy == 0 { group } else { format!("copy{copy}.{group}") };
        let version = crd
            .root()
            .pointer("/spec/versions")
            .into_iter()
            .flat_map(Value::items)
            .find(|it| it.get("served").and_then(Value::as_bool) == Some(true))
            .and_then(|it| it.get("name")?.as_str())
            .unwrap_or_default()
            .to_owned();
        let (spec, metadata) = (crd.root().get("spec"), crd.root().get("metadata"));
        let (spec, metadata) = (spec.map(Value::id), metadata.map(Value::id));
        let (spec, metadata) = (spec.context("no spec")?, metadata.context("no metadata")?);
        crd.insert(spec, "group", &group);
        crd.insert(metadata, "name", &format!("{plural}.{group}"));
        if copy > 0 {
            let approved = Document::object()
                .with("api-approved.kubernetes.io", "unapproved, experimental-only");
            crd.insert(metadata, "annotations", &approved);
        }
        crd.insert(NodeId::ROOT, "apiVersion", "apiextensions.k8s.io/v1");
        let path = format!("/apis/{group}/{version}/{plural}");
        made.push((path, compact(crd.root()).into()));
    }
    Ok(made)
}

fn definitions(runtime: &Runtime, program: &Path, folder: &Path, corpus: &Path) -> Result<()> {
    let server = Running::start(program, folder, &[])?;
    let crds = crds(corpus)?;
    let connector = server.connector()?;
    let before = server.processor_seconds()?;
    let started = Instant::now();
    runtime.block_on(async {
        let mut connection = connector.connect().await?;
        for (path, crd) in &crds {
            let (code, answer) = connection.call("POST", CRDS, crd.clone()).await?;
            ensure!(code == 201, "{path}: {code} {}", String::from_utf8_lossy(&answer));
        }
        let (path, _) = crds.last().context("no CRDs")?;
        let (code, _) = connection.call("GET", path, Bytes::new()).await?;
        ensure!(code == 200, "{path} is not served at once: {code}");
        anyhow::Ok(())
    })?;
    let took = started.elapsed().as_secs_f64();
    let processor = server.processor_seconds()? - before;
    say(&format!("{N_CRDS} CRDs created"), &format!("{took:.2} s"), "2 s");
    say("  processor time of the server", &format!("{processor:.2} s"), "-");
    std::thread::sleep(Duration::from_secs(1));
    say(&format!("resident with {N_CRDS} CRDs"), &megabytes(server.resident()?), "120 MB");
    let started = Instant::now();
    let discovered = runtime.block_on(async {
        let mut connection = connector.connect().await?;
        let (_, list) = connection.call("GET", "/apis", Bytes::new()).await?;
        let (code, index) = connection.call("GET", "/openapi/v3", Bytes::new()).await?;
        ensure!(code == 200, "/openapi/v3: {code}");
        anyhow::Ok(list.len() + index.len())
    })?;
    let took = started.elapsed().as_secs_f64() * 1e3;
    say("discovery and the index of OpenAPI", &format!("{took:.0} ms"), "-");
    ensure!(discovered > 0);
    Ok(())
}

/// Requests a second over several connections, and microseconds of the server's processor time for each.
fn rate(
    runtime: &Runtime,
    server: &Running,
    request: impl Fn(u64) -> (&'static str, String, Bytes) + Send + Sync + 'static,
    expected: u16,
) -> Result<(f64, f64)> {
    let connector = server.connector()?;
    let before = server.processor_seconds()?;
    let (request, count) = (Arc::new(request), Arc::new(AtomicU64::new(0)));
    runtime.block_on(async {
        let mut workers = Vec::new();
        for _ in 0..CONNECTIONS {
            let mut connection = connector.connect().await?;
            let (request, count) = (Arc::clone(&request), Arc::clone(&count));
            workers.push(tokio::spawn(async move {
                let started = Instant::now();
                while started.elapsed() < SPAN {
                    let (method, path, body) = request(count.fetch_add(1, Ordering::Relaxed));
                    let (code, answer) = connection.call(method, &path, body).await?;
                    ensure!(code == expected, "{code} {}", String::from_utf8_lossy(&answer));
                }
                Ok(())
            }));
        }
        for worker in workers {
            worker.await??;
        }
        anyhow::Ok(())
    })?;
    let requests = count.load(Ordering::Relaxed) as f64;
    let each = (server.processor_seconds()? - before) / requests * 1e6;
    Ok((requests / SPAN.as_secs_f64(), each))
}

const CRD: &str = r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"lamps.bench.example.com"},"spec":{"group":"bench.example.com","scope":"Namespaced","names":{"plural":"lamps","kind":"Lamp"},"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","required":["watts"],"properties":{"watts":{"type":"integer","minimum":1},"color":{"type":"string","default":"white"},"rooms":{"type":"array","maxItems":10,"items":{"type":"object","properties":{"name":{"type":"string","maxLength":20}}}}},"x-kubernetes-validations":[{"rule":"self.watts < 1000"}]},"status":{"type":"object","properties":{"on":{"type":"boolean"}}}}}}}]}}"#;

fn lamp(name: &str) -> Bytes {
    format!(
        r#"{{"apiVersion":"bench.example.com/v1","kind":"Lamp","metadata":{{"name":"{name}","labels":{{"app":"bench","part":"lamp"}}}},"spec":{{"watts":40,"rooms":[{{"name":"kitchen"}},{{"name":"hall"}}]}}}}"#
    )
    .into()
}

/// Creates lamps over several connections.
fn fill(runtime: &Runtime, connector: &Connector, count: usize) -> Result<()> {
    runtime.block_on(async {
        let mut connection = connector.connect().await?;
        let (code, _) = connection.call("POST", CRDS, CRD).await?;
        ensure!(code == 201 || code == 409, "the CRD is answered with {code}");
        let mut workers = Vec::new();
        for worker in 0..CONNECTIONS {
            let mut connection = connector.connect().await?;
            workers.push(tokio::spawn(async move {
                for at in (worker..count).step_by(CONNECTIONS) {
                    let (code, _) =
                        connection.call("POST", LAMPS, lamp(&format!("l{at:06}"))).await?;
                    ensure!(code == 201, "a lamp is answered with {code}");
                }
                Ok(())
            }));
        }
        for worker in workers {
            worker.await??;
        }
        Ok(())
    })
}

fn rates(runtime: &Runtime, program: &Path, folder: &Path) -> Result<()> {
    let server = Running::start(program, folder, &[])?;
    let connector = server.connector()?;
    fill(runtime, &connector, 500)?;
    let show = |what: &str, (rate, each): (f64, f64), goal: &str| {
        say(what, &format!("{rate:.0}/s"), goal);
        say("  processor time of the server", &format!("{each:.1} µs each"), "-");
    };
    let get = |at| ("GET", format!("{LAMPS}/l{:06}", at % 500), Bytes::new());
    show("GET", rate(runtime, &server, get, 200)?, "20000/s");
    let list = |_| ("GET", LAMPS.to_owned(), Bytes::new());
    show("LIST of 500", rate(runtime, &server, list, 200)?, "2000/s");
    let dry = |at| ("POST", format!("{LAMPS}?dryRun=All"), lamp(&format!("d{at}")));
    show("create, dry run", rate(runtime, &server, dry, 201)?, "10000/s");
    let create = |at| ("POST", LAMPS.to_owned(), lamp(&format!("c{at}")));
    show("create", rate(runtime, &server, create, 201)?, "-");
    Ok(())
}

/// Watchers that must see every change, each once.
fn watchers(runtime: &Runtime, program: &Path, folder: &Path) -> Result<()> {
    let server = Running::start(program, folder, &[])?;
    let connector = server.connector()?;
    fill(runtime, &connector, 0)?;
    let started = Instant::now();
    let seen = runtime.block_on(async {
        let mut watching = Vec::new();
        for _ in 0..WATCHERS {
            let mut connection = connector.connect().await?;
            let path = format!("{LAMPS}?watch=1");
            let response = connection.open("GET", &path, Bytes::new()).await?;
            ensure!(response.status() == 200, "a watch is answered with {}", response.status());
            watching.push(tokio::spawn(async move {
                let _open = connection;
                let (mut body, mut lines) = (response.into_body(), 0);
                while lines < EVENTS {
                    let Some(Ok(frame)) = body.frame().await else { break };
                    let data = frame.into_data().unwrap_or_default();
                    lines += data.split(|byte| *byte == b'\n').count() - 1;
                }
                lines
            }));
        }
        let mut connection = connector.connect().await?;
        for at in 0..EVENTS {
            let (code, _) = connection.call("POST", LAMPS, lamp(&format!("e{at}"))).await?;
            ensure!(code == 201, "a lamp is answered with {code}");
        }
        let mut seen = 0;
        for watcher in watching {
            let all = tokio::time::timeout(Duration::from_mins(2), watcher);
            seen += all.await.context("events are late")??;
        }
        anyhow::Ok(seen)
    })?;
    let took = started.elapsed().as_secs_f64();
    let lost = WATCHERS * EVENTS - seen.min(WATCHERS * EVENTS);
    say(&format!("{WATCHERS} watchers × {EVENTS} events"), &format!("{lost} lost"), "0 lost");
    say("  took", &format!("{took:.1} s"), "-");
    say("  resident", &megabytes(server.resident()?), "-");
    ensure!(lost == 0, "events are lost");
    Ok(())
}

/// What very many objects cost.
fn many(runtime: &Runtime, program: &Path, folder: &Path) -> Result<()> {
    let server = Running::start(program, folder, &["--no-gc"])?;
    let connector = server.connector()?;
    fill(runtime, &connector, MANY)?;
    // The history of all of it is forgotten with time; what it holds is no part of what lists need.
    let before = server.resident()?;
    say(&format!("resident with {MANY} objects"), &megabytes(before), "-");
    let watch = format!(
        "{LAMPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1"
    );
    for (what, path) in [
        ("list", LAMPS.to_owned()),
        ("list in pages of 500", format!("{LAMPS}?limit=500")),
        ("watch list", watch),
    ] {
        let started = Instant::now();
        let items = runtime.block_on(read_all(&connector, &path))?;
        ensure!(items >= MANY, "{what} has {items} objects");
        let took = started.elapsed().as_secs_f64();
        let extra = server.resident()?.saturating_sub(before);
        say(&format!("  {what}"), &format!("{took:.2} s"), "-");
        say("    more memory than before", &megabytes(extra), "bounded");
    }
    Ok(())
}

/// What every object has once.
const MARK: &[u8] = b"\"creationTimestamp\"";

/// How many objects there are, read without keeping them.
async fn read_all(connector: &Connector, path: &str) -> Result<usize> {
    if path.contains("limit=") {
        return read_pages(connector, path).await;
    }
    let mut connection = connector.connect().await?;
    let response = connection.open("GET", path, Bytes::new()).await?;
    ensure!(response.status() == 200, "{path} is answered with {}", response.status());
    let (mut body, mut count) = (response.into_body(), 0);
    let mut window: Vec<u8> = Vec::new();
    while let Some(frame) = body.frame().await {
        window.extend_from_slice(&frame?.into_data().unwrap_or_default());
        count += marks(&window);
        // The end of what was counted may be the start of the next one.
        window.drain(..window.len().saturating_sub(MARK.len() - 1));
    }
    Ok(count)
}

async fn read_pages(connector: &Connector, path: &str) -> Result<usize> {
    const TOKEN: &[u8] = b"\"continue\":\"";
    let mut connection = connector.connect().await?;
    let (mut count, mut page) = (0, path.to_owned());
    loop {
        let (code, list) = connection.call("GET", &page, Bytes::new()).await?;
        ensure!(code == 200, "{page} is answered with {code}");
        count += marks(&list);
        let token = list.windows(TOKEN.len()).rposition(|it| it == TOKEN);
        let token = token.and_then(|at| list.get(at + TOKEN.len()..)).unwrap_or_default();
        let token = token.split(|byte| *byte == b'"').next().unwrap_or_default();
        if token.is_empty() {
            return Ok(count);
        }
        page = format!("{path}&continue={}", String::from_utf8_lossy(token));
    }
}

fn marks(text: &[u8]) -> usize {
    text.windows(MARK.len()).filter(|it| *it == MARK).count()
}
