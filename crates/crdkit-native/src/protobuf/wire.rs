//! The wire: tags, varints, lengths.

use super::ProtobufError;

/// What stands behind a tag.
#[derive(Clone, Copy, Debug)]
pub(super) enum WireValue<'b> {
    Varint(u64),
    Fixed(u64),
    Bytes(&'b [u8]),
}

impl<'b> WireValue<'b> {
    pub(super) fn bytes(self) -> Result<&'b [u8], ProtobufError> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            _ => Err(ProtobufError::Malformed),
        }
    }

    pub(super) fn number(self) -> Result<u64, ProtobufError> {
        match self {
            Self::Varint(number) | Self::Fixed(number) => Ok(number),
            Self::Bytes(_) => Err(ProtobufError::Malformed),
        }
    }
}

/// All fields of a message with their numbers, in their order.
pub(super) fn fields(mut bytes: &[u8]) -> Result<Vec<(u32, WireValue<'_>)>, ProtobufError> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes)?;
        let number = u32::try_from(tag >> 3).map_err(|_| ProtobufError::Malformed)?;
        let field = match tag & 7 {
            0 => WireValue::Varint(varint(&mut bytes)?),
            1 => {
                let (head, rest) =
                    bytes.split_first_chunk::<8>().ok_or(ProtobufError::Malformed)?;
                bytes = rest;
                WireValue::Fixed(u64::from_le_bytes(*head))
            }
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).unwrap_or(usize::MAX);
                let (head, rest) =
                    bytes.split_at_checked(length).ok_or(ProtobufError::Malformed)?;
                bytes = rest;
                WireValue::Bytes(head)
            }
            5 => {
                let (head, rest) =
                    bytes.split_first_chunk::<4>().ok_or(ProtobufError::Malformed)?;
                bytes = rest;
                WireValue::Fixed(u32::from_le_bytes(*head).into())
            }
            _ => return Err(ProtobufError::Malformed),
        };
        fields.push((number, field));
    }
    Ok(fields)
}

fn varint(bytes: &mut &[u8]) -> Result<u64, ProtobufError> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or(ProtobufError::Malformed)?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    Err(ProtobufError::Malformed)
}

/// Bytes written from the end, so that the length of a message is known when it is written.
#[derive(Default)]
pub(super) struct Backwards {
    written: Vec<u8>,
    /// How many messages are open.
    pub(super) depth: usize,
}

impl Backwards {
    pub(super) fn len(&self) -> usize {
        self.written.len()
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.written.reverse();
        self.written
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.written.extend(bytes.iter().rev());
    }

    fn varint(&mut self, mut number: u64) {
        let start = self.written.len();
        while number >= 0x80 {
            self.written.push(u8::try_from(number & 0x7f).unwrap_or_default() | 0x80);
            number >>= 7;
        }
        self.written.push(u8::try_from(number).unwrap_or_default());
        if let Some(written) = self.written.get_mut(start..) {
            written.reverse();
        }
    }

    fn tag(&mut self, number: u32, kind: u64) {
        self.varint(u64::from(number) << 3 | kind);
    }

    pub(super) fn number(&mut self, field: u32, number: u64) {
        self.varint(number);
        self.tag(field, 0);
    }

    pub(super) fn double(&mut self, field: u32, number: f64) {
        self.raw(&number.to_bits().to_le_bytes());
        self.tag(field, 1);
    }

    pub(super) fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.raw(bytes);
        self.close(field, self.written.len() - bytes.len());
    }

    /// Ends, towards the front, a message that began when `before` bytes were written.
    pub(super) fn close(&mut self, field: u32, before: usize) {
        let length = self.written.len() - before;
        self.varint(u64::try_from(length).unwrap_or_default());
        self.tag(field, 2);
    }
}
