//! What a column shows of an object.
//!
//! Takes what the column's path found and the column's type, gives the cell: a value of that type, or nothing.

use super::age;
use super::path::FoundValue;
use crdkit_codec::go_json;
use crdkit_text::number;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Event, Kind, Writer};

/// What stands in one cell.
#[derive(Clone, Debug, PartialEq)]
pub enum CellValue {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// Any number.
    Float(f64),
    /// Text.
    Text(String),
}

impl CellValue {
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.event(match self {
            Self::Null => Event::Null,
            Self::Bool(flag) => Event::Bool(*flag),
            Self::Int(int) => Event::Int(*int),
            Self::Float(float) => Event::Float(*float),
            Self::Text(text) => Event::String(text),
        });
    }

    /// The cell of a column of type `type_name` for what its path found.
    pub(super) fn of(type_name: &str, found: Option<FoundValue<'_>>, now: Timestamp) -> Self {
        let Some(found) = found else { return Self::Null };
        match (type_name, plain(found)) {
            ("string", Plain::Text(text)) => Self::Text(text.to_owned()),
            ("string", Plain::Int(int)) => Self::Text(int.to_string()),
            ("string", Plain::Float(float)) => Self::Text(number::shortest(float)),
            ("string", Plain::Bool(flag)) => Self::Text(flag.to_string()),
            // Go's templates print nothing so.
            ("string", Plain::Null) => Self::Text("<no value>".to_owned()),
            ("string", Plain::Composite(json)) => Self::Text(json),
            ("integer", Plain::Int(int)) => Self::Int(int),
            ("integer", Plain::Float(float)) => Self::Int(truncated(float)),
            #[expect(clippy::cast_precision_loss, reason = "what Go's float64(i) does")]
            ("number", Plain::Int(int)) => Self::Float(int as f64),
            ("number", Plain::Float(float)) => Self::Float(float),
            ("boolean", Plain::Bool(flag)) => Self::Bool(flag),
            ("date", Plain::Text(text)) => Self::Text(age::since_text(text, now)),
            _ => Self::Null,
        }
    }
}

enum Plain<'v> {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(&'v str),
    Composite(String),
}

fn plain(found: FoundValue<'_>) -> Plain<'_> {
    match found {
        FoundValue::Text(text) => Plain::Text(text),
        FoundValue::Int(int) => Plain::Int(int),
        FoundValue::Float(float) => Plain::Float(float),
        FoundValue::Bool(flag) => Plain::Bool(flag),
        FoundValue::Value(value) => match value.kind() {
            Kind::Null => Plain::Null,
            Kind::Bool(flag) => Plain::Bool(flag),
            Kind::Int(int) => Plain::Int(int),
            Kind::Float(float) => Plain::Float(float),
            Kind::String(text) | Kind::Number(text) => Plain::Text(text),
            Kind::Array(_) | Kind::Object(_) => Plain::Composite(go_json::value(value)),
        },
    }
}

/// `int64(f)` in Go on common machines: what does not fit is the least integer.
#[expect(clippy::cast_possible_truncation, reason = "the bounds are checked")]
fn truncated(float: f64) -> i64 {
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    if (-BOUND..BOUND).contains(&float) { float as i64 } else { i64::MIN }
}
