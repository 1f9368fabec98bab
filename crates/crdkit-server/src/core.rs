//! What all requests share: the store, the catalogue, the settings.

use crate::admission::Admission;
use crate::catalogue::snapshot::{Catalogue, Served};
use crate::crds::Definitions;
use crate::environment::Environment;
use crate::identify::Tokens;
use crate::observe::{AuditLog, Metrics};
use crate::openapi::OpenApiDocuments;
use crate::rbac;
use crate::settings::Settings;
use arc_swap::ArcSwap;
use crdkit_schema::status::Status;
use crdkit_store::{KeyLayout, Revision, Store, StoreEntry, StoreError, Write};
use crdkit_value::Value;
use std::sync::Arc;
use tokio::sync::watch;

/// A server without its sockets.
pub(crate) struct Core {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) layout: KeyLayout,
    pub(crate) catalogue: ArcSwap<Catalogue>,
    pub(crate) definitions: Definitions,
    pub(crate) environment: Environment,
    pub(crate) settings: Settings,
    pub(crate) tokens: Tokens,
    pub(crate) documents: OpenApiDocuments,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) audit: Option<AuditLog>,
    /// Webhooks and policies.
    pub(crate) admission: Admission,
    /// Roles and their bindings.
    pub(crate) roles: ArcSwap<rbac::AccessPolicy>,
    /// Says when the server stops.
    pub(crate) stop: watch::Sender<bool>,
}

impl Core {
    /// One entry, the latest.
    pub(crate) async fn get(&self, key: &str) -> Result<Option<Arc<StoreEntry>>, Box<Status>> {
        self.store.get(key, None).await.map_err(|error| store_status(&error))
    }

    /// A namespace that objects are to be created in.
    pub(crate) async fn namespace(&self, name: &str) -> Result<NamespaceState, Box<Status>> {
        let key = self.layout.object("", "namespaces", None, name);
        let Some(entry) = self.get(&key).await? else { return Ok(NamespaceState::Missing) };
        // The text is what the server wrote itself, and a timestamp stands only where it belongs.
        let object = crate::stored::head(&entry);
        let deleted = object.root().pointer("/metadata/deletionTimestamp").is_some();
        let phase = object.root().pointer("/status/phase").and_then(Value::as_str);
        Ok(if deleted || phase == Some("Terminating") {
            NamespaceState::Terminating
        } else {
            NamespaceState::Active
        })
    }

    /// Writes an object of a kind, and says what the store says.
    pub(crate) async fn write(
        &self,
        served: &Served,
        write: Write,
    ) -> Result<Revision, WriteFailure> {
        match self.store.write(write).await {
            Ok(change) => {
                served.events.note(change.revision);
                Ok(change.revision)
            }
            Err(StoreError::Conflict { current }) => Err(WriteFailure::Conflict(current)),
            Err(error) => Err(WriteFailure::Failed(store_status(&error))),
        }
    }

    /// What is served at a path.
    pub(crate) fn find(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Served>> {
        self.catalogue.load().find(group, version, plural).cloned()
    }
}

/// Whether objects can be created in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamespaceState {
    Active,
    Terminating,
    Missing,
}

/// Why a write did not happen.
pub(crate) enum WriteFailure {
    /// There is something else than what was expected.
    Conflict(Option<Arc<StoreEntry>>),
    Failed(Box<Status>),
}

/// The answer when the store fails.
pub(crate) fn store_status(error: &StoreError) -> Box<Status> {
    Box::new(match error {
        StoreError::TooLarge { .. } => Status::unclassified("etcdserver: request is too large"),
        StoreError::Unavailable(_) | StoreError::Closed => {
            Status::service_unavailable(error.to_string())
        }
        StoreError::Unknown(_) => Status::timeout(&error.to_string(), 2),
        _ => Status::internal_error(error.to_string()),
    })
}

/// Waits until something is said to be so; whoever says nothing any more says the same.
pub(crate) async fn until(mut receiver: watch::Receiver<bool>) {
    let _ = receiver.wait_for(|value| *value).await;
}
