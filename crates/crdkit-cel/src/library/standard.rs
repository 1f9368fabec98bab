//! The standard library: operators, conversions, sizes and text tests.
//!
//! Follows cel-go's `common/stdlib` and `common/types`; the texts of the errors are theirs.

use std::cmp::Ordering;

use crdkit_text::regex::Regex;

use super::{convert, int, no_overload, time};
use crate::cost::CostModel::{
    AddList, AddText, Affix, BytesToString, Comparison, Conditional, Contains, Equality, InList,
    IndexList, IndexMap, Logic, Matches, One, StringToBytes,
};
use crate::declare::{Definition, define};
use crate::eval::{EvalError, Evaluated};
use crate::shape::ListKind;
use crate::value::{Data, List, Val, compare, element_key, equal, set_contains};

/// Operators with an evaluation of their own are declared with a function that is never called.
pub(crate) const DEFINITIONS: &[Definition] = &[
    define("_?_:_(bool, A, A) -> A", Conditional, special),
    define("_&&_(bool, bool) -> bool", Logic, special),
    define("_||_(bool, bool) -> bool", Logic, special),
    define("!_(bool) -> bool", One, special),
    define("@not_strictly_false(bool) -> bool", One, special),
    define("_==_(A, A) -> bool", Equality, special),
    define("_!=_(A, A) -> bool", Comparison, special),
    define("_+_(bytes, bytes) -> bytes", AddText, add),
    define("_+_(double, double) -> double", One, add),
    define("_+_(duration, duration) -> duration", One, add),
    define("_+_(duration, timestamp) -> timestamp", One, add),
    define("_+_(timestamp, duration) -> timestamp", One, add),
    define("_+_(int, int) -> int", One, add),
    define("_+_(list(A), list(A)) -> list(A)", AddList, add),
    define("_+_(string, string) -> string", AddText, add),
    define("_+_(uint, uint) -> uint", One, add),
    define("_/_(double, double) -> double", One, divide),
    define("_/_(int, int) -> int", One, divide),
    define("_/_(uint, uint) -> uint", One, divide),
    define("_%_(int, int) -> int", One, modulo),
    define("_%_(uint, uint) -> uint", One, modulo),
    define("_*_(double, double) -> double", One, multiply),
    define("_*_(int, int) -> int", One, multiply),
    define("_*_(uint, uint) -> uint", One, multiply),
    define("-_(double) -> double", One, negate),
    define("-_(int) -> int", One, negate),
    define("_-_(double, double) -> double", One, subtract),
    define("_-_(duration, duration) -> duration", One, subtract),
    define("_-_(int, int) -> int", One, subtract),
    define("_-_(timestamp, duration) -> timestamp", One, subtract),
    define("_-_(timestamp, timestamp) -> duration", One, subtract),
    define("_-_(uint, uint) -> uint", One, subtract),
    define("_<_(bool, bool) -> bool", One, less),
    define("_<_(int, int) -> bool", One, less),
    define("_<_(int, double) -> bool", One, less),
    define("_<_(int, uint) -> bool", One, less),
    define("_<_(uint, uint) -> bool", One, less),
    define("_<_(uint, double) -> bool", One, less),
    define("_<_(uint, int) -> bool", One, less),
    define("_<_(double, double) -> bool", One, less),
    define("_<_(double, int) -> bool", One, less),
    define("_<_(double, uint) -> bool", One, less),
    define("_<_(string, string) -> bool", Comparison, less),
    define("_<_(bytes, bytes) -> bool", Comparison, less),
    define("_<_(timestamp, timestamp) -> bool", One, less),
    define("_<_(duration, duration) -> bool", One, less),
    define("_<=_(bool, bool) -> bool", One, less_equal),
    define("_<=_(int, int) -> bool", One, less_equal),
    define("_<=_(int, double) -> bool", One, less_equal),
    define("_<=_(int, uint) -> bool", One, less_equal),
    define("_<=_(uint, uint) -> bool", One, less_equal),
    define("_<=_(uint, double) -> bool", One, less_equal),
    define("_<=_(uint, int) -> bool", One, less_equal),
    define("_<=_(double, double) -> bool", One, less_equal),
    define("_<=_(double, int) -> bool", One, less_equal),
    define("_<=_(double, uint) -> bool", One, less_equal),
    define("_<=_(string, string) -> bool", Comparison, less_equal),
    define("_<=_(bytes, bytes) -> bool", Comparison, less_equal),
    define("_<=_(timestamp, timestamp) -> bool", One, less_equal),
    define("_<=_(duration, duration) -> bool", One, less_equal),
    define("_>_(bool, bool) -> bool", One, greater),
    define("_>_(int, int) -> bool", One, greater),
    define("_>_(int, double) -> bool", One, greater),
    define("_>_(int, uint) -> bool", One, greater),
    define("_>_(uint, uint) -> bool", One, greater),
    define("_>_(uint, double) -> bool", One, greater),
    define("_>_(uint, int) -> bool", One, greater),
    define("_>_(double, double) -> bool", One, greater),
    define("_>_(double, int) -> bool", One, greater),
    define("_>_(double, uint) -> bool", One, greater),
    define("_>_(string, string) -> bool", Comparison, greater),
    define("_>_(bytes, bytes) -> bool", Comparison, greater),
    define("_>_(timestamp, timestamp) -> bool", One, greater),
    define("_>_(duration, duration) -> bool", One, greater),
    define("_>=_(bool, bool) -> bool", One, greater_equal),
    define("_>=_(int, int) -> bool", One, greater_equal),
    define("_>=_(int, double) -> bool", One, greater_equal),
    define("_>=_(int, uint) -> bool", One, greater_equal),
    define("_>=_(uint, uint) -> bool", One, greater_equal),
    define("_>=_(uint, double) -> bool", One, greater_equal),
    define("_>=_(uint, int) -> bool", One, greater_equal),
    define("_>=_(double, double) -> bool", One, greater_equal),
    define("_>=_(double, int) -> bool", One, greater_equal),
    define("_>=_(double, uint) -> bool", One, greater_equal),
    define("_>=_(string, string) -> bool", Comparison, greater_equal),
    define("_>=_(bytes, bytes) -> bool", Comparison, greater_equal),
    define("_>=_(timestamp, timestamp) -> bool", One, greater_equal),
    define("_>=_(duration, duration) -> bool", One, greater_equal),
    define("_[_](list(A), int) -> A", IndexList, special),
    define("_[_](map(A, B), A) -> B", IndexMap, special),
    define("@in(A, list(A)) -> bool", InList, contained),
    define("@in(A, map(A, B)) -> bool", One, contained),
    define("size(bytes) -> int", One, size),
    define("bytes.size() -> int", One, size),
    define("size(list(A)) -> int", One, size),
    define("list(A).size() -> int", One, size),
    define("size(map(A, B)) -> int", One, size),
    define("map(A, B).size() -> int", One, size),
    define("size(string) -> int", One, size),
    define("string.size() -> int", One, size),
    define("type(A) -> type(A)", One, convert::type_of),
    define("bool(bool) -> bool", One, convert::to_bool),
    define("bool(string) -> bool", One, convert::to_bool),
    define("bytes(bytes) -> bytes", One, convert::to_bytes),
    define("bytes(string) -> bytes", StringToBytes, convert::to_bytes),
    define("double(double) -> double", One, convert::to_double),
    define("double(int) -> double", One, convert::to_double),
    define("double(string) -> double", One, convert::to_double),
    define("double(uint) -> double", One, convert::to_double),
    define("duration(duration) -> duration", One, convert::to_duration),
    define("duration(string) -> duration", One, convert::to_duration),
    define("dyn(A) -> dyn", One, identity),
    define("int(int) -> int", One, convert::to_int),
    define("int(double) -> int", One, convert::to_int),
    define("int(duration) -> int", One, convert::to_int),
    define("int(string) -> int", One, convert::to_int),
    define("int(timestamp) -> int", One, convert::to_int),
    define("int(uint) -> int", One, convert::to_int),
    define("string(string) -> string", One, convert::to_string),
    define("string(bool) -> string", One, convert::to_string),
    define("string(bytes) -> string", BytesToString, convert::to_string),
    define("string(double) -> string", One, convert::to_string),
    define("string(duration) -> string", One, convert::to_string),
    define("string(int) -> string", One, convert::to_string),
    define("string(timestamp) -> string", One, convert::to_string),
    define("string(uint) -> string", One, convert::to_string),
    define("timestamp(timestamp) -> timestamp", One, convert::to_timestamp),
    define("timestamp(int) -> timestamp", One, convert::to_timestamp),
    define("timestamp(string) -> timestamp", One, convert::to_timestamp),
    define("uint(uint) -> uint", One, convert::to_uint),
    define("uint(double) -> uint", One, convert::to_uint),
    define("uint(int) -> uint", One, convert::to_uint),
    define("uint(string) -> uint", One, convert::to_uint),
    define("string.contains(string) -> bool", Contains, contains),
    define("string.endsWith(string) -> bool", Affix, ends_with),
    define("string.startsWith(string) -> bool", Affix, starts_with),
    define("matches(string, string) -> bool", Matches, matches),
    define("string.matches(string) -> bool", Matches, matches),
    define("timestamp.getFullYear() -> int", One, time::full_year),
    define("timestamp.getFullYear(string) -> int", One, time::full_year),
    define("timestamp.getMonth() -> int", One, time::month),
    define("timestamp.getMonth(string) -> int", One, time::month),
    define("timestamp.getDayOfYear() -> int", One, time::day_of_year),
    define("timestamp.getDayOfYear(string) -> int", One, time::day_of_year),
    define("timestamp.getDayOfMonth() -> int", One, time::day_of_month),
    define("timestamp.getDayOfMonth(string) -> int", One, time::day_of_month),
    define("timestamp.getDate() -> int", One, time::date),
    define("timestamp.getDate(string) -> int", One, time::date),
    define("timestamp.getDayOfWeek() -> int", One, time::day_of_week),
    define("timestamp.getDayOfWeek(string) -> int", One, time::day_of_week),
    define("timestamp.getHours() -> int", One, time::hours),
    define("timestamp.getHours(string) -> int", One, time::hours),
    define("duration.getHours() -> int", One, time::duration_hours),
    define("timestamp.getMinutes() -> int", One, time::minutes),
    define("timestamp.getMinutes(string) -> int", One, time::minutes),
    define("duration.getMinutes() -> int", One, time::duration_minutes),
    define("timestamp.getSeconds() -> int", One, time::seconds),
    define("timestamp.getSeconds(string) -> int", One, time::seconds),
    define("duration.getSeconds() -> int", One, time::duration_seconds),
    define("timestamp.getMilliseconds() -> int", One, time::milliseconds),
    define("timestamp.getMilliseconds(string) -> int", One, time::milliseconds),
    define("duration.getMilliseconds() -> int", One, time::duration_milliseconds),
];

