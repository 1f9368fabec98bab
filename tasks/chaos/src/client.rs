//! Connections over TLS, one request after the other on each.

use anyhow::{Context as _, Result};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, Response, header};
use hyper_util::rt::TokioIo;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

/// Connects to one server as its administrator.
#[derive(Clone)]
pub struct Connector {
    address: SocketAddr,
    tls: TlsConnector,
    authorization: String,
}

/// A connection.
pub struct Connection {
    sender: SendRequest<Full<Bytes>>,
    authorization: String,
}

impl Connector {
    /// Connects to `address`, whose certificates are of the authority in `pem`.
    pub fn new(address: SocketAddr, pem: &[u8], token: &str) -> Result<Self> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(pem).context("the authority")?)?;
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let authorization = format!("Bearer {token}");
        Ok(Self { address, tls: TlsConnector::from(Arc::new(config)), authorization })
    }

    /// A new connection.
    pub async fn connect(&self) -> Result<Connection> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let stream = self.tls.connect(ServerName::try_from("localhost")?, stream).await?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Connection { sender, authorization: self.authorization.clone() })
    }
}

impl Connection {
    /// Sends a request; the body of the answer comes bit by bit.
    pub async fn open(
        &mut self,
        method: &str,
        path: &str,
        body: Bytes,
    ) -> Result<Response<Incoming>> {
        let kind = match method {
            "PATCH" => "application/merge-patch+json",
            _ => "application/json",
        };
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, "localhost")
            .header(header::AUTHORIZATION, &self.authorization)
            .header(header::USER_AGENT, "chaos")
            .header(header::CONTENT_TYPE, kind)
            .body(Full::new(body))?;
        self.sender.ready().await?;
        Ok(self.sender.send_request(request).await?)
    }

    /// The code and the whole body of an answer.
    pub async fn call(
        &mut self,
        method: &str,
        path: &str,
        body: impl Into<Bytes>,
    ) -> Result<(u16, Bytes)> {
        let response = self.open(method, path, body.into()).await?;
        let code = response.status().as_u16();
        Ok((code, response.into_body().collect().await?.to_bytes()))
    }
}
