//! Objects that come from a program and not from a client: created, or put in the place of what is there.
//!
//! They go the way of every request, as an administrator's, so what is wrong with them is said in the server's words.

use crate::core::Core;
use crate::handle;
use crate::identify::User;
use crate::query::Query;
use crate::request::{Request, RequestBody};
use crate::stored::{self, metadata_text};
use crdkit_codec::json::{self, Layout};
use crdkit_schema::status::Status;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Value};
use hyper::Method;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use std::sync::Arc;

/// How often an object that others write as well is tried.
const ATTEMPTS: usize = 10;

/// Creates `object`, or puts it in the place of the one with its name.
pub(crate) async fn put(core: &Arc<Core>, object: &Document) -> Result<(), Box<Status>> {
    let collection = collection(core, object.root())?;
    let created = send(core, Method::POST, collection.clone(), object).await;
    let name = metadata_text(object.root(), "name");
    let mut failure = match created {
        Err(status) if status.reason == "AlreadyExists" && !name.is_empty() => status,
        created => return created,
    };
    for _ in 0..ATTEMPTS {
        let mut object = object.clone();
        let version = version(core, object.root(), name).await?;
        let metadata = stored::metadata(&mut object);
        object.insert(metadata, "resourceVersion", &version);
        match send(core, Method::PUT, format!("{collection}/{name}"), &object).await {
            Err(status) if status.reason == "Conflict" => failure = status,
            written => return written,
        }
    }
    Err(failure)
}

async fn send(
    core: &Arc<Core>,
    method: Method,
    path: String,
    object: &Document,
) -> Result<(), Box<Status>> {
    let mut body = Vec::new();
    json::write(object.root(), Layout::Compact, &mut body);
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let user = User::administrator();
    let query = Query::parse("fieldManager=crdkit");
    let body = RequestBody::Whole(body.into());
    let request = Request::new(method, path, query, headers, user, body);
    handle::dispatch(core, &request).await.map(drop)
}

/// The path of all objects of a kind in a namespace.
fn collection(core: &Core, object: Value<'_>) -> Result<String, Box<Status>> {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let kind = GroupVersionKind::of(text("apiVersion"), text("kind"));
    let catalogue = core.catalogue.load();
    let Some(served) = catalogue.iter().find(|it| it.resource.kind == kind) else {
        return Err(Status::bad_request(format!("nothing is served of {kind}")).into());
    };
    let resource = &served.resource;
    let root = match kind.group.as_str() {
        "" => format!("/api/{}", kind.version),
        group => format!("/apis/{group}/{}", kind.version),
    };
    Ok(if resource.namespaced {
        let namespace = match metadata_text(object, "namespace") {
            "" => "default",
            namespace => namespace,
        };
        format!("{root}/namespaces/{namespace}/{}", resource.plural)
    } else {
        format!("{root}/{}", resource.plural)
    })
}

/// The version of the object that is there.
async fn version(core: &Core, object: Value<'_>, name: &str) -> Result<String, Box<Status>> {
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let kind = GroupVersionKind::of(text("apiVersion"), text("kind"));
    let catalogue = core.catalogue.load_full();
    let served = catalogue.iter().find(|it| it.resource.kind == kind);
    let Some(served) = served else { return Ok(String::new()) };
    let namespace = match metadata_text(object, "namespace") {
        "" => "default",
        namespace => namespace,
    };
    let namespace = served.resource.namespaced.then_some(namespace);
    let entry = core.get(&served.key(&core.layout, namespace, name)).await?;
    Ok(entry.map_or_else(String::new, |entry| entry.revision.0.to_string()))
}
