//! `crdkit serve`: an API server for custom resources.

use crate::args::Fetching;
use crate::exit::Exit;
use crate::log::Logging;
use crate::source::{self, Purpose};
use crate::watch::Snapshot;
use crate::{report, stdout};
use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use crdkit_admission::plugins::Plugins;
use crdkit_server::{AuditLevel, Certificates, Server, Settings};
use crdkit_store::{
    Durability, EmbeddedOptions, EmbeddedStore, MemoryOptions, MemoryStore, Store, SystemClock,
};
use crdkit_value::Document;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How often the files of CRDs are looked at.
const LOOK: Duration = Duration::from_millis(250);

/// How long writes wait for a sync that is not made for each.
const BATCH: Duration = Duration::from_millis(100);

/// Serve CRDs and custom resources as the API server does
///
/// Needs nothing but this binary, which has its own store, creates its own certificates and writes a kubeconfig for
/// its administrator. Everything is kept in memory unless a directory is given.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crdkit serve
  crdkit serve --listen 127.0.0.1:6443 --data state/ --crds crds/ --objects samples/
  crdkit serve --crds crds/ --watch-crds --kubeconfig kubeconfig
  crdkit serve --store etcd:http://127.0.0.1:2379
")]
#[expect(clippy::struct_excessive_bools, reason = "flags are switches")]
pub(crate) struct Serve {
    /// The address to listen on; port 0 means any free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,

    /// Where to keep objects, certificates and the kubeconfig [default: memory]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Where to keep objects: `memory`, `redb:PATH` or `etcd:ENDPOINTS`
    #[arg(long, value_name = "STORE")]
    store: Option<String>,

    /// When a write to a file reaches the disk
    #[arg(long, value_name = "WHEN", default_value = "synced")]
    durability: WhenDurable,

    /// Where to write the kubeconfig of the administrator
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// CRDs to load at start; may be given more than once
    #[arg(long, value_name = "SOURCE", num_args = 1..)]
    crds: Vec<String>,

    /// Objects to load at start; may be given more than once
    #[arg(long, value_name = "SOURCE", num_args = 1..)]
    objects: Vec<String>,

    /// Reload CRDs when their files change
    #[arg(long)]
    watch_crds: bool,

    /// A bearer token of the administrator
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,

    /// Admission plugins to disable, such as `PodSecurity`, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    disable_admission_plugins: Vec<String>,

    /// Do not collect objects whose owners are gone
    #[arg(long)]
    no_gc: bool,

    /// Do not finish the deletion of namespaces
    #[arg(long)]
    no_namespace_controller: bool,

    /// Do not update the status of admission policies
    #[arg(long)]
    no_policy_checking: bool,

    /// The address of a service that webhooks refer to, as `NAMESPACE/NAME=ADDR:PORT` or `NAMESPACE/NAME:PORT=ADDR:PORT`; may be given
    /// more than once
    #[arg(long, value_name = "SERVICE=ADDR", value_parser = service)]
    webhook_service: Vec<(String, SocketAddr)>,

    /// Write a line for each request to this file
    #[arg(long, value_name = "FILE")]
    audit_log: Option<PathBuf>,

    /// How much of each request to write to the audit log: `Metadata` or `RequestResponse`
    #[arg(long, value_name = "LEVEL", default_value = "Metadata")]
    audit_level: String,

    #[command(flatten)]
    logging: Logging,

    #[command(flatten)]
    fetching: Fetching,
}

pub(crate) fn run(args: &Serve) -> Result<Exit> {
    args.logging.start()?;
    block_on(serve(args))
}

/// Runs what waits.
pub(crate) fn block_on(work: impl Future<Output = Result<Exit>>) -> Result<Exit> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(work)
}

/// A service, and where it is.
fn service(text: &str) -> Result<(String, SocketAddr), String> {
    let parts = text.split_once('=').filter(|(service, _)| service.contains('/'));
    let (service, address) = parts.ok_or("a service is written `NAMESPACE/NAME=ADDR:PORT`")?;
    let address = address.parse().map_err(|error| format!("`{address}`: {error}"))?;
    Ok((service.to_owned(), address))
}

