//! What is told about requests afterwards: figures for whoever graphs them, and a line each for whoever audits them.

use crate::answer::{Answer, AnswerBody};
use crate::request::{Request, RequestBody};
use crate::route::Route;
use crdkit_codec::go_json;
use crdkit_text::timestamp::Timestamp;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the times that requests took, in seconds.
const BOUNDS: [f64; 10] = [0.001, 0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// Figures since the start.
#[derive(Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<RequestLabels, RequestFigures>>,
    pub(crate) panics: AtomicU64,
    pub(crate) watchers: AtomicI64,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RequestLabels {
    verb: &'static str,
    group: String,
    version: String,
    resource: String,
    subresource: String,
    scope: &'static str,
    code: u16,
}

#[derive(Clone, Debug, Default)]
struct RequestFigures {
    count: u64,
    seconds: f64,
    buckets: [u64; BOUNDS.len()],
}

impl Metrics {
    pub(crate) fn note(&self, route: &Route<'_>, code: u16, took: Duration) {
        let labels = match route {
            Route::Resource(it) => RequestLabels {
                verb: match it.verb.as_str() {
                    "" => "OTHER",
                    "deletecollection" => "DELETECOLLECTION",
                    "create" => "POST",
                    "update" => "PUT",
                    "patch" => "PATCH",
                    "delete" => "DELETE",
                    "list" => "LIST",
                    "watch" => "WATCH",
                    _ => "GET",
                },
                group: it.group.to_owned(),
                version: it.version.to_owned(),
                resource: it.plural.to_owned(),
                subresource: it.subresource.unwrap_or_default().to_owned(),
                scope: match (it.name, it.namespace) {
                    (Some(_), _) => "resource",
                    (None, Some(_)) => "namespace",
                    (None, None) => "cluster",
                },
                code,
            },
            Route::Path { .. } => RequestLabels {
                verb: "GET",
                group: String::new(),
                version: String::new(),
                resource: String::new(),
                subresource: String::new(),
                scope: "",
                code,
            },
        };
        let seconds = took.as_secs_f64();
        if let Ok(mut requests) = self.requests.lock() {
            // Paths that lead nowhere would make a figure each.
            if requests.len() > 10_000 && !requests.contains_key(&labels) {
                return;
            }
            let figures = requests.entry(labels).or_default();
            figures.count += 1;
            figures.seconds += seconds;
            for (bucket, bound) in figures.buckets.iter_mut().zip(BOUNDS) {
                *bucket += u64::from(seconds <= bound);
            }
        }
    }

    /// The figures as Prometheus reads them, with those of the store and the catalogue.
    pub(crate) fn text(&self, revision: u64, crds: usize, resources: usize) -> String {
        let mut out = String::new();
        let requests = self.requests.lock().map(|it| it.clone()).unwrap_or_default();
        out += "# HELP apiserver_request_total Counter of apiserver requests broken out for each verb, group, version, resource, scope and code.\n# TYPE apiserver_request_total counter\n";
        for (labels, figures) in &requests {
            let _ = writeln!(out, "apiserver_request_total{{{labels}}} {}", figures.count);
        }
        out += "# HELP apiserver_request_duration_seconds Response latency in seconds.\n# TYPE apiserver_request_duration_seconds histogram\n";
        for (labels, figures) in &requests {
            for (bucket, bound) in figures.buckets.iter().zip(BOUNDS) {
                let _ = writeln!(
                    out,
                    "apiserver_request_duration_seconds_bucket{{{labels},le=\"{bound}\"}} {bucket}"
                );
            }
            let RequestFigures { count, seconds, .. } = figures;
            let _ = writeln!(
                out,
                "apiserver_request_duration_seconds_bucket{{{labels},le=\"+Inf\"}} {count}\napiserver_request_duration_seconds_sum{{{labels}}} {seconds}\napiserver_request_duration_seconds_count{{{labels}}} {count}"
            );
        }
        for (name, kind, help, value) in [
            (
                "apiserver_longrunning_requests",
                "gauge",
                "Watches under way.",
                self.watchers.load(Ordering::Relaxed),
            ),
            (
                "apiserver_panics_total",
                "counter",
                "Handlers that panicked.",
                i64::try_from(self.panics.load(Ordering::Relaxed)).unwrap_or(i64::MAX),
            ),
            (
                "etcd_server_revision",
                "gauge",
                "The latest revision of the store.",
                i64::try_from(revision).unwrap_or(i64::MAX),
            ),
            (
                "crdkit_custom_resource_definitions",
                "gauge",
                "CRDs that are served.",
                i64::try_from(crds).unwrap_or(i64::MAX),
            ),
            (
                "crdkit_resources",
                "gauge",
                "Resources that are served.",
                i64::try_from(resources).unwrap_or(i64::MAX),
            ),
        ] {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        }
        out
    }
}

impl std::fmt::Display for RequestLabels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { verb, group, version, resource, subresource, scope, code } = self;
        write!(
            f,
            "code=\"{code}\",component=\"apiserver\",dry_run=\"\",group=\"{group}\",resource=\"{resource}\",scope=\"{scope}\",subresource=\"{subresource}\",verb=\"{verb}\",version=\"{version}\""
        )
    }
}

