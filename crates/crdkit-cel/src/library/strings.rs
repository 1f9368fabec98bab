//! Text functions.
//!
//! Positions count code points. Version 2 is what Kubernetes has; the latest version formats numbers without a locale
//! and has `reverse`.

use super::convert::text_of;
use super::{int, no_overload, text_format};
use crate::cost::CostModel::{FormatText, Join, One, Quote, Replace, Split, Text, Traverse};
use crate::declare::{Definition, define};
use crate::eval::{EvalError, Evaluated, Implementation};
use crate::value::{Data, Val};

pub(crate) const VERSION_0: &[Definition] = &[
    define("string.charAt(int) -> string", One, char_at),
    define("string.indexOf(string) -> int", Traverse { any: false }, index_of),
    define("string.indexOf(string, int) -> int", Traverse { any: false }, index_of),
    define("string.lastIndexOf(string) -> int", Traverse { any: false }, last_index_of),
    define("string.lastIndexOf(string, int) -> int", Traverse { any: false }, last_index_of),
    define("string.lowerAscii() -> string", Text, lower_ascii),
    define("string.replace(string, string) -> string", Replace, replace),
    define("string.replace(string, string, int) -> string", Replace, replace),
    define("string.split(string) -> list(string)", Split, split),
    define("string.split(string, int) -> list(string)", Split, split),
    define("string.substring(int) -> string", Text, substring),
    define("string.substring(int, int) -> string", Text, substring),
    define("string.trim() -> string", Text, trim),
    define("string.upperAscii() -> string", Text, upper_ascii),
    define("list(string).join() -> string", Join, join),
    define("list(string).join(string) -> string", Join, join),
];

/// What version 2 adds.
pub(crate) const SINCE_2: &[Definition] = &[
    define("strings.quote(string) -> string", Quote, quote),
    define("string.format(list(dyn)) -> string", FormatText, text_format::with_locale),
];

/// What the latest version adds and replaces.
pub(crate) const SINCE_3: &[Definition] = &[
    define("string.format(list(dyn)) -> string", FormatText, text_format::plain),
    define("string.indexOf(string, int) -> int", Traverse { any: false }, index_of_strict),
    define("string.lastIndexOf(string, int) -> int", Traverse { any: false }, last_index_of_strict),
    define("string.reverse() -> string", Text, reverse),
];

fn out_of_range(index: i64) -> EvalError {
    EvalError::message(format!("index out of range: {index}"))
}

/// Byte offset of the code point number `index`; the end counts as one.
fn offset(text: &str, index: i64) -> Result<usize, EvalError> {
    let wanted = usize::try_from(index).map_err(|_| out_of_range(index))?;
    text.char_indices()
        .map(|(offset, _)| offset)
        .chain([text.len()])
        .nth(wanted)
        .ok_or_else(|| out_of_range(index))
}

fn char_at<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let [Val::String(text), Val::Int(index)] = arguments else {
        return no_overload();
    };
    let rest = text.get(offset(text, *index)?..).unwrap_or_default();
    let length = rest.chars().next().map_or(0, char::len_utf8);
    Ok(Val::String(rest.get(..length).unwrap_or_default()))
}

/// Number of the code point at a byte offset.
fn position<'v>(text: &str, offset: usize) -> Val<'v> {
    int(text.get(..offset).unwrap_or_default().chars().count())
}

fn index_of<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let (text, part, from) = match arguments {
        [Val::String(text), Val::String(part)] => (*text, *part, 0),
        [Val::String(text), Val::String(part), Val::Int(from)] => (*text, *part, *from),
        _ => return no_overload(),
    };
    if from < 0 {
        return Err(out_of_range(from));
    }
    let Ok(start) = offset(text, from) else {
        return Ok(if part.is_empty() { int(text.chars().count()) } else { Val::Int(-1) });
    };
    let rest = text.get(start..).unwrap_or_default();
    Ok(rest.find(part).map_or(Val::Int(-1), |found| position(text, start + found)))
}

fn last_index_of<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let (text, part, from) = match arguments {
        [Val::String(text), Val::String(part)] => {
            return Ok(text.rfind(part).map_or(Val::Int(-1), |found| position(text, found)));
        }
        [Val::String(text), Val::String(part), Val::Int(from)] => (*text, *part, *from),
        _ => return no_overload(),
    };
    if from < 0 {
        return Err(out_of_range(from));
    }
    let length = text.chars().count();
    if part.is_empty() {
        return Ok(usize::try_from(from)
            .ok()
            .filter(|from| *from <= length)
            .map_or(int(length), int));
    }
    if usize::try_from(from).map_or(true, |from| from >= length) {
        return Ok(Val::Int(-1));
    }
    // The match may start at the offset at the latest.
    let mut end = (offset(text, from)? + part.len()).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let found = text.get(..end).and_then(|head| head.rfind(part));
    Ok(found.map_or(Val::Int(-1), |found| position(text, found)))
}

