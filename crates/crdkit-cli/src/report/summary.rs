//! Counts over a run, and how people read them.

use super::{Comparison, LeftOut, Object, Verdict};
use crate::judge::Partly;
use crate::kubernetes;
use crdkit_issue::Severity;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Counts over a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    pub(crate) n_files: usize,
    pub(crate) n_valid: usize,
    pub(crate) n_invalid: usize,
    pub(crate) n_errors: usize,
    pub(crate) n_skipped: usize,
    pub(crate) n_warnings: usize,
    pub(crate) n_suppressed: usize,
    /// What was compared, if the run is about that.
    pub(crate) comparison: Option<Comparison>,
    /// What was left out, by reason.
    pub(crate) left_out: BTreeMap<LeftOut, usize>,
    /// What was judged in part, by reason.
    pub(crate) partly: BTreeMap<Partly, usize>,
}

impl Summary {
    /// How many objects there were.
    pub(crate) fn n_objects(&self) -> usize {
        self.n_valid + self.n_invalid + self.n_errors + self.n_skipped
    }

    /// The counts of cases, for people.
    pub(crate) fn of_cases(&self) -> String {
        let s = |n: usize| if n == 1 { "" } else { "s" };
        let (n_cases, n_files) = (self.n_objects(), self.n_files);
        let (s_cases, s_files) = (s(n_cases), s(n_files));
        let (n_passed, n_failed) = (self.n_valid, self.n_invalid);
        let mut out = format!(
            "{n_cases} case{s_cases} in {n_files} suite{s_files}: {n_passed} passed, {n_failed} failed"
        );
        let more = [(self.n_errors, "could not be run"), (self.n_skipped, "skipped")];
        for (n, what) in more.into_iter().filter(|(n, _)| *n > 0) {
            let _ = write!(out, ", {n} {what}");
        }
        out + &kubernetes::in_parentheses()
    }

    /// The counts for people.
    pub(crate) fn in_words(&self) -> String {
        let s = |n: usize| if n == 1 { "" } else { "s" };
        let (n_objects, n_files) = (self.n_objects(), self.n_files);
        let mut out = format!(
            "{n_objects} object{} in {n_files} file{}: {} valid, {} invalid",
            s(n_objects),
            s(n_files),
            self.n_valid,
            self.n_invalid,
        );
        let more = [
            (self.n_errors, "could not be judged", ""),
            (self.n_skipped, "skipped", ""),
            (self.n_warnings, "warning", s(self.n_warnings)),
            (self.n_suppressed, "ignored by comments", ""),
        ];
        for (n, what, s) in more.into_iter().filter(|(n, ..)| *n > 0) {
            let _ = write!(out, ", {n} {what}{s}");
        }
        out.push_str(&kubernetes::in_parentheses());
        for (partly, n) in &self.partly {
            let _ = write!(out, "; {}", partly.in_words(*n));
        }
        out.push_str(&self.left_out_in_words());
        out
    }

    fn left_out_in_words(&self) -> String {
        let parts: Vec<_> = self
            .left_out
            .iter()
            .map(|(reason, n)| format!("{n} {}", reason.in_words(*n)))
            .collect();
        if parts.is_empty() { String::new() } else { format!("; left out: {}", parts.join(", ")) }
    }

    pub(super) fn add(&mut self, object: &Object) {
        *match object.verdict {
            Verdict::LeftOut(reason) => {
                *self.left_out.entry(reason).or_default() += 1;
                return;
            }
            Verdict::Valid => &mut self.n_valid,
            Verdict::Invalid => &mut self.n_invalid,
            Verdict::Error => &mut self.n_errors,
            Verdict::Skipped => &mut self.n_skipped,
        } += usize::from(object.counts()) * (1 + object.n_alike);
        if let Some(partly) = object.partly {
            *self.partly.entry(partly).or_default() += 1;
        }
        self.n_suppressed += object.findings.iter().filter(|finding| !finding.counts()).count();
        self.n_warnings += object.findings().count() - object.errors().count();
        let unshown = object.unshown.iter();
        self.n_warnings += unshown.filter(|(_, it)| *it == Severity::Warning).count();
    }
}
