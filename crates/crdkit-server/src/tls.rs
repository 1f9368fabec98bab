//! Certificates: the server's own authority, its certificate, that of its administrator; and who a client's certificate
//! belongs to.

use crate::digest::sha256;
use crate::identify::{ADMINISTRATORS, CREDENTIAL, User};
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
    /// The authority of clients' certificates; empty if they are not asked for.
    clients: String,
    pub(crate) server: TlsKeyPair,
    pub(crate) admin: TlsKeyPair,
}

/// A certificate and its key, as text.
#[derive(Clone, Debug)]
pub(crate) struct TlsKeyPair {
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
        Ok(Self { clients: authority.clone(), authority, server, admin })
    }

    /// Certificates that somebody else has made, as PEM: that of the server with its key, and the authority of
    /// clients' certificates, which may be empty. The administrator has none but what that authority gives.
    pub fn given(certificate: String, key: String, clients: String) -> Self {
        let admin = TlsKeyPair { certificate: String::new(), key: String::new() };
        Self {
            authority: certificate.clone(),
            clients,
            server: TlsKeyPair { certificate, key },
            admin,
        }
    }

    /// The certificates and keys, each with the name of the file to keep it in.
    pub fn files(&self) -> [(&'static str, &str); 5] {
        let Self { authority, server, admin, .. } = self;
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
        let authority = authority?;
        Some(Self {
            clients: authority.clone(),
            authority,
            server: TlsKeyPair { certificate: server?, key: server_key? },
            admin: TlsKeyPair { certificate: admin?, key: admin_key? },
        })
    }

    pub(crate) fn acceptor(&self) -> Result<TlsAcceptor, TlsError> {
        let provider = Arc::new(ring::default_provider());
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(self.clients.as_bytes()) {
            roots.add(certificate.map_err(TlsError::of)?).map_err(TlsError::of)?;
        }
        let verifier = if roots.is_empty() {
            WebPkiClientVerifier::no_client_auth()
        } else {
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
                .allow_unauthenticated()
                .build()
                .map_err(TlsError::of)?
        };
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
) -> Result<TlsKeyPair, TlsError> {
    let key = KeyPair::generate().map_err(TlsError::of)?;
    params.use_authority_key_identifier_extension = true;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
    params.extended_key_usages = vec![purpose];
    let certificate = params.signed_by(&key, issuer).map_err(TlsError::of)?;
    let key = sec1(&key.serialize_der()).ok_or_else(|| TlsError("a key has no form".to_owned()))?;
    Ok(TlsKeyPair { certificate: certificate.pem(), key })
}

/// A key of PKCS #8 on the curve P-256 in the older form of SEC 1, which more clients read (Java's do not tell what kind of key a
/// file of PKCS #8 has).
fn sec1(key: &[u8]) -> Option<String> {
    use crdkit_text::base64::Base64;
    const P256: &[u8] = &[0xa0, 10, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
    let (info, _) = element(key, 0x30)?;
    let (_, info) = element(info, 0x02)?;
    let (_, info) = element(info, 0x30)?;
    let (inner, _) = element(info, 0x04)?;
    let (parts, _) = element(inner, 0x30)?;
    let (_, after_version) = element(parts, 0x02)?;
    let (_, public) = element(after_version, 0x04)?;
    let (secret, _) = parts.split_at_checked(parts.len() - public.len())?;
    let length = u8::try_from(parts.len() + P256.len()).ok().filter(|length| *length < 0x80)?;
    let whole = [&[0x30, length], secret, P256, public].concat();
    let text = Base64::Standard.encode(&whole);
    let mut pem = String::from("-----BEGIN EC PRIVATE KEY-----\n");
    for line in text.as_bytes().chunks(64) {
        pem.push_str(std::str::from_utf8(line).ok()?);
        pem.push('\n');
    }
    pem.push_str("-----END EC PRIVATE KEY-----\n");
    Some(pem)
}

/// When a certificate begins and ends to be good, as `YYYYMMDDHHMMSS` in UTC.
pub(crate) fn validity(certificate: &CertificateDer<'_>) -> Option<(String, String)> {
    let (validity, _) = validity_and_subject(certificate)?;
    let (from, rest) = time(validity)?;
    Some((from, time(rest)?.0))
}

/// The content of these two parts of a certificate.
fn validity_and_subject<'c>(certificate: &'c CertificateDer<'_>) -> Option<(&'c [u8], &'c [u8])> {
    let (certificate, _) = element(certificate, 0x30)?;
    let (body, _) = element(certificate, 0x30)?;
    // Version, serial number, signature algorithm and issuer stand before them.
    let body = element(body, 0xa0).map_or(body, |(_, rest)| rest);
    let (_, body) = element(body, 0x02)?;
    let (_, body) = element(body, 0x30)?;
    let (_, body) = element(body, 0x30)?;
    let (validity, body) = element(body, 0x30)?;
    let (subject, _) = element(body, 0x30)?;
    Some((validity, subject))
}

/// A time, which has two digits for its year where that is before 2050.
fn time(der: &[u8]) -> Option<(String, &[u8])> {
    let (text, short, rest) = match element(der, 0x17) {
        Some((text, rest)) => (text, true, rest),
        None => element(der, 0x18).map(|(text, rest)| (text, false, rest))?,
    };
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let century = match text.get(..2) {
        _ if !short => "",
        Some(year) if year < "50" => "20",
        _ => "19",
    };
    Some((format!("{century}{text}"), rest))
}

/// Who a certificate, which was found to be good, belongs to: its common name, in the groups of its organisations.
pub(crate) fn user(certificate: &CertificateDer<'_>) -> Option<User> {
    const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
    const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];
    let (_, mut subject) = validity_and_subject(certificate)?;
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
    let user = User::known(&name?, groups);
    Some(user.with_extra(CREDENTIAL, &format!("X509SHA256={}", sha256(certificate))))
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
        let credential = user.extra[CREDENTIAL].first().unwrap();
        assert_eq!(credential.len(), "X509SHA256=".len() + 64);
        assert!(certificates.acceptor().is_ok());
    }
}