async fn serve(args: &Serve) -> Result<Exit> {
    let mut settings = Settings::default();
    settings.garbage_collection = !args.no_gc;
    settings.namespace_deletion = !args.no_namespace_controller;
    settings.policy_checking = !args.no_policy_checking;
    settings.webhook_services = args.webhook_service.iter().cloned().collect();
    settings.plugins = Plugins::without(args.disable_admission_plugins.iter().map(String::as_str));
    let mut builder = Server::builder()
        .listen(args.listen)
        .settings(settings)
        .store(store(args).await?)
        .certificates(certificates(args)?)
        .crds(documents(&args.crds, Purpose::Crds, args)?);
    if let Some(token) = &args.token {
        builder = builder.administrator_token(token);
    }
    if let Some(path) = &args.audit_log {
        let level = match args.audit_level.as_str() {
            "Metadata" => AuditLevel::Metadata,
            "RequestResponse" => AuditLevel::RequestResponse,
            other => {
                bail!("`{other}` is not an audit level; there are `Metadata` and `RequestResponse`")
            }
        };
        let file = fs::OpenOptions::new().create(true).append(true).open(path);
        let file = file.with_context(|| format!("`{}` cannot be written", path.display()))?;
        builder = builder.audit_log(Box::new(file), level);
    }
    let server = builder.start().await.map_err(|error| anyhow!("{error}"))?;
    for object in documents(&args.objects, Purpose::Objects, args)? {
        server.create(object).await.map_err(|status| anyhow!("{status}"))?;
    }
    let kubeconfig = kubeconfig(args, &server)?;
    let kept = match (&args.store, &args.data) {
        (Some(store), _) if store != "memory" => format!("objects are kept in {store}"),
        (None, Some(data)) => format!("objects are kept in {}", data.display()),
        _ => "objects are kept in memory".to_owned(),
    };
    stdout::print(&format!(
        "ready at {}, {kept}\nexport KUBECONFIG={}; kubectl get crds\n",
        server.url(),
        kubeconfig.display()
    ))?;
    tokio::select! {
        () = ended() => {}
        () = reload(args, &server), if args.watch_crds => {}
    }
    server.stop().await;
    Ok(Exit::Fine)
}

/// `--durability`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum WhenDurable {
    /// Before the request is answered; concurrent writes share a sync
    Synced,
    /// Within a tenth of a second after the answer: a power failure may lose the last writes
    Batched,
    /// Whenever the operating system writes it: a power failure may make the file unusable
    None,
}

impl From<WhenDurable> for Durability {
    fn from(when: WhenDurable) -> Self {
        match when {
            WhenDurable::Synced => Self::Synced,
            WhenDurable::Batched => Self::Batched(BATCH),
            WhenDurable::None => Self::Unsynced,
        }
    }
}

async fn store(args: &Serve) -> Result<Arc<dyn Store>> {
    let clock = Arc::new(SystemClock);
    let file = |path: &Path| -> Result<Arc<dyn Store>> {
        let options =
            EmbeddedOptions { durability: args.durability.into(), ..EmbeddedOptions::default() };
        let store = EmbeddedStore::open(path, options, Arc::clone(&clock) as _);
        Ok(Arc::new(store.with_context(|| format!("`{}` cannot be used", path.display()))?))
    };
    match (args.store.as_deref(), &args.data) {
        (Some("memory"), _) | (None, None) => {
            Ok(Arc::new(MemoryStore::new(MemoryOptions::default(), clock)))
        }
        (Some(store), _) => match store.split_once(':') {
            Some(("redb", path)) => file(Path::new(path)),
            Some(("etcd", endpoints)) => {
                etcd(endpoints.split(',').map(str::to_owned).collect()).await
            }
            _ => {
                bail!(
                    "`{store}` is not a store; there are `memory`, `redb:PATH` and `etcd:ENDPOINTS`"
                )
            }
        },
        (None, Some(data)) => {
            let made = fs::create_dir_all(data);
            made.with_context(|| format!("`{}` cannot be made", data.display()))?;
            file(&data.join("store.redb"))
        }
    }
}

