//! All native kinds of a release, and finding one.

use crate::data::{Default, NativeKind, Objects, objects, schemas};
use std::fmt;

/// The native kinds of one Kubernetes release.
#[derive(Clone, Copy)]
pub struct NativeKinds {
    objects: &'static Objects,
}

impl NativeKinds {
    /// Those of the newest release that is known. The data is unpacked when this is first called.
    pub fn latest() -> Self {
        Self { objects: objects() }
    }

    /// Those of a release such as `1.37`, if it is known.
    pub fn of_release(release: &str) -> Option<Self> {
        let latest = Self::latest();
        (latest.release() == release).then_some(latest)
    }

    /// The release.
    pub fn release(&self) -> &'static str {
        self.objects.release
    }

    /// All kinds.
    pub fn all(&self) -> &'static [NativeKind] {
        &self.objects.kinds
    }

    /// The kind that objects call `kind`.
    pub fn find(&self, group: &str, version: &str, kind: &str) -> Option<&'static NativeKind> {
        let wanted = (group, version, kind);
        self.all().iter().find(|known| (known.group, known.version, known.kind) == wanted)
    }

    /// The kind that paths call `plural`.
    pub fn resource(
        &self,
        group: &str,
        version: &str,
        plural: &str,
    ) -> Option<&'static NativeKind> {
        let wanted = (group, version, plural);
        self.all().iter().find(|known| (known.group, known.version, known.plural) == wanted)
    }

    /// The objects that a server makes by itself, as JSON: which kinds have which names.
    pub fn present_at_start(&self) -> &'static str {
        self.objects.present_at_start
    }

    /// The published schema of a definition such as `io.k8s.api.core.v1.Pod`, as JSON. References to others are
    /// `#/definitions/NAME`.
    pub fn schema(&self, definition: &str) -> Option<&'static str> {
        schemas().get(definition).copied()
    }

    /// The values that fields of a definition have where they are not given, as JSON, as far as those are always the same.
    pub fn defaults(&self, definition: &str) -> Vec<(&'static str, &'static str)> {
        let of = objects().types.named(definition);
        let defaults = of.into_iter().flat_map(|of| of.defaults.iter());
        defaults.filter_map(Default::constant).collect()
    }

    /// All published schemas by the name of their definition.
    pub fn schemas(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        schemas().iter().map(|(name, schema)| (*name, *schema))
    }
}

impl NativeKind {
    /// The name of the definition that describes its objects.
    pub fn definition(&self) -> &'static str {
        objects().types.get(self.root).map_or("", |of| of.name)
    }
}

impl fmt::Debug for NativeKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NativeKinds").field(&self.release()).finish()
    }
}
