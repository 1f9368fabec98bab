//! How far long work has come, on a terminal only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// Work that is over sooner needs no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// A bar that appears when work takes long.
pub(crate) struct Progress {
    bar: ProgressBar,
    begun: Instant,
    shown: bool,
}

impl Progress {
    /// A bar for `total` steps; none at all if `quiet`.
    pub(crate) fn new(total: usize, quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        // The template is constant and correct; without it the bar is merely plainer.
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} files  {eta} left") {
            bar.set_style(style);
        }
        Self { bar, begun: Instant::now(), shown: quiet }
    }

    pub(crate) fn advance(&mut self, steps: usize) {
        self.bar.inc(steps as u64);
        if !self.shown && self.begun.elapsed() > PATIENCE {
            self.shown = true;
            // Draws nothing unless standard error is a terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// Lets other text be written.
    pub(crate) fn pause<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
