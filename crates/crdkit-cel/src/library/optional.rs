//! Optional values.

use super::no_overload;
use crate::cost::CostModel::One;
use crate::declare::{Definition, define};
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, List, Val, shown};

pub(crate) const DEFINITIONS: &[Definition] = &[
    define("optional.of(V) -> optional(V)", One, of),
    define("optional.ofNonZeroValue(V) -> optional(V)", One, of_non_zero_value),
    define("optional.none() -> optional(V)", One, |_, _| Ok(Val::Optional(None))),
    define("optional(V).value() -> V", One, value),
    define("optional(V).hasValue() -> bool", One, has_value),
    // These two look at their second operand only if they need it.
    define("optional(V).or(optional(V)) -> optional(V)", One, special),
    define("optional(V).orValue(V) -> V", One, special),
    define("_[?_](list(V), int) -> optional(V)", One, special),
    define("_[?_](optional(list(V)), int) -> optional(V)", One, special),
    define("_[?_](map(K, V), K) -> optional(V)", One, special),
    define("_[?_](optional(map(K, V)), K) -> optional(V)", One, special),
    define("_[_](optional(list(V)), int) -> optional(V)", One, special),
    define("_[_](optional(map(K, V)), K) -> optional(V)", One, special),
    define("list(V).first() -> optional(V)", One, first),
    define("list(V).last() -> optional(V)", One, last),
    define("optional.unwrap(list(optional(V))) -> list(V)", One, unwrap),
    define("list(optional(V)).unwrapOpt() -> list(V)", One, unwrap),
];

fn special<'v>(_data: Data<'v>, _arguments: &[Val<'v>]) -> Evaluated<'v> {
    no_overload()
}

fn of<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [value] => Ok(data.arena.some(*value)),
        _ => no_overload(),
    }
}

fn of_non_zero_value<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let [value] = arguments else {
        return no_overload();
    };
    let zero = match value {
        Val::Null
        | Val::Bool(false)
        | Val::Int(0)
        | Val::Uint(0)
        | Val::Duration(0)
        | Val::Optional(None) => true,
        Val::Double(value) => *value == 0.0,
        // The start of year 1 is the zero of the server's clock.
        Val::Timestamp(at) => at.seconds == -62_135_596_800 && at.nanoseconds == 0,
        Val::String(text) => text.is_empty(),
        Val::Bytes(bytes) => bytes.is_empty(),
        Val::List(list) => list.len() == 0,
        Val::Map(map) => map.len() == 0,
        Val::Object(node) => node.value().members().len() == 0,
        _ => false,
    };
    if zero { Ok(Val::Optional(None)) } else { Ok(data.arena.some(*value)) }
}

fn value<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::Optional(Some(inner))] => Ok(**inner),
        [Val::Optional(None)] => Err(EvalError::fixed("optional.none() dereference")),
        _ => no_overload(),
    }
}

fn has_value<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::Optional(inner)] => Ok(Val::Bool(inner.is_some())),
        _ => no_overload(),
    }
}

fn at<'v>(data: Data<'v>, list: List<'v>, index: Option<usize>) -> Evaluated<'v> {
    match index.and_then(|index| list.get(index, data)) {
        Some(value) => Ok(data.arena.some(value?)),
        None => Ok(Val::Optional(None)),
    }
}

fn first<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::List(list)] => at(data, *list, Some(0)),
        _ => no_overload(),
    }
}

fn last<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::List(list)] => at(data, *list, list.len().checked_sub(1)),
        _ => no_overload(),
    }
}

fn unwrap<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let [Val::List(list)] = arguments else {
        return no_overload();
    };
    let mut values = Vec::new();
    for item in list.iter(data) {
        match item? {
            Val::Optional(Some(inner)) => values.push(*inner),
            Val::Optional(None) => {}
            other => {
                let other = shown(&other);
                return Err(EvalError::message(format!("value {other} is not optional")));
            }
        }
    }
    Ok(data.arena.list(&values))
}
