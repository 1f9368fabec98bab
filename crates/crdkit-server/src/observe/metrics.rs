//! Figures since the start, in the text that Prometheus reads and under the names of kube-apiserver.
//!
//! Labels are those of kube-apiserver, and their values come from what is served: a path that leads nowhere makes no
//! figure of its own.

use crate::catalogue::snapshot::Catalogue;
use crate::measured::StoreFigures;
use crate::request::Request;
use crate::route::{ResourceRoute, Route, Verb};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Write as _};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Upper bounds of the times that requests took, in seconds.
const BOUNDS: [f64; 12] = [0.001, 0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.0, 5.0, 15.0, 60.0];

/// Figures since the start.
#[derive(Default)]
pub(crate) struct Metrics {
    answered: Mutex<BTreeMap<Labels, Answered>>,
    /// Watches under way.
    watches: Mutex<BTreeMap<Labels, i64>>,
    pub(crate) store: Arc<StoreFigures>,
    /// Requests under way, watches not counted: those that read, and those that write.
    reading: AtomicI64,
    writing: AtomicI64,
    pub(crate) panics: AtomicU64,
}

/// What requests are counted by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Labels {
    verb: &'static str,
    group: Box<str>,
    version: Box<str>,
    resource: Box<str>,
    subresource: Box<str>,
    scope: &'static str,
    dry_run: &'static str,
}

/// The requests with the same labels.
#[derive(Clone, Debug, Default)]
struct Answered {
    codes: BTreeMap<u16, u64>,
    seconds: f64,
    buckets: [u64; BOUNDS.len()],
}

impl Labels {
    /// The labels of a request.
    pub(crate) fn of(request: &Request, route: &Route<'_>, catalogue: &Catalogue) -> Self {
        match route {
            Route::Resource(it) if is_served(it, catalogue) => Self {
                verb: match it.verb {
                    Verb::Create => "POST",
                    Verb::Get => "GET",
                    Verb::List => "LIST",
                    Verb::Watch => "WATCH",
                    Verb::Update => "PUT",
                    Verb::Patch if request.header("content-type").contains("apply-patch") => {
                        "APPLY"
                    }
                    Verb::Patch => "PATCH",
                    Verb::Delete => "DELETE",
                    Verb::DeleteCollection => "DELETECOLLECTION",
                    Verb::Unknown => "other",
                },
                group: it.group.into(),
                version: it.version.into(),
                resource: it.plural.into(),
                subresource: it.subresource.unwrap_or_default().into(),
                scope: match (it.name, it.namespace) {
                    (Some(_), _) => "resource",
                    (None, Some(_)) => "namespace",
                    (None, None) if it.verb == Verb::Create => "resource",
                    (None, None) => "cluster",
                },
                dry_run: if request.query.get("dryRun") == Some("All") { "All" } else { "" },
            },
            Route::Resource(_) | Route::Path { .. } => Self {
                verb: match request.method.as_str() {
                    "POST" => "POST",
                    "PUT" => "PUT",
                    "PATCH" => "PATCH",
                    "DELETE" => "DELETE",
                    _ => "GET",
                },
                group: Box::default(),
                version: Box::default(),
                resource: Box::default(),
                subresource: match request.path.as_str() {
                    path @ ("/healthz" | "/livez" | "/readyz") => path.into(),
                    _ => Box::default(),
                },
                scope: "",
                dry_run: "",
            },
        }
    }
}

fn is_served(route: &ResourceRoute<'_>, catalogue: &Catalogue) -> bool {
    let found = catalogue.find(route.group, route.version, route.plural);
    found.is_some_and(|served| {
        route.subresource.is_none_or(|name| served.resource.subresource(name).is_some())
    })
}

impl Display for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verb, group, version, resource, subresource, scope, dry_run } = self;
        let component = if resource.is_empty() { "" } else { "apiserver" };
        write!(
            f,
            "component=\"{component}\",dry_run=\"{dry_run}\",group=\"{group}\",resource=\"{resource}\",scope=\"{scope}\",subresource=\"{subresource}\",verb=\"{verb}\",version=\"{version}\""
        )
    }
}

