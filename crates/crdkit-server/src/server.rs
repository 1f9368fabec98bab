//! A server that is set up, started and stopped.

use crate::admission::Admission;
use crate::catalogue::native;
use crate::catalogue::snapshot::{Catalogue, Served};
use crate::configured;
use crate::controllers;
use crate::core::{Core, WriteFailure, store_status, until};
use crate::crds::{self, Definitions};
use crate::environment::{Entropy, Environment};
use crate::http;
use crate::identify::Tokens;
use crate::manage::Managing;
use crate::measured::MeasuredStore;
use crate::observe::{AuditLevel, AuditLog, Metrics};
use crate::openapi::OpenApiDocuments;
use crate::rules::Part;
use crate::settings::{Authorization, Settings};
use crate::stored;
use crate::tls::{Certificates, TlsError};
use crate::verbs::system_update;
use arc_swap::ArcSwap;
use crdkit_codec::{DecodeOptions, Format};
use crdkit_engine::RequestOptions;
use crdkit_schema::status::Status;
use crdkit_store::{Clock, KeyLayout, MemoryOptions, MemoryStore, Snapshot, Store, Write};
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Value};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A server that runs. Dropping it stops it.
pub struct Server {
    pub(crate) core: Arc<Core>,
    address: SocketAddr,
    certificates: Certificates,
    tasks: Vec<JoinHandle<()>>,
}

/// A server that is being set up.
pub struct ServerBuilder {
    store: Option<Arc<dyn Store>>,
    listen: SocketAddr,
    settings: Settings,
    environment: Environment,
    tokens: Tokens,
    certificates: Option<Certificates>,
    crds: Vec<Document>,
    audit: Option<AuditLog>,
}

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        error: io::Error,
    },
    /// There are no certificates.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The store does not work.
    #[error("the store does not work: {0}")]
    Store(Box<Status>),
    /// A CRD that was given is refused.
    #[error("{0}")]
    Refused(Box<Status>),
}

