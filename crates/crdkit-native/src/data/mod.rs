//! The data file: what is known about native kinds, written by `tasks/native`.
//!
//! The file is compiled in. A section is unpacked when something in it is first asked for, and a type is read when an
//! object that has it is; whoever uses no native kind pays for neither. Everything that is read lives as long as the
//! program, so the rest of the crate refers to it.

mod kind;
mod message;
mod read;
mod types;

pub(crate) use kind::NameFormat;
pub use kind::{Column, NativeKind, Storage, Subresource};
pub(crate) use message::{Message, MessageField, Messages, Omit, WireType};
use read::SectionReader;
pub(crate) use types::{
    Body, Check, CheckPhase, Default, DefaultPhase, DefaultSource, Field, GoType, Special, Type,
    TypeId, Types,
};

use flate2::read::DeflateDecoder;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::sync::LazyLock;

/// The data of Kubernetes 1.37.
static FILE: &[u8] = include_bytes!("../../data/1.37.bin");

const MAGIC: &[u8] = b"crdkit-native\x01";

/// A section that was unpacked.
struct Section {
    bytes: Vec<u8>,
}

impl Section {
    /// The section with this number; empty if the file is not what this program reads, which a test rules out.
    fn unpack(number: usize) -> Self {
        let mut rest = FILE.strip_prefix(MAGIC).unwrap_or_default();
        for _ in 0..number {
            rest = split(rest).map_or(&[][..], |(_, _, rest)| rest);
        }
        let mut bytes = Vec::new();
        if let Some((packed, length, _)) = split(rest) {
            bytes.reserve_exact(length);
            let read = DeflateDecoder::new(packed).read_to_end(&mut bytes);
            debug_assert!(read.is_ok(), "the data file is damaged");
        }
        Self { bytes }
    }
}

/// The next section as it is packed, its length when it is not, and what follows.
fn split(bytes: &[u8]) -> Option<(&[u8], usize, &[u8])> {
    let (packed, rest) = bytes.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let at = |bytes: &[u8; 4]| usize::try_from(u32::from_le_bytes(*bytes)).ok();
    let (section, rest) = rest.split_at_checked(at(packed)?)?;
    Some((section, at(length)?, rest))
}

/// Kinds and their types.
pub(crate) struct Objects {
    pub(crate) release: &'static str,
    /// What a server has made itself, as JSON.
    pub(crate) present_at_start: &'static str,
    pub(crate) kinds: Vec<NativeKind>,
    pub(crate) types: Types,
}

/// What is known about objects.
pub(crate) fn objects() -> &'static Objects {
    static SECTION: LazyLock<Section> = LazyLock::new(|| Section::unpack(0));
    static OBJECTS: LazyLock<Objects> = LazyLock::new(|| {
        let mut reader = SectionReader::new(&SECTION.bytes);
        let (release, present_at_start) = (reader.text(), reader.text());
        let kinds = reader.list(NativeKind::of_record);
        Objects { release, present_at_start, kinds, types: Types::new(reader) }
    });
    &OBJECTS
}

/// Protobuf messages.
pub(crate) fn messages() -> &'static Messages {
    static SECTION: LazyLock<Section> = LazyLock::new(|| Section::unpack(1));
    static MESSAGES: LazyLock<Messages> =
        LazyLock::new(|| Messages::new(SectionReader::new(&SECTION.bytes)));
    &MESSAGES
}

/// The published schema of each type, as JSON, by the name of its definition.
pub(crate) fn schemas() -> &'static BTreeMap<&'static str, &'static str> {
    static SECTION: LazyLock<Section> = LazyLock::new(|| Section::unpack(2));
    static SCHEMAS: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
        let mut reader = SectionReader::new(&SECTION.bytes);
        reader.list(|reader| (reader.text(), reader.text())).into_iter().collect()
    });
    &SCHEMAS
}
