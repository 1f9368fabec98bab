//! Chains of selections and indexes.

use super::truth::Truth;
use super::{EvalError, Evaluated, Evaluation, Local, Variable, soft};
use crate::cost::SELECT;
use crate::plan::{Attribute, Base, KnownMember, PlanStep, Qualifier, StepId};
use crate::shape::{ShapeKind, escape_reserved, find_field};
use crate::value::{Data, ShapedValue, Val, member_at, read};

impl<'v> Evaluation<'v> {
    /// Resolves a chain. Where a chain is a branch or an index of another one, its base is not charged.
    pub(super) fn attribute(
        &mut self,
        attribute: &'v Attribute,
        charge_base: bool,
    ) -> Evaluated<'v> {
        if attribute.direct
            && let Some(result) = self.direct(attribute, charge_base)
        {
            return result;
        }
        let result = soft(self.resolve(attribute))?;
        if charge_base && !attribute.test_only && !matches!(attribute.base, Base::Conditional(..)) {
            self.charge(SELECT)?;
        }
        result
    }

    /// Follows a chain of known members through the document without looking at what lies between. Nothing if the
    /// document is not what the shapes say.
    #[inline]
    fn direct(&mut self, attribute: &'v Attribute, charge_base: bool) -> Option<Evaluated<'v>> {
        let node = match attribute.base {
            Base::Local(slot) => match self.locals.get(slot as usize)? {
                Local::Value(Val::Object(node)) => *node,
                _ => return None,
            },
            Base::Variable(slot) => match self.variables.get(slot as usize)? {
                Variable::Read(Ok(Val::Object(node))) => *node,
                _ => return None,
            },
            _ => return None,
        };
        let base = u64::from(charge_base && !attribute.test_only);
        let (mut value, mut shape) = (node.value(), node.shape);
        let mut steps = attribute.qualifiers.iter();
        let mut charged = base;
        while let Some(Qualifier::Field { name, known: Some(known), .. }) = steps.next() {
            if known.object != shape || value.as_object().is_none() {
                return None;
            }
            charged += SELECT;
            let last = steps.len() == 0;
            match member_at(self.data, value, &known.key).filter(|value| !value.is_null()) {
                Some(next) => (value, shape) = (next, known.shape),
                None if last && attribute.test_only => {
                    return Some(self.charge_steps(charged).map(|()| Val::Bool(false)));
                }
                None => {
                    let missing = EvalError::NoSuchKey((**name).into());
                    return Some(self.charge_steps(charged).and(Err(missing)));
                }
            }
        }
        if let Err(limit) = self.charge_steps(charged) {
            return Some(Err(limit));
        }
        let found = read(self.data, value, shape);
        Some(if attribute.test_only { found.map(|_| Val::Bool(true)) } else { found })
    }

    /// A step whose base, if it is a chain, is not charged.
    fn run_uncharged(&mut self, id: StepId) -> Evaluated<'v> {
        match self.program.step(id) {
            Some(PlanStep::Attribute(attribute)) => self.attribute(attribute, false),
            _ => self.run(id),
        }
    }

    fn base(&mut self, base: &'v Base) -> Evaluated<'v> {
        match base {
            Base::Variable(slot) => match self.variables.get(*slot as usize) {
                Some(Variable::Read(value)) => value.clone(),
                Some(Variable::Later(later)) => {
                    let value = self.data.arena.aside(|| later.value());
                    if let Some(place) = self.variables.get_mut(*slot as usize) {
                        *place = Variable::Read(value.clone());
                    }
                    value
                }
                Some(Variable::Unknown) | None => {
                    let name =
                        self.program.variables.get(*slot as usize).map_or("", |name| &**name);
                    Err(EvalError::message(format!("no such attribute(s): {name}")))
                }
            },
            Base::Local(slot) => self.local(*slot),
            Base::Conditional(condition, yes, no) => match self.truth(*condition) {
                Truth::True => self.run_uncharged(*yes),
                Truth::False => self.run_uncharged(*no),
                Truth::Failed => Err(self.take_failure()),
            },
            Base::Value(step) => self.run(*step),
            Base::Unknown(name) => Err(EvalError::message(format!("no such attribute(s): {name}"))),
        }
    }

    fn local(&mut self, slot: u32) -> Evaluated<'v> {
        match self.locals.get(slot as usize) {
            Some(Local::Value(value)) => Ok(*value),
            Some(Local::Error(error)) => Err(error.clone()),
            Some(Local::Lazy(step)) => {
                let step = *step;
                // Its own loops use the slots of the loops that are running where it is first read.
                let running = self.locals.clone();
                let value = soft(self.run(step))?;
                self.locals = running;
                self.set_local(slot, value.clone().map_or_else(Local::Error, Local::Value));
                value
            }
            None => Err(EvalError::fixed("invalid program")),
        }
    }

    fn resolve(&mut self, attribute: &'v Attribute) -> Evaluated<'v> {
        let mut value = match &attribute.base {
            // What most chains start from, without a detour.
            Base::Local(slot)
                if let Some(Local::Value(value)) = self.locals.get(*slot as usize) =>
            {
                *value
            }
            base => self.base(base)?,
        };
        let [first @ .., last] = attribute.qualifiers.as_slice() else {
            return Ok(value);
        };
        let mut optional = false;
        if let Val::Optional(inner) = value {
            match inner {
                Some(inner) => value = *inner,
                None if attribute.test_only => return Ok(Val::Bool(false)),
                None => return Ok(value),
            }
            optional = true;
        }
        for qualifier in first {
            match self.qualify(value, qualifier, &mut optional)? {
                Some(next) => value = next,
                None if attribute.test_only => return Ok(Val::Bool(false)),
                None => return Ok(Val::Optional(None)),
            }
        }
        if attribute.test_only {
            return self.test(value, last);
        }
        match self.qualify(value, last, &mut optional)? {
            Some(value) if optional => Ok(self.data.arena.some(value)),
            Some(value) => Ok(value),
            None => Ok(Val::Optional(None)),
        }
    }

    /// One step; nothing if it is optional and not there.
    fn qualify(
        &mut self,
        value: Val<'v>,
        qualifier: &'v Qualifier,
        optional: &mut bool,
    ) -> Result<Option<Val<'v>>, EvalError> {
        let data = self.data;
        let found = match qualifier {
            Qualifier::Field { name, known, optional: asked } => {
                *optional |= asked;
                field(data, value, name, known.as_ref())
            }
            Qualifier::Constant { key, optional: asked } => {
                *optional |= asked;
                element(data, value, key.value(data))
            }
            Qualifier::Computed { key, optional: asked } => {
                *optional |= asked;
                match soft(self.run_uncharged(*key))? {
                    Ok(Val::Null) => Err(EvalError::fixed("invalid qualifier type: types.Null")),
                    Ok(key) => element(data, value, key),
                    Err(error) => Err(error),
                }
            }
        };
        match found {
            Ok(None) if *optional => Ok(None),
            Ok(None) => {
                self.charge(SELECT)?;
                let missing = match qualifier {
                    Qualifier::Field { name, .. } => EvalError::NoSuchKey((**name).into()),
                    Qualifier::Constant { key, .. } => missing(&value, &key.value(data)),
                    // Reading the key again would charge for it again.
                    Qualifier::Computed { key, .. } => {
                        let cost = self.cost;
                        let key = self.run_uncharged(*key);
                        self.cost = cost;
                        missing(&value, &key?)
                    }
                };
                Err(missing)
            }
            Ok(Some(value)) => {
                self.charge(SELECT)?;
                Ok(Some(value))
            }
            Err(error) => {
                if !*optional {
                    self.charge(SELECT)?;
                }
                Err(error)
            }
        }
    }

    /// Whether the last step of `has(…)` is there.
    fn test(&mut self, value: Val<'v>, qualifier: &'v Qualifier) -> Evaluated<'v> {
        self.charge(SELECT)?;
        let Qualifier::Field { name, known, .. } = qualifier else {
            return Err(EvalError::fixed("invalid argument to has() macro"));
        };
        Ok(Val::Bool(match value {
            Val::Map(map) => match map.get(&Val::String(name), self.data) {
                Some(found) => {
                    found?;
                    true
                }
                None => false,
            },
            Val::Object(node) => match member(self.data, node, name, known.as_ref()) {
                Some(found) => {
                    found?;
                    true
                }
                None => false,
            },
            Val::Optional(Some(inner)) => field(self.data, *inner, name, known.as_ref())?.is_some(),
            _ => false,
        }))
    }
}

