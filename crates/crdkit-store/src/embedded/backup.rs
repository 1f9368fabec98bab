//! A copy of one committed state in a new file.

use super::commit::{CommitTables, LogExtent};
use super::file::{self, failure};
use super::layout::{FORMAT, FileLayout};
use super::read::ReadView;
use super::record::{APPLIED_KEY, EXPIRY, FORMAT_KEY, IN_USE_KEY, LATEST, LOG, META};
use crate::{Millis, Revision, StoreError};
use redb::{
    Key, ReadTransaction, ReadableTable, StorageBackend, TableDefinition, Value, WriteTransaction,
};
use std::path::Path;

/// Writes all that a view has to a file that does not exist yet.
pub(super) fn copy(
    view: &ReadView,
    layout: FileLayout,
    path: &Path,
) -> Result<Revision, StoreError> {
    let copied = file::publish(
        path,
        |from, to| std::fs::hard_link(from, to),
        |file| write(view, layout, file::backend(file)?, false),
    )?;
    copied.map_err(|error| StoreError::Unavailable(error.to_string()))?;
    view.current()
}

/// Writes all that a view has to an empty file. `as_it_is`: whether the copy is in use where the original is; otherwise it is whole,
/// however the original ends.
pub(super) fn write(
    view: &ReadView,
    layout: FileLayout,
    backend: Box<dyn StorageBackend>,
    as_it_is: bool,
) -> Result<(), StoreError> {
    let database = file::create_database(layout, backend)?;
    let to = database.begin_write().map_err(failure)?;
    copy_table(view.transaction(), &to, META)?;
    {
        let mut meta = to.open_table(META).map_err(failure)?;
        if !as_it_is {
            meta.remove(IN_USE_KEY).map_err(failure)?;
        }
        let (format, applied) = (FORMAT.to_le_bytes(), 0_u64.to_le_bytes());
        meta.insert(FORMAT_KEY, &format[..]).map_err(failure)?;
        meta.insert(APPLIED_KEY, &applied[..]).map_err(failure)?;
    }
    copy_table(view.transaction(), &to, LATEST)?;
    copy_table(view.transaction(), &to, LOG)?;
    copy_table(view.transaction(), &to, EXPIRY)?;
    if let Some(overlay) = view.overlay() {
        let mut tables = CommitTables::open(&to, LogExtent::default(), Millis(0))?;
        tables.extent = tables.read_extent()?;
        tables.fold(&overlay.changes(overlay.base(), |_| true))?;
    }
    to.commit().map_err(failure)
}

fn copy_table<K: Key + 'static, V: Value + 'static>(
    from: &ReadTransaction,
    to: &WriteTransaction,
    table: TableDefinition<'_, K, V>,
) -> Result<(), StoreError> {
    let source = from.open_table(table).map_err(failure)?;
    let mut target = to.open_table(table).map_err(failure)?;
    for row in source.iter().map_err(failure)? {
        let (key, value) = row.map_err(failure)?;
        target.insert(key.value(), value.value()).map_err(failure)?;
    }
    Ok(())
}
