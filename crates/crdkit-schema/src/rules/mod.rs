//! CEL rules on schemas: what `self` is, how a rule is compiled, and what it says about a value.
//!
//! `Types` describes a schema's values to the expression language, `compile` makes a program of a
//! rule and says what it costs at most, [`Evaluator`] runs the rules of a compiled schema and of
//! everything below it on a value. All that needs `crdkit-cel` is there with the feature `cel`; a program may bring a
//! [`RuleEngine`] of its own instead.
//!
//! Upstream: `apiserver/pkg/cel/common/schemas.go`, `apiextensions-apiserver/pkg/apiserver/schema/cel`.

mod engine;
mod evaluate;
mod finding;
mod options;
mod own;
mod walk;

#[cfg(feature = "cel")]
mod cache;
#[cfg(feature = "cel")]
mod cel;
#[cfg(feature = "cel")]
mod compile;
#[cfg(feature = "cel")]
mod environments;
#[cfg(feature = "cel")]
mod escape;
#[cfg(feature = "cel")]
pub(crate) mod shapes;
#[cfg(feature = "cel")]
mod types;

pub use engine::{
    RuleAnswer, RuleBudget, RuleEngine, RuleProgram, RuleStop, RuleVariables, SharedEngine,
};
pub use evaluate::Evaluator;
pub use options::RuleOptions;
pub use own::OwnRules;

#[cfg(feature = "cel")]
pub use cache::Cache;
#[cfg(feature = "cel")]
pub(crate) use compile::environment;
#[cfg(feature = "cel")]
pub use compile::{Compiled, Expressions, Failure, MessageExpression, compile};
#[cfg(feature = "cel")]
pub use environments::Environments;
#[cfg(feature = "cel")]
pub use escape::escape;
#[cfg(feature = "cel")]
pub(crate) use options::RESOURCE_VARIABLES;
#[cfg(feature = "cel")]
pub use types::Types;

/// The largest request that the server takes, which bounds how often a rule can run.
pub const MAX_REQUEST_BYTES: u64 = 3_145_728;

/// The compatibility version of the server that this follows: one before its own.
const DEFAULT_VERSION: u32 = 36;

/// The compatibility version of the server that this process follows.
pub(crate) fn followed_version() -> u32 {
    #[cfg(feature = "cel")]
    return Environments::shared().version;
    #[cfg(not(feature = "cel"))]
    return DEFAULT_VERSION;
}
