//! Kubernetes' own list functions.

use std::cmp::Ordering;

use super::{int, no_overload, standard};
use crate::cost::CostModel::Traverse;
use crate::declare::{Definition, define};
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, List, Val, compare, equal};

pub(crate) const VERSION_0: &[Definition] = &[
    define("list(Ordered).isSorted() -> bool", Traverse { any: false }, is_sorted),
    define("list(int).sum() -> int", Traverse { any: false }, sum_int),
    define("list(uint).sum() -> uint", Traverse { any: false }, sum_uint),
    define("list(double).sum() -> double", Traverse { any: false }, sum_double),
    define("list(duration).sum() -> duration", Traverse { any: false }, sum_duration),
    define("list(Ordered).max() -> Ordered", Traverse { any: false }, max),
    define("list(Ordered).min() -> Ordered", Traverse { any: false }, min),
    define("list(A).indexOf(A) -> int", Traverse { any: false }, index_of),
    define("list(A).lastIndexOf(A) -> int", Traverse { any: false }, last_index_of),
];

/// What version 1 adds.
pub(crate) const SINCE_1: &[Definition] =
    &[define("dyn.includes(dyn) -> bool", Traverse { any: true }, includes)];

fn is_sorted<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let [Val::List(list)] = arguments else {
        return no_overload();
    };
    let mut previous: Option<Val<'v>> = None;
    for item in list.iter(data) {
        let item = item?;
        if let Some(previous) = previous
            && compare(&previous, &item)?.is_gt()
        {
            return Ok(Val::Bool(false));
        }
        previous = Some(item);
    }
    Ok(Val::Bool(true))
}

fn sum<'v>(data: Data<'v>, arguments: &[Val<'v>], zero: Val<'v>) -> Evaluated<'v> {
    let [Val::List(list)] = arguments else {
        return no_overload();
    };
    let mut total = zero;
    for item in list.iter(data) {
        total = standard::add(data, &[total, item?])?;
    }
    Ok(total)
}

fn sum_int<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    sum(data, arguments, Val::Int(0))
}

fn sum_uint<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    sum(data, arguments, Val::Uint(0))
}

fn sum_double<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    sum(data, arguments, Val::Double(0.0))
}

fn sum_duration<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    sum(data, arguments, Val::Duration(0))
}

/// The first of the elements that come before all others in the wanted order.
fn extreme<'v>(
    data: Data<'v>,
    arguments: &[Val<'v>],
    wanted: Ordering,
    empty: &'static str,
) -> Evaluated<'v> {
    let [Val::List(list)] = arguments else {
        return no_overload();
    };
    let mut best: Option<Val<'v>> = None;
    for item in list.iter(data) {
        let item = item?;
        match best {
            Some(current) if compare(&item, &current)? != wanted => {}
            _ => best = Some(item),
        }
    }
    best.ok_or(EvalError::fixed(empty))
}

fn max<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    extreme(data, arguments, Ordering::Greater, "max called on empty list")
}

fn min<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    extreme(data, arguments, Ordering::Less, "min called on empty list")
}

/// Positions of the elements that equal a value.
fn positions<'v>(data: Data<'v>, list: List<'v>, value: &Val<'v>) -> impl Iterator<Item = usize> {
    let value = *value;
    list.iter(data)
        .enumerate()
        .filter(move |(_, item)| {
            item.as_ref().is_ok_and(|item| matches!(equal(data, item, &value), Ok(true)))
        })
        .map(|(index, _)| index)
}

fn index_of<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::List(list), value] => {
            Ok(positions(data, *list, value).next().map_or(Val::Int(-1), int))
        }
        _ => no_overload(),
    }
}

fn last_index_of<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::List(list), value] => {
            Ok(positions(data, *list, value).last().map_or(Val::Int(-1), int))
        }
        _ => no_overload(),
    }
}

fn includes<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::List(list), value] => standard::list_contains(data, *list, value).map(Val::Bool),
        [single, value] => equal(data, single, value).map(Val::Bool),
        _ => no_overload(),
    }
}
