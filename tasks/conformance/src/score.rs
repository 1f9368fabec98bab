//! Counts: how many cases of each measure are right, and which are not.

use std::fmt::Write as _;

/// The score of one suite. Measures keep the order in which they first occur.
#[derive(Default)]
pub(crate) struct Score {
    measures: Vec<Measure>,
    /// Cases without an answer, each with the reason.
    skipped: Vec<(String, String)>,
}

struct Measure {
    name: String,
    right: usize,
    total: usize,
    misses: Vec<String>,
}

impl Score {
    /// Counts one case for `measure`.
    pub(crate) fn add(&mut self, measure: &str, right: bool, id: &str) {
        let found = self.measures.iter().position(|known| known.name == measure);
        let at = found.unwrap_or_else(|| {
            let name = measure.to_owned();
            self.measures.push(Measure { name, right: 0, total: 0, misses: Vec::new() });
            self.measures.len() - 1
        });
        let Some(measure) = self.measures.get_mut(at) else { return };
        measure.total += 1;
        measure.right += usize::from(right);
        if !right {
            measure.misses.push(id.to_owned());
        }
    }

    /// Notes a case that nothing here can answer.
    pub(crate) fn skip(&mut self, id: &str, reason: &str) {
        self.skipped.push((id.to_owned(), reason.to_owned()));
    }

    /// `(measure, right, total)`.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&str, usize, usize)> {
        self.measures.iter().map(|measure| (measure.name.as_str(), measure.right, measure.total))
    }

    /// A line for each measure.
    pub(crate) fn summary(&self) -> String {
        let mut out = String::new();
        for (name, right, total) in self.counts() {
            #[expect(clippy::cast_precision_loss, reason = "a percentage for people")]
            let percent = 100.0 * right as f64 / total.max(1) as f64;
            let _ = writeln!(out, "{name}: {right}/{total} ({percent:.2} %)");
        }
        if !self.skipped.is_empty() {
            let _ = writeln!(out, "skipped: {}, as listed", self.skipped.len());
        }
        out
    }

    /// A line for each miss, at most `limit` for each measure.
    pub(crate) fn misses(&self, limit: usize) -> String {
        let mut out = String::new();
        for measure in &self.measures {
            for id in measure.misses.iter().take(limit) {
                let _ = writeln!(out, "{} MISS {id}", measure.name);
            }
            if measure.misses.len() > limit {
                let left = measure.misses.len() - limit;
                let _ = writeln!(out, "{} and {left} more", measure.name);
            }
        }
        for (id, reason) in &self.skipped {
            let _ = writeln!(out, "skipped {id}: {reason}");
        }
        out
    }
}
