//! One file per command: from arguments to work to exit code.

pub(crate) mod convert;
