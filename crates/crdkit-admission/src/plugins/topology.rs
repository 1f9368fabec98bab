//! Pods say where they run: a pod that is made on a node, or put onto one, has the node's labels of zone and region.
//!
//! Upstream: `kubernetes/plugin/pkg/admission/podtopologylabels`.

use super::{FindObjects, ensure};
use crate::request::AdmissionRequest;
use crdkit_value::{Document, NewValue, Value};

/// The labels that are taken over, in place of what was there.
const LABELS: [&str; 2] = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];

/// Gives a pod or a binding the labels of its node, if there is one.
pub(super) fn set_labels(
    request: &AdmissionRequest<'_>,
    object: &mut Document,
    find: FindObjects<'_>,
) {
    let text = |path| object.root().pointer(path).and_then(Value::as_str).unwrap_or_default();
    let wanted = match request.subresource {
        "" => text("/spec/nodeName"),
        "binding" if text("/target/kind") == "Node" => text("/target/name"),
        _ => return,
    };
    if wanted.is_empty() {
        return;
    }
    let is_wanted = |node: &Document| {
        node.root().pointer("/metadata/name").and_then(Value::as_str) == Some(wanted)
    };
    let Some(node) = find("", "nodes", "").into_iter().find(is_wanted) else { return };
    for label in LABELS {
        let value = node.root().pointer("/metadata/labels").and_then(|it| it.get(label));
        let Some(value) = value else { continue };
        if let Some(labels) = ensure(object, &["metadata", "labels"], NewValue::EmptyObject) {
            object.insert(labels, label, value);
        }
    }
}
