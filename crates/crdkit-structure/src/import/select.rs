//! Which schema of a document is meant.
//!
//! A document is a schema itself, an object with `openAPIV3Schema` in it, a CRD, or a list of CRDs. Nothing
//! is guessed: what a selector leaves open and the document answers in two ways is an error.

use super::ImportError;
use crdkit_value::Value;

/// Which CRD, and which of its versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrdSelector {
    group: Option<Box<str>>,
    kind: Option<Box<str>>,
    name: Option<Box<str>>,
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
}

/// A schema that was found, and whether it is that of whole objects.
pub(super) struct Selected<'d> {
    pub(super) schema: Value<'d>,
    pub(super) is_resource: bool,
}

/// The schema that `selector` means.
pub(super) fn select<'d>(
    document: Value<'d>,
    selector: &CrdSelector,
) -> Result<Selected<'d>, ImportError> {
    if let Some(schema) = document.get("openAPIV3Schema") {
        return Ok(Selected { schema, is_resource: true });
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
        return Ok(Selected { schema: document, is_resource: false });
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
    Ok(Selected { schema, is_resource: true })
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
