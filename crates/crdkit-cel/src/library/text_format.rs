//! `string.format`.
//!
//! There are two generations. Kubernetes has the first one, which prints fractions through an en-US locale; the second
//! one prints plain numbers. Both read the same clauses, which [`Clauses`] yields for the evaluation and for the check
//! of literals alike.

use crdkit_text::{number, quote};

use super::{convert, no_overload, time};
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, List, Val};

/// Digits after the point when a clause does not say.
const DEFAULT_PRECISION: usize = 6;
/// More digits than this are zeros anyway, and texts stay bounded.
const MAX_PRECISION: usize = 1000;

/// Which generation formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    Locale,
    Plain,
}

/// One `%` clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clause {
    pub(crate) kind: u8,
    precision: Option<usize>,
}

/// A piece of a format text.
#[derive(Debug)]
pub(crate) enum FormatPiece<'t> {
    Text(&'t str),
    Clause(Clause),
}

/// Splits a format text; the error ends it. `arguments` is how many there are to fill in.
pub(crate) fn pieces(text: &str, arguments: usize) -> Vec<Result<FormatPiece<'_>, String>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut used = 0;
    while let Some(at) = rest.find('%') {
        let (plain, clause) = rest.split_at(at);
        if !plain.is_empty() {
            pieces.push(Ok(FormatPiece::Text(plain)));
        }
        let clause = clause.get(1..).unwrap_or_default();
        if let Some(after) = clause.strip_prefix('%') {
            pieces.push(Ok(FormatPiece::Text("%")));
            rest = after;
            continue;
        }
        if clause.is_empty() && used < arguments {
            pieces.push(Err("unexpected end of string".to_owned()));
            return pieces;
        }
        if used >= arguments {
            pieces.push(Err(format!("index {used} out of range")));
            return pieces;
        }
        used += 1;
        match read_clause(clause) {
            Ok((clause, after)) => {
                pieces.push(Ok(FormatPiece::Clause(clause)));
                rest = after;
            }
            Err(error) => {
                pieces.push(Err(format!("could not parse formatting clause: {error}")));
                return pieces;
            }
        }
    }
    if !rest.is_empty() {
        pieces.push(Ok(FormatPiece::Text(rest)));
    }
    pieces
}

fn read_clause(text: &str) -> Result<(Clause, &str), String> {
    let (precision, text) = match text.strip_prefix('.') {
        None => (None, text),
        Some(after) => {
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            let (digits, after) = after.split_at(digits);
            if after.is_empty() {
                return Err(
                    "error while parsing precision: could not find end of precision specifier"
                        .to_owned(),
                );
            }
            let precision = digits.parse().map_err(|_| {
                format!(
                    "error while parsing precision: error while converting precision to integer: \
                     strconv.Atoi: parsing {}: invalid syntax",
                    quote::quote(digits)
                )
            })?;
            (Some(precision), after)
        }
    };
    let kind = text.chars().next().unwrap_or_default();
    match kind {
        's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o' => {
            let kind = u8::try_from(kind).unwrap_or(b's');
            Ok((Clause { kind, precision }, text.get(1..).unwrap_or_default()))
        }
        other => Err(format!("unrecognized formatting clause \"{other}\"")),
    }
}

/// What is wrong with a value of this type in a clause.
pub(crate) fn type_error(generation: Generation, kind: u8, found: &str) -> String {
    let wanted = match (generation, kind) {
        (Generation::Locale, b'd') => "decimal clause can only be used on integers",
        (Generation::Locale, b'f') => "fixed-point clause can only be used on doubles",
        (Generation::Locale, b'e') => "scientific clause can only be used on doubles",
        (Generation::Locale, b'b') => "only integers and bools can be formatted as binary",
        (Generation::Locale, b'x' | b'X') => {
            "only integers, byte buffers, and strings can be formatted as hex"
        }
        (Generation::Locale, b'o') => "octal clause can only be used on integers",
        (Generation::Plain, b'd') => "decimal clause can only be used on ints, uints, and doubles",
        (Generation::Plain, b'f') => {
            "fixed-point clause can only be used on ints, uints, and doubles"
        }
        (Generation::Plain, b'e') => {
            "scientific clause can only be used on ints, uints, and doubles"
        }
        (Generation::Plain, b'b') => "only ints, uints, and bools can be formatted as binary",
        (Generation::Plain, b'x' | b'X') => {
            "only ints, uints, bytes, and strings can be formatted as hex"
        }
        (Generation::Plain, b'o') => "octal clause can only be used on ints and uints",
        _ => {
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, \
             and timestamps"
        }
    };
    format!("error during formatting: {wanted}, was given {found}")
}

pub(super) fn with_locale<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    format(data, arguments, Generation::Locale)
}

pub(super) fn plain<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    format(data, arguments, Generation::Plain)
}

