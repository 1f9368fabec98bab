//! What the macros with two variables expand to.

use super::no_overload;
use crate::cost::CostModel::One;
use crate::declare::{Definition, define};
use crate::eval::Evaluated;
use crate::value::{Data, Val};

/// Loops that insert run as a whole, so the function itself is never called.
pub(crate) const DEFINITIONS: &[Definition] = &[
    define("cel.@mapInsert(map(K, V), K, V) -> map(K, V)", One, insert),
    define("cel.@mapInsert(map(K, V), map(K, V)) -> map(K, V)", One, insert),
];

fn insert<'v>(_data: Data<'v>, _arguments: &[Val<'v>]) -> Evaluated<'v> {
    no_overload()
}
