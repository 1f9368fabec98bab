//! The notation of a section: numbers, texts, lists, and records that are found by number.
//!
//! The data is made together with this program. What does not read well reads as nothing, so that no input can bring a
//! program down through it.

use std::sync::Arc;

/// A place in a section.
#[derive(Clone)]
pub(crate) struct SectionReader {
    texts: Arc<[&'static str]>,
    rest: &'static [u8],
}

impl SectionReader {
    /// The records of a section, after its table of texts.
    pub(crate) fn new(bytes: &'static [u8]) -> Self {
        let mut reader = Self { texts: Arc::from([]), rest: bytes };
        let count = reader.number();
        let texts: Vec<&str> = (0..count)
            .map(|_| {
                let length = reader.number();
                let (text, rest) = reader.rest.split_at_checked(length).unwrap_or_default();
                reader.rest = rest;
                std::str::from_utf8(text).unwrap_or_default()
            })
            .collect();
        reader.texts = texts.into();
        reader
    }

    pub(crate) fn number(&mut self) -> usize {
        let mut number = 0;
        for shift in (0..usize::BITS).step_by(7) {
            let Some((byte, rest)) = self.rest.split_first() else { return 0 };
            self.rest = rest;
            number |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        number
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.number() != 0
    }

    pub(crate) fn text(&mut self) -> &'static str {
        let number = self.number();
        self.texts.get(number).copied().unwrap_or_default()
    }

    pub(crate) fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.number();
        (0..count).map(|_| read(self)).collect()
    }

    pub(crate) fn texts(&mut self) -> Vec<&'static str> {
        self.list(Self::text)
    }

    /// Readers at each of the records that follow.
    pub(crate) fn indexed(&mut self) -> Vec<Self> {
        let count = self.number();
        let (ends, records) = self.rest.split_at_checked(count * 4).unwrap_or_default();
        let mut start = 0;
        let mut readers = Vec::with_capacity(count);
        for end in ends.chunks_exact(4) {
            let end = end.try_into().map(u32::from_le_bytes).unwrap_or_default();
            let end = usize::try_from(end).unwrap_or_default();
            let rest = records.get(start..end).unwrap_or_default();
            readers.push(Self { texts: Arc::clone(&self.texts), rest });
            start = end;
        }
        self.rest = records.get(start..).unwrap_or_default();
        readers
    }
}
