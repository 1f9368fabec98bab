//! The notation of the data file.
//!
//! A file is `crdkit-native`, the version of the notation, and sections, each with its two lengths and deflated.
//! A section is a table of texts and then records, in which numbers are LEB128, a text is its number in the table,
//! and a list begins with its length.

use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::collections::HashMap;
use std::io::Write as _;

const MAGIC: &[u8] = b"crdkit-native\x01";

/// A section that is being written.
#[derive(Default)]
pub(crate) struct Section {
    texts: Vec<String>,
    numbers: HashMap<String, usize>,
    body: Vec<u8>,
}

impl Section {
    pub(crate) fn number(&mut self, mut number: usize) {
        while number >= 0x80 {
            self.body.push(u8::try_from(number & 0x7f).unwrap_or_default() | 0x80);
            number >>= 7;
        }
        self.body.push(u8::try_from(number).unwrap_or_default());
    }

    pub(crate) fn flag(&mut self, flag: bool) {
        self.body.push(u8::from(flag));
    }

    pub(crate) fn text(&mut self, text: &str) {
        let next = self.texts.len();
        let number = *self.numbers.entry(text.to_owned()).or_insert_with(|| {
            self.texts.push(text.to_owned());
            next
        });
        self.number(number);
    }

    pub(crate) fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        mut write: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        let items = items.into_iter();
        self.number(items.len());
        for item in items {
            write(self, item)?;
        }
        Ok(())
    }

    pub(crate) fn texts(&mut self, items: &[&str]) {
        self.number(items.len());
        for item in items {
            self.text(item);
        }
    }

    /// Records that can be found by number: how many, the end of each, the records.
    pub(crate) fn indexed<T>(
        &mut self,
        items: &[T],
        mut write: impl FnMut(&mut Self, &T) -> Result<()>,
    ) -> Result<()> {
        self.number(items.len());
        let before = std::mem::take(&mut self.body);
        let mut ends = Vec::new();
        for item in items {
            write(self, item)?;
            ends.push(u32::try_from(self.body.len())?);
        }
        let records = std::mem::replace(&mut self.body, before);
        for end in ends {
            self.body.extend_from_slice(&end.to_le_bytes());
        }
        self.body.extend_from_slice(&records);
        Ok(())
    }

    fn bytes(mut self) -> Vec<u8> {
        let body = std::mem::take(&mut self.body);
        let texts = std::mem::take(&mut self.texts);
        self.number(texts.len());
        for text in texts {
            self.number(text.len());
            self.body.extend_from_slice(text.as_bytes());
        }
        self.body.extend_from_slice(&body);
        self.body
    }
}

/// The whole file.
pub(crate) fn file(sections: impl IntoIterator<Item = Section>) -> Result<Vec<u8>> {
    let mut out = MAGIC.to_vec();
    for section in sections {
        let bytes = section.bytes();
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&bytes).context("compressing")?;
        let packed = encoder.finish().context("compressing")?;
        for length in [packed.len(), bytes.len()] {
            out.extend_from_slice(&u32::try_from(length)?.to_le_bytes());
        }
        out.extend_from_slice(&packed);
    }
    Ok(out)
}