const INT_OVERFLOW: EvalError = EvalError::fixed("integer overflow");
const UINT_OVERFLOW: EvalError = EvalError::fixed("unsigned integer overflow");
const DURATION_OVERFLOW: EvalError = EvalError::fixed("duration overflow");
const DIVISION_BY_ZERO: EvalError = EvalError::fixed("division by zero");
const MODULUS_BY_ZERO: EvalError = EvalError::fixed("modulus by zero");

fn special<'v>(_data: Data<'v>, _arguments: &[Val<'v>]) -> Evaluated<'v> {
    no_overload()
}

fn identity<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    arguments.first().copied().map_or_else(no_overload, Ok)
}

pub(super) fn add<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(match arguments {
        [Val::Int(a), Val::Int(b)] => Val::Int(a.checked_add(*b).ok_or(INT_OVERFLOW)?),
        [Val::Uint(a), Val::Uint(b)] => Val::Uint(a.checked_add(*b).ok_or(UINT_OVERFLOW)?),
        [Val::Double(a), Val::Double(b)] => Val::Double(a + b),
        [Val::String(a), Val::String(b)] => {
            data.arena.take(a.len() + b.len())?;
            let mut joined = String::with_capacity(a.len() + b.len());
            joined.push_str(a);
            joined.push_str(b);
            Val::String(data.arena.string(&joined))
        }
        [Val::Bytes(a), Val::Bytes(b)] => {
            data.arena.take(a.len() + b.len())?;
            Val::Bytes(data.arena.bytes(&[*a, *b].concat()))
        }
        [Val::Duration(a), Val::Duration(b)] => {
            Val::Duration(a.checked_add(*b).ok_or(DURATION_OVERFLOW)?)
        }
        [Val::Timestamp(at), Val::Duration(by)] | [Val::Duration(by), Val::Timestamp(at)] => {
            Val::Timestamp(time::shift(at, *by, false)?)
        }
        [Val::List(a), Val::List(b)] => add_lists(data, *a, *b)?,
        _ => return no_overload(),
    })
}

