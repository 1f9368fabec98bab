//! CEL rules on schemas: what `self` is, how a rule is compiled, and what it says about a value.
//!
//! [`Types`] describes a schema's values to the expression language, [`compile`] makes a program of a
//! rule and says what it costs at most, [`Evaluator`] runs the rules of a compiled schema and of
//! everything below it on a value.
//!
//! Upstream: `apiserver/pkg/cel/common/schemas.go`, `apiextensions-apiserver/pkg/apiserver/schema/cel`.

mod cache;
mod compile;
mod environments;
mod escape;
mod evaluate;
mod finding;
mod options;
pub(crate) mod shapes;
mod types;

pub use cache::Cache;
pub(crate) use compile::environment;
pub use compile::{Compiled, Expressions, Failure, Message, compile};
pub use environments::Environments;
pub use escape::escape;
pub use evaluate::Evaluator;
pub(crate) use options::RESOURCE_VARIABLES;
pub use options::RuleOptions;
pub use types::Types;

/// The largest request that the server takes, which bounds how often a rule can run.
pub const MAX_REQUEST_BYTES: u64 = 3_145_728;
