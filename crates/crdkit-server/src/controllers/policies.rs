//! Validating policies: their status says which expressions do not fit the kinds that they are about.

use super::PAUSE;
use crate::configured;
use crate::core::Core;
use crate::stored;
use crate::verbs::system_update;
use crdkit_admission::{KnownSchemas, policy};
use crdkit_schema::status::Status;
use crdkit_store::{RangeRequest, Revision, WatchEvent};
use crdkit_value::{Document, NewValue, NodeId, Value};
use std::sync::Arc;

const GROUP: &str = "admissionregistration.k8s.io";
const PLURAL: &str = "validatingadmissionpolicies";

pub(super) async fn run(core: Arc<Core>) {
    let Some(served) = core.find(GROUP, "v1", PLURAL) else { return };
    let prefix = served.collection(&core.layout, None);
    let mut after = Revision(0);
    loop {
        if let Ok(page) = core.store.range(RangeRequest::under(&prefix)).await {
            after = page.revision;
            for entry in &page.entries {
                consider(&core, &entry.key, &stored::object(entry)).await;
            }
        }
        if let Ok(mut feed) = core.store.watch(&prefix, after).await {
            while let Ok(event) = feed.next().await {
                if let WatchEvent::Change(change) = event
                    && let Some(entry) = &change.current
                {
                    consider(&core, &entry.key, &stored::object(entry)).await;
                }
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn consider(core: &Core, key: &str, policy: &Document) {
    if is_checked(policy) {
        return;
    }
    if let Err(status) = check(core, key).await {
        tracing::warn!(%status, key, "a policy could not be checked");
    }
}

/// Whether the status is about the policy as it is.
fn is_checked(policy: &Document) -> bool {
    let number = |pointer: &str| policy.root().pointer(pointer).and_then(Value::as_i64);
    number("/status/observedGeneration") == number("/metadata/generation")
}

async fn check(core: &Core, key: &str) -> Result<(), Box<Status>> {
    let Some(served) = core.find(GROUP, "v1", PLURAL) else { return Ok(()) };
    let plural = "customresourcedefinitions";
    let crds = configured::objects(core, "apiextensions.k8s.io", plural, "").await;
    let schemas = KnownSchemas::new(crds);
    let update = |old: &Document| {
        if is_checked(old) {
            return None;
        }
        let found = policy::check(old.root(), &schemas);
        let warnings = found.warnings();
        let warnings: Vec<Document> = warnings
            .iter()
            .map(|(field, text)| Document::object().with("fieldRef", *field).with("warning", text))
            .collect();
        let mut checking = Document::object();
        if !warnings.is_empty() {
            checking = checking.with("expressionWarnings", &Document::array_of(&warnings));
        }
        let generation = old.root().pointer("/metadata/generation").and_then(Value::as_i64);
        let mut new = old.clone();
        let known = new.root().get("status").filter(|it| it.as_object().is_some()).map(Value::id);
        let status = known.or_else(|| new.insert(NodeId::ROOT, "status", NewValue::EmptyObject))?;
        new.insert(status, "observedGeneration", generation.unwrap_or_default());
        new.insert(status, "typeChecking", &checking);
        Some(new)
    };
    system_update(core, &served, key, update).await.map(drop)
}
