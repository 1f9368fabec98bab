//! Requests over HTTP: a URL goes in, what its server answers comes out, whatever that is.

use super::http::HttpAnswer;
use anyhow::{Context as _, Result, anyhow};
use std::time::Duration;

/// More than this is not a CRD.
const LARGEST: u64 = 512 << 20;

/// Connections to servers.
pub(super) struct Transport(ureq::Agent);

impl Transport {
    /// Connections to servers with any certificate, if that is wanted.
    pub(super) fn new(insecure: bool) -> Self {
        let tls = ureq::tls::TlsConfig::builder().disable_verification(insecure).build();
        let config = ureq::Agent::config_builder()
            .timeout_connect(Some(Duration::from_secs(15)))
            .timeout_global(Some(Duration::from_mins(2)))
            .user_agent(concat!("crdkit/", env!("CARGO_PKG_VERSION")))
            .http_status_as_error(false)
            .tls_config(tls)
            .build();
        Self(config.new_agent())
    }

    /// What the server of `url` answers.
    pub(super) fn get(&self, url: &str, headers: &[(&str, &str)]) -> Result<HttpAnswer> {
        let request = self.0.get(url);
        let request = headers.iter().fold(request, |it, (name, value)| it.header(*name, *value));
        let mut response = request.call().map_err(|error| {
            anyhow!("{error}; is the network there? a local file or directory works without it")
        })?;
        let challenge = response.headers().get("www-authenticate");
        let challenge = challenge.and_then(|it| it.to_str().ok()).unwrap_or_default().to_owned();
        let body = response.body_mut().with_config().limit(LARGEST).read_to_vec();
        let body = body.context("the answer does not come to its end")?;
        Ok(HttpAnswer { status: response.status().as_u16(), challenge, body })
    }
}
