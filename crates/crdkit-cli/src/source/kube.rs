//! The CRDs of a live cluster, and objects of kinds that are asked for, through the kubeconfig.
//!
//! `kube:` is the current context, `kube:NAME` another one; within a cluster and without a kubeconfig the
//! service account is used. CRDs are listed page by page and become one entry each, as if each were a file.
//! What goes wrong is said together with what to do about it.

use super::{Client, FoundEntries, LiveKind, Purpose};
use crate::input::InputEntry;
use anyhow::{Context as _, Result, bail};
use crdkit_client::{Api, ClientError, ListOptions, Resource};
use crdkit_codec::json::{self, Layout};
use crdkit_value::{Document, NodeId};
use kube::config::{KubeConfigOptions, Kubeconfig};
use std::time::Duration;

/// CRDs are large; so many at a time are an answer of a few megabytes.
const PAGE: u64 = 100;
const WITHOUT: &str = "without the cluster, CRDs come out of a file or a pipe: \
     `kubectl get crds -o yaml | crdkit … --crds -`";

/// All CRDs of the cluster that `context` names.
pub(super) fn crds(context: &str, purpose: Purpose, client: &Client) -> Result<FoundEntries> {
    if purpose == Purpose::Objects {
        bail!(
            "a cluster is a source of CRDs; objects come through a pipe, from `kubectl get -o yaml`"
        );
    }
    let connection = Connection::open(context, client)?;
    let list = connection.list(CRDS)?;
    let entries = list.into_iter().map(|crd| entry(context, CRDS, crd)).collect();
    Ok(FoundEntries { entries, ..FoundEntries::default() })
}

/// All objects of `kinds` in the cluster that `context` names. A kind that the cluster does not have has none.
pub(super) fn objects(context: &str, kinds: &[LiveKind], client: &Client) -> Result<FoundEntries> {
    let connection = Connection::open(context, client)?;
    let mut found = FoundEntries::default();
    for kind in kinds {
        let kind = kind.borrowed();
        let objects = match connection.list(kind) {
            Ok(objects) => objects,
            Err(error) if is_missing(&error) => Vec::new(),
            Err(error) => return Err(error),
        };
        found.entries.extend(objects.into_iter().map(|object| entry(context, kind, object)));
    }
    Ok(found)
}

fn is_missing(error: &anyhow::Error) -> bool {
    let refused = error.downcast_ref::<ClientError>();
    matches!(refused, Some(ClientError::Refused(status)) if status.code == 404)
}

/// The CRD called `name` of the cluster that `context` names.
pub(super) fn crd(context: &str, name: &str, client: &Client) -> Result<InputEntry> {
    let connection = Connection::open(context, client)?;
    let crd = connection.answer(CRDS, connection.api(CRDS).get(name))?;
    Ok(entry(context, CRDS, crd))
}

/// An object as a file would have it: items of lists do not say what they are.
fn entry(context: &str, kind: ApiKind<'_>, mut object: Document) -> InputEntry {
    object.insert(NodeId::ROOT, "apiVersion", format!("{}/{}", kind.group, kind.version).as_str());
    object.insert(NodeId::ROOT, "kind", kind.kind);
    let text = |key: &str| {
        let metadata = object.root().get("metadata");
        metadata.and_then(|it| it.get(key)?.as_str()).unwrap_or_default()
    };
    let place = if kind.plural == CRDS.plural { "" } else { kind.plural };
    let parts = [place, text("namespace"), text("name")];
    let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let name = format!("kube:{context}/{}.json", parts.join("/"));
    let mut bytes = Vec::new();
    json::write(object.root(), Layout::Compact, &mut bytes);
    InputEntry::memory(&name, bytes)
}

/// A kind as a server serves it.
#[derive(Clone, Copy)]
struct ApiKind<'k> {
    group: &'k str,
    version: &'k str,
    plural: &'k str,
    kind: &'k str,
}

const CRDS: ApiKind<'_> = ApiKind {
    group: "apiextensions.k8s.io",
    version: "v1",
    plural: "customresourcedefinitions",
    kind: "CustomResourceDefinition",
};

impl LiveKind {
    fn borrowed(&self) -> ApiKind<'_> {
        let Self { group, version, plural, kind } = self;
        ApiKind { group, version, plural, kind }
    }
}

