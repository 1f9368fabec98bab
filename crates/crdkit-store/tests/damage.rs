//! Damaged files of an embedded store: an error or the true data, never a panic, never something else.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr, reason = "tests")]

use crdkit_store::embedded::Medium;
use crdkit_store::suite::{SchedulePlan, StoreModel};
use crdkit_store::{
    EmbeddedOptions, EmbeddedStore, ManualClock, RangeRequest, Revision, Store, StoreError,
    WatchEvent,
};
use redb::StorageBackend;
use std::io;
use std::sync::{Arc, Mutex};

/// A file that is the beginning of another, with other bytes in some places.
#[derive(Clone, Debug, Default)]
struct DamagedFile {
    original: Arc<Vec<u8>>,
    length: usize,
    patches: Vec<(usize, Vec<u8>)>,
    /// The whole file, as soon as it is written to.
    written: Arc<Mutex<Option<Vec<u8>>>>,
}

impl DamagedFile {
    fn change<T>(&self, work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        let mut written = self.written.lock().unwrap();
        work(written.get_or_insert_with(|| {
            let mut bytes = self.original[..self.length].to_vec();
            for (at, patch) in &self.patches {
                bytes[*at..at + patch.len()].copy_from_slice(patch);
            }
            bytes
        }))
    }
}

impl Medium for DamagedFile {
    fn open(&self) -> io::Result<Box<dyn StorageBackend>> {
        Ok(Box::new(self.clone()))
    }
}

