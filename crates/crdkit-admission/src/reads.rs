//! What an expression is about: the places of the object that it names.

use crdkit_cel::ast::{Ast, Comprehension, ExprId, ExprKind};

/// The first place of the variable `object` that an expression reads, as steps from the root.
pub(crate) fn first(ast: &Ast) -> Option<Box<[Box<str>]>> {
    find(ast, ast.root())
}

fn find(ast: &Ast, id: ExprId) -> Option<Box<[Box<str>]>> {
    if let Some(steps) = chain(ast, id) {
        return Some(steps.into());
    }
    match ast.kind(id) {
        ExprKind::Select { operand, .. } => find(ast, *operand),
        ExprKind::Call { target, arguments, .. } => {
            target.iter().chain(arguments).find_map(|id| find(ast, *id))
        }
        ExprKind::List(items) => items.iter().find_map(|item| find(ast, item.value)),
        ExprKind::Map(entries) => {
            entries.iter().find_map(|entry| find(ast, entry.key).or_else(|| find(ast, entry.value)))
        }
        ExprKind::Struct { fields, .. } => fields.iter().find_map(|field| find(ast, field.value)),
        ExprKind::Comprehension(comprehension) => {
            let Comprehension { range, init, condition, step, result, .. } = &**comprehension;
            [range, init, condition, step, result].into_iter().find_map(|id| find(ast, *id))
        }
        ExprKind::Unspecified | ExprKind::Literal(_) | ExprKind::Ident(_) => None,
    }
}

/// The steps of `object.a.b`.
fn chain(ast: &Ast, mut id: ExprId) -> Option<Vec<Box<str>>> {
    let mut steps = Vec::new();
    loop {
        match ast.kind(id) {
            ExprKind::Select { operand, field, .. } => {
                steps.push(Box::from(&**field));
                id = *operand;
            }
            ExprKind::Ident(name) if &**name == "object" => {
                steps.reverse();
                return Some(steps);
            }
            _ => return None,
        }
    }
}
