//! Directories that are gone when they are no longer needed.

use anyhow::{Context as _, Result};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A directory that is removed with all that is in it.
pub(super) struct Temporary(pub(super) PathBuf);

impl Temporary {
    /// A new directory for `what`.
    pub(super) fn new(what: &str) -> Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("crdkit-{what}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path)
            .with_context(|| format!("`{}` cannot be made", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
