//! `crdkit serve`: the API server as a program.

mod args;

pub(crate) use args::Serve;
use args::{DurabilityChoice, StoreChoice};

use crate::crds;
use crate::exit::Exit;
use crate::objects;
use crate::source::{self, Client, Purpose};
use crate::stdout::print;
use crate::watch::Snapshot;
use anyhow::{Context as _, Result, anyhow};
use crdkit_codec::DecodeOptions;
use crdkit_server::{Certificates, Server, Settings};
use crdkit_store::{Durability, EmbeddedOptions, EmbeddedStore, Store, SystemClock};
use crdkit_store_etcd::{EtcdOptions, EtcdStore};
use crdkit_value::Document;
use std::fs;
use std::future::Future;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How much later than acknowledged a batched write may be on disk.
const BATCH: Duration = Duration::from_millis(100);
/// How often files are looked at.
const LOOK: Duration = Duration::from_millis(250);

pub(crate) fn run(serve: &Serve) -> Result<Exit> {
    block_on(start(serve))
}

/// Runs something that waits.
pub(crate) fn block_on(work: impl Future<Output = Result<Exit>>) -> Result<Exit> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.context("threads cannot be started")?.block_on(work)
}

async fn start(serve: &Serve) -> Result<Exit> {
    if let Some(directory) = &serve.data {
        fs::create_dir_all(directory)
            .with_context(|| format!("cannot make the directory `{}`", directory.display()))?;
    }
    let (store, kept) = store(serve).await?;
    let mut settings = Settings::default();
    settings.garbage_collection = !serve.no_gc;
    settings.namespace_deletion = !serve.no_namespace_controller;
    let mut builder = Server::builder().listen(serve.listen).settings(settings);
    if let Some(store) = store {
        builder = builder.store(store);
    }
    for token in &serve.token {
        builder = builder.administrator_token(token);
    }
    if let Some(directory) = &serve.data {
        builder = builder.certificates(certificates(directory, serve.listen)?);
    }
    let server = builder.start().await?;
    load(&server, &serve.crds, Purpose::Crds).await?;
    load(&server, &serve.objects, Purpose::Objects).await?;
    let kubeconfig = kubeconfig(serve, &server)?;
    print(&format!(
        "crdkit serves {} ({kept})\nexport KUBECONFIG={}; kubectl get crds\n",
        server.url(),
        kubeconfig.display()
    ))?;
    if serve.watch_crds {
        tokio::select! {
            () = until_stopped() => {}
            () = follow(&server, &serve.crds) => {}
        }
    } else {
        until_stopped().await;
    }
    server.stop().await;
    Ok(Exit::Fine)
}

/// The store, and what there is to say about it; none for one in memory.
async fn store(serve: &Serve) -> Result<(Option<Arc<dyn Store>>, String)> {
    let choice = match (&serve.store, &serve.data) {
        (Some(choice), _) => choice.clone(),
        (None, Some(directory)) => StoreChoice::Redb(directory.join("objects.redb")),
        (None, None) => StoreChoice::Memory,
    };
    let clock = Arc::new(SystemClock);
    Ok(match choice {
        StoreChoice::Memory => {
            (None, "objects are kept in memory and gone when it stops; --data DIR keeps them".to_owned())
        }
        StoreChoice::Redb(path) => {
            let durability = match serve.durability {
                DurabilityChoice::Synced => Durability::Synced,
                DurabilityChoice::Batched => Durability::Batched(BATCH),
                DurabilityChoice::None => Durability::Unsynced,
            };
            let options = EmbeddedOptions { durability, ..EmbeddedOptions::default() };
            let store = EmbeddedStore::open(&path, options, clock)
                .with_context(|| format!("cannot use `{}`", path.display()))?;
            (Some(Arc::new(store)), format!("objects are kept in {}", path.display()))
        }
        StoreChoice::Etcd(endpoints) => {
            let kept = format!("objects are kept in etcd at {}", endpoints.join(", "));
            (Some(etcd(endpoints).await?), kept)
        }
    })
}

