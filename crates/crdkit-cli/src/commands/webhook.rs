//! `crdkit webhook`: an admission webhook for CRDs and policies.

use crate::args::Fetching;
use crate::commands::serve::{block_on, ended};
use crate::conversions;
use crate::exit::Exit;
use crate::report;
use crate::source::{self, Purpose};
use crate::stdout;
use crate::watch::Snapshot;
use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use crdkit_admission::policy::PolicySet;
use crdkit_engine::Crd;
use crdkit_server::Certificates;
use crdkit_server::review::{ManifestOptions, ReviewServer, Reviewer};
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Value};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// How often files are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// Serve admission reviews for CRDs and policies
///
/// Objects are validated as if these CRDs were installed in the API server, whatever is installed there; `/mutate`
/// applies defaults and mutating policies. Policies take effect through bindings next to them, as in a cluster.
/// `/convert` converts objects between versions with rules from files. CRDs, policies, rules and certificates are
/// reloaded when their files change.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  crdkit webhook --crds crds/ --cert tls.crt --key tls.key
  crdkit webhook --crds crds/ --policies policies/ --warn Lamp.example.com
  crdkit webhook --conversion lamps.yaml --cert tls.crt --key tls.key
  crdkit webhook --crds crds/ --print-manifests --namespace lamps --image registry/crdkit | kubectl apply -f -
")]
pub(crate) struct Webhook {
    /// The address to listen on; port 0 means any free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8443")]
    listen: SocketAddr,

    /// The CRDs whose objects to validate; may be given more than once
    #[arg(long, value_name = "SOURCE", num_args = 1..)]
    crds: Vec<String>,

    /// Admission policies, with their bindings, parameters and namespaces; may be given more than once
    #[arg(long, value_name = "SOURCE", num_args = 1..)]
    policies: Vec<String>,

    /// Conversion rules; may be given more than once
    #[arg(long, value_name = "SOURCE", num_args = 1..)]
    conversion: Vec<String>,

    /// Only warn about objects of this kind, written `KIND.GROUP`; `*` means all kinds
    #[arg(long, value_name = "KIND")]
    warn: Vec<String>,

    /// The certificate, as PEM [default: a new self-signed one]
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,

    /// The key of the certificate, as PEM
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,

    /// Print the manifests that a cluster needs to use this webhook, and exit
    #[arg(long)]
    print_manifests: bool,

    /// The name of the objects in the manifests
    #[arg(long, value_name = "NAME", default_value = "crdkit-webhook")]
    name: String,

    /// The namespace of the service and the deployment in the manifests
    #[arg(long, value_name = "NAME", default_value = "default")]
    namespace: String,

    /// The image of the deployment in the manifests
    #[arg(long, value_name = "IMAGE", default_value = "crdkit")]
    image: String,

    /// The CA certificates for the API server to trust, as PEM, in the manifests
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,

    #[command(flatten)]
    fetching: Fetching,
}

pub(crate) fn run(args: &Webhook) -> Result<Exit> {
    let reviewer = reviewer(args)?;
    if args.print_manifests {
        let read = |path: &PathBuf| {
            fs::read_to_string(path).with_context(|| format!("`{}` cannot be read", path.display()))
        };
        let mut arguments: Vec<String> = Vec::new();
        for (flag, values) in [
            ("crds", &args.crds),
            ("policies", &args.policies),
            ("conversion", &args.conversion),
            ("warn", &args.warn),
        ] {
            arguments.extend(values.iter().map(|value| format!("--{flag}={value}")));
        }
        stdout::print(&reviewer.manifests(&ManifestOptions {
            name: args.name.clone(),
            namespace: args.namespace.clone(),
            image: args.image.clone(),
            authority: args.ca.as_ref().map(read).transpose()?.unwrap_or_default(),
            arguments,
        }))?;
        return Ok(Exit::Fine);
    }
    block_on(serve(args, reviewer))
}

async fn serve(args: &Webhook, reviewer: Reviewer) -> Result<Exit> {
    let started = ReviewServer::start(args.listen, &certificates(args)?, reviewer).await;
    let server = started.map_err(|error| anyhow!("{error}"))?;
    stdout::print(&format!("ready at https://{}\n", server.address()))?;
    tokio::select! {
        () = ended() => {}
        () = reload(args, &server) => {}
    }
    server.stop().await;
    Ok(Exit::Fine)
}

/// Reads what has changed again; what cannot be used is told, and that before stays in use.
async fn reload(args: &Webhook, server: &ReviewServer) {
    let sources = args.crds.iter().chain(&args.policies).chain(&args.conversion);
    let sources: Vec<PathBuf> = sources.map(PathBuf::from).collect();
    let secrets: Vec<PathBuf> = args.cert.iter().chain(&args.key).cloned().collect();
    let mut before = (Snapshot::of(&sources), Snapshot::of(&secrets));
    loop {
        tokio::time::sleep(LOOK).await;
        let now = (Snapshot::of(&sources), Snapshot::of(&secrets));
        if now.0 != before.0 {
            match reviewer(args) {
                Ok(reviewer) => server.replace(reviewer),
                Err(error) => report::failure(&error),
            }
        }
        if now.1 != before.1 {
            let secured = certificates(args).and_then(|it| Ok(server.secure(&it)?));
            if let Err(error) = secured {
                report::failure(&error);
            }
        }
        before = now;
    }
}

fn certificates(args: &Webhook) -> Result<Certificates> {
    let (Some(cert), Some(key)) = (&args.cert, &args.key) else {
        let mut addresses = vec![IpAddr::V4(Ipv4Addr::LOCALHOST)];
        if !addresses.contains(&args.listen.ip()) {
            addresses.push(args.listen.ip());
        }
        return Ok(Certificates::generate(&addresses)?);
    };
    let read = |path: &PathBuf| {
        fs::read_to_string(path).with_context(|| format!("`{}` cannot be read", path.display()))
    };
    Ok(Certificates::given(read(cert)?, read(key)?, String::new()))
}

fn reviewer(args: &Webhook) -> Result<Reviewer> {
    let client = args.fetching.client();
    let mut crds = source::documents(&args.crds, Purpose::Crds, &client)?;
    let is_crd = |document: &Document| {
        let text = |key: &str| document.root().get(key).and_then(Value::as_str).unwrap_or_default();
        GroupVersionKind::of(text("apiVersion"), text("kind")).is_crd()
    };
    crds.retain(is_crd);
    if crds.is_empty() && !args.crds.is_empty() {
        return Err(anyhow!(
            "there is no CustomResourceDefinition in `{}`",
            args.crds.join("`, `")
        ));
    }
    let compiled = Crd::compile_all(&crds).context("a CRD cannot be used")?;
    let policies = PolicySet::read(source::documents(&args.policies, Purpose::Objects, &client)?);
    if policies.is_empty() && !args.policies.is_empty() {
        return Err(anyhow!("there is no policy in `{}`", args.policies.join("`, `")));
    }
    let conversions = conversions::load(&args.conversion, &client)?;
    if crds.is_empty() && policies.is_empty() && conversions.is_empty() {
        return Err(anyhow!(
            "there is nothing to judge by: name CRDs with `--crds`, policies with `--policies`, rules of conversions with `--conversion`"
        ));
    }
    let reviewer = Reviewer::new(compiled, policies).converting(conversions);
    Ok(reviewer.warning(args.warn.iter().map(String::as_str)))
}
