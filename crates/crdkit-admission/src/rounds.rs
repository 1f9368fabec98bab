//! Who is asked again: those that change objects get a second chance when somebody after them has changed the object.
//!
//! Upstream: `apiserver/pkg/admission/reinvocation.go`.

use std::collections::HashMap;

/// How often an object has changed, and how often it had when somebody was last asked about it.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    is_second: bool,
    changes: usize,
    seen: HashMap<String, usize>,
}

impl Rounds {
    /// Whether everybody has been asked once.
    pub fn is_second(&self) -> bool {
        self.is_second
    }

    /// Whether `who` is to be asked; in the second round only those are that want to be, and have missed a change.
    pub fn asks(&self, who: &str, again: bool) -> bool {
        let missed = || self.seen.get(who).is_some_and(|seen| *seen != self.changes);
        !self.is_second || again && missed()
    }

    /// Notes that `who` was asked, and whether that has changed the object.
    pub fn asked(&mut self, who: String, changed: bool) {
        self.changes += usize::from(changed);
        self.seen.insert(who, self.changes);
    }

    /// Notes that somebody has changed the object who is asked every time.
    pub fn changed(&mut self) {
        self.changes += 1;
    }

    /// Begins the second round, if there is to be one.
    pub fn begin_second(&mut self) -> bool {
        let begins = !self.is_second && self.changes > 0;
        self.is_second |= begins;
        begins
    }
}
