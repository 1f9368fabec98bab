//! Calls of library functions.

use std::sync::Arc;

use super::{EvalError, Evaluated, Evaluation, soft};
use crate::declare::Overload;
use crate::plan::Call;
use crate::types::Type;
use crate::value::{Data, Opaque, Val};

impl<'v> Evaluation<'v> {
    pub(super) fn call(&mut self, call: &'v Call) -> Evaluated<'v> {
        let data = self.data;
        let mut values = smallvec::SmallVec::<[Val<'v>; 4]>::new();
        let mut sizes = smallvec::SmallVec::<[Option<Val<'v>>; 4]>::new();
        let mut failed = None;
        for &argument in &call.arguments {
            match soft(self.run(argument))? {
                Ok(value) => {
                    values.push(value);
                    sizes.push(Some(value));
                }
                // From three arguments on, the first error ends the call before it is charged.
                Err(error) if call.arguments.len() > 2 => return Err(error),
                Err(error) => {
                    sizes.push(None);
                    failed.get_or_insert(error);
                }
            }
        }
        // Charging first keeps a call that costs too much from running at all.
        let by_result = call.cost.depends_on_result();
        if !by_result {
            self.charge(call.cost.runtime(data, &sizes, None))?;
        }
        let result = match failed {
            Some(error) => Err(error),
            None => call_overload(data, &call.function, &call.candidates, &values),
        };
        if by_result {
            self.charge(call.cost.runtime(data, &sizes, result.as_ref().ok()))?;
        }
        result
    }
}

/// Calls the first overload that takes these values.
pub(crate) fn call_overload<'v>(
    data: Data<'v>,
    function: &str,
    candidates: &[Arc<Overload>],
    values: &[Val<'v>],
) -> Evaluated<'v> {
    let chosen = match candidates {
        [only] => Some(only),
        many => many.iter().find(|overload| {
            overload.arguments.len() == values.len()
                && overload.arguments.iter().zip(values).all(|(ty, value)| accepts(data, ty, value))
        }),
    };
    let outcome = match chosen {
        Some(overload) => (overload.run)(data, values),
        None => Err(EvalError::NoSuchOverload(None)),
    };
    outcome.map_err(|error| match error {
        EvalError::NoSuchOverload(None) if !function.starts_with(['_', '@', '!', '-']) => {
            let types: Vec<&str> = values.iter().map(Val::type_name).collect();
            EvalError::NoSuchOverload(Some(format!("{function}({})", types.join(", ")).into()))
        }
        other => other,
    })
}

/// Whether a value is of a declared type, as far as run time can tell: lists and maps by their first element.
fn accepts<'v>(data: Data<'v>, ty: &Type, value: &Val<'v>) -> bool {
    match (ty, value) {
        (Type::Dyn | Type::Any | Type::Param(_) | Type::Variable(_), _)
        | (Type::Null, Val::Null)
        | (Type::Bool, Val::Bool(_))
        | (Type::Int, Val::Int(_))
        | (Type::Uint, Val::Uint(_))
        | (Type::Double, Val::Double(_))
        | (Type::String, Val::String(_))
        | (Type::Bytes, Val::Bytes(_))
        | (Type::Duration, Val::Duration(_))
        | (Type::Timestamp, Val::Timestamp(_))
        | (Type::Type(_), Val::Type(_))
        | (Type::Map(_), Val::Map(_) | Val::Object(_)) => true,
        (Type::List(element), Val::List(list)) => match list.get(0, data) {
            Some(Ok(first)) => accepts(data, element, &first),
            _ => true,
        },
        (Type::Opaque(..), Val::Optional(_)) => ty.as_optional().is_some(),
        (Type::Opaque(name, _) | Type::Struct(name), Val::Opaque(opaque)) => {
            Opaque::type_name(opaque) == &**name
        }
        _ => false,
    }
}
