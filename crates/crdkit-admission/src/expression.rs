//! What expressions of admission see: `object`, `oldObject`, `request`, `params`, `namespaceObject`, `authorizer` and
//! `variables`; expressions that change objects also make `Object` and `JSONPatch`.
//!
//! Objects are of no declared type, so what they lack is an error where it is read, not where it is written down. How they are
//! evaluated, and what they may cost, is the matter of `evaluate`.

use crate::literal;
use crate::reads;
use crate::types;
use crdkit_cel::{
    Binding, Checked, Env, Field, Library, Program, Purpose, Shape, ShapeId, ShapeKind, Shapes,
    Type,
};
use crdkit_value::Value;
use std::sync::{Arc, LazyLock};

/// The version whose language expressions may use.
const MINOR: u32 = 37;

/// The type of objects that expressions make.
pub(crate) const OBJECT: &str = "Object";
/// The type of steps of patches that expressions make.
pub(crate) const JSON_PATCH: &str = "JSONPatch";

pub(crate) const AUTHORIZER: &str = "authorizer";
pub(crate) const REQUEST_RESOURCE: &str = "authorizer.requestResource";

struct Basis {
    judging: Env,
    mutating: Env,
    shapes: Arc<Shapes>,
    /// Of objects and parameters.
    shape: ShapeId,
    request: ShapeId,
    namespace: ShapeId,
}

static BASIS: LazyLock<Basis> = LazyLock::new(|| {
    let mut shapes = Shapes::default();
    let mut plain = |kind| shapes.add(Shape { kind, nullable: true, max_elements: u64::MAX });
    let (shape, text) = (plain(ShapeKind::Dynamic), plain(ShapeKind::String));
    let fields = [("op", text), ("path", text), ("from", text), ("value", shape)];
    let fields =
        fields.map(|(name, shape)| Field { name: name.into(), key: name.into(), shape }).to_vec();
    plain(ShapeKind::Object { name: JSON_PATCH.into(), fields });
    let (request, namespace) = (types::request(&mut shapes), types::namespace(&mut shapes));
    let shapes = Arc::new(shapes);
    let env = Env::kubernetes(MINOR, Purpose::Stored).shapes(Arc::clone(&shapes));
    let env = env
        .variable("request", shapes.type_of(request))
        .variable("namespaceObject", shapes.type_of(namespace));
    let names = ["object", "oldObject", "params"];
    let env = names.into_iter().fold(env, |env, name| env.variable(name, Type::Dyn));
    let authorization =
        |name: &str| Type::Struct(format!("kubernetes.authorization.{name}").into());
    let judging = env
        .variable(AUTHORIZER, authorization("Authorizer"))
        .variable(REQUEST_RESOURCE, authorization("ResourceCheck"))
        .build();
    let mutating = judging.extend().open_message(OBJECT).library(Library::JsonPatch).build();
    Basis { judging, mutating, shapes, shape, request, namespace }
});

/// An expression that is ready to run, or what is wrong with it.
#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) text: Box<str>,
    pub(crate) program: Result<Program, String>,
    /// The first place of the object that it reads.
    pub(crate) about: Box<[Box<str>]>,
}

/// What an expression has to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted<'n> {
    /// Anything, which others see as the variable with this name.
    Variable(&'n str),
    Bool,
    Text,
    TextOrNull,
    Patch,
    Object,
}

/// Compiles expressions, which may name the variables before them.
#[derive(Debug)]
pub(crate) struct Compiler {
    env: Env,
    /// The shapes of objects and of parameters, where they are known.
    known: (Option<ShapeId>, Option<ShapeId>),
}

impl Default for Compiler {
    fn default() -> Self {
        Self { env: BASIS.judging.clone(), known: (None, None) }
    }
}

impl Compiler {
    /// For policies that change objects.
    pub(crate) fn mutating() -> Self {
        Self { env: BASIS.mutating.clone(), known: (None, None) }
    }

    /// The shapes of what all expressions see.
    pub(crate) fn shapes() -> Shapes {
        (*BASIS.shapes).clone()
    }

    /// Knows what objects and parameters are; `shapes` has been made of [`Compiler::shapes`].
    pub(crate) fn typed(self, shapes: Shapes, object: ShapeId, params: Option<ShapeId>) -> Self {
        let own = shapes.type_of(object);
        let params_type = params.map_or(Type::Dyn, |params| shapes.type_of(params));
        let builder = self.env.extend().shapes(Arc::new(shapes));
        let builder = builder.variable("object", own.clone()).variable("oldObject", own);
        let env = builder.variable("params", params_type).build();
        Self { env, known: (Some(object), params) }
    }

