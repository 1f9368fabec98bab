//! What tests that talk to a server have in common.
#![allow(dead_code, reason = "not every test needs all of it")]

use crdkit_codec::{DecodeOptions, Format};
use crdkit_server::{Server, ServerBuilder, Settings};
use crdkit_value::Document;
use std::fmt::Write as _;
use std::sync::Arc;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

/// A client of a server of its own, one connection for each request.
pub(crate) struct Client {
    pub(crate) server: Server,
    tls: TlsConnector,
}

impl Client {
    pub(crate) async fn start(settings: Settings) -> Self {
        Self::of(Server::builder().settings(settings)).await
    }

    pub(crate) async fn of(builder: ServerBuilder) -> Self {
        let server = builder.administrator_token("secret").start().await.unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(server.authority().as_bytes()).unwrap()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = config.with_root_certificates(roots).with_no_client_auth();
        Self { server, tls: TlsConnector::from(Arc::new(config)) }
    }

    pub(crate) async fn connect(&self) -> TlsStream<TcpStream> {
        let stream = TcpStream::connect(self.server.address()).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        self.tls.connect(name, stream).await.unwrap()
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        kind: &str,
        body: &str,
    ) -> TlsStream<TcpStream> {
        let mut stream = self.connect().await;
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer secret\r\nuser-agent: test\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    /// The status and the body of an answer.
    pub(crate) async fn call(
        &self,
        method: &str,
        path: &str,
        kind: &str,
        body: &str,
    ) -> (u16, Document) {
        let (code, _, body) =
            self.raw(method, path, &[("content-type", kind)], body.as_bytes()).await;
        let decoded = Format::Json.decode(&body, &DecodeOptions::default());
        (code, decoded.map_or_else(|_| Document::null(), |decoded| decoded.document))
    }

    /// The status, the headers and the bytes of an answer to the administrator.
    pub(crate) async fn raw(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> (u16, String, Vec<u8>) {
        let headers = [&[("authorization", "Bearer secret")], headers].concat();
        self.raw_of_anyone(method, path, &headers, body).await
    }

    /// The same for whoever the headers say.
    pub(crate) async fn raw_of_anyone(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> (u16, String, Vec<u8>) {
        let mut stream = self.connect().await;
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nuser-agent: test\r\nconnection: close\r\ncontent-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            write!(request, "{name}: {value}\r\n").unwrap();
        }
        request += "\r\n";
        stream.write_all(request.as_bytes()).await.unwrap();
        stream.write_all(body).await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let end = answer.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(answer.split_at(end).0.to_vec()).unwrap();
        (head.get(9..12).unwrap().parse().unwrap(), head, answer.split_off(end + 4))
    }

    pub(crate) async fn json(&self, method: &str, path: &str, body: &str) -> (u16, Document) {
        self.call(method, path, "application/json", body).await
    }
}
