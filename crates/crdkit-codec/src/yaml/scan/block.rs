//! Literal (`|`) and folded (`>`) block scalars.

use std::borrow::Cow;

use super::super::chars::{break_length, break_text};
use super::super::error::Failure;
use super::{ScanResult, Scanner, TokenKind, YamlToken};

/// What happens to the line breaks at the end of a block scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    /// `-`: none is kept.
    Strip,
    /// The default: one is kept.
    Clip,
    /// `+`: all are kept.
    Keep,
}

impl Scanner<'_> {
    pub(super) fn fetch_block_scalar(&mut self, literal: bool) -> ScanResult {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        let start = self.position;
        self.position += 1;
        let (chomping, increment) = self.block_header()?;
        self.finish_line()?;

        let mut indent = match increment {
            0 => 0,
            increment => self.indent.saturating_sub(1) + increment,
        };
        let mut text = String::new();
        let mut leading_break = "";
        let mut trailing_breaks = String::new();
        let mut end = self.block_breaks(&mut indent, &mut trailing_breaks)?;
        let mut after_blank = false;
        while self.position < self.text.len() && self.position - self.line_start == indent {
            let before_blank = matches!(self.byte(0), b' ' | b'\t');
            if !literal && !after_blank && !before_blank && leading_break == "\n" {
                if trailing_breaks.is_empty() {
                    text.push(' ');
                }
            } else {
                text.push_str(leading_break);
            }
            text.push_str(&trailing_breaks);
            trailing_breaks.clear();
            after_blank = before_blank;

            let line_end = self.line_end(self.position);
            text.push_str(self.text.get(self.position..line_end).unwrap_or_default());
            self.position = line_end;
            leading_break = match break_length(self.bytes(), line_end) {
                0 => "",
                length => {
                    self.skip_break(length);
                    break_text(self.bytes(), line_end)
                }
            };
            end = self.block_breaks(&mut indent, &mut trailing_breaks)?;
        }
        if chomping != Chomping::Strip {
            text.push_str(leading_break);
        }
        if chomping == Chomping::Keep {
            text.push_str(&trailing_breaks);
        }
        let kind = TokenKind::Scalar { plain: false };
        self.push(YamlToken::with_text(kind, start, end, Cow::Owned(text)));
        Ok(())
    }

    /// The indicators after `|` or `>`, in either order: how to chomp, and the indentation, zero if not given.
    fn block_header(&mut self) -> Result<(Chomping, usize), Failure> {
        let mut chomping = self.chomping_indicator();
        let increment = match self.byte(0) {
            b'0' => return Err(self.error("found an indentation indicator equal to 0")),
            digit @ b'1'..=b'9' => {
                self.position += 1;
                usize::from(digit - b'0')
            }
            _ => 0,
        };
        if chomping.is_none() {
            chomping = self.chomping_indicator();
        }
        Ok((chomping.unwrap_or(Chomping::Clip), increment))
    }

    fn chomping_indicator(&mut self) -> Option<Chomping> {
        let chomping = match self.byte(0) {
            b'+' => Chomping::Keep,
            b'-' => Chomping::Strip,
            _ => return None,
        };
        self.position += 1;
        Some(chomping)
    }

    /// Moves past indentation and empty lines, whose breaks go to `breaks`. An `indent` of zero is not known yet
    /// and is set from the deepest line seen. Gives the end of the last line of the scalar.
    fn block_breaks(&mut self, indent: &mut usize, breaks: &mut String) -> Result<usize, Failure> {
        let mut end = self.position;
        let mut deepest = 0;
        loop {
            // Only spaces have been passed on this line, so bytes are columns.
            while (*indent == 0 || self.position - self.line_start < *indent)
                && self.byte(0) == b' '
            {
                self.position += 1;
            }
            let column = self.position - self.line_start;
            deepest = deepest.max(column);
            if (*indent == 0 || column < *indent) && self.byte(0) == b'\t' {
                return Err(
                    self.error("found a tab character where an indentation space is expected")
                );
            }
            match break_length(self.bytes(), self.position) {
                0 => break,
                length => {
                    breaks.push_str(break_text(self.bytes(), self.position));
                    self.skip_break(length);
                    end = self.position;
                }
            }
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent).max(1);
        }
        Ok(end)
    }
}
