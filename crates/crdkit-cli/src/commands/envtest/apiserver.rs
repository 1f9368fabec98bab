//! What is started as `kube-apiserver`: crdkit's server, set up by that program's flags.

use super::flags::Flags;
use crate::exit::Exit;
use crate::stdout::print;
use anyhow::{Context as _, Result, bail};
use crdkit_admission::plugins::Plugins;
use crdkit_server::{Authorization, Certificates, Server, Settings};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

/// The flags that mean something here. Fixtures look for their own among them, and must not find `insecure-port`.
const HELP: &str = "\
crdkit's API server for tests, started by the flags of kube-apiserver.

  --authorization-mode MODES          with RBAC, roles and bindings decide who may do what
  --bind-address IP                   where to listen
  --cert-dir DIR                      holds apiserver.crt and apiserver.key
  --client-ca-file FILE               the authority of clients' certificates
  --etcd-servers URLS                 the store, if it is an etcd and not crdkit's stand-in
  --secure-port PORT                  where to listen
  --tls-cert-file FILE                the certificate of the server
  --tls-private-key-file FILE         its key
  --token-auth-file FILE              lines of token,user,uid,\"group,group\"

All other flags are accepted and not used.
";

/// All flags that are used, or are known to make no difference.
const KNOWN: &[&str] = &[
    "advertise-address",
    "allow-privileged",
    "authorization-mode",
    "bind-address",
    "cert-dir",
    "client-ca-file",
    "disable-admission-plugins",
    "enable-admission-plugins",
    "etcd-servers",
    "secure-port",
    "service-account-issuer",
    "service-account-key-file",
    "service-account-signing-key-file",
    "service-cluster-ip-range",
    "tls-cert-file",
    "tls-private-key-file",
    "token-auth-file",
    "v",
];

/// Where kube-apiserver listens unless it is told.
const PORT: u16 = 6443;

pub(super) fn run(flags: &Flags) -> Result<Exit> {
    if flags.has("help") || flags.has("h") {
        print(HELP)?;
        return Ok(Exit::Fine);
    }
    if flags.has("version") {
        print(concat!("Kubernetes v1.37.0-crdkit.", env!("CARGO_PKG_VERSION"), "\n"))?;
        return Ok(Exit::Fine);
    }
    for name in flags.names().filter(|name| !KNOWN.contains(name)) {
        anstream::eprintln!("note: the flag `--{name}` is not used");
    }
    crate::commands::serve::block_on(serve(flags))
}

async fn serve(flags: &Flags) -> Result<Exit> {
    let address = match flags.get("bind-address") {
        Some(text) => {
            text.parse().with_context(|| format!("`--bind-address` is not an address: `{text}`"))?
        }
        None => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
    };
    let port = match flags.get("secure-port") {
        Some(text) => {
            text.parse().with_context(|| format!("`--secure-port` is not a port: `{text}`"))?
        }
        None => PORT,
    };
    let is_rbac = flags.all("authorization-mode").any(|mode| mode == "RBAC");
    let mut settings = Settings::default();
    settings.garbage_collection = false;
    settings.namespace_deletion = false;
    settings.policy_checking = false;
    settings.plugins = Plugins::without(flags.all("disable-admission-plugins"));
    settings.authorization = if is_rbac { Authorization::Rbac } else { Authorization::Everyone };
    let mut builder = Server::builder().listen(SocketAddr::new(address, port)).settings(settings);
    if let Some(certificates) = certificates(flags)? {
        builder = builder.certificates(certificates);
    }
    if let Some(file) = flags.get("token-auth-file") {
        for line in read(Path::new(file))?.lines().filter(|line| !line.trim().is_empty()) {
            let (token, user, groups) = token(line);
            builder = builder.token(token, user, groups);
        }
    }
    if let Some(store) = super::etcd_store(flags).await? {
        builder = builder.store(store);
    }
    let server = builder.start().await?;
    crate::commands::serve::ended().await;
    server.stop().await;
    Ok(Exit::Fine)
}

/// The certificate that was made for the server; none if it is to make its own.
fn certificates(flags: &Flags) -> Result<Option<Certificates>> {
    let in_directory = |name: &str| {
        let file = Path::new(flags.get("cert-dir")?).join(name);
        file.is_file().then_some(file)
    };
    let file =
        |flag: &str, name: &str| flags.get(flag).map(PathBuf::from).or_else(|| in_directory(name));
    let certificate = file("tls-cert-file", "apiserver.crt");
    let key = file("tls-private-key-file", "apiserver.key");
    let clients = flags.get("client-ca-file").map(|file| read(Path::new(file))).transpose()?;
    match (certificate, key) {
        (Some(certificate), Some(key)) => Ok(Some(Certificates::given(
            read(&certificate)?,
            read(&key)?,
            clients.unwrap_or_default(),
        ))),
        (None, None) => Ok(None),
        _ => bail!("a certificate needs its key: `--tls-cert-file` and `--tls-private-key-file`"),
    }
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))
}

/// A line of a token file: token, user, uid, and groups in quotes.
fn token(line: &str) -> (&str, &str, Vec<String>) {
    let mut parts = line.splitn(4, ',').map(str::trim);
    let (token, user) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let groups = parts.nth(1).unwrap_or_default().trim_matches('"').split(',').map(str::trim);
    (token, user, groups.filter(|group| !group.is_empty()).map(str::to_owned).collect())
}
