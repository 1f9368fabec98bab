//! `matchConditions`: expressions that must all be true for a request to be of concern.
//!
//! One that is false settles it, whatever went wrong in others; otherwise an error is for the failure policy.

use crdkit_cel::{
    Arena, Binding, Env, Limits, Program, Purpose, Shape, ShapeId, ShapeKind, Shapes, Type, Val,
};
use crdkit_value::{Document, Value};
use std::sync::{Arc, LazyLock};

/// Expressions that must all be true.
#[derive(Debug, Default)]
pub struct MatchConditions(Box<[Condition]>);

#[derive(Debug)]
struct Condition {
    expression: Box<str>,
    /// Or what is wrong with the expression.
    program: Result<Program, String>,
}

/// What went wrong in conditions none of which is false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionError(pub String);

/// What expressions see, whatever its type.
struct Environment {
    env: Env,
    shape: ShapeId,
}

/// The version whose language expressions may use.
const MINOR: u32 = 37;

static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(|| {
    let mut shapes = Shapes::default();
    let shape = shapes.add(Shape { kind: ShapeKind::Dynamic, nullable: true, max_elements: u64::MAX });
    let env = Env::kubernetes(MINOR, Purpose::Stored).shapes(Arc::new(shapes));
    let names = ["object", "oldObject", "request"];
    let env = names.into_iter().fold(env, |env, name| env.variable(name, Type::Dyn)).build();
    Environment { env, shape }
});

impl MatchConditions {
    /// The conditions in `value`, a list of names with expressions.
    pub fn read(value: Option<Value<'_>>) -> Self {
        let expressions = value.into_iter().flat_map(Value::items);
        let expressions = expressions.filter_map(|item| item.get("expression")?.as_str());
        let conditions = expressions.map(|expression| {
            let Environment { env, .. } = &*ENVIRONMENT;
            let checked = env.compile(expression).map_err(|errors| errors.to_string());
            let program = checked.and_then(|checked| env.plan(&checked).map_err(|it| it.to_string()));
            Condition { expression: expression.into(), program }
        });
        Self(conditions.collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all of them are true.
    ///
    /// # Errors
    /// None is false and some could not be evaluated.
    pub fn hold(
        &self,
        request: &Document,
        object: Option<&Document>,
        old_object: Option<&Document>,
    ) -> Result<bool, ConditionError> {
        let null = Document::null();
        let mut errors = Vec::new();
        for Condition { expression, program } in &self.0 {
            let program = match program {
                Ok(program) => program,
                Err(problem) => {
                    errors.push(format!("compilation error: {problem}"));
                    continue;
                }
            };
            let bind = |name: &str| {
                let document = match name {
                    "object" => object.unwrap_or(&null),
                    "oldObject" => old_object.unwrap_or(&null),
                    _ => request,
                };
                Some(Binding::Document(document.root(), ENVIRONMENT.shape))
            };
            let arena = Arena::new();
            match program.evaluate(&arena, bind, Limits::default()).result {
                Ok(Val::Bool(true)) => {}
                Ok(Val::Bool(false)) => return Ok(false),
                Ok(_) => errors.push(format!("cel expression '{expression}' does not evaluate to bool")),
                Err(problem) => {
                    errors.push(format!("expression '{expression}' resulted in error: {problem}"));
                }
            }
        }
        match errors.as_slice() {
            [] => Ok(true),
            [one] => Err(ConditionError(one.clone())),
            several => Err(ConditionError(format!("[{}]", several.join(", ")))),
        }
    }
}
