//! Namespaces that are deleted: everything in them is deleted first, then they are let go.

use super::{ObjectPlace, PAUSE};
use crate::core::{Core, store_status};
use crate::stored;
use crate::verbs::system_update;
use crdkit_schema::status::Status;
use crdkit_store::{RangeRequest, Revision, WatchEvent};
use crdkit_value::{Document, NewValue, NodeId};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) async fn run(core: Arc<Core>) {
    let prefix = core.layout.collection("", "namespaces", None);
    let mut after = Revision(0);
    loop {
        // What is there, then what happens; again from the start when that cannot be followed.
        if let Ok(page) = core.store.range(RangeRequest::under(&prefix)).await {
            after = page.revision;
            for entry in &page.entries {
                consider(&core, &prefix, &entry.key, &stored::object(entry));
            }
        }
        if let Ok(mut feed) = core.store.watch(&prefix, after).await {
            while let Ok(event) = feed.next().await {
                if let WatchEvent::Change(change) = event
                    && let Some(entry) = &change.current
                {
                    consider(&core, &prefix, &entry.key, &stored::object(entry));
                }
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn consider(core: &Arc<Core>, prefix: &str, key: &str, namespace: &Document) {
    if namespace.root().pointer("/metadata/deletionTimestamp").is_none() {
        return;
    }
    let (core, key) = (Arc::clone(core), key.to_owned());
    let name = key.strip_prefix(prefix).unwrap_or_default().to_owned();
    tokio::spawn(async move {
        while let Err(status) = empty(&core, &name).await {
            tracing::warn!(%status, name, "a namespace could not be emptied");
            tokio::time::sleep(PAUSE).await;
        }
        if let Err(status) = release(&core, &key).await {
            tracing::warn!(%status, name, "a namespace could not be let go");
        }
    });
}

/// Deletes everything in a namespace, and waits until it is gone.
async fn empty(core: &Arc<Core>, name: &str) -> Result<(), Box<Status>> {
    loop {
        let catalogue = core.catalogue.load_full();
        let namespaced = catalogue.iter().filter(|served| served.resource.namespaced);
        let prefixes: BTreeSet<String> =
            namespaced.map(|served| served.collection(&core.layout, Some(name))).collect();
        let mut left = false;
        for prefix in prefixes {
            let page = core.store.range(RangeRequest::under(&prefix)).await;
            let page = page.map_err(|error| store_status(&error))?;
            for entry in page.entries {
                left = true;
                if let Some(place) = ObjectPlace::of(core, &entry.key) {
                    place.delete(core, None).await?;
                }
            }
        }
        if !left {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn release(core: &Core, key: &str) -> Result<(), Box<Status>> {
    let Some(served) = core.find("", "v1", "namespaces") else { return Ok(()) };
    let release = |old: &Document| {
        let mut new = old.clone();
        new.insert(NodeId::ROOT, "spec", NewValue::EmptyObject);
        Some(new)
    };
    system_update(core, &served, key, release).await.map(drop)
}
