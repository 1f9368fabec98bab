//! What the columns of native kinds say, where that is known: names and ages everywhere, others by kind.

use crate::catalogue::resource::{Column, Resource};
use crdkit_schema::compile::PrinterColumn;

/// The description of a column: its own, or that of native kinds.
pub(super) fn description<'c>(resource: &Resource, column: &'c Column) -> &'c str {
    if !column.description.is_empty() {
        return &column.description;
    }
    match &*column.name {
        "Name" if &*column.format == "name" => Column::NAME,
        "Age" | "Created At" => PrinterColumn::AGE.description,
        name => of_kind(&resource.kind.kind, name),
    }
}

fn of_kind(kind: &str, column: &str) -> &'static str {
    match (kind, column) {
        ("ConfigMap", "Data") => {
            "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. \
             Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not \
             overlap with the keys in the BinaryData field, this is enforced during validation process."
        }
        ("Secret", "Type") => {
            "Used to facilitate programmatic handling of secret data. More info: \
             https://kubernetes.io/docs/concepts/configuration/secret/#secret-types"
        }
        ("Secret", "Data") => {
            "Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'. The \
             serialized form of the secret data is a base64 encoded string, representing the arbitrary (possibly \
             non-string) data value here. Described in https://tools.ietf.org/html/rfc4648#section-4"
        }
        ("Namespace", "Status") => "The status of the namespace",
        ("Lease", "Holder") => {
            "holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is \
             used, the holder identity must be equal to the elected LeaseCandidate.metadata.name field."
        }
        ("CustomResourceDefinition", "Scope") => "Cluster/Namespaced",
        ("CustomResourceDefinition", "Versions") => "Served versions",
        ("CustomResourceDefinition", "Group") => "API group",
        ("CustomResourceDefinition", "Kind") => "CustomResource kind",
        ("CustomResourceDefinition", "ShortNames") => "Short names",
        ("CustomResourceDefinition", "Established") => "Established status",
        ("Scale", "Desired") => "Number of desired replicas",
        ("Scale", "Available") => "Number of actual replicas",
        ("Event", "Last Seen") => {
            "The time at which the most recent occurrence of this event was recorded."
        }
        ("Event", "Type") => {
            "Type of this event (Normal, Warning), new types could be added in the future"
        }
        ("Event", "Reason") => {
            "This should be a short, machine understandable string that gives the reason for the transition into the \
             object's current status."
        }
        ("Event", "Object") => "The object that this event is about.",
        ("Event", "Subobject") => {
            "If referring to a piece of an object instead of an entire object, this string should contain a valid \
             JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object \
             reference is to a container within a pod, this would take on a value like: \"spec.containers{name}\" \
             (where \"name\" refers to the name of the container that triggered the event) or if no container name is \
             specified \"spec.containers[2]\" (container with index 2 in this pod). This syntax is chosen only to have \
             some well-defined way of referencing a part of an object."
        }
        ("Event", "Source") => {
            "The component reporting this event. Should be a short machine understandable string."
        }
        ("Event", "Message") => "A human-readable description of the status of this operation.",
        ("Event", "First Seen") => {
            "The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)"
        }
        ("Event", "Count") => "The number of times this event has occurred.",
        _ => "",
    }
}
