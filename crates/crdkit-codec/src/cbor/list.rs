//! Lists written item by item, so that memory does not grow with the list.
//!
//! The bytes are those of the whole list encoded at once. Each head, key, field and item is one write;
//! an item is encoded into a buffer first, so a list that fails midway ends before the item that failed.
//!
//! Upstream: `k8s.io/apimachinery/pkg/runtime/serializer/cbor/collections.go`.

use super::SELF_DESCRIBED;
use super::emit::{write_bytes, write_head};
use super::head::Major;
use super::key::key_order;
use super::write::{NotFinite, Order, write};
use crdkit_value::Value;
use std::fmt;
use std::io::{self, Write};

/// Why a value could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// It has a number that CBOR for Kubernetes cannot hold.
    NotFinite(NotFinite),
    /// There were more or fewer items than announced.
    Count {
        /// How many were announced.
        announced: usize,
    },
    /// Writing failed.
    Io(io::Error),
}

/// Writes one list; the number of items is known from the beginning, the items come one by one.
#[derive(Debug)]
pub struct ListWriter<W> {
    out: W,
    order: Order,
    announced: usize,
    left: usize,
    /// What follows the items.
    tail: Vec<Vec<u8>>,
    buffer: Vec<u8>,
}

impl<W: Write> ListWriter<W> {
    /// Writes the beginning of a list of `n_items` items. `fields` is an object with all fields of the
    /// list; a field `items` in it is left out in favour of the items to come.
    ///
    /// # Errors
    /// When a field cannot be encoded or writing fails.
    pub fn begin(
        out: W,
        fields: Value<'_>,
        n_items: usize,
        order: Order,
    ) -> Result<Self, WriteError> {
        let mut members: Vec<_> = fields
            .members()
            .map(|(key, member)| (member.key_bytes().unwrap_or(key.as_bytes()), Some(member)))
            .filter(|(key, _)| *key != b"items")
            .chain([(b"items".as_slice(), None)])
            .collect();
        match order {
            Order::Sorted => members.sort_by(|(left, _), (right, _)| key_order(left, right)),
            Order::Rotated(seed) => {
                let n = members.len() as u64;
                let start = usize::try_from(((seed >> 32) * n) >> 32).unwrap_or_default();
                members.rotate_left(start);
            }
        }
        let mut writer = Self {
            out,
            order,
            announced: n_items,
            left: n_items,
            tail: Vec::new(),
            buffer: Vec::new(),
        };
        writer.out.write_all(&SELF_DESCRIBED)?;
        writer.head(Major::Map, members.len())?;
        let mut members = members.into_iter();
        for (key, member) in members.by_ref() {
            writer.buffer.clear();
            write_bytes(key, &mut writer.buffer);
            writer.flush()?;
            let Some(member) = member else { break };
            write(member, order, &mut writer.buffer)?;
            writer.flush()?;
        }
        writer.head(Major::Array, n_items)?;
        for (key, member) in members {
            let mut piece = Vec::new();
            write_bytes(key, &mut piece);
            writer.tail.push(piece);
            let mut piece = Vec::new();
            if let Some(member) = member {
                write(member, order, &mut piece)?;
            }
            writer.tail.push(piece);
        }
        Ok(writer)
    }

    /// Writes the next item.
    ///
    /// # Errors
    /// When it cannot be encoded, in which case nothing of it is written; when there are more items than
    /// announced; when writing fails.
    pub fn item(&mut self, item: Value<'_>) -> Result<(), WriteError> {
        self.count()?;
        self.buffer.clear();
        write(item, self.order, &mut self.buffer)?;
        self.flush()
    }

    /// Writes the next item, which is CBOR already.
    ///
    /// # Errors
    /// When there are more items than announced, or writing fails.
    pub fn encoded_item(&mut self, item: &[u8]) -> Result<(), WriteError> {
        self.count()?;
        self.out.write_all(item)?;
        Ok(())
    }

    /// Writes what follows the items, and gives back what was written to.
    ///
    /// # Errors
    /// When there were fewer items than announced, or writing fails.
    pub fn finish(mut self) -> Result<W, WriteError> {
        if self.left > 0 {
            return Err(WriteError::Count { announced: self.announced });
        }
        for piece in &self.tail {
            self.out.write_all(piece)?;
        }
        Ok(self.out)
    }

    fn count(&mut self) -> Result<(), WriteError> {
        let announced = self.announced;
        self.left = self.left.checked_sub(1).ok_or(WriteError::Count { announced })?;
        Ok(())
    }

    fn head(&mut self, major: Major, argument: usize) -> Result<(), WriteError> {
        self.buffer.clear();
        write_head(major, argument as u64, &mut self.buffer);
        self.flush()
    }

    fn flush(&mut self) -> Result<(), WriteError> {
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

/// Writes a list that is at hand, item by item; what is not an array under `items` is not an item.
///
/// # Errors
/// When something cannot be encoded or writing fails.
pub fn write_list<W: Write>(out: W, list: Value<'_>, order: Order) -> Result<W, WriteError> {
    let items = list.get("items");
    let items = || items.into_iter().flat_map(Value::items);
    let mut writer = ListWriter::begin(out, list, items().count(), order)?;
    for item in items() {
        writer.item(item)?;
    }
    writer.finish()
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite(number) => number.fmt(f),
            Self::Count { announced } => write!(f, "the list does not have {announced} items"),
            Self::Io(_) => f.write_str("the output could not be written"),
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<NotFinite> for WriteError {
    fn from(number: NotFinite) -> Self {
        Self::NotFinite(number)
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
