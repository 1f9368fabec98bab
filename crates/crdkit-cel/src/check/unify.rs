//! Which types fit which, and what the type variables stand for.
//!
//! Follows cel-go's `checker/types.go`. Bindings made while a candidate is tried are undone if it does not fit.

use std::sync::Arc;

use crate::ast::Name;
use crate::types::Type;

/// What the type variables stand for so far.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    bound: Vec<Option<Type>>,
    /// Earlier bindings of variables changed since the attempt began.
    undo: Vec<(u32, Option<Type>)>,
}

impl Bindings {
    pub(super) fn fresh(&mut self) -> Type {
        self.bound.push(None);
        Type::Variable(u32::try_from(self.bound.len() - 1).unwrap_or(u32::MAX))
    }

    fn find(&self, variable: u32) -> Option<&Type> {
        self.bound.get(variable as usize).and_then(Option::as_ref)
    }

    fn bind(&mut self, variable: u32, ty: Type) {
        if let Some(slot) = self.bound.get_mut(variable as usize) {
            self.undo.push((variable, slot.replace(ty)));
        }
    }

    /// Whether `from` may stand where `to` is wanted; the order does not matter to most types.
    pub(super) fn assign(&mut self, to: &Type, from: &Type) -> bool {
        self.attempt(|bindings| bindings.assignable(to, from))
    }

    pub(super) fn assign_all(&mut self, to: &[Type], from: &[Type]) -> bool {
        self.attempt(|bindings| bindings.assignable_all(to, from))
    }

    fn attempt(&mut self, test: impl Fn(&mut Self) -> bool) -> bool {
        self.undo.clear();
        let fits = test(self);
        if !fits {
            while let Some((variable, earlier)) = self.undo.pop() {
                if let Some(slot) = self.bound.get_mut(variable as usize) {
                    *slot = earlier;
                }
            }
        }
        fits
    }

    fn assignable_all(&mut self, to: &[Type], from: &[Type]) -> bool {
        to.len() == from.len() && to.iter().zip(from).all(|(to, from)| self.assignable(to, from))
    }

    fn assignable(&mut self, to: &Type, from: &Type) -> bool {
        if let Type::Variable(variable) = from {
            let (valid, bound) = self.substitute_valid(to, *variable, from);
            if valid || bound {
                return valid;
            }
        }
        if let Type::Variable(variable) = to {
            return self.substitute_valid(from, *variable, to).0;
        }
        if to.is_dyn_or_error() || from.is_dyn_or_error() {
            return true;
        }
        match (to, from) {
            (Type::Null, other) | (other, Type::Null) => {
                other.is_nullable() || matches!(other, Type::Null)
            }
            (Type::Wrapper(inner), other) | (other, Type::Wrapper(inner)) => {
                **inner == *other || matches!(other, Type::Wrapper(same) if same == inner)
            }
            (Type::Type(_), Type::Type(_)) => true,
            (Type::List(a), Type::List(b)) => self.assignable(a, b),
            (Type::Map(a), Type::Map(b)) => {
                self.assignable(&a.0, &b.0) && self.assignable(&a.1, &b.1)
            }
            (Type::Opaque(a, first), Type::Opaque(b, second)) => {
                a == b && self.assignable_all(first, second)
            }
            _ => to == from,
        }
    }

    /// Whether `ty` may be what the variable stands for, and whether the variable stood for something already.
    fn substitute_valid(&mut self, ty: &Type, variable: u32, as_type: &Type) -> (bool, bool) {
        if ty == as_type {
            return (true, true);
        }
        if let Some(current) = self.find(variable).cloned() {
            if *ty == current {
                return (true, true);
            }
            if self.assignable(ty, &current) {
                let general = most_general(ty, &current);
                if self.not_inside(variable, &general) {
                    self.bind(variable, general);
                }
                return (true, true);
            }
            return (false, true);
        }
        if self.not_inside(variable, ty) {
            self.bind(variable, ty.clone());
            return (true, false);
        }
        (false, false)
    }

    fn not_inside(&self, variable: u32, ty: &Type) -> bool {
        match ty {
            Type::Variable(other) => {
                *other != variable
                    && self.find(*other).is_none_or(|bound| self.not_inside(variable, bound))
            }
            Type::List(inner) | Type::Type(Some(inner)) => self.not_inside(variable, inner),
            Type::Map(types) => {
                self.not_inside(variable, &types.0) && self.not_inside(variable, &types.1)
            }
            Type::Opaque(_, parameters) => {
                parameters.iter().all(|inner| self.not_inside(variable, inner))
            }
            _ => true,
        }
    }

    /// Replaces variables by what they stand for, and free ones by `dyn` if asked to.
    pub(super) fn resolve(&self, ty: &Type, free_to_dyn: bool) -> Type {
        match ty {
            Type::Variable(variable) => match self.find(*variable) {
                Some(bound) => self.resolve(bound, free_to_dyn),
                None if free_to_dyn => Type::Dyn,
                None => ty.clone(),
            },
            _ => map_parts(ty, &mut |part| self.resolve(part, free_to_dyn)),
        }
    }
}

/// Replaces the type parameters of a declaration.
pub(super) fn instantiate(ty: &Type, substitution: &[(Name, Type)]) -> Type {
    match ty {
        Type::Param(name) => substitution
            .iter()
            .find(|(from, _)| from == name)
            .map_or_else(|| ty.clone(), |(_, to)| to.clone()),
        _ => map_parts(ty, &mut |part| instantiate(part, substitution)),
    }
}

fn map_parts(ty: &Type, change: &mut dyn FnMut(&Type) -> Type) -> Type {
    match ty {
        Type::List(element) => Type::list(change(element)),
        Type::Map(types) => Type::Map(Arc::new((change(&types.0), change(&types.1)))),
        Type::Type(Some(inner)) => Type::type_of(change(inner)),
        Type::Opaque(name, parameters) if !parameters.is_empty() => {
            Type::Opaque(Name::clone(name), parameters.iter().map(change).collect())
        }
        _ => ty.clone(),
    }
}

/// The less specific of two types that fit each other.
pub(super) fn most_general(a: &Type, b: &Type) -> Type {
    if equal_or_less_specific(a, b) { a.clone() } else { b.clone() }
}

fn equal_or_less_specific(a: &Type, b: &Type) -> bool {
    if a.is_dyn() || matches!(a, Type::Variable(_)) {
        return true;
    }
    if b.is_dyn() || matches!(b, Type::Variable(_)) {
        return false;
    }
    match (a, b) {
        (Type::Opaque(first, p), Type::Opaque(second, q)) => {
            first == second
                && p.len() == q.len()
                && p.iter().zip(q.iter()).all(|(p, q)| equal_or_less_specific(p, q))
        }
        (Type::List(p), Type::List(q)) => equal_or_less_specific(p, q),
        (Type::Map(p), Type::Map(q)) => {
            equal_or_less_specific(&p.0, &q.0) && equal_or_less_specific(&p.1, &q.1)
        }
        (Type::Type(_), Type::Type(_)) => true,
        _ => a == b,
    }
}
