//! Go's and Kubernetes' rules for text, as the API server applies them.
//!
//! Everything here is a plain function of its input: no I/O, no clock, no state. Each module mirrors one Go
//! package and gives its verdicts, its canonical forms and, where users see them, its error texts.

mod error;
mod unicode;

pub mod base64;

pub mod quote;

pub mod number;

pub mod regex;

pub mod quantity;

pub mod semver;

pub mod duration;

pub mod timestamp;

pub mod ip;

pub mod url;

pub mod kind;

pub mod names;

pub mod formats;

pub mod json_formats;

pub use error::TextError;
