//! Calls webhooks: bytes are posted over TLS, bytes come back, within a time and a size.
//!
//! Connections are kept and shared by all webhooks that trust the same certificates. A service of the cluster is called
//! where the settings say that it is, and otherwise by its name. Redirects are not followed. Failures are told in the words of
//! the API server, which follow what was called and why.

use super::trust::Trust;
use bytes::Bytes;
use crdkit_admission::webhook::{ClientConfig, ClientTarget};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{Request, StatusCode, header};
use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use std::collections::{BTreeMap, HashMap};
use std::error::Error as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_rustls::rustls;
use tokio_rustls::rustls::pki_types::ServerName;

type HttpsClient = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// What calls webhooks.
#[derive(Default)]
pub(crate) struct WebhookClient {
    /// Where services are, by `NAMESPACE/NAME` or `NAMESPACE/NAME:PORT`.
    services: BTreeMap<String, SocketAddr>,
    /// By the certificates that are trusted, and the name that has to stand in that of a service.
    clients: Mutex<HashMap<(Vec<u8>, String), HttpsClient>>,
}

impl WebhookClient {
    /// Calls services where `services` says, by `NAMESPACE/NAME` or `NAMESPACE/NAME:PORT`.
    pub(crate) fn new(services: BTreeMap<String, SocketAddr>) -> Self {
        Self { services, clients: Mutex::default() }
    }

