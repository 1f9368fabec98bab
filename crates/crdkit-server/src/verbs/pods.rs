//! What can be done to pods without nodes: they are assigned to one, and evicted.

use super::write::system_update;
use super::{BodyObject, DeleteOptions, Target, delete_object};
use crate::answer::Answer;
use crate::options::{WriteKind, WriteOptions};
use crate::stored;
use crdkit_codec::DecodeOptions;
use crdkit_schema::status::Status;
use crdkit_value::{Document, NewValue, NodeId, Value};

impl Target<'_> {
    /// Puts a pod onto the node that a `Binding` names.
    pub(super) async fn bind(&self) -> Result<Answer, Box<Status>> {
        let name = self.name()?;
        let form = self.form()?;
        let options = WriteOptions::of(self.request, WriteKind::Create)?;
        let binding = self.body_document()?;
        let node =
            binding.root().pointer("/target/name").and_then(Value::as_str).unwrap_or_default();
        let Some(entry) = self.entry(name).await? else {
            return Err(self.subject(name).not_found().into());
        };
        let assigned = stored::object(&entry);
        let assigned = assigned.root().pointer("/spec/nodeName").and_then(Value::as_str);
        if let Some(other) = assigned.filter(|other| !other.is_empty()) {
            let problem = format!("pod {name} is already assigned to node \"{other}\"");
            return Err(self.subject(name).conflict(&problem).into());
        }
        if !options.dry_run {
            let now = self.core.environment.now_text();
            let make = |old: &Document| Some(bound(old.clone(), node, &now));
            system_update(self.core, &self.served, &self.key(name), make).await?;
        }
        Ok(form.answer(201, Status::new(201, "", "").document().root()))
    }

    /// Deletes a pod as an `Eviction` asks for.
    pub(super) async fn evict(&self) -> Result<Answer, Box<Status>> {
        let name = self.name()?;
        let form = self.form()?;
        let options = WriteOptions::of(self.request, WriteKind::Create)?;
        let eviction = self.body_document()?;
        let of = |path: &str| eviction.root().pointer(path);
        let text = |path: &str| of(path).and_then(Value::as_str).map(str::to_owned);
        let dry_run = of("/deleteOptions/dryRun").is_some_and(|it: Value<'_>| it.items().len() > 0);
        let deletion = DeleteOptions {
            dry_run: options.dry_run || dry_run,
            uid: text("/deleteOptions/preconditions/uid"),
            version: text("/deleteOptions/preconditions/resourceVersion"),
            orphan: None,
            propagation: text("/deleteOptions/propagationPolicy"),
            grace: of("/deleteOptions/gracePeriodSeconds").and_then(Value::as_i64),
            lingers: true,
            ..DeleteOptions::default()
        };
        delete_object(self, name, &deletion).await?;
        Ok(form.answer(201, Status::new(201, "", "").document().root()))
    }

    /// The body as it stands.
    pub(super) fn body_document(&self) -> Result<Document, Box<Status>> {
        match self.object_in(self.content_type()?)? {
            BodyObject::Document(document) => Ok(document),
            BodyObject::Bytes(format, bytes) => {
                let decoded = format.decode(bytes, &DecodeOptions::default());
                decoded
                    .map(|decoded| decoded.document)
                    .map_err(|issue| Status::bad_request(issue.server_message()).into())
            }
        }
    }
}

/// The pod on a node, which says that it was scheduled.
fn bound(mut pod: Document, node: &str, now: &str) -> Document {
    let member = |document: &mut Document, at: NodeId, key: &str, empty: NewValue<'static>| {
        let found = document.value(at).get(key).map(Value::id);
        found.or_else(|| document.insert(at, key, empty))
    };
    if let Some(spec) = member(&mut pod, NodeId::ROOT, "spec", NewValue::EmptyObject) {
        pod.insert(spec, "nodeName", node);
    }
    let status = member(&mut pod, NodeId::ROOT, "status", NewValue::EmptyObject);
    let conditions = status.and_then(|at| member(&mut pod, at, "conditions", NewValue::EmptyArray));
    let Some(conditions) = conditions else { return pod };
    let is_scheduled =
        |item: &Value<'_>| item.get("type").and_then(Value::as_str) == Some("PodScheduled");
    if pod.value(conditions).items().any(|item| is_scheduled(&item)) {
        return pod;
    }
    let condition = Document::object()
        .with("type", "PodScheduled")
        .with("status", "True")
        .with("lastProbeTime", NewValue::Null)
        .with("lastTransitionTime", now);
    pod.push(conditions, &condition);
    pod
}
