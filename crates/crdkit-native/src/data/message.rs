//! Protobuf messages: numbers, names and types of their fields.

use super::read::SectionReader;
pub(crate) use super::types::Omit;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// All messages, each read when it is first asked for.
pub(crate) struct Messages {
    kinds: BTreeMap<&'static str, usize>,
    rows: Vec<(SectionReader, OnceLock<Message>)>,
}

/// A message.
pub(crate) struct Message {
    /// The name of its definition.
    pub(crate) name: &'static str,
    /// Whether its JSON is not an object with its fields.
    pub(crate) is_special: bool,
    /// Fields by number, ascending.
    pub(crate) fields: Vec<MessageField>,
}

/// A field of a message.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each known by its name")]
pub(crate) struct MessageField {
    pub(crate) number: u32,
    pub(crate) name: &'static str,
    pub(crate) of: WireType,
    pub(crate) is_map: bool,
    pub(crate) is_repeated: bool,
    pub(crate) is_pointer: bool,
    /// Whether its fields are those of the object around.
    pub(crate) is_inline: bool,
    pub(crate) omit: Omit,
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WireType {
    String,
    Bool,
    Int32,
    Int64,
    Double,
    Bytes,
    Message(usize),
}

impl Messages {
    pub(super) fn new(mut reader: SectionReader) -> Self {
        let kinds = reader.list(|reader| (reader.text(), reader.number())).into_iter().collect();
        let rows = reader.indexed().into_iter().map(|row| (row, OnceLock::new())).collect();
        Self { kinds, rows }
    }

    pub(crate) fn get(&self, number: usize) -> Option<&Message> {
        let (reader, slot) = self.rows.get(number)?;
        Some(slot.get_or_init(|| Message::read(&mut reader.clone())))
    }

    /// The message of a kind, called as in `apps/v1/Deployment`.
    pub(crate) fn of_kind(&self, kind: &str) -> Option<&Message> {
        self.get(*self.kinds.get(kind)?)
    }
}

impl Message {
    fn read(reader: &mut SectionReader) -> Self {
        let (name, is_special) = (reader.text(), reader.flag());
        let mut fields = reader.list(MessageField::read);
        fields.sort_by_key(|field| field.number);
        Self { name, is_special, fields }
    }
}

impl MessageField {
    fn read(reader: &mut SectionReader) -> Self {
        Self {
            number: u32::try_from(reader.number()).unwrap_or_default(),
            name: reader.text(),
            of: match reader.number() {
                0 => WireType::String,
                1 => WireType::Bool,
                2 => WireType::Int32,
                3 => WireType::Int64,
                4 => WireType::Double,
                5 => WireType::Bytes,
                message => WireType::Message(message - 6),
            },
            is_map: reader.flag(),
            is_repeated: reader.flag(),
            is_pointer: reader.flag(),
            is_inline: reader.flag(),
            omit: match reader.number() {
                1 => Omit::Never,
                2 => Omit::Zero,
                _ => Omit::Empty,
            },
        }
    }
}
