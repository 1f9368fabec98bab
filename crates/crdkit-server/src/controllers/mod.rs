//! What a cluster does by itself: namespaces that are deleted take what is in them along, and objects go with their owners.
//!
//! Controllers look at the store's feed, as any watcher does, and write as any client does: what they do can be seen, and
//! done by somebody else instead.

mod garbage;
mod namespaces;
mod policies;

use crate::catalogue::snapshot::Served;
use crate::core::{Core, until};
use crate::request::Request;
use crate::verbs::{DeleteOptions, Target, delete_object};
use crdkit_schema::status::Status;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// How long to wait for what cannot be done at once.
const PAUSE: Duration = Duration::from_millis(200);

/// Starts the controllers that are switched on.
pub(crate) fn start(core: &Arc<Core>) -> Vec<JoinHandle<()>> {
    let mut tasks = Vec::new();
    if core.settings.namespace_deletion {
        tasks
            .push(tokio::spawn(until_stopped(Arc::clone(core), namespaces::run(Arc::clone(core)))));
    }
    if core.settings.garbage_collection {
        tasks.push(tokio::spawn(until_stopped(Arc::clone(core), garbage::run(Arc::clone(core)))));
    }
    if core.settings.policy_checking {
        tasks.push(tokio::spawn(until_stopped(Arc::clone(core), policies::run(Arc::clone(core)))));
    }
    tasks
}

async fn until_stopped(core: Arc<Core>, work: impl Future<Output = ()>) {
    tokio::select! {
        () = until(core.stop.subscribe()) => {}
        () = work => {}
    }
}

/// Where an object is.
struct ObjectPlace {
    served: Arc<Served>,
    namespace: Option<String>,
    name: String,
}

impl ObjectPlace {
    /// The object at a key.
    fn of(core: &Core, key: &str) -> Option<Self> {
        let catalogue = core.catalogue.load();
        let (served, rest) = catalogue.at_key(key.strip_prefix(&core.layout.everything())?)?;
        let (namespace, name) = match (served.resource.namespaced, rest.split_once('/')) {
            (true, Some((namespace, name))) => (Some(namespace.to_owned()), name),
            (false, None) => (None, rest),
            _ => return None,
        };
        let served = Arc::clone(served);
        (!name.contains('/')).then(|| Self { served, namespace, name: name.to_owned() })
    }

    /// Deletes the object, as long as it is the one with this uid.
    async fn delete(&self, core: &Arc<Core>, uid: Option<&str>) -> Result<(), Box<Status>> {
        let request = Request::internal();
        let target = Target {
            core,
            request: &request,
            served: Arc::clone(&self.served),
            namespace: self.namespace.as_deref(),
            name: Some(&self.name),
            subresource: None,
        };
        // There is no node that would end a pod.
        let options = DeleteOptions {
            uid: uid.map(str::to_owned),
            grace: Some(0),
            ..DeleteOptions::default()
        };
        match delete_object(&target, &self.name, &options).await {
            Err(status) if ![404, 409].contains(&status.code) => Err(status),
            _ => Ok(()),
        }
    }
}
