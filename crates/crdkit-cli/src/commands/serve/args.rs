//! The flags of `crdkit serve`.

use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// Run an API server: CRDs, custom resources and native kinds over HTTPS
///
/// Clients cannot tell it from kube-apiserver. It needs nothing but this program: objects are kept in memory, in a file
/// (`--data`) or in an etcd (`--store`), and certificates are made on the way.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crdkit serve
  crdkit serve --data ./state --crds config/crd --objects config/samples
  crdkit serve --listen 127.0.0.1:0 --kubeconfig ./kubeconfig --crds crds/ --watch-crds
")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Serve {
    /// Where to listen; port 0 is any free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:6443")]
    pub(crate) listen: SocketAddr,

    /// Keep objects and certificates in this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// Where objects are kept: `memory`, `redb:FILE` or `etcd:URL,URL` [default: memory, or a file in --data]
    #[arg(long, value_name = "STORE")]
    pub(crate) store: Option<StoreChoice>,

    /// When a write to a file is acknowledged: once it is on disk, up to 100 ms before that, or whenever
    #[arg(long, value_name = "WHEN", default_value = "synced")]
    pub(crate) durability: DurabilityChoice,

    /// Write the administrator's kubeconfig to this file [default: in --data, or a temporary file]
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,

    /// Load CRDs at the start; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    pub(crate) crds: Vec<String>,

    /// Load objects at the start, after the CRDs; may be given more than once
    #[arg(long, value_name = "SOURCE")]
    pub(crate) objects: Vec<String>,

    /// Load CRDs again whenever their files change
    #[arg(long, requires = "crds")]
    pub(crate) watch_crds: bool,

    /// Accept this bearer token as an administrator's
    #[arg(long, value_name = "TOKEN")]
    pub(crate) token: Vec<String>,

    /// Do not delete objects whose owners are gone
    #[arg(long)]
    pub(crate) no_gc: bool,

    /// Leave namespaces that are deleted as they are
    #[arg(long)]
    pub(crate) no_namespace_controller: bool,
}

/// Where objects are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StoreChoice {
    Memory,
    Redb(PathBuf),
    Etcd(Vec<String>),
}

impl FromStr for StoreChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "memory" => Ok(Self::Memory),
            Some(("redb", path)) if !path.is_empty() => Ok(Self::Redb(path.into())),
            Some(("etcd", urls)) if !urls.is_empty() => {
                Ok(Self::Etcd(urls.split(',').map(str::to_owned).collect()))
            }
            _ => Err("a store is `memory`, `redb:FILE` or `etcd:URL,URL`".into()),
        }
    }
}

/// When a write to a file is acknowledged.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum DurabilityChoice {
    Synced,
    Batched,
    None,
}
