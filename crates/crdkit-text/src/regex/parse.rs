//! Reads a pattern as Go's `regexp.Compile` does.
//!
//! Takes the text of a pattern, gives its syntax tree and the names of its groups, or Go's error. Works with an
//! explicit stack, so nesting in the pattern never becomes nesting of calls, and refuses what Go refuses at the
//! same place: more than 1,000 levels, more than 1,000 copies, more than 3.3 million instructions.
//! Upstream: Go 1.26 `regexp/syntax`, `parse.go`. Unlike Go it does not factor common prefixes of alternatives;
//! the matching engine does that for itself.

use super::error::{ErrorKind, RegexError};
use super::node::{Look, RegexKind, RegexNode};
use super::stack::{MAX_COPIES, Stack};

/// Longer than any request Kubernetes accepts for an object that holds a pattern.
const MAX_PATTERN_BYTES: usize = 1 << 20;

pub(super) type PatternResult<T> = Result<T, RegexError>;

/// A pattern understood.
pub(super) struct Pattern {
    pub(super) root: RegexNode,
    /// One entry per capturing group, the whole match not counted.
    pub(super) groups: Vec<Option<Box<str>>>,
}

/// What `(?imsU)` switches.
#[derive(Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four switches that are independent in the syntax"
)]
pub(super) struct Flags {
    pub(super) fold: bool,
    dot_newline: bool,
    one_line: bool,
    non_greedy: bool,
}

pub(super) struct RegexParser<'p> {
    pub(super) pattern: &'p str,
    pub(super) flags: Flags,
    stack: Stack,
    groups: Vec<Option<Box<str>>>,
}

/// Parses a whole pattern.
pub(super) fn pattern(pattern: &str) -> PatternResult<Pattern> {
    let flags = Flags { fold: false, dot_newline: false, one_line: true, non_greedy: false };
    let mut parser = RegexParser { pattern, flags, stack: Stack::new(), groups: Vec::new() };
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(parser.whole(ErrorKind::TooLarge));
    }
    let mut at = 0;
    let mut last_repeat = None;
    while let Some(c) = parser.char(at) {
        let start = at;
        at = parser.step(c, at, last_repeat)?;
        // A brace that is not a repetition is text, so only the text consumed tells.
        let repeated = match c {
            '*' | '+' | '?' => true,
            '{' => parser.counted(start).is_some(),
            _ => false,
        };
        last_repeat = repeated.then_some(start);
    }
    let RegexParser { stack, groups, .. } = parser;
    match stack.finish() {
        Ok(root) => Ok(Pattern { root, groups }),
        Err(kind) => Err(RegexError { kind, fragment: pattern.into() }),
    }
}

