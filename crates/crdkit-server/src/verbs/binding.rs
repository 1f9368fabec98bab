//! A pod is put onto a node: through its own `binding`, or as a `Binding` that names it.
//!
//! In goes the `Binding` of the body, out comes a success without an object. A pod is assigned once, and gets the labels
//! and annotations of its binding.

use super::Target;
use super::review::read;
use super::write::is_terminating;
use crate::admission::Change;
use crate::answer::Answer;
use crate::negotiate::Form;
use crate::options::{WriteKind, WriteOptions};
use crate::rules::Accepted;
use crate::stored::metadata_text;
use crdkit_native::NativeKinds;
use crdkit_schema::status::{Status, Subject};
use crdkit_value::{Document, NewValue, NodeId, Value};

impl Target<'_> {
    /// Puts a pod onto the node that a `Binding` names.
    pub(super) async fn bind(&self) -> Result<Answer, Box<Status>> {
        let form = self.form()?;
        let options = WriteOptions::of(self.request, WriteKind::Create)?;
        let mut binding = self.binding(&options)?;
        let change = Change::create(&options);
        self.mutate(change, &mut binding)?;
        let name = metadata_text(binding.root(), "name").to_owned();
        if self.name.is_some_and(|wanted| wanted != name) {
            let text = "name in URL does not match name in Binding object";
            return Err(Status::bad_request(text).into());
        }
        check_target(binding.root())?;
        self.validate(change, Some(&binding))?;
        if name.is_empty() {
            return Err(Status::bad_request("Name parameter required.").into());
        }
        let Some(served) = self.core.find("", "v1", "pods") else {
            return Err(Status::no_such_path().into());
        };
        let pods = Target { served, name: Some(&name), ..*self };
        let now = self.core.environment.now_text();
        let make = |pod: &Document| {
            let is_own = self.name.is_some();
            pods.check_version_of(&binding, pod, is_own, options.dry_run)?;
            check_unbound(&name, pod.root())?;
            let document = bound(pod.clone(), binding.root(), &now);
            Ok(Accepted { document, written: None, warnings: Vec::new() })
        };
        match pods.replace(&name, options.dry_run, make).await? {
            Some(_) => Ok(created(&form)),
            None => Err(pods.subject(&name).not_found().into()),
        }
    }

    /// The `Binding` in the body.
    fn binding(&self, options: &WriteOptions) -> Result<Document, Box<Status>> {
        let Some(kind) = NativeKinds::latest().find("", "v1", "Binding") else {
            return Err(Status::no_such_path().into());
        };
        let body = self.object_in(self.content_type()?)?;
        let binding = read(kind, &body, &self.engine_options(options))?;
        let namespace = metadata_text(binding.root(), "namespace");
        if !namespace.is_empty() && Some(namespace) != self.namespace {
            let text = "the namespace of the provided object does not match the namespace sent on the request";
            return Err(Status::bad_request(text).into());
        }
        Ok(binding)
    }

    /// Holds a pod against the identity and version that its binding is for; the former counts in a pod's own path.
    fn check_version_of(
        &self,
        binding: &Document,
        pod: &Document,
        is_own: bool,
        dry_run: bool,
    ) -> Result<(), Box<Status>> {
        let name = self.name.unwrap_or_default();
        if is_own {
            self.check_uid(name, binding.root(), pod.root(), dry_run)?;
        }
        let wanted = metadata_text(binding.root(), "resourceVersion");
        let found = metadata_text(pod.root(), "resourceVersion");
        if wanted.is_empty() || wanted == found {
            return Ok(());
        }
        let key = self.key(name);
        let problem = format!(
            "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: \
             ResourceVersion in precondition: {wanted}, ResourceVersion in object meta: {found}"
        );
        Err(self.subject(name).conflict(&problem).into())
    }
}

/// The answer to what made no object.
pub(super) fn created(form: &Form) -> Answer {
    let mut status = Status::new(201, "", "").document();
    status.insert(NodeId::ROOT, "code", 201_i64);
    form.answer(201, status.root())
}

