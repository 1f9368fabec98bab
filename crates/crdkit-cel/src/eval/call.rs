//! Calls of library functions.

use std::sync::Arc;

use super::{EvalError, Evaluated, Evaluation, soft};
use crate::ast::operator;
use crate::cost::CostModel;
use crate::declare::Overload;
use crate::plan::Call;
use crate::types::Type;
use crate::value::{Data, Opaque, Val};

impl<'v> Evaluation<'v> {
    #[inline(never)]
    pub(super) fn call(&mut self, call: &'v Call) -> Evaluated<'v> {
        let data = self.data;
        let mut values = smallvec::SmallVec::<[Val<'v>; 4]>::new();
        let mut sizes = smallvec::SmallVec::<[Option<Val<'v>>; 4]>::new();
        let mut failed = None;
        let last = call.arguments.len().saturating_sub(1);
        for (index, &argument) in call.arguments.iter().enumerate() {
            match soft(self.run(argument))? {
                Ok(value) => {
                    values.push(value);
                    sizes.push(Some(value));
                }
                // From three arguments on, an error ends the call; it is charged only if nothing was left to evaluate.
                Err(error) if last > 1 && index < last => return Err(error),
                Err(error) => {
                    sizes.push(None);
                    failed.get_or_insert(error);
                }
            }
        }
        if call.cost.needs_list(&sizes) {
            return Err(EvalError::Internal(
                "interface conversion: *types.Err is not traits.Lister: missing method Add",
            ));
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
        // What is too large to be made costs too much.
        if let Err(EvalError::CostLimit) = result {
            self.cost = self.limits.cost.saturating_add(1);
            return result;
        }
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
    let chosen = candidates.iter().find(|overload| {
        // Sorting looks at its elements itself.
        matches!(overload.cost, CostModel::Sort { .. })
            || overload.arguments.len() == values.len()
                && overload.arguments.iter().zip(values).all(|(ty, value)| accepts(data, ty, value))
    });
    match chosen {
        Some(overload) => (overload.run)(data, values),
        None => Err(no_such_overload(function, values)),
    }
}

/// The error for values no overload takes. Operators and a few functions leave it to their first operand; what they say
/// depends on whether that operand knows the operation at all.
pub(super) fn no_such_overload(function: &str, values: &[Val<'_>]) -> EvalError {
    let first = values.first().unwrap_or(&Val::Null);
    let known = match function {
        "contains" | "startsWith" | "endsWith" | operator::IN => true,
        operator::ADD => matches!(
            first,
            Val::Int(_)
                | Val::Uint(_)
                | Val::Double(_)
                | Val::String(_)
                | Val::Bytes(_)
                | Val::Duration(_)
                | Val::Timestamp(_)
                | Val::List(_)
        ),
        operator::SUBTRACT => matches!(
            first,
            Val::Int(_) | Val::Uint(_) | Val::Double(_) | Val::Duration(_) | Val::Timestamp(_)
        ),
        operator::MULTIPLY | operator::DIVIDE => {
            matches!(first, Val::Int(_) | Val::Uint(_) | Val::Double(_))
        }
        operator::MODULO => matches!(first, Val::Int(_) | Val::Uint(_)),
        operator::NEGATE => {
            matches!(first, Val::Int(_) | Val::Double(_) | Val::Duration(_) | Val::Bool(_))
        }
        operator::LESS | operator::LESS_EQUALS | operator::GREATER | operator::GREATER_EQUALS => {
            !matches!(
                first,
                Val::Null
                    | Val::Type(_)
                    | Val::List(_)
                    | Val::Map(_)
                    | Val::Optional(_)
                    | Val::Opaque(_)
                    | Val::Object(_)
            )
        }
        "matches" => matches!(first, Val::String(_)),
        "size" => false,
        _ => {
            let types: Vec<&str> = values.iter().map(Val::type_name).collect();
            return EvalError::NoSuchOverload(Some(
                format!("{function}({})", types.join(", ")).into(),
            ));
        }
    };
    // These three answer for every operation they do not know.
    let answers = matches!(first, Val::String(_) | Val::Timestamp(_) | Val::Duration(_));
    EvalError::NoSuchOverload((!known && !answers).then(|| function.into()))
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
        // Flattening takes lists of anything.
        (Type::List(element), Val::List(_)) if matches!(**element, Type::List(_)) => true,
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