/// A way to ask the API server.
struct Connection {
    runtime: tokio::runtime::Runtime,
    client: crdkit_client::Client,
    url: String,
}

impl Connection {
    fn open(context: &str, options: &Client) -> Result<Self> {
        if options.is_offline() {
            bail!("a cluster is on the network, and `--offline` was given");
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut config = runtime.block_on(config(context))?;
        config.connect_timeout = Some(Duration::from_secs(10));
        config.read_timeout = Some(Duration::from_mins(1));
        config.accept_invalid_certs |= options.is_insecure();
        let url = config.cluster_url.to_string();
        options.say(&format!("kube:{context}: {url}"));
        let client = {
            let _entered = runtime.enter();
            kube::Client::try_from(config).context("the settings for the cluster do not work")?
        };
        Ok(Self { runtime, client: crdkit_client::Client::new(client), url })
    }

    fn api(&self, kind: ApiKind<'_>) -> Api<Document> {
        self.client.dynamic(Resource::new(kind.group, kind.version, kind.plural))
    }

    /// All objects of a kind, page by page.
    fn list(&self, kind: ApiKind<'_>) -> Result<Vec<Document>> {
        let options = ListOptions { limit: PAGE, ..ListOptions::default() };
        Ok(self.answer(kind, self.api(kind).list_all(&options))?.items)
    }

    /// Waits for what was asked about a kind.
    fn answer<T>(
        &self,
        kind: ApiKind<'_>,
        asked: impl Future<Output = Result<T, ClientError>>,
    ) -> Result<T> {
        self.runtime.block_on(asked).map_err(|error| self.explain(kind, error))
    }

    /// What went wrong, and what to do about it.
    fn explain(&self, kind: ApiKind<'_>, error: ClientError) -> anyhow::Error {
        let url = &self.url;
        let advice = match &error {
            ClientError::Refused(status) => match status.code {
                401 => format!("{url} does not know who is asking: log in again, as for `kubectl`"),
                403 => format!(
                    "{url} does not allow it: the user needs the verbs `get` and `list` on \
                     `{}.{}`, which a cluster role gives",
                    kind.plural, kind.group
                ),
                404 => format!("{url} has no such CRD; `kubectl get crds` lists those it has"),
                _ => format!("{url} refuses"),
            },
            ClientError::Transport { source, .. } if matches!(**source, kube::Error::Auth(_)) => {
                "logging in does not work; does `kubectl version`?".to_owned()
            }
            ClientError::Answer { .. } => format!("the answer of {url} cannot be read"),
            _ => format!(
                "{url} cannot be reached: is the cluster running, and the network there? {WITHOUT}"
            ),
        };
        anyhow::Error::new(error).context(advice)
    }
}

/// The settings for `context`, or those in force where it is empty.
async fn config(context: &str) -> Result<kube::Config> {
    let kubeconfig = match Kubeconfig::read() {
        Ok(kubeconfig) => kubeconfig,
        // Within a cluster there need not be a file.
        Err(error) if context.is_empty() => {
            return kube::Config::incluster().map_err(|_| {
                anyhow::Error::new(error).context(format!(
                    "there is no kubeconfig: set KUBECONFIG to its place, or write one with your \
                     provider's tool; {WITHOUT}"
                ))
            });
        }
        Err(error) => return Err(anyhow::Error::new(error).context("there is no kubeconfig")),
    };
    let known: Vec<_> = kubeconfig.contexts.iter().map(|it| it.name.clone()).collect();
    if !context.is_empty() && !known.iter().any(|name| name == context) {
        bail!("the kubeconfig has no context `{context}`; it has {}", known.join(", "));
    }
    if context.is_empty() && kubeconfig.current_context.as_deref().is_none_or(str::is_empty) {
        bail!(
            "the kubeconfig has no current context; write `kube:NAME` with one of {}",
            known.join(", ")
        );
    }
    let context = (!context.is_empty()).then(|| context.to_owned());
    let options = KubeConfigOptions { context, ..KubeConfigOptions::default() };
    kube::Config::from_custom_kubeconfig(kubeconfig, &options)
        .await
        .context("the kubeconfig cannot be used")
}
