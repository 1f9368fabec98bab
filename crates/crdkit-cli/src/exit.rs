//! Exit codes: one meaning each, the same for every command.

use std::process::ExitCode;

/// How a run ended. A wrong command line is code 2 and never gets this far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// All is well.
    Fine,
    /// The work was done, and something is wrong with the input.
    Findings,
    /// Some of the work could not be done, such as reading a file.
    Failed,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Fine => 0,
            Exit::Findings => 1,
            Exit::Failed => 3,
        })
    }
}
