//! `crdkit compat`: is a change of CRDs safe?

mod causes;
mod crdify;
mod replay;
mod semantic;
mod sides;

use crate::args::{Args, Compare, CompareMode};
use crate::exit::Exit;
use crate::input::{Input, InputEntry};
use crate::limits;
use crate::report::SourceText;
use anyhow::Result;
use clap::CommandFactory as _;
use clap::error::ErrorKind;
use crdkit_codec::DecodeError;
use crdkit_issue::Issue;
use crdkit_value::Value;
use std::path::Path;

pub(crate) fn run(args: &Compare) -> Result<Exit> {
    match args.mode {
        CompareMode::Semantic => semantic::run(args),
        CompareMode::Crdify => crdify::run(args),
    }
}

/// A configuration and the text it was read from; nothing inside when no file is named or it is empty, and
/// nothing at all when it is not one, which was said.
#[expect(clippy::option_option, reason = "none was named, or it is none")]
fn config<T>(
    path: Option<&Path>,
    read: impl Fn(Value<'_>) -> Result<T, Vec<Issue>>,
) -> Result<Option<Option<(T, Input)>>> {
    let Some(path) = path else { return Ok(Some(None)) };
    let input = InputEntry::file(path.to_owned()).read()?;
    let options = limits::decoding().positions(true);
    let first = input.documents(&options).next();
    let issues = match first {
        None => return Ok(Some(None)),
        Some(Ok(decoded)) => match read(decoded.document.root()) {
            Ok(config) => return Ok(Some(Some((config, input)))),
            Err(issues) => issues,
        },
        Some(Err(DecodeError::Refused(issue))) => vec![*issue],
        Some(Err(error)) => return Err(error.into()),
    };
    let source = SourceText::of(&input);
    for issue in &issues {
        source.show(issue);
    }
    Ok(None)
}

/// Ends the run because the command line makes no sense.
fn refuse(text: &str) -> ! {
    let mut command = Args::command();
    command.build();
    let own = command.find_subcommand_mut("compat").map(std::mem::take);
    own.unwrap_or(command).error(ErrorKind::ArgumentConflict, text).exit()
}