fn format<'v>(data: Data<'v>, arguments: &[Val<'v>], generation: Generation) -> Evaluated<'v> {
    let [Val::String(text), Val::List(values)] = arguments else {
        return no_overload();
    };
    let mut out = String::new();
    let mut next = 0;
    for piece in pieces(text, values.len()) {
        match piece.map_err(EvalError::message)? {
            FormatPiece::Text(text) => {
                data.arena.take(text.len())?;
                out.push_str(text);
            }
            FormatPiece::Clause(clause) => {
                let value = values.get(next, data).unwrap_or(Ok(Val::Null))?;
                next += 1;
                let text = clause_text(data, generation, clause, &value)?;
                let text = text.ok_or_else(|| {
                    EvalError::message(type_error(generation, clause.kind, value.type_name()))
                })?;
                data.arena.take(text.len())?;
                out.push_str(&text);
            }
        }
    }
    Ok(Val::String(data.arena.string(&out)))
}

/// The text of a value in a clause; nothing if the clause does not take its type.
#[expect(clippy::cast_precision_loss, reason = "numbers are printed as doubles")]
fn clause_text<'v>(
    data: Data<'v>,
    generation: Generation,
    clause: Clause,
    value: &Val<'v>,
) -> Result<Option<String>, EvalError> {
    let precision = clause.precision.unwrap_or(DEFAULT_PRECISION).min(MAX_PRECISION);
    Ok(match (clause.kind, value) {
        (b's', _) => match generation {
            Generation::Locale => locale_text(data, value)?,
            Generation::Plain => plain_text(data, value)?,
        },
        (b'd', Val::Int(_) | Val::Uint(_)) => Some(convert::text_of(value)),
        (b'd', Val::Double(value)) if generation == Generation::Plain => Some(plain_double(*value)),
        (b'f' | b'e', Val::Int(value)) if generation == Generation::Plain => {
            Some(fraction(generation, clause.kind, *value as f64, precision))
        }
        (b'f' | b'e', Val::Uint(value)) if generation == Generation::Plain => {
            Some(fraction(generation, clause.kind, *value as f64, precision))
        }
        (b'f' | b'e', Val::Double(value)) => {
            Some(fraction(generation, clause.kind, *value, precision))
        }
        (b'f' | b'e', Val::String(text @ ("NaN" | "Infinity" | "-Infinity")))
            if generation == Generation::Locale =>
        {
            let value = match *text {
                "NaN" => f64::NAN,
                "Infinity" => f64::INFINITY,
                _ => f64::NEG_INFINITY,
            };
            Some(fraction(generation, clause.kind, value, precision))
        }
        (b'b', Val::Bool(value)) => Some(u8::from(*value).to_string()),
        (kind @ (b'b' | b'o' | b'x' | b'X'), Val::Int(value)) => {
            let sign = if *value < 0 { "-" } else { "" };
            Some(format!("{sign}{}", radix(kind, value.unsigned_abs())))
        }
        (kind @ (b'b' | b'o' | b'x' | b'X'), Val::Uint(value)) => Some(radix(kind, *value)),
        (kind @ (b'x' | b'X'), Val::String(text)) => Some(hex(kind, text.as_bytes())),
        (kind @ (b'x' | b'X'), Val::Bytes(bytes)) => Some(hex(kind, bytes)),
        _ => None,
    })
}

fn radix(kind: u8, value: u64) -> String {
    match kind {
        b'b' => format!("{value:b}"),
        b'o' => format!("{value:o}"),
        b'x' => format!("{value:x}"),
        _ => format!("{value:X}"),
    }
}

fn hex(kind: u8, bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| if kind == b'x' { format!("{byte:02x}") } else { format!("{byte:02X}") })
        .collect()
}

fn fraction(generation: Generation, kind: u8, value: f64, precision: usize) -> String {
    let digits = u16::try_from(precision).unwrap_or(u16::MAX);
    match generation {
        Generation::Plain if !value.is_finite() => plain_double(value),
        Generation::Plain if kind == b'f' => number::fixed(value, digits),
        Generation::Plain => number::scientific(value, digits),
        Generation::Locale if value.is_nan() => "NaN".to_owned(),
        Generation::Locale if value.is_infinite() => {
            if value > 0.0 { "\u{221e}" } else { "-\u{221e}" }.to_owned()
        }
        Generation::Locale if kind == b'f' => grouped(&number::fixed(value, digits)),
        // The precision of this clause is taken for a width.
        Generation::Locale => {
            let text = superscript(&number::scientific(value, 6));
            let padding = precision.saturating_sub(text.chars().count());
            format!("{}{text}", " ".repeat(padding))
        }
    }
}

