//! Which records were seen to be whole since the file was opened.
//!
//! Damage is found when a record is first read; reading it again does not hash it again. Checksums of records that held are
//! kept in a table of fixed size, where one takes the place of another: what is not there is checked once more.

use std::sync::atomic::{AtomicU64, Ordering};

const SLOTS: usize = 1 << 16;

#[derive(Debug)]
pub(super) struct VerifiedRecords(Box<[AtomicU64]>);

impl VerifiedRecords {
    pub(super) fn new() -> VerifiedRecords {
        VerifiedRecords((0..SLOTS).map(|_| AtomicU64::new(0)).collect())
    }

    fn slot(&self, sum: u64) -> Option<&AtomicU64> {
        // Checksums are as good as random.
        self.0.get(usize::try_from(sum % SLOTS as u64).ok()?)
    }

    /// Whether a record with this checksum held.
    pub(super) fn knows(&self, sum: u64) -> bool {
        sum != 0 && self.slot(sum).is_some_and(|slot| slot.load(Ordering::Relaxed) == sum)
    }

    /// Notes that a record with this checksum held.
    pub(super) fn note(&self, sum: u64) {
        if let Some(slot) = self.slot(sum) {
            slot.store(sum, Ordering::Relaxed);
        }
    }
}
