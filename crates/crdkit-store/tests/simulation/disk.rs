//! A disk in memory that fails on demand, and the images that a power cut can leave of it.
//!
//! What is written is seen at once and is durable after a sync that succeeds. A sync that fails leaves what was written before it in
//! doubt for good: it is still seen, but no later sync makes it durable unless it is written again.

use crdkit_store::embedded::Medium;
use crdkit_store::suite::SchedulePlan;
use redb::StorageBackend;
use std::io;
use std::sync::{Arc, Mutex};

/// What happened to the disk.
#[derive(Clone, Debug)]
pub(crate) enum DiskOperation {
    Write(u64, Vec<u8>),
    Resize(u64),
    Sync,
    /// What was written and not synced before is in doubt.
    FailedSync,
}

/// Which operation is to fail, counted from now, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiskFault {
    FailedSync,
    /// Half of the bytes arrive.
    ShortWrite,
    Full,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct FakeDisk(Arc<Mutex<DiskState>>);

#[derive(Debug, Default)]
struct DiskState {
    seen: Vec<u8>,
    log: Vec<DiskOperation>,
    fault: Option<(DiskFault, usize, usize)>,
}

impl FakeDisk {
    pub(crate) fn with(image: Vec<u8>) -> FakeDisk {
        let state = DiskState { seen: image, ..DiskState::default() };
        FakeDisk(Arc::new(Mutex::new(state)))
    }

    pub(crate) fn image(&self) -> Vec<u8> {
        self.0.lock().unwrap().seen.clone()
    }

    /// How many operations there were.
    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap().log.len()
    }

    pub(crate) fn operations(&self) -> Vec<DiskOperation> {
        self.0.lock().unwrap().log.clone()
    }

    /// Fails operations of a kind, after so many that succeed, so many times.
    pub(crate) fn fail(&self, fault: DiskFault, after: usize, times: usize) {
        self.0.lock().unwrap().fault = Some((fault, after, times));
    }

    /// Whether the fault happened as often as it should.
    pub(crate) fn failed(&self) -> bool {
        self.0.lock().unwrap().fault.is_none()
    }
}

impl DiskState {
    /// Whether an operation that a kind of fault concerns fails now.
    fn fails(&mut self, concerned: &[DiskFault]) -> Option<DiskFault> {
        let (fault, after, times) = self.fault.as_mut()?;
        if !concerned.contains(fault) {
            return None;
        }
        if *after > 0 {
            *after -= 1;
            return None;
        }
        let failed = *fault;
        *times -= 1;
        if *times == 0 {
            self.fault = None;
        }
        Some(failed)
    }
}

impl Medium for FakeDisk {
    fn open(&self) -> io::Result<Box<dyn StorageBackend>> {
        Ok(Box::new(self.clone()))
    }
}

impl StorageBackend for FakeDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().seen.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.0.lock().unwrap();
        let from = usize::try_from(offset).unwrap();
        let bytes = from.checked_add(out.len()).and_then(|to| state.seen.get(from..to));
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        if length > state.seen.len() as u64 && state.fails(&[DiskFault::Full]).is_some() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        apply(&mut state.seen, &DiskOperation::Resize(length), usize::MAX);
        state.log.push(DiskOperation::Resize(length));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        if state.fails(&[DiskFault::FailedSync]).is_some() {
            state.log.push(DiskOperation::FailedSync);
            return Err(io::Error::other("the sync failed"));
        }
        state.log.push(DiskOperation::Sync);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        let fault = state.fails(&[DiskFault::ShortWrite, DiskFault::Full]);
        let arrived = match fault {
            None => data,
            Some(DiskFault::Full) => &[],
            Some(_) => &data[..data.len() / 2],
        };
        let operation = DiskOperation::Write(offset, arrived.to_vec());
        apply(&mut state.seen, &operation, usize::MAX);
        state.log.push(operation);
        match fault {
            None => Ok(()),
            Some(DiskFault::Full) => Err(io::ErrorKind::StorageFull.into()),
            Some(_) => Err(io::ErrorKind::WriteZero.into()),
        }
    }
}

/// Applies an operation to an image, a write only up to so many bytes.
fn apply(image: &mut Vec<u8>, operation: &DiskOperation, bytes: usize) {
    match operation {
        DiskOperation::Write(offset, data) => {
            let from = usize::try_from(*offset).unwrap();
            let data = &data[..data.len().min(bytes)];
            if image.len() < from + data.len() {
                image.resize(from + data.len(), 0);
            }
            image[from..from + data.len()].copy_from_slice(data);
        }
        DiskOperation::Resize(length) => image.resize(usize::try_from(*length).unwrap(), 0),
        DiskOperation::Sync | DiskOperation::FailedSync => {}
    }
}

/// How much of what was not synced a power cut keeps.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kept {
    Nothing,
    Everything,
    /// Some operations, some of them in part.
    Some(SchedulePlan),
}

/// What a power cut after the operations leaves of an image.
pub(crate) fn after_power_cut(
    start: &[u8],
    operations: &[DiskOperation],
    mut kept: Kept,
) -> Vec<u8> {
    let synced = operations.iter().rposition(|operation| matches!(operation, DiskOperation::Sync));
    let mut image = start.to_vec();
    for (index, operation) in operations.iter().enumerate() {
        let bytes = if synced.is_some_and(|synced| index < synced) && !lost(operations, index) {
            usize::MAX
        } else {
            match &mut kept {
                Kept::Nothing => 0,
                Kept::Everything => usize::MAX,
                Kept::Some(plan) => match plan.below(5) {
                    0 | 1 => 0,
                    // Disks write whole sectors.
                    2 => 512 * usize::try_from(plan.below(8)).unwrap(),
                    _ => usize::MAX,
                },
            }
        };
        // The length of a file is kept or not; a sector of a write that is not is what it was.
        if bytes > 0 {
            apply(&mut image, operation, bytes);
        }
    }
    image
}

/// Whether an operation was followed by a failed sync before a successful one.
fn lost(operations: &[DiskOperation], index: usize) -> bool {
    let next = operations[index..]
        .iter()
        .find(|operation| matches!(operation, DiskOperation::Sync | DiskOperation::FailedSync));
    matches!(next, Some(DiskOperation::FailedSync))
}