/// Adds lists by the rules of the left one's kind.
fn add_lists<'v>(data: Data<'v>, left: List<'v>, right: List<'v>) -> Evaluated<'v> {
    data.arena.take_items(left.len() + right.len())?;
    let mut items: Vec<Val<'v>> = left.iter(data).collect::<Result<_, _>>()?;
    let kind = left.kind(data);
    match kind {
        ListKind::Atomic => {
            for item in right.iter(data) {
                items.push(item?);
            }
            return Ok(data.arena.list(&items));
        }
        ListKind::Set => {
            for item in right.iter(data) {
                let item = item?;
                if !set_contains(&items, &item)? {
                    items.push(item);
                }
            }
        }
        ListKind::Map { keys } => {
            let known: Vec<_> = items.iter().map(|item| element_key(item, keys)).collect();
            for item in right.iter(data) {
                let item = item?;
                let key = element_key(&item, keys);
                match known
                    .iter()
                    .position(|other| *other == key)
                    .and_then(|index| items.get_mut(index))
                {
                    Some(slot) => *slot = item,
                    None => items.push(item),
                }
            }
        }
    }
    Ok(Val::List(List::Kinded(data.arena.slice(&items), kind)))
}

fn subtract<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(match arguments {
        [Val::Int(a), Val::Int(b)] => Val::Int(a.checked_sub(*b).ok_or(INT_OVERFLOW)?),
        [Val::Uint(a), Val::Uint(b)] => Val::Uint(a.checked_sub(*b).ok_or(UINT_OVERFLOW)?),
        [Val::Double(a), Val::Double(b)] => Val::Double(a - b),
        [Val::Duration(a), Val::Duration(b)] => {
            Val::Duration(a.checked_sub(*b).ok_or(DURATION_OVERFLOW)?)
        }
        [Val::Timestamp(at), Val::Duration(by)] => Val::Timestamp(time::shift(at, *by, true)?),
        [Val::Timestamp(a), Val::Timestamp(b)] => {
            Val::Duration(time::between(a, b).ok_or(DURATION_OVERFLOW)?)
        }
        _ => return no_overload(),
    })
}

