//! Who owns which fields: `metadata.managedFields` is kept while objects are written.
//!
//! Takes the object before and after a write, in the version of the request. The schema of a custom kind is that of its
//! CRD; that of a native kind is made of its published one.

use crate::admission::wait;
use crate::catalogue::snapshot::Served;
use crate::rules::{CustomRules, Rules};
use crate::typed;
use crdkit_patch::managed::{
    self, Applied, AppliedScale, ApplyError, CrdVersions, Versions, Writer,
};
use crdkit_patch::{Definitions, Schema, merge_configuration};
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
        self.with_writer(|writer| {
            // What Go always writes counts, although it is not there yet.
            let Rules::Native(kind) = &self.served.rules else {
                return match (old, self.is_custom()) {
                    (None, false) => writer.create(&typed::empty(self.served), new),
                    (old, _) => writer.update(old, new),
                };
            };
            let mut written = kind.as_written(new);
            match old {
                None => writer.create(&typed::empty(self.served), &mut written),
                Some(old) => writer.update(Some(&kind.as_written(old)), &mut written),
            }
            managed::copy_owners(&written, new);
        });
    }

    /// Notes who writes an object of another kind than the one that is served; of `empty` nobody comes to own anything.
    pub(crate) fn create_as(
        &self,
        api_version: &str,
        kind: &str,
        empty: &Document,
        new: &mut Document,
    ) {
        let writer = Writer {
            manager: self.manager,
            api_version,
            subresource: self.subresource,
            time: Timestamp { nanoseconds: 0, ..self.now },
            reset: &[],
            versions: &NativeVersions(kind),
        };
        writer.create(empty, new);
    }

    /// Notes that the number of replicas, which is at `path`, is another one.
    pub(crate) fn scale(&self, old: &Document, new: &mut Document, path: &str) {
        let path: Vec<&str> = path.trim_start_matches('.').split('.').collect();
        self.with_writer(|writer| writer.scale(old, new, &path));
    }

    /// Lays a configuration over the scale of an object, whose number of replicas is at `path`.
    pub(crate) fn apply_scale(
        &self,
        old: &Document,
        scale: &Document,
        path: &str,
        config: &Document,
        force: bool,
    ) -> Result<AppliedScale, ApplyError> {
        let path: Vec<&str> = path.trim_start_matches('.').split('.').collect();
        self.with_writer(|writer| writer.apply_scale(old, scale, &path, config, force))
    }

    /// Lays a configuration over an object, or makes one of it.
    pub(crate) fn apply(
        &self,
        old: Option<&Document>,
        config: &Document,
        force: bool,
    ) -> Result<Applied, ApplyError> {
        let kind = &self.served.resource.kind.kind;
        self.with_writer(|writer| match (&self.served.rules, old) {
            (Rules::Native(native), Some(old)) => {
                writer.apply(kind, Some(&native.as_written(old)), config, force)
            }
            _ => writer.apply(kind, old, config, force),
        })
    }

    fn is_custom(&self) -> bool {
        matches!(self.served.rules, Rules::Custom(_))
    }

    fn with_writer<R>(&self, then: impl FnOnce(&Writer<'_>) -> R) -> R {
        let api_version = self.served.resource.api_version();
        let versions: &dyn Versions = match &self.served.rules {
            Rules::Custom(rules) if rules.has_converter() => &ConvertedVersions(rules),
            Rules::Custom(rules) => &CrdVersions(rules.crd.compiled()),
            Rules::Native(_) | Rules::Review(_) | Rules::Definition => {
                &NativeVersions(&self.served.resource.kind.kind)
            }
        };
        let time = Timestamp { nanoseconds: 0, ..self.now };
        let reset = self.reset();
        let reset: Vec<&[&str]> = reset.iter().map(Vec::as_slice).collect();
        then(&Writer {
            manager: self.manager,
            api_version: &api_version,
            subresource: self.subresource,
            time,
            reset: &reset,
            versions,
        })
    }

    /// Fields that a request to this path cannot change.
    fn reset(&self) -> Vec<Vec<&'static str>> {
        if let Rules::Native(kind) = &self.served.rules {
            return kind.reset_fields(self.subresource);
        }
        let has_status = self.served.resource.subresource("status").is_some();
        match (self.subresource, has_status) {
            ("status", _) => vec![vec!["metadata"], vec!["spec"]],
            (_, true) => vec![vec!["status"]],
            (_, false) => Vec::new(),
        }
    }
}

/// The versions of a custom kind that has a converter.
struct ConvertedVersions<'r>(&'r CustomRules);

impl Versions for ConvertedVersions<'_> {
    fn schema(&self, api_version: &str) -> Option<Schema<'_>> {
        let compiled = self.0.crd.compiled();
        let version = compiled.versions().iter().find(|it| *it.api_version == *api_version)?;
        Some(Schema::new(compiled.table(), version.schema, !compiled.prunes()))
    }

    fn convert(&self, object: &Document, api_version: &str) -> Result<Document, String> {
        let converted = wait(self.0.in_version(object, api_version));
        converted.map_err(|status| status.message)
    }
}

/// Lays `configuration` over `object`, both of a kind that is served, without anybody owning anything.
///
/// # Errors
/// Why that cannot be done, in the server's words.
pub(crate) fn merge(
    served: &Served,
    object: &mut Document,
    configuration: &Document,
    now: Timestamp,
) -> Result<(), String> {
    let managing = Managing { served, manager: "", subresource: "", now };
    managing.with_writer(|writer| match writer.versions.schema(writer.api_version) {
        Some(schema) => merge_configuration(&schema, object, configuration),
        None => Err("type converter must not be nil".to_owned()),
    })
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
