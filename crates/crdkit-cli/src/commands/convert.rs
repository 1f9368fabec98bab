//! `crdkit convert`: documents from one format to another.
//!
//! Output order is input order. A document that is refused is reported and left out; the others are
//! written all the same, and the exit code says that something was found.

use crate::args::Convert;
use crate::exit::Exit;
use crate::format::Format;
use crate::input::{self, Input};
use crate::report::{self, Source};
use anyhow::{Context as _, Result};
use crdkit::codec::json::Layout;
use crdkit::codec::{DecodeError, DecodeOptions};
use crdkit::value::Value;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &Convert) -> Result<Exit> {
    let named = args.output.as_deref().and_then(Format::of_name);
    let to = args.to.or(named).unwrap_or(Format::Json);
    let layout = if args.compact { Layout::Compact } else { Layout::Pretty };
    let mut output = Output::new(args.output.as_deref());
    let mut exit = Exit::Fine;
    let mut n_written = 0;
    for input in args.paths.iter().flat_map(|path| input::read_all(path, args.from)) {
        let input = match input {
            Ok(input) => input,
            Err(error) => {
                report::failure(&error);
                exit = Exit::Failed;
                continue;
            }
        };
        let (text, found) = convert(&input, args, |value, text| {
            to.write(value, n_written, layout, text);
            n_written += 1;
        });
        exit = exit.max(found);
        if output.write(&text)? == Flow::Closed {
            return Ok(exit);
        }
    }
    output.finish()?;
    Ok(exit)
}

/// Hands every document of `input` to `write`; gives what was written and whether there were findings.
fn convert(
    input: &Input,
    args: &Convert,
    mut write: impl FnMut(Value<'_>, &mut Vec<u8>),
) -> (Vec<u8>, Exit) {
    let options = DecodeOptions { duplicates: args.duplicates.into(), ..DecodeOptions::default() };
    let mut text = Vec::new();
    let mut exit = Exit::Fine;
    for outcome in input.format.documents(&input.bytes, &options) {
        match outcome {
            Ok(decoded) => {
                if !decoded.issues.is_empty() {
                    exit = Exit::Findings;
                }
                write(decoded.document.root(), &mut text);
            }
            Err(_) => exit = Exit::Findings,
        }
    }
    if exit != Exit::Fine {
        report(input, &options);
    }
    (text, exit)
}

/// Reads the input again, this time keeping positions, and shows what is wrong with it.
fn report(input: &Input, options: &DecodeOptions) {
    let source = Source::new(&input.name, &input.bytes);
    let options = DecodeOptions { positions: true, ..options.clone() };
    for outcome in input.format.documents(&input.bytes, &options) {
        match outcome {
            Ok(decoded) => decoded.issues.iter().for_each(|issue| source.show(issue)),
            Err(DecodeError::Refused(issue)) => source.show(&issue),
            Err(DecodeError::Io(error)) => report::failure(&error.into()),
        }
    }
}

/// Where the text goes.
enum Output {
    Stdout(io::Stdout),
    /// A file, written in one go at the end, so that it can be one of the inputs.
    File {
        path: PathBuf,
        text: Vec<u8>,
    },
}

/// Whether anybody still reads the output.
#[derive(PartialEq, Eq)]
enum Flow {
    Open,
    Closed,
}

impl Output {
    fn new(path: Option<&Path>) -> Self {
        match path {
            None => Self::Stdout(io::stdout()),
            Some(path) => Self::File { path: path.to_owned(), text: Vec::new() },
        }
    }

    fn write(&mut self, text: &[u8]) -> Result<Flow> {
        match self {
            Self::Stdout(stdout) => match stdout.write_all(text).and_then(|()| stdout.flush()) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Flow::Closed),
                outcome => {
                    outcome.map(|()| Flow::Open).context("standard output cannot be written")
                }
            },
            Self::File { text: all, .. } => {
                all.extend_from_slice(text);
                Ok(Flow::Open)
            }
        }
    }

    /// Puts a file in its place only when all of it is on disk.
    fn finish(self) -> Result<()> {
        let Self::File { path, text } = self else { return Ok(()) };
        let mut name = path.file_name().context("`--output` must name a file")?.to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = path.with_file_name(name);
        let written = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, &path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written.with_context(|| format!("`{}` cannot be written", path.display()))
    }
}