/// An etcd as a store.
#[cfg(not(feature = "etcd"))]
#[expect(clippy::unused_async, reason = "as in builds that connect")]
pub(crate) async fn etcd(_endpoints: Vec<String>) -> Result<Arc<dyn Store>> {
    bail!("this build of crdkit does not talk to etcd; there are `memory` and `redb:PATH`")
}

/// An etcd as a store.
#[cfg(feature = "etcd")]
pub(crate) async fn etcd(endpoints: Vec<String>) -> Result<Arc<dyn Store>> {
    use crdkit_store_etcd::{EtcdOptions, EtcdStore};

    let shown = endpoints.join(",");
    let options = EtcdOptions { endpoints, ..EtcdOptions::default() };
    let connected = EtcdStore::connect(options, Arc::new(SystemClock)).await;
    Ok(Arc::new(connected.with_context(|| format!("the etcd at `{shown}` cannot be used"))?))
}

/// Certificates: those of the data directory, which are made when there are none.
fn certificates(args: &Serve) -> Result<Certificates> {
    let folder = args.data.as_ref().map(|data| data.join("pki"));
    if let Some(folder) = &folder
        && let Some(kept) =
            Certificates::from_files(|name| fs::read_to_string(folder.join(name)).ok())
    {
        return Ok(kept);
    }
    let mut addresses = vec![IpAddr::V4(Ipv4Addr::LOCALHOST)];
    if !addresses.contains(&args.listen.ip()) {
        addresses.push(args.listen.ip());
    }
    let made = Certificates::generate(&addresses)?;
    if let Some(folder) = &folder {
        let unwritable = || format!("`{}` cannot be written", folder.display());
        fs::create_dir_all(folder).with_context(unwritable)?;
        for (name, text) in made.files() {
            write_secret(&folder.join(name), text).with_context(unwritable)?;
        }
    }
    Ok(made)
}

/// Writes the kubeconfig, and the authority beside it.
fn kubeconfig(args: &Serve, server: &Server) -> Result<PathBuf> {
    let path = match (&args.kubeconfig, &args.data) {
        (Some(path), _) => path.clone(),
        (None, Some(data)) => data.join("kubeconfig"),
        (None, None) => {
            let folder = std::env::temp_dir().join(format!("crdkit-{}", std::process::id()));
            folder.join("kubeconfig")
        }
    };
    let unwritable = || format!("`{}` cannot be written", path.display());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        fs::create_dir_all(folder).with_context(unwritable)?;
    }
    write_secret(&path, &server.kubeconfig()).with_context(unwritable)?;
    fs::write(path.with_file_name("ca.crt"), server.authority()).with_context(unwritable)?;
    Ok(path)
}

/// Writes what only its owner may read.
fn write_secret(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut options = fs::OpenOptions::new();
    options.create(true).write(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)?.write_all(text.as_bytes())
}

fn documents(sources: &[String], purpose: Purpose, args: &Serve) -> Result<Vec<Document>> {
    let mut documents = source::documents(sources, purpose, &args.fetching.client())?;
    documents.retain(|document| document.root().get("kind").is_some());
    if purpose == Purpose::Crds {
        let is_crd = |document: &Document| {
            document.root().get("kind").and_then(crdkit_value::Value::as_str)
                == Some("CustomResourceDefinition")
        };
        documents.retain(is_crd);
    }
    Ok(documents)
}

/// Loads CRDs again whenever their files change.
async fn reload(args: &Serve, server: &Server) {
    let roots: Vec<PathBuf> = args.crds.iter().map(PathBuf::from).collect();
    let mut before = Snapshot::of(&roots);
    loop {
        tokio::time::sleep(LOOK).await;
        let now = Snapshot::of(&roots);
        if now == before {
            continue;
        }
        before = now;
        match documents(&args.crds, Purpose::Crds, args) {
            Ok(crds) => {
                for crd in crds {
                    if let Err(status) = server.install(crd).await {
                        report::note(&status.to_string());
                    }
                }
            }
            Err(error) => report::failure(&error),
        }
    }
}

/// Waits until somebody ends the program.
pub(crate) async fn ended() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
