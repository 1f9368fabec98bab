//! A copy of one committed state in a new file.

use super::file::{self, failure};
use super::read::ReadView;
use super::record::{EXPIRY, IN_USE_KEY, LATEST, LOG, META};
use crate::{Revision, StoreError};
use redb::{
    Builder, Key, ReadTransaction, ReadableTable, TableDefinition, Value, WriteTransaction,
};
use std::path::Path;

/// Writes all that a view has to a file that does not exist yet.
pub(super) fn copy(view: &ReadView, path: &Path) -> Result<Revision, StoreError> {
    let copied = file::publish(path, |file| {
        let database = Builder::new().create_file(file).map_err(failure)?;
        let to = database.begin_write().map_err(failure)?;
        copy_table(view.transaction(), &to, META)?;
        // The copy is whole, however the original ends.
        to.open_table(META).map_err(failure)?.remove(IN_USE_KEY).map_err(failure)?;
        copy_table(view.transaction(), &to, LATEST)?;
        copy_table(view.transaction(), &to, LOG)?;
        copy_table(view.transaction(), &to, EXPIRY)?;
        to.commit().map_err(failure)
    })?;
    copied.map_err(|error| StoreError::Unavailable(error.to_string()))?;
    view.current()
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
