//! The objects of one resource: read, written, deleted.

use crate::answer::{status, text};
use crate::call::{Call, CallBody};
use crate::judge::{Judged, judge};
use crate::{
    ApplyOptions, Client, ClientError, DeleteOptions, List, ListOptions, Manifest, Resource,
    WriteOptions,
};
use crdkit_codec::media::PatchType;
use crdkit_codec::typed;
use crdkit_patch::{Definitions, Schema, managed};
use crdkit_schema::compile::Table;
use crdkit_schema::status::Status;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::Document;
use http::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// So many objects are asked for at a time where all are wanted.
const PAGE: u64 = 500;

/// The objects of a resource, in all namespaces unless it is [`within`](Api::within) one.
pub struct Api<T> {
    pub(crate) client: Client,
    pub(crate) resource: Resource,
    pub(crate) namespace: Option<String>,
    pub(crate) subresource: Option<String>,
    pub(crate) read: fn(Document) -> Result<T, ClientError>,
    write: fn(&T) -> Result<Document, ClientError>,
}

impl<T> Clone for Api<T> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            resource: self.resource.clone(),
            namespace: self.namespace.clone(),
            subresource: self.subresource.clone(),
            read: self.read,
            write: self.write,
        }
    }
}

/// A change of an object.
#[derive(Clone, Debug)]
pub enum Patch {
    /// RFC 6902: a list of operations.
    Json(Document),
    /// RFC 7396: what is given replaces, `null` removes.
    Merge(Document),
    /// Kubernetes' own merge, which native kinds have.
    Strategic(Document),
}

/// What became of an object that was to be deleted.
#[derive(Clone, Debug)]
pub enum Deleted<T> {
    /// It is still there, because something holds it.
    Held(T),
    /// It is gone.
    Gone(Box<Status>),
}

impl Api<Document> {
    pub(crate) fn dynamic(client: Client, resource: Resource) -> Self {
        let write = |document: &Document| Ok(document.clone());
        Self { client, resource, namespace: None, subresource: None, read: Ok, write }
    }
}

impl<T: Serialize + DeserializeOwned> Api<T> {
    pub(crate) fn typed(client: Client, resource: Resource) -> Self {
        let (read, write) = (|document: Document| read_typed(&document), write_typed);
        Self { client, resource, namespace: None, subresource: None, read, write }
    }
}

fn read_typed<T: DeserializeOwned>(document: &Document) -> Result<T, ClientError> {
    Ok(typed::from_value(document.root())?)
}

fn write_typed<T: Serialize>(object: &T) -> Result<Document, ClientError> {
    Ok(typed::to_sparse_document(object)?)
}

