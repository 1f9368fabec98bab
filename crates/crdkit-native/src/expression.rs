//! Expressions that objects hold: what they see, and what is wrong with them.
//!
//! In go a text and the check that asks for it; out comes why it is no expression with the result that is asked for. The
//! check lists the variables. `params?/spec/paramKind` is there if the object has what the pointer names; `variables@/spec/variables`
//! has a field for each item of that list before the one that the expression is in, by its name; `device{driver:string;attributes}`
//! has these fields. What else a variable is, only a request knows.

use crate::data::Check;
use crate::locate::ValueStep;
use crdkit_cel::{Env, Field, Library, Shape, ShapeId, ShapeKind, Shapes, Type};
use crdkit_schema::rules::Environments;
use crdkit_value::Value;
use std::sync::Arc;

/// The type of objects that expressions make, and that of steps of patches.
const MADE: [&str; 2] = ["Object", "JSONPatch"];

/// Variables with types that only a request has; what comes of them is not known here.
const TYPED: [&str; 5] = ["request", "authorizer", "namespaceObject", "variables", "device"];

/// Where an expression stands.
#[derive(Clone, Copy)]
pub(crate) struct ExpressionPlace<'v> {
    pub(crate) root: Value<'v>,
    pub(crate) steps: &'v [ValueStep<'v>],
}

/// Why `text` is no expression over the variables that a check lists with the result that it asks for.
pub(crate) fn problem(text: &str, check: &Check, place: ExpressionPlace<'_>) -> Option<String> {
    match environment(check, place).compile(text) {
        Err(errors) => Some(format!("compilation failed: {errors}")),
        Ok(checked) => {
            let found = checked.result_type().to_string();
            let is_unknown = found == "dyn" && TYPED.iter().any(|name| text.contains(name));
            let fits = |wanted: &str| wanted == "any" || wanted == found;
            (!is_unknown && !check.result.split('|').any(fits)).then(|| match check.detail {
                "" => format!("must evaluate to {} but got {found}", check.result),
                detail => detail.replace("{type}", &found),
            })
        }
    }
}

fn environment(check: &Check, place: ExpressionPlace<'_>) -> Env {
    let mut shapes = Shapes::default();
    let anything = add(&mut shapes, ShapeKind::Dynamic);
    let text = add(&mut shapes, ShapeKind::String);
    let [made, step] = MADE;
    let is_making = MADE.iter().any(|name| check.result.contains(name));
    if is_making {
        let fields = [("op", text), ("path", text), ("from", text), ("value", anything)];
        object(&mut shapes, step, fields);
    }
    let mut variables = Vec::new();
    for variable in check.cel.text.split(',').map(str::trim) {
        variables.extend(declared(variable, place, &mut shapes, anything));
    }
    let builder = Environments::shared().new.extend().shapes(Arc::new(shapes));
    let declare =
        |builder: crdkit_cel::EnvBuilder, (name, of): (&str, Type)| builder.variable(name, of);
    let builder = variables.into_iter().fold(builder, declare);
    if is_making {
        builder.open_message(made).library(Library::JsonPatch).build()
    } else {
        builder.build()
    }
}

/// A variable and its type, if it is there.
fn declared<'c>(
    variable: &'c str,
    place: ExpressionPlace<'_>,
    shapes: &mut Shapes,
    anything: ShapeId,
) -> Option<(&'c str, Type)> {
    if let Some((name, pointer)) = variable.split_once('?') {
        return place.root.pointer(pointer).map(|_| (name, Type::Dyn));
    }
    if let Some((name, pointer)) = variable.split_once('@') {
        let list = place.root.pointer(pointer).filter(|list| list.items().len() > 0)?;
        let names =
            list.items().take(place.before(name)).filter_map(|item| item.get("name")?.as_str());
        let id = object(shapes, name, names.map(|name| (name, anything)));
        return Some((name, shapes.type_of(id)));
    }
    let Some((name, fields)) = variable.split_once('{') else { return Some((variable, Type::Dyn)) };
    let fields = fields.trim_end_matches('}').split(';').map(|field| {
        let (field, of) = field.split_once(':').unwrap_or((field, ""));
        let kind = match of {
            "string" => ShapeKind::String,
            "bool" => ShapeKind::Bool,
            _ => ShapeKind::Dynamic,
        };
        (field, kind)
    });
    let fields: Vec<(&str, ShapeId)> =
        fields.map(|(field, kind)| (field, add(shapes, kind))).collect();
    let id = object(shapes, name, fields);
    Some((name, shapes.type_of(id)))
}

impl ExpressionPlace<'_> {
    /// How many items of the list `name` come before the one that the expression is in; all if it is in none.
    fn before(self, name: &str) -> usize {
        let pair = self.steps.windows(2).find_map(|pair| match pair {
            [ValueStep::Field(field), ValueStep::Index(index)] if *field == name => Some(*index),
            _ => None,
        });
        pair.unwrap_or(usize::MAX)
    }
}

fn add(shapes: &mut Shapes, kind: ShapeKind) -> ShapeId {
    shapes.add(Shape { kind, nullable: true, max_elements: u64::MAX })
}

fn object<'f>(
    shapes: &mut Shapes,
    name: &str,
    fields: impl IntoIterator<Item = (&'f str, ShapeId)>,
) -> ShapeId {
    let field =
        |(name, shape): (&str, ShapeId)| Field { name: name.into(), key: name.into(), shape };
    let fields = fields.into_iter().map(field).collect();
    add(shapes, ShapeKind::Object { name: name.into(), fields })
}
