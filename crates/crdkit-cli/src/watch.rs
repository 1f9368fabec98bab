//! Runs again whenever something changes.
//!
//! Files are looked at rather than subscribed to: that works the same on every system and file system, and
//! for files that are replaced as editors do it. A look costs one query for each file.

use crate::exit::Exit;
use crate::report;
use anyhow::Result;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const PAUSE: Duration = Duration::from_millis(250);

/// What can be seen of files without opening them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Snapshot(BTreeMap<PathBuf, (u64, Option<SystemTime>)>);

impl Snapshot {
    /// Looks at `roots` and everything below them. What is not there may be there next time.
    pub(crate) fn of(roots: &[PathBuf]) -> Self {
        let mut snapshot = Self::default();
        let mut pending: Vec<PathBuf> = roots.to_vec();
        while let Some(path) = pending.pop() {
            let Ok(metadata) = fs::metadata(&path) else { continue };
            if metadata.is_dir() {
                pending.extend(children(&path));
            } else {
                snapshot.0.insert(path, (metadata.len(), metadata.modified().ok()));
            }
        }
        snapshot
    }
}

/// What is in a directory, without hidden entries and without links to directories, which could lead in a
/// circle.
fn children(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let wanted = |entry: &fs::DirEntry| {
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let is_link = entry.file_type().is_ok_and(|it| it.is_symlink());
        !(hidden || is_link && entry.path().is_dir())
    };
    entries.flatten().filter(wanted).map(|entry| entry.path()).collect()
}

/// Calls `run` now and after each change of `files`, or of what `run` says it depends on besides them, until
/// the program is ended from outside.
pub(crate) fn forever(
    mut files: Vec<PathBuf>,
    run: impl Fn() -> Result<Vec<PathBuf>>,
) -> Result<Exit> {
    loop {
        // Taken first, so that what changes while it is being read is seen afterwards.
        let mut before = Snapshot::of(&files);
        match run() {
            Ok(more) => {
                let new: Vec<_> = more.into_iter().filter(|file| !files.contains(file)).collect();
                before.0.extend(Snapshot::of(&new).0);
                files.extend(new);
            }
            // A file in the middle of being edited is not a reason to stop.
            Err(error) => report::failure(&error),
        }
        report::note("waiting for changes");
        while Snapshot::of(&files) == before {
            std::thread::sleep(PAUSE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_changes_with_its_files() {
        let directory = std::env::temp_dir().join(format!("crdkit-watch-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(directory.join("a/.hidden")).unwrap();
        let roots = [directory.clone(), directory.join("later.yaml")];
        let write = |name: &str, text: &str| fs::write(directory.join(name), text).unwrap();
        let empty = Snapshot::of(&roots);
        write("a/one.yaml", "a: 1");
        let one = Snapshot::of(&roots);
        assert_ne!(one, empty);
        assert_eq!(one, Snapshot::of(&roots));
        write("a/one.yaml", "a: 10");
        let longer = Snapshot::of(&roots);
        assert_ne!(longer, one);
        write("a/.hidden/two.yaml", "b: 2");
        assert_eq!(Snapshot::of(&roots), longer);
        fs::remove_file(directory.join("a/one.yaml")).unwrap();
        assert_eq!(Snapshot::of(&roots), empty);
        fs::remove_dir_all(&directory).unwrap();
    }
}
