//! Reads from files and pipes no more than can be held: a device never ends.

use crate::limits;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What is not a file says nothing of its size, and is rarely meant to be large.
const LARGEST_STREAM: u64 = 64 << 20;

/// All of a file, or of what a device or a pipe gives.
///
/// # Errors
/// When it cannot be read or is larger than is held.
pub(crate) fn file(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return all(file, LARGEST_STREAM, "");
    }
    all(file, largest(), FLAG)
}

/// All of standard input.
///
/// # Errors
/// When it cannot be read or is larger than is held.
pub(crate) fn stdin() -> io::Result<Vec<u8>> {
    all(io::stdin().lock(), largest(), FLAG)
}

/// The flag that allows more.
const FLAG: &str = "; `--max-document-bytes` sets it";

/// No input is larger: it is what a document may have at most.
fn largest() -> u64 {
    u64::try_from(limits::get().document.bytes).unwrap_or(u64::MAX - 1)
}

fn all(reader: impl Read, limit: u64, flag: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let limit = match limit >> 20 {
            0 => format!("{limit} bytes"),
            mebibytes => format!("{mebibytes} MiB"),
        };
        let problem = format!("it has more than {limit}, which is the limit{flag}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_end_is_refused() {
        let error = all(io::repeat(0), 1 << 20, "").unwrap_err();
        assert_eq!(error.to_string(), "it has more than 1 MiB, which is the limit");
        assert_eq!(all(&b"abc"[..], 3, "").unwrap(), b"abc");
    }
}
