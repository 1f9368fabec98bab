//! Streams: documents too large to hold, checked as they are read.
//!
//! Takes bytes in any format from [`std::io::Read`], or pushed as they arrive, and a schema; gives the document's
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
//! Holds: for whatever threshold, values, presence and findings are those of [`crate::Schema::parse`], in the order in
//! which they can be known, as long as nothing needs the whole of an open value. What a removed member held is not
//! looked at.

mod element;
mod feed;
mod frame;
mod identity;
mod input;
mod issue;
mod open;
mod part;
mod report;
mod schema;
mod seen;
mod step;
mod text;
mod walk;

pub use element::{Element, Elements};
pub use feed::Feeder;
pub use schema::{Label, labels};
pub use step::{Part, StreamStep};
pub use walk::Stream;

use crate::options::ParseOptions;
use crdkit_value::Limits;

/// How a stream is read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamOptions {
    /// How values are read, as for a document that is held whole. `bytes` of the limits counts the whole stream. In an
    /// open object an earlier value is gone when a later one with the same key comes, so there
    /// [`crdkit_value::Duplicates::LastWins`] reports the repetition.
    pub parse: ParseOptions,
    /// Whether findings know where in the input they are, which costs some time for every value.
    pub positions: bool,
    /// How many bytes are read at once.
    pub chunk: usize,
    /// Buffers, and what happens when they are too small.
    pub strategy: Strategy,
}

/// How much of an undecided value is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

impl Strategy {
    /// The default choices.
    pub fn new() -> Self {
        Self::default()
    }

    /// A value that takes more bytes of input is opened.
    #[must_use]
    pub fn threshold(self, threshold: usize) -> Self {
        Self { threshold, ..self }
    }

    /// What happens to one that cannot be decided when it is open.
    #[must_use]
    pub fn on_exceed(self, on_exceed: Resolution) -> Self {
        Self { on_exceed, ..self }
    }

    /// So many bytes of input are held under [`Resolution::FullBuffer`].
    #[must_use]
    pub fn max_buffered(self, max_buffered: usize) -> Self {
        Self { max_buffered, ..self }
    }
}

impl StreamOptions {
    /// The default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// How values are read.
    #[must_use]
    pub fn parse(self, parse: ParseOptions) -> Self {
        Self { parse, ..self }
    }

    /// Whether findings know where in the input they are.
    #[must_use]
    pub fn positions(self, yes: bool) -> Self {
        Self { positions: yes, ..self }
    }

    /// How many bytes are read at once.
    #[must_use]
    pub fn chunk(self, bytes: usize) -> Self {
        Self { chunk: bytes, ..self }
    }

    /// How much of an undecided value is held.
    #[must_use]
    pub fn strategy(self, strategy: Strategy) -> Self {
        Self { strategy, ..self }
    }
}

impl Default for StreamOptions {
    fn default() -> Self {
        let limits = Limits::new().bytes(usize::MAX);
        Self {
            parse: ParseOptions::new().limits(limits).presence(None),
            positions: true,
            chunk: 64 << 10,
            strategy: Strategy::default(),
        }
    }
}
