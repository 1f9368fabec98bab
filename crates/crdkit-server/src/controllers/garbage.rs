//! Objects go with their owners: in the background when all owners are gone, before the owner when it waits for them, or
//! they stay without it when it says so.
//!
//! The collector knows of every object its uid and its owners, from the store's feed. It forgets everything and starts over
//! when it cannot follow.

use super::ObjectPlace;
use crate::core::{Core, store_status};
use crate::stored::{self, metadata_text};
use crate::verbs::system_update;
use crdkit_schema::status::Status;
use crdkit_store::{RangeRequest, StoreEntry, WatchEvent};
use crdkit_value::{Document, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";
/// How long to wait before everything is looked at again.
const PAUSE: Duration = Duration::from_secs(1);

/// What is known of an object.
struct GraphNode {
    uid: String,
    namespace: String,
    owners: Vec<String>,
}

#[derive(Default)]
struct Graph {
    /// By key.
    nodes: BTreeMap<String, GraphNode>,
    /// Keys by uid.
    keys: BTreeMap<String, String>,
    /// Keys of objects by the uid of an owner.
    dependents: BTreeMap<String, BTreeSet<String>>,
}

pub(super) async fn run(core: Arc<Core>) {
    loop {
        if let Err(status) = follow(&core).await {
            tracing::warn!(%status, "the garbage collector starts over");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn follow(core: &Arc<Core>) -> Result<(), Box<Status>> {
    let prefix = core.layout.everything();
    let page = core.store.range(RangeRequest::under(&prefix)).await;
    let page = page.map_err(|error| store_status(&error))?;
    let mut graph = Graph::default();
    for entry in &page.entries {
        graph.note(core, entry);
    }
    for entry in &page.entries {
        settle(core, &graph, entry).await?;
    }
    let feed = core.store.watch(&prefix, page.revision).await;
    let mut feed = feed.map_err(|error| store_status(&error))?;
    while let Ok(event) = feed.next().await {
        let WatchEvent::Change(change) = event else { continue };
        match (&change.current, &change.previous) {
            (Some(entry), _) => {
                graph.note(core, entry);
                settle(core, &graph, entry).await?;
            }
            (None, Some(entry)) => {
                if let Some(gone) = graph.forget(&entry.key) {
                    owner_gone(core, &graph, &gone.uid).await?;
                    for owner in &gone.owners {
                        dependent_gone(core, &graph, owner).await?;
                    }
                }
            }
            (None, None) => {}
        }
    }
    Ok(())
}

impl Graph {
    fn note(&mut self, core: &Core, entry: &StoreEntry) {
        self.forget(&entry.key);
        let object = stored::head(entry);
        let root = object.root();
        let uid = metadata_text(root, "uid").to_owned();
        if uid.is_empty() || ObjectPlace::of(core, &entry.key).is_none() {
            return;
        }
        let references = root.pointer("/metadata/ownerReferences");
        let owners: Vec<String> = references
            .into_iter()
            .flat_map(Value::items)
            .filter_map(|it| it.get("uid")?.as_str().map(str::to_owned))
            .collect();
        for owner in &owners {
            self.dependents.entry(owner.clone()).or_default().insert(entry.key.to_string());
        }
        self.keys.insert(uid.clone(), entry.key.to_string());
        let namespace = metadata_text(root, "namespace").to_owned();
        self.nodes.insert(entry.key.to_string(), GraphNode { uid, namespace, owners });
    }

    fn forget(&mut self, key: &str) -> Option<GraphNode> {
        let node = self.nodes.remove(key)?;
        self.keys.remove(&node.uid);
        for owner in &node.owners {
            if let Some(dependents) = self.dependents.get_mut(owner) {
                dependents.remove(key);
                if dependents.is_empty() {
                    self.dependents.remove(owner);
                }
            }
        }
        Some(node)
    }

    /// Whether an owner is there for an object in a namespace: owners are in the same one, or in none.
    fn has_owner(&self, owner: &str, namespace: &str) -> bool {
        let node = self.keys.get(owner).and_then(|key| self.nodes.get(key));
        node.is_some_and(|node| node.namespace.is_empty() || node.namespace == namespace)
    }

    fn dependents(&self, uid: &str) -> Vec<String> {
        self.dependents.get(uid).into_iter().flatten().cloned().collect()
    }
}

/// Does what follows from an object as it is.
async fn settle(core: &Arc<Core>, graph: &Graph, entry: &StoreEntry) -> Result<(), Box<Status>> {
    let Some(node) = graph.nodes.get(&*entry.key) else { return Ok(()) };
    let object = stored::head(entry);
    let root = object.root();
    if root.pointer("/metadata/deletionTimestamp").is_some() {
        let finalizers = root.pointer("/metadata/finalizers");
        let has = |name| {
            let mut finalizers = finalizers.into_iter().flat_map(Value::items);
            finalizers.any(|it| it.as_str() == Some(name))
        };
        if has(ORPHAN) {
            for key in graph.dependents(&node.uid) {
                disown(core, &key, &node.uid).await?;
            }
            return release(core, &entry.key, ORPHAN).await;
        }
        if has(FOREGROUND) {
            let dependents = graph.dependents(&node.uid);
            if dependents.is_empty() {
                return release(core, &entry.key, FOREGROUND).await;
            }
            for key in dependents {
                remove(core, graph, &key).await?;
            }
        }
        return Ok(());
    }
    abandon(core, graph, &entry.key, node).await
}

/// Deletes an object that has owners and none of them is there.
async fn abandon(
    core: &Arc<Core>,
    graph: &Graph,
    key: &str,
    node: &GraphNode,
) -> Result<(), Box<Status>> {
    let is_there = |owner: &String| graph.has_owner(owner, &node.namespace);
    if node.owners.is_empty() || node.owners.iter().any(is_there) {
        return Ok(());
    }
    remove(core, graph, key).await
}

async fn owner_gone(core: &Arc<Core>, graph: &Graph, uid: &str) -> Result<(), Box<Status>> {
    for key in graph.dependents(uid) {
        if let Some(node) = graph.nodes.get(&key) {
            abandon(core, graph, &key, node).await?;
        }
    }
    Ok(())
}

/// An owner that waits may have waited for this one.
async fn dependent_gone(core: &Arc<Core>, graph: &Graph, owner: &str) -> Result<(), Box<Status>> {
    let Some(key) = graph.keys.get(owner) else { return Ok(()) };
    match core.get(key).await? {
        Some(entry) => settle(core, graph, &entry).await,
        None => Ok(()),
    }
}

async fn remove(core: &Arc<Core>, graph: &Graph, key: &str) -> Result<(), Box<Status>> {
    let uid = graph.nodes.get(key).map(|node| node.uid.as_str());
    match ObjectPlace::of(core, key) {
        Some(place) => place.delete(core, uid).await,
        None => Ok(()),
    }
}

/// Takes a finalizer away.
async fn release(core: &Core, key: &str, finalizer: &str) -> Result<(), Box<Status>> {
    let without =
        |old: &Document| edit(old, "/metadata/finalizers", |item| item.as_str() == Some(finalizer));
    change(core, key, without).await
}

/// Takes an owner away.
async fn disown(core: &Core, key: &str, uid: &str) -> Result<(), Box<Status>> {
    let without = |old: &Document| {
        let is_owner = |item: Value<'_>| item.get("uid").and_then(Value::as_str) == Some(uid);
        edit(old, "/metadata/ownerReferences", is_owner)
    };
    change(core, key, without).await
}

/// The object without the items of a list that are chosen; none if there are none.
fn edit(old: &Document, list: &str, chosen: impl Fn(Value<'_>) -> bool) -> Option<Document> {
    let items = old.root().pointer(list)?.items();
    let count = items.clone().count();
    let removed: Vec<_> = items.filter(|item| chosen(*item)).map(Value::id).collect();
    if removed.is_empty() {
        return None;
    }
    let mut new = old.clone();
    let all = removed.len() == count;
    for id in removed {
        new.remove(id);
    }
    if all && let Some(id) = new.root().pointer(list).map(Value::id) {
        new.remove(id);
    }
    Some(new)
}

async fn change(
    core: &Core,
    key: &str,
    make: impl FnMut(&Document) -> Option<Document>,
) -> Result<(), Box<Status>> {
    match ObjectPlace::of(core, key) {
        Some(place) => system_update(core, &place.served, key, make).await.map(drop),
        None => Ok(()),
    }
}
