//! Places in source text: byte spans, and lines and columns for people.

/// A range of bytes in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset behind the last byte.
    pub end: usize,
}

/// A line and a column, both from 1; a column is a character, not a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

/// Where the lines of a text begin.
#[derive(Clone, Debug)]
pub struct LineIndex {
    /// Offset of the first byte of each line; the first is 0.
    starts: Vec<usize>,
}

impl Span {
    /// From `start` up to and without `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The empty span at `offset`.
    pub fn at(offset: usize) -> Self {
        Self { start: offset, end: offset }
    }

    /// The same span in a text that has `offset` more bytes in front.
    #[must_use]
    pub fn shifted(self, offset: usize) -> Self {
        Self { start: self.start + offset, end: self.end + offset }
    }
}

impl LineIndex {
    /// Finds the lines of `text`; a line ends with a line feed.
    pub fn new(text: &[u8]) -> Self {
        let after_feeds =
            text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        Self { starts: std::iter::once(0).chain(after_feeds).collect() }
    }

    /// The line and column of `offset` in `text`, the text this index was made of.
    pub fn position(&self, text: &[u8], offset: usize) -> Position {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.line_start(line);
        let before = text.get(start..offset).unwrap_or_default();
        // Every byte that does not continue a UTF-8 sequence begins a character.
        let column = before.iter().filter(|byte| (**byte & 0xC0) != 0x80).count() + 1;
        Position { line, column }
    }

    /// Offset of the first byte of `line`, counted from 1.
    pub fn line_start(&self, line: usize) -> usize {
        self.starts.get(line.saturating_sub(1)).copied().unwrap_or_default()
    }

    /// How many lines there are.
    pub fn n_lines(&self) -> usize {
        self.starts.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let text = "a: ü\r\nbc\n".as_bytes();
        let index = LineIndex::new(text);
        let at = |offset| {
            let position = index.position(text, offset);
            (position.line, position.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(3), (1, 4));
        assert_eq!(at(5), (1, 5));
        assert_eq!(at(7), (2, 1));
        assert_eq!(at(10), (3, 1));
        assert_eq!(at(999), (3, 1));
    }
}
