//! The store over a real etcd: `cargo test -p crdkit-store-etcd -- --ignored`. Where none is installed, every test says so and does
//! nothing.
#![expect(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]
#![expect(clippy::print_stderr, reason = "what is skipped is said")]

mod server;

use crdkit_store::suite::{self, StoreSubject};
use crdkit_store::{
    Clock, Expect, ManualClock, RangeRequest, Revision, Store, StoreError, SystemClock, WatchEvent,
    Write,
};
use crdkit_store_etcd::{EtcdOptions, EtcdStore, EtcdTls};
use server::{EtcdServer, installed};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

async fn connect(options: EtcdOptions, clock: Arc<dyn Clock>) -> EtcdStore {
    for _ in 0..200 {
        match EtcdStore::connect(options.clone(), Arc::clone(&clock)).await {
            Ok(store) => return store,
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    panic!("etcd does not answer");
}

fn options(server: &EtcdServer) -> EtcdOptions {
    EtcdOptions { endpoints: vec![server.endpoint()], ..EtcdOptions::default() }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs etcd"]
async fn the_contract_is_kept() {
    let Some(server) = EtcdServer::start() else { return };
    let store = connect(options(&server), Arc::new(SystemClock)).await;
    let prompt_progress = store.prompt_progress();
    let mut subject = StoreSubject {
        store: Arc::new(store),
        prefix: "/registry/".into(),
        elapse: Box::new(|duration| Box::pin(tokio::time::sleep(duration))),
        prompt_progress,
        restores: false,
        lag: None,
    };
    suite::run(&mut subject).await;
}

/// What was acknowledged survives the server, and a watch goes on without gap or duplicate.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs etcd"]
async fn a_watch_survives_the_server() {
    let Some(mut server) = EtcdServer::start() else { return };
    let store = Arc::new(connect(options(&server), Arc::new(SystemClock)).await);
    let mut watch = store.watch("/registry/", store.current().await.unwrap()).await.unwrap();
    let writer = {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let mut acknowledged = Vec::new();
            let mut failed = 0;
            for number in 0..400 {
                let key = format!("/registry/{:02}", number % 7);
                match store.write(Write::put(&key, Expect::Any, number.to_string())).await {
                    Ok(change) => acknowledged.push(change),
                    Err(StoreError::Unknown(_) | StoreError::Unavailable(_)) => failed += 1,
                    Err(error) => panic!("{error}"),
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            let last = Write::put("/registry/last", Expect::Any, "last");
            for _ in 0..200 {
                if let Ok(change) = store.write(last.clone()).await {
                    acknowledged.push(change);
                    return (acknowledged, failed);
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            panic!("the server does not come back");
        })
    };
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(400)).await;
        server.kill();
        tokio::time::sleep(Duration::from_millis(100)).await;
        server.restart();
    }
    let (acknowledged, failed) = writer.await.unwrap();
    assert!(failed > 0, "the server was never away");
    let mut seen = Vec::new();
    while seen.last().is_none_or(|change| Some(change) != acknowledged.last()) {
        let event = tokio::time::timeout(Duration::from_secs(30), watch.next()).await.unwrap();
        let WatchEvent::Change(change) = event.unwrap() else { continue };
        seen.push(change);
    }
    assert!(seen.windows(2).all(|pair| pair[0].revision < pair[1].revision));
    for change in &acknowledged {
        assert!(seen.contains(change), "{} is lost", change.revision);
    }
    // What was seen is all that is there.
    let mut again = store.watch("/registry/", Revision::FIRST).await.unwrap();
    for change in &seen {
        assert_eq!(again.next().await, Ok(WatchEvent::Change(Arc::clone(change))));
    }
}

/// Of three members each is away for a while: writes go on at the others, and a watch sees all of them.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs etcd"]
async fn a_member_may_be_away() {
    let Some(mut members) = EtcdServer::start_cluster(3) else { return };
    let endpoints = members.iter().map(EtcdServer::endpoint).collect();
    let all = EtcdOptions { endpoints, ..EtcdOptions::default() };
    let store = connect(all, Arc::new(SystemClock)).await;
    let mut watch = store.watch("/registry/", store.current().await.unwrap()).await.unwrap();
    let (mut acknowledged, mut failed) = (Vec::new(), 0);
    for (round, member) in members.iter_mut().enumerate() {
        member.kill();
        for number in 0..40 {
            let write = Write::put(&format!("/registry/{number}"), Expect::Any, round.to_string());
            match store.write(write).await {
                Ok(change) => acknowledged.push(change),
                // Under way when the member, or the one that led, went away.
                Err(StoreError::Unknown(_) | StoreError::Unavailable(_)) => {
                    failed += 1;
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
                Err(error) => panic!("{error}"),
            }
        }
        member.restart();
        // It answers reads only once it has caught up with the one that leads.
        let returned = connect(options(member), Arc::new(SystemClock)).await;
        let caught_up = async { while returned.current().await.is_err() {} };
        tokio::time::timeout(Duration::from_mins(1), caught_up).await.unwrap();
    }
    assert!(failed < 30, "{failed} of 120 writes failed");
    let mut seen = Vec::new();
    while seen.last().is_none_or(|change| Some(change) != acknowledged.last()) {
        let event = tokio::time::timeout(Duration::from_secs(30), watch.next()).await.unwrap();
        let WatchEvent::Change(change) = event.unwrap() else { continue };
        seen.push(change);
    }
    assert!(seen.windows(2).all(|pair| pair[0].revision < pair[1].revision));
    for change in &acknowledged {
        assert!(seen.contains(change), "{} is lost", change.revision);
    }
}

/// Of two replicas one compacts, at the revision of an interval ago, and both know of it.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs etcd"]
async fn replicas_share_compaction() {
    let Some(server) = EtcdServer::start() else { return };
    let clock = Arc::new(ManualClock::default());
    let shared = || -> Arc<dyn Clock> { Arc::<ManualClock>::clone(&clock) };
    let stores =
        [connect(options(&server), shared()).await, connect(options(&server), shared()).await];
    let write = Write::put("/registry/a", Expect::Any, "x");
    let mut marks = Vec::new();
    for _ in 0..4 {
        for store in &stores {
            store.maintain().await.unwrap();
        }
        for _ in 0..10 {
            stores[0].write(write.clone()).await.unwrap();
        }
        let health = stores[1].health().await.unwrap();
        marks.push((health.oldest, health.current));
        clock.advance(Duration::from_mins(5));
    }
    // The first rounds only take note; then what is older than an interval goes, and no more.
    assert_eq!(marks[0].0, Revision::FIRST);
    assert!(marks[3].0 > marks[1].0, "{marks:?}");
    assert!(marks[3].0 <= marks[2].1 && marks[3].0 >= marks[0].1, "{marks:?}");
    if installed("etcdctl", "version") {
        let noted = server.control(&["get", "--print-value-only", "compact_rev_key"]);
        assert_eq!(noted.trim(), marks[3].0.to_string());
    }
}

/// What another program wrote is read as it is and left alone.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs etcd"]
async fn other_keys_are_left_alone() {
    let Some(server) = EtcdServer::start() else { return };
    if !installed("etcdctl", "version") {
        return;
    }
    server.control(&["put", "/kubernetes/pods/default/a", "k8s"]);
    server.control(&["put", "/registry/example.com/widgets/default/w", "{\"kind\":\"Widget\"}\n"]);
    let store = connect(options(&server), Arc::new(SystemClock)).await;
    let page = store.range(RangeRequest::under("/registry/example.com/widgets/")).await.unwrap();
    assert_eq!(page.entries[0].value, "{\"kind\":\"Widget\"}\n");
    let expect = Expect::At(page.entries[0].revision);
    store.write(Write::put(&page.entries[0].key, expect, "{}")).await.unwrap();
    let snapshot = store.snapshot().await.unwrap();
    assert_eq!(snapshot.entries.len(), 1);
    let other = server.control(&["get", "--print-value-only", "/kubernetes/pods/default/a"]);
    assert_eq!(other.trim(), "k8s");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs etcd"]
async fn a_password_is_asked_for() {
    let Some(server) = EtcdServer::start() else { return };
    if !installed("etcdctl", "version") {
        return;
    }
    server.control(&["user", "add", "root:secret"]);
    server.control(&["user", "grant-role", "root", "root"]);
    server.control(&["auth", "enable"]);
    let named = |password: &str| EtcdOptions {
        user: Some(("root".into(), password.into())),
        ..options(&server)
    };
    let store = connect(named("secret"), Arc::new(SystemClock)).await;
    let mut watch = store.watch("/registry/", store.current().await.unwrap()).await.unwrap();
    let change = store.write(Write::create("/registry/a", "1")).await.unwrap();
    assert_eq!(watch.next().await, Ok(WatchEvent::Change(change)));
    let wrong = EtcdStore::connect(named("guess"), Arc::new(SystemClock)).await;
    assert!(matches!(wrong.err(), Some(StoreError::Unavailable(_))));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs etcd"]
async fn certificates_are_checked() {
    if !installed("openssl", "version") {
        return;
    }
    let mut authority = Vec::new();
    let server = EtcdServer::start_with("https", |directory| {
        let file = |name: &str| directory.join(name).to_string_lossy().into_owned();
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"])
            .args(["-subj", "/CN=etcd", "-addext", "subjectAltName=IP:127.0.0.1"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE"])
            .args(["-keyout", &file("key.pem"), "-out", &file("cert.pem")])
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        authority = std::fs::read(file("cert.pem")).unwrap();
        vec!["--cert-file".into(), file("cert.pem"), "--key-file".into(), file("key.pem")]
    });
    let Some(server) = server else { return };
    let tls = Some(EtcdTls { authority, identity: None });
    let store = connect(EtcdOptions { tls, ..options(&server) }, Arc::new(SystemClock)).await;
    store.write(Write::create("/registry/a", "1")).await.unwrap();
    let plain = EtcdOptions { timeout: Duration::from_secs(1), ..options(&server) };
    let unknown = EtcdStore::connect(plain, Arc::new(SystemClock)).await;
    assert!(matches!(unknown.err(), Some(StoreError::Unavailable(_))));
}
