//! Where to go on after text that is not JSON.
//!
//! Takes a reader that stands at an error; leaves it where another document can begin. That is after the bracket
//! that closes the broken document, found by counting; or at an opening brace at the beginning of a line where no
//! value can stand, which is what follows a document that was cut off. A line feed cannot be inside a string, so
//! that such a brace is always one of the text's structure. Every byte is looked at once.

use super::reader::Reader;
use super::source::ByteSource;
use crate::DecodeError;

/// How a search for the end of a broken document ended.
pub(super) enum Resumed {
    /// The reader stands where another document can begin, or at the end of the input.
    Found,
    /// There is no such place, although another document seems to begin at this offset of the input.
    Lost(usize),
}

/// A search that goes on from one window to the next.
struct Search {
    mode: Mode,
    in_string: bool,
    escaped: bool,
    /// Whether the next byte is the first of a line.
    line_start: bool,
    /// The last byte that is not white space, outside strings and anywhere.
    previous: u8,
    previous_anywhere: u8,
    /// Where another document seems to begin.
    seam: Option<usize>,
}

/// What is passed over.
enum Mode {
    /// The rest of a document, with so many arrays and objects open.
    Document(usize),
    /// Commas, closing brackets and byte order marks between documents.
    Marks,
    /// Something else between documents.
    Words,
}

impl<S: ByteSource> Reader<S> {
    /// Passes over the rest of the current line, to go on after a line that is not JSON.
    ///
    /// # Errors
    /// When reading fails.
    pub fn skip_line(&mut self) -> Result<(), DecodeError> {
        loop {
            let at = self.parser.at();
            let window = self.source.window();
            let rest = window.get(at..).unwrap_or_default();
            if let Some(feed) = memchr::memchr(b'\n', rest) {
                self.parser.move_to(at + feed + 1);
                return Ok(());
            }
            self.parser.move_to(window.len());
            if self.at_end {
                return Ok(());
            }
            self.refill()?;
        }
    }

    /// Passes over `byte` if it comes next.
    pub(super) fn skip_byte(&mut self, byte: u8) -> bool {
        let at = self.parser.at();
        let is_next = self.source.window().get(at) == Some(&byte);
        self.parser.move_to(at + usize::from(is_next));
        is_next
    }

    /// Passes over the rest of what is not JSON, up to where no more than `n_outer` arrays and objects are open.
    pub(super) fn skip_broken(&mut self, n_outer: usize) -> Result<Resumed, DecodeError> {
        if self.parser.is_done() {
            return Ok(Resumed::Found);
        }
        let before = match self.parser.at().checked_sub(1) {
            Some(before) => self.source.window().get(before).copied(),
            None => self.before,
        };
        let mut search = Search {
            mode: match self.parser.depth().saturating_sub(n_outer) {
                0 => Mode::Marks,
                depth => Mode::Document(depth),
            },
            in_string: false,
            escaped: false,
            line_start: matches!(before, None | Some(b'\n')),
            previous: 0,
            previous_anywhere: 0,
            seam: None,
        };
        loop {
            let at = self.parser.at();
            let window = self.source.window();
            for (byte, at) in window.get(at..).unwrap_or_default().iter().zip(at..) {
                let is_new = self.base + at > self.document_start;
                if let Some(passed) = search.step(*byte, self.base + at, is_new) {
                    self.parser.move_to(at + passed);
                    return Ok(Resumed::Found);
                }
            }
            self.parser.move_to(window.len());
            if self.at_end {
                return Ok(search.seam.map_or(Resumed::Found, Resumed::Lost));
            }
            self.refill()?;
        }
    }
}

impl Search {
    /// Takes the byte at `offset`; gives how many of its bytes, none or one, belong to what is passed over if
    /// that ends here. `is_new` says that a document beginning here is not the broken one.
    fn step(&mut self, byte: u8, offset: usize, is_new: bool) -> Option<usize> {
        let line_start = std::mem::replace(&mut self.line_start, byte == b'\n');
        let is_space = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        if !is_space {
            // Quotes may be what is wrong, so that this counts inside of what looks like a string as well.
            let between = self.previous_anywhere == b'}' || matches!(self.mode, Mode::Words);
            if byte == b'{' && between && is_new {
                self.seam.get_or_insert(offset);
            }
            self.previous_anywhere = byte;
        }
        let Mode::Document(depth) = &mut self.mode else {
            return match byte {
                b'{' if line_start && is_new => Some(0),
                _ if is_space || matches!(self.mode, Mode::Words) => None,
                b',' | b']' | b'}' | 0xEF | 0xBB | 0xBF => None,
                _ if is_new => Some(0),
                _ => {
                    self.mode = Mode::Words;
                    None
                }
            };
        };
        if self.in_string {
            match byte {
                b'\n' => (self.in_string, self.escaped) = (false, false),
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return None;
        }
        match byte {
            _ if is_space => return None,
            b'{' if line_start && is_new && !matches!(self.previous, b',' | b':' | b'[') => {
                return Some(0);
            }
            b'"' => self.in_string = true,
            b'{' | b'[' => *depth += 1,
            b'}' | b']' => {
                *depth -= 1;
                if *depth == 0 {
                    return Some(1);
                }
            }
            _ => {}
        }
        self.previous = byte;
        None
    }
}
