//! Where text and data go: standard output, or a file that is replaced when all of it has been written.

use anyhow::{Context as _, Result};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Where text goes.
pub(crate) enum Target {
    Stdout,
    /// A file, written in one go at the end, so that it can be one of the inputs.
    File {
        path: PathBuf,
        text: Vec<u8>,
    },
}

/// Whether anybody still reads the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Open,
    Closed,
}

impl Target {
    pub(crate) fn new(path: Option<&Path>) -> Self {
        match path {
            None => Self::Stdout,
            Some(path) => Self::File { path: path.to_owned(), text: Vec::new() },
        }
    }

    /// Writes `text`, whose colours get as far as they are understood.
    pub(crate) fn write(&mut self, text: &[u8]) -> Result<Flow> {
        match self {
            Self::Stdout => print(anstream::stdout().lock(), text),
            Self::File { text: all, .. } => {
                anstream::StripStream::new(all).write_all(text)?;
                Ok(Flow::Open)
            }
        }
    }

    /// Writes `bytes` as they are: what looks like a colour is data.
    pub(crate) fn write_data(&mut self, bytes: &[u8]) -> Result<Flow> {
        match self {
            Self::Stdout => print(io::stdout().lock(), bytes),
            Self::File { text, .. } => {
                text.extend_from_slice(bytes);
                Ok(Flow::Open)
            }
        }
    }

    /// Puts a file in its place only when all of it is on disk.
    pub(crate) fn finish(self) -> Result<()> {
        let Self::File { path, text } = self else { return Ok(()) };
        let unwritable = || format!("`{}` cannot be written", path.display());
        let mut name = path.file_name().with_context(unwritable)?.to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = path.with_file_name(name);
        let written = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, &path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written.with_context(unwritable)
    }
}

/// Writes to standard output. Nobody reading it is not a failure.
fn print(mut stdout: impl io::Write, bytes: &[u8]) -> Result<Flow> {
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Flow::Closed),
        outcome => outcome.map(|()| Flow::Open).context("standard output cannot be written"),
    }
}
