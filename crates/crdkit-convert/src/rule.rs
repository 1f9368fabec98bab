//! What a rule does to an object, there and back.

use crate::ConvertError;
use crate::expression::Expression;
use crate::kept::Kept;
use crate::place::{self, FieldNames, Places};
use crdkit_value::{Document, NodeId, Value};

/// Which way rules are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the first version to the second.
    Forward,
    /// The way back.
    Backward,
}

/// A rule.
#[derive(Debug)]
pub(crate) enum ConversionRule {
    /// A value is elsewhere in the other version.
    Move(Places),
    /// The second version wants a value that the first one need not have. On the way back it goes if it is that one.
    Default { places: Places, value: Document },
    /// A value is made of another one. Without an expression it goes.
    Compute { places: Places, forward: Option<Box<Expression>>, backward: Option<Box<Expression>> },
    /// Only one version has the field: it is kept in an annotation of the other.
    Keep { path: FieldNames, version: Box<str>, leaves: Direction },
}

impl ConversionRule {
    pub(crate) fn follow(
        &self,
        direction: Direction,
        object: &mut Document,
        kept: &mut Kept,
    ) -> Result<(), ConvertError> {
        let turned = |places: &'_ Places| match direction {
            Direction::Forward => (places.from.clone(), places.to.clone()),
            Direction::Backward => (places.to.clone(), places.from.clone()),
        };
        match self {
            Self::Move(places) => {
                let (from, to) = turned(places);
                for scope in places.scopes(object) {
                    relocate(object, scope, &from, &to, |object, value| {
                        Ok(Some(Document::copy_of(object.value(value))))
                    })?;
                }
            }
            Self::Compute { places, forward, backward } => {
                let (from, to) = turned(places);
                let expression = match direction {
                    Direction::Forward => forward,
                    Direction::Backward => backward,
                };
                for scope in places.scopes(object) {
                    relocate(object, scope, &from, &to, |object, value| match expression {
                        Some(expression) => expression.evaluate(object.value(value), object),
                        None => Ok(None),
                    })?;
                }
            }
            Self::Default { places, value } => {
                for scope in places.scopes(object) {
                    default(object, scope, &places.from, value, direction);
                }
            }
            Self::Keep { path, version, leaves } if *leaves == direction => {
                if let Some(value) = place::get(object, NodeId::ROOT, path) {
                    let id = value.id();
                    kept.add(version, path, value);
                    object.remove(id);
                }
            }
            Self::Keep { path, version, .. } => {
                if let Some(value) = kept.remove(version, path) {
                    place::put(object, NodeId::ROOT, path, &value);
                }
            }
        }
        Ok(())
    }
}

/// Takes the value at `from` away and puts what `make` makes of it at `to`.
fn relocate(
    object: &mut Document,
    scope: NodeId,
    from: &[Box<str>],
    to: &[Box<str>],
    make: impl FnOnce(&Document, NodeId) -> Result<Option<Document>, ConvertError>,
) -> Result<(), ConvertError> {
    let Some(id) = place::get(object, scope, from).map(Value::id) else { return Ok(()) };
    let value = make(object, id)?;
    object.remove(id);
    if let Some(value) = value {
        place::put(object, scope, to, &value);
    }
    if from != to {
        place::sweep(object, scope, from);
    }
    Ok(())
}

/// Gives the object around `path` a value that it lacks, or takes the value away that it would get.
fn default(
    object: &mut Document,
    scope: NodeId,
    path: &[Box<str>],
    value: &Document,
    direction: Direction,
) {
    let Some((name, parents)) = path.split_last() else { return };
    let parent = place::get(object, scope, parents).filter(|it| it.as_object().is_some());
    let Some(parent) = parent else { return };
    match (direction, parent.get(name)) {
        (Direction::Forward, None) => {
            let id = parent.id();
            object.insert(id, name, value);
        }
        (Direction::Backward, Some(given)) if given == value.root() => {
            let id = given.id();
            object.remove(id);
        }
        _ => {}
    }
}
