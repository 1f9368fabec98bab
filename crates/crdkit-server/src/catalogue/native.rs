//! Native kinds that are served.

use super::resource::{Cell, Column, Resource, ResourceSchema, Subresource, Verb};
use super::snapshot::Served;
use crate::crds;
use crate::rules::Rules;
use crdkit_codec::{DecodeOptions, Format};
use crdkit_native::{NativeKind, NativeKinds};
use crdkit_schema::compile::PrinterColumn;
use crdkit_store::Revision;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::Value;
use std::sync::Arc;
use tokio::sync::watch;

/// All native kinds, until `end` says so.
pub(crate) fn served(end: &watch::Sender<bool>) -> Vec<Arc<Served>> {
    let serve = |resource, rules| {
        Arc::new(Served::new(resource, rules, Revision(0), false, end.subscribe()))
    };
    let kinds = NativeKinds::latest().all().iter().filter(|kind| kind.group != crds::GROUP);
    let native = kinds.filter_map(|kind| {
        let is_review = ["authentication.k8s.io", "authorization.k8s.io"].contains(&kind.group);
        let rules = match kind.storage {
            Some(_) => Rules::Native(kind),
            None if is_review && kind.kind.ends_with("Review") => Rules::Review(kind),
            None if (kind.group, kind.kind) == ("", "Binding") => Rules::Review(kind),
            None => return None,
        };
        Some(serve(resource(kind), rules))
    });
    native.chain([serve(definitions(), Rules::Definition)]).collect()
}

/// A native kind as it is served.
fn resource(kind: &'static NativeKind) -> Resource {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).into()).collect();
    let verbs = |names: &[&str]| names.iter().filter_map(|name| Verb::parse(name)).collect();
    let subresources = kind.subresources.iter().map(|part| Subresource {
        name: part.name.into(),
        kind: GroupVersionKind {
            group: part.group.to_owned(),
            version: part.version.to_owned(),
            kind: part.kind.to_owned(),
        },
        verbs: verbs(&part.verbs),
    });
    let columns = kind.columns.iter().map(|column| Column {
        name: column.name.into(),
        type_name: column.kind.into(),
        format: column.format.into(),
        description: description(kind, column.name),
        priority: i32::try_from(column.priority).unwrap_or_default(),
        cell: Cell::Native(column.name.into()),
    });
    let selectors = kind.field_selectors.iter();
    let selectors =
        selectors.filter(|field| !["metadata.name", "metadata.namespace"].contains(field));
    let storage = kind.storage.map(|it| GroupVersionKind::of(it.api_version, it.kind));
    Resource {
        kind: GroupVersionKind {
            group: kind.group.to_owned(),
            version: kind.version.to_owned(),
            kind: kind.kind.to_owned(),
        },
        list_kind: kind.list_kind.into(),
        plural: kind.plural.into(),
        singular: kind.singular.into(),
        short_names: texts(&kind.short_names),
        categories: texts(&kind.categories),
        namespaced: kind.namespaced,
        verbs: verbs(&kind.verbs),
        subresources: subresources.collect(),
        storage,
        columns: columns.collect(),
        selectable_fields: selectors.map(|field| (*field).into()).collect(),
        deprecation: Some(kind.warning).filter(|text| !text.is_empty()).map(Into::into),
        schema: ResourceSchema::Native { definition: kind.definition().into() },
    }
}

/// Columns that show a field whose name is another one: the kind, the column, the definition and the field.
const SHOWN: [(&str, &str, &str, &str); 6] = [
    ("Lease", "Holder", "io.k8s.api.coordination.v1.LeaseSpec", "holderIdentity"),
    ("Event", "Last Seen", "io.k8s.api.core.v1.Event", "lastTimestamp"),
    ("Event", "First Seen", "io.k8s.api.core.v1.Event", "firstTimestamp"),
    ("Event", "Subobject", "io.k8s.api.core.v1.ObjectReference", "fieldPath"),
    ("Event", "Source", "io.k8s.api.core.v1.Event", "source"),
    ("Event", "Object", "io.k8s.api.core.v1.Event", "involvedObject"),
];

