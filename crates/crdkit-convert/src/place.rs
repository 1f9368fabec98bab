//! Places that rules speak of, and what is done to the values there.
//!
//! The places of one rule share their way up to the last list or map whose elements they mean one by one; from there on they
//! are names of fields. What is done happens within each of those elements.

use crdkit_schema::lookup::{self, LookupStep};
use crdkit_value::{Document, NewValue, NodeId, Value};

/// The names of fields from somewhere on.
pub(crate) type FieldNames = Vec<Box<str>>;

/// The places of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    /// The way to where both start.
    pub(crate) scope: Vec<LookupStep>,
    pub(crate) from: FieldNames,
    pub(crate) to: FieldNames,
}

impl Places {
    /// The places in two paths, or why they cannot be those of one rule.
    pub(crate) fn read(from: &str, to: &str) -> Result<Self, String> {
        let (from, to) = (path(from)?, path(to)?);
        let last = |steps: &[LookupStep]| {
            steps.iter().rposition(|step| *step == LookupStep::Each).map_or(0, |at| at + 1)
        };
        let (scope, rest) = from.split_at(last(&from));
        let (other, to) = to.split_at(last(&to));
        if scope != other {
            return Err("both must be in the same element of a list or map".to_owned());
        }
        let (from, to) = (names(rest), names(to));
        if from.is_empty() || to.is_empty() {
            return Err("an element of a list or map stays where it is".to_owned());
        }
        Ok(Self { scope: scope.to_vec(), from, to })
    }

    /// Where both start, as often as that is in `object`.
    pub(crate) fn scopes(&self, object: &Document) -> Vec<NodeId> {
        let mut found = vec![object.root()];
        for step in &self.scope {
            found = found
                .into_iter()
                .flat_map(|value| -> Vec<Value<'_>> {
                    match step {
                        LookupStep::Name(name) => value.get(name).into_iter().collect(),
                        LookupStep::Each if value.as_array().is_some() => value.items().collect(),
                        LookupStep::Each => value.members().map(|(_, value)| value).collect(),
                    }
                })
                .collect();
        }
        found.into_iter().map(Value::id).collect()
    }
}

/// The steps of a path that a rule may speak of.
fn path(text: &str) -> Result<Vec<LookupStep>, String> {
    let steps = lookup::parse(text);
    let name = |at: usize| match steps.get(at) {
        Some(LookupStep::Name(name)) => Some(&**name),
        _ => None,
    };
    match (name(0), name(1)) {
        (Some("metadata"), Some("labels" | "annotations")) if steps.len() > 2 => Ok(steps),
        (Some("metadata"), _) => {
            Err("of `metadata` only single labels and annotations can change".to_owned())
        }
        (Some("apiVersion" | "kind"), _) => {
            Err("the type of an object is not for rules".to_owned())
        }
        (Some(_), _) => Ok(steps),
        (None, _) => Err("a path begins with the name of a field".to_owned()),
    }
}

fn names(steps: &[LookupStep]) -> FieldNames {
    let name = |step: &LookupStep| match step {
        LookupStep::Name(name) => Some(Box::from(&**name)),
        LookupStep::Each => None,
    };
    steps.iter().filter_map(name).collect()
}

/// The value at `names` below `scope`.
pub(crate) fn get<'d>(
    object: &'d Document,
    scope: NodeId,
    names: &[Box<str>],
) -> Option<Value<'d>> {
    names.iter().try_fold(object.value(scope), |value, name| value.get(name))
}

/// Puts a value at `names` below `scope`, with the objects around it.
pub(crate) fn put(object: &mut Document, scope: NodeId, names: &[Box<str>], value: &Document) {
    let Some((last, parents)) = names.split_last() else { return };
    let mut at = scope;
    for name in parents {
        let known = object.value(at).get(name).filter(|it| it.as_object().is_some()).map(Value::id);
        let Some(next) = known.or_else(|| object.insert(at, name, NewValue::EmptyObject)) else {
            return;
        };
        at = next;
    }
    object.insert(at, last, value);
}

/// Removes the objects on the way to `names` that are empty, innermost first.
pub(crate) fn sweep(object: &mut Document, scope: NodeId, names: &[Box<str>]) {
    let mut parents = names.split_last().map_or(names, |(_, parents)| parents);
    while let Some((_, outer)) = parents.split_last() {
        let found = get(object, scope, parents);
        let empty = found.filter(|it| it.as_object().is_some_and(|mut it| it.next().is_none()));
        let Some(id) = empty.map(Value::id) else { return };
        object.remove(id);
        parents = outer;
    }
}
