//! Time for what expires. It is passed in, so that tests decide what time it is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Milliseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millis(pub u64);

impl Millis {
    /// Later by a duration.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Millis {
        Millis(self.0.saturating_add(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)))
    }
}

/// Says what time it is.
pub trait Clock: Send + Sync + 'static {
    /// Now.
    fn now(&self) -> Millis;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one clock that programs pass in")]
    fn now(&self) -> Millis {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Millis(0).plus(since.unwrap_or_default())
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    /// Moves it forward.
    pub fn advance(&self, duration: Duration) {
        let to = self.now().plus(duration);
        self.0.store(to.0, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::SeqCst))
    }
}
