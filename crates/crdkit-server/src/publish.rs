//! OpenAPI documents as they are asked for: made when they are first needed, kept for as long as they are right.
//!
//! A document is found by the hash of what it is made of, so a change of one CRD leaves the documents of other groups alone.

use crate::answer::Answer;
use crate::catalogue::snapshot::{Catalogue, Served};
use crate::core::Core;
use crate::openapi::{Form, protobuf, v2, v3};
use crate::request::Request;
use crdkit_codec::go_json;
use crdkit_codec::json::Layout;
use crdkit_codec::media::parse_accept;
use crdkit_native::NativeKinds;
use crdkit_text::kind::GroupVersion;
use hyper::header::{CACHE_CONTROL, ETAG, EXPIRES, LAST_MODIFIED, LOCATION, VARY};
use std::collections::BTreeMap;
use std::sync::Arc;

const PROTOBUF_V2: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const PROTOBUF_V3: &str = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";

/// Where the document of version 2 is kept.
const V2: &str = "openapi/v2";

/// `info` of documents about native kinds.
const NATIVE: v3::Info<'static> = v3::Info { title: "Kubernetes", version: "v1.37.0" };

impl Served {
    fn fingerprint(&self) -> &str {
        self.published.fingerprint(&self.resource)
    }
}

fn native(definition: &str) -> Option<&'static str> {
    NativeKinds::latest().schema(definition)
}

/// The kinds of one version of one group, by its path.
fn versions(catalogue: &Catalogue) -> BTreeMap<String, Vec<&Arc<Served>>> {
    let mut versions: BTreeMap<String, Vec<&Arc<Served>>> = BTreeMap::new();
    for served in catalogue.iter() {
        let path = v3::path(served.resource.kind.group_version());
        versions.entry(path).or_default().push(served);
    }
    versions
}

fn version_hash(served: &[&Arc<Served>]) -> String {
    v3::hash(served.iter().map(|it| it.fingerprint()))
}

/// `/openapi/v3`.
pub(crate) fn index(core: &Core) -> Answer {
    let catalogue = core.catalogue.load();
    let versions = versions(&catalogue);
    let hashes: Vec<(&str, String)> =
        versions.iter().map(|(path, served)| (path.as_str(), version_hash(served))).collect();
    let document = v3::index(hashes.iter().map(|(path, hash)| (*path, hash.as_str())));
    let mut out = Vec::new();
    go_json::write(document.root(), Layout::Compact, &mut out);
    Answer::new(200, "text/plain; charset=utf-8", out)
}

/// The form that a client accepts of a document.
fn wanted(request: &Request, version: &str) -> Option<Form> {
    let accept = request.header("accept");
    if accept.is_empty() {
        return Some(Form::Json);
    }
    let names = [
        format!("com.github.proto-openapi.spec.{version}@v1.0+protobuf"),
        format!("com.github.proto-openapi.spec.{version}.v1.0+protobuf"),
    ];
    for clause in parse_accept(accept) {
        match (clause.kind.as_str(), clause.subtype.as_str()) {
            ("*" | "application", "*") | ("application", "json") => return Some(Form::Json),
            ("application", subtype) if names.iter().any(|name| name == subtype) => {
                return Some(Form::Protobuf);
            }
            _ => {}
        }
    }
    None
}

/// `/openapi/v3/…`: the document of one version of a group.
pub(crate) fn document(core: &Core, request: &Request, path: &str) -> Answer {
    let catalogue = core.catalogue.load();
    let mut versions = versions(&catalogue);
    let Some(served) = versions.remove(path) else { return Answer::empty(404) };
    let tag = version_hash(&served);
    let asked = request.query.text("hash");
    if !asked.is_empty() && asked != tag {
        let right = v3::relative_url(path, &tag);
        return Answer::new(301, "application/json", Vec::new()).header(LOCATION, &right);
    }
    let Some(form) = wanted(request, "v3") else { return Answer::empty(406) };
    let content_type = match form {
        Form::Json => "application/json",
        Form::Protobuf => PROTOBUF_V3,
    };
    let quoted = format!("\"{tag}\"");
    if request.header("if-none-match") == quoted {
        return Answer::empty(304).header(ETAG, &quoted);
    }
    let json = || {
        core.documents.get(Form::Json, path, &tag, || {
            let custom = served.iter().all(|it| it.resource.is_custom());
            let resources: Vec<_> = served.iter().map(|it| &it.resource).collect();
            v3::document(if custom { v3::Info::CUSTOM } else { NATIVE }, resources, &native)
        })
    };
    let bytes = match form {
        Form::Json => json(),
        Form::Protobuf => core.documents.get(form, path, &tag, || protobuf::encode_v3(&json())),
    };
    let mut answer = Answer::new(200, content_type, bytes)
        .header(ETAG, &quoted)
        .header(VARY, "Accept")
        .header(LAST_MODIFIED, &http_date(core, 0));
    if !asked.is_empty() {
        const YEAR: u64 = 365 * 24 * 3600;
        answer = answer
            .header(CACHE_CONTROL, "public, immutable")
            .header(EXPIRES, &http_date(core, YEAR));
    }
    answer
}

/// `/openapi/v2`: everything in one document.
pub(crate) fn everything(core: &Core, request: &Request) -> Answer {
    let Some(form) = wanted(request, "v2") else { return Answer::empty(406) };
    let content_type = match form {
        Form::Json => "application/json",
        Form::Protobuf => PROTOBUF_V2,
    };
    let catalogue = core.catalogue.load();
    let tag = v3::hash(catalogue.iter().map(|it| it.fingerprint()));
    let quoted = format!("\"{tag}\"");
    if request.header("if-none-match") == quoted {
        return Answer::empty(304).header(ETAG, &quoted);
    }
    let json = || {
        core.documents.get(Form::Json, V2, &tag, || {
            let parts: Vec<_> =
                catalogue.iter().map(|it| it.published.part(&it.resource)).collect();
            v2::document(NATIVE, parts, &native)
        })
    };
    let bytes = match form {
        Form::Json => json(),
        Form::Protobuf => core.documents.get(form, V2, &tag, || protobuf::encode_v2(&json())),
    };
    Answer::new(200, content_type, bytes).header(ETAG, &quoted).header(VARY, "Accept")
}

/// Whether a path below `/openapi/v3/` can be that of a document.
pub(crate) fn document_path(parts: &[&str]) -> Option<String> {
    match parts {
        ["api", version] => Some(v3::path(GroupVersion { group: "", version })),
        ["apis", group, version] => Some(v3::path(GroupVersion { group, version })),
        _ => None,
    }
}

/// A time as HTTP writes it, some seconds from now.
fn http_date(core: &Core, seconds: u64) -> String {
    let millis = core.environment.clock.now().0 + seconds * 1000;
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_millis(millis);
    httpdate::fmt_http_date(time)
}
