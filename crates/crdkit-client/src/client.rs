//! The client: chooses formats, sends, asks again, and reads what comes back.

use crate::answer::{self, header, text};
use crate::call::{Call, CallBody};
use crate::resource::{discovery_path, group_version_path};
use crate::{Api, ClientError, ClientSettings, Manifest, Resource};
use crdkit_codec::cbor::{self, Order};
use crdkit_codec::json::{self, Layout};
use crdkit_codec::media::{Fallback, MediaType, PatchType, WriteTarget};
use crdkit_schema::set::CrdSet;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Value};
use http::header::{ACCEPT, CONTENT_TYPE, WARNING};
use http::{Method, Request, Response};
use http_body_util::{BodyExt as _, Limited};
use kube::client::Body;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A client of one server. Cheap to clone; clones share what is known of the server.
#[derive(Clone)]
pub struct Client {
    transport: kube::Client,
    settings: Arc<ClientSettings>,
    known: Arc<Mutex<Fallback>>,
    crds: CrdSet,
}

impl Client {
    /// A client with a connection, which settings of `kube` describe: JSON, and nothing judged before it is sent.
    pub fn new(transport: kube::Client) -> Self {
        Self { transport, settings: Arc::default(), known: Arc::default(), crds: CrdSet::default() }
    }

    /// The same client with these settings.
    #[must_use]
    pub fn with_settings(mut self, settings: ClientSettings) -> Self {
        self.settings = Arc::new(settings);
        self
    }

    /// The same client, which judges objects of these CRDs before it sends them.
    #[must_use]
    pub fn with_crds(mut self, crds: CrdSet) -> Self {
        self.crds = crds;
        self
    }

    /// Its settings.
    pub fn settings(&self) -> &ClientSettings {
        &self.settings
    }

    pub(crate) fn crds(&self) -> &CrdSet {
        &self.crds
    }

    /// Objects as documents.
    pub fn dynamic(&self, resource: Resource) -> Api<Document> {
        Api::dynamic(self.clone(), resource)
    }

    /// Objects as values of a Rust type.
    pub fn typed<T: Serialize + DeserializeOwned>(&self, resource: Resource) -> Api<T> {
        Api::typed(self.clone(), resource)
    }

    /// Where objects like this one are: its resource, in its namespace or in that of the connection, if the kind has any.
    ///
    /// # Errors
    /// When the server does not serve the kind, or does not answer.
    pub async fn api_of(&self, object: &Document) -> Result<Api<Document>, ClientError> {
        let root = object.root();
        let (api_version, kind) = (text(root.get("apiVersion")), text(root.get("kind")));
        let wanted = GroupVersionKind::of(api_version, kind);
        let (resource, is_namespaced) = self.find(&wanted).await?;
        let api = self.dynamic(resource);
        let namespace = match text(root.pointer("/metadata/namespace")) {
            "" => self.transport.default_namespace(),
            given => given,
        };
        Ok(if is_namespaced { api.within(namespace) } else { api })
    }

    /// Creates the object of a manifest where it belongs.
    ///
    /// # Errors
    /// When it is refused, here or by the server.
    pub async fn create(&self, manifest: &Manifest) -> Result<Document, ClientError> {
        let api = self.api_of(manifest.document()).await?;
        api.create_manifest(manifest, &crate::WriteOptions::default()).await
    }

    /// The resource of a kind, and whether its objects are in namespaces.
    ///
    /// # Errors
    /// When the server does not serve the kind, or does not answer.
    pub async fn find(&self, kind: &GroupVersionKind) -> Result<(Resource, bool), ClientError> {
        let unknown = || {
            let group = Some(&kind.group).filter(|group| !group.is_empty());
            ClientError::UnknownKind {
                api_version: group.map_or_else(String::new, |group| format!("{group}/"))
                    + &kind.version,
                kind: kind.kind.clone(),
            }
        };
        let list = match self.call(&Call::get(discovery_path(kind))).await {
            Err(error) if error.code() == 404 => return Err(unknown()),
            other => other?,
        };
        let mut resources = list.root().get("resources").into_iter().flat_map(Value::items);
        let found = resources
            .find(|it| text(it.get("kind")) == kind.kind && !text(it.get("name")).contains('/'));
        let found = found.ok_or_else(unknown)?;
        let resource = Resource::new(&kind.group, &kind.version, text(found.get("name")));
        let is_namespaced = found.get("namespaced").and_then(Value::as_bool).unwrap_or_default();
        Ok((resource, is_namespaced))
    }

