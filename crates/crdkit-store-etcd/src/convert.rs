//! etcd's keys, values and events as entries and changes.

use crate::messages::{DELETED, EtcdEvent, KeyValue};
use crdkit_store::{Change, Revision, StoreEntry, StoreError, prefix_end};
use std::sync::Arc;

/// A revision as etcd takes it.
pub(crate) fn number(revision: Revision) -> i64 {
    i64::try_from(revision.0).unwrap_or(i64::MAX)
}

/// A revision that etcd gave.
pub(crate) fn revision(number: i64) -> Revision {
    Revision(number.unsigned_abs())
}

/// An entry.
pub(crate) fn entry(kv: &KeyValue) -> Result<Arc<StoreEntry>, StoreError> {
    let key = std::str::from_utf8(&kv.key);
    let key = key.map_err(|_| StoreError::Damaged("a key is not text".to_owned()))?;
    Ok(Arc::new(StoreEntry {
        key: key.into(),
        value: kv.value.clone(),
        revision: revision(kv.mod_revision),
        created: revision(kv.create_revision),
    }))
}

/// The same where there may be none.
pub(crate) fn entry_of(kv: Option<&KeyValue>) -> Result<Option<Arc<StoreEntry>>, StoreError> {
    kv.map(entry).transpose()
}

/// A change. What was before it may have been compacted meanwhile; the change is then of no use.
pub(crate) fn change(event: &EtcdEvent) -> Result<Arc<Change>, StoreError> {
    let kv = event.kv.clone().unwrap_or_default();
    let at = revision(kv.mod_revision);
    let deleted = event.kind == DELETED;
    let previous = entry_of(event.prev_kv.as_ref())?;
    let created = !deleted && kv.create_revision == kv.mod_revision;
    if previous.is_none() && !created {
        return Err(StoreError::Compacted { at });
    }
    let current = if deleted { None } else { Some(entry(&kv)?) };
    Ok(Arc::new(Change { revision: at, current, previous }))
}

/// The first key and the end of all keys with a prefix, as etcd takes them.
pub(crate) fn span(start: &str, prefix: &str) -> (Vec<u8>, Vec<u8>) {
    let start = if start.is_empty() { vec![0] } else { start.as_bytes().to_vec() };
    (start, prefix_end(prefix).unwrap_or_else(|| vec![0]))
}
