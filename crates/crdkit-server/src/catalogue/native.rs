//! Native kinds that are served.

use super::resource::{Cell, Column, Resource, ResourceSchema, Subresource, Verb};
use super::snapshot::Served;
use crate::rules::Rules;
use crdkit_store::Revision;
use crdkit_text::kind::GroupVersionKind;
use std::sync::Arc;
use tokio::sync::watch;

/// All native kinds, until `end` says so.
pub(crate) fn served(end: &watch::Sender<bool>) -> Vec<Arc<Served>> {
    let serve = |resource, rules| {
        Arc::new(Served::new(resource, rules, Revision(0), false, end.subscribe()))
    };
    vec![serve(namespaces(), Rules::Namespace), serve(definitions(), Rules::Definition)]
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

fn namespaces() -> Resource {
    let kind = GroupVersionKind::of("v1", "Namespace");
    let verbs = ALL.into_iter().filter(|verb| *verb != Verb::DeleteCollection);
    Resource {
        list_kind: "NamespaceList".into(),
        plural: "namespaces".into(),
        singular: "namespace".into(),
        short_names: ["ns".into()].into(),
        categories: Box::default(),
        namespaced: false,
        verbs: verbs.collect(),
        subresources: [
            part("finalize", "Namespace", &[Verb::Update]),
            part("status", "Namespace", &PART),
        ]
        .into(),
        storage: Some(kind.clone()),
        columns: [Column::name()].into(),
        selectable_fields: ["status.phase".into()].into(),
        deprecation: None,
        schema: ResourceSchema::Native { definition: "io.k8s.api.core.v1.Namespace".into() },
        kind,
    }
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
        storage: Some(kind.clone()),
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
