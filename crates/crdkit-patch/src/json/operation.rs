//! Operations carried out one after the other on a copy of the object.
//!
//! What comes out is the object after all of them; the object itself is not touched, so a failure leaves it whole.

use super::read::Operation;
use crate::PatchError;
use crdkit_codec::json::{self, Layout};
use crdkit_value::{Document, NewValue, NodeId, Tag, Value};
use std::borrow::Cow;
use std::fmt;

/// Why an operation cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OperationError {
    /// There is no such operation.
    Unknown(Box<str>),
    /// It does not say where.
    NoPath,
    /// `move` or `copy` does not say from where.
    NoFrom,
    /// What the path goes through is not there.
    NoParent(Box<str>),
    /// The path leads nowhere.
    Missing(Box<str>),
    /// The last step of the path is not a position in the list.
    NoIndex(Box<str>),
    /// The value is another one.
    TestFailed(Box<str>),
    /// The whole can only become an object or a list.
    WholeValue,
    /// All copies together are too large.
    CopiesTooLarge(usize),
}

impl fmt::Display for OperationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(op) => write!(f, "there is no operation `{op}`"),
            Self::NoPath => f.write_str("`path` is missing"),
            Self::NoFrom => f.write_str("`from` is missing"),
            Self::NoParent(path) => write!(f, "there is nothing around `{path}`"),
            Self::Missing(path) => write!(f, "there is nothing at `{path}`"),
            Self::NoIndex(path) => write!(f, "`{path}` does not end in a position of the list"),
            Self::TestFailed(path) => write!(f, "the value at `{path}` is another one"),
            Self::WholeValue => f.write_str("the whole can only become an object or a list"),
            Self::CopiesTooLarge(limit) => write!(f, "copies take more than {limit} bytes"),
        }
    }
}

impl std::error::Error for OperationError {}

/// `object` after `operations`, which may copy so many bytes.
pub(super) fn apply<'p>(
    object: &Document,
    operations: impl Iterator<Item = Operation<'p>>,
    copied: usize,
) -> Result<Document, PatchError> {
    let mut patched = Patched { document: object.clone(), limit: copied, copied: 0 };
    for (index, operation) in operations.enumerate() {
        let outcome = patched.carry_out(&operation);
        outcome.map_err(|error| PatchError::Operation { index, error })?;
    }
    Ok(patched.document)
}

struct Patched {
    document: Document,
    limit: usize,
    copied: usize,
}

/// A place that a path names: the array or object it is in, and the last step.
struct PointerPlace<'p> {
    parent: NodeId,
    step: Cow<'p, str>,
    path: &'p str,
}

impl Patched {
    fn carry_out(&mut self, operation: &Operation<'_>) -> Result<(), OperationError> {
        let path = || operation.path.ok_or(OperationError::NoPath);
        let from = || operation.from.ok_or(OperationError::NoFrom);
        let value = operation.value.map_or(NewValue::Null, NewValue::CopyOf);
        match operation.op {
            "add" => self.add(&self.place(path()?)?, value),
            "remove" => {
                let id = self.removable(&self.place(path()?)?)?;
                self.document.remove(id);
                Ok(())
            }
            "replace" => self.replace(path()?, operation.value),
            "move" => {
                let id = self.removable(&self.place(from()?)?)?;
                self.document.remove(id);
                self.add(&self.place(path()?)?, NewValue::Moved(id))
            }
            "test" => self.test(path()?, operation.value),
            "copy" => {
                let found = self.get(&self.place(from()?)?)?;
                let place = self.place(path()?)?;
                let Some(id) = found else { return self.add(&place, NewValue::Null) };
                self.copied += json::text(self.document.value(id), Layout::Compact).len();
                if self.copied > self.limit {
                    return Err(OperationError::CopiesTooLarge(self.limit));
                }
                self.add(&place, NewValue::CopyOfId(id))
            }
            unknown => Err(OperationError::Unknown(unknown.into())),
        }
    }

