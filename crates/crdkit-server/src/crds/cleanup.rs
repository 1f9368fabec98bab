//! A CRD that is deleted takes its objects with it: they are deleted as anybody would delete them, and when none is left
//! the CRD goes as well.

use super::conditions::{self, Conditions};
use super::{GROUP, MANAGER, PLURAL, follow};
use crate::catalogue::snapshot::Served;
use crate::core::Core;
use crate::manage::Managing;
use crate::request::Request;
use crate::stored;
use crate::verbs::{DeleteOptions, Target, delete_object, system_update};
use crdkit_schema::status::Status;
use crdkit_store::{RangeRequest, WatchEvent};
use crdkit_value::{Document, NewValue, Value};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

const FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";
/// How long to wait before trying again what failed.
const PAUSE: Duration = Duration::from_secs(1);

/// What happens to a CRD when its deletion begins.
pub(crate) fn before_deletion(crd: &mut Document, now: &str) {
    if super::is_terminating(crd.root()) {
        return;
    }
    let metadata = stored::metadata(crd);
    let list = crd.value(metadata).get("finalizers").filter(|it| it.as_array().is_some());
    let list = match list.map(Value::id) {
        Some(list) => Some(list),
        None => crd.insert(metadata, "finalizers", NewValue::EmptyArray),
    };
    if let Some(list) = list
        && !crd.value(list).items().any(|it| it.as_str() == Some(FINALIZER))
    {
        crd.push(list, FINALIZER);
    }
    let message =
        "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    Conditions::of(crd, now).set("Terminating", true, "InstanceDeletionPending", message);
}

/// Begins to clean up.
pub(super) fn start(core: &Arc<Core>, name: &str) {
    let (core, name) = (Arc::clone(core), name.to_owned());
    tokio::spawn(async move { clean(core, name).await });
}

/// Boxed, because what follows from the end of a CRD can be the beginning of another cleaning.
fn clean(core: Arc<Core>, name: String) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        while let Err(status) = remove(&core, &name).await {
            tracing::warn!(%status, name, "objects of a CRD could not be deleted");
            tokio::time::sleep(PAUSE).await;
        }
        follow(&core, &name).await;
    })
}

async fn remove(core: &Arc<Core>, name: &str) -> Result<(), Box<Status>> {
    let key = core.layout.object(GROUP, PLURAL, None, name);
    let Some(entry) = core.get(&key).await? else { return Ok(()) };
    let document = stored::object(&entry);
    let root = document.root();
    let text = |path| root.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let (group, plural) = (text("/spec/group"), text("/spec/names/plural"));
    let established = conditions::is_true(root, "Established");
    if established {
        // Whichever version is served: all of them lead to the same objects.
        let catalogue = core.catalogue.load_full();
        let served = catalogue.iter().find(|it| {
            it.resource.is_custom()
                && it.resource.kind.group == group
                && &*it.resource.plural == plural
        });
        match served {
            Some(served) => remove_objects(core, served).await?,
            None => remove_entries(core, group, plural).await?,
        }
    }
    let Some(served) = core.find(GROUP, "v1", PLURAL) else { return Ok(()) };
    let now = core.environment.now_text();
    let managing = Managing {
        served: &served,
        manager: MANAGER,
        subresource: "status",
        now: core.environment.now(),
    };
    let finish = |old: &Document| {
        let mut new = old.clone();
        let metadata = stored::metadata(&mut new);
        let list = new.value(metadata).get("finalizers");
        let ours = list.into_iter().flat_map(Value::items);
        let ours: Vec<_> =
            ours.filter(|it| it.as_str() == Some(FINALIZER)).map(Value::id).collect();
        for id in ours {
            new.remove(id);
        }
        let (reason, message) = if established {
            ("InstanceDeletionCompleted", "removed all instances")
        } else {
            ("NeverEstablished", "resource was never established")
        };
        Conditions::of(&mut new, &now).set("Terminating", false, reason, message);
        managing.update(Some(old), &mut new);
        Some(new)
    };
    system_update(core, &served, &key, finish).await?;
    Ok(())
}

/// Deletes all objects, and waits for those that are held.
async fn remove_objects(core: &Arc<Core>, served: &Arc<Served>) -> Result<(), Box<Status>> {
    let prefix = served.collection(&core.layout, None);
    let request = Request::internal();
    loop {
        let page = core.store.range(RangeRequest::under(&prefix)).await;
        let page = page.map_err(|error| crate::core::store_status(&error))?;
        for entry in &page.entries {
            let rest = entry.key.strip_prefix(&prefix).unwrap_or_default();
            let (namespace, name) = match rest.rsplit_once('/') {
                Some((namespace, name)) => (Some(namespace), name),
                None => (None, rest),
            };
            let target = Target {
                core,
                request: &request,
                served: Arc::clone(served),
                namespace,
                name: Some(name),
                subresource: None,
            };
            match delete_object(&target, name, &DeleteOptions::default()).await {
                Err(status) if status.code != 404 => return Err(status),
                _ => {}
            }
        }
        let now = core.store.range(RangeRequest { limit: 1, ..RangeRequest::under(&prefix) }).await;
        let now = now.map_err(|error| crate::core::store_status(&error))?;
        if now.entries.is_empty() {
            return Ok(());
        }
        let feed = core.store.watch(&prefix, now.revision).await;
        let mut feed = feed.map_err(|error| crate::core::store_status(&error))?;
        // Something about the rest has to change first.
        while let Ok(event) = feed.next().await {
            if matches!(event, WatchEvent::Change(_)) {
                break;
            }
        }
    }
}

/// Removes entries that nobody can reach any more.
async fn remove_entries(core: &Core, group: &str, plural: &str) -> Result<(), Box<Status>> {
    let prefix = core.layout.collection(group, plural, None);
    let page = core.store.range(RangeRequest::under(&prefix)).await;
    let page = page.map_err(|error| crate::core::store_status(&error))?;
    for entry in page.entries {
        let write = crdkit_store::Write::delete(&entry.key, crdkit_store::Expect::Any);
        let _ = core.store.write(write).await;
    }
    Ok(())
}
