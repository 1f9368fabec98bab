//! Bench `webhook`: admission reviews of recorded objects, answered alone and over TLS on connections that are kept.
//!
//! The load comes from the same process, so that user time for each review is of both sides. The goal is 20,000 reviews a
//! second on two cores, which is 100 µs of them for each review.

#![expect(clippy::cast_precision_loss, reason = "figures for people")]

use crate::corpus::Corpus;
use anyhow::{Context as _, Result, ensure};
use crdkit_admission::policy::PolicySet;
use crdkit_engine::Crd;
use crdkit_server::Certificates;
use crdkit_server::review::{ReviewPurpose, ReviewServer, Reviewer};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

const CONNECTIONS: usize = 16;
const SPAN: Duration = Duration::from_secs(3);
const ROUNDS: usize = 5;

pub(crate) fn run(directory: &Path) -> Result<()> {
    let corpus = Corpus::load(directory)?;
    let compile = || Crd::compile_all(corpus.crds.iter().map(|(_, document)| document));
    let reviewer = Reviewer::new(compile()?, PolicySet::default());
    let reviews: Vec<Vec<u8>> =
        corpus.objects.iter().filter_map(|(_, _, body)| review(body)).collect();
    ensure!(!reviews.is_empty(), "there are no objects");
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        for body in &reviews {
            std::hint::black_box(reviewer.review(ReviewPurpose::Validate, body)?);
        }
        best = best.min(started.elapsed().as_secs_f64() / reviews.len() as f64);
    }
    println!("{} reviews, {:.1} µs each without a connection", reviews.len(), best * 1e6);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(over_tls(reviewer, Arc::new(reviews)))
}

/// A review of a new object.
fn review(object: &[u8]) -> Option<Vec<u8>> {
    let value: serde_json::Value = serde_json::from_slice(object).ok()?;
    let text =
        |pointer: &str| value.pointer(pointer).and_then(|it| it.as_str()).unwrap_or_default();
    let (group, version) = text("/apiVersion").split_once('/')?;
    let kind = serde_json::json!({"group": group, "version": version, "kind": text("/kind")});
    let resource = format!("{}s", text("/kind").to_lowercase());
    let resource = serde_json::json!({"group": group, "version": version, "resource": resource});
    let review = serde_json::json!({
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "0d9b31d1-9b5c-4f4c-9a39-3f3d3cd3a7a1",
            "kind": kind,
            "resource": resource,
            "operation": "CREATE",
            "namespace": text("/metadata/namespace"),
            "name": text("/metadata/name"),
            "userInfo": {"username": "bench", "groups": ["system:authenticated"]},
            "object": value,
            "oldObject": null,
        },
    });
    serde_json::to_vec(&review).ok()
}

async fn over_tls(reviewer: Reviewer, reviews: Arc<Vec<Vec<u8>>>) -> Result<()> {
    let certificates = Certificates::generate(&[IpAddr::V4(Ipv4Addr::LOCALHOST)])?;
    let listen = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
    let server = ReviewServer::start(listen, &certificates, reviewer).await?;
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(certificates.authority.as_bytes())?)?;
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions()?;
    let config = config.with_root_certificates(roots).with_no_client_auth();
    let connector = TlsConnector::from(Arc::new(config));
    let before = user_time()?;
    let started = Instant::now();
    let clients: Vec<_> = (0..CONNECTIONS)
        .map(|at| {
            let (connector, reviews) = (connector.clone(), Arc::clone(&reviews));
            tokio::spawn(client(connector, server.address(), reviews, at))
        })
        .collect();
    let mut times = Vec::new();
    for client in clients {
        times.extend(client.await??);
    }
    let (span, user) = (started.elapsed(), user_time()? - before);
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    let n = times.len() as f64;
    println!(
        "over TLS: {:.0} reviews a second, p50 {:?}, p99 {:?}; {:.1} µs of user time for each, client included",
        n / span.as_secs_f64(),
        at(50),
        at(99),
        user / n * 1e6
    );
    server.stop().await;
    Ok(())
}

/// Posts reviews one after the other on one connection, and gives the time of each.
async fn client(
    connector: TlsConnector,
    address: SocketAddr,
    reviews: Arc<Vec<Vec<u8>>>,
    first: usize,
) -> Result<Vec<Duration>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let mut stream = connector.connect(ServerName::try_from("localhost")?, stream).await?;
    let mut times = Vec::new();
    let started = Instant::now();
    for body in reviews.iter().cycle().skip(first * 97) {
        if started.elapsed() > SPAN {
            break;
        }
        let asked = Instant::now();
        let head = format!(
            "POST /validate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let mut request = head.into_bytes();
        request.extend_from_slice(body);
        stream.write_all(&request).await?;
        Box::pin(answer(&mut stream)).await?;
        times.push(asked.elapsed());
    }
    Ok(times)
}

/// Reads one answer.
async fn answer(stream: &mut TlsStream<TcpStream>) -> Result<()> {
    let mut read = Vec::new();
    let mut part = [0; 16 << 10];
    loop {
        let n = stream.read(&mut part).await?;
        ensure!(n > 0, "the connection ended");
        read.extend_from_slice(part.get(..n).unwrap_or_default());
        let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(read.get(..end).unwrap_or_default()).to_lowercase();
        ensure!(head.starts_with("http/1.1 200"), "{head}");
        let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
        let length: usize = length.context("an answer without a length")?.trim().parse()?;
        if read.len() >= end + 4 + length {
            return Ok(());
        }
    }
}

/// Seconds that this process has run in user mode.
fn user_time() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let fields = text.rsplit(')').next().context("no fields")?;
    let ticks: f64 = fields.split_whitespace().nth(11).context("no user time")?.parse()?;
    Ok(ticks / 100.0)
}
