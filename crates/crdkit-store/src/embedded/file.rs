//! Making and opening the file.
//!
//! A new file gets its name only when it is whole. An existing one is opened through a guard that holds writes back until the file has
//! shown to be an undamaged store of a known format. A file of an earlier format is left as it is and a new one takes its name.

use super::backup;
use super::journal::{self, JournalReplay};
use super::layout::{self, BARE_FORMAT, FORMAT, FileLayout, OffsetBackend};
use super::medium::{FileMedium, FileRanges, Medium, StorageGuard};
use super::options::{Durability, EmbeddedOptions};
use super::read::{ReadView, horizon};
use super::record::{
    APPLICATION, APPLIED_KEY, EXPIRY, FORMAT_KEY, HORIZON_KEY, LATEST, LOG, META, decode_log,
};
use super::verified::VerifiedRecords;
use crate::{Revision, StoreError};
use redb::backends::FileBackend;
use redb::{Builder, Database, ReadableDatabase, ReadableTable, StorageBackend, TableError};
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// A database and the guard that it uses.
pub(super) struct OpenedFile {
    pub(super) database: Database,
    pub(super) guard: StorageGuard,
    pub(super) layout: FileLayout,
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

/// The bytes of a file.
pub(super) fn backend(file: File) -> Result<Box<dyn StorageBackend>, StoreError> {
    Ok(Box::new(FileBackend::new(file).map_err(failure)?))
}

/// Makes an empty database in an empty file.
pub(super) fn create_database(
    layout: FileLayout,
    backend: Box<dyn StorageBackend>,
) -> Result<Database, StoreError> {
    layout.write(&*backend).map_err(|error| io_failure(&error))?;
    let inner = StorageGuard::new(backend, false, true);
    let backend = OffsetBackend { inner, offset: layout.database_at() };
    Builder::new().create_with_backend(backend).map_err(failure)
}

/// Makes an empty store.
pub(super) fn initialise(
    layout: FileLayout,
    backend: Box<dyn StorageBackend>,
) -> Result<(), StoreError> {
    let database = create_database(layout, backend)?;
    let transaction = database.begin_write().map_err(failure)?;
    {
        let mut meta = transaction.open_table(META).map_err(failure)?;
        let (format, horizon) = (FORMAT.to_le_bytes(), Revision::FIRST.0.to_le_bytes());
        let applied = 0_u64.to_le_bytes();
        for (key, value) in [
            APPLICATION,
            (FORMAT_KEY, &format[..]),
            (HORIZON_KEY, &horizon[..]),
            (APPLIED_KEY, &applied[..]),
        ] {
            meta.insert(key, value).map_err(failure)?;
        }
        transaction.open_table(LATEST).map_err(failure)?;
        transaction.open_table(LOG).map_err(failure)?;
        transaction.open_table(EXPIRY).map_err(failure)?;
    }
    transaction.commit().map_err(failure)
}

/// Makes an empty store at a path where there is no file.
pub(super) fn create(path: &Path, layout: FileLayout) -> Result<(), StoreError> {
    let name = |from: &Path, to: &Path| std::fs::hard_link(from, to);
    publish(path, name, |file| initialise(layout, backend(file)?))?.or_else(|error| {
        // Somebody else was quicker.
        if error.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(io_failure(&error)) }
    })
}

