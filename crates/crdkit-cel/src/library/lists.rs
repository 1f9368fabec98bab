//! General list functions.

use super::no_overload;
use crate::cost::CostModel::{Distinct, Flatten, Range, Reverse, Slice, Sort};
use crate::declare::{Definition, define};
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, List, Val, compare, equal};

/// Largest list `lists.range` makes.
const MAX_RANGE: i64 = 1_000_000;

pub(crate) const DEFINITIONS: &[Definition] = &[
    define("list(T).slice(int, int) -> list(T)", Slice, slice),
    define("list(list(T)).flatten() -> list(T)", Flatten, flatten),
    define("list(dyn).flatten(int) -> list(dyn)", Flatten, flatten),
    define("list(Ordered).sort() -> list(Ordered)", Sort { argument: 0, text: false }, sort),
    define("list(string).sort() -> list(string)", Sort { argument: 0, text: true }, sort),
    define("list(bytes).sort() -> list(bytes)", Sort { argument: 0, text: true }, sort),
    define(
        "list(T).@sortByAssociatedKeys(list(Ordered)) -> list(T)",
        Sort { argument: 1, text: false },
        sort_by_keys,
    ),
    define(
        "list(T).@sortByAssociatedKeys(list(string)) -> list(T)",
        Sort { argument: 1, text: true },
        sort_by_keys,
    ),
    define(
        "list(T).@sortByAssociatedKeys(list(bytes)) -> list(T)",
        Sort { argument: 1, text: true },
        sort_by_keys,
    ),
    define("lists.range(int) -> list(int)", Range, range),
    define("list(T).reverse() -> list(T)", Reverse, reverse),
    define("list(T).distinct() -> list(T)", Distinct, distinct),
];

fn items<'v>(data: Data<'v>, list: List<'v>) -> Result<Vec<Val<'v>>, EvalError> {
    data.arena.take_items(list.len())?;
    list.iter(data).collect()
}

fn list<'v>(data: Data<'v>, items: &[Val<'v>]) -> Val<'v> {
    Val::List(List::Slice(data.arena.slice(items)))
}

fn slice<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let [Val::List(source), Val::Int(start), Val::Int(end)] = arguments else {
        return no_overload();
    };
    let length = source.len();
    let error =
        |what: &str| Err(EvalError::message(format!("cannot slice({start}, {end}), {what}")));
    let (Ok(from), Ok(to)) = (usize::try_from(*start), usize::try_from(*end)) else {
        return error("negative indexes not supported");
    };
    if start > end {
        return error("start index must be less than or equal to end index");
    }
    if to > length {
        return error(&format!("list is length {length}"));
    }
    Ok(list(data, items(data, *source)?.get(from..to).unwrap_or_default()))
}

fn flatten<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let (source, depth) = match arguments {
        [Val::List(source)] => (*source, 1),
        [Val::List(source), Val::Int(depth)] => (*source, *depth),
        _ => return no_overload(),
    };
    if depth < 0 {
        return Err(EvalError::fixed("level must be non-negative"));
    }
    let mut flat = items(data, source)?;
    for _ in 0..depth {
        if !flat.iter().any(|item| matches!(item, Val::List(_))) {
            break;
        }
        let mut next = Vec::with_capacity(flat.len());
        for item in flat {
            match item {
                Val::List(inner) => next.extend(items(data, inner)?),
                other => next.push(other),
            }
        }
        flat = next;
    }
    Ok(list(data, &flat))
}

/// Sorts by keys; elements must all be of one type that has an order.
fn sorted<'v>(data: Data<'v>, values: Vec<Val<'v>>, keys: &[Val<'v>]) -> Evaluated<'v> {
    if values.len() != keys.len() {
        return Err(EvalError::message(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} elements respectively",
            values.len(),
            keys.len()
        )));
    }
    let Some(first) = keys.first() else {
        return Ok(list(data, &values));
    };
    let orderable = matches!(
        first,
        Val::Int(_)
            | Val::Uint(_)
            | Val::Double(_)
            | Val::Bool(_)
            | Val::Duration(_)
            | Val::Timestamp(_)
            | Val::String(_)
            | Val::Bytes(_)
    );
    if !orderable {
        return Err(EvalError::fixed("list elements must be comparable"));
    }
    if keys.iter().any(|key| key.type_name() != first.type_name()) {
        return Err(EvalError::fixed("list elements must have the same type"));
    }
    let mut pairs: Vec<(Val<'v>, Val<'v>)> = keys.iter().copied().zip(values).collect();
    pairs.sort_by(|a, b| compare(&a.0, &b.0).unwrap_or(std::cmp::Ordering::Equal));
    let values: Vec<Val<'v>> = pairs.into_iter().map(|(_, value)| value).collect();
    Ok(list(data, &values))
}

fn sort<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let [Val::List(source)] = arguments else {
        return no_overload();
    };
    let values = items(data, *source)?;
    let keys = values.clone();
    sorted(data, values, &keys)
}

fn sort_by_keys<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let [Val::List(source), Val::List(keys)] = arguments else {
        return no_overload();
    };
    let keys = items(data, *keys)?;
    sorted(data, items(data, *source)?, &keys)
}

fn range<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::Int(count)] if *count > MAX_RANGE => Err(EvalError::message(format!(
            "lists.range: size {count} exceeds maximum allowed ({MAX_RANGE})"
        ))),
        [Val::Int(count)] if *count < 0 => {
            Err(EvalError::message(format!("lists.range: size must be non-negative, got {count}")))
        }
        [Val::Int(count)] => {
            data.arena.take_items(usize::try_from(*count).unwrap_or(usize::MAX))?;
            Ok(list(data, &(0..*count).map(Val::Int).collect::<Vec<_>>()))
        }
        _ => no_overload(),
    }
}

fn reverse<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let [Val::List(source)] = arguments else {
        return no_overload();
    };
    let mut values = items(data, *source)?;
    values.reverse();
    Ok(list(data, &values))
}

fn distinct<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let [Val::List(source)] = arguments else {
        return no_overload();
    };
    let mut unique: Vec<Val<'v>> = Vec::new();
    for item in source.iter(data) {
        let item = item?;
        let mut is_known = false;
        for other in &unique {
            match equal(data, &item, other) {
                Err(EvalError::CostLimit) => return Err(EvalError::CostLimit),
                outcome => is_known = outcome == Ok(true),
            }
            if is_known {
                break;
            }
        }
        if !is_known {
            unique.push(item);
        }
    }
    Ok(list(data, &unique))
}
