//! `--fix`: changes of files that cannot be wrong, made before they are judged.
//!
//! Takes objects with findings, writes the files they are in. Only the text that a finding points at is replaced,
//! so that comments and layout stay as they are.

use crate::report::{Fix, Object, Target};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// What was corrected.
#[derive(Default)]
pub(super) struct Fixed {
    n_findings: usize,
    files: BTreeSet<Arc<str>>,
}

/// Changes that were found, by file.
#[derive(Default)]
pub(super) struct Fixes(BTreeMap<Arc<str>, Vec<Fix>>);

impl Fixes {
    pub(super) fn add(&mut self, object: &Object) {
        let wanted = object.findings.iter().filter(|finding| finding.counts());
        let fixes: Vec<_> = wanted.filter_map(|finding| finding.fix.clone()).collect();
        // What a program put together is not a file that could be changed.
        if !fixes.is_empty() && object.origin.is_none() && Path::new(&*object.file).is_file() {
            self.0.entry(Arc::clone(&object.file)).or_default().extend(fixes);
        }
    }

    /// Writes all of them; false if there are none.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub(super) fn apply(self, fixed: &mut Fixed) -> Result<bool> {
        let is_any = !self.0.is_empty();
        for (file, mut fixes) in self.0 {
            let path = Path::new(&*file);
            let mut bytes = crate::source::read_file(path)?;
            fixes.sort_by_key(|fix| std::cmp::Reverse(fix.span.start));
            // Of two that touch the same text the later one is left for the next run.
            fixes.dedup_by(|next, before| next.span.end > before.span.start);
            fixed.n_findings += fixes.len();
            fixed.files.insert(Arc::clone(&file));
            for fix in fixes {
                let (start, end) = (fix.span.start.min(bytes.len()), fix.span.end.min(bytes.len()));
                bytes.splice(start..end.max(start), fix.text.into_bytes());
            }
            let mut target = Target::new(Some(path));
            target.write_data(&bytes)?;
            target.finish()?;
        }
        Ok(is_any)
    }
}

impl Fixed {
    /// For people; nothing if nothing was changed.
    pub(super) fn in_words(&self) -> Option<String> {
        let s = |n: usize| if n == 1 { "" } else { "s" };
        let (n_findings, n_files) = (self.n_findings, self.files.len());
        (n_files > 0).then(|| {
            format!(
                "corrected {n_findings} finding{} in {n_files} file{}",
                s(n_findings),
                s(n_files)
            )
        })
    }
}
