//! Native kinds that are served.

use super::resource::{Cell, Column, Resource, ResourceSchema, Subresource, Verb};
use super::snapshot::Served;
use crate::crds;
use crate::rules::Rules;
use crdkit_native::{NativeKind, NativeKinds};
use crdkit_store::Revision;
use crdkit_text::kind::GroupVersionKind;
use std::sync::Arc;
use tokio::sync::watch;

/// All native kinds, until `end` says so.
pub(crate) fn served(end: &watch::Sender<bool>) -> Vec<Arc<Served>> {
    let serve = |resource, rules| {
        Arc::new(Served::new(resource, rules, Revision(0), false, end.subscribe()))
    };
    let kinds = NativeKinds::latest().all().iter();
    let kinds = kinds.filter(|kind| kind.storage.is_some() && kind.group != crds::GROUP);
    let native = kinds.map(|kind| serve(resource(kind), Rules::Native(kind)));
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
        description: Box::default(),
        priority: i32::try_from(column.priority).unwrap_or_default(),
        cell: if column.format == "name" { Cell::Name } else { Cell::Native(column.name.into()) },
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
    let column = |name: &str, path: &str| Column {
        name: name.into(),
        type_name: "string".into(),
        format: "".into(),
        description: "".into(),
        priority: 0,
        cell: Cell::Path(path.into()),
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
        columns: [Column::name(), column("Created At", ".metadata.creationTimestamp")].into(),
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
            column("Available", ".status.replicas", "integer", "Number of available replicas"),
            column("Age", ".metadata.creationTimestamp", "date", ""),
        ]
        .into(),
        selectable_fields: Box::default(),
        deprecation: None,
        schema: ResourceSchema::Native { definition: "io.k8s.api.autoscaling.v1.Scale".into() },
    };
    let (_, ended) = watch::channel(false);
    Served::new(resource, Rules::Definition, Revision(0), false, ended)
}
