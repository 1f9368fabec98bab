//! CEL as Kubernetes runs it.
//!
//! Text goes through stages, one module each: `lex` → `parse` (with `macros`) → `check` → `cost` (before running) →
//! `plan` → `eval`. `library` holds the functions, `value` what they work on. The crate knows nothing of CRDs or
//! OpenAPI: types, variables and the reading of documents come from its caller through [`Env`] and [`Shapes`].
//!
//! ```
//! use crdkit_cel::{Arena, Binding, Env, Library, Limits, Type, Val};
//!
//! let env = Env::standard(&[Library::Strings(2)]).variable("name", Type::String).build();
//! let checked = env.compile("name.upperAscii().startsWith('W')")?;
//! let program = env.plan(&checked)?;
//!
//! let arena = Arena::new();
//! let outcome = program.evaluate(&arena, |_| Some(Binding::Value(Val::String("web"))), Limits::default());
//! assert!(matches!(outcome.result, Ok(Val::Bool(true))));
//! assert_eq!(outcome.cost, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod ast;
mod check;
mod cost;
mod declare;
mod env;
mod error;
mod eval;
mod lex;
mod library;
mod macros;
mod parse;
mod plan;
mod shape;
mod source;
mod types;
mod value;

pub use check::Checked;
pub use cost::Range;
pub use env::{Env, EnvBuilder, Minor, Purpose};
pub use error::{CompileError, CompileErrors};
pub use eval::{Binding, CelOutcome, EvalError, Later, Limits};
pub use library::Library;
pub use library::authorizer::{
    AuthorizationCheck, AuthorizationDecision, AuthorizationTarget, Authorize, Authorizer,
    ResourceTarget,
};
pub use plan::{PlanError, Program, Read};
pub use shape::{Field, ListKind, Shape, ShapeId, ShapeKind, Shapes, escape_reserved};
pub use source::{Location, Position, locate};
pub use types::Type;
pub use value::{Arena, Constant, List, Map, Opaque, ShapedValue, Val};
