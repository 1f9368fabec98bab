//! All entries of a store at one revision, in memory or as bytes.
//!
//! The bytes are a magic number, the format, the revision, the number of entries, the entries one after the other and a checksum of
//! all of it. Integers are little-endian; keys and values come with their length before them.

use crate::{Millis, Revision, StoreEntry, StoreError};
use bytes::Bytes;
use std::sync::Arc;
use twox_hash::XxHash3_64;

const MAGIC: &[u8; 8] = b"crdksnap";
const FORMAT: u32 = 1;

/// An entry and when it expires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotEntry {
    /// The entry.
    pub entry: Arc<StoreEntry>,
    /// When it is deleted, if ever.
    pub expires: Option<Millis>,
}

/// The state of a store at a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The revision.
    pub revision: Revision,
    /// All entries by key.
    pub entries: Vec<SnapshotEntry>,
}

impl Snapshot {
    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(FORMAT.to_le_bytes());
        out.extend(self.revision.0.to_le_bytes());
        out.extend((self.entries.len() as u64).to_le_bytes());
        for SnapshotEntry { entry, expires } in &self.entries {
            for number in
                [entry.revision.0, entry.created.0, expires.map_or(0, |expires| expires.0)]
            {
                out.extend(number.to_le_bytes());
            }
            for bytes in [entry.key.as_bytes(), &entry.value] {
                out.extend((bytes.len() as u64).to_le_bytes());
                out.extend(bytes);
            }
        }
        let checksum = XxHash3_64::oneshot(&out);
        out.extend(checksum.to_le_bytes());
        out
    }

    /// From bytes.
    pub fn decode(bytes: &[u8]) -> Result<Snapshot, StoreError> {
        let mut input = SnapshotReader { rest: bytes };
        if input.take(MAGIC.len())? != MAGIC {
            return Err(StoreError::Foreign("not a snapshot".to_owned()));
        }
        let format = u32::from_le_bytes(input.array()?);
        if format > FORMAT {
            return Err(StoreError::Newer { format, supported: FORMAT });
        }
        let (body, checksum) = bytes.split_last_chunk::<8>().ok_or_else(short)?;
        if XxHash3_64::oneshot(body) != u64::from_le_bytes(*checksum) {
            return Err(StoreError::Damaged("the snapshot's checksum is wrong".to_owned()));
        }
        let revision = Revision(input.number()?);
        let count = input.number()?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let (changed, created) = (Revision(input.number()?), Revision(input.number()?));
            let expires = Some(Millis(input.number()?)).filter(|expires| expires.0 > 0);
            let key = std::str::from_utf8(input.sized()?)
                .map_err(|_| StoreError::Damaged("a key is not text".to_owned()))?;
            let key = key.into();
            let value = Bytes::copy_from_slice(input.sized()?);
            let entry = Arc::new(StoreEntry { key, value, revision: changed, created });
            entries.push(SnapshotEntry { entry, expires });
        }
        Ok(Snapshot { revision, entries })
    }
}

fn short() -> StoreError {
    StoreError::Damaged("the snapshot ends early".to_owned())
}

struct SnapshotReader<'a> {
    rest: &'a [u8],
}

impl<'a> SnapshotReader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], StoreError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(short)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], StoreError> {
        self.take(N)?.try_into().map_err(|_| short())
    }

    fn number(&mut self) -> Result<u64, StoreError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn sized(&mut self) -> Result<&'a [u8], StoreError> {
        let size = usize::try_from(self.number()?).map_err(|_| short())?;
        self.take(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_the_snapshot_or_an_error() {
        let entry = |key: &str, expires| SnapshotEntry {
            entry: Arc::new(StoreEntry {
                key: key.into(),
                value: Bytes::from_static(b"value"),
                revision: Revision(3),
                created: Revision(2),
            }),
            expires,
        };
        let snapshot = Snapshot {
            revision: Revision(7),
            entries: vec![entry("a", None), entry("b", Some(Millis(9)))],
        };
        let bytes = snapshot.encode();
        assert_eq!(Snapshot::decode(&bytes), Ok(snapshot));
        for end in 0..bytes.len() {
            assert!(Snapshot::decode(&bytes[..end]).is_err(), "{end}");
        }
        for at in 0..bytes.len() {
            let mut bytes = bytes.clone();
            bytes[at] ^= 0x40;
            assert!(Snapshot::decode(&bytes).is_err(), "{at}");
        }
    }
}
