//! Rows of tables: what `kubectl get` shows of an object.
//!
//! In go an object and the time; out come a cell for each of the kind's columns and what marks the row. Most cells are
//! expressions of the data (`expression`), the others functions in one table (`computed`). Nothing fails: what cannot
//! be shown is empty.
//!
//! Upstream: `kubernetes/pkg/printers/internalversion`.

mod computed;
mod expression;
mod pod;
mod text;

use crate::data::NativeKind;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Kind, Value};

/// What a cell shows.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NativeCell {
    /// A text.
    Text(String),
    /// A whole number.
    Int(i64),
    /// True or false.
    Bool(bool),
    /// Nothing.
    Null,
}

/// The row of an object.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NativeRow {
    /// A cell for each column; a kind may have more cells than columns.
    pub cells: Vec<NativeCell>,
    /// What marks the row.
    pub condition: Option<NativeRowCondition>,
}

/// That an object has come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NativeRowCondition {
    /// `type`; the status is `True`.
    pub type_name: &'static str,
    /// `reason`.
    pub reason: &'static str,
    /// `message`.
    pub message: &'static str,
}

impl NativeKind {
    /// The row of `object` at the time `now`.
    pub fn row(&self, object: Value<'_>, now: Timestamp) -> NativeRow {
        let mut cells: Vec<NativeCell> = self
            .columns
            .iter()
            .map(|column| match column.computed {
                "" => expression::cell(column.cell, object, now),
                computed => computed::cell(computed, object, now),
            })
            .collect();
        cells.extend(computed::further(self.plural, object, now));
        NativeRow { cells, condition: pod::condition(self.plural, object) }
    }
}

impl NativeCell {
    fn of(value: Value<'_>) -> Self {
        match value.kind() {
            Kind::Null => Self::Null,
            Kind::Bool(bool) => Self::Bool(bool),
            Kind::Int(int) => Self::Int(int),
            Kind::String(text) => Self::Text(text.to_owned()),
            _ => Self::Text(crdkit_codec::go_json::value(value)),
        }
    }

    fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Whether there is nothing to see.
    fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.is_empty(),
            _ => false,
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Null => String::new(),
            Self::Text(text) => text.clone(),
            Self::Int(int) => int.to_string(),
            Self::Bool(bool) => bool.to_string(),
        }
    }
}
