//! Who owns which fields: `metadata.managedFields` is kept while objects are written.
//!
//! Takes the object before and after a write, in the version of the request. The schema of a custom kind is that of its
//! CRD; that of a native kind is made of its published one.

use crate::catalogue::snapshot::Served;
use crate::rules::Rules;
use crate::typed;
use crdkit_patch::managed::{self, Applied, ApplyError, CrdVersions, Versions, Writer};
use crdkit_patch::{Definitions, Schema};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::Document;

/// Who writes what, and when.
pub(crate) struct Managing<'m> {
    pub(crate) served: &'m Served,
    pub(crate) manager: &'m str,
    pub(crate) subresource: &'m str,
    pub(crate) now: Timestamp,
}

impl Managing<'_> {
    /// Notes that `new` takes the place of `old`; nothing for an object that is created.
    pub(crate) fn update(&self, old: Option<&Document>, new: &mut Document) {
        self.with_writer(|writer| match (old, self.is_custom()) {
            (None, false) => writer.create(&typed::empty(self.served), new),
            (old, _) => writer.update(old, new),
        });
    }

    /// Notes that the number of replicas, which is at `path`, is another one.
    pub(crate) fn scale(&self, old: &Document, new: &mut Document, path: &str) {
        let path: Vec<&str> = path.trim_start_matches('.').split('.').collect();
        self.with_writer(|writer| writer.scale(old, new, &path));
    }

    /// Lays a configuration over an object, or makes one of it.
    pub(crate) fn apply(
        &self,
        old: Option<&Document>,
        config: &Document,
        force: bool,
    ) -> Result<Applied, ApplyError> {
        let kind = &self.served.resource.kind.kind;
        self.with_writer(|writer| writer.apply(kind, old, config, force))
    }

    fn is_custom(&self) -> bool {
        matches!(self.served.rules, Rules::Custom(_))
    }

    fn with_writer<R>(&self, then: impl FnOnce(&Writer<'_>) -> R) -> R {
        let api_version = self.served.resource.api_version();
        let own;
        let versions: &dyn Versions = match &self.served.rules {
            Rules::Custom(rules) => {
                own = CrdVersions(rules.crd.compiled());
                &own
            }
            Rules::Native(_) | Rules::Review(_) | Rules::Definition => {
                &NativeVersions(&self.served.resource.kind.kind)
            }
        };
        let time = Timestamp { nanoseconds: 0, ..self.now };
        then(&Writer {
            manager: self.manager,
            api_version: &api_version,
            subresource: self.subresource,
            time,
            reset: self.reset(),
            versions,
        })
    }

    /// Fields that a request to this path cannot change.
    fn reset(&self) -> &'static [&'static [&'static str]] {
        const STATUS: &[&[&str]] = &[&["status"]];
        const REST: &[&[&str]] = &[&["metadata"], &["spec"]];
        let has_status = self.served.resource.subresource("status").is_some();
        match (self.subresource, has_status) {
            ("status", _) => REST,
            (_, true) => STATUS,
            (_, false) => &[],
        }
    }
}

/// The versions of a native kind, all of which have the same form.
struct NativeVersions<'k>(&'k str);

impl Versions for NativeVersions<'_> {
    fn schema(&self, api_version: &str) -> Option<Schema<'_>> {
        Schema::of_kind(Definitions::native(), api_version, self.0)
    }

    fn convert(&self, object: &Document, _: &str) -> Result<Document, String> {
        Ok(object.clone())
    }
}

/// Where nothing but the times of owners differs, keeps the old ones.
pub(crate) fn keep_times(new: &mut Document, old: &Document) {
    managed::keep_times(old, new);
}