    /// The body of the answer to `body`, which has at most `limit` bytes.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) async fn post(
        &self,
        config: &ClientConfig,
        seconds: u32,
        body: Vec<u8>,
        limit: usize,
    ) -> Result<Bytes, String> {
        let url = url(&config.target, seconds);
        let failed = |why: String| format!("Post \"{url}\": {why}");
        let (host, _) = authority(&url);
        let (called, service) = match self.service(&config.target) {
            Some(address) => {
                let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
                (url.replacen(host, &address.to_string(), 1), name)
            }
            None => (url.clone(), ""),
        };
        let client = self.client(&config.ca_bundle, service).map_err(&failed)?;
        let request = Request::post(&called)
            .header(header::HOST, host)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, */*")
            .header(header::USER_AGENT, concat!("crdkit/", env!("CARGO_PKG_VERSION")))
            .body(Full::new(Bytes::from(body)));
        let request = request.map_err(|error| failed(error.to_string()))?;
        let call = async {
            let response = client.request(request).await.map_err(|error| failed(why(&error)))?;
            let status = response.status();
            let kind = response.headers().get(header::CONTENT_TYPE);
            let is_text = kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/"));
            let body = Limited::new(response.into_body(), limit).collect().await;
            let body = body.map_err(|error| failed(error.to_string()))?.to_bytes();
            match status.as_u16() {
                200..=206 => Ok(body),
                _ => Err(refused(status, if is_text { &body } else { b"unknown" })),
            }
        };
        let deadline = tokio::time::timeout(Duration::from_secs(seconds.into()), call);
        deadline.await.unwrap_or_else(|_| Err(failed("context deadline exceeded".into())))
    }

    /// Where a service is, if that is known.
    fn service(&self, target: &ClientTarget) -> Option<SocketAddr> {
        let ClientTarget::Service { namespace, name, port, .. } = target else { return None };
        let found = self.services.get(&format!("{namespace}/{name}:{port}"));
        found.or_else(|| self.services.get(&format!("{namespace}/{name}"))).copied()
    }

    /// A client that trusts `ca_bundle`, and expects the certificate of `service` where one is given.
    fn client(&self, ca_bundle: &[u8], service: &str) -> Result<HttpsClient, String> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (ca_bundle.to_vec(), service.to_owned());
        if let Some(client) = clients.get(&key) {
            return Ok(client.clone());
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let trust = Trust::new(ca_bundle, Arc::clone(&provider));
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(trust))
            .with_no_client_auth();
        let mut builder = HttpsConnectorBuilder::new().with_tls_config(config).https_only();
        if !service.is_empty() {
            let name = ServerName::try_from(service.to_owned());
            let name = name.map_err(|error| error.to_string())?;
            builder = builder.with_server_name_resolver(FixedServerNameResolver::new(name));
        }
        let connector = builder.enable_http1().build();
        let client = Client::builder(TokioExecutor::new()).build(connector);
        clients.insert(key, client.clone());
        Ok(client)
    }
}

/// The address that is posted to.
fn url(target: &ClientTarget, seconds: u32) -> String {
    match target {
        ClientTarget::Url(url) => {
            let (address, query) = url.split_once('?').unwrap_or((url, ""));
            let scheme = address.split_once("://").map_or("https", |(scheme, _)| scheme);
            let (host, path) = authority(address);
            let separator = if query.is_empty() { "" } else { "&" };
            format!("{scheme}://{host}/{}?{query}{separator}timeout={seconds}s", clean(path))
        }
        ClientTarget::Service { namespace, name, path, port } => {
            format!("https://{name}.{namespace}.svc:{port}/{}?timeout={seconds}s", clean(path))
        }
    }
}

/// The host of a URL with its port, and what follows.
fn authority(url: &str) -> (&str, &str) {
    let (_, rest) = url.split_once("://").unwrap_or(("", url));
    rest.split_once('/').unwrap_or((rest, ""))
}

/// A path without empty steps and without those that lead nowhere or back, as the API server calls it.
fn clean(path: &str) -> String {
    let mut steps = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.join("/")
}

/// The innermost reason.
fn why(error: &hyper_util::client::legacy::Error) -> String {
    let mut source = error.source();
    let mut reason = error.to_string();
    while let Some(inner) = source {
        reason = inner.to_string();
        if let Some(io) = inner.downcast_ref::<std::io::Error>()
            && io.kind() == std::io::ErrorKind::ConnectionRefused
        {
            return "dial tcp: connect: connection refused".into();
        }
        let io = inner.downcast_ref::<std::io::Error>();
        let tls = io.and_then(|io| io.get_ref()?.downcast_ref::<rustls::Error>());
        if let Some(rustls::Error::InvalidCertificate(problem)) = tls.or(inner.downcast_ref()) {
            return format!("tls: failed to verify certificate: x509: {}", untrusted(problem));
        }
        source = inner.source();
    }
    reason
}

/// Why a certificate is not trusted, in Go's words where it has some.
fn untrusted(problem: &rustls::CertificateError) -> String {
    use rustls::CertificateError as Problem;
    match problem {
        Problem::Expired
        | Problem::ExpiredContext { .. }
        | Problem::NotValidYet
        | Problem::NotValidYetContext { .. } => {
            "certificate has expired or is not yet valid".to_owned()
        }
        Problem::UnknownIssuer => "certificate signed by unknown authority".to_owned(),
        Problem::NotValidForName | Problem::NotValidForNameContext { .. } => {
            "certificate is not valid for the name of the webhook".to_owned()
        }
        other => other.to_string(),
    }
}

/// What an answer that is not a success means.
fn refused(status: StatusCode, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    match status.as_u16() {
        400 => "the server rejected our request for an unknown reason".to_owned(),
        401 => "the server has asked for the client to provide credentials".to_owned(),
        403 => text.to_owned(),
        404 => "the server could not find the requested resource".to_owned(),
        405 => "the server does not allow this method on the requested resource".to_owned(),
        406 => "the server was unable to respond with a content type that the client supports".to_owned(),
        409 => "the server reported a conflict".to_owned(),
        415 => "the server was unable to recognize the request".to_owned(),
        422 => "the server rejected our request due to an error in our request".to_owned(),
        429 => "the server has received too many requests and has asked us to try again later".to_owned(),
        503 => "the server is currently unable to handle the request".to_owned(),
        504 => "the server was unable to return a response in the time allotted, but may still be processing the request".to_owned(),
        500.. => {
            let text = crdkit_text::quote::quote(text);
            format!("an error on the server ({text}) has prevented the request from succeeding")
        }
        code => format!("the server responded with the status code {code} but did not return more information"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_cleaned() {
        let of = |text: &str| url(&ClientTarget::Url(text.into()), 10);
        assert_eq!(of("https://a:1//mutate/./x"), "https://a:1/mutate/x?timeout=10s");
        assert_eq!(of("https://a:1"), "https://a:1/?timeout=10s");
        assert_eq!(of("https://a/b?c=d"), "https://a/b?c=d&timeout=10s");
    }
}
