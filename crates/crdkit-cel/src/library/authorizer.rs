//! Authorization checks.
//!
//! Declared, because the names count in what an expression may call; no value of these types ever reaches an expression,
//! so nothing runs.

use super::no_overload;
use crate::cost::CostModel::One;
use crate::declare::{Definition, define};
use crate::eval::Evaluated;
use crate::value::{Data, Val};

pub(crate) const DEFINITIONS: &[Definition] = &[
    define(
        "kubernetes.authorization.Authorizer.path(string) -> kubernetes.authorization.PathCheck",
        One,
        unreachable,
    ),
    define(
        "kubernetes.authorization.Authorizer.group(string) -> kubernetes.authorization.GroupCheck",
        One,
        unreachable,
    ),
    define(
        "kubernetes.authorization.Authorizer.serviceAccount(string, string) -> kubernetes.authorization.Authorizer",
        One,
        unreachable,
    ),
    define(
        "kubernetes.authorization.GroupCheck.resource(string) -> kubernetes.authorization.ResourceCheck",
        One,
        unreachable,
    ),
    define(
        "kubernetes.authorization.ResourceCheck.subresource(string) -> kubernetes.authorization.ResourceCheck",
        One,
        unreachable,
    ),
    define(
        "kubernetes.authorization.ResourceCheck.namespace(string) -> kubernetes.authorization.ResourceCheck",
        One,
        unreachable,
    ),
    define(
        "kubernetes.authorization.ResourceCheck.name(string) -> kubernetes.authorization.ResourceCheck",
        One,
        unreachable,
    ),
    define(
        "kubernetes.authorization.PathCheck.check(string) -> kubernetes.authorization.Decision",
        One,
        unreachable,
    ),
    define(
        "kubernetes.authorization.ResourceCheck.check(string) -> kubernetes.authorization.Decision",
        One,
        unreachable,
    ),
    define("kubernetes.authorization.Decision.errored() -> bool", One, unreachable),
    define("kubernetes.authorization.Decision.error() -> string", One, unreachable),
    define("kubernetes.authorization.Decision.allowed() -> bool", One, unreachable),
    define("kubernetes.authorization.Decision.reason() -> string", One, unreachable),
];

pub(crate) const SELECTORS: &[Definition] = &[
    define(
        "kubernetes.authorization.ResourceCheck.fieldSelector(string) -> kubernetes.authorization.ResourceCheck",
        One,
        unreachable,
    ),
    define(
        "kubernetes.authorization.ResourceCheck.labelSelector(string) -> kubernetes.authorization.ResourceCheck",
        One,
        unreachable,
    ),
];

fn unreachable<'v>(_data: Data<'v>, _arguments: &[Val<'v>]) -> Evaluated<'v> {
    no_overload()
}
