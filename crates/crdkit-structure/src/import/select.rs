//! Which schema of a document is meant.
//!
//! A document is a schema itself, an object with `openAPIV3Schema` in it, a CRD, a list of CRDs, or an OpenAPI document
//! with components. Nothing is guessed: what a selector leaves open and the document answers in two ways is an error.

use super::ImportError;
use crdkit_value::Value;

/// Which CRD, and which of its versions; or which component of an OpenAPI document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrdSelector {
    group: Option<Box<str>>,
    kind: Option<Box<str>>,
    name: Option<Box<str>>,
    component: Option<Box<str>>,
    version: VersionSelector,
}

/// Which version of a CRD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum VersionSelector {
    /// The one that objects are stored in.
    #[default]
    Storage,
    /// The first one that is served.
    FirstServed,
    /// The one with this name.
    Named(Box<str>),
}

impl CrdSelector {
    /// The CRD of objects of this kind.
    pub fn kind(kind: &str) -> Self {
        Self { kind: Some(kind.into()), ..Self::default() }
    }

    /// The CRD with this name, such as `widgets.example.com`.
    pub fn name(name: &str) -> Self {
        Self { name: Some(name.into()), ..Self::default() }
    }

    /// The component of an OpenAPI document with this name. One that says which kind it is of can be selected by
    /// that as well.
    pub fn component(name: &str) -> Self {
        Self { component: Some(name.into()), ..Self::default() }
    }

    /// The one of this group.
    #[must_use]
    pub fn group(self, group: &str) -> Self {
        Self { group: Some(group.into()), ..self }
    }

    /// This version of it.
    #[must_use]
    pub fn version(self, version: VersionSelector) -> Self {
        Self { version, ..self }
    }

    fn fits(&self, crd: Value<'_>) -> bool {
        let is = |wanted: &Option<Box<str>>, pointer: &str| {
            let found = crd.pointer(pointer).and_then(Value::as_str);
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        is(&self.group, "/spec/group")
            && is(&self.kind, "/spec/names/kind")
            && is(&self.name, "/metadata/name")
    }

    /// Whether the component `name` is meant: by its name, or by the kinds that it says it is of.
    fn fits_component(&self, name: &str, schema: Value<'_>) -> bool {
        if let Some(wanted) = &self.component {
            return **wanted == *name;
        }
        let version = match &self.version {
            VersionSelector::Named(name) => Some(name),
            VersionSelector::Storage | VersionSelector::FirstServed => None,
        };
        let wanted =
            [("kind", self.kind.as_ref()), ("group", self.group.as_ref()), ("version", version)];
        let kinds = group_version_kinds(schema);
        self.kind.is_some()
            && kinds.into_iter().any(|kind| {
                let is = |key: &str| kind.get(key).and_then(Value::as_str).unwrap_or_default();
                wanted.iter().all(|(key, wanted)| wanted.is_none_or(|it| **it == *is(key)))
            })
    }
}

/// What `x-kubernetes-group-version-kind` of a schema lists; one map stands for a list of one.
pub(crate) fn group_version_kinds(schema: Value<'_>) -> Vec<Value<'_>> {
    let Some(kinds) = schema.get("x-kubernetes-group-version-kind") else { return Vec::new() };
    if kinds.as_object().is_some() { vec![kinds] } else { kinds.items().collect() }
}

/// A schema that was found, and whether it is that of whole objects.
pub(super) struct Selected<'d> {
    pub(super) schema: Value<'d>,
    /// What references in it are relative to.
    pub(super) base: Value<'d>,
    pub(super) is_resource: bool,
}

/// The schema that `selector` means.
pub(super) fn select<'d>(
    document: Value<'d>,
    selector: &CrdSelector,
) -> Result<Selected<'d>, ImportError> {
    if let Some(schema) = document.get("openAPIV3Schema") {
        return Ok(Selected { schema, base: schema, is_resource: true });
    }
    if let Some(components) = components(document) {
        return component(document, components, selector);
    }
    let is_crd = |value: Value<'_>| {
        value.get("kind").and_then(Value::as_str) == Some("CustomResourceDefinition")
    };
    let is_list = document
        .get("kind")
        .and_then(Value::as_str)
        .is_some_and(|kind| kind.ends_with("List") && document.get("items").is_some());
    let candidates: Vec<Value<'d>> = if is_crd(document) {
        vec![document]
    } else if is_list {
        document.get("items").into_iter().flat_map(Value::items).filter(|it| is_crd(*it)).collect()
    } else if document.as_array().is_some() {
        document.items().filter(|it| is_crd(*it)).collect()
    } else {
        return Ok(Selected { schema: document, base: document, is_resource: false });
    };
    let mut fitting = candidates.into_iter().filter(|crd| selector.fits(*crd));
    let (Some(crd), others) = (fitting.next(), fitting.count()) else {
        return Err(ImportError::Selector("no CRD is the one that is asked for".into()));
    };
    if others > 0 {
        let message = format!("{} CRDs are what is asked for; say which group", others + 1);
        return Err(ImportError::Selector(message));
    }
    let schema = version(crd, &selector.version)?;
    Ok(Selected { schema, base: schema, is_resource: true })
}