/// Makes a store of the latest format of the file at a path, if that has an earlier one.
pub(super) fn migrate(path: &Path, options: &EmbeddedOptions) -> Result<(), StoreError> {
    let medium = FileMedium(path.to_owned());
    let is_bare = || {
        let file = medium.open().map_err(|error| io_failure(&error))?;
        layout::is_bare(&*file).map_err(|error| io_failure(&error))
    };
    if !is_bare()? {
        return Ok(());
    }
    let file = medium.open().map_err(|error| io_failure(&error))?;
    let guard = StorageGuard::new(file, true, true);
    caught(|| {
        let bare = OffsetBackend { inner: guard.clone(), offset: 0 };
        let database = open_database(bare, options, true)?;
        // Who had the file before may have done it.
        if !is_bare()? {
            return Ok(());
        }
        check_format(&database, BARE_FORMAT)?;
        let transaction = database.begin_read().map_err(failure)?;
        let view = ReadView::new(transaction, Arc::new(VerifiedRecords::new()), None)?;
        let layout = FileLayout::new(options.journal);
        let replace = |from: &Path, to: &Path| {
            std::fs::set_permissions(from, std::fs::metadata(to)?.permissions())?;
            std::fs::rename(from, to)
        };
        let replaced =
            publish(path, replace, |file| backup::write(&view, layout, backend(file)?, true))?;
        replaced.map_err(|error| io_failure(&error))
    })
}

/// Makes a file that has its name only when it is whole. The inner result says whether it could be given the name.
pub(super) fn publish(
    path: &Path,
    name_it: impl FnOnce(&Path, &Path) -> io::Result<()>,
    make: impl FnOnce(File) -> Result<(), StoreError>,
) -> Result<io::Result<()>, StoreError> {
    let mut name = OsString::from(path.as_os_str());
    name.push(format!(".{}.new", std::process::id()));
    let unfinished = Path::new(&name);
    let _ = std::fs::remove_file(unfinished);
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(unfinished);
    let file = file.map_err(|error| io_failure(&error))?;
    let finished = make(file).map(|()| name_it(unfinished, path));
    let _ = std::fs::remove_file(unfinished);
    if let Some(Ok(directory)) = path.parent().map(|parent| {
        File::open(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })
    }) {
        directory.sync_all().map_err(|error| io_failure(&error))?;
    }
    finished
}

/// Opens what is on a medium, and gives what the journal has beyond it. After a failure, `suspects` is what a failed sync may have lost; the
/// file is known to be a store then, and what its journal has is known too.
pub(super) fn open(
    medium: &dyn Medium,
    options: &EmbeddedOptions,
    suspects: Option<&FileRanges>,
) -> Result<(OpenedFile, JournalReplay), StoreError> {
    let backend = medium.open().map_err(|error| io_failure(&error))?;
    let layout = FileLayout::read(&*backend)?;
    let length = backend.len().map_err(|error| io_failure(&error))?;
    let syncs = options.durability != Durability::Unsynced;
    let guard = StorageGuard::new(backend, suspects.is_none(), syncs);
    if let Some(suspects) = suspects {
        guard.rewrite(suspects).map_err(|error| io_failure(&error))?;
    }
    caught(|| {
        let inner = OffsetBackend { inner: guard.clone(), offset: layout.database_at() };
        let whole = suspects.is_none() && length <= options.check_up_to;
        let database = open_database(inner, options, whole)?;
        check_format(&database, FORMAT)?;
        let verified = Arc::new(VerifiedRecords::new());
        let replay = if suspects.is_none() {
            let transaction = database.begin_read().map_err(failure)?;
            let view = ReadView::new(transaction, Arc::clone(&verified), None)?;
            let replay = journal::replay(&guard, layout, view.applied()?)?;
            replay.follows(view.base()?)?;
            replay
        } else {
            JournalReplay::default()
        };
        guard.accept().map_err(|error| io_failure(&error))?;
        Ok((OpenedFile { database, guard: guard.clone(), layout, verified }, replay))
    })
}

/// Opens a database and checks it, as a whole if that is asked for.
fn open_database(
    backend: OffsetBackend<StorageGuard>,
    options: &EmbeddedOptions,
    whole: bool,
) -> Result<Database, StoreError> {
    let mut builder = Builder::new();
    builder.set_cache_size(options.cache);
    let mut database = builder.create_with_backend(backend).map_err(failure)?;
    if whole && !database.check_integrity().map_err(failure)? {
        return Err(StoreError::Damaged("the integrity check failed".to_owned()));
    }
    Ok(database)
}

fn check_format(database: &Database, expected: u32) -> Result<(), StoreError> {
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
        Some(format) if format == expected => {}
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
