//! Results that are plain text, on standard output.

use std::io::{ErrorKind, Write as _};

/// Prints `text`. Nobody reading it is no failure.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
