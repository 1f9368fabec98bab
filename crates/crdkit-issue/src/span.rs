//! Places in source text: byte spans, and lines and columns for people.

/// A range of bytes in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
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
    /// How many characters begin before every [`STRIDE`]th byte, so that many places on one long line
    /// take no more time than on many lines.
    characters: Vec<usize>,
}

const STRIDE: usize = 1024;

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
        let mut before = 0;
        let strides = text.chunks(STRIDE).map(|stride| {
            before += n_characters(stride);
            before
        });
        Self {
            starts: std::iter::once(0).chain(after_feeds).collect(),
            characters: std::iter::once(0).chain(strides).collect(),
        }
    }

    /// The line and column of `offset` in `text`, the text this index was made of.
    pub fn position(&self, text: &[u8], offset: usize) -> Position {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.line_start(line);
        let n_before = if offset - start <= STRIDE {
            n_characters(text.get(start..offset).unwrap_or_default())
        } else {
            self.n_before(text, offset).saturating_sub(self.n_before(text, start))
        };
        Position { line, column: n_before + 1 }
    }

    /// How many characters begin before `offset`.
    fn n_before(&self, text: &[u8], offset: usize) -> usize {
        let stride = offset / STRIDE;
        let known = self.characters.get(stride).copied().unwrap_or_default();
        known + n_characters(text.get(stride * STRIDE..offset).unwrap_or_default())
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

/// Every byte that does not continue a UTF-8 sequence begins a character.
fn n_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_long_lines_count_characters_too() {
        let line = "aüb€𝄞".repeat(STRIDE);
        let text = format!("first\n{line}\n{line}");
        let index = LineIndex::new(text.as_bytes());
        for (offset, _) in text.char_indices().step_by(7) {
            let before = text.get(..offset).unwrap_or_default();
            let start = before.rfind('\n').map_or(0, |feed| feed + 1);
            let column = before.get(start..).unwrap_or_default().chars().count() + 1;
            assert_eq!(index.position(text.as_bytes(), offset).column, column, "at {offset}");
        }
    }

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