fn check_target(binding: Value<'_>) -> Result<(), Box<Status>> {
    let text = |path| binding.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let mut problems = Vec::new();
    let kind = text("/target/kind");
    if !["", "Node"].contains(&kind) {
        let quoted = crdkit_text::quote::quote(kind);
        problems.push(format!(
            "target.kind: Unsupported value: {quoted}: supported values: \"Node\", \"<empty>\""
        ));
    }
    if text("/target/name").is_empty() {
        problems.push("target.name: Required value".to_owned());
    }
    match problems.as_slice() {
        [] => Ok(()),
        [one] => Err(Status::unclassified(one.as_str()).into()),
        several => Err(Status::unclassified(format!("[{}]", several.join(", "))).into()),
    }
}

/// Lets pass a pod that can be put onto a node.
fn check_unbound(name: &str, pod: Value<'_>) -> Result<(), Box<Status>> {
    let node = pod.pointer("/spec/nodeName").and_then(Value::as_str).unwrap_or_default();
    let is_gated = pod.pointer("/spec/schedulingGates").is_some_and(|it| it.items().len() > 0);
    let problem = if is_terminating(pod) {
        format!("pod {name} is being deleted, cannot be assigned to a host")
    } else if !node.is_empty() {
        format!("pod {name} is already assigned to node {}", crdkit_text::quote::quote(node))
    } else if is_gated {
        format!("pod {name} has non-empty .spec.schedulingGates")
    } else {
        return Ok(());
    };
    let subject = Subject { group: "", version: "v1", kind: "pods/binding", name };
    Err(subject.conflict(&problem).into())
}

/// The pod on the node of its binding, which says that it was scheduled.
fn bound(mut pod: Document, binding: Value<'_>, now: &str) -> Document {
    let node = binding.pointer("/target/name").and_then(Value::as_str).unwrap_or_default();
    if let Some(spec) = member(&mut pod, NodeId::ROOT, "spec", NewValue::EmptyObject) {
        pod.insert(spec, "nodeName", node);
    }
    for key in ["annotations", "labels"] {
        let given = binding.pointer("/metadata").and_then(|it| it.get(key));
        for (name, value) in given.into_iter().flat_map(Value::members) {
            let metadata = member(&mut pod, NodeId::ROOT, "metadata", NewValue::EmptyObject);
            let texts = metadata.and_then(|at| member(&mut pod, at, key, NewValue::EmptyObject));
            if let Some(texts) = texts {
                pod.insert(texts, name, value);
            }
        }
    }
    let status = member(&mut pod, NodeId::ROOT, "status", NewValue::EmptyObject);
    if let Some(status) = status {
        crate::stored::remove(&mut pod, status, "nominatedNodeName");
    }
    let condition = Document::object()
        .with("type", "PodScheduled")
        .with("status", "True")
        .with("lastProbeTime", NewValue::Null)
        .with("lastTransitionTime", now);
    conditioned(pod, &condition)
}

/// An object with a condition in place of the one of its type; the time of the last transition stays if there is none.
pub(super) fn conditioned(mut object: Document, condition: &Document) -> Document {
    let status = member(&mut object, NodeId::ROOT, "status", NewValue::EmptyObject);
    let list = status.and_then(|at| member(&mut object, at, "conditions", NewValue::EmptyArray));
    let Some(list) = list else { return object };
    let is_same = |old: &Value<'_>, key| old.get(key) == condition.root().get(key);
    let old = object.value(list).items().find(|old| is_same(old, "type"));
    let since = old.filter(|old| is_same(old, "status"));
    let since = since.and_then(|old| old.get("lastTransitionTime")?.as_str()).map(str::to_owned);
    let mut condition = condition.clone();
    if let Some(since) = since {
        condition.insert(NodeId::ROOT, "lastTransitionTime", &*since);
    }
    match old.map(Value::id) {
        Some(at) => object.set(at, &condition),
        None => object.push(list, &condition),
    };
    object
}

/// The member of an object, which is made where it is missing.
pub(super) fn member(
    document: &mut Document,
    at: NodeId,
    key: &str,
    empty: NewValue<'static>,
) -> Option<NodeId> {
    let found = document.value(at).get(key).filter(|it| !it.is_null()).map(Value::id);
    found.or_else(|| document.insert(at, key, empty))
}