impl RegexParser<'_> {
    /// Consumes one piece of syntax at `at`, whose first character is `c`.
    fn step(&mut self, c: char, at: usize, last_repeat: Option<usize>) -> PatternResult<usize> {
        match c {
            '(' if self.byte(at + 1) == Some(b'?') => return self.group_options(at),
            '(' => self.open_capture(None)?,
            '|' => self.built(Stack::bar)?,
            ')' => self.flags = self.built(Stack::close)?,
            '^' if self.flags.one_line => self.leaf(RegexKind::Look(Look::StartText))?,
            '^' => self.leaf(RegexKind::Look(Look::StartLine))?,
            '$' if self.flags.one_line => self.leaf(RegexKind::Look(Look::EndText))?,
            '$' => self.leaf(RegexKind::Look(Look::EndLine))?,
            '.' if self.flags.dot_newline => self.leaf(RegexKind::AnyChar)?,
            '.' => self.leaf(RegexKind::AnyCharNotNewline)?,
            '[' => {
                let (ranges, end) = self.bracket_class(at)?;
                self.built(|stack| stack.class(ranges))?;
                return Ok(end);
            }
            '*' => return self.repeat(at, at + 1, last_repeat, (0, None), false),
            '+' => return self.repeat(at, at + 1, last_repeat, (1, None), false),
            '?' => return self.repeat(at, at + 1, last_repeat, (0, Some(1)), false),
            '{' => return self.brace(at, last_repeat),
            '\\' => return self.backslash(at),
            _ => self.literal(u32::from(c))?,
        }
        Ok(at + c.len_utf8())
    }

    fn leaf(&mut self, kind: RegexKind) -> PatternResult<()> {
        self.built(|stack| stack.leaf(kind))
    }

    fn literal(&mut self, code: u32) -> PatternResult<()> {
        let fold = self.flags.fold;
        self.built(|stack| stack.literal(code, fold))
    }

    fn open_capture(&mut self, name: Option<Box<str>>) -> PatternResult<()> {
        self.groups.push(name);
        self.open(u32::try_from(self.groups.len()).ok())
    }

    fn open(&mut self, capture: Option<u32>) -> PatternResult<()> {
        let flags = self.flags;
        self.built(|stack| stack.open(capture, flags))
    }

    /// Accounts for work that the length of the pattern does not show.
    pub(super) fn charge(&mut self, weight: u64) -> PatternResult<()> {
        self.built(|stack| stack.charge(weight))
    }

    /// Does something to the stack; what fails there is the fault of the whole pattern.
    fn built<T>(
        &mut self,
        work: impl FnOnce(&mut Stack) -> Result<T, ErrorKind>,
    ) -> PatternResult<T> {
        work(&mut self.stack).map_err(|kind| self.whole(kind))
    }

    /// Applies a repetition operator that spans `start..end`, a `?` after it not counted.
    fn repeat(
        &mut self,
        start: usize,
        mut end: usize,
        last_repeat: Option<usize>,
        counts: (u32, Option<u32>),
        counted: bool,
    ) -> PatternResult<usize> {
        let mut greedy = !self.flags.non_greedy;
        if self.byte(end) == Some(b'?') {
            end += 1;
            greedy = !greedy;
        }
        if let Some(last) = last_repeat {
            return Err(self.error(ErrorKind::RepeatOperator, last, end));
        }
        self.stack.repeat(counts, greedy, counted).map_err(|kind| match kind {
            ErrorKind::RepeatCount | ErrorKind::MissingRepeatArgument => {
                self.error(kind, start, end)
            }
            _ => self.whole(kind),
        })?;
        Ok(end)
    }

    fn brace(&mut self, at: usize, last_repeat: Option<usize>) -> PatternResult<usize> {
        let Some((min, max, end)) = self.counted(at) else {
            self.literal(u32::from('{'))?;
            return Ok(at + 1);
        };
        let counts = match (min, max) {
            (Some(min), Bound::None) if min <= MAX_COPIES => (min, None),
            (Some(min), Bound::Value(max)) if min <= max && max <= MAX_COPIES => (min, Some(max)),
            _ => return Err(self.error(ErrorKind::RepeatCount, at, end)),
        };
        self.repeat(at, end, last_repeat, counts, true)
    }

    fn backslash(&mut self, at: usize) -> PatternResult<usize> {
        let look = match self.byte(at + 1) {
            Some(b'A') => Look::StartText,
            Some(b'z') => Look::EndText,
            Some(b'b') => Look::WordBoundary,
            Some(b'B') => Look::NotWordBoundary,
            Some(b'C') => return Err(self.error(ErrorKind::Escape, at, at + 2)),
            Some(b'Q') => return self.quoted(at + 2),
            _ => {
                if let Some((ranges, end)) = self.escaped_class(at)? {
                    self.built(|stack| stack.class(ranges))?;
                    return Ok(end);
                }
                let (code, end) = self.escape(at)?;
                self.literal(code)?;
                return Ok(end);
            }
        };
        self.leaf(RegexKind::Look(look))?;
        Ok(at + 2)
    }

    /// `\Q…\E`, where the end may be missing.
    fn quoted(&mut self, at: usize) -> PatternResult<usize> {
        let pattern = self.pattern;
        let rest = pattern.get(at..).unwrap_or_default();
        let (text, end) = match rest.find("\\E") {
            Some(length) => (rest.get(..length).unwrap_or_default(), at + length + 2),
            None => (rest, pattern.len()),
        };
        for c in text.chars() {
            self.literal(u32::from(c))?;
        }
        Ok(end)
    }

    /// `(?P<name>`, `(?<name>`, `(?flags)` or `(?flags:`.
    fn group_options(&mut self, start: usize) -> PatternResult<usize> {
        let pattern = self.pattern;
        let rest = pattern.get(start..).unwrap_or_default();
        let name_at = if rest.len() > 4 && rest.starts_with("(?P<") {
            Some(4)
        } else if rest.len() > 3 && rest.starts_with("(?<") {
            Some(3)
        } else {
            None
        };
        if let Some(name_at) = name_at {
            let Some(end) = rest.find('>') else {
                return Err(self.error(ErrorKind::NamedCapture, start, pattern.len()));
            };
            let name = rest.get(name_at..end).unwrap_or_default();
            let valid = |c: char| c == '_' || c.is_ascii_alphanumeric();
            if name.is_empty() || !name.chars().all(valid) {
                return Err(self.error(ErrorKind::NamedCapture, start, start + end + 1));
            }
            self.open_capture(Some(name.into()))?;
            return Ok(start + end + 1);
        }
        let mut flags = self.flags;
        let mut on = true;
        let mut empty_minus = false;
        let mut at = start + 2;
        while let Some(c) = self.char(at) {
            at += c.len_utf8();
            match c {
                'i' => flags.fold = on,
                'm' => flags.one_line = !on,
                's' => flags.dot_newline = on,
                'U' => flags.non_greedy = on,
                '-' if on => on = false,
                ':' | ')' if !empty_minus => {
                    if c == ':' {
                        self.open(None)?;
                    }
                    self.flags = flags;
                    return Ok(at);
                }
                _ => break,
            }
            empty_minus = c == '-';
        }
        Err(self.error(ErrorKind::PerlOperator, start, at))
    }

    /// `{n}`, `{n,}` or `{n,m}` at `at` and where it ends; a number too large to matter is `None`.
    fn counted(&self, at: usize) -> Option<(Option<u32>, Bound, usize)> {
        let (min, mut at) = self.number(at + 1)?;
        let max = if self.byte(at) != Some(b',') {
            min.map_or(Bound::TooLarge, Bound::Value)
        } else if self.byte(at + 1) == Some(b'}') {
            at += 1;
            Bound::None
        } else {
            let (max, end) = self.number(at + 1)?;
            at = end;
            max.map_or(Bound::TooLarge, Bound::Value)
        };
        (self.byte(at) == Some(b'}')).then_some((min, max, at + 1))
    }

    fn number(&self, start: usize) -> Option<(Option<u32>, usize)> {
        let rest = self.rest(start);
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let digits = rest.get(..length).filter(|digits| !digits.is_empty())?;
        if length > 1 && digits.starts_with('0') {
            return None;
        }
        Some((digits.parse().ok(), start + length))
    }

    pub(super) fn rest(&self, at: usize) -> &str {
        self.pattern.get(at..).unwrap_or_default()
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.pattern.as_bytes().get(at).copied()
    }

    pub(super) fn char(&self, at: usize) -> Option<char> {
        self.rest(at).chars().next()
    }

    pub(super) fn error(&self, kind: ErrorKind, start: usize, end: usize) -> RegexError {
        RegexError { kind, fragment: self.pattern.get(start..end).unwrap_or_default().into() }
    }

    fn whole(&self, kind: ErrorKind) -> RegexError {
        RegexError { kind, fragment: self.pattern.into() }
    }
}

/// The upper bound of a counted repetition.
#[derive(Clone, Copy)]
enum Bound {
    None,
    Value(u32),
    TooLarge,
}