fn multiply<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(match arguments {
        [Val::Int(a), Val::Int(b)] => Val::Int(a.checked_mul(*b).ok_or(INT_OVERFLOW)?),
        [Val::Uint(a), Val::Uint(b)] => Val::Uint(a.checked_mul(*b).ok_or(UINT_OVERFLOW)?),
        [Val::Double(a), Val::Double(b)] => Val::Double(a * b),
        _ => return no_overload(),
    })
}

fn divide<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(match arguments {
        [Val::Int(_), Val::Int(0)] | [Val::Uint(_), Val::Uint(0)] => return Err(DIVISION_BY_ZERO),
        [Val::Int(a), Val::Int(b)] => Val::Int(a.checked_div(*b).ok_or(INT_OVERFLOW)?),
        [Val::Uint(a), Val::Uint(b)] => Val::Uint(a.checked_div(*b).ok_or(UINT_OVERFLOW)?),
        [Val::Double(a), Val::Double(b)] => Val::Double(a / b),
        _ => return no_overload(),
    })
}

fn modulo<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(match arguments {
        [Val::Int(_), Val::Int(0)] | [Val::Uint(_), Val::Uint(0)] => return Err(MODULUS_BY_ZERO),
        [Val::Int(a), Val::Int(b)] => Val::Int(a.checked_rem(*b).ok_or(INT_OVERFLOW)?),
        [Val::Uint(a), Val::Uint(b)] => Val::Uint(a.checked_rem(*b).ok_or(UINT_OVERFLOW)?),
        _ => return no_overload(),
    })
}

