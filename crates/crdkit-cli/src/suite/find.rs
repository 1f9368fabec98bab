//! The suites that paths lead to: files, and whatever in a directory looks like one.

use super::{Read, openshift, own};
use crate::input::{Input, InputEntry};
use crate::limits;
use crate::source::{self, Client, Purpose};
use anyhow::Result;
use crdkit_codec::{Decoded, yaml};
use crdkit_issue::{Issue, codes};
use crdkit_value::Value;
use std::path::Path;

/// A file that is a suite, or was to be one.
pub(crate) struct SuiteFile {
    pub(crate) input: Input,
    pub(crate) read: Read,
}

/// The suites that `path` leads to. A file that is named itself must be one; in a directory others are passed over.
pub(crate) fn find(path: &str, client: &Client) -> Result<Vec<SuiteFile>> {
    let is_directory = Path::new(path).is_dir();
    let entries = source::find(path, Purpose::Documents, client)?.entries;
    let mut found = Vec::new();
    for entry in entries {
        found.extend(open(&entry, !is_directory)?);
    }
    Ok(found)
}

fn open(entry: &InputEntry, named: bool) -> Result<Option<SuiteFile>> {
    let input = entry.read()?;
    if !named && !may_be_suite(&input.bytes) {
        return Ok(None);
    }
    let options = limits::decoding().positions(true);
    let decoded = match yaml::decode(&input.bytes, &options) {
        Ok(decoded) => decoded,
        // A template or the like, unless it was asked for.
        Err(_) if !named => return Ok(None),
        Err(issue) => {
            return Ok(Some(SuiteFile { input, read: Read { suite: None, issues: vec![*issue] } }));
        }
    };
    let read = read(&decoded, &input);
    let wanted = named || read.suite.is_some();
    Ok(wanted.then_some(SuiteFile { input, read }))
}

/// A quick look that saves reading every file of a repository.
fn may_be_suite(bytes: &[u8]) -> bool {
    [b"cases:".as_slice(), b"tests:", b"\"cases\"", b"\"tests\""]
        .iter()
        .any(|word| memchr::memmem::find(bytes, word).is_some())
}

fn read(decoded: &Decoded, input: &Input) -> Read {
    let path = Path::new(&*input.name);
    let directory = path.parent().unwrap_or(Path::new(""));
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let root = decoded.document.root();
    let mut read = if openshift::is_suite(root) {
        openshift::read(root, &stem, directory)
    } else if own::is_suite(root) {
        own::read(root, &stem, directory)
    } else {
        return Read { suite: None, issues: vec![no_suite(root)] };
    };
    read.issues.extend(decoded.issues.iter().cloned());
    read
}

fn no_suite(root: Value<'_>) -> Issue {
    let problem =
        "this is not a suite: it has neither `cases` nor `tests` with `onCreate` or `onUpdate`";
    let issue = Issue::error(codes::suite::SUITE_FORMAT).with("problem", problem);
    match super::read::place(root) {
        Some(span) => issue.span(span),
        None => issue,
    }
}
