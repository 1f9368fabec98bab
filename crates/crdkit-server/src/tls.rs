//! Certificates: the server's own authority, its certificate, that of its administrator; and who a client's certificate
//! belongs to.

use crate::identify::{ADMINISTRATORS, User};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};
use std::net::IpAddr;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

/// Certificates and keys, as text.
#[derive(Clone, Debug)]
pub struct Certificates {
    /// The authority that clients have to trust.
    pub authority: String,
    pub(crate) server: Pair,
    pub(crate) admin: Pair,
}

/// A certificate and its key, as text.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

/// The files that certificates and keys are kept in.
const FILES: [&str; 5] = ["ca.crt", "server.crt", "server.key", "admin.crt", "admin.key"];

/// Certificates could not be made or used.
#[derive(Debug, thiserror::Error)]
#[error("certificates: {0}")]
pub struct TlsError(String);

impl TlsError {
    fn of(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

impl Certificates {
    /// New certificates for a server that is reached at `addresses`, by this machine's name for itself included.
    ///
    /// # Errors
    /// When they cannot be made.
    pub fn generate(addresses: &[IpAddr]) -> Result<Self, TlsError> {
        let key = KeyPair::generate().map_err(TlsError::of)?;
        let mut params = named("crdkit-ca", &[]);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![
            KeyUsagePurpose::KeyCertSign,
            KeyUsagePurpose::CrlSign,
            KeyUsagePurpose::DigitalSignature,
        ];
        let authority = params.self_signed(&key).map_err(TlsError::of)?.pem();
        let issuer = Issuer::new(params, key);

        let mut server = named("crdkit-server", &[]);
        server.subject_alt_names =
            addresses.iter().map(|address| SanType::IpAddress(*address)).collect();
        for name in ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"] {
            let name = name.try_into().map_err(TlsError::of)?;
            server.subject_alt_names.push(SanType::DnsName(name));
        }
        let server = signed(server, ExtendedKeyUsagePurpose::ServerAuth, &issuer)?;
        let admin = named("admin", &[ADMINISTRATORS]);
        let admin = signed(admin, ExtendedKeyUsagePurpose::ClientAuth, &issuer)?;
        Ok(Self { authority, server, admin })
    }

    /// The certificates and keys, each with the name of the file to keep it in.
    pub fn files(&self) -> [(&'static str, &str); 5] {
        let Self { authority, server, admin } = self;
        let [authority_file, server_file, server_key, admin_file, admin_key] = FILES;
        [
            (authority_file, authority),
            (server_file, &server.certificate),
            (server_key, &server.key),
            (admin_file, &admin.certificate),
            (admin_key, &admin.key),
        ]
    }

    /// Certificates that were kept: `read` gives the text of a file, if it is there.
    pub fn from_files(read: impl FnMut(&str) -> Option<String>) -> Option<Self> {
        let [authority, server, server_key, admin, admin_key] = FILES.map(read);
        Some(Self {
            authority: authority?,
            server: Pair { certificate: server?, key: server_key? },
            admin: Pair { certificate: admin?, key: admin_key? },
        })
    }

    pub(crate) fn acceptor(&self) -> Result<TlsAcceptor, TlsError> {
        let provider = Arc::new(ring::default_provider());
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(self.authority.as_bytes()) {
            roots.add(certificate.map_err(TlsError::of)?).map_err(TlsError::of)?;
        }
        let verifier =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
                .allow_unauthenticated()
                .build()
                .map_err(TlsError::of)?;
        let chain: Result<Vec<_>, _> =
            CertificateDer::pem_slice_iter(self.server.certificate.as_bytes()).collect();
        let key =
            PrivateKeyDer::from_pem_slice(self.server.key.as_bytes()).map_err(TlsError::of)?;
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(TlsError::of)?
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain.map_err(TlsError::of)?, key)
            .map_err(TlsError::of)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    /// A kubeconfig for the administrator of the server at `url`.
    pub fn kubeconfig(&self, url: &str) -> String {
        use crdkit_text::base64::Base64;
        let encode = |text: &str| Base64::Standard.encode(text.as_bytes());
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: crdkit\nclusters:\n- name: crdkit\n  cluster:\n    server: {url}\n    certificate-authority-data: {}\nusers:\n- name: admin\n  user:\n    client-certificate-data: {}\n    client-key-data: {}\ncontexts:\n- name: crdkit\n  context:\n    cluster: crdkit\n    user: admin\n    namespace: default\n",
            encode(&self.authority),
            encode(&self.admin.certificate),
            encode(&self.admin.key),
        )
    }
}

fn named(name: &str, groups: &[&str]) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    for group in groups {
        params.distinguished_name.push(DnType::OrganizationName, *group);
    }
    params
}

fn signed(
    mut params: CertificateParams,
    purpose: ExtendedKeyUsagePurpose,
    issuer: &Issuer<'_, KeyPair>,
) -> Result<Pair, TlsError> {
    let key = KeyPair::generate().map_err(TlsError::of)?;
    params.use_authority_key_identifier_extension = true;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
    params.extended_key_usages = vec![purpose];
    let certificate = params.signed_by(&key, issuer).map_err(TlsError::of)?;
    Ok(Pair { certificate: certificate.pem(), key: key.serialize_pem() })
}

/// Who a certificate, which was found to be good, belongs to: its common name, in the groups of its organisations.
pub(crate) fn user(certificate: &CertificateDer<'_>) -> Option<User> {
    const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
    const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];
    let (certificate, _) = element(certificate, 0x30)?;
    let (body, _) = element(certificate, 0x30)?;
    // Version, serial number, signature algorithm, issuer and validity stand before the subject.
    let body = element(body, 0xa0).map_or(body, |(_, rest)| rest);
    let (_, body) = element(body, 0x02)?;
    let (_, body) = element(body, 0x30)?;
    let (_, body) = element(body, 0x30)?;
    let (_, body) = element(body, 0x30)?;
    let (mut subject, _) = element(body, 0x30)?;
    let (mut name, mut groups) = (None, Vec::new());
    while let Some((set, rest)) = element(subject, 0x31) {
        subject = rest;
        let (pair, _) = element(set, 0x30)?;
        let (kind, value) = element(pair, 0x06)?;
        let (text, _) = element(value, *value.first()?)?;
        let text = std::str::from_utf8(text).ok()?.to_owned();
        match kind {
            COMMON_NAME => name = Some(text),
            ORGANIZATION => groups.push(text),
            _ => {}
        }
    }
    Some(User::known(&name?, groups))
}

/// The content of an element of DER with a tag, and what follows it.
fn element(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (first, rest) = bytes.split_first()?;
    let (length, rest) = rest.split_first()?;
    if *first != tag {
        return None;
    }
    let (length, rest) = match length {
        0..=0x7f => (usize::from(*length), rest),
        0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(length & 0x7f))?;
            (digits.iter().fold(0, |sum, digit| sum << 8 | usize::from(*digit)), rest)
        }
        _ => return None,
    };
    rest.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_says_who_it_belongs_to() {
        let certificates = Certificates::generate(&[]).unwrap();
        let text = certificates.admin.certificate.as_bytes();
        let der = CertificateDer::from_pem_slice(text).unwrap();
        let user = user(&der).unwrap();
        assert_eq!(user.name, "admin");
        assert!(user.is_administrator());
        assert!(certificates.acceptor().is_ok());
    }
}
