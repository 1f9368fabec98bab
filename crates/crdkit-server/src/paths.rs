//! Paths that are not about objects: what is served, how the server is, who made it.

use crate::answer::Answer;
use crate::core::Core;
use crate::digest::digest;
use crate::discovery::{aggregated, groups, legacy};
use crate::negotiate::{Form, names_one_of, route_refused};
use crate::publish;
use crate::request::Request;
use crdkit_codec::json::Layout;
use crdkit_codec::media::{MediaType, Offer, parse_accept};
use crdkit_codec::{Format, go_json};
use crdkit_schema::status::{Details, Status};
use crdkit_text::kind::GroupVersion;
use crdkit_text::quote::quote;
use crdkit_value::Document;
use hyper::Method;
use hyper::header::{CACHE_CONTROL, ETAG, VARY};
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// The version of Kubernetes whose answers these are.
const MAJOR: &str = "1";
const MINOR: &str = "37";

pub(crate) async fn dispatch(core: &Arc<Core>, request: &Request) -> Result<Answer, Box<Status>> {
    let path = request.path.as_str();
    let trimmed = path.strip_suffix('/').unwrap_or(path);
    let parts: Vec<&str> = trimmed.split('/').skip(1).collect();
    match parts.as_slice() {
        [] | [""] => Ok(index(core)),
        ["version"] => version(request),
        ["healthz" | "livez" | "readyz", ..] if path.ends_with('/') => Ok(Answer::no_page()),
        ["healthz" | "livez" | "readyz", ..] => health(core, request, &parts).await,
        ["api"] => api(core, request),
        ["api", version] => resources(core, request, "", version),
        ["apis"] => apis(core, request),
        ["apis", group] => group_document(core, request, group),
        ["apis", group, version] => resources(core, request, group, version),
        ["metrics"] if is_read(request) => Ok(metrics(core).await),
        ["openapi", "v2"] => Ok(publish::everything(core, request)),
        ["openapi", "v3"] => Ok(publish::index(core)),
        ["openapi", "v3", rest @ ..] => Ok(match publish::document_path(rest) {
            Some(path) => publish::document(core, request, &path),
            None => Answer::empty(404),
        }),
        _ => Ok(Answer::no_page()),
    }
}

fn is_read(request: &Request) -> bool {
    request.method == Method::GET || request.method == Method::HEAD
}

async fn metrics(core: &Core) -> Answer {
    let revision = core.store.current().await.map_or(0, |revision| revision.0);
    let catalogue = core.catalogue.load();
    let text = core.metrics.text(revision, &catalogue);
    Answer::new(200, "text/plain; version=0.0.4; charset=utf-8", text)
}

/// All paths there are.
fn index(core: &Core) -> Answer {
    let mut paths: Vec<String> = ["/api", "/apis", "/healthz", "/livez", "/readyz", "/metrics"]
        .into_iter()
        .chain(["/openapi/v2", "/openapi/v3", "/version"])
        .map(str::to_owned)
        .collect();
    for served in core.catalogue.load().iter() {
        let kind = &served.resource.kind;
        match kind.group.as_str() {
            "" => paths.push(format!("/api/{}", kind.version)),
            group => {
                paths.push(format!("/apis/{group}"));
                paths.push(format!("/apis/{group}/{}", kind.version));
            }
        }
    }
    for check in CHECKS {
        for endpoint in ["healthz", "livez", "readyz"] {
            paths.push(format!("/{endpoint}/{check}"));
        }
    }
    paths.sort_unstable();
    paths.dedup();
    let document = Document::object().with("paths", &Document::array_of(&paths));
    pretty(&document)
}

fn pretty(document: &Document) -> Answer {
    let mut out = Vec::new();
    go_json::write(document.root(), Layout::Pretty, &mut out);
    Answer::new(200, "application/json", out)
}