/// A request or a watch, counted for as long as it is there, however it ends.
pub(crate) enum InFlight<'m> {
    Request(&'m AtomicI64),
    Watch(Arc<Metrics>, Labels),
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        match self {
            Self::Request(count) => {
                count.fetch_sub(1, Ordering::Relaxed);
            }
            Self::Watch(metrics, labels) => {
                let mut watches = locked(&metrics.watches);
                if let Some(count) = watches.get_mut(labels) {
                    *count -= 1;
                }
            }
        }
    }
}

impl Metrics {
    /// Counts a request until the result goes away.
    pub(crate) fn request(&self, is_read: bool) -> InFlight<'_> {
        let count = if is_read { &self.reading } else { &self.writing };
        count.fetch_add(1, Ordering::Relaxed);
        InFlight::Request(count)
    }

    /// Counts a watch until the result goes away.
    pub(crate) fn watch(self: &Arc<Self>, labels: Labels) -> InFlight<'static> {
        *locked(&self.watches).entry(labels.clone()).or_default() += 1;
        InFlight::Watch(Arc::clone(self), labels)
    }

    /// Notes that a request was answered.
    pub(crate) fn note(&self, labels: Labels, code: u16, took: Duration) {
        let seconds = took.as_secs_f64();
        let mut answered = locked(&self.answered);
        let figures = answered.entry(labels).or_default();
        *figures.codes.entry(code).or_default() += 1;
        figures.seconds += seconds;
        for (bucket, bound) in figures.buckets.iter_mut().zip(BOUNDS) {
            *bucket += u64::from(seconds <= bound);
        }
    }

    /// All figures, with those of the store and the catalogue.
    pub(crate) fn text(&self, revision: u64, catalogue: &Catalogue) -> String {
        let mut out = String::new();
        let answered = locked(&self.answered).clone();
        let name = "apiserver_request_total";
        head(&mut out, name, "counter", "Counter of apiserver requests.");
        for (labels, figures) in &answered {
            for (code, count) in &figures.codes {
                let _ = writeln!(out, "{name}{{code=\"{code}\",{labels}}} {count}");
            }
        }
        let name = "apiserver_request_duration_seconds";
        head(&mut out, name, "histogram", "Response latency in seconds.");
        for (labels, Answered { codes, seconds, buckets }) in &answered {
            for (bucket, bound) in buckets.iter().zip(BOUNDS) {
                let _ = writeln!(out, "{name}_bucket{{{labels},le=\"{bound}\"}} {bucket}");
            }
            let count: u64 = codes.values().sum();
            let _ = writeln!(
                out,
                "{name}_bucket{{{labels},le=\"+Inf\"}} {count}\n{name}_sum{{{labels}}} {seconds}\n{name}_count{{{labels}}} {count}"
            );
        }
        let name = "apiserver_longrunning_requests";
        head(&mut out, name, "gauge", "Watches under way.");
        for (labels, count) in &*locked(&self.watches) {
            let _ = writeln!(out, "{name}{{{labels}}} {count}");
        }
        let name = "apiserver_current_inflight_requests";
        head(&mut out, name, "gauge", "Requests under way, watches not counted.");
        for (kind, count) in [("mutating", &self.writing), ("readOnly", &self.reading)] {
            let count = count.load(Ordering::Relaxed);
            let _ = writeln!(out, "{name}{{request_kind=\"{kind}\"}} {count}");
        }
        self.store.text(&mut out);
        let custom = catalogue.iter().map(|it| &it.resource).filter(|it| it.is_custom());
        let crds: BTreeSet<_> = custom.map(|it| (&it.kind.group, &it.plural)).collect();
        for (name, kind, help, value) in [
            (
                "apiserver_panics_total",
                "counter",
                "Handlers that panicked.",
                self.panics.load(Ordering::Relaxed),
            ),
            ("etcd_server_revision", "gauge", "The latest revision of the store.", revision),
            (
                "crdkit_custom_resource_definitions",
                "gauge",
                "CRDs that are served.",
                crds.len() as u64,
            ),
            (
                "crdkit_resources",
                "gauge",
                "Resources that are served.",
                catalogue.iter().count() as u64,
            ),
        ] {
            head(&mut out, name, kind, help);
            let _ = writeln!(out, "{name} {value}");
        }
        out
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
