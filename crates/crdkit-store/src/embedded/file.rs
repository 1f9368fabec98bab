//! Making and opening the file.
//!
//! A new file gets its name only when it is whole. An existing one is opened through a guard that holds writes back until the file has
//! shown to be an undamaged store of a known format.

use super::medium::{FileRanges, Medium, StorageGuard};
use super::options::{Durability, EmbeddedOptions};
use super::read::horizon;
use super::record::{
    APPLICATION, EXPIRY, FORMAT, FORMAT_KEY, HORIZON_KEY, LATEST, LOG, META, decode_log,
};
use super::verified::VerifiedRecords;
use crate::{Revision, StoreError};
use redb::{Builder, Database, DatabaseError, ReadableDatabase, ReadableTable, TableError};
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

const MAGIC: &[u8] = b"redb\x1a\x0a\xa9\x0d\x0a";

/// A database and the guard that it uses.
pub(super) struct OpenedFile {
    pub(super) database: Database,
    pub(super) guard: StorageGuard,
    pub(super) verified: Arc<VerifiedRecords>,
}

/// What redb says, in the words of the contract.
pub(super) fn failure(error: impl Into<redb::Error>) -> StoreError {
    match error.into() {
        redb::Error::DatabaseAlreadyOpen => StoreError::Locked,
        redb::Error::Corrupted(what) => StoreError::Damaged(what),
        redb::Error::Io(error) => io_failure(&error),
        error @ (redb::Error::TableTypeMismatch { .. }
        | redb::Error::TableIsMultimap(_)
        | redb::Error::TypeDefinitionChanged { .. }
        | redb::Error::TableDoesNotExist(_)
        | redb::Error::UpgradeRequired(_)
        | redb::Error::RepairAborted) => StoreError::Damaged(error.to_string()),
        error => StoreError::Unavailable(error.to_string()),
    }
}

pub(super) fn io_failure(error: &io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            StoreError::Damaged(error.to_string())
        }
        _ => StoreError::Unavailable(error.to_string()),
    }
}

/// Runs something on a database. What redb takes for impossible, a damaged file makes possible.
pub(super) fn caught<T>(work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panic");
        Err(StoreError::Damaged(text.to_owned()))
    })
}

/// Makes an empty store.
pub(super) fn initialise(
    create: impl FnOnce(&Builder) -> Result<Database, DatabaseError>,
) -> Result<(), StoreError> {
    let database = create(&Builder::new()).map_err(failure)?;
    let transaction = database.begin_write().map_err(failure)?;
    {
        let mut meta = transaction.open_table(META).map_err(failure)?;
        let (format, horizon) = (FORMAT.to_le_bytes(), Revision::FIRST.0.to_le_bytes());
        for (key, value) in [APPLICATION, (FORMAT_KEY, &format[..]), (HORIZON_KEY, &horizon[..])] {
            meta.insert(key, value).map_err(failure)?;
        }
        transaction.open_table(LATEST).map_err(failure)?;
        transaction.open_table(LOG).map_err(failure)?;
        transaction.open_table(EXPIRY).map_err(failure)?;
    }
    transaction.commit().map_err(failure)
}

/// Makes an empty store at a path where there is no file.
pub(super) fn create(path: &Path) -> Result<(), StoreError> {
    publish(path, |file| initialise(|builder| builder.create_file(file)))?.or_else(|error| {
        // Somebody else was quicker.
        if error.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(io_failure(&error)) }
    })
}

/// Makes a file that has its name only when it is whole. The inner result says whether it could be given the name.
pub(super) fn publish(
    path: &Path,
    make: impl FnOnce(File) -> Result<(), StoreError>,
) -> Result<io::Result<()>, StoreError> {
    let mut name = OsString::from(path.as_os_str());
    name.push(format!(".{}.new", std::process::id()));
    let unfinished = Path::new(&name);
    let _ = std::fs::remove_file(unfinished);
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(unfinished);
    let file = file.map_err(|error| io_failure(&error))?;
    let finished = make(file).map(|()| std::fs::hard_link(unfinished, path));
    let _ = std::fs::remove_file(unfinished);
    if let Some(Ok(directory)) = path.parent().map(|parent| {
        File::open(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })
    }) {
        directory.sync_all().map_err(|error| io_failure(&error))?;
    }
    finished
}

/// Opens what is on a medium. After a failure, `suspects` is what a failed sync may have lost; the file is known to be a store then.
pub(super) fn open(
    medium: &dyn Medium,
    options: &EmbeddedOptions,
    suspects: Option<&FileRanges>,
) -> Result<OpenedFile, StoreError> {
    let backend = medium.open().map_err(|error| io_failure(&error))?;
    let mut start = [0; MAGIC.len()];
    let length = backend.len().map_err(|error| io_failure(&error))?;
    if length == 0 {
        return Err(StoreError::Damaged("the file is empty".to_owned()));
    }
    let readable = length >= MAGIC.len() as u64 && backend.read(0, &mut start).is_ok();
    if !readable || start != MAGIC {
        return Err(StoreError::Foreign("the file does not begin as a store does".to_owned()));
    }
    let syncs = options.durability != Durability::Unsynced;
    let guard = StorageGuard::new(backend, suspects.is_none(), syncs);
    if let Some(suspects) = suspects {
        guard.rewrite(suspects).map_err(|error| io_failure(&error))?;
    }
    caught(|| {
        let mut builder = Builder::new();
        builder.set_cache_size(options.cache);
        let opened = builder.create_with_backend(guard.clone());
        let mut database = opened.map_err(failure)?;
        if suspects.is_none()
            && length <= options.check_up_to
            && !database.check_integrity().map_err(failure)?
        {
            return Err(StoreError::Damaged("the integrity check failed".to_owned()));
        }
        check_format(&database)?;
        guard.accept().map_err(|error| io_failure(&error))?;
        let verified = Arc::new(VerifiedRecords::new());
        Ok(OpenedFile { database, guard: guard.clone(), verified })
    })
}

fn check_format(database: &Database) -> Result<(), StoreError> {
    let transaction = database.begin_read().map_err(failure)?;
    let meta = match transaction.open_table(META) {
        Ok(meta) => meta,
        Err(TableError::Storage(error)) => return Err(failure(error)),
        Err(_) => return Err(StoreError::Foreign("a database of another program".to_owned())),
    };
    let get = |key| meta.get(key).map_err(failure);
    if get(APPLICATION.0)?.is_none_or(|value| value.value() != APPLICATION.1) {
        return Err(StoreError::Foreign("a database of another program".to_owned()));
    }
    let format = get(FORMAT_KEY)?.and_then(|value| value.value().try_into().ok());
    match format.map(u32::from_le_bytes) {
        Some(FORMAT) => {}
        Some(format) if format > FORMAT => {
            return Err(StoreError::Newer { format, supported: FORMAT });
        }
        _ => return Err(StoreError::Damaged("the format is not known".to_owned())),
    }
    // What is read first of all has to be readable, also in a file that is too large to be checked as a whole.
    let log = transaction.open_table(LOG).map_err(failure)?;
    for row in [log.first(), log.last()].into_iter().filter_map(Result::transpose) {
        let (revision, record) = row.map_err(failure)?;
        decode_log(revision.value(), record.value())?;
    }
    transaction.open_table(LATEST).map_err(failure)?;
    transaction.open_table(EXPIRY).map_err(failure)?;
    horizon(&meta).map(|_| ())
}