    /// Finds out in what formats the resources of a version can be written, from the server's description of itself.
    ///
    /// # Errors
    /// When there is none, or no answer.
    pub async fn learn_openapi(&self, group: &str, version: &str) -> Result<(), ClientError> {
        let index = self.call(&Call::get("/openapi/v3".to_owned())).await?;
        let key = group_version_path(group, version);
        let entry =
            index.root().get("paths").and_then(|paths| paths.get(key.trim_start_matches('/')));
        let Some(address) = entry.and_then(|entry| entry.get("serverRelativeURL")?.as_str()) else {
            return Err(ClientError::Answer {
                request: "GET /openapi/v3".to_owned(),
                problem: format!("it does not describe {key}"),
            });
        };
        let document = self.call(&Call::get(address.to_owned())).await?;
        self.known().learn_openapi(document.root());
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, Fallback> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The document that a request is answered with.
    pub(crate) async fn call(&self, call: &Call<'_>) -> Result<Document, ClientError> {
        let (parts, body) = self.open(call).await?.into_parts();
        let body = self.collect(&call.name(), body).await?;
        answer::document(&call.name(), &parts.headers, &body, &self.settings.limits)
    }

    /// An answer that does not refuse, before its body is read.
    pub(crate) async fn open(&self, call: &Call<'_>) -> Result<Response<Body>, ClientError> {
        let target = WriteTarget::new(call.method.as_str(), &call.path);
        let retry = &self.settings.retry;
        let (mut repeated, mut is_refused) = (0, false);
        loop {
            let content_type = self.content_type(call, &target);
            let request = self.request(call, content_type.as_deref())?;
            let response = match self.transport.send(request).await {
                Ok(response) => response,
                Err(error) => {
                    let may_repeat = call.method == Method::GET && was_reached(&error);
                    let Some(pause) = retry.pause(repeated).filter(|_| may_repeat) else {
                        return Err(transport(call, error));
                    };
                    tokio::time::sleep(pause).await;
                    repeated += 1;
                    continue;
                }
            };
            let (code, headers) = (response.status(), response.headers());
            for warning in headers.get_all(WARNING).iter().filter_map(|it| it.to_str().ok()) {
                tracing::warn!(request = call.name(), warning, "the server warns");
            }
            if code.is_success() {
                return Ok(response);
            }
            if let Some(content_type) = content_type.filter(|_| !is_refused) {
                let accepts = header(headers, &ACCEPT);
                is_refused = self.known().saw(&target, &content_type, code.as_u16(), accepts);
                if is_refused {
                    continue;
                }
            }
            if let Some(pause) = retry.after_answer(repeated, code, headers) {
                tokio::time::sleep(pause).await;
                repeated += 1;
                continue;
            }
            let (parts, body) = response.into_parts();
            let body = self.collect(&call.name(), body).await?;
            let limits = &self.settings.limits;
            let status = answer::refusal(code.as_u16(), &parts.headers, &body, limits);
            return Err(ClientError::Refused(Box::new(status)));
        }
    }

    /// What the body of a request is written as, if it has one.
    fn content_type(&self, call: &Call<'_>, target: &WriteTarget) -> Option<String> {
        let gates = self.settings.gates;
        let preferred = match call.body {
            CallBody::None => return None,
            CallBody::Object(_) => gates.dynamic().content_type,
            CallBody::Patch(PatchType::ApplyYaml | PatchType::ApplyCbor, _) => {
                gates.apply().name().to_owned()
            }
            CallBody::Patch(kind, _) => gates.patch(kind).name().to_owned(),
        };
        Some(self.known().choose(target, &preferred).to_owned())
    }

    fn request(
        &self,
        call: &Call<'_>,
        content_type: Option<&str>,
    ) -> Result<Request<Body>, ClientError> {
        let mut body = Vec::new();
        if let CallBody::Object(document) | CallBody::Patch(_, document) = call.body {
            let root = document.root();
            match content_type {
                Some(name) if name == MediaType::Cbor.name() => {
                    cbor::encode(root, Order::Sorted, &mut body)
                        .map_err(|error| ClientError::Encode(error.to_string()))?;
                }
                // The configuration of an apply has no tag in front, as Kubernetes' clients write it.
                Some(name) if name.ends_with("+cbor") => {
                    cbor::write(root, Order::Sorted, &mut body)
                        .map_err(|error| ClientError::Encode(error.to_string()))?;
                }
                // JSON is YAML.
                _ => json::write(root, Layout::Compact, &mut body),
            }
        }
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(call.target())
            .header(ACCEPT, self.settings.gates.dynamic().accept);
        if let Some(content_type) = content_type {
            request = request.header(CONTENT_TYPE, content_type);
        }
        request.body(Body::from(body)).map_err(|error| ClientError::Encode(error.to_string()))
    }

    async fn collect(&self, request: &str, body: Body) -> Result<bytes::Bytes, ClientError> {
        let collected = Limited::new(body, self.settings.max_answer).collect().await;
        let collected = collected.map_err(|problem| ClientError::Answer {
            request: request.to_owned(),
            problem: problem.to_string(),
        })?;
        Ok(collected.to_bytes())
    }
}

fn transport(call: &Call<'_>, error: kube::Error) -> ClientError {
    ClientError::Transport { request: call.name(), source: Box::new(error) }
}

/// Whether there was a connection, so that it broke and another may not.
fn was_reached(error: &kube::Error) -> bool {
    match error {
        kube::Error::HyperError(_) => true,
        kube::Error::Service(error) => error
            .downcast_ref::<hyper_util::client::legacy::Error>()
            .is_some_and(|error| !error.is_connect()),
        _ => false,
    }
}
