//! Results that are plain text, on standard output.

use crate::report::Target;

/// Prints `text` as it is. Nobody reading it is not a failure.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    Target::Stdout.write_data(text.as_bytes()).map(drop)
}