fn negate<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(match arguments {
        [Val::Int(a)] => Val::Int(a.checked_neg().ok_or(INT_OVERFLOW)?),
        [Val::Double(a)] => Val::Double(-a),
        [Val::Duration(a)] => Val::Duration(a.checked_neg().ok_or(DURATION_OVERFLOW)?),
        _ => return no_overload(),
    })
}

fn ordered<'v>(arguments: &[Val<'v>], test: fn(Ordering) -> bool) -> Evaluated<'v> {
    match arguments {
        [a, b] => Ok(Val::Bool(test(compare(a, b)?))),
        _ => no_overload(),
    }
}

fn less<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    ordered(arguments, Ordering::is_lt)
}

fn less_equal<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    ordered(arguments, Ordering::is_le)
}

fn greater<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    ordered(arguments, Ordering::is_gt)
}

fn greater_equal<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    ordered(arguments, Ordering::is_ge)
}

fn contained<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [value, Val::List(list)] => list_contains(data, *list, value).map(Val::Bool),
        [key, Val::Map(map)] => Ok(Val::Bool(map.contains(key, data))),
        [Val::String(key), Val::Object(node)] => {
            Ok(Val::Bool(node.value().get(key).is_some_and(|value| !value.is_null())))
        }
        _ => no_overload(),
    }
}

/// Whether an element equals the value; an error only counts if none does.
pub(crate) fn list_contains<'v>(
    data: Data<'v>,
    list: List<'v>,
    value: &Val<'v>,
) -> Result<bool, EvalError> {
    let mut failed = None;
    for item in list.iter(data) {
        match item.and_then(|item| equal(data, &item, value)) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(error) => drop(failed.get_or_insert(error)),
        }
    }
    failed.map_or(Ok(false), Err)
}

fn size<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    Ok(match arguments {
        [Val::String(text)] => int(text.chars().count()),
        [Val::Bytes(bytes)] => int(bytes.len()),
        [Val::List(list)] => int(list.len()),
        [Val::Map(map)] => int(map.len()),
        [Val::Object(node)] => int(node.value().members().len()),
        _ => return no_overload(),
    })
}

fn contains<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text), Val::String(part)] => Ok(Val::Bool(text.contains(part))),
        _ => no_overload(),
    }
}

fn starts_with<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text), Val::String(part)] => Ok(Val::Bool(text.starts_with(part))),
        _ => no_overload(),
    }
}

fn ends_with<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text), Val::String(part)] => Ok(Val::Bool(text.ends_with(part))),
        _ => no_overload(),
    }
}

fn matches<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text), Val::String(pattern)] => {
            let regex =
                Regex::new(pattern).map_err(|error| EvalError::message(error.to_string()))?;
            Ok(Val::Bool(regex.is_match(text)))
        }
        _ => no_overload(),
    }
}
