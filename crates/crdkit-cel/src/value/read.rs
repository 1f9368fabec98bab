//! Reading document values by their shape.
//!
//! Follows Kubernetes' `pkg/cel/common/valuesunstructured.go`; the texts of the errors are its texts.

use crdkit_text::base64::Base64;
use crdkit_text::timestamp::Timestamp;
use crdkit_text::{TextError, duration};
use crdkit_value::{Kind, Value};

use super::{Arena, List, Map, ShapedValue, Val};
use crate::eval::EvalError;
use crate::shape::{Field, ListKind, Shape, ShapeId, ShapeKind, Shapes};

/// What is needed to read a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data<'v> {
    pub(crate) shapes: &'v Shapes,
    pub(crate) arena: &'v Arena,
}

impl<'v> Data<'v> {
    pub(crate) fn shape(self, id: ShapeId) -> &'v Shape {
        const ANY: &Shape = &Shape { kind: ShapeKind::Dynamic, nullable: true, max_elements: 0 };
        self.shapes.get(id).unwrap_or(ANY)
    }

    /// The shape of the elements or values of a collection.
    pub(crate) fn element_shape(self, id: ShapeId) -> ShapeId {
        match &self.shape(id).kind {
            ShapeKind::List { element, .. } => *element,
            ShapeKind::Map { value } => *value,
            _ => id,
        }
    }

    pub(crate) fn list_kind(self, id: ShapeId) -> &'v ListKind {
        match &self.shape(id).kind {
            ShapeKind::List { kind, .. } => kind,
            _ => &ListKind::Atomic,
        }
    }
}

impl<'v> Data<'v> {
    /// The members of an object: name and value, or nothing for one that its shape does not know.
    pub(crate) fn members(
        self,
        node: ShapedValue<'v>,
    ) -> impl Iterator<Item = Option<(&'v str, Result<Val<'v>, EvalError>)>> {
        let fields: &'v [Field] = match &self.shape(node.shape).kind {
            ShapeKind::Object { fields, .. } => fields,
            _ => &[],
        };
        node.value.members().map(move |(key, value)| {
            let field = fields.iter().find(|field| &*field.key == key)?;
            Some((&*field.name, read(self, value, field.shape)))
        })
    }
}

/// Reads one value.
#[expect(clippy::cast_precision_loss, reason = "a number field is a double, as on the server")]
pub(crate) fn read<'v>(
    data: Data<'v>,
    value: Value<'v>,
    id: ShapeId,
) -> Result<Val<'v>, EvalError> {
    let shape = data.shape(id);
    let node = ShapedValue { value, shape: id };
    Ok(match (&shape.kind, value.kind()) {
        (ShapeKind::Dynamic, Kind::Null) => Val::Null,
        (_, Kind::Null) if shape.nullable => Val::Null,
        (_, Kind::Null) => return Err(invalid("got null for schema with nullable=false")),
        (ShapeKind::String | ShapeKind::IntOrString | ShapeKind::Dynamic, Kind::String(text)) => {
            Val::String(text)
        }
        (ShapeKind::Int | ShapeKind::IntOrString | ShapeKind::Dynamic, Kind::Int(int)) => {
            Val::Int(int)
        }
        (ShapeKind::Bool | ShapeKind::Dynamic, Kind::Bool(bool)) => Val::Bool(bool),
        (ShapeKind::Double | ShapeKind::Dynamic, Kind::Float(float)) => Val::Double(float),
        (ShapeKind::Double, Kind::Int(int)) => Val::Double(int as f64),
        (ShapeKind::Object { .. }, Kind::Object(_)) | (ShapeKind::Opaque, _) => Val::Object(node),
        (ShapeKind::Map { .. } | ShapeKind::Dynamic, Kind::Object(_)) => Val::Map(Map::Node(node)),
        (ShapeKind::List { .. } | ShapeKind::Dynamic, Kind::Array(_)) => {
            Val::List(List::Node(node))
        }
        (ShapeKind::Duration, Kind::String(text)) => Val::Duration(
            duration::parse_lenient(text).map_err(|error| formatted("duration", text, &error))?,
        ),
        (ShapeKind::Date, Kind::String(text)) => Val::Timestamp(
            Timestamp::parse_date(text)
                .map_err(|error| formatted("date formatted string", text, &error))?,
        ),
        (ShapeKind::DateTime, Kind::String(text)) => Val::Timestamp(
            Timestamp::parse_date_time(text)
                .map_err(|error| formatted("date-time formatted string", text, &error))?,
        ),
        (ShapeKind::Bytes, Kind::String(text)) => {
            let bytes = Base64::Url.decode(text).map_err(|error| {
                EvalError::message(format!("Invalid byte formatted string {text}: {error}"))
            })?;
            Val::Bytes(data.arena.bytes(&bytes))
        }
        (ShapeKind::IntOrString, _) => {
            return Err(invalid("expected XIntOrString value to be either a string or integer"));
        }
        (ShapeKind::Object { .. } | ShapeKind::Map { .. }, _) => {
            return Err(invalid("expected a map for the provided schema with type=object"));
        }
        (ShapeKind::List { .. }, _) => {
            return Err(invalid("expected an array for the provided schema with type=array"));
        }
        (kind, found) => {
            let wanted = match kind {
                ShapeKind::Int => "int",
                ShapeKind::Double => "float",
                ShapeKind::Bool => "bool",
                _ => "string",
            };
            return Err(invalid(&format!("expected {wanted}, got {}", go_type(&found))));
        }
    })
}

fn invalid(what: &str) -> EvalError {
    EvalError::message(format!("invalid data, {what}"))
}

fn formatted(format: &str, text: &str, error: &TextError) -> EvalError {
    EvalError::message(format!("Invalid {format} {text}: {error}"))
}

fn go_type(kind: &Kind<'_>) -> &'static str {
    match kind {
        Kind::Null => "<nil>",
        Kind::Bool(_) => "bool",
        Kind::Int(_) => "int64",
        Kind::Float(_) | Kind::Number(_) => "float64",
        Kind::String(_) => "string",
        Kind::Array(_) => "[]interface {}",
        Kind::Object(_) => "map[string]interface {}",
    }
}