/// How much an audit log says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditLevel {
    /// Who did what when, and how it ended.
    Metadata,
    /// The bodies of requests and answers as well.
    RequestResponse,
}

/// Where a line for each request goes.
pub(crate) struct AuditLog {
    pub(crate) level: AuditLevel,
    pub(crate) out: Mutex<Box<dyn Write + Send>>,
}

impl AuditLog {
    pub(crate) fn write(
        &self,
        request: &Request,
        route: &Route<'_>,
        answer: &Answer,
        id: &str,
        times: (Timestamp, Timestamp),
    ) {
        let text = go_json::string;
        let level = match self.level {
            AuditLevel::Metadata => "Metadata",
            AuditLevel::RequestResponse => "RequestResponse",
        };
        let verb = match route {
            Route::Resource(it) => it.verb.as_str(),
            Route::Path { verb, .. } => verb,
        };
        let groups: Vec<&str> = request.user.groups.iter().map(String::as_str).collect();
        let mut line = format!(
            "{{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"{level}\",\"auditID\":{},\"stage\":\"ResponseComplete\",\"requestURI\":{},\"verb\":{},\"user\":{{\"username\":{},\"groups\":{}}},\"userAgent\":{}",
            text(id),
            text(&request.path),
            text(verb),
            text(&request.user.name),
            go_json::strings(groups),
            text(request.header("user-agent")),
        );
        if let Route::Resource(it) = route {
            let _ = write!(
                line,
                ",\"objectRef\":{{\"resource\":{},\"namespace\":{},\"name\":{},\"apiGroup\":{},\"apiVersion\":{},\"subresource\":{}}}",
                text(it.plural),
                text(it.namespace.unwrap_or_default()),
                text(it.name.unwrap_or_default()),
                text(it.group),
                text(it.version),
                text(it.subresource.unwrap_or_default()),
            );
        }
        let _ = write!(line, ",\"responseStatus\":{{\"metadata\":{{}},\"code\":{}}}", answer.code);
        if self.level == AuditLevel::RequestResponse {
            if let RequestBody::Whole(bytes) = &request.body
                && bytes.starts_with(b"{")
            {
                let _ = write!(line, ",\"requestObject\":{}", one_line(bytes));
            }
            if let AnswerBody::Whole(bytes) = &answer.body
                && bytes.starts_with(b"{")
            {
                let _ = write!(line, ",\"responseObject\":{}", one_line(bytes));
            }
        }
        let (received, done) = times;
        let _ = writeln!(
            line,
            ",\"requestReceivedTimestamp\":\"{received}\",\"stageTimestamp\":\"{done}\"}}"
        );
        if let Ok(mut out) = self.out.lock()
            && let Err(error) = out.write_all(line.as_bytes())
        {
            tracing::error!(%error, "the audit log cannot be written");
        }
    }
}

fn one_line(json: &[u8]) -> String {
    String::from_utf8_lossy(json).trim_end().replace('\n', " ")
}