/// Thousands separated by commas.
fn grouped(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let (whole, fraction) =
        digits.split_once('.').map_or((digits, None), |(whole, fraction)| (whole, Some(fraction)));
    let mut out = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// `1.5e+06` as `1.5×10⁰⁶`.
fn superscript(text: &str) -> String {
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return text.to_owned();
    };
    let exponent: String = exponent
        .chars()
        .filter_map(|c| match c {
            '-' => Some('\u{207b}'),
            '1' => Some('\u{b9}'),
            '2' => Some('\u{b2}'),
            '3' => Some('\u{b3}'),
            '0' | '4'..='9' => char::from_u32(0x2070 + c.to_digit(10)?),
            _ => None,
        })
        .collect();
    format!("{mantissa}\u{d7}10{exponent}")
}

fn plain_double(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned()
    } else {
        number::decimal(value)
    }
}

fn plain_text<'v>(data: Data<'v>, value: &Val<'v>) -> Result<Option<String>, EvalError> {
    Ok(Some(match value {
        Val::Null => "null".to_owned(),
        Val::Bool(_) | Val::Int(_) | Val::Uint(_) | Val::String(_) | Val::Duration(_) => {
            convert::text_of(value)
        }
        Val::Double(value) => plain_double(*value),
        Val::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Val::Timestamp(at) => crdkit_text::timestamp::Timestamp { offset: 0, ..*at }.to_string(),
        Val::Type(ty) => ty.runtime_name().to_owned(),
        Val::List(list) => return list_text(data, *list, plain_text),
        Val::Map(map) => {
            let mut entries = Vec::new();
            for (key, value) in map.iter(data) {
                match (plain_text(data, &key)?, plain_text(data, &value?)?) {
                    (Some(key), Some(value)) => {
                        data.arena.take(key.len() + value.len() + 2 * size_of::<String>())?;
                        entries.push((key, value));
                    }
                    _ => return Ok(None),
                }
            }
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            let entries: Vec<String> =
                entries.iter().map(|(key, value)| format!("{key}: {value}")).collect();
            format!("{{{}}}", entries.join(", "))
        }
        _ => return Ok(None),
    }))
}

type TextFn = for<'v> fn(Data<'v>, &Val<'v>) -> Result<Option<String>, EvalError>;

fn list_text<'v>(
    data: Data<'v>,
    list: List<'v>,
    text: TextFn,
) -> Result<Option<String>, EvalError> {
    let mut texts = Vec::with_capacity(list.len());
    for item in list.iter(data) {
        match text(data, &item?)? {
            Some(text) => {
                data.arena.take(text.len() + size_of::<String>())?;
                texts.push(text);
            }
            None => return Ok(None),
        }
    }
    Ok(Some(format!("[{}]", texts.join(", "))))
}

fn locale_text<'v>(data: Data<'v>, value: &Val<'v>) -> Result<Option<String>, EvalError> {
    Ok(Some(match value {
        Val::Null => "null".to_owned(),
        Val::List(_) | Val::Map(_) => return member_text(data, value),
        Val::Bytes(_) => match convert::to_string(data, &[*value])? {
            Val::String(text) => text.to_owned(),
            _ => return Ok(None),
        },
        Val::Type(ty) => ty.runtime_name().to_owned(),
        Val::Bool(_)
        | Val::Int(_)
        | Val::Uint(_)
        | Val::Double(_)
        | Val::String(_)
        | Val::Duration(_)
        | Val::Timestamp(_) => convert::text_of(value),
        _ => return Ok(None),
    }))
}

/// The text of a value inside a list or map.
fn member_text<'v>(data: Data<'v>, value: &Val<'v>) -> Result<Option<String>, EvalError> {
    Ok(Some(match value {
        Val::String(text) => quote::quote(text),
        Val::Bytes(bytes) => format!("b{}", quote::quote(&String::from_utf8_lossy(bytes))),
        Val::Double(value) if !value.is_finite() => quote::quote(&number::fixed(*value, 6)),
        Val::Double(value) => number::fixed(*value, 6),
        Val::Timestamp(_) => format!("timestamp({})", quote::quote(&convert::text_of(value))),
        Val::Duration(span) => format!("duration({})", quote::quote(&time::seconds_text(*span))),
        Val::List(list) => return list_text(data, *list, member_text),
        Val::Map(map) => {
            let mut entries = Vec::new();
            for (key, value) in map.iter(data) {
                match (member_text(data, &key)?, member_text(data, &value?)?) {
                    (Some(key), Some(value)) => {
                        data.arena.take(key.len() + value.len() + 2 * size_of::<String>())?;
                        entries.push((key, value));
                    }
                    _ => return Ok(None),
                }
            }
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            let entries: Vec<String> =
                entries.iter().map(|(key, value)| format!("{key}:{value}")).collect();
            format!("{{{}}}", entries.join(", "))
        }
        _ => return locale_text(data, value),
    }))
}
