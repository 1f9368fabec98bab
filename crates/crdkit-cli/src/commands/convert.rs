//! `crdkit convert`: documents from one format to another.
//!
//! Output order is input order. A document that is refused is reported and left out; the others are
//! written all the same, and the exit code says that something was found.

use crate::args::Convert;
use crate::conversions;
use crate::exit::Exit;
use crate::format::OutputFormat;
use crate::input::{Input, InputEntry};
use crate::limits;
use crate::report::{self, Flow, SourceText, Tally, Target};
use crate::source::{self, Client, Purpose};
use anyhow::{Context as _, Result, bail};
use crdkit_codec::{DecodeError, DecodeOptions, Format, Style, cbor};
use crdkit_value::{Document, Value};
use std::io::{self, IsTerminal as _};
use std::path::Path;

pub(crate) fn run(args: &Convert) -> Result<Exit> {
    let named = args.output.as_deref().and_then(Format::of_name).map(OutputFormat::Format);
    let to = args.to.or(named).unwrap_or(OutputFormat::Format(Format::Json));
    if to.is_binary() && args.output.is_none() && io::stdout().is_terminal() {
        bail!("CBOR is not for a terminal: name a file with `--output`, or use `--to diag`");
    }
    let style = if args.compact { Style::Compact } else { Style::Pretty };
    let from = args.from.map(|named| named.0);
    let mut output = Target::new(args.output.as_deref());
    let conversions = conversions::load(&args.conversion, &Client::default())?;
    let mut exit = Exit::Fine;
    let mut n_written = 0;
    for input in args.paths.iter().flat_map(|path| inputs(path, from)) {
        let input = match input {
            Ok(input) => input,
            Err(error) => {
                report::failure(&error);
                exit = Exit::Failed;
                continue;
            }
        };
        let as_it_is = matches!(input.format, Format::Cbor | Format::CborSeq);
        let (text, found) = if to == OutputFormat::Diag && as_it_is {
            notations(&input)
        } else {
            convert(&input, args, |value, text| {
                let converted = match &args.version {
                    Some(version) => conversions
                        .convert(&Document::copy_of(value), version)
                        .with_context(|| format!("{} cannot be converted", input.name))?,
                    None => Document::null(),
                };
                let value = if args.version.is_some() { converted.root() } else { value };
                n_written += 1;
                to.write(value, n_written - 1, style, text)
            })?
        };
        exit = exit.max(found);
        if output.write_data(&text)? == Flow::Closed {
            return Ok(exit);
        }
    }
    output.finish()?;
    Ok(exit)
}

/// Reads what `path` names, one file at a time; what cannot be read is an error in its place.
fn inputs(path: &Path, format: Option<Format>) -> Box<dyn Iterator<Item = Result<Input>>> {
    match source::find(&path.display().to_string(), Purpose::Documents, &Client::default()) {
        Ok(found) => Box::new(
            found
                .entries
                .into_iter()
                .map(move |entry| InputEntry { format: format.or(entry.format), ..entry }.read()),
        ),
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}

/// Hands every document of `input` to `write`; gives what was written and whether there were findings.
fn convert(
    input: &Input,
    args: &Convert,
    mut write: impl FnMut(Value<'_>, &mut Vec<u8>) -> Result<()>,
) -> Result<(Vec<u8>, Exit)> {
    let options = limits::decoding().duplicates(args.duplicates.into());
    let mut text = Vec::new();
    let mut exit = Exit::Fine;
    for outcome in input.documents(&options) {
        match outcome {
            Ok(decoded) => {
                if !decoded.issues.is_empty() {
                    exit = Exit::Findings;
                }
                write(decoded.document.root(), &mut text)?;
            }
            Err(_) => exit = Exit::Findings,
        }
    }
    if exit != Exit::Fine {
        report(input, &options);
    }
    Ok((text, exit))
}

/// Shows CBOR as it is, without asking whether Kubernetes takes it.
fn notations(input: &Input) -> (Vec<u8>, Exit) {
    let mut text = Vec::new();
    let mut exit = Exit::Fine;
    let lines = match input.format {
        Format::Cbor => vec![cbor::diag::notation(&input.bytes)],
        _ => cbor::diag::notations(&input.bytes),
    };
    for outcome in lines {
        match outcome {
            Ok(line) => {
                text.extend_from_slice(line.as_bytes());
                text.push(b'\n');
            }
            Err(issue) => {
                exit = Exit::Findings;
                SourceText::of(input).show(&issue);
            }
        }
    }
    (text, exit)
}

/// Reads the input again, this time keeping positions, and shows what is wrong with it.
fn report(input: &Input, options: &DecodeOptions) {
    let source = SourceText::of(input);
    let mut tally = Tally::default();
    let options = options.clone().positions(true);
    for outcome in input.documents(&options) {
        let issues = match outcome {
            Ok(decoded) => decoded.issues,
            Err(DecodeError::Refused(issue)) => vec![*issue],
            Err(DecodeError::Io(error)) => {
                report::failure(&error.into());
                continue;
            }
        };
        for issue in issues.iter().filter(|issue| tally.admits(issue.code)) {
            source.show(issue);
        }
    }
    for finding in tally.left_out(&input.name) {
        report::note(&format!("{}: {}", input.name, finding.message));
    }
}
