//! Who owns which fields: `metadata.managedFields` is kept while objects are written.

use crate::catalogue::snapshot::Served;
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
        let _ = (self.served, self.manager, self.subresource, self.now, old, new);
    }
}

/// Where nothing but the times of owners differs, keeps the old ones.
pub(crate) fn keep_times(new: &mut Document, old: &Document) {
    let _ = (new, old);
}