impl<T> Api<T> {
    /// The same within a namespace.
    #[must_use]
    pub fn within(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_owned());
        self
    }

    /// The same of a subresource: `status` has the same objects.
    #[must_use]
    pub fn subresource(mut self, subresource: &str) -> Self {
        self.subresource = Some(subresource.to_owned());
        self
    }

    /// Its objects as documents. The subresource `scale` has other objects than the resource.
    pub fn as_dynamic(&self) -> Api<Document> {
        let api = Api::dynamic(self.client.clone(), self.resource.clone());
        Api { namespace: self.namespace.clone(), subresource: self.subresource.clone(), ..api }
    }

    pub(crate) fn collection(&self) -> String {
        self.resource.path(self.namespace.as_deref(), None, None)
    }

    fn object(&self, name: &str) -> String {
        self.resource.path(self.namespace.as_deref(), Some(name), self.subresource.as_deref())
    }

    async fn call(&self, call: &Call<'_>) -> Result<T, ClientError> {
        (self.read)(self.client.call(call).await?)
    }

    /// The object called `name`.
    ///
    /// # Errors
    /// When there is none, or no answer.
    pub async fn get(&self, name: &str) -> Result<T, ClientError> {
        self.call(&Call::get(self.object(name))).await
    }

    /// One page of objects.
    ///
    /// # Errors
    /// When the server refuses or does not answer, or an object is not of the type.
    pub async fn list(&self, options: &ListOptions) -> Result<List<T>, ClientError> {
        let mut call = Call::get(self.collection());
        options.write(&mut call.query);
        List::of(&self.client.call(&call).await?).try_map(self.read)
    }

    /// All objects, page by page. Where that takes so long that the list is forgotten, all of them at once.
    ///
    /// # Errors
    /// As for [`list`](Self::list).
    pub async fn list_all(&self, options: &ListOptions) -> Result<List<T>, ClientError> {
        let mut options = options.clone();
        if options.limit == 0 {
            options.limit = PAGE;
        }
        let mut whole = self.list(&options).await?;
        while !whole.continue_token.is_empty() {
            // A token knows its version.
            options.resource_version.clear();
            options.resource_version_match.clear();
            options.continue_token = std::mem::take(&mut whole.continue_token);
            match self.list(&options).await {
                Ok(page) => {
                    whole.items.extend(page.items);
                    whole.continue_token = page.continue_token;
                    whole.resource_version = page.resource_version;
                }
                Err(error) if error.code() == 410 => {
                    options.limit = 0;
                    options.continue_token.clear();
                    return self.list(&options).await;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(whole)
    }

    /// Creates an object.
    ///
    /// # Errors
    /// When it is refused, here or by the server, or there is no answer.
    pub async fn create(&self, object: &T, options: &WriteOptions) -> Result<T, ClientError> {
        let document = (self.write)(object)?;
        self.create_document(&document, None, options).await
    }

    /// Creates the object of a manifest. What is wrong with it is told with line and column.
    ///
    /// # Errors
    /// As for [`create`](Self::create).
    pub async fn create_manifest(
        &self,
        manifest: &Manifest,
        options: &WriteOptions,
    ) -> Result<T, ClientError> {
        self.create_document(manifest.document(), Some(manifest), options).await
    }

    async fn create_document(
        &self,
        document: &Document,
        manifest: Option<&Manifest>,
        options: &WriteOptions,
    ) -> Result<T, ClientError> {
        self.judge(Judged::Create, document, manifest, options)?;
        let mut call = Call::new(Method::POST, self.collection(), CallBody::Object(document));
        options.write(self.client.settings(), &mut call.query);
        self.call(&call).await
    }

    /// Replaces the object that has the name of this one. An object that is judged first is compared with what is there, which takes another
    /// request.
    ///
    /// # Errors
    /// When it is refused, here or by the server, or there is no answer.
    pub async fn replace(&self, object: &T, options: &WriteOptions) -> Result<T, ClientError> {
        let document = (self.write)(object)?;
        let name = text(document.root().pointer("/metadata/name")).to_owned();
        let subresource = self.subresource.as_deref();
        if self.is_judged(&document) && matches!(subresource, None | Some("status")) {
            let old = self.as_dynamic().get(&name).await?;
            let judged = match subresource {
                None => Judged::Update(&old),
                Some(_) => Judged::UpdateStatus(&old),
            };
            self.judge(judged, &document, None, options)?;
        }
        let mut call = Call::new(Method::PUT, self.object(&name), CallBody::Object(&document));
        options.write(self.client.settings(), &mut call.query);
        self.call(&call).await
    }

    /// Changes the object called `name`.
    ///
    /// # Errors
    /// When it is refused, or there is no answer.
    pub async fn patch(
        &self,
        name: &str,
        patch: &Patch,
        options: &WriteOptions,
    ) -> Result<T, ClientError> {
        let (kind, document) = match patch {
            Patch::Json(document) => (PatchType::Json, document),
            Patch::Merge(document) => (PatchType::Merge, document),
            Patch::Strategic(document) => (PatchType::Strategic, document),
        };
        let body = CallBody::Patch(kind, document);
        let mut call = Call::new(Method::PATCH, self.object(name), body);
        options.write(self.client.settings(), &mut call.query);
        self.call(&call).await
    }

    /// Applies a configuration: the fields that it names are owned by the manager, and become what it says.
    ///
    /// # Errors
    /// When it is refused, because somebody else owns a field for example, or there is no answer.
    pub async fn apply(
        &self,
        configuration: &Document,
        options: &ApplyOptions,
    ) -> Result<T, ClientError> {
        let name = text(configuration.root().pointer("/metadata/name"));
        let body = CallBody::Patch(PatchType::ApplyYaml, configuration);
        let mut call = Call::new(Method::PATCH, self.object(name), body);
        options.write(self.client.settings(), &mut call.query);
        self.call(&call).await
    }

    /// The configuration that `manager` has applied to the object called `name`, to be changed and applied again; none if there is none.
    ///
    /// # Errors
    /// When there is no such object, or no answer.
    pub async fn applied(
        &self,
        name: &str,
        manager: &str,
    ) -> Result<Option<Document>, ClientError> {
        let object = self.as_dynamic().get(name).await?;
        let root = object.root();
        let (api_version, kind) = (text(root.get("apiVersion")), text(root.get("kind")));
        let subresource = self.subresource.as_deref().unwrap_or_default();
        let extract = |schema| managed::extract_applied(&schema, &object, manager, subresource);
        let wanted = GroupVersionKind::of(api_version, kind);
        let definition = self.client.crds().by_version(&wanted);
        if let Some(Ok(crd)) = definition.map(|definition| definition.compiled())
            && let Some(version) = crd.version(&wanted.version)
        {
            return Ok(extract(Schema::new(crd.table(), version.schema, !crd.prunes())));
        }
        let native = Schema::of_kind(Definitions::native(), api_version, kind);
        Ok(extract(native.unwrap_or_else(|| Schema::new(Table::empty(), None, true))))
    }

    /// Deletes the object called `name`.
    ///
    /// # Errors
    /// When there is none, it is not the one that is meant, or there is no answer.
    pub async fn delete(
        &self,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Deleted<T>, ClientError> {
        let body = options.document();
        let body = body.as_ref().map_or(CallBody::None, CallBody::Object);
        let mut call = Call::new(Method::DELETE, self.object(name), body);
        options.write(&mut call.query);
        let answer = self.client.call(&call).await?;
        if text(answer.root().get("kind")) == "Status" {
            return Ok(Deleted::Gone(Box::new(status(answer.root(), 200))));
        }
        Ok(Deleted::Held((self.read)(answer)?))
    }

    /// Deletes all objects that are selected.
    ///
    /// # Errors
    /// When the server refuses or does not answer.
    pub async fn delete_collection(
        &self,
        selected: &ListOptions,
        options: &DeleteOptions,
    ) -> Result<(), ClientError> {
        let body = options.document();
        let body = body.as_ref().map_or(CallBody::None, CallBody::Object);
        let mut call = Call::new(Method::DELETE, self.collection(), body);
        selected.write(&mut call.query);
        options.write(&mut call.query);
        self.client.call(&call).await.map(drop)
    }

    fn is_judged(&self, document: &Document) -> bool {
        self.client.crds().by_version(&kind_of(document)).is_some()
    }

    /// Has an object judged before it is sent, if its CRD is known.
    fn judge(
        &self,
        judged: Judged<'_>,
        document: &Document,
        manifest: Option<&Manifest>,
        options: &WriteOptions,
    ) -> Result<(), ClientError> {
        let Some(definition) = self.client.crds().by_version(&kind_of(document)) else {
            return Ok(());
        };
        let namespace = self.namespace.as_deref();
        judge(definition, judged, document, manifest, namespace, options)
            .map_err(ClientError::Verdict)
    }
}

fn kind_of(document: &Document) -> GroupVersionKind {
    let root = document.root();
    GroupVersionKind::of(text(root.get("apiVersion")), text(root.get("kind")))
}
