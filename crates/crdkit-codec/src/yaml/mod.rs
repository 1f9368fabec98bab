//! YAML, read as Kubernetes reads it.
//!
//! What `sigs.k8s.io/yaml` on `go.yaml.in/yaml/v2` makes of a text, this module makes of it: the same values, the
//! same strings for keys, the same refusals. The stages follow one another:
//!
//! ```text
//! bytes ─input→ text ─scan→ tokens ─parse→ events ─compose→ document
//! ```
//!
//! Nothing recurses on nesting, and every stage takes time in proportion to its input; what aliases may expand to
//! is bounded twice, by upstream's ratio and by [`crdkit_value::Limits`].

mod chars;
mod compose;
mod decode;
mod error;
mod event;
mod input;
mod number;
mod parse;
mod pieces;
mod reader;
mod resolve;
mod scan;
mod stream;
mod strict;
mod style;
mod tape;
mod timestamp;
mod windows;
mod write;

pub use decode::{Documents, decode};
pub use reader::Reader;
pub use strict::{DuplicateKey, DuplicateKeys, StrictDocument, StrictReader};
pub use write::{text, write};
