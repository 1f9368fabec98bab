//! One value out of the middle of a document, for whoever reads a document too large to hold.
//!
//! A reader that stands before a value gives it to a builder, and stops early where the value is larger than asked for.
//! Reading goes on after that place with another call, with the same builder or another one.

use crate::DecodeError;
use crdkit_issue::Span;
use crdkit_value::{Builder, Event};

/// How far a reader's `fill` got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// The builder holds the whole value.
    Value,
    /// The value takes more bytes than asked for; the builder holds its beginning.
    Part,
    /// There was no value: the array ended instead.
    EndArray,
}

/// Gives one event to `builder`, and says whether that was all of a value.
pub(crate) fn give(
    builder: &mut Builder<'_>,
    event: Event<'_>,
    span: Span,
) -> Result<Option<Filled>, DecodeError> {
    if matches!(event, Event::EndArray) && !builder.is_open() {
        return Ok(Some(Filled::EndArray));
    }
    builder.event(event, span)?;
    Ok(builder.is_complete().then_some(Filled::Value))
}
