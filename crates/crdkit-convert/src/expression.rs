//! Expressions of rules: `self` is the value that is converted, `object` the whole object as it is by then.

use crate::ConvertError;
use crdkit_cel::{
    Arena, Binding, Env, Limits, Program, Purpose, Shape, ShapeId, ShapeKind, Shapes, Type, Val,
};
use crdkit_value::{Document, Event, Value, Writer};
use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};

/// The version whose language expressions may use.
const MINOR: u32 = 37;

static LANGUAGE: LazyLock<(Env, ShapeId)> = LazyLock::new(|| {
    let mut shapes = Shapes::default();
    let shape =
        shapes.add(Shape { kind: ShapeKind::Dynamic, nullable: true, max_elements: u64::MAX });
    let env = Env::kubernetes(MINOR, Purpose::Stored).shapes(Arc::new(shapes));
    (env.variable("self", Type::Dyn).variable("object", Type::Dyn).build(), shape)
});

/// An expression that is ready to run.
#[derive(Debug)]
pub(crate) struct Expression {
    text: Box<str>,
    program: Program,
}

impl Expression {
    /// Compiles an expression, or says what is wrong with it.
    pub(crate) fn compile(text: &str) -> Result<Self, String> {
        let (env, _) = &*LANGUAGE;
        let checked = env.compile(text).map_err(|errors| errors.to_string())?;
        let program = env.plan(&checked).map_err(|problem| problem.to_string())?;
        Ok(Self { text: text.into(), program })
    }

    /// Its value; none for null.
    pub(crate) fn evaluate(
        &self,
        value: Value<'_>,
        object: &Document,
    ) -> Result<Option<Document>, ConvertError> {
        let arena = Arena::new();
        let bind = |name: &str| match name {
            "self" => Some(Binding::Document(value, LANGUAGE.1)),
            "object" => Some(Binding::Document(object.root(), LANGUAGE.1)),
            _ => None,
        };
        let result = self.program.evaluate(&arena, bind, Limits::default()).result;
        let made = result
            .map_err(|problem| ConvertError(format!("expression '{}': {problem}", self.text)))?;
        if matches!(made, Val::Null) {
            return Ok(None);
        }
        let mut writer = Writer::new();
        let _ = self.program.events(&arena, &made, |event: Event<'_>| {
            writer.event(event);
            ControlFlow::<()>::Continue(())
        });
        Ok(Some(writer.finish()).filter(|made| !made.root().is_null()))
    }
}
