//! Streams: documents too large to hold, checked as they are read.
//!
//! Takes bytes from [`std::io::Read`], or pushed as they arrive, and a schema; gives the document's
//! parts one by one, each projected and judged, and what is wrong with the arrays and objects around
//! them. A part is the largest value that fits [`Strategy::threshold`]: a small document is one part, a
//! list of a million objects is a million.
//!
//! A value is built like any other document. When it turns out to be too large, it is opened: what has
//! been built of it becomes parts, and reading goes on inside it, so nothing is read twice. An open
//! array or object is checked by what can be counted and remembered: its type, how many children it
//! has, which required fields are still missing, one hash for each key and each item of a set. What
//! needs the whole value (compositions, rules, enums) cannot be decided there; [`Resolution`] says what
//! happens.
//!
//! Holds: for whatever threshold, the findings are those of a document that was held whole, in the
//! order in which they can be known, as long as nothing needs the whole of an open value.

mod element;
mod feed;
mod frame;
mod schema;
mod seen;
mod walk;

pub use element::{Element, Elements};
pub use feed::Feeder;
pub use schema::{Label, labels};
pub use walk::{Part, Stream, StreamStep};

use crdkit_value::{Duplicates, Limits};

/// How a stream is read.
#[derive(Clone, Debug)]
pub struct StreamOptions {
    /// How much is accepted. `bytes` counts the whole stream.
    pub limits: Limits,
    /// What happens to repeated keys. In an open object an earlier value is gone when a later one
    /// comes, so there [`Duplicates::LastWins`] reports the repetition.
    pub duplicates: Duplicates,
    /// Whether findings know where in the input they are, which costs some time for every value.
    pub positions: bool,
    /// Whether reading ends with the first error.
    pub fail_fast: bool,
    /// Buffers, and what happens when they are too small.
    pub strategy: Strategy,
}

/// How much of an undecided value is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// A value that takes more bytes of input is opened.
    pub threshold: usize,
    /// What happens to one that cannot be decided when it is open.
    pub on_exceed: Resolution,
    /// So many bytes of input are held under [`Resolution::FullBuffer`].
    pub max_buffered: usize,
}

/// What happens to a value that is too large to hold and cannot be decided without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resolution {
    /// Reading ends with an error.
    FailFast,
    /// What can be decided is; a warning names what was not.
    BestEffort,
    /// It is held nevertheless, up to [`Strategy::max_buffered`]; beyond that, reading ends with an
    /// error.
    #[default]
    FullBuffer,
}

impl Default for Strategy {
    fn default() -> Self {
        Self { threshold: 256 << 10, on_exceed: Resolution::default(), max_buffered: 8 << 20 }
    }
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self {
            limits: Limits { bytes: usize::MAX, ..Limits::default() },
            duplicates: Duplicates::default(),
            positions: true,
            fail_fast: false,
            strategy: Strategy::default(),
        }
    }
}
