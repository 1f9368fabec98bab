//! Lists as sets.

use super::no_overload;
use super::standard::list_contains;
use crate::cost::CostModel::Sets;
use crate::declare::{Definition, define};
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, List, Val};

pub(crate) const DEFINITIONS: &[Definition] = &[
    define("sets.contains(list(T), list(T)) -> bool", Sets(1.0), contains),
    define("sets.equivalent(list(T), list(T)) -> bool", Sets(2.0), equivalent),
    define("sets.intersects(list(T), list(T)) -> bool", Sets(1.0), intersects),
];

/// Whether every element of `part` is in `list`.
fn covers<'v>(data: Data<'v>, list: List<'v>, part: List<'v>) -> Result<bool, EvalError> {
    for item in part.iter(data) {
        if !list_contains(data, list, &item?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn contains<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::List(list), Val::List(part)] => covers(data, *list, *part).map(Val::Bool),
        _ => no_overload(),
    }
}

fn equivalent<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::List(a), Val::List(b)] => {
            Ok(Val::Bool(covers(data, *a, *b)? && covers(data, *b, *a)?))
        }
        _ => no_overload(),
    }
}

fn intersects<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let [Val::List(a), Val::List(b)] = arguments else {
        return no_overload();
    };
    for item in a.iter(data) {
        if list_contains(data, *b, &item?)? {
            return Ok(Val::Bool(true));
        }
    }
    Ok(Val::Bool(false))
}
