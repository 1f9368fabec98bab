//! Where values stood in the source: an optional table beside the nodes.

use crate::NodeId;
use crdkit_issue::Span;

/// Where one value, and the key before it, stood in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceSpans {
    /// The value; an array or object from its first to its last byte.
    pub value: Span,
    /// The key, for a member of an object.
    pub key: Option<Span>,
}

/// Offsets in 32 bits, relative to `base`, one row per node made while decoding.
#[derive(Clone, Debug, Default)]
pub(crate) struct Positions {
    base: usize,
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    value: [u32; 2],
    /// Empty (start equal to end) when there is no key: a written key has at least one byte,
    /// except for the empty plain key of YAML, which has no place of its own either.
    key: [u32; 2],
}

impl Row {
    /// Stands for a value that did not come from the source.
    const NOWHERE: Self = Self { value: [u32::MAX, 0], key: [0, 0] };
}

impl Positions {
    /// A table for a document whose first byte stands at `base`, with room for `capacity` rows.
    pub(crate) fn new(base: usize, capacity: usize) -> Self {
        Self { base, rows: Vec::with_capacity(capacity) }
    }

    /// Says that the source stands at `offset` of something larger.
    pub(crate) fn shift(&mut self, offset: usize) {
        self.base += offset;
    }

    /// The rows of `ids`, in that order.
    pub(crate) fn select(&self, ids: impl Iterator<Item = NodeId>) -> Self {
        let row = |id: NodeId| self.rows.get(id.index()).copied().unwrap_or(Row::NOWHERE);
        Self { base: self.base, rows: ids.map(row).collect() }
    }

    /// Adds a row; a value without a key has an empty span for it.
    pub(crate) fn push(&mut self, value: Span, key: Span) {
        self.rows.push(Row { value: self.pack(value), key: self.pack(key) });
    }

    pub(crate) fn set_end(&mut self, id: NodeId, end: usize) {
        let end = self.offset(end);
        if let Some(Row { value: [_, old], .. }) = self.rows.get_mut(id.index()) {
            *old = end;
        }
    }

    pub(crate) fn place(&self, id: NodeId) -> Option<SourceSpans> {
        let row = self.rows.get(id.index()).filter(|row| row.value != Row::NOWHERE.value)?;
        let [start, end] = row.key;
        let key = (start < end).then(|| self.unpack(row.key));
        Some(SourceSpans { value: self.unpack(row.value), key })
    }

    fn pack(&self, span: Span) -> [u32; 2] {
        [self.offset(span.start), self.offset(span.end)]
    }

    fn unpack(&self, [start, end]: [u32; 2]) -> Span {
        Span::new(start as usize, end as usize).shifted(self.base)
    }

    fn offset(&self, offset: usize) -> u32 {
        u32::try_from(offset.saturating_sub(self.base)).unwrap_or(u32::MAX)
    }
}
