//! The tables of the database and the bytes of their records. `layout` says where the database is.
//!
//! | Table | Key | Value |
//! |---|---|---|
//! | `latest` | key | checksum, entry |
//! | `log` | revision | checksum, time, total, flags, length of the key, key, entry before the change if there was one |
//! | `expiry` | time, key | – |
//! | `meta` | `application` | `crdkit-store` |
//! | `meta` | `format` | the number of the format |
//! | `meta` | `horizon` | the oldest revision that is retained |
//! | `meta` | `applied` | the last epoch of the journal that is in the tables (format 2) |
//! | `meta` | `in use` | – (there while a writer that does not sync every write has the file open) |
//!
//! An entry is its revision, the revision that created it, the time when it expires (0: never) and the value. Integers are little-endian, in
//! keys of `expiry` big-endian. A checksum is the XXH3 of all that follows it, seeded with that of the table's key; it is checked when a record is
//! first read after the file was opened. The total counts the bytes of
//! the log from the beginning of time, so that the size of a part of it is a difference.
//!
//! The log has one record per revision and is an undo log: with it the latest state leads back to every retained one. The last
//! record is always kept, and its key is the latest revision; where the log is empty, the horizon is.
//!
//! A later format gets the next number. Opening an earlier one makes a new file of it, which then takes its name; a later one is refused.
//! Format 1 is a database without a journal.

use super::verified::VerifiedRecords;
use crate::undo::Keyed;
use crate::{Millis, Revision, StoreEntry, StoreError};
use bytes::{Bytes, BytesMut};
use redb::TableDefinition;
use std::sync::Arc;
use twox_hash::XxHash3_64;

pub(super) const LATEST: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("latest");
pub(super) const LOG: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("log");
pub(super) const EXPIRY: TableDefinition<'_, &[u8], ()> = TableDefinition::new("expiry");
pub(super) const META: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("meta");

pub(super) const APPLICATION: (&[u8], &[u8]) = (b"application", b"crdkit-store");
pub(super) const FORMAT_KEY: &[u8] = b"format";
pub(super) const HORIZON_KEY: &[u8] = b"horizon";
pub(super) const APPLIED_KEY: &[u8] = b"applied";
pub(super) const IN_USE_KEY: &[u8] = b"in use";

const PUT: u8 = 1;
const HAD_PREVIOUS: u8 = 2;

/// An entry as it is stored.
#[derive(Clone, Debug)]
pub(super) struct EntryRecord {
    pub(super) entry: Arc<StoreEntry>,
    pub(super) expires: Option<Millis>,
}

impl Keyed for EntryRecord {
    fn key(&self) -> &str {
        &self.entry.key
    }
}

/// A record of the log.
#[derive(Clone, Debug)]
pub(super) struct LogRecord {
    pub(super) time: Millis,
    pub(super) total: u64,
    /// Whether there is an entry after the change.
    pub(super) put: bool,
    pub(super) key: Arc<str>,
    pub(super) previous: Option<EntryRecord>,
}

fn damaged(what: &str) -> StoreError {
    StoreError::Damaged(what.to_owned())
}

fn checksum(key: &[u8], rest: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(XxHash3_64::oneshot(key), rest)
}

/// Puts the checksum in front.
fn seal(key: &[u8], mut record: Vec<u8>) -> Vec<u8> {
    if let Some((place, rest)) = record.split_first_chunk_mut::<8>() {
        *place = checksum(key, rest).to_le_bytes();
    }
    record
}

fn unseal<'a>(key: &[u8], record: &'a [u8]) -> Result<RecordReader<'a>, StoreError> {
    let (sum, rest) =
        record.split_first_chunk::<8>().ok_or_else(|| damaged("a record ends early"))?;
    if u64::from_le_bytes(*sum) != checksum(key, rest) {
        return Err(damaged("the checksum of a record is wrong"));
    }
    Ok(RecordReader { rest })
}

fn encode_entry(out: &mut Vec<u8>, entry: &StoreEntry, expires: Option<Millis>) {
    for number in [entry.revision.0, entry.created.0, expires.map_or(0, |expires| expires.0)] {
        out.extend(number.to_le_bytes());
    }
    out.extend_from_slice(&entry.value);
}

/// The value of a key in `latest`.
pub(super) fn encode_latest(entry: &StoreEntry, expires: Option<Millis>) -> Vec<u8> {
    let mut out = Vec::with_capacity(8 + 24 + entry.value.len());
    out.extend([0; 8]);
    encode_entry(&mut out, entry, expires);
    seal(entry.key.as_bytes(), out)
}

/// What `latest` has for a key.
pub(super) fn decode_latest(key: &[u8], record: &[u8]) -> Result<EntryRecord, StoreError> {
    let text = std::str::from_utf8(key).map_err(|_| damaged("a key is not text"))?;
    unseal(key, record)?.entry(text.into(), Bytes::copy_from_slice)
}

