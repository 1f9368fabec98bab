//! What is read back after an object was written: it in the storage version, which may not know all fields, with the
//! defaults of fields that clients do not decide.
//!
//! The object was found to be right before. Where the storage version keeps it as it is, it is not copied.

use crate::crd::Version;
use crate::metadata::OnWrongType;
use crate::outcome::Written;
use crate::pipeline::Request;
use crdkit_schema::compile::{Conversion, Flags, Id};
use crdkit_schema::defaults;
use crdkit_schema::prune::{self, Pruned};

/// Where the parts of an object come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartsFrom {
    /// All from the request, so that only whole fields can be without their defaults again.
    Request,
    /// Some from the object it replaces, which was filled in by the schema of its own version.
    OldObject,
}

impl Request<'_> {
    /// Makes the object what is read back after it was written.
    pub(crate) fn read_back(&mut self, parts: PartsFrom) {
        let Version { crd, compiled: version, .. } = self.version;
        // Schemas that a server publishes do not say which version is stored; each is then taken for it.
        let storage = crd.storage_version().unwrap_or(version);
        // What a webhook makes of the object is known to the server alone.
        let is_asked =
            storage.name != version.name && matches!(crd.conversion(), Conversion::Webhook(_));
        // Equal schemas are one, and by its own schema the object was trimmed and filled in already.
        if is_asked || storage.schema == version.schema && !self.is_applied {
            let table = crd.table();
            let fields =
                version.schema.map_or(&[][..], |schema| table.node(schema).field_defaults());
            let root = self.document.root();
            let is_missing = || fields.iter().any(|it| root.get(table.name(it.name)).is_none());
            if parts == PartsFrom::OldObject && version.status && !fields.is_empty() {
                self.written = Written::Document(Box::new(self.document.clone()));
                let _ = self.fill(version.schema);
            } else if is_missing() {
                self.written = Written::Before(self.changes.defaulted.len());
                let _ = self.fill(version.schema);
            }
            return;
        }
        if self.is_kept_by(storage.schema, parts) {
            return;
        }
        self.written = Written::Document(Box::new(self.document.clone()));
        // The object was found to be right, so nothing is refused any more.
        let _ = self.trim_content(storage.schema, OnWrongType::Remove);
        let _ = self.fill(storage.schema);
        let _ = self.trim_content(version.schema, OnWrongType::Remove);
    }

    /// Whether an object that was read by its own schema stays as it is under that of the storage version.
    fn is_kept_by(&self, storage: Option<Id>, parts: PartsFrom) -> bool {
        let Version { crd, compiled: version, .. } = self.version;
        let (table, root) = (crd.table(), self.document.root());
        let Some(node) = storage.map(|id| table.node(id)) else { return false };
        if self.is_applied || node.has(Flags::HAS_EMBEDDED) {
            return false;
        }
        // The request took only whole fields away since then.
        let is_read = parts == PartsFrom::Request || !version.status;
        if is_read && crd.is_kept_in_storage(version) {
            return node.field_defaults().iter().all(|it| root.get(table.name(it.name)).is_some());
        }
        (!crd.prunes() || prune::object(table, storage, root) == Pruned::default())
            && !defaults::is_missing(table, node, root)
    }
}
