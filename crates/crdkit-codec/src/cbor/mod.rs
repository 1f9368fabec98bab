//! CBOR (RFC 8949) as the Kubernetes serializer reads and writes it.
//!
//! Strings are byte strings and need not be UTF-8; integers are 64 bits with a sign and never turn into
//! floats; NaN, infinities, bignums and simple values other than `true`, `false` and `null` are refused;
//! keys are strings, and a key that occurs twice is always an error. Output has the shortest heads and
//! floats and definite lengths, keys shorter ones first, and before an object the three bytes of
//! tag 55799, by which stored CBOR is told from JSON.
//!
//! [`Reader`] gives the same events as the other formats, so everything above a codec works on CBOR
//! unchanged. Nothing recurses, and no memory is taken for a length that is only claimed.
//!
//! Upstream: `k8s.io/apimachinery/pkg/runtime/serializer/cbor` with `github.com/fxamacker/cbor/v2` 2.9.1.

pub mod diag;

#[cfg(feature = "serde")]
mod bridge;
mod decode;
mod emit;
mod head;
mod key;
mod list;
mod object;
mod parse;
mod plain;
mod problem;
mod raw;
mod reader;
mod rules;
mod sequence;
mod sniff;
mod text;
mod time;
mod transcode;
mod verdict;
mod write;

#[cfg(feature = "serde")]
pub use bridge::{Error, from_slice, from_slice_keeping_raw, from_slice_strict, to_vec, write_to};
pub use decode::{Documents, decode, decode_stored};
pub use list::{ListWriter, WriteError, write_list};
pub use object::{Object, ObjectError, decode_list, decode_object, object_kind};
pub use raw::{FieldsV1, RawError, RawExtension, RawFormat, check_embedded};
pub use reader::Reader;
pub use rules::Rules;
pub use sequence::{Frames, SequenceWriter};
pub use transcode::{TranscodeError, from_json, to_json};
pub use write::{NotFinite, Order, encode, write};

/// The head of tag 55799, which says that CBOR follows and begins no JSON text.
pub const SELF_DESCRIBED: [u8; 3] = [0xD9, 0xD9, 0xF7];
