//! What expressions of admission see: `object`, `oldObject`, `request`, `params`, `namespaceObject` and `variables`.
//!
//! Objects are of no declared type, so what they lack is an error where it is read, not where it is written down. A variable
//! is evaluated once, before the expressions that name it; its error is theirs only if they read it.

use crdkit_cel::{
    Arena, Binding, Env, EvalError, Limits, Program, Purpose, Shape, ShapeId, ShapeKind, Shapes,
    Type, Val,
};
use crdkit_value::{Document, Value};
use std::cell::OnceCell;
use std::sync::{Arc, LazyLock};

/// The version whose language expressions may use.
const MINOR: u32 = 37;

struct Basis {
    env: Env,
    shape: ShapeId,
}

static BASIS: LazyLock<Basis> = LazyLock::new(|| {
    let mut shapes = Shapes::default();
    let shape =
        shapes.add(Shape { kind: ShapeKind::Dynamic, nullable: true, max_elements: u64::MAX });
    let env = Env::kubernetes(MINOR, Purpose::Stored).shapes(Arc::new(shapes));
    let names = ["object", "oldObject", "request", "params", "namespaceObject"];
    let env = names.into_iter().fold(env, |env, name| env.variable(name, Type::Dyn)).build();
    Basis { env, shape }
});

/// An expression that is ready to run, or what is wrong with it.
#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) text: Box<str>,
    program: Result<Program, String>,
}

/// Compiles expressions, which may name the variables before them.
#[derive(Debug)]
pub(crate) struct Compiler {
    env: Env,
}

impl Default for Compiler {
    fn default() -> Self {
        Self { env: BASIS.env.clone() }
    }
}

impl Compiler {
    pub(crate) fn compile(&self, text: &str) -> Expression {
        self.compile_typed(text).0
    }

    /// Compiles a variable, which the expressions after it see as `variables.NAME`.
    pub(crate) fn variable(&mut self, name: &str, text: &str) -> Expression {
        let (expression, kind) = self.compile_typed(text);
        self.env = self.env.extend().variable(&format!("{PREFIX}{name}"), kind).build();
        expression
    }

    fn compile_typed(&self, text: &str) -> (Expression, Type) {
        let checked = self.env.compile(text).map_err(|errors| errors.to_string());
        let kind = checked.as_ref().map_or(Type::Dyn, |checked| checked.result_type().clone());
        let program = checked
            .and_then(|checked| self.env.plan(&checked).map_err(|problem| problem.to_string()));
        (Expression { text: text.into(), program }, kind)
    }
}

const PREFIX: &str = "variables.";

/// What expressions are evaluated with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inputs<'v> {
    pub(crate) object: Value<'v>,
    pub(crate) old_object: Value<'v>,
    pub(crate) request: Value<'v>,
    pub(crate) params: Value<'v>,
    pub(crate) namespace_object: Value<'v>,
    /// Names of variables, and values of those that are known.
    pub(crate) variables: &'v [Variable<'v>],
}

/// A variable, and its value once that is known.
pub(crate) type Variable<'v> = (&'v str, OnceCell<Result<Val<'v>, EvalError>>);

impl<'v> Inputs<'v> {
    /// Inputs with nothing but `null`.
    pub(crate) fn new(null: &'v Document) -> Self {
        let null = null.root();
        Self {
            object: null,
            old_object: null,
            request: null,
            params: null,
            namespace_object: null,
            variables: &[],
        }
    }

    fn bind(&self, name: &str) -> Option<Binding<'v>> {
        if let Some(name) = name.strip_prefix(PREFIX) {
            let (_, value) = self.variables.iter().find(|(known, _)| *known == name)?;
            return Some(match value.get()? {
                Ok(value) => Binding::Value(*value),
                Err(error) => Binding::Failed(error),
            });
        }
        let value = match name {
            "object" => self.object,
            "oldObject" => self.old_object,
            "request" => self.request,
            "params" => self.params,
            "namespaceObject" => self.namespace_object,
            _ => return None,
        };
        Some(Binding::Document(value, BASIS.shape))
    }
}

impl Expression {
    /// Its value.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn evaluate<'v>(
        &'v self,
        arena: &'v Arena,
        inputs: &Inputs<'v>,
    ) -> Result<Val<'v>, EvalError> {
        match &self.program {
            Ok(program) => {
                program.evaluate(arena, |name| inputs.bind(name), Limits::default()).result
            }
            Err(problem) => Err(EvalError::Message(format!("compilation error: {problem}").into())),
        }
    }

    /// Whether it is true.
    ///
    /// # Errors
    /// The server's words about an error, or about a value that is neither true nor false.
    pub(crate) fn test<'v>(
        &'v self,
        arena: &'v Arena,
        inputs: &Inputs<'v>,
    ) -> Result<bool, String> {
        match self.evaluate(arena, inputs) {
            Ok(Val::Bool(holds)) => Ok(holds),
            Ok(_) => Err(format!("cel expression '{}' does not evaluate to bool", self.text)),
            Err(problem) => Err(format!("expression '{}' resulted in error: {problem}", self.text)),
        }
    }
}
