//! OpenAPI documents as they are asked for: made when they are first needed, kept for as long as they are right.
//!
//! A document is found by the hash of what it is made of, so a change of one CRD leaves the documents of other groups alone.

use crate::answer::Answer;
use crate::catalogue::snapshot::{Catalogue, Served};
use crate::core::Core;
use crate::openapi::{fingerprint, v2, v3};
use crate::paths::hash;
use crate::request::Request;
use bytes::Bytes;
use crdkit_codec::json::Layout;
use crdkit_codec::media::parse_accept;
use crdkit_codec::go_json;
use crdkit_native::NativeKinds;
use crdkit_text::kind::GroupVersion;
use hyper::header::{CACHE_CONTROL, ETAG, EXPIRES, LAST_MODIFIED, LOCATION, VARY};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

/// Documents that were made.
#[derive(Default)]
pub(crate) struct Published {
    /// By path, with the hash of what they are made of.
    documents: Mutex<BTreeMap<String, (String, Bytes)>>,
}

/// What is known of a kind for documents.
#[derive(Default)]
pub(crate) struct Description {
    fingerprint: OnceLock<String>,
    v2: OnceLock<v2::Part>,
}

const PROTOBUF_V3: &str = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";

impl Served {
    fn fingerprint(&self) -> &str {
        self.description.fingerprint.get_or_init(|| fingerprint(&self.resource))
    }
}

impl Published {
    /// The document at `path`, made by `make` unless there is one with this hash.
    fn get(&self, path: &str, hash: &str, make: impl FnOnce() -> Vec<u8>) -> Bytes {
        if let Ok(documents) = self.documents.lock()
            && let Some((known, bytes)) = documents.get(path)
            && known == hash
        {
            return bytes.clone();
        }
        let bytes = Bytes::from(make());
        if let Ok(mut documents) = self.documents.lock() {
            documents.insert(path.to_owned(), (hash.to_owned(), bytes.clone()));
        }
        bytes
    }
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

/// What a client accepts of a document.
enum Wanted {
    Json,
    Protobuf,
    Nothing,
}

fn wanted(request: &Request, version: &str) -> Wanted {
    let accept = request.header("accept");
    if accept.is_empty() {
        return Wanted::Json;
    }
    let names = [
        format!("com.github.proto-openapi.spec.{version}@v1.0+protobuf"),
        format!("com.github.proto-openapi.spec.{version}.v1.0+protobuf"),
    ];
    for clause in parse_accept(accept) {
        match (clause.kind.as_str(), clause.subtype.as_str()) {
            ("*" | "application", "*") | ("application", "json") => return Wanted::Json,
            ("application", subtype) if names.iter().any(|name| name == subtype) => {
                return Wanted::Protobuf;
            }
            _ => {}
        }
    }
    Wanted::Nothing
}

/// `/openapi/v3/…`: the document of one version of a group.
pub(crate) fn document(core: &Core, request: &Request, path: &str) -> Answer {
    let catalogue = core.catalogue.load();
    let mut versions = versions(&catalogue);
    let Some(served) = versions.remove(path) else { return Answer::empty(404) };
    let tag = version_hash(&served);
    let asked = request.query.text("hash");
    if !asked.is_empty() && asked != tag {
        return Answer::new(301, "application/json", "")
            .header(LOCATION, &v3::relative_url(path, &tag));
    }
    let content_type = match wanted(request, "v3") {
        Wanted::Json => "application/json",
        Wanted::Protobuf => PROTOBUF_V3,
        Wanted::Nothing => return Answer::empty(406),
    };
    let quoted = format!("\"{tag}\"");
    if request.header("if-none-match") == quoted {
        return Answer::empty(304).header(ETAG, &quoted);
    }
    let bytes = core.published.get(path, &tag, || {
        let info = match served.iter().all(|it| it.resource.is_custom()) {
            true => v3::Info::CUSTOM,
            false => v3::Info { title: "Kubernetes", version: "v1.37.0" },
        };
        let resources: Vec<_> = served.iter().map(|it| &it.resource).collect();
        v3::document(info, resources, &|name| NativeKinds::latest().schema(name))
    });
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
    let content_type = match wanted(request, "v2") {
        Wanted::Json => "application/json",
        Wanted::Protobuf | Wanted::Nothing => return Answer::empty(406),
    };
    let catalogue = core.catalogue.load();
    let tag = v3::hash(catalogue.iter().map(|it| it.fingerprint()));
    let bytes = core.published.get("openapi/v2", &tag, || {
        let parts: Vec<&v2::Part> = catalogue
            .iter()
            .map(|it| it.description.v2.get_or_init(|| v2::Part::new(&it.resource)))
            .collect();
        let info = v3::Info { title: "Kubernetes", version: "v1.37.0" };
        v2::document(info, parts, &|name| NativeKinds::latest().schema(name))
    });
    let quoted = format!("\"{}\"", hash(tag.as_bytes()));
    if request.header("if-none-match") == quoted {
        return Answer::empty(304).header(ETAG, &quoted);
    }
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