/// An etcd as a store.
pub(crate) async fn etcd(endpoints: Vec<String>) -> Result<Arc<dyn Store>> {
    let shown = endpoints.join(", ");
    let options = EtcdOptions { endpoints, ..EtcdOptions::default() };
    let store = EtcdStore::connect(options, Arc::new(SystemClock)).await;
    Ok(Arc::new(store.with_context(|| format!("cannot use the etcd at {shown}"))?))
}

/// The certificates of a directory, which are made when it has none.
fn certificates(directory: &Path, listen: SocketAddr) -> Result<Certificates> {
    let file = directory.join("certificates.pem");
    if file.exists() {
        let text = fs::read_to_string(&file);
        let text = text.with_context(|| format!("cannot read `{}`", file.display()))?;
        return Certificates::from_pem(&text).with_context(|| format!("cannot use `{}`", file.display()));
    }
    let certificates = Certificates::generate(&[listen.ip()])?;
    write_secret(&file, &certificates.to_pem())?;
    Ok(certificates)
}

fn kubeconfig(serve: &Serve, server: &Server) -> Result<PathBuf> {
    let file = match (&serve.kubeconfig, &serve.data) {
        (Some(file), _) => file.clone(),
        (None, Some(directory)) => directory.join("kubeconfig"),
        (None, None) => {
            let port = server.address().port();
            std::env::temp_dir().join(format!("crdkit-{port}.kubeconfig"))
        }
    };
    write_secret(&file, &server.kubeconfig())?;
    Ok(file.canonicalize().unwrap_or(file))
}

/// Writes a file that only its owner may read.
fn write_secret(path: &Path, text: &str) -> Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.with_context(|| format!("cannot write `{}`", path.display()))
}

/// Puts everything that sources lead to into the server.
async fn load(server: &Server, sources: &[String], purpose: Purpose) -> Result<()> {
    for source in sources {
        for (name, document) in documents(source, purpose)? {
            let written = server.put(&document).await;
            written.map_err(|status| anyhow!("`{name}`: {}", status.message))?;
        }
    }
    Ok(())
}

/// The documents of a source, with the names of their files.
fn documents(source: &str, purpose: Purpose) -> Result<Vec<(String, Document)>> {
    let mut documents = Vec::new();
    for entry in source::find(source, purpose, &Client::default())?.entries {
        let input = entry.read()?;
        let refused = |issue: Option<&crdkit_issue::Issue>| match issue {
            Some(issue) => Err(anyhow!("`{}` cannot be read: {issue}", entry.name)),
            None => Ok(()),
        };
        if purpose == Purpose::Crds {
            let (crds, issues) = crds::of_input(&input, false);
            refused(issues.first())?;
            let crds = crds.into_iter().map(|decoded| (entry.name.to_string(), decoded.document));
            documents.extend(crds);
            continue;
        }
        let options = DecodeOptions::default();
        for outcome in objects::decode(&input, &options) {
            match outcome {
                Ok(decoded) => documents.push((entry.name.to_string(), decoded.document)),
                Err(issues) => refused(issues.first())?,
            }
        }
    }
    Ok(documents)
}

/// Loads CRDs again whenever their files change. What cannot be loaded is said and waits for the next change.
async fn follow(server: &Server, sources: &[String]) {
    let files: Vec<PathBuf> = sources.iter().map(PathBuf::from).collect();
    let mut seen = Snapshot::of(&files);
    loop {
        tokio::time::sleep(LOOK).await;
        let now = Snapshot::of(&files);
        if now == seen {
            continue;
        }
        seen = now;
        match load(server, sources, Purpose::Crds).await {
            Ok(()) => anstream::eprintln!("note: the CRDs were loaded again"),
            Err(error) => crate::report::failure(&error),
        }
    }
}

/// Waits until the program is asked to stop.
pub(crate) async fn until_stopped() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    // Without signals it runs until it is killed.
    let _ = tokio::signal::ctrl_c().await;
}