    /// The most that an expression can cost, or what is wrong with it, in full and in short.
    pub(crate) fn check(
        &mut self,
        text: &str,
        wanted: Wanted<'_>,
    ) -> Result<u64, (String, String)> {
        let checked = self.env.compile(text);
        if let Wanted::Variable(name) = wanted {
            // One that is wrong is not held against those that read it.
            let kind = checked.as_ref().map_or(Type::Dyn, |it| it.result_type().clone());
            self.env = self.env.extend().variable(&format!("{PREFIX}{name}"), kind).build();
        }
        let checked = checked.map_err(|errors| {
            let short: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
            (errors.to_string(), short.join("; "))
        })?;
        let fits = match (wanted, checked.result_type()) {
            (Wanted::Variable(_), _)
            | (Wanted::Bool, Type::Bool)
            | (Wanted::Text, Type::String)
            | (Wanted::TextOrNull, Type::String | Type::Null) => Ok(()),
            (Wanted::Object, _) => object_of(&checked),
            (Wanted::Patch, _) => patch_of(&checked),
            // What may be of any type is refused as well.
            (Wanted::Bool, found) => Err(format!("must evaluate to bool but got {found}")),
            (Wanted::Text, found) => Err(format!("must evaluate to string but got {found}")),
            (Wanted::TextOrNull, found) => {
                Err(format!("must evaluate to one of [string null_type] but got {found}"))
            }
        };
        fits.map_err(|problem| (problem.clone(), problem))?;
        let roots = |name: &str| match name {
            "object" | "oldObject" => self.known.0,
            "params" => self.known.1,
            "request" => Some(BASIS.request),
            "namespaceObject" => Some(BASIS.namespace),
            _ => None,
        };
        Ok(self.env.estimate_cost_by(&checked, &roots).max)
    }

    pub(crate) fn compile(&self, text: &str) -> Expression {
        self.compile_typed(text, |_| Ok(())).0
    }

    /// Compiles an expression that makes an object, of which literals have to be named as their places are.
    pub(crate) fn object(&self, text: &str) -> Expression {
        self.compile_typed(text, object_of).0
    }

    /// Compiles an expression that makes the steps of a patch.
    pub(crate) fn patch(&self, text: &str) -> Expression {
        self.compile_typed(text, patch_of).0
    }

    /// Compiles a variable, which the expressions after it see as `variables.NAME`.
    pub(crate) fn variable(&mut self, name: &str, text: &str) -> Expression {
        let (expression, kind) = self.compile_typed(text, |_| Ok(()));
        self.env = self.env.extend().variable(&format!("{PREFIX}{name}"), kind).build();
        expression
    }

    fn compile_typed(
        &self,
        text: &str,
        check: impl FnOnce(&Checked) -> Result<(), String>,
    ) -> (Expression, Type) {
        let checked = self.env.compile(text).map_err(|errors| errors.to_string());
        let kind = checked.as_ref().map_or(Type::Dyn, |checked| checked.result_type().clone());
        let about = checked.as_ref().ok().and_then(|checked| reads::first(checked.ast()));
        let program = checked.and_then(|checked| {
            check(&checked)?;
            self.env.plan(&checked).map_err(|problem| problem.to_string())
        });
        (Expression { text: text.into(), program, about: about.unwrap_or_default() }, kind)
    }
}

/// Whether an expression makes an object, whose literals are named as their places are.
fn object_of(checked: &Checked) -> Result<(), String> {
    match checked.result_type() {
        Type::Struct(name) if &**name == OBJECT => literal::check(checked.ast()),
        _ => Err("must evaluate to Object".to_owned()),
    }
}

/// Whether an expression makes the steps of a patch.
fn patch_of(checked: &Checked) -> Result<(), String> {
    let Type::List(step) = checked.result_type() else {
        return Err("must evaluate to list(JSONPatch)".to_owned());
    };
    match &**step {
        Type::Struct(name) if &**name == JSON_PATCH => literal::check(checked.ast()),
        // An empty list.
        Type::Dyn | Type::Variable(_) => Ok(()),
        _ => Err("must evaluate to list(JSONPatch)".to_owned()),
    }
}

/// What the names of variables of a policy begin with.
pub(crate) const PREFIX: &str = "variables.";

/// A document that expressions see by this name.
pub(crate) fn document<'v>(name: &str, value: Value<'v>) -> Binding<'v> {
    let shape = match name {
        "request" => BASIS.request,
        "namespaceObject" => BASIS.namespace,
        _ => BASIS.shape,
    };
    Binding::Document(value, shape)
}

impl Expression {
    /// What is wrong with it, if it cannot be run.
    pub(crate) fn problem(&self) -> Option<&str> {
        self.program.as_ref().err().map(String::as_str)
    }
}