/// What a column says: what is said about the field that it shows.
fn description(kind: &NativeKind, column: &str) -> Box<str> {
    match (kind.kind, column) {
        (_, "Name") => return Column::name().description,
        (_, "Age") => return PrinterColumn::AGE.description.into(),
        ("Namespace", "Status") => return "The status of the namespace".into(),
        _ => {}
    }
    let shown = SHOWN.iter().find(|(of, name, ..)| (*of, *name) == (kind.kind, column));
    let (definition, field) = match shown {
        Some((_, _, definition, field)) => (*definition, (*field).to_owned()),
        None => (kind.definition(), column.to_lowercase()),
    };
    let schema = NativeKinds::latest().schema(definition).unwrap_or_default();
    let decoded = Format::Json.decode(schema.as_bytes(), &DecodeOptions::default());
    let Ok(decoded) = decoded else { return Box::default() };
    let properties = decoded.document.root().get("properties");
    let description = properties.and_then(|it| it.get(&field)).and_then(|it| it.get("description"));
    description.and_then(Value::as_str).unwrap_or_default().into()
}

const ALL: [Verb; 8] = [
    Verb::Create,
    Verb::Delete,
    Verb::DeleteCollection,
    Verb::Get,
    Verb::List,
    Verb::Patch,
    Verb::Update,
    Verb::Watch,
];
const PART: [Verb; 3] = [Verb::Get, Verb::Patch, Verb::Update];

fn part(name: &str, kind: &str, verbs: &[Verb]) -> Subresource {
    let kind = GroupVersionKind { kind: kind.to_owned(), ..GroupVersionKind::default() };
    Subresource { name: name.into(), kind, verbs: verbs.into() }
}

fn definitions() -> Resource {
    let kind = GroupVersionKind::of("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    let column = |name: &str, type_name: &str, description: &str, priority| Column {
        name: name.into(),
        type_name: type_name.into(),
        format: "".into(),
        description: description.into(),
        priority,
        cell: Cell::Native(name.into()),
    };
    Resource {
        list_kind: "CustomResourceDefinitionList".into(),
        plural: "customresourcedefinitions".into(),
        singular: "customresourcedefinition".into(),
        short_names: ["crd".into(), "crds".into()].into(),
        categories: ["api-extensions".into()].into(),
        namespaced: false,
        verbs: ALL.into(),
        subresources: [part("status", "CustomResourceDefinition", &PART)].into(),
        // What the reference stores, which is what clients compare.
        storage: Some(GroupVersionKind::of("apiextensions.k8s.io/v1beta1", &kind.kind)),
        columns: [
            Column { cell: Cell::Native("Name".into()), ..Column::name() },
            column("Scope", "string", "", 0),
            column("Versions", "string", "", 0),
            column("Created At", "date", PrinterColumn::AGE.description, 0),
            column("Group", "string", "", 1),
            column("Kind", "string", "", 1),
            column("ShortNames", "string", "", 1),
            column("Established", "string", "", 1),
        ]
        .into(),
        selectable_fields: Box::default(),
        deprecation: None,
        schema: ResourceSchema::Native {
            definition:
                "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition"
                    .into(),
        },
        kind,
    }
}

/// Scales, which are seen through other objects.
pub(crate) fn scale_kind() -> Served {
    let column = |name: &str, path: &str, type_name: &str, description: &str| Column {
        name: name.into(),
        type_name: type_name.into(),
        format: "".into(),
        description: description.into(),
        priority: 0,
        cell: Cell::Path(path.into()),
    };
    let resource = Resource {
        kind: GroupVersionKind::of("autoscaling/v1", "Scale"),
        list_kind: Box::default(),
        plural: "scales".into(),
        singular: "scale".into(),
        short_names: Box::default(),
        categories: Box::default(),
        namespaced: true,
        verbs: Box::default(),
        subresources: Box::default(),
        storage: None,
        columns: [
            Column::name(),
            column("Desired", ".spec.replicas", "integer", "Number of desired replicas"),
            column("Available", ".status.replicas", "integer", "Number of actual replicas"),
            column("Age", ".metadata.creationTimestamp", "date", PrinterColumn::AGE.description),
        ]
        .into(),
        selectable_fields: Box::default(),
        deprecation: None,
        schema: ResourceSchema::Native { definition: "io.k8s.api.autoscaling.v1.Scale".into() },
    };
    let (_, ended) = watch::channel(false);
    Served::new(resource, Rules::Definition, Revision(0), false, ended)
}
