//! Types for every node, overloads for every call.
//!
//! In goes a parsed tree; out comes the same tree with names resolved and each node's type, or the errors cel-go's
//! checker reports. In lenient mode nothing is an error: what cannot be resolved is left to run time, which is how
//! expressions run that were never checked.

mod call;
mod scope;
mod unify;
pub(crate) mod validate;

use std::sync::Arc;

use scope::LocalScope;
use unify::{Bindings, most_general};

use crate::ast::{
    Ast, Comprehension, Element, ExprId, ExprKind, FieldInit, Literal, MapEntry, Name,
};
use crate::declare::Overload;
use crate::env::Env;
use crate::error::{Collected, CompileErrors};
use crate::shape::escape_reserved;
use crate::source::Position;
use crate::types::Type;

/// What the checker found a node to refer to.
#[derive(Clone, Debug)]
pub(crate) enum Reference {
    /// A variable of the environment.
    Variable(Name),
    /// The name of a type.
    TypeName(Type),
    /// The overloads a call may mean.
    Overloads(Arc<[Arc<Overload>]>),
}

/// A checked expression.
#[derive(Clone, Debug)]
pub struct Checked {
    pub(crate) text: Arc<str>,
    pub(crate) ast: Ast,
    types: Vec<Type>,
    references: Vec<Option<Reference>>,
}

impl Checked {
    /// The expression's text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The tree, with macros expanded and names resolved.
    pub fn ast(&self) -> &Ast {
        &self.ast
    }

    /// The type of the result.
    pub fn result_type(&self) -> &Type {
        self.type_of(self.ast.root())
    }

    /// The type of a node.
    pub fn type_of(&self, id: ExprId) -> &Type {
        self.types.get(id.index()).unwrap_or(&Type::Dyn)
    }

    pub(crate) fn reference(&self, id: ExprId) -> Option<&Reference> {
        self.references.get(id.index()).and_then(Option::as_ref)
    }

    pub(crate) fn overloads(&self, id: ExprId) -> &[Arc<Overload>] {
        match self.reference(id) {
            Some(Reference::Overloads(overloads)) => overloads,
            _ => &[],
        }
    }

    /// Whether the expression uses this variable of the environment.
    pub fn uses_variable(&self, name: &str) -> bool {
        self.references
            .iter()
            .flatten()
            .any(|reference| matches!(reference, Reference::Variable(found) if &**found == name))
    }
}

/// Checks a parsed expression.
pub(crate) fn check(
    env: &Env,
    text: &str,
    ast: Ast,
    lenient: bool,
) -> Result<Checked, CompileErrors> {
    let count = ast.len();
    let root = ast.root();
    let mut checker = Checker {
        env,
        ast,
        types: vec![Type::Error; count],
        references: vec![None; count],
        bindings: Bindings::default(),
        scope: LocalScope::default(),
        errors: Collected::default(),
        lenient,
    };
    checker.check(root);
    let Checker { ast, types, references, bindings, errors, .. } = checker;
    errors.into_result(text)?;
    let types = types.iter().map(|ty| bindings.resolve(ty, true)).collect();
    Ok(Checked { text: text.into(), ast, types, references })
}

struct Checker<'e> {
    env: &'e Env,
    ast: Ast,
    types: Vec<Type>,
    references: Vec<Option<Reference>>,
    bindings: Bindings,
    scope: LocalScope,
    errors: Collected,
    lenient: bool,
}

