//! Steps over values.
//!
//! A step that fails ends the path, but a filter that only asks whether something is there counts what the failed
//! step had in hand; hence a failure carries values.

use super::compare::compare;
use super::{Filter, FoundValue, JsonPathStep, Operator, Slice, TemplatePart};
use crdkit_value::{Kind, Value};

type Values<'v> = Vec<FoundValue<'v>>;

/// Values, or those in hand when the path could not go on.
type Outcome<'v> = Result<Values<'v>, Values<'v>>;

/// The first value of the first part; none when any part fails.
pub(super) fn first<'v>(parts: &'v [TemplatePart], object: Value<'v>) -> Option<FoundValue<'v>> {
    let mut first = None;
    for (at, part) in parts.iter().enumerate() {
        let found = match part {
            TemplatePart::Text(text) => vec![FoundValue::Text(text)],
            TemplatePart::Action(steps) => walk(steps, vec![FoundValue::Value(object)]).ok()?,
        };
        if at == 0 {
            first = found.first().copied();
        }
    }
    first
}

fn walk<'v>(steps: &'v [JsonPathStep], mut values: Values<'v>) -> Outcome<'v> {
    for step in steps {
        values = apply(step, &values)?;
    }
    Ok(values)
}

fn apply<'v>(step: &'v JsonPathStep, input: &[FoundValue<'v>]) -> Outcome<'v> {
    let each = |literal: FoundValue<'v>| Ok(input.iter().map(|_| literal).collect());
    match step {
        JsonPathStep::Field(name) => Ok(documents(input)
            .filter_map(|value| value.get(name))
            .map(FoundValue::Value)
            .collect()),
        JsonPathStep::Wildcard => {
            Ok(documents(input).flat_map(children).map(FoundValue::Value).collect())
        }
        JsonPathStep::Recursive => {
            Ok(documents(input).flat_map(below).map(FoundValue::Value).collect())
        }
        JsonPathStep::Slice(slice) => sliced(*slice, input),
        JsonPathStep::Union(branches) => {
            let mut all = Vec::new();
            for branch in branches {
                match walk(branch, input.to_vec()) {
                    Ok(found) => all.extend(found),
                    Err(_) => return Err(input.to_vec()),
                }
            }
            Ok(all)
        }
        JsonPathStep::Filter(filter) => filtered(filter, input),
        JsonPathStep::Text(text) => Ok(vec![FoundValue::Text(text)]),
        JsonPathStep::Int(int) => each(FoundValue::Int(*int)),
        JsonPathStep::Float(float) => each(FoundValue::Float(*float)),
        JsonPathStep::Bool(flag) => each(FoundValue::Bool(*flag)),
        JsonPathStep::Identifier => Err(input.to_vec()),
    }
}

/// The values that are parts of the object and not `null`.
fn documents<'v, 'i>(input: &'i [FoundValue<'v>]) -> impl Iterator<Item = Value<'v>> + use<'v, 'i> {
    input.iter().filter_map(|found| match found {
        FoundValue::Value(value) if !value.is_null() => Some(*value),
        _ => None,
    })
}

/// Items and members.
fn children(value: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    value.items().chain(value.members().map(|(_, member)| member))
}

/// Everything in `value` that has contents, itself first.
fn below(value: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let document = value.document();
    value.ids().map(|id| document.value(id)).filter(|value| match value.kind() {
        Kind::String(text) => !text.is_empty(),
        _ => children(*value).next().is_some(),
    })
}

fn sliced<'v>(slice: Slice, input: &[FoundValue<'v>]) -> Outcome<'v> {
    let mut found = Vec::new();
    for value in documents(input) {
        let Some(items) = value.as_array() else { return Err(input.to_vec()) };
        let length = i64::try_from(items.clone().count()).unwrap_or(i64::MAX);
        let from_end = |at: i64| if at < 0 { at.saturating_add(length) } else { at };
        let start = from_end(slice.start.unwrap_or_default());
        let end = match (slice.single, slice.end) {
            // One further than the last is the end.
            (true, _) => match slice.start.unwrap_or_default().saturating_add(1) {
                0 => length,
                end => from_end(end),
            },
            (false, None) => length,
            (false, Some(end)) => from_end(end),
        };
        if start == end {
            return Ok(found);
        }
        let step = slice.step.unwrap_or(1);
        if start < 0 || start >= length || end > length || start > end || step <= 0 {
            return Err(input.to_vec());
        }
        let size = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
        let items = items.skip(size(start)).take(size(end - start)).step_by(size(step));
        found.extend(items.map(FoundValue::Value));
    }
    Ok(found)
}

fn filtered<'v>(filter: &'v Filter, input: &[FoundValue<'v>]) -> Outcome<'v> {
    let mut found = Vec::new();
    for one in input {
        let FoundValue::Value(value) = one else { return Err(input.to_vec()) };
        let Some(items) = value.as_array() else { return Err(input.to_vec()) };
        for item in items {
            let item = FoundValue::Value(item);
            let left = walk(&filter.left, vec![item]);
            if filter.operator == Operator::Exists {
                let (Ok(found_left) | Err(found_left)) = left;
                if !found_left.is_empty() {
                    found.push(item);
                }
                continue;
            }
            let (Ok(left), Ok(right)) = (left, walk(&filter.right, vec![item])) else {
                return Err(input.to_vec());
            };
            let ([left], [right]) = (left.as_slice(), right.as_slice()) else {
                return Err(input.to_vec());
            };
            match compare(filter.operator, *left, *right) {
                Some(true) => found.push(item),
                Some(false) => {}
                None => return Err(found),
            }
        }
    }
    Ok(found)
}
