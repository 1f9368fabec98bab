//! Where text and data go: standard output, or a file that is replaced when all of it has been written.

use anyhow::{Context as _, Result};
use std::fs::{self, OpenOptions};
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

    /// Writes a file, all of it at once.
    pub(crate) fn finish(self) -> Result<()> {
        let Self::File { path, text } = self else { return Ok(()) };
        put(&path, &text).with_context(|| format!("`{}` cannot be written", path.display()))
    }
}

/// Writes `bytes` to what `path` names. A file of its own is replaced when all of it is on disk, and keeps its
/// permissions; anything else is written through: devices, pipes, and files that have other names.
fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        // A link that leads nowhere yet is followed, too.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let is_link = fs::symlink_metadata(path).is_ok();
            return if is_link { fs::write(path, bytes) } else { replace(path, None, bytes) };
        }
        Err(error) => return Err(error),
    };
    if !metadata.is_file() {
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    // Whoever may do anything is still told what was meant to stay as it is.
    if metadata.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let whole = fs::canonicalize(path)?;
    if !is_shared(&metadata) && replace(&whole, Some(metadata.permissions()), bytes).is_ok() {
        return Ok(());
    }
    let mut file = OpenOptions::new().write(true).truncate(true).open(path)?;
    file.write_all(bytes)
}

/// Writes a file beside `path` and puts it in its place.
fn replace(path: &Path, permissions: Option<fs::Permissions>, bytes: &[u8]) -> io::Result<()> {
    let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "it has no name");
    let mut name = path.file_name().ok_or_else(no_name)?.to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = fs::write(&temporary, bytes)
        .and_then(|()| permissions.map_or(Ok(()), |it| fs::set_permissions(&temporary, it)))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Whether a file has other names or another owner, which a new file in its place would not have.
#[cfg(unix)]
fn is_shared(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = fs::metadata("/proc/self").map(|own| own.uid());
    metadata.nlink() > 1 || own.is_ok_and(|own| own != metadata.uid())
}

#[cfg(not(unix))]
fn is_shared(_: &fs::Metadata) -> bool {
    false
}

/// Writes to standard output. Nobody reading it is not a failure.
fn print(mut stdout: impl io::Write, bytes: &[u8]) -> Result<Flow> {
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Flow::Closed),
        outcome => outcome.map(|()| Flow::Open).context("standard output cannot be written"),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    #[test]
    fn what_a_path_names_stays_what_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let read = |name: &str| fs::read_to_string(at(name)).unwrap();

        put(&at("new"), b"1").unwrap();
        assert_eq!(read("new"), "1");

        fs::set_permissions(at("new"), fs::Permissions::from_mode(0o600)).unwrap();
        put(&at("new"), b"2").unwrap();
        assert_eq!(
            (read("new").as_str(), fs::metadata(at("new")).unwrap().mode() & 0o777),
            ("2", 0o600)
        );

        symlink(at("new"), at("link")).unwrap();
        put(&at("link"), b"3").unwrap();
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        assert_eq!(read("new"), "3");

        symlink(at("later"), at("dangling")).unwrap();
        put(&at("dangling"), b"4").unwrap();
        assert!(fs::symlink_metadata(at("dangling")).unwrap().is_symlink());
        assert_eq!(read("later"), "4");

        fs::hard_link(at("new"), at("twin")).unwrap();
        put(&at("twin"), b"5").unwrap();
        assert_eq!(read("new"), "5");

        fs::set_permissions(at("later"), fs::Permissions::from_mode(0o444)).unwrap();
        assert_eq!(put(&at("later"), b"6").unwrap_err().to_string(), "it is read-only");
        assert_eq!(read("later"), "4");

        put(Path::new("/dev/null"), b"7").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        assert!(put(directory.path(), b"8").is_err());
    }
}
