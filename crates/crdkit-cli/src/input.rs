//! Finds and reads inputs: files, directories and standard input, in a stable order.

use crate::exit::Exit;
use crate::format::Format;
use crate::report;
use anyhow::{Context as _, Result};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// One input that has been read.
pub(crate) struct Input {
    /// What to call it in findings.
    pub(crate) name: String,
    pub(crate) format: Format,
    pub(crate) bytes: Vec<u8>,
}

/// Reads what is behind `path`, one file at a time; what cannot be read is an error in its place.
pub(crate) fn read_all(
    path: &Path,
    format: Option<Format>,
) -> Box<dyn Iterator<Item = Result<Input>>> {
    match find(path) {
        Ok(files) => Box::new(files.into_iter().map(move |file| read(&file, format))),
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}

/// Reads what is behind all of `paths`; says what cannot be read and goes on.
pub(crate) fn read_or_report(paths: &[PathBuf]) -> (Vec<Input>, Exit) {
    let mut exit = Exit::Fine;
    let mut inputs = Vec::new();
    for outcome in paths.iter().flat_map(|path| read_all(path, None)) {
        match outcome {
            Ok(input) => inputs.push(input),
            Err(error) => {
                report::failure(&error);
                exit = Exit::Failed;
            }
        }
    }
    (inputs, exit)
}

/// The files behind `path`: itself, or those of a directory sorted by name.
fn find(path: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = || format!("`{}` cannot be read", path.display());
    if !is_stdin(path) && fs::metadata(path).with_context(unreadable)?.is_dir() {
        return list(path);
    }
    Ok(vec![path.to_owned()])
}

fn read(path: &Path, format: Option<Format>) -> Result<Input> {
    let (name, bytes) = if is_stdin(path) {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).context("standard input cannot be read")?;
        ("<stdin>".to_owned(), bytes)
    } else {
        let bytes =
            fs::read(path).with_context(|| format!("`{}` cannot be read", path.display()))?;
        (path.display().to_string(), bytes)
    };
    let format =
        format.or_else(|| Format::of_name(path)).unwrap_or_else(|| Format::of_content(&bytes));
    Ok(Input { name, format, bytes })
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The files below `directory` that have a known ending. Hidden entries are left out.
fn list(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut pending = vec![directory.to_owned()];
    let mut files = Vec::new();
    while let Some(directory) = pending.pop() {
        let context = || format!("directory `{}` cannot be listed", directory.display());
        for entry in fs::read_dir(&directory).with_context(context)? {
            let entry = entry.with_context(context)?;
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = entry.path();
            // A link is followed to a file but not to a directory, which could lead in a circle.
            if entry.file_type().with_context(context)?.is_dir() {
                pending.push(path);
            } else if Format::of_name(&path).is_some() && path.is_file() {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
