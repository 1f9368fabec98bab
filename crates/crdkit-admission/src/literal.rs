//! Literals of objects in expressions: `Object{spec: Object.spec{replicas: 3}}`.
//!
//! The name of a literal's type is the path to the place it stands at, list items and values of maps having the path of
//! what they are in.

use crate::expression::OBJECT;
use crdkit_cel::ast::{Ast, ExprId, ExprKind};

/// Checks that all literals stand where their names say.
///
/// # Errors
/// The server's words about the first that does not.
pub(crate) fn check(ast: &Ast) -> Result<(), String> {
    value(ast, ast.root(), OBJECT)
}

/// Checks what is given for the place with the type name `expected`.
fn value(ast: &Ast, id: ExprId, expected: &str) -> Result<(), String> {
    match ast.kind(id) {
        ExprKind::Struct { name, fields } if name.starts_with(OBJECT) => {
            let name = name.trim_start_matches('.');
            if name != expected {
                return Err(format!(
                    "type mismatch: unexpected type name \"{name}\", expected \"{expected}\", which matches field name path from root Object type"
                ));
            }
            fields.iter().try_for_each(|field| {
                value(ast, field.value, &format!("{expected}.{}", field.field))
            })
        }
        ExprKind::List(items) => items.iter().try_for_each(|item| value(ast, item.value, expected)),
        ExprKind::Map(entries) => {
            entries.iter().try_for_each(|entry| value(ast, entry.value, expected))
        }
        ExprKind::Call { function, arguments, .. } if &**function == "_?_:_" => {
            arguments.iter().skip(1).try_for_each(|branch| value(ast, *branch, expected))
        }
        // What functions and loops give is seen where it is merged.
        _ => Ok(()),
    }
}
