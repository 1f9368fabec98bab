//! The CRDs of a live cluster, through the kubeconfig.
//!
//! `kube:` is the current context, `kube:NAME` another one; within a cluster and without a kubeconfig the
//! service account is used. CRDs are listed page by page and become one entry each, as if each were a file.
//! What goes wrong is said together with what to do about it.

use super::{Client, FoundEntries, Purpose};
use crate::input::InputEntry;
use anyhow::{Context as _, Result, anyhow, bail};
use crdkit_codec::json::{self, Layout};
use crdkit_codec::{DecodeOptions, Decoded};
use crdkit_value::{Document, Value};
use kube::api::{GetParams, ListParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::Request;
use std::time::Duration;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// CRDs are large; so many at a time are an answer of a few megabytes.
const PAGE: u32 = 100;
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
    let mut entries = Vec::new();
    let mut params = ListParams::default().limit(PAGE);
    loop {
        let list = connection.request(Request::new(CRDS).list(&params)?)?;
        let items = list.document.root().get("items").into_iter().flat_map(Value::items);
        entries.extend(items.map(|item| entry(context, Document::copy_of(item))));
        let token = list.document.root().pointer("/metadata/continue").and_then(Value::as_str);
        match token {
            Some(token) if !token.is_empty() => params = params.continue_token(token),
            _ => return Ok(FoundEntries { entries, left_out: Vec::new() }),
        }
    }
}

/// The CRD called `name` of the cluster that `context` names.
pub(super) fn crd(context: &str, name: &str, client: &Client) -> Result<InputEntry> {
    let connection = Connection::open(context, client)?;
    let request = Request::new(CRDS).get(name, &GetParams::default())?;
    Ok(entry(context, connection.request(request)?.document))
}

/// A CRD as a file would have it; in a list, items do not say what they are.
fn entry(context: &str, mut crd: Document) -> InputEntry {
    let root = crd.root().id();
    for (key, text) in
        [("apiVersion", "apiextensions.k8s.io/v1"), ("kind", "CustomResourceDefinition")]
    {
        if crd.root().get(key).is_none() {
            crd.insert(root, key, text);
        }
    }
    let name = crd.root().pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let name = format!("kube:{context}/{name}.json");
    let mut bytes = Vec::new();
    json::write(crd.root(), Layout::Compact, &mut bytes);
    InputEntry::memory(&name, bytes)
}

/// A way to ask the API server.
struct Connection {
    runtime: tokio::runtime::Runtime,
    client: kube::Client,
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
        Ok(Self { runtime, client, url })
    }

    fn request(&self, request: ureq::http::Request<Vec<u8>>) -> Result<Decoded> {
        let answer = self.runtime.block_on(self.client.request_text(request));
        let text = answer.map_err(|error| self.explain(error))?;
        json::decode(text.as_bytes(), &DecodeOptions::default())
            .map_err(|issue| anyhow!("the answer of {} is not JSON: {issue}", self.url))
    }

    /// What went wrong, and what to do about it.
    fn explain(&self, error: kube::Error) -> anyhow::Error {
        let url = &self.url;
        let advice = match &error {
            kube::Error::Api(status) => match status.code {
                401 => format!("{url} does not know who is asking: log in again, as for `kubectl`"),
                403 => format!(
                    "{url} does not allow it: the user needs the verbs `get` and `list` on \
                     `customresourcedefinitions.apiextensions.k8s.io`, which a cluster role gives"
                ),
                404 => format!("{url} has no such CRD; `kubectl get crds` lists those it has"),
                _ => format!("{url} refuses"),
            },
            kube::Error::Auth(_) => "logging in does not work; does `kubectl version`?".to_owned(),
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