/// The components of a document that is no schema itself.
fn components(document: Value<'_>) -> Option<Value<'_>> {
    let components = match document.get("components") {
        Some(components) => components.get("schemas"),
        None => document.get("definitions").filter(|_| document.get("swagger").is_some()),
    };
    let of_documents = |key: &str| {
        matches!(
            key,
            "components"
                | "definitions"
                | "externalDocs"
                | "info"
                | "openapi"
                | "paths"
                | "security"
                | "servers"
                | "swagger"
                | "tags"
                | "webhooks"
        ) || key.starts_with("x-") && !key.starts_with("x-kubernetes-")
    };
    components.filter(|_| document.members().all(|(key, _)| of_documents(key)))
}

fn component<'d>(
    document: Value<'d>,
    components: Value<'d>,
    selector: &CrdSelector,
) -> Result<Selected<'d>, ImportError> {
    let mut fitting =
        components.members().filter(|(name, schema)| selector.fits_component(name, *schema));
    match (fitting.next(), fitting.count()) {
        (Some((_, schema)), 0) => Ok(Selected { schema, base: document, is_resource: false }),
        (Some(_), others) => {
            let message = format!("{} components are what is asked for; say which", others + 1);
            Err(ImportError::Selector(message))
        }
        (None, _) => Err(ImportError::Selector("no component is the one that is asked for".into())),
    }
}

fn version<'d>(crd: Value<'d>, wanted: &VersionSelector) -> Result<Value<'d>, ImportError> {
    let spec = crd.get("spec");
    let versions: Vec<Value<'d>> =
        spec.and_then(|spec| spec.get("versions")).into_iter().flat_map(Value::items).collect();
    let is_true =
        |version: &Value<'d>, key: &str| version.get(key).and_then(Value::as_bool) == Some(true);
    let found = match wanted {
        VersionSelector::Storage => versions.iter().find(|version| is_true(version, "storage")),
        VersionSelector::FirstServed => versions.iter().find(|version| is_true(version, "served")),
        VersionSelector::Named(name) => versions
            .iter()
            .find(|version| version.get("name").and_then(Value::as_str) == Some(name)),
    };
    let own = found.and_then(|version| version.pointer("/schema/openAPIV3Schema"));
    // Before versions had schemas of their own there was one for all of them.
    let shared = || {
        let known = found.is_some() || versions.is_empty();
        spec.filter(|_| known)?.pointer("/validation/openAPIV3Schema")
    };
    own.or_else(shared).ok_or_else(|| {
        ImportError::Selector("the CRD has no schema for the version that is asked for".into())
    })
}