/// Refuses positions past the end, which earlier versions take for "not found".
fn inside<'v>(data: Data<'v>, arguments: &[Val<'v>], search: Implementation) -> Evaluated<'v> {
    if let [Val::String(text), _, Val::Int(from)] = arguments {
        offset(text, *from)?;
    }
    search(data, arguments)
}

fn index_of_strict<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    inside(data, arguments, index_of)
}

fn last_index_of_strict<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    inside(data, arguments, last_index_of)
}

fn mapped<'v>(data: Data<'v>, arguments: &[Val<'v>], change: fn(&str) -> String) -> Evaluated<'v> {
    match arguments {
        [Val::String(text)] => {
            data.arena.take(text.len())?;
            Ok(Val::String(data.arena.string(&change(text))))
        }
        _ => no_overload(),
    }
}

fn lower_ascii<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    mapped(data, arguments, str::to_ascii_lowercase)
}

fn upper_ascii<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    mapped(data, arguments, str::to_ascii_uppercase)
}

fn reverse<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    mapped(data, arguments, |text| text.chars().rev().collect())
}

fn quote<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    mapped(data, arguments, |text| {
        let mut quoted = String::with_capacity(text.len() + 2);
        quoted.push('"');
        for c in text.chars() {
            match c {
                '\u{7}' => quoted.push_str("\\a"),
                '\u{8}' => quoted.push_str("\\b"),
                '\u{c}' => quoted.push_str("\\f"),
                '\n' => quoted.push_str("\\n"),
                '\r' => quoted.push_str("\\r"),
                '\t' => quoted.push_str("\\t"),
                '\u{b}' => quoted.push_str("\\v"),
                '\\' => quoted.push_str("\\\\"),
                '"' => quoted.push_str("\\\""),
                other => quoted.push(other),
            }
        }
        quoted.push('"');
        quoted
    })
}

fn replace<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let (text, from, to, limit) = match arguments {
        [Val::String(text), Val::String(from), Val::String(to)] => (text, from, to, -1),
        [Val::String(text), Val::String(from), Val::String(to), Val::Int(limit)] => {
            (text, from, to, *limit)
        }
        _ => return no_overload(),
    };
    let n_found = match usize::try_from(limit) {
        Ok(limit) => text.matches(*from).take(limit).count(),
        Err(_) => text.matches(*from).count(),
    };
    data.arena.take(text.len().saturating_add(n_found.saturating_mul(to.len())))?;
    let replaced = usize::try_from(limit)
        .map_or_else(|_| text.replace(from, to), |limit| text.replacen(from, to, limit));
    Ok(Val::String(data.arena.string(&replaced)))
}

fn split<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let (text, separator, limit) = match arguments {
        [Val::String(text), Val::String(separator)] => (*text, *separator, -1),
        [Val::String(text), Val::String(separator), Val::Int(limit)] => (*text, *separator, *limit),
        _ => return no_overload(),
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let n_parts = if separator.is_empty() {
        text.chars().count()
    } else {
        text.matches(separator).count().saturating_add(1)
    };
    data.arena.take_items(n_parts.min(limit))?;
    let parts: Vec<Val<'v>> = if separator.is_empty() {
        // One code point each; the last part takes the rest.
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if parts.len() + 1 >= limit {
                break;
            }
            let (head, tail) = rest.split_at(c.len_utf8());
            parts.push(Val::String(head));
            rest = tail;
        }
        if limit > 0 && !rest.is_empty() {
            parts.push(Val::String(rest));
        }
        parts
    } else {
        text.splitn(limit, separator).map(Val::String).collect()
    };
    Ok(data.arena.list(&parts))
}

fn substring<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text), Val::Int(start)] => {
            Ok(Val::String(text.get(offset(text, *start)?..).unwrap_or_default()))
        }
        [Val::String(_), Val::Int(start), Val::Int(end)] if start > end => {
            Err(EvalError::message(format!("invalid substring range. start: {start}, end: {end}")))
        }
        [Val::String(text), Val::Int(start), Val::Int(end)] => Ok(Val::String(
            text.get(offset(text, *start)?..offset(text, *end)?).unwrap_or_default(),
        )),
        _ => no_overload(),
    }
}

fn trim<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text)] => Ok(Val::String(text.trim())),
        _ => no_overload(),
    }
}

fn join<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let (list, separator) = match arguments {
        [Val::List(list)] => (list, ""),
        [Val::List(list), Val::String(separator)] => (list, *separator),
        _ => return no_overload(),
    };
    let mut joined = String::new();
    for (index, item) in list.iter(data).enumerate() {
        if index > 0 {
            data.arena.take(separator.len())?;
            joined.push_str(separator);
        }
        match item? {
            Val::String(text) => {
                data.arena.take(text.len())?;
                joined.push_str(text);
            }
            other => {
                return Err(EvalError::message(format!(
                    "join: invalid input: {}",
                    text_of(&other)
                )));
            }
        }
    }
    Ok(Val::String(data.arena.string(&joined)))
}