impl Checker<'_> {
    fn type_of(&self, id: ExprId) -> Type {
        self.types.get(id.index()).cloned().unwrap_or(Type::Error)
    }

    fn set(&mut self, id: ExprId, ty: Type) {
        if let Some(slot) = self.types.get_mut(id.index()) {
            *slot = ty;
        }
    }

    fn refer(&mut self, id: ExprId, reference: Reference) {
        if let Some(slot) = self.references.get_mut(id.index()) {
            *slot = Some(reference);
        }
    }

    fn report(&mut self, id: ExprId, message: String) {
        self.report_at(self.ast.position(id), message);
    }

    fn report_at(&mut self, position: Position, message: String) {
        if !self.lenient {
            self.errors.report(position, message);
        }
    }

    fn check(&mut self, id: ExprId) {
        match self.ast.kind(id).clone() {
            ExprKind::Literal(literal) => self.set(id, literal_type(&literal)),
            ExprKind::Ident(name) => self.ident(id, &name),
            ExprKind::Select { operand, field, test_only } => {
                self.select(id, operand, &field, test_only);
            }
            ExprKind::Call { target, function, arguments } => {
                self.call(id, target, &function, &arguments);
            }
            ExprKind::List(elements) => self.list(id, &elements),
            ExprKind::Map(entries) => self.map(id, &entries),
            ExprKind::Struct { name, fields } => self.message(id, &name, &fields),
            ExprKind::Comprehension(comprehension) => self.comprehension(id, &comprehension),
            ExprKind::Unspecified => self.report(id, "unexpected unspecified type: ".to_owned()),
        }
    }

    fn ident(&mut self, id: ExprId, name: &Name) {
        if !self.resolve_name(id, name, name) {
            self.undeclared(id, name);
        }
    }

    fn undeclared(&mut self, id: ExprId, name: &str) {
        let container = &self.env.container;
        let message = format!("undeclared reference to '{name}' (in container '{container}')");
        self.report(id, message);
        self.set(id, if self.lenient { Type::Dyn } else { Type::Error });
    }

    /// Makes the node refer to the variable or type of this name, whose first part is `first`.
    fn resolve_name(&mut self, id: ExprId, first: &str, name: &str) -> bool {
        if let Some(ty) = self.scope.find(first) {
            if first == name {
                self.set(id, ty.clone());
            }
            // A qualified name that starts with a local variable is a selection from it.
            return first == name;
        }
        for candidate in self.env.candidates(name) {
            if let Some((name, ty)) = self.env.variable(&candidate) {
                let (name, ty) = (Name::clone(name), ty.clone());
                self.ast.set_kind(id, ExprKind::Ident(Name::clone(&name)));
                self.refer(id, Reference::Variable(name));
                self.set(id, ty);
                return true;
            }
            if let Some(ty) = self.env.type_name(&candidate) {
                self.ast.set_kind(id, ExprKind::Ident(candidate.into()));
                self.set(id, Type::type_of(ty.clone()));
                self.refer(id, Reference::TypeName(ty));
                return true;
            }
        }
        false
    }

    fn select(&mut self, id: ExprId, operand: ExprId, field: &Name, test_only: bool) {
        if !test_only && let Some(name) = self.ast.qualified_name(id) {
            let first = name
                .get(1..)
                .unwrap_or_default()
                .find('.')
                .map_or(name.as_str(), |dot| name.get(..=dot).unwrap_or_default());
            if self.resolve_name(id, first, &name) {
                return;
            }
        }
        let ty = self.select_field(id, operand, field, false);
        let ty = if test_only { Type::Bool } else { self.bindings.resolve(&ty, false) };
        self.set(id, ty);
    }

    fn select_field(&mut self, id: ExprId, operand: ExprId, field: &str, optional: bool) -> Type {
        self.check(operand);
        let operand_type = self.bindings.resolve(&self.type_of(operand), false);
        let (target, was_optional) = match operand_type.as_optional() {
            Some(inner) => (inner.clone(), true),
            None => (operand_type, false),
        };
        let result = match &target {
            Type::Map(types) => types.1.clone(),
            Type::Struct(name) => self.field_type(self.ast.position(id), name, field),
            Type::Variable(_) => {
                self.bindings.assign(&Type::Dyn, &target);
                Type::Dyn
            }
            other => {
                if !other.is_dyn_or_error() {
                    self.report(id, format!("type '{other}' does not support field selection"));
                }
                Type::Dyn
            }
        };
        if optional || was_optional { Type::optional(result) } else { result }
    }

    fn field_type(&mut self, position: Position, object: &str, field: &str) -> Type {
        let shapes = &self.env.shapes;
        if self.env.is_open(object) {
            return Type::Dyn;
        }
        let Some(shape) = shapes.object(object) else {
            self.report_at(position, format!("unexpected failed resolution of '{object}'"));
            return Type::Error;
        };
        let escaped = if self.env.rules.reserved_names { escape_reserved(field) } else { None };
        let found = shapes.field(shape, field).or_else(|| shapes.field(shape, &escaped?));
        if let Some(found) = found {
            shapes.type_of(found.shape)
        } else {
            self.report_at(position, format!("undefined field '{field}'"));
            if self.lenient { Type::Dyn } else { Type::Error }
        }
    }

    fn list(&mut self, id: ExprId, elements: &[Element]) {
        let mut joined = None;
        for element in elements {
            self.check(element.value);
            let ty = self.maybe_optional(element.value, element.optional);
            joined = Some(self.join(joined, ty));
        }
        let element = joined.unwrap_or_else(|| self.bindings.fresh());
        self.set(id, Type::list(element));
    }

    fn map(&mut self, id: ExprId, entries: &[MapEntry]) {
        let (mut keys, mut values) = (None, None);
        for entry in entries {
            self.check(entry.key);
            keys = Some(self.join(keys, self.type_of(entry.key)));
            self.check(entry.value);
            let ty = self.maybe_optional(entry.value, entry.optional);
            values = Some(self.join(values, ty));
        }
        let key = keys.unwrap_or_else(|| self.bindings.fresh());
        let value = values.unwrap_or_else(|| self.bindings.fresh());
        self.set(id, Type::map(key, value));
    }

    /// The type of an element written with `?`, which must be optional.
    fn maybe_optional(&mut self, id: ExprId, optional: bool) -> Type {
        let ty = self.type_of(id);
        if !optional {
            return ty;
        }
        if let Some(inner) = ty.as_optional() {
            inner.clone()
        } else {
            if !ty.is_dyn() {
                let wanted = Type::optional(ty.clone());
                self.report(id, format!("expected type '{wanted}' but found '{ty}'"));
            }
            ty
        }
    }

    fn join(&mut self, previous: Option<Type>, current: Type) -> Type {
        match previous {
            None => current,
            Some(previous) if self.bindings.assign(&previous, &current) => {
                most_general(&previous, &current)
            }
            Some(_) => Type::Dyn,
        }
    }

    fn message(&mut self, id: ExprId, name: &Name, fields: &[FieldInit]) {
        let found = self
            .env
            .candidates(name)
            .into_iter()
            .find_map(|candidate| self.env.type_name(&candidate));
        let Some(ty) = found else {
            return self.undeclared(id, name);
        };
        let object = match &ty {
            Type::Struct(object) => Some(Name::clone(object)),
            other => {
                self.report(id, format!("'{}' is not a message type", other.runtime_name()));
                None
            }
        };
        self.set(id, if object.is_some() { ty } else { Type::Error });
        for field in fields {
            self.check(field.value);
            let wanted = match &object {
                Some(object) => self.field_type(field.position, object, &field.field),
                None => Type::Error,
            };
            let ty = self.maybe_optional(field.value, field.optional);
            if !self.bindings.assign(&wanted, &ty) {
                let message = format!(
                    "expected type of field '{}' is '{wanted}' but provided type is '{ty}'",
                    field.field
                );
                self.report_at(field.position, message);
            }
        }
    }

    fn comprehension(&mut self, id: ExprId, comprehension: &Comprehension) {
        let Comprehension {
            range,
            variable,
            second_variable,
            accumulator,
            init,
            condition,
            step,
            result,
        } = comprehension;
        self.check(*range);
        self.check(*init);
        let range_type = self.bindings.resolve(&self.type_of(*range), false);
        let accumulator_type = self.type_of(*init);
        let two = second_variable.is_some();
        let outer = self.scope.depth();
        self.scope.push(Name::clone(accumulator), accumulator_type.clone());
        let (first, second) = match &range_type {
            Type::List(element) if two => (Type::Int, (**element).clone()),
            Type::List(element) => ((**element).clone(), Type::Error),
            Type::Map(types) => (types.0.clone(), types.1.clone()),
            Type::Dyn | Type::Any | Type::Error | Type::Variable(_) => {
                self.bindings.assign(&Type::Dyn, &range_type);
                (Type::Dyn, Type::Dyn)
            }
            other => {
                let message = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                self.report(*range, message);
                if self.lenient { (Type::Dyn, Type::Dyn) } else { (Type::Error, Type::Error) }
            }
        };
        let loop_scope = self.scope.depth();
        self.scope.push(Name::clone(variable), first);
        if let Some(name) = second_variable {
            self.scope.push(Name::clone(name), second);
        }
        self.check(*condition);
        self.assert(*condition, &Type::Bool);
        self.check(*step);
        self.assert(*step, &accumulator_type);
        self.scope.truncate(loop_scope);
        self.check(*result);
        self.scope.truncate(outer);
        let ty = self.bindings.resolve(&self.type_of(*result), false);
        self.set(id, ty);
    }

    fn assert(&mut self, id: ExprId, wanted: &Type) {
        let ty = self.type_of(id);
        if !self.bindings.assign(wanted, &ty) {
            self.report(id, format!("expected type '{wanted}' but found '{ty}'"));
        }
    }
}

fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}
