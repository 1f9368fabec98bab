//! The schemas that expressions of policies are held against: those of CRDs, and of kinds that come with Kubernetes.

use crdkit_codec::{DecodeOptions, json};
use crdkit_native::NativeKinds;
use crdkit_text::kind::{GroupVersionKind, GroupVersionResource};
use crdkit_value::{Document, NewValue, NodeId, Value};

/// CRDs, and the kinds that come with Kubernetes.
#[derive(Debug, Default)]
pub struct KnownSchemas {
    crds: Vec<Document>,
}

const OBJECT_META: &str = "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

impl KnownSchemas {
    /// Knows the kinds of these CRDs as well.
    pub fn new(crds: Vec<Document>) -> Self {
        Self { crds }
    }

    /// The CRD of a kind.
    pub fn crd(&self, group: &str, kind: &str) -> Option<&Document> {
        let text = |crd: &Document, pointer: &str| {
            crd.root().pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        self.crds
            .iter()
            .find(|crd| text(crd, "/spec/group") == group && text(crd, "/spec/names/kind") == kind)
    }

    /// The CRD that has `name` at `pointer`, and one of its versions.
    fn version(
        &self,
        group: &str,
        version: &str,
        (pointer, name): (&str, &str),
    ) -> Option<(Value<'_>, Value<'_>)> {
        let text = |value: Value<'_>, pointer: &str| {
            value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let mut crds = self.crds.iter().map(Document::root);
        let crd =
            crds.find(|it| text(*it, "/spec/group") == group && text(*it, pointer) == name)?;
        let mut versions = crd.pointer("/spec/versions")?.items();
        Some((crd, versions.find(|it| text(*it, "/name") == version)?))
    }

    /// The kind of a resource, if it is known.
    pub(crate) fn kind(&self, resource: &GroupVersionResource) -> Option<GroupVersionKind> {
        let GroupVersionResource { group, version, resource } = resource;
        let kind = match self.version(group, version, ("/spec/names/plural", resource)) {
            Some((crd, _)) => crd.pointer("/spec/names/kind")?.as_str()?,
            None => NativeKinds::latest().resource(group, version, resource)?.kind,
        };
        let (group, version) = (group.clone(), version.clone());
        Some(GroupVersionKind { group, version, kind: kind.to_owned() })
    }

    /// The schema of whole objects of a kind, if it is known.
    pub(crate) fn schema(&self, kind: &GroupVersionKind) -> Option<Document> {
        let GroupVersionKind { group, version, kind } = kind;
        let Some((_, version)) = self.version(group, version, ("/spec/names/kind", kind)) else {
            let kind = NativeKinds::latest().find(group, version, kind)?;
            return Self::definition(kind.definition());
        };
        let mut schema = Document::copy_of(version.pointer("/schema/openAPIV3Schema")?);
        let known = schema.root().get("properties").map(Value::id);
        let properties =
            known.or_else(|| schema.insert(NodeId::ROOT, "properties", NewValue::EmptyObject))?;
        let text = Document::object().with("type", "string");
        schema.insert(properties, "apiVersion", &text);
        schema.insert(properties, "kind", &text);
        schema.insert(properties, "metadata", &Document::object().with("$ref", OBJECT_META));
        Some(schema)
    }

    /// What `$ref: '#/definitions/NAME'` refers to.
    pub(crate) fn definition(name: &str) -> Option<Document> {
        let text = NativeKinds::latest().schema(name)?;
        let decoded = json::decode(text.as_bytes(), &DecodeOptions::default());
        decoded.ok().map(|decoded| decoded.document)
    }
}
