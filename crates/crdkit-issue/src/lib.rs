//! Findings: what is wrong with a document, and where.
//!
//! An [`Issue`] is data: a [`Code`] from the one list in [`codes`], a [`Severity`], a [`FieldPath`],
//! a [`Span`] when the document came from text, and the arguments its message needs. Text is
//! rendered by whoever shows it: [`Issue::message`] for people, [`Issue::server_message`] in the
//! API server's words. Nothing here does I/O or knows what a document is.

pub mod codes;

mod code;
mod issue;
mod list;
mod path;
mod pointer;
mod short;
mod span;
mod template;

pub use code::{Code, ErrorType, FindingStage, Info, Meaning, ShortName};
pub use issue::{Arg, Issue, Related, Severity};
pub use list::Issues;
pub use path::{FieldPath, Segment};
pub use pointer::{DisplayPath, PathStyle, PointerError, pointer_index, pointer_steps};
pub use span::{LineIndex, Position, Span};
