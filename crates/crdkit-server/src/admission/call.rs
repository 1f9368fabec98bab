//! Calls webhooks: bytes are posted over TLS, bytes come back, within a time and a size.
//!
//! Connections are kept and shared by all webhooks that trust the same certificates. Failures are told in the words of
//! the API server, which follow `failed calling webhook "…": `.

use super::trust::Trust;
use bytes::Bytes;
use crdkit_admission::webhook::{ClientConfig, ClientTarget};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{Request, StatusCode, header};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use std::collections::HashMap;
use std::error::Error as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_rustls::rustls;

/// The largest answer that is read.
const LARGEST: usize = 3 << 20;

type HttpsClient = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// What calls webhooks.
#[derive(Default)]
pub(crate) struct WebhookClient {
    /// By the certificates that are trusted.
    clients: Mutex<HashMap<Vec<u8>, HttpsClient>>,
}

impl WebhookClient {
    /// The body of the answer to `body`.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) async fn post(
        &self,
        config: &ClientConfig,
        seconds: u32,
        body: Vec<u8>,
    ) -> Result<Bytes, String> {
        let url = url(&config.target, seconds);
        let failed = |why: String| format!("failed to call webhook: Post \"{url}\": {why}");
        let client = self.client(&config.ca_bundle).map_err(&failed)?;
        let request = Request::post(&url)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, */*")
            .header(header::USER_AGENT, concat!("crdkit/", env!("CARGO_PKG_VERSION")))
            .body(Full::new(Bytes::from(body)));
        let request = request.map_err(|error| failed(error.to_string()))?;
        let call = async {
            let response = client.request(request).await.map_err(|error| failed(why(&error)))?;
            let status = response.status();
            let body = Limited::new(response.into_body(), LARGEST).collect().await;
            let body = body.map_err(|error| failed(error.to_string()))?.to_bytes();
            if status.is_success() { Ok(body) } else { Err(refused(status, &body)) }
        };
        let deadline = tokio::time::timeout(Duration::from_secs(seconds.into()), call);
        deadline.await.unwrap_or_else(|_| Err(failed("context deadline exceeded".into())))
    }

    fn client(&self, ca_bundle: &[u8]) -> Result<HttpsClient, String> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(ca_bundle) {
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
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(config)
            .https_only()
            .enable_http1()
            .build();
        let client = Client::builder(TokioExecutor::new()).build(connector);
        clients.insert(ca_bundle.to_vec(), client.clone());
        Ok(client)
    }
}

/// The address that is posted to.
fn url(target: &ClientTarget, seconds: u32) -> String {
    match target {
        ClientTarget::Url(url) => {
            let (address, query) = url.split_once('?').unwrap_or((url, ""));
            let (scheme, rest) = address.split_once("://").unwrap_or(("https", address));
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            let separator = if query.is_empty() { "" } else { "&" };
            format!("{scheme}://{host}/{}?{query}{separator}timeout={seconds}s", clean(path))
        }
        ClientTarget::Service { namespace, name, path, port } => {
            format!("https://{name}.{namespace}.svc:{port}/{}?timeout={seconds}s", clean(path))
        }
    }
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
        source = inner.source();
    }
    reason
}

/// What an answer that is not a success means.
fn refused(status: StatusCode, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    let problem = match status.as_u16() {
        404 => "the server could not find the requested resource".to_owned(),
        500.. => {
            format!("an error on the server ({text:?}) has prevented the request from succeeding")
        }
        _ => "the server rejected our request for an unknown reason".to_owned(),
    };
    format!("failed to call webhook: {problem}")
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
