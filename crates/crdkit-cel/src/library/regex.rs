//! `find` and `findAll`.

use crdkit_text::regex::Regex;

use super::no_overload;
use crate::cost::CostModel::Find;
use crate::declare::{Definition, define};
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, Val};

pub(crate) const DEFINITIONS: &[Definition] = &[
    define("string.find(string) -> string", Find, find_text),
    define("string.findAll(string) -> list(string)", Find, find_all_text),
    define("string.findAll(string, int) -> list(string)", Find, find_all_text),
];

fn compile(pattern: &str) -> Result<Regex, EvalError> {
    Regex::new(pattern).map_err(|error| EvalError::message(format!("Illegal regex: {error}")))
}

fn find_text<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text), Val::String(pattern)] => Ok(find(&compile(pattern)?, text)),
        _ => no_overload(),
    }
}

fn find_all_text<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text), Val::String(pattern)] => {
            Ok(find_all(data, &compile(pattern)?, text, -1))
        }
        [Val::String(text), Val::String(pattern), Val::Int(limit)] => {
            Ok(find_all(data, &compile(pattern)?, text, *limit))
        }
        _ => no_overload(),
    }
}

/// The first match, or nothing.
pub(crate) fn find<'v>(regex: &Regex, text: &'v str) -> Val<'v> {
    Val::String(regex.find(text).and_then(|range| text.get(range)).unwrap_or_default())
}

/// All matches, or as many as asked for.
pub(crate) fn find_all<'v>(data: Data<'v>, regex: &Regex, text: &'v str, limit: i64) -> Val<'v> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let found: Vec<Val<'v>> = regex
        .find_all(text)
        .take(limit)
        .map(|range| Val::String(text.get(range).unwrap_or_default()))
        .collect();
    data.arena.list(&found)
}
