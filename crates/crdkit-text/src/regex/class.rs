//! Character classes: `[…]`, `\d`, `[:alpha:]`, `\p{…}`, with their negations and case folding.
//!
//! Takes the pattern at a class, gives the set of code points and where the class ends.
//! Upstream: Go `regexp/syntax`, `parseClass` and `parseUnicodeClass`.

use super::error::ErrorKind;
use super::parse::{PatternResult, RegexParser};
use crate::unicode::{self, Ranges};

impl RegexParser<'_> {
    /// Parses the bracketed class that starts at `start`.
    pub(super) fn bracket_class(&mut self, start: usize) -> PatternResult<(Ranges, usize)> {
        let mut at = start + 1;
        let negated = self.byte(at) == Some(b'^');
        if negated {
            at += 1;
        }
        let mut ranges = Ranges::new();
        let mut first = true;
        while first || self.byte(at) != Some(b']') {
            first = false;
            if let Some((class, next)) = self.posix_class(at)? {
                ranges.extend(class);
                at = next;
            } else if let Some((class, next)) = self.escaped_class(at)? {
                ranges.extend(class);
                at = next;
            } else {
                at = self.class_range(start, at, &mut ranges)?;
            }
        }
        unicode::clean(&mut ranges);
        if negated {
            ranges = unicode::negate(&ranges);
        }
        Ok((ranges, at + 1))
    }

    /// One character or `low-high` at `from`, inside the class that starts at `start`.
    fn class_range(
        &mut self,
        start: usize,
        from: usize,
        ranges: &mut Ranges,
    ) -> PatternResult<usize> {
        let (low, mut at) = self.class_char(start, from)?;
        let mut high = low;
        // In `[a-]` the hyphen is itself.
        if self.byte(at) == Some(b'-') && self.byte(at + 1).is_some_and(|next| next != b']') {
            (high, at) = self.class_char(start, at + 1)?;
            if high < low {
                return Err(self.error(ErrorKind::CharRange, from, at));
            }
        }
        ranges.push((low, high));
        if self.flags.fold {
            // Folding a wide range takes time that its few bytes do not show.
            self.charge(u64::from(high - low) / 64)?;
            unicode::add_folded(ranges, low, high);
        }
        Ok(at)
    }

    fn class_char(&self, start: usize, at: usize) -> PatternResult<(u32, usize)> {
        match self.char(at) {
            None => Err(self.error(ErrorKind::MissingBracket, start, self.pattern.len())),
            Some('\\') => self.escape(at),
            Some(c) => Ok((u32::from(c), at + c.len_utf8())),
        }
    }

    /// `[:name:]` or `[:^name:]`, when there is one.
    fn posix_class(&self, at: usize) -> PatternResult<Option<(Ranges, usize)>> {
        let rest = self.rest(at);
        if rest.len() <= 2 || !rest.starts_with("[:") {
            return Ok(None);
        }
        let Some(length) = rest.get(2..).and_then(|name| name.find(":]")) else {
            return Ok(None);
        };
        let end = at + length + 4;
        let name = rest.get(2..2 + length).unwrap_or_default();
        let (negated, name) = match name.strip_prefix('^') {
            Some(name) => (true, name),
            None => (false, name),
        };
        match posix_ranges(name) {
            Some(ranges) => Ok(Some((self.group(ranges, negated), end))),
            None => Err(self.error(ErrorKind::CharRange, at, end)),
        }
    }

    /// `\d`, `\pL`, `\p{Greek}` and their negations, when there is one.
    pub(super) fn escaped_class(&mut self, at: usize) -> PatternResult<Option<(Ranges, usize)>> {
        if self.byte(at) != Some(b'\\') {
            return Ok(None);
        }
        let Some(letter) = self.byte(at + 1) else { return Ok(None) };
        let ranges: &[(u32, u32)] = match letter {
            b'p' | b'P' => return self.unicode_class(at).map(Some),
            b'd' | b'D' => &[(0x30, 0x39)],
            b's' | b'S' => &[(0x9, 0xA), (0xC, 0xD), (0x20, 0x20)],
            b'w' | b'W' => WORD,
            _ => return Ok(None),
        };
        Ok(Some((self.group(ranges, letter.is_ascii_uppercase()), at + 2)))
    }

    fn unicode_class(&mut self, at: usize) -> PatternResult<(Ranges, usize)> {
        let mut negated = self.byte(at + 1) == Some(b'P');
        let (mut name, end) = match self.char(at + 2) {
            Some('{') => {
                let Some(length) = self.rest(at).find('}') else {
                    return Err(self.error(ErrorKind::CharRange, at, self.pattern.len()));
                };
                (self.rest(at).get(3..length).unwrap_or_default(), at + length + 1)
            }
            Some(c) => {
                let end = at + 2 + c.len_utf8();
                (self.pattern.get(at + 2..end).unwrap_or_default(), end)
            }
            None => ("", at + 2),
        };
        if let Some(positive) = name.strip_prefix('^') {
            negated = !negated;
            name = positive;
        }
        let Some(ranges) = unicode::class(name, self.flags.fold) else {
            return Err(self.error(ErrorKind::CharRange, at, end));
        };
        // Two characters of pattern can stand for hundreds of ranges.
        self.charge(ranges.len() as u64 / 8)?;
        Ok((if negated { unicode::negate(&ranges) } else { ranges }, end))
    }

    fn group(&self, ranges: &[(u32, u32)], negated: bool) -> Ranges {
        let ranges = if self.flags.fold { unicode::folded(ranges) } else { ranges.to_vec() };
        if negated { unicode::negate(&ranges) } else { ranges }
    }
}

const WORD: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];

fn posix_ranges(name: &str) -> Option<&'static [(u32, u32)]> {
    Some(match name {
        "alnum" => &[(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)],
        "alpha" => &[(0x41, 0x5A), (0x61, 0x7A)],
        "ascii" => &[(0x0, 0x7F)],
        "blank" => &[(0x9, 0x9), (0x20, 0x20)],
        "cntrl" => &[(0x0, 0x1F), (0x7F, 0x7F)],
        "digit" => &[(0x30, 0x39)],
        "graph" => &[(0x21, 0x7E)],
        "lower" => &[(0x61, 0x7A)],
        "print" => &[(0x20, 0x7E)],
        "punct" => &[(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)],
        "space" => &[(0x9, 0xD), (0x20, 0x20)],
        "upper" => &[(0x41, 0x5A)],
        "word" => WORD,
        "xdigit" => &[(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)],
        _ => return None,
    })
}
