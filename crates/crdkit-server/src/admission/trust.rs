//! Whom to trust at the other end: whoever has a certificate of the given authorities, or one of the given certificates.
//!
//! Kubernetes takes the certificate of a server for its own authority, and test fixtures give nothing else. Neither is
//! trusted before or after its time.

use crate::tls;
use crdkit_text::timestamp::Timestamp;
use std::sync::Arc;
use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::client::verify_server_name;
use tokio_rustls::rustls::crypto::{
    CryptoProvider, verify_tls12_signature, verify_tls13_signature,
};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{
    CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

/// Certificates that are trusted.
#[derive(Debug)]
pub(super) struct Trust {
    given: Vec<CertificateDer<'static>>,
    /// None if nothing given is an authority.
    authorities: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl Trust {
    /// Trusts the certificates in `pem`.
    pub(super) fn new(pem: &[u8], provider: Arc<CryptoProvider>) -> Self {
        let given: Vec<_> = CertificateDer::pem_slice_iter(pem).flatten().collect();
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(given.iter().cloned());
        let verifier =
            WebPkiServerVerifier::builder_with_provider(roots.into(), Arc::clone(&provider));
        Self { given, authorities: verifier.build().ok(), provider }
    }
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.given.iter().any(|it| it.as_ref() == end_entity.as_ref()) {
            verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
            let at = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
            let at = Timestamp { seconds: at, nanoseconds: 0, offset: 0 }.to_string();
            let at: String = at.chars().filter(char::is_ascii_digit).collect();
            let (from, until) = tls::validity(end_entity)
                .ok_or(Error::InvalidCertificate(CertificateError::BadEncoding))?;
            if at < from {
                return Err(Error::InvalidCertificate(CertificateError::NotValidYet));
            }
            if at > until {
                return Err(Error::InvalidCertificate(CertificateError::Expired));
            }
            return Ok(ServerCertVerified::assertion());
        }
        let unknown = Error::InvalidCertificate(CertificateError::UnknownIssuer);
        let authorities = self.authorities.as_ref().ok_or(unknown)?;
        authorities.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