/// A member of an object; null members are not there.
fn member<'v>(
    data: Data<'v>,
    node: ShapedValue<'v>,
    name: &str,
    known: Option<&'v KnownMember>,
) -> Option<Evaluated<'v>> {
    let (key, shape) = match known {
        Some(known) if known.object == node.shape => (&*known.key, known.shape),
        _ => {
            let ShapeKind::Object { fields, .. } = &data.shape(node.shape).kind else {
                return None;
            };
            let found = find_field(fields, name)
                .or_else(|| find_field(fields, escape_reserved(name).as_deref()?))?;
            (&*found.key, found.shape)
        }
    };
    let value = member_at(data, node.value(), key).filter(|value| !value.is_null())?;
    Some(read(data, value, shape))
}

fn field<'v>(
    data: Data<'v>,
    value: Val<'v>,
    name: &'v str,
    known: Option<&'v KnownMember>,
) -> Result<Option<Val<'v>>, EvalError> {
    match value {
        Val::Object(node) => member(data, node, name, known).transpose(),
        Val::Map(map) => map.get(&Val::String(name), data).transpose(),
        Val::List(_) => Err(EvalError::fixed("unsupported index type 'string' in list")),
        _ => Ok(None),
    }
}

fn element<'v>(data: Data<'v>, value: Val<'v>, key: Val<'v>) -> Result<Option<Val<'v>>, EvalError> {
    match value {
        Val::List(list) => match index(&key)? {
            Some(index) => list.get(index, data).transpose(),
            None => Ok(None),
        },
        Val::Map(map) => map.get(&key, data).transpose(),
        Val::Object(node) => match key {
            Val::String(name) => member(data, node, name, None).transpose(),
            _ => Err(EvalError::NoSuchOverload(None)),
        },
        _ => Ok(None),
    }
}

/// A list index from any number that is one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "checked to be exact"
)]
fn index(key: &Val<'_>) -> Result<Option<usize>, EvalError> {
    match key {
        Val::Int(index) => Ok(usize::try_from(*index).ok()),
        Val::Uint(index) => Ok(usize::try_from(*index).ok()),
        Val::Double(index) if (*index as i64) as f64 == *index => {
            Ok(usize::try_from(*index as i64).ok())
        }
        Val::Double(index) => {
            Err(EvalError::message(format!("unsupported index value {index} in list")))
        }
        other => Err(EvalError::message(format!(
            "unsupported index type '{}' in list",
            other.type_name()
        ))),
    }
}

/// The error for a key or index that is not there.
fn missing(container: &Val<'_>, key: &Val<'_>) -> EvalError {
    let text = crate::library::convert::text_of(key);
    match container {
        Val::List(_) => EvalError::message(format!("index out of bounds: {text}")),
        _ => EvalError::NoSuchKey(text.into()),
    }
}