impl Server {
    /// A server with everything in memory on a free port of this machine, unless something else is said.
    pub fn builder() -> ServerBuilder {
        ServerBuilder {
            store: None,
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            settings: Settings::default(),
            environment: Environment::default(),
            tokens: Tokens::default(),
            certificates: None,
            crds: Vec::new(),
            audit: None,
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where clients reach it.
    pub fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// The authority that clients have to trust, as PEM.
    pub fn authority(&self) -> &str {
        &self.certificates.authority
    }

    /// A kubeconfig for its administrator.
    pub fn kubeconfig(&self) -> String {
        self.certificates.kubeconfig(&self.url())
    }

    /// Makes a CRD what `crd` says, whether it is there or not.
    ///
    /// # Errors
    /// The answer, when it is refused.
    pub async fn install(&self, crd: Document) -> Result<(), Box<Status>> {
        install(&self.core, crd).await
    }

    /// Creates an object of any kind, unless it is there.
    ///
    /// # Errors
    /// The answer, when it is refused.
    pub async fn create(&self, object: Document) -> Result<(), Box<Status>> {
        create(&self.core, object).await
    }

    /// Everything that is stored at this moment, to go back to.
    ///
    /// # Errors
    /// The answer, when the store fails.
    pub async fn snapshot(&self) -> Result<Snapshot, Box<Status>> {
        self.core.store.snapshot().await.map_err(|error| store_status(&error))
    }

    /// Makes everything what it was: objects, what is served, who may do what. Watches end as if they were too old.
    ///
    /// # Errors
    /// The answer, when the store fails.
    pub async fn restore(&self, snapshot: Snapshot) -> Result<(), Box<Status>> {
        self.core.store.restore(snapshot).await.map_err(|error| store_status(&error))?;
        crds::reload(&self.core).await;
        configured::load(&self.core).await;
        Ok(())
    }

    /// Stops it: no more connections, watches end, requests under way get half a second.
    pub async fn stop(mut self) {
        self.core.stop.send_replace(true);
        for task in std::mem::take(&mut self.tasks) {
            let _ = task.await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.core.stop.send_replace(true);
    }
}

impl ServerBuilder {
    /// Where objects are kept.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Where to listen; port 0 is any free one.
    #[must_use]
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.listen = address;
        self
    }

    /// Switches and bounds.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// A bearer token of an administrator.
    #[must_use]
    pub fn administrator_token(mut self, token: &str) -> Self {
        self.tokens.add_administrator(token);
        self
    }

    /// A bearer token of a user in these groups.
    #[must_use]
    pub fn token(mut self, token: &str, user: &str, groups: Vec<String>) -> Self {
        self.tokens.add(token, user, groups);
        self
    }

    /// The time.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.environment.clock = clock;
        self
    }

    /// Randomness.
    #[must_use]
    pub fn entropy(mut self, entropy: Arc<dyn Entropy>) -> Self {
        self.environment.entropy = entropy;
        self
    }

    /// Certificates that were made before.
    #[must_use]
    pub fn certificates(mut self, certificates: Certificates) -> Self {
        self.certificates = Some(certificates);
        self
    }

    /// CRDs that are there from the start.
    #[must_use]
    pub fn crds(mut self, crds: impl IntoIterator<Item = Document>) -> Self {
        self.crds.extend(crds);
        self
    }

    /// Where a line for each request goes, and what is in it.
    #[must_use]
    pub fn audit_log(mut self, out: Box<dyn io::Write + Send>, level: AuditLevel) -> Self {
        self.audit = Some(AuditLog { level, out: out.into() });
        self
    }

    /// Starts it; it is ready when this returns.
    ///
    /// # Errors
    /// When it cannot listen, or the store does not work.
    pub async fn start(self) -> Result<Server, StartError> {
        let listen = self.listen;
        let failed = |error| StartError::Listen { address: listen, error };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let certificates = if let Some(certificates) = self.certificates {
            certificates
        } else {
            let local = [IpAddr::V4(Ipv4Addr::LOCALHOST), address.ip()];
            let local = if local[0] == local[1] { &local[..1] } else { &local[..] };
            Certificates::generate(local)?
        };
        let acceptor = certificates.acceptor()?;
        let environment = self.environment;
        let memory = || {
            let clock = Arc::clone(&environment.clock);
            Arc::new(MemoryStore::new(MemoryOptions::default(), clock)) as Arc<dyn Store>
        };
        let store = self.store.unwrap_or_else(memory);
        let metrics = Arc::new(Metrics::default());
        let store = Arc::new(MeasuredStore::new(store, &metrics.store));
        let stop = watch::Sender::new(false);
        let catalogue: Catalogue = native::served(&stop).into_iter().collect();
        let core = Arc::new(Core {
            store,
            layout: KeyLayout::default(),
            catalogue: ArcSwap::from_pointee(catalogue),
            definitions: Definitions::default(),
            environment,
            admission: Admission::new(self.settings.webhook_services.clone()),
            settings: self.settings,
            tokens: self.tokens,
            roles: ArcSwap::default(),
            documents: OpenApiDocuments::default(),
            metrics,
            audit: self.audit,
            stop,
        });
        bootstrap(&core).await.map_err(StartError::Store)?;
        crds::load(&core).await;
        configured::load(&core).await;
        for crd in self.crds {
            install(&core, crd).await.map_err(StartError::Refused)?;
        }
        let mut tasks = vec![
            tokio::spawn(http::serve(Arc::clone(&core), listener, acceptor)),
            tokio::spawn(maintain(Arc::clone(&core))),
        ];
        tasks.extend(controllers::start(&core));
        Ok(Server { core, address, certificates, tasks })
    }
}

/// Objects that are always there, as a list.
const BOOTSTRAP: &str = include_str!("bootstrap.yaml");

/// Roles and bindings that are there where roles decide, as a list; those that gather the rules of others have them.
const ROLES: &str = include_str!("roles.json");

/// Creates the objects that are always there.
async fn bootstrap(core: &Arc<Core>) -> Result<(), Box<Status>> {
    let read = |format: Format, text: &str| {
        let decoded = format.decode(text.as_bytes(), &DecodeOptions::default());
        decoded.map_err(|issue| Box::new(Status::internal_error(issue.to_string())))
    };
    for object in read(Format::Yaml, BOOTSTRAP)?.document.root().items() {
        if object.get("kind").and_then(Value::as_str) == Some("PriorityClass") {
            let mut class = Document::copy_of(object);
            let metadata = stored::metadata(&mut class);
            class.insert(metadata, "generation", 1);
            plant(core, ("scheduling.k8s.io", "priorityclasses"), class).await?;
        } else {
            create(core, Document::copy_of(object)).await?;
        }
    }
    if core.settings.authorization != Authorization::Rbac {
        return Ok(());
    }
    for object in read(Format::Json, ROLES)?.document.root().items() {
        let plural = match object.get("kind").and_then(Value::as_str) {
            Some("ClusterRole") => "clusterroles",
            Some("ClusterRoleBinding") => "clusterrolebindings",
            Some("Role") => "roles",
            _ => "rolebindings",
        };
        plant(core, ("rbac.authorization.k8s.io", plural), Document::copy_of(object)).await?;
    }
    Ok(())
}

/// Stores an object of the system as it is, unless it is there. Clients may not make all of them.
async fn plant(
    core: &Arc<Core>,
    (group, plural): (&str, &str),
    mut object: Document,
) -> Result<(), Box<Status>> {
    let Some(served) = core.find(group, "v1", plural) else { return Ok(()) };
    let metadata = stored::metadata(&mut object);
    object.insert(metadata, "uid", &core.environment.uid());
    object.insert(metadata, "creationTimestamp", &core.environment.now_text());
    let key = {
        let text = |key| stored::metadata_text(object.root(), key);
        let namespace = Some(text("namespace")).filter(|namespace| !namespace.is_empty());
        served.key(&core.layout, namespace, text("name"))
    };
    let value = served.encode(&mut object, None).await?;
    match core.write(&served, Write::create(&key, value)).await {
        Ok(_) | Err(WriteFailure::Conflict(_)) => Ok(()),
        Err(WriteFailure::Failed(status)) => Err(status),
    }
}

/// A CRD that is to be there, in the place of one of the same name.
async fn install(core: &Arc<Core>, crd: Document) -> Result<(), Box<Status>> {
    let Some(served) = core.find(crds::GROUP, "v1", crds::PLURAL) else { return Ok(()) };
    let name = stored::metadata_text(crd.root(), "name").to_owned();
    let key = served.key(&core.layout, None, &name);
    if core.get(&key).await?.is_none() {
        put(core, &served, None, crd).await?;
    } else {
        let mut refused = None;
        let replace = |old: &Document| {
            let mut new = crd.clone();
            let metadata = stored::metadata(&mut new);
            let version = stored::metadata_text(old.root(), "resourceVersion");
            new.insert(metadata, "resourceVersion", version);
            let options = RequestOptions::new().name(name.as_str());
            let rules = &served.rules;
            match rules.update(Part::Main, old, new.into(), &options, &mut |_| Ok(())) {
                Ok(accepted) => Some(accepted.document),
                Err(why) => {
                    refused = Some(why.status);
                    None
                }
            }
        };
        system_update(core, &served, &key, replace).await?;
        if let Some(status) = refused {
            return Err(status);
        }
    }
    crds::follow(core, &name).await;
    Ok(())
}

/// Creates an object of any kind, unless it is there.
async fn create(core: &Arc<Core>, object: Document) -> Result<(), Box<Status>> {
    let text = |key: &str| {
        let text = object.root().get(key).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let kind = GroupVersionKind::of(&text("apiVersion"), &text("kind"));
    if kind.is_crd() {
        return install(core, object).await;
    }
    let catalogue = core.catalogue.load_full();
    let Some(served) = catalogue.iter().find(|it| it.resource.kind == kind) else {
        let text =
            format!("no matches for kind {:?} in version {:?}", kind.kind, text("apiVersion"));
        return Err(Status::bad_request(text).into());
    };
    let namespace = match stored::metadata_text(object.root(), "namespace") {
        _ if !served.resource.namespaced => None,
        "" => Some("default".to_owned()),
        given => Some(given.to_owned()),
    };
    put(core, served, namespace.as_deref(), object).await
}

/// Creates an object of a kind, unless it is there.
async fn put(
    core: &Arc<Core>,
    served: &Served,
    namespace: Option<&str>,
    object: Document,
) -> Result<(), Box<Status>> {
    let environment = &core.environment;
    let options = RequestOptions::new().uid(environment.uid()).time(environment.now());
    let options = options.namespace(namespace.unwrap_or_default());
    let managing = Managing { served, manager: "crdkit", subresource: "", now: environment.now() };
    let mut between = |document: &mut Document| {
        managing.update(None, document);
        Ok(())
    };
    let accepted = served.rules.create(object.into(), &options, &mut between);
    let mut accepted = accepted.map_err(|refused| refused.status)?;
    let name = stored::metadata_text(accepted.document.root(), "name");
    let key = served.key(&core.layout, namespace, name);
    let value = served.encode(&mut accepted.document, accepted.written).await?;
    match core.write(served, Write::create(&key, value)).await {
        Ok(_) | Err(WriteFailure::Conflict(_)) => Ok(()),
        Err(WriteFailure::Failed(status)) => Err(status),
    }
}

/// Lets the store do what is due.
async fn maintain(core: Arc<Core>) {
    loop {
        tokio::select! {
            () = until(core.stop.subscribe()) => return,
            () = tokio::time::sleep(Duration::from_secs(1)) => {}
        }
        if let Err(error) = core.store.maintain().await {
            tracing::warn!(%error, "the store could not be maintained");
        }
    }
}
