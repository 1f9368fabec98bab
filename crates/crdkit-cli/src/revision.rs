//! Sources as crdify spells them: `file://PATH` and `git://REF?path=PATH`.
//!
//! A file of a revision is asked of the `git` program, so that every way to name a revision works and
//! the working tree plays no part.

use crate::exit::Exit;
use crate::format::Format;
use crate::input::{self, Input};
use crate::report;
use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Reads everything behind `source`; says what cannot be read and goes on.
pub(crate) fn read_or_report(source: &str) -> (Vec<Input>, Exit) {
    if let Some(revision) = source.strip_prefix("git://") {
        return match read_revision(revision) {
            Ok(input) => (vec![input], Exit::Fine),
            Err(error) => {
                report::failure(&error);
                (Vec::new(), Exit::Failed)
            }
        };
    }
    let path = source.strip_prefix("file://").unwrap_or(source);
    input::read_or_report(&[PathBuf::from(path)])
}

fn read_revision(source: &str) -> Result<Input> {
    let Some((revision, path)) = source.split_once("?path=") else {
        bail!("`git://{source}` does not name a file: write `git://REF?path=PATH`");
    };
    if revision.is_empty() || revision.starts_with('-') || path.is_empty() {
        bail!("`git://{source}` is not a revision and a file");
    }
    // A path that begins with `./` is relative to here, not to the top of the repository.
    let object = format!("{revision}:./{}", path.trim_start_matches("./"));
    let output = Command::new("git")
        .args(["show", "--end-of-options", &object])
        .output()
        .context("the `git` program cannot be run")?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        bail!("`{path}` cannot be read from revision `{revision}`: {}", message.trim());
    }
    let bytes = output.stdout;
    let format = Format::of_name(Path::new(path)).unwrap_or_else(|| Format::of_content(&bytes));
    Ok(Input { name: format!("{revision}:{path}"), format, bytes })
}