fn version(request: &Request) -> Result<Answer, Box<Status>> {
    if request.method != Method::GET {
        return Err(Status::no_such_method().into());
    }
    let json = MediaType::Json.name();
    if !names_one_of(request.header("accept"), &[json]) {
        let text = format!("406: Not Acceptable\n\nAvailable representations: {json}");
        return Err(Status::not_acceptable(text).details(Details::default()).into());
    }
    let document = Document::object()
        .with("major", MAJOR)
        .with("minor", MINOR)
        .with("emulationMajor", MAJOR)
        .with("emulationMinor", MINOR)
        .with("minCompatibilityMajor", MAJOR)
        .with("minCompatibilityMinor", "36")
        .with("gitVersion", &format!("v{MAJOR}.{MINOR}.0+crdkit-{}", env!("CARGO_PKG_VERSION")))
        .with("gitCommit", "")
        .with("gitTreeState", "clean")
        .with("buildDate", "1970-01-01T00:00:00Z")
        .with("goVersion", "none")
        .with("compiler", "rustc")
        .with("platform", &format!("{}/{}", std::env::consts::OS, architecture()));
    Ok(pretty(&document))
}

fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// What is looked at when somebody asks how the server is.
const CHECKS: [&str; 3] = ["ping", "log", "etcd"];

/// How long the store may take to say that it is well.
const STORE_PATIENCE: Duration = Duration::from_secs(2);

async fn health(core: &Core, request: &Request, parts: &[&str]) -> Result<Answer, Box<Status>> {
    let (endpoint, check) = match parts {
        [endpoint] => (*endpoint, None),
        [endpoint, check] if CHECKS.contains(check) => (*endpoint, Some(*check)),
        _ => return Ok(Answer::no_page()),
    };
    let excluded: Vec<&str> = request.query.all("exclude").collect();
    let mut lines = String::new();
    let mut is_well = true;
    for name in CHECKS.into_iter().filter(|name| check.is_none_or(|check| check == *name)) {
        if excluded.contains(&name) {
            let _ = writeln!(lines, "[+]{name} excluded: ok");
            continue;
        }
        let passed = name != "etcd" || is_store_well(core).await;
        is_well &= passed;
        let _ = if passed {
            writeln!(lines, "[+]{name} ok")
        } else {
            writeln!(lines, "[-]{name} failed: reason withheld")
        };
    }
    let unknown = excluded.iter().filter(|name| !CHECKS.contains(name));
    let unknown: Vec<String> = unknown.map(|name| quote(name)).collect();
    if !unknown.is_empty() {
        let _ = writeln!(
            lines,
            "warn: some health checks cannot be excluded: no matches for {}",
            unknown.join(", ")
        );
    }
    let is_verbose = request.query.get("verbose").is_some();
    Ok(match (is_well, is_verbose) {
        (true, false) => Answer::text(200, "ok"),
        (true, true) => Answer::text(200, format!("{lines}{endpoint} check passed\n")),
        (false, _) => Answer::text(500, format!("{lines}{endpoint} check failed\n")),
    })
}

async fn is_store_well(core: &Core) -> bool {
    let answer = tokio::time::timeout(STORE_PATIENCE, core.store.health()).await;
    matches!(answer, Ok(Ok(_)))
}

/// The version of aggregated discovery that is asked for, anywhere among what is accepted.
fn aggregated_form(
    request: &Request,
) -> Option<(aggregated::DiscoveryVersion, Format, &'static str)> {
    parse_accept(request.header("accept")).into_iter().find_map(|clause| {
        let parameter = |name: &str| {
            let found = clause.parameters.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.as_str()).unwrap_or_default()
        };
        let asked = parameter("g") == "apidiscovery.k8s.io"
            && parameter("as") == "APIGroupDiscoveryList"
            && parameter("v") == "v2";
        if !asked {
            return None;
        }
        let (format, name) = match (clause.kind.as_str(), clause.subtype.as_str()) {
            ("application", "json" | "vnd.kubernetes.protobuf") | ("*" | "application", "*") => {
                (Format::Json, "json")
            }
            ("application", "yaml") => (Format::Yaml, "yaml"),
            ("application", "cbor") => (Format::Cbor, "cbor"),
            _ => return None,
        };
        Some((aggregated::DiscoveryVersion::V2, format, name))
    })
}

