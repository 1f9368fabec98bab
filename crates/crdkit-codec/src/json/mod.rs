//! JSON (RFC 8259), read as Go's decoder reads it.
//!
//! Strict grammar; invalid UTF-8 and lone surrogates become U+FFFD, one for each bad byte, as in Go;
//! integers that fit are `i64`, all other numbers `f64`, and a number beyond both is refused.
//! [`Reader`] gives events from a slice or from [`std::io::Read`] with a buffer that holds no more than
//! the longest token; nothing recurses on nesting.

mod canonical;
mod decode;
mod fill;
mod lex;
mod list;
mod parse;
mod problem;
mod reader;
mod resume;
mod source;
mod text;
mod write;

pub(crate) use text::push_lossy;
pub(crate) use write::{Spelling, escape_of, walk, write_word};

pub use canonical::{NumberNotation, canonical_number, write_canonical};
pub use decode::{Documents, Framing, decode};
pub use list::ListOutline;
pub use reader::Reader;
pub use source::{ByteSource, Chunks, Slice};
pub use write::{Layout, text, write, write_string};
