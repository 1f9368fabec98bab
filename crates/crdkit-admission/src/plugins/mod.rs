//! Admission that every server has without being told: limits, quotas, pod security, classes.
//!
//! A plugin changes objects before they are checked ([`Plugins::mutate`]) or refuses them afterwards
//! ([`Plugins::validate`]); quotas are last, and what they count is for the caller to store ([`quota::charge`]). Plugins
//! read other objects, which the caller finds for them.

mod classes;
mod limits;
mod pod_security;
pub mod quota;
mod resources;
mod topology;

use crate::request::{AdmissionRequest, Operation, Remarks};
use crdkit_schema::status::Status;
use crdkit_value::{Document, NewValue, NodeId, Value};

/// Finds objects: all of a group and resource, in a namespace or, if that is empty, anywhere.
pub type FindObjects<'f> = &'f dyn Fn(&str, &str, &str) -> Vec<Document>;

/// The plugins that can be left out, by the names they have on a command line.
const NAMES: [&str; 10] = [
    "DefaultIngressClass",
    "DefaultStorageClass",
    "DefaultTolerationSeconds",
    "LimitRanger",
    "PersistentVolumeClaimResize",
    "PodSecurity",
    "PodTopologyLabels",
    "Priority",
    "ResourceQuota",
    "RuntimeClass",
];

/// Which plugins are asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plugins {
    disabled: Vec<&'static str>,
}

impl Plugins {
    /// All plugins but those with these names; names of others mean nothing here.
    pub fn without<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let known = |name: &'n str| NAMES.into_iter().find(|known| *known == name);
        Self { disabled: names.into_iter().filter_map(known).collect() }
    }

    /// Whether the plugin with this name is asked.
    pub fn has(&self, name: &str) -> bool {
        !self.disabled.contains(&name)
    }

    /// Changes an object as plugins want it. The object of `request` is as it was sent.
    ///
    /// # Errors
    /// The answer, when a plugin refuses.
    pub fn mutate(
        &self,
        request: &AdmissionRequest<'_>,
        object: &mut Document,
        find: FindObjects<'_>,
    ) -> Result<(), Box<Status>> {
        let is_new = request.operation == Operation::Create;
        let is_written = is_new || request.operation == Operation::Update;
        let resource = (&*request.resource.group, &*request.resource.resource);
        if is_new && resource == ("", "pods") && self.has("PodTopologyLabels") {
            topology::set_labels(request, object, find);
        }
        if !request.subresource.is_empty() || !is_written {
            return Ok(());
        }
        match resource {
            ("", "pods") => {
                if self.has("LimitRanger") {
                    limits::mutate(request, object, find);
                }
                if self.has("Priority") {
                    classes::set_priority(request, object, find)?;
                }
                if self.has("DefaultTolerationSeconds") {
                    classes::set_tolerations(object);
                }
                if is_new && self.has("RuntimeClass") {
                    classes::set_runtime(request, object, find)?;
                }
            }
            ("", "persistentvolumeclaims") if is_new && self.has("DefaultStorageClass") => {
                classes::set_storage(object, find);
            }
            ("networking.k8s.io", "ingresses") if is_new && self.has("DefaultIngressClass") => {
                classes::set_ingress(object, find);
            }
            _ => {}
        }
        Ok(())
    }

    /// Judges the object of `request` as it would be stored; quotas aside.
    ///
    /// # Errors
    /// The answer, when a plugin refuses.
    pub fn validate(
        &self,
        request: &AdmissionRequest<'_>,
        find: FindObjects<'_>,
        remarks: &mut Remarks,
    ) -> Result<(), Box<Status>> {
        if self.has("LimitRanger") {
            limits::validate(request, find)?;
        }
        if self.has("PodSecurity") {
            pod_security::validate(request, find, remarks)?;
        }
        if !request.subresource.is_empty() {
            return Ok(());
        }
        let resource = (&*request.resource.group, &*request.resource.resource);
        match (resource, request.operation) {
            (("scheduling.k8s.io", "priorityclasses"), Operation::Create | Operation::Update)
                if self.has("Priority") =>
            {
                classes::check_priority_class(request, find)
            }
            (("", "persistentvolumeclaims"), Operation::Update)
                if self.has("PersistentVolumeClaimResize") =>
            {
                classes::check_resize(request, find)
            }
            (("", "pods"), Operation::Create) if self.has("RuntimeClass") => {
                classes::check_runtime(request, find)
            }
            (("networking.k8s.io", "ingresses"), Operation::Create) => {
                remarks.warnings.extend(classes::annotated_ingress(request));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Several problems in the form that Go gives them: each once, in brackets if there are more than one.
fn aggregate(problems: &[String]) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for problem in problems {
        if !distinct.contains(&problem.as_str()) {
            distinct.push(problem);
        }
    }
    match distinct.as_slice() {
        [one] => (*one).to_owned(),
        several => format!("[{}]", several.join(", ")),
    }
}

/// The member at the end of `path`, which is made where it is missing: objects, and `last` at the end.
fn ensure(document: &mut Document, path: &[&str], last: NewValue<'static>) -> Option<NodeId> {
    NodePlace(document, NodeId::ROOT).ensure(path, last)
}

/// A place in a document.
struct NodePlace<'d>(&'d mut Document, NodeId);

impl NodePlace<'_> {
    fn ensure(self, path: &[&str], last: NewValue<'static>) -> Option<NodeId> {
        let Self(document, mut at) = self;
        for (index, key) in path.iter().enumerate() {
            let empty = if index + 1 == path.len() { last } else { NewValue::EmptyObject };
            let found = document.value(at).get(key).filter(|it| !it.is_null()).map(Value::id);
            at = found.or_else(|| document.insert(at, key, empty))?;
        }
        Some(at)
    }
}
