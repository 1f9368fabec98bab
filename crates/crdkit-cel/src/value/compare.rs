//! Order of values.

use std::cmp::Ordering;

use super::Val;
use crate::eval::EvalError;

/// The order of two values that have one; numbers compare across types.
pub(crate) fn compare(left: &Val<'_>, right: &Val<'_>) -> Result<Ordering, EvalError> {
    Ok(match (left, right) {
        (Val::Bool(a), Val::Bool(b)) => a.cmp(b),
        (Val::Int(a), Val::Int(b)) | (Val::Duration(a), Val::Duration(b)) => a.cmp(b),
        (Val::Uint(a), Val::Uint(b)) => a.cmp(b),
        (Val::Double(a), Val::Double(b)) => a.partial_cmp(b).ok_or(NOT_A_NUMBER)?,
        (Val::Int(a), Val::Uint(b)) => i128::from(*a).cmp(&i128::from(*b)),
        (Val::Uint(a), Val::Int(b)) => i128::from(*a).cmp(&i128::from(*b)),
        (Val::Int(a), Val::Double(b)) => integer_double(i128::from(*a), *b)?,
        (Val::Uint(a), Val::Double(b)) => integer_double(i128::from(*a), *b)?,
        (Val::Double(a), Val::Int(b)) => integer_double(i128::from(*b), *a)?.reverse(),
        (Val::Double(a), Val::Uint(b)) => integer_double(i128::from(*b), *a)?.reverse(),
        (Val::String(a), Val::String(b)) => a.cmp(b),
        (Val::Bytes(a), Val::Bytes(b)) => a.cmp(b),
        (Val::Timestamp(a), Val::Timestamp(b)) => {
            (a.seconds, a.nanoseconds).cmp(&(b.seconds, b.nanoseconds))
        }
        _ => return Err(EvalError::NoSuchOverload(None)),
    })
}

const NOT_A_NUMBER: EvalError =
    EvalError::Message(std::borrow::Cow::Borrowed("NaN values cannot be ordered"));

/// Compares like cel-go: out of the integers' range the answer is clear, inside it the integer is converted.
#[expect(clippy::cast_precision_loss, reason = "both sides are compared as doubles")]
fn integer_double(integer: i128, double: f64) -> Result<Ordering, EvalError> {
    if double.is_nan() {
        return Err(NOT_A_NUMBER);
    }
    (integer as f64).partial_cmp(&double).ok_or(NOT_A_NUMBER)
}
