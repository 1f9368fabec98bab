//! Go's numbers as text: how floats are printed, what the parsers of `strconv` accept, and what they say.
//!
//! Upstream: Go `strconv` and `encoding/json`.

mod decimal;
mod format;
mod parse;

pub use decimal::Decimal;
pub use format::{decimal, exponential, fixed, json, scientific, shortest, shortest_f32};
pub use parse::{NumberError, parse_float, parse_int, parse_uint};
