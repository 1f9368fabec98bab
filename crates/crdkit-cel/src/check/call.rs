//! Calls: which function, which of its overloads, and so which type.

use std::sync::Arc;

use super::unify::instantiate;
use super::{Checker, Reference};
use crate::ast::{ExprId, ExprKind, Literal, Name, operator};
use crate::declare::Overload;
use crate::types::Type;

impl Checker<'_> {
    pub(super) fn call(
        &mut self,
        id: ExprId,
        target: Option<ExprId>,
        function: &Name,
        arguments: &[ExprId],
    ) {
        match (&**function, arguments) {
            (operator::OPTIONAL_SELECT, &[operand, field]) => {
                return self.optional_select(id, operand, field);
            }
            ("cel.@block", &[slots, body]) => return self.block(id, slots, body),
            _ => {}
        }
        for &argument in arguments {
            self.check(argument);
        }
        let env = self.env;
        if let Some(target) = target {
            // Either a function in a namespace, or a function on a target.
            if let Some(prefix) = self.ast.qualified_name(target)
                && let Some((name, overloads)) = env.function(&format!("{prefix}.{function}"))
            {
                let (function, arguments) = (Name::clone(name), arguments.to_vec());
                self.ast.set_kind(
                    id,
                    ExprKind::Call { target: None, function, arguments: arguments.clone() },
                );
                return self.resolve_overload(id, name, overloads, None, &arguments);
            }
            self.check(target);
            match env.function(function) {
                Some((name, overloads)) => {
                    self.resolve_overload(id, name, overloads, Some(target), arguments);
                }
                None => self.undeclared(id, function),
            }
            return;
        }
        match env.function(function) {
            Some((name, overloads)) => {
                let (function, arguments) = (Name::clone(name), arguments.to_vec());
                self.ast.set_kind(
                    id,
                    ExprKind::Call { target: None, function, arguments: arguments.clone() },
                );
                self.resolve_overload(id, name, overloads, None, &arguments);
            }
            None => self.undeclared(id, function),
        }
    }

    fn optional_select(&mut self, id: ExprId, operand: ExprId, field: ExprId) {
        let name = match self.ast.literal(field) {
            Some(Literal::String(name)) => Name::clone(name),
            _ => return self.report(field, "unsupported optional field selection".to_owned()),
        };
        let ty = self.select_field(id, operand, &name, true);
        let ty = self.bindings.resolve(&ty, false);
        self.set(id, ty);
    }

    /// `cel.block([a, b], body)`: slots that later slots and the body see as `@index0`, `@index1`.
    fn block(&mut self, id: ExprId, slots: ExprId, body: ExprId) {
        let elements = match self.ast.kind(slots) {
            ExprKind::List(elements) => elements.clone(),
            _ => Vec::new(),
        };
        let outer = self.scope.depth();
        for (index, element) in elements.iter().enumerate() {
            self.check(element.value);
            let ty = self.type_of(element.value);
            self.scope.push(format!("@index{index}").into(), ty);
        }
        self.set(slots, Type::list(Type::Dyn));
        self.check(body);
        self.scope.truncate(outer);
        self.set(id, self.type_of(body));
    }

    fn resolve_overload(
        &mut self,
        id: ExprId,
        function: &str,
        overloads: &[Arc<Overload>],
        target: Option<ExprId>,
        arguments: &[ExprId],
    ) {
        let types: Vec<Type> =
            target.iter().chain(arguments).map(|&part| self.type_of(part)).collect();
        let style = |overload: &&Arc<Overload>| overload.member == target.is_some();
        if matches!(function, operator::AND | operator::OR) {
            return self.logic(id, overloads, arguments, &types);
        }
        let mut found: Vec<Arc<Overload>> = Vec::new();
        let mut result: Option<Type> = None;
        for overload in overloads.iter().filter(style) {
            // Inside loops cel-go forgets that comparisons across number types are switched off.
            if overload.cross_type && !self.env.rules.cross_type_numbers && self.scope.depth() == 0
            {
                continue;
            }
            let substitution: Vec<(Name, Type)> = overload
                .parameters
                .iter()
                .map(|name| (Name::clone(name), self.bindings.fresh()))
                .collect();
            let fits = if substitution.is_empty() {
                self.bindings.assign_all(&types, &overload.arguments)
            } else {
                let wanted: Vec<Type> =
                    overload.arguments.iter().map(|ty| instantiate(ty, &substitution)).collect();
                self.bindings.assign_all(&types, &wanted)
            };
            if fits {
                let ty =
                    self.bindings.resolve(&instantiate(&overload.result, &substitution), false);
                found.push(Arc::clone(overload));
                result = Some(match result {
                    Some(earlier) if !earlier.is_dyn() && earlier != ty => Type::Dyn,
                    Some(earlier) => earlier,
                    None => ty,
                });
            }
        }
        if result.is_none() && self.lenient {
            found = overloads.iter().filter(style).cloned().collect();
            result = Some(Type::Dyn);
        }
        let Some(result) = result else {
            let types: Vec<String> =
                types.iter().map(|ty| self.bindings.resolve(ty, true).to_string()).collect();
            let applied = match types.as_slice() {
                [receiver, rest @ ..] if target.is_some() => {
                    format!("{receiver}.({})", rest.join(", "))
                }
                all => format!("({})", all.join(", ")),
            };
            self.report(
                id,
                format!("found no matching overload for '{function}' applied to '{applied}'"),
            );
            return self.set(id, Type::Error);
        };
        self.refer(id, Reference::Overloads(found.into()));
        self.set(id, result);
    }

    fn logic(
        &mut self,
        id: ExprId,
        overloads: &[Arc<Overload>],
        arguments: &[ExprId],
        types: &[Type],
    ) {
        let mut fits = true;
        for (&argument, ty) in arguments.iter().zip(types) {
            if !self.bindings.assign(ty, &Type::Bool) {
                fits = false;
                self.report(argument, format!("expected type 'bool' but found '{ty}'"));
            }
        }
        self.refer(id, Reference::Overloads(overloads.to_vec().into()));
        self.set(id, if fits || self.lenient { Type::Bool } else { Type::Error });
    }
}