fn aggregated_answer(request: &Request, document: &Document, format: Format, name: &str) -> Answer {
    let form = Form { format, ..Form::json() };
    let json = Form { format: Format::Json, ..form.clone() }.bytes(document.root());
    let tag = format!("\"{}\"", digest([&*json]));
    if request.header("if-none-match") == tag {
        return Answer::empty(304).header(ETAG, &tag);
    }
    let content_type =
        format!("application/{name};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    Answer::new(200, &content_type, form.bytes(document.root()))
        .header(ETAG, &tag)
        .header(VARY, "Accept")
        .header(CACHE_CONTROL, "public")
}

fn api(core: &Core, request: &Request) -> Result<Answer, Box<Status>> {
    if request.method != Method::GET {
        return Err(Status::no_such_method().into());
    }
    let catalogue = core.catalogue.load();
    if let Some((version, format, name)) = aggregated_form(request) {
        let all = groups(catalogue.iter().map(|it| &it.resource));
        let core_group = all.iter().filter(|group| group.name.is_empty());
        let document = aggregated::discovery(version, core_group);
        return Ok(aggregated_answer(request, &document, format, name));
    }
    if let Some(status) = route_refused(request.header("accept"), false) {
        return Err(status.into());
    }
    let form = Form::of(request, &Offer::plain(true))?;
    let document = legacy::api_versions(["v1"], &request.local_address);
    Ok(form.answer(200, document.root()))
}

fn apis(core: &Core, request: &Request) -> Result<Answer, Box<Status>> {
    let catalogue = core.catalogue.load();
    let all = groups(catalogue.iter().map(|it| &it.resource));
    if let Some((version, format, name)) = aggregated_form(request) {
        let named = all.iter().filter(|group| !group.name.is_empty());
        let document = aggregated::discovery(version, named);
        return Ok(aggregated_answer(request, &document, format, name));
    }
    let form = Form::of(request, &Offer::plain(true))?;
    Ok(form.answer(200, legacy::group_list(&all).root()))
}

/// The documents of native groups, like `/api`, can be had in CBOR; those of CRDs cannot.
fn document_offer(native: bool) -> Offer {
    if native { Offer::plain(true) } else { Offer::plain(true).without(MediaType::Cbor) }
}

fn group_document(core: &Core, request: &Request, name: &str) -> Result<Answer, Box<Status>> {
    let catalogue = core.catalogue.load();
    let all = groups(catalogue.iter().map(|it| &it.resource));
    let Some(group) = all.iter().find(|group| group.name == name && !name.is_empty()) else {
        return Ok(Answer::no_page());
    };
    let form = Form::of(request, &Offer::plain(true))?;
    Ok(form.answer(200, legacy::group(group).root()))
}

fn resources(
    core: &Core,
    request: &Request,
    group: &str,
    version: &str,
) -> Result<Answer, Box<Status>> {
    let catalogue = core.catalogue.load();
    let native = group.is_empty() || catalogue.has_native_group(group);
    let found = catalogue.iter().map(|it| &it.resource);
    let found = found.filter(|it| it.kind.group == group && it.kind.version == version);
    let mut found = found.peekable();
    if found.peek().is_none() {
        return if native { Err(Status::no_such_path().into()) } else { Ok(Answer::no_page()) };
    }
    if native && request.method != Method::GET {
        return Err(Status::no_such_method().into());
    }
    if native && let Some(status) = route_refused(request.header("accept"), false) {
        return Err(status.into());
    }
    let form = match Form::of(request, &document_offer(native)) {
        Ok(form) => form,
        // Not in CBOR either.
        Err(status) => {
            let form = Form { pretty: true, ..Form::json() };
            return Ok(form.answer(status.code, status.document().root()));
        }
    };
    let document = legacy::resource_list(GroupVersion { group, version }, found);
    Ok(form.answer(200, document.root()))
}
