//! Webhooks that misbehave: the failure policy decides, in the server's words, and the server goes on.
#![expect(clippy::unwrap_used, reason = "tests")]

use crdkit_codec::{DecodeOptions, Format};
use crdkit_server::{AuditLevel, Server, Settings};
use crdkit_value::{Document, Value};
use rcgen::{CertificateParams, KeyPair, SanType, date_time_ymd};
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Barrier;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ServerConfig, pki_types::pem::PemObject as _};
use tokio_rustls::server::TlsStream;

const JSON: &str = "application/json";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const HOOKS: &str = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/// Where four webhooks wait for each other.
static MEETING: LazyLock<Barrier> = LazyLock::new(|| Barrier::new(4));

/// Webhooks behind one certificate; the path says how one behaves.
struct Hooks {
    address: SocketAddr,
    certificate: String,
}

impl Hooks {
    async fn start(expired: bool) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.subject_alt_names = vec![
            SanType::IpAddress("127.0.0.1".parse().unwrap()),
            SanType::DnsName("hooks.default.svc".try_into().unwrap()),
        ];
        if expired {
            params.not_before = date_time_ymd(2020, 1, 1);
            params.not_after = date_time_ymd(2020, 2, 1);
        }
        let certificate = params.self_signed(&key).unwrap().pem();
        let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(key.serialize_pem().as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = config.with_no_client_auth().with_single_cert(chain, key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        let _ = answer(stream).await;
                    }
                });
            }
        });
        Self { address, certificate }
    }

    /// The configuration of a webhook at a path.
    fn configuration(&self, path: &str, policy: &str) -> String {
        let bundle = crdkit_text::base64::Base64::Standard.encode(self.certificate.as_bytes());
        format!(
            r#"{{"metadata":{{"name":"{path}"}},"webhooks":[{{"name":"{path}.example.com","admissionReviewVersions":["v1"],
            "sideEffects":"None","timeoutSeconds":1,"failurePolicy":"{policy}",
            "clientConfig":{{"url":"https://{}/{path}","caBundle":"{bundle}"}},
            "rules":[{{"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"],"operations":["CREATE"]}}]}}]}}"#,
            self.address
        )
    }
}