    fn add(&mut self, place: &PointerPlace<'_>, value: NewValue<'_>) -> Result<(), OperationError> {
        let PointerPlace { parent, step, .. } = place;
        let items = self.document.value(*parent).items().len();
        let added = match self.document.value(*parent).tag() {
            Tag::Array if &**step == "-" => self.document.push(*parent, value),
            Tag::Array => {
                // One more place than there are items.
                let at = position(step, items + 1).ok_or_else(|| place.no_index())?;
                self.document.insert_item(*parent, at, value)
            }
            _ => match self.document.value(*parent).get(step).map(Value::id) {
                Some(old) if !matches!(value, NewValue::CopyOfId(_)) => {
                    self.document.set(old, value)
                }
                _ => self.document.insert(*parent, step, value),
            },
        };
        added.map(|_| ()).ok_or_else(|| OperationError::Missing(place.path.into()))
    }

    fn replace(&mut self, path: &str, value: Option<Value<'_>>) -> Result<(), OperationError> {
        let value = value.map_or(NewValue::Null, NewValue::CopyOf);
        if path.is_empty() {
            let is_whole = matches!(value, NewValue::CopyOf(value) if value.is_container());
            let set = is_whole.then(|| self.document.set(NodeId::ROOT, value));
            return set.map(|_| ()).ok_or(OperationError::WholeValue);
        }
        let place = self.place(path)?;
        match self.get(&place)? {
            Some(id) => {
                self.document.set(id, value);
                Ok(())
            }
            None => self.add(&place, value),
        }
    }

    fn test(&self, path: &str, value: Option<Value<'_>>) -> Result<(), OperationError> {
        let found = match path {
            "" => Some(NodeId::ROOT),
            path => self.get(&self.place(path)?)?,
        };
        let found = found.map(|id| self.document.value(id)).filter(|found| !found.is_null());
        let is_same = match (found, value) {
            (Some(found), Some(value)) => found.is_identical(value),
            // `null` and a member that is not there are the same.
            (None, Some(value)) => value.is_null(),
            (_, None) => false,
        };
        is_same.then_some(()).ok_or_else(|| OperationError::TestFailed(path.into()))
    }

    /// What is at `place`; a member may be missing, an item may not.
    fn get(&self, place: &PointerPlace<'_>) -> Result<Option<NodeId>, OperationError> {
        let parent = self.document.value(place.parent);
        if parent.tag() != Tag::Array {
            return Ok(parent.get(&place.step).map(Value::id));
        }
        let item = position(&place.step, parent.items().len()).and_then(|at| parent.at(at));
        item.map(|item| Some(item.id())).ok_or_else(|| place.no_index())
    }

    fn removable(&self, place: &PointerPlace<'_>) -> Result<NodeId, OperationError> {
        self.get(place)?.ok_or_else(|| OperationError::Missing(place.path.into()))
    }

    /// The place that `path` names; its last step may lead nowhere.
    fn place<'p>(&self, path: &'p str) -> Result<PointerPlace<'p>, OperationError> {
        let missing = || OperationError::NoParent(path.into());
        let (way, step) = path.rsplit_once('/').ok_or_else(missing)?;
        let mut value = self.document.root();
        for step in way.split('/').skip(1).map(unescape) {
            let next = match value.tag() {
                Tag::Array => position(&step, value.items().len()).and_then(|at| value.at(at)),
                _ => value.get(&step),
            };
            value = next.filter(|next| next.is_container()).ok_or_else(missing)?;
        }
        Ok(PointerPlace { parent: value.id(), step: unescape(step), path })
    }
}

impl PointerPlace<'_> {
    fn no_index(&self) -> OperationError {
        OperationError::NoIndex(self.path.into())
    }
}

/// The position that a step names among `n` places; negative ones count from the end.
fn position(step: &str, n: usize) -> Option<usize> {
    let index: i64 = step.parse().ok()?;
    let at = if index < 0 { index.checked_add(i64::try_from(n).ok()?)? } else { index };
    usize::try_from(at).ok().filter(|at| *at < n)
}

fn unescape(step: &str) -> Cow<'_, str> {
    if step.contains('~') {
        // In this order, so that what comes of `~01` is not looked at again.
        Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(step)
    }
}