/// The same, where a record that is known to be whole is not hashed again.
pub(super) fn decode_verified(
    key: &[u8],
    record: &[u8],
    verified: &VerifiedRecords,
    copy: impl FnOnce(&[u8]) -> Bytes,
) -> Result<EntryRecord, StoreError> {
    let (sum, rest) =
        record.split_first_chunk::<8>().ok_or_else(|| damaged("a record ends early"))?;
    let sum = u64::from_le_bytes(*sum);
    if !verified.knows(sum) {
        unseal(key, record)?;
        verified.note(sum);
    }
    let text = std::str::from_utf8(key).map_err(|_| damaged("a key is not text"))?;
    RecordReader { rest }.entry(text.into(), copy)
}

/// Where the values of a range are copied to: small ones share memory, which is free once all of them are gone.
#[derive(Debug, Default)]
pub(super) struct ValueBuffer(BytesMut);

impl ValueBuffer {
    /// So many bytes are shared; a single value that is kept for long keeps no more than this.
    const SHARED: usize = 32 * 1024;

    pub(super) fn copy(&mut self, value: &[u8]) -> Bytes {
        if value.len() > Self::SHARED / 4 {
            return Bytes::copy_from_slice(value);
        }
        if self.0.capacity() < value.len() {
            self.0 = BytesMut::with_capacity(Self::SHARED);
        }
        self.0.extend_from_slice(value);
        self.0.split().freeze()
    }
}

/// The value of a revision in `log`. Its `total` has to count it.
pub(super) fn encode_log(revision: u64, record: &LogRecord) -> Vec<u8> {
    let mut out = Vec::with_capacity(log_size(record));
    out.extend([0; 8]);
    out.extend(record.time.0.to_le_bytes());
    out.extend(record.total.to_le_bytes());
    let previous = if record.previous.is_some() { HAD_PREVIOUS } else { 0 };
    out.push(if record.put { PUT | previous } else { previous });
    let length = u32::try_from(record.key.len()).unwrap_or(u32::MAX);
    out.extend(length.to_le_bytes());
    out.extend_from_slice(record.key.as_bytes());
    if let Some(stored) = &record.previous {
        encode_entry(&mut out, &stored.entry, stored.expires);
    }
    seal(&revision.to_le_bytes(), out)
}

/// The bytes of a record.
pub(super) fn log_size(record: &LogRecord) -> usize {
    let previous = record.previous.as_ref().map_or(0, |stored| 24 + stored.entry.value.len());
    8 + 8 + 8 + 1 + 4 + record.key.len() + previous
}

/// What `log` has for a revision.
pub(super) fn decode_log(revision: u64, record: &[u8]) -> Result<LogRecord, StoreError> {
    let mut reader = unseal(&revision.to_le_bytes(), record)?;
    let (time, total) = (Millis(reader.number()?), reader.number()?);
    let flags = u8::from_le_bytes(reader.array()?);
    let length = u32::from_le_bytes(reader.array()?);
    let key = reader.take(length as usize)?;
    let key: Arc<str> = std::str::from_utf8(key).map_err(|_| damaged("a key is not text"))?.into();
    let previous = match flags & HAD_PREVIOUS {
        0 => None,
        _ => Some(reader.entry(Arc::clone(&key), Bytes::copy_from_slice)?),
    };
    Ok(LogRecord { time, total, put: flags & PUT != 0, key, previous })
}

/// The key of `expiry`.
pub(super) fn expiry_key(expires: Millis, key: &str) -> Vec<u8> {
    let mut out = expires.0.to_be_bytes().to_vec();
    out.extend_from_slice(key.as_bytes());
    out
}

/// The key that expires, and when.
pub(super) fn decode_expiry(record: &[u8]) -> Result<(Millis, &str), StoreError> {
    let (time, key) =
        record.split_first_chunk::<8>().ok_or_else(|| damaged("a record ends early"))?;
    let key = std::str::from_utf8(key).map_err(|_| damaged("a key is not text"))?;
    Ok((Millis(u64::from_be_bytes(*time)), key))
}

struct RecordReader<'a> {
    rest: &'a [u8],
}

impl<'a> RecordReader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], StoreError> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| damaged("a record ends early"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], StoreError> {
        self.take(N)?.try_into().map_err(|_| damaged("a record ends early"))
    }

    fn number(&mut self) -> Result<u64, StoreError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// An entry is all that is left of a record.
    fn entry(
        mut self,
        key: Arc<str>,
        copy: impl FnOnce(&[u8]) -> Bytes,
    ) -> Result<EntryRecord, StoreError> {
        let (revision, created) = (Revision(self.number()?), Revision(self.number()?));
        let expires = Some(Millis(self.number()?)).filter(|expires| expires.0 > 0);
        let value = copy(self.rest);
        Ok(EntryRecord { entry: Arc::new(StoreEntry { key, value, revision, created }), expires })
    }
}