/// Reads one request, and behaves as its path says.
async fn answer(mut stream: TlsStream<TcpStream>) -> std::io::Result<()> {
    let mut request = Vec::new();
    let body = loop {
        let mut part = [0; 4096];
        let read = stream.read(&mut part).await?;
        request.extend_from_slice(part.get(..read).unwrap());
        let text = String::from_utf8_lossy(&request).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse::<usize>().ok())?
        });
        if body.len() >= length.unwrap_or_default() {
            break body.to_owned();
        }
    };
    let text = String::from_utf8_lossy(&request);
    let asked = text.split(['/', '?']).nth(1).unwrap_or_default().to_owned();
    let uid = body.split("\"uid\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let review = |uid: &str, more: &str| {
        format!(
            r#"{{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{{"uid":"{uid}",{more}}}}}"#
        )
    };
    let uid = uid.unwrap_or_default();
    let (head, body) = match &*asked {
        "hang" => {
            tokio::time::sleep(Duration::from_secs(20)).await;
            return Ok(());
        }
        "meet" => {
            MEETING.wait().await;
            ("200 OK", review(uid, "\"allowed\":true"))
        }
        "close" => return Ok(()),
        "garbage" => ("200 OK", "{\"kind\":".to_owned()),
        "page" => ("200 OK", "<html></html>".to_owned()),
        "large" => ("200 OK", format!("\"{}\"", "x".repeat(5 << 20))),
        "uid" => ("200 OK", review("another", "\"allowed\":true")),
        "nothing" => (
            "200 OK",
            "{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\"}".to_owned(),
        ),
        "redirect" => ("302 Found\r\nlocation: https://127.0.0.1/elsewhere", String::new()),
        "broken" => ("500 Internal Server Error", "out of order".to_owned()),
        "sidecar" => {
            let patch = r#"[{"op":"add","path":"/spec/containers/-","value":{"name":"proxy","image":"proxy"}}]"#;
            let patch = crdkit_text::base64::Base64::Standard.encode(patch.as_bytes());
            let more = format!(r#""allowed":true,"patchType":"JSONPatch","patch":"{patch}""#);
            ("200 OK", review(uid, &more))
        }
        "misfit" => {
            let patch = r#"[{"op":"remove","path":"/nothing"}]"#;
            let patch = crdkit_text::base64::Base64::Standard.encode(patch.as_bytes());
            let more = format!(r#""allowed":true,"patchType":"JSONPatch","patch":"{patch}""#);
            ("200 OK", review(uid, &more))
        }
        "patch" => ("200 OK", review(uid, "\"allowed\":true,\"patchType\":\"JSONPatch\"")),
        "notes" => {
            let notes = r#""allowed":true,"auditAnnotations":{"why":"asked","no/key":"lost"}"#;
            ("200 OK", review(uid, notes))
        }
        "deny" => (
            "200 OK",
            review(
                uid,
                "\"allowed\":false,\"status\":{\"code\":418,\"message\":\"not today\"},\"warnings\":[\"careful\"]",
            ),
        ),
        _ => ("200 OK", review(uid, "\"allowed\":true")),
    };
    let length = body.len();
    let kind = if asked == "broken" { "text/plain" } else { JSON };
    let head = format!(
        "HTTP/1.1 {head}\r\ncontent-type: {kind}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}

async fn call(server: &Server, method: &str, path: &str, body: String) -> (u16, Document) {
    let answer = server.call(method, path, JSON, body).await;
    let decoded = Format::Json.decode(&answer.body, &DecodeOptions::default());
    (answer.code, decoded.map_or_else(|_| Document::null(), |decoded| decoded.document))
}

fn map(name: &str) -> String {
    format!(r#"{{"metadata":{{"name":"{name}"}}}}"#)
}

fn message(document: &Document) -> String {
    let message = document.root().get("message").and_then(Value::as_str);
    message.unwrap_or_default().to_owned()
}

/// What the server says about an object that the webhook at `path` is asked about, where a failure counts and where
/// it does not.
async fn asked(server: &Server, hooks: &Hooks, path: &str) -> (u16, String, u16) {
    let (code, made) = call(server, "POST", HOOKS, hooks.configuration(path, "Fail")).await;
    assert_eq!(code, 201, "{made:?}");
    let (code, refused) = call(server, "POST", MAPS, map(&format!("{path}-fail"))).await;
    call(server, "DELETE", &format!("{HOOKS}/{path}"), String::new()).await;
    call(server, "POST", HOOKS, hooks.configuration(path, "Ignore")).await;
    let (ignored, _) = call(server, "POST", MAPS, map(&format!("{path}-ignore"))).await;
    call(server, "DELETE", &format!("{HOOKS}/{path}"), String::new()).await;
    (code, message(&refused), ignored)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_failure_policy_decides_about_webhooks_that_fail() {
    let server = Server::builder().settings(Settings::default()).start().await.unwrap();
    let hooks = Hooks::start(false).await;
    let cases = [
        ("hang", "context deadline exceeded"),
        ("close", "failed to call webhook"),
        (
            "garbage",
            "failed to call webhook: couldn't get version/kind; json parse error: unexpected end of JSON input",
        ),
        ("page", "failed to call webhook: couldn't get version/kind; json parse error: "),
        ("large", "failed to call webhook"),
        ("uid", r#"received invalid webhook response: expected response.uid=""#),
        ("nothing", "received invalid webhook response: webhook response was absent"),
        (
            "redirect",
            "the server responded with the status code 302 but did not return more information",
        ),
        (
            "broken",
            r#"an error on the server ("out of order") has prevented the request from succeeding"#,
        ),
        ("patch", "webhook returned response.patchType but not response.patch"),
    ];
    for (path, words) in cases {
        let (code, said, ignored) = asked(&server, &hooks, path).await;
        assert_eq!((code, ignored), (500, 201), "{path}: {said}");
        let start =
            format!("Internal error occurred: failed calling webhook \"{path}.example.com\": ");
        assert!(said.starts_with(&start) && said.contains(words), "{path}: {said}");
    }
    let (code, said, ignored) = asked(&server, &hooks, "deny").await;
    assert_eq!((code, ignored), (418, 418));
    assert_eq!(said, "admission webhook \"deny.example.com\" denied the request: not today");
    assert_eq!(asked(&server, &hooks, "fine").await, (201, String::new(), 201));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn certificates_that_are_not_good_any_more_are_not_trusted() {
    let server = Server::builder().start().await.unwrap();
    let hooks = Hooks::start(true).await;
    let (code, said, ignored) = asked(&server, &hooks, "fine").await;
    assert_eq!((code, ignored), (500, 201), "{said}");
    assert!(said.contains("certificate"), "{said}");
    let (code, _) = call(&server, "GET", "/healthz", String::new()).await;
    assert_eq!(code, 200);
    server.stop().await;
}

const MUTATING: &str = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_webhook_adds_is_seen_by_plugins() {
    let server = Server::builder().start().await.unwrap();
    let hooks = Hooks::start(false).await;
    let limits = r#"{"metadata":{"name":"limits"},"spec":{"limits":[{"type":"Container","default":{"cpu":"1"}}]}}"#;
    let path = "/api/v1/namespaces/default/limitranges";
    assert_eq!(call(&server, "POST", path, limits.to_owned()).await.0, 201);
    let hook = hooks.configuration("sidecar", "Fail").replace("configmaps", "pods");
    assert_eq!(call(&server, "POST", MUTATING, hook).await.0, 201);
    let pod = r#"{"metadata":{"name":"web"},"spec":{"containers":[{"name":"web","image":"web"}]}}"#;
    let path = "/api/v1/namespaces/default/pods";
    let (code, pod) = call(&server, "POST", path, pod.to_owned()).await;
    assert_eq!(code, 201, "{pod:?}");
    let text = |pointer: &str| pod.root().pointer(pointer).and_then(Value::as_str);
    assert_eq!(text("/spec/containers/1/name"), Some("proxy"));
    assert_eq!(text("/spec/containers/1/resources/limits/cpu"), Some("1"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_patch_that_does_not_fit_is_no_matter_of_the_failure_policy() {
    let server = Server::builder().start().await.unwrap();
    let hooks = Hooks::start(false).await;
    let hook = hooks.configuration("misfit", "Ignore");
    assert_eq!(call(&server, "POST", MUTATING, hook).await.0, 201);
    let (code, refused) = call(&server, "POST", MAPS, map("a")).await;
    assert_eq!(code, 500, "{refused:?}");
    assert!(message(&refused).starts_with("Internal error occurred: "), "{refused:?}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn services_are_called_where_the_settings_say() {
    let hooks = Hooks::start(false).await;
    let mut settings = Settings::default();
    settings.webhook_services.insert("default/hooks:9443".to_owned(), hooks.address);
    let server = Server::builder().settings(settings).start().await.unwrap();
    let url = format!("\"url\":\"https://{}/deny\"", hooks.address);
    let service = r#""service":{"namespace":"default","name":"hooks","path":"/deny","port":9443}"#;
    let hook = hooks.configuration("deny", "Fail").replace(&url, service);
    assert_eq!(call(&server, "POST", HOOKS, hook.clone()).await.0, 201);
    let (code, refused) = call(&server, "POST", MAPS, map("a")).await;
    assert_eq!(
        (code, &*message(&refused)),
        (418, "admission webhook \"deny.example.com\" denied the request: not today")
    );
    call(&server, "DELETE", &format!("{HOOKS}/deny"), String::new()).await;
    let elsewhere = hook.replace("9443", "9444");
    assert_eq!(call(&server, "POST", HOOKS, elsewhere).await.0, 201);
    let (code, refused) = call(&server, "POST", MAPS, map("b")).await;
    assert_eq!(code, 500);
    let called =
        "failed to call webhook: Post \"https://hooks.default.svc:9444/deny?timeout=1s\": ";
    assert!(message(&refused).contains(called), "{refused:?}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn validating_webhooks_are_asked_at_the_same_time() {
    let server = Server::builder().start().await.unwrap();
    let hooks = Hooks::start(false).await;
    for name in ["a", "b", "c", "d"] {
        let hook = hooks.configuration("meet", "Fail").replace("Seconds\":1", "Seconds\":30");
        let hook = hook.replace("\"name\":\"meet\"", &format!("\"name\":\"{name}\""));
        assert_eq!(call(&server, "POST", HOOKS, hook).await.0, 201);
    }
    assert_eq!(call(&server, "POST", MAPS, map("a")).await.0, 201);
    server.stop().await;
}

/// What is written, to look at later.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_audit_log_has_the_notes_of_webhooks_whose_keys_are_keys() {
    let written = Written::default();
    let builder = Server::builder().audit_log(Box::new(written.clone()), AuditLevel::Metadata);
    let server = builder.start().await.unwrap();
    let hooks = Hooks::start(false).await;
    let hook = hooks.configuration("notes", "Fail");
    assert_eq!(call(&server, "POST", HOOKS, hook).await.0, 201);
    assert_eq!(call(&server, "POST", MAPS, map("a")).await.0, 201);
    server.stop().await;
    let log = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains(r#""annotations":{"notes.example.com/why":"asked"}"#), "{log}");
}
