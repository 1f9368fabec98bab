//! What schemas may ask beyond the API server's keywords.
//!
//! The validator asks [`Keywords`] first about each value; what they do not decide, the server's semantics
//! do. Those of CRDs are [`ServerKeywords`], which decide nothing and cost nothing.

use super::{Position, Validator};
use crate::compile::Id;
use crdkit_value::Value;
use std::convert::Infallible;
use std::fmt;

/// Keywords that the API server does not have.
pub trait Keywords<'t>: Sized {
    /// What only these keywords can find.
    type Problem: Copy + fmt::Debug + PartialEq;

    /// Whether a scalar that a schema accepts by its type alone need not be checked.
    const PLAIN: bool;

    /// Checks `value` and gives the match count, or leaves it to the server's semantics.
    fn check(
        validator: &mut Validator<'t, Self>,
        schema: Id,
        value: Value<'_>,
        position: Position,
    ) -> Option<u32>;
}

/// No keywords beyond the server's.
#[derive(Clone, Copy, Debug, Default)]
pub struct ServerKeywords;

impl<'t> Keywords<'t> for ServerKeywords {
    type Problem = Infallible;

    const PLAIN: bool = true;

    #[inline]
    fn check(_: &mut Validator<'t, Self>, _: Id, _: Value<'_>, _: Position) -> Option<u32> {
        None
    }
}