impl StorageBackend for DamagedFile {
    fn len(&self) -> io::Result<u64> {
        let written = self.written.lock().unwrap();
        Ok(written.as_ref().map_or(self.length, Vec::len) as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let from = usize::try_from(offset).map_err(io::Error::other)?;
        let to = from.checked_add(out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        if let Some(bytes) = &*self.written.lock().unwrap() {
            out.copy_from_slice(bytes.get(from..to).ok_or(io::ErrorKind::UnexpectedEof)?);
            return Ok(());
        }
        let bytes = self.original[..self.length].get(from..to);
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        for (at, patch) in &self.patches {
            for (index, byte) in (*at..).zip(patch).filter(|(index, _)| (from..to).contains(index))
            {
                out[index - from] = *byte;
            }
        }
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let length = usize::try_from(length).map_err(io::Error::other)?;
        self.change(|bytes| bytes.resize(length, 0));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let from = usize::try_from(offset).map_err(io::Error::other)?;
        self.change(|bytes| bytes[from..from + data.len()].copy_from_slice(data));
        Ok(())
    }
}

fn open(file: &DamagedFile) -> Result<EmbeddedStore, StoreError> {
    let clock = Arc::new(ManualClock::default());
    EmbeddedStore::open_on(Box::new(file.clone()), EmbeddedOptions::default(), clock)
}

/// How a store was left.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Closed,
    /// Its process was killed.
    Open,
}

/// Two journals: one that was emptied several times, and one that nearly everything is in.
const SHORT: u64 = 8 << 10;
const LONG: u64 = 256 << 10;

/// A small store, and what is in it.
async fn small(left: Left, journal: u64) -> (Arc<Vec<u8>>, StoreModel) {
    let file = DamagedFile::default();
    EmbeddedStore::create_on(&file, journal).unwrap();
    let store = open(&file).unwrap();
    let mut model = StoreModel::new(store.current().await.unwrap());
    let mut plan = SchedulePlan(5);
    while model.changes.len() < 40 {
        if let Ok(change) = store.write(plan.write("/", &model)).await {
            model.apply(&change);
        }
    }
    let open = file.change(|bytes| bytes.clone());
    drop(store);
    let closed = file.change(std::mem::take);
    (Arc::new(if left == Left::Open { open } else { closed }), model)
}

/// Everything that a store has, or the error.
async fn contents(store: &EmbeddedStore, model: &StoreModel) -> Result<StoreModel, StoreError> {
    let page = store.range(RangeRequest::under("")).await?;
    let mut found = StoreModel::new(Revision::FIRST);
    let mut watch = store.watch("", Revision::FIRST).await?;
    for _ in &model.changes {
        watch.request_progress();
        match watch.next().await? {
            WatchEvent::Change(change) => found.apply(&change),
            WatchEvent::Progress(_) => break,
        }
    }
    assert_eq!(page.entries, found.entries("", page.revision), "the history leads to the state");
    Ok(found)
}

/// Whether it could be opened.
async fn check(file: &DamagedFile, model: &StoreModel, left: Left, context: &str) -> bool {
    let Ok(store) = open(file) else {
        assert!(file.written.lock().unwrap().is_none(), "{context}: a refused file was written to");
        return false;
    };
    if let Ok(found) = contents(&store, model).await {
        // A damaged last commit of a file that was not closed is one that a power cut has torn: what was there before counts.
        let (all, found) = (&model.changes, &found.changes);
        let at_least = all.len() - usize::from(left == Left::Open);
        assert!(found.len() >= at_least, "{context}: {} of {}", found.len(), all.len());
        assert_eq!(found[..], all[..found.len()], "{context}");
    }
    true
}

fn quiet() {
    // redb panics where a file is not as it should be; these panics are expected and are caught.
    std::panic::set_hook(Box::new(|info| {
        if info.location().is_some_and(|location| !location.file().contains("redb")) {
            eprintln!("{info}");
        }
    }));
}

#[tokio::test]
async fn no_part_of_a_file_is_taken_for_the_whole() {
    quiet();
    let (original, model) = small(Left::Closed, SHORT).await;
    let mut file = DamagedFile { original, ..DamagedFile::default() };
    file.length = file.original.len();
    assert!(check(&file, &model, Left::Closed, "the whole file").await);
    for length in 0..file.original.len() {
        let file = DamagedFile { length, written: Arc::default(), ..file.clone() };
        let context = format!("{length} bytes");
        assert!(!check(&file, &model, Left::Closed, &context).await, "{context}");
    }
}

#[tokio::test]
async fn a_part_of_a_file_that_was_not_closed_is_refused_or_true() {
    quiet();
    for journal in [SHORT, LONG] {
        parts(journal).await;
    }
}

async fn parts(journal: u64) {
    let (original, model) = small(Left::Open, journal).await;
    let mut file = DamagedFile { original, ..DamagedFile::default() };
    file.length = file.original.len();
    assert!(check(&file, &model, Left::Open, "the whole file").await);
    // Every prefix that ends at a sector, and some that do not.
    for length in (0..file.original.len()).filter(|length| length % 512 == 0 || length % 131 == 0) {
        let file = DamagedFile { length, written: Arc::default(), ..file.clone() };
        check(&file, &model, Left::Open, &format!("{length} bytes")).await;
    }
}

#[tokio::test]
async fn random_damage_is_found_or_does_no_harm() {
    let (opened, refused) = random_damage(Left::Closed, SHORT, 10_000).await;
    assert!(opened > 1000 && refused > 1000, "{opened} opened, {refused} refused");
}

#[tokio::test]
async fn random_damage_of_a_file_that_was_not_closed_is_found_or_does_no_harm() {
    for journal in [SHORT, LONG] {
        let (opened, refused) = random_damage(Left::Open, journal, 5_000).await;
        assert!(opened > 500 && refused > 250, "{opened} opened, {refused} refused");
    }
}

/// How many damaged files could be opened, and how many not.
async fn random_damage(left: Left, journal: u64, rounds: u32) -> (u32, u32) {
    quiet();
    let (original, model) = small(left, journal).await;
    let length = original.len();
    let used: Vec<usize> = (0..length / 512)
        .filter(|sector| original[sector * 512..][..512].iter().any(|byte| *byte != 0))
        .collect();
    let database = (8192 + usize::try_from(journal).unwrap()) / 512;
    let mut plan = SchedulePlan(11);
    let mut below = |bound: usize| usize::try_from(plan.below(bound as u64)).unwrap();
    let (mut opened, mut refused) = (0, 0);
    for round in 0..rounds {
        // Mostly where there is something, and a third of it in the headers of the file and of its database.
        let sector = match round % 6 {
            0 => below(8),
            3 => database,
            1 | 4 => used[below(used.len())],
            _ => below(length / 512),
        };
        let at = sector * 512 + below(512);
        let patch = match below(4) {
            0 => vec![original[at] ^ (1 << below(8))],
            1 => vec![original[at].wrapping_add(1 + u8::try_from(below(255)).unwrap())],
            2 => vec![0; 1 + below(4096.min(length - at))],
            _ => {
                let from = used[below(used.len())] * 512;
                original[from..from + 512.min(length - at)].to_vec()
            }
        };
        let harmless = original[at..at + patch.len()] == patch[..];
        let context = format!("round {round}: {} bytes at {at}", patch.len());
        let file = DamagedFile {
            original: Arc::clone(&original),
            length,
            patches: vec![(at, patch)],
            written: Arc::default(),
        };
        let whole = check(&file, &model, left, &context).await;
        assert!(whole || !harmless, "{context}");
        *if whole { &mut opened } else { &mut refused } += 1;
    }
    (opened, refused)
}
