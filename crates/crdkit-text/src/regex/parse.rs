//! Reads a pattern as Go's `regexp.Compile` does.
//!
//! Takes the text of a pattern, gives its syntax tree and the names of its groups, or Go's error. Works with an
//! explicit stack, so nesting in the pattern never becomes nesting of calls, and refuses what Go refuses at the
//! same place: more than 1,000 levels, more than 1,000 copies, more than 3.3 million instructions.
//! Upstream: Go 1.26 `regexp/syntax`, `parse.go`. Unlike Go it does not factor common prefixes of alternatives;
//! the matching engine does that for itself.

use super::error::{ErrorKind, RegexError};
use super::node::{Kind, Look, Node};
use crate::unicode;

/// Go's limits.
const MAX_HEIGHT: u32 = 1000;
const MAX_COPIES: u32 = 1000;
const MAX_SIZE: u64 = (128 << 20) / 40;
const MAX_RUNES: u64 = (128 << 20) / 4;

/// What the byte automaton may weigh; far above any pattern written by hand.
const MAX_WEIGHT: u64 = 4_000_000;
/// Longer than any request Kubernetes accepts for an object that holds a pattern.
const MAX_PATTERN_BYTES: usize = 1 << 20;

pub(super) type Parsed<T> = Result<T, RegexError>;

/// A pattern understood.
pub(super) struct Pattern {
    pub(super) root: Node,
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

enum Item {
    Node(Node),
    Open { capture: Option<u32>, flags: Flags },
    Bar,
}

pub(super) struct Parser<'p> {
    pub(super) pattern: &'p str,
    pub(super) flags: Flags,
    stack: Vec<Item>,
    groups: Vec<Option<Box<str>>>,
    /// Go's count of allocated nodes, which decides when it begins to measure sizes.
    nodes: u64,
    free_nodes: u64,
    runes: u64,
    repeats: u64,
    measuring: bool,
    weight: u64,
}

/// Parses a whole pattern.
pub(super) fn pattern(pattern: &str) -> Parsed<Pattern> {
    let flags = Flags { fold: false, dot_newline: false, one_line: true, non_greedy: false };
    let mut parser = Parser {
        pattern,
        flags,
        stack: Vec::new(),
        groups: Vec::new(),
        nodes: 0,
        free_nodes: 0,
        runes: 0,
        repeats: 1,
        measuring: false,
        weight: 0,
    };
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(parser.whole(ErrorKind::TooLarge));
    }
    let mut at = 0;
    let mut last_repeat = None;
    while let Some(c) = parser.char(at) {
        let start = at;
        at = parser.step(c, at, last_repeat)?;
        // A brace that is no repetition is text, so only the text consumed tells.
        let repeated = match c {
            '*' | '+' | '?' => true,
            '{' => parser.counted(start).is_some(),
            _ => false,
        };
        last_repeat = repeated.then_some(start);
    }
    parser.close_alternatives()?;
    match (parser.stack.pop(), parser.stack.is_empty()) {
        (Some(Item::Node(root)), true) => Ok(Pattern { root, groups: parser.groups }),
        _ => Err(parser.whole(ErrorKind::MissingParen)),
    }
}

impl Parser<'_> {
    /// Consumes one piece of syntax at `at`, whose first character is `c`.
    fn step(&mut self, c: char, at: usize, last_repeat: Option<usize>) -> Parsed<usize> {
        match c {
            '(' if self.byte(at + 1) == Some(b'?') => return self.group_options(at),
            '(' => self.open_capture(None)?,
            '|' => self.bar()?,
            ')' => self.close_group()?,
            '^' if self.flags.one_line => self.leaf(Kind::Look(Look::StartText))?,
            '^' => self.leaf(Kind::Look(Look::StartLine))?,
            '$' if self.flags.one_line => self.leaf(Kind::Look(Look::EndText))?,
            '$' => self.leaf(Kind::Look(Look::EndLine))?,
            '.' if self.flags.dot_newline => self.leaf(Kind::AnyChar)?,
            '.' => self.leaf(Kind::AnyCharNotNewline)?,
            '[' => {
                self.allocate();
                let (ranges, end) = self.bracket_class(at)?;
                self.push_class(ranges)?;
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

    fn brace(&mut self, at: usize, last_repeat: Option<usize>) -> Parsed<usize> {
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

    fn backslash(&mut self, at: usize) -> Parsed<usize> {
        let look = match self.byte(at + 1) {
            Some(b'A') => Look::StartText,
            Some(b'z') => Look::EndText,
            Some(b'b') => Look::WordBoundary,
            Some(b'B') => Look::NotWordBoundary,
            Some(b'C') => return Err(self.error(ErrorKind::Escape, at, at + 2)),
            Some(b'Q') => return self.quoted(at + 2),
            _ => {
                self.allocate();
                if let Some((ranges, end)) = self.escaped_class(at)? {
                    self.push_class(ranges)?;
                    return Ok(end);
                }
                self.release();
                let (code, end) = self.escape(at)?;
                self.literal(code)?;
                return Ok(end);
            }
        };
        self.leaf(Kind::Look(look))?;
        Ok(at + 2)
    }

    /// `\Q…\E`, where the end may be missing.
    fn quoted(&mut self, at: usize) -> Parsed<usize> {
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
    fn group_options(&mut self, start: usize) -> Parsed<usize> {
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

    fn open_capture(&mut self, name: Option<Box<str>>) -> Parsed<()> {
        self.groups.push(name);
        self.open(u32::try_from(self.groups.len()).ok())
    }

    fn open(&mut self, capture: Option<u32>) -> Parsed<()> {
        self.allocate();
        self.join_literals();
        self.stack.push(Item::Open { capture, flags: self.flags });
        self.charge(1)
    }

    fn bar(&mut self) -> Parsed<()> {
        self.close_concatenation()?;
        if !self.swap_bar() {
            self.allocate();
            self.stack.push(Item::Bar);
        }
        Ok(())
    }

    fn close_group(&mut self) -> Parsed<()> {
        self.close_alternatives()?;
        let (Some(Item::Node(node)), Some(Item::Open { capture, flags })) =
            (self.stack.pop(), self.stack.pop())
        else {
            return Err(self.whole(ErrorKind::UnexpectedParen));
        };
        self.flags = flags;
        match capture {
            None => self.push(node),
            Some(index) => self.push(Node::capture(index, node)),
        }
    }

    fn leaf(&mut self, kind: Kind) -> Parsed<()> {
        self.allocate();
        self.push(Node::leaf(kind))
    }

    fn literal(&mut self, code: u32) -> Parsed<()> {
        self.allocate();
        let code = if self.flags.fold { first_of_orbit(code) } else { code };
        self.push(Node::literal(code, self.flags.fold))
    }

    /// A class of one character, or of the two cases of one letter, is a literal.
    fn push_class(&mut self, ranges: unicode::Ranges) -> Parsed<()> {
        self.runes += 2 * ranges.len() as u64;
        let is_pair = |a, b| unicode::simple_fold(a) == b && unicode::simple_fold(b) == a;
        let node = match *ranges.as_slice() {
            [(low, high)] if low == high => Node::literal(low, false),
            [(a, a_end), (b, b_end)] if a == a_end && b == b_end && is_pair(a, b) => {
                Node::literal(a, true)
            }
            [(low, high)] if low + 1 == high && is_pair(low, high) => Node::literal(low, true),
            _ => Node::leaf(Kind::Class(ranges)),
        };
        self.push(node)
    }

    fn push(&mut self, node: Node) -> Parsed<()> {
        self.runes += node.stored_runes();
        self.join_literals();
        if node.height == 1 {
            self.charge(node.weight)?;
        }
        self.check_limits(&node)?;
        if node.weight > MAX_WEIGHT {
            return Err(self.whole(ErrorKind::TooLarge));
        }
        self.stack.push(Item::Node(node));
        Ok(())
    }

    /// Joins the two literals on top of the stack: no operator can reach the lower one any more.
    fn join_literals(&mut self) {
        let [.., Item::Node(below), Item::Node(above)] = self.stack.as_mut_slice() else { return };
        if let Kind::Literal { codes, fold } = &mut below.kind
            && let Kind::Literal { codes: more, fold: same } = &above.kind
            && fold == same
        {
            codes.extend(more);
            below.size += above.size;
            below.weight += above.weight;
            self.stack.pop();
            self.release();
        }
    }

    /// Repeats the node on top of the stack. The operator spans `start..end`, a `?` after it not counted.
    fn repeat(
        &mut self,
        start: usize,
        mut end: usize,
        last_repeat: Option<usize>,
        (min, max): (u32, Option<u32>),
        counted: bool,
    ) -> Parsed<usize> {
        let mut greedy = !self.flags.non_greedy;
        if self.byte(end) == Some(b'?') {
            end += 1;
            greedy = !greedy;
        }
        if let Some(last) = last_repeat {
            return Err(self.error(ErrorKind::RepeatOperator, last, end));
        }
        let Some(Item::Node(sub)) = self.stack.pop() else {
            return Err(self.error(ErrorKind::MissingRepeatArgument, start, end));
        };
        self.allocate();
        let node = Node::repeat(sub, min, max, greedy, counted);
        if counted {
            let times = u64::from(max.unwrap_or(min).max(1));
            self.repeats =
                if times > MAX_SIZE / self.repeats { MAX_SIZE } else { self.repeats * times };
        }
        self.check_limits(&node)?;
        if counted && max.unwrap_or(min) >= 2 && node.copies > MAX_COPIES {
            return Err(self.error(ErrorKind::RepeatCount, start, end));
        }
        if node.weight > MAX_WEIGHT {
            return Err(self.whole(ErrorKind::TooLarge));
        }
        self.stack.push(Item::Node(node));
        Ok(end)
    }

    /// Replaces what lies above the topmost bar or parenthesis by its concatenation.
    fn close_concatenation(&mut self) -> Parsed<()> {
        self.join_literals();
        let mut subs = self.take_nodes();
        let node = match subs.len() {
            0 => {
                self.allocate();
                Node::leaf(Kind::Empty)
            }
            1 => subs.remove(0),
            _ => {
                self.allocate();
                let mut flat = Vec::with_capacity(subs.len());
                for sub in subs {
                    match sub.kind {
                        Kind::Concat(inner) => {
                            flat.extend(inner);
                            self.release();
                        }
                        _ => flat.push(sub),
                    }
                }
                Node::concat(flat)
            }
        };
        self.push(node)
    }

    /// Replaces what lies above the topmost parenthesis by one node.
    fn close_alternatives(&mut self) -> Parsed<()> {
        self.close_concatenation()?;
        if self.swap_bar() {
            self.stack.pop();
        }
        let mut subs = self.take_nodes();
        let node = if subs.len() == 1 {
            subs.remove(0)
        } else {
            self.allocate();
            let mut flat = Vec::with_capacity(subs.len());
            for sub in subs {
                match sub.kind {
                    Kind::Alternate(inner) => {
                        flat.extend(inner);
                        self.release();
                    }
                    _ => flat.push(sub),
                }
            }
            Node::alternate(flat)
        };
        self.push(node)
    }

    fn take_nodes(&mut self) -> Vec<Node> {
        let is_node = |item: &Item| matches!(item, Item::Node(_));
        let start = self.stack.iter().rposition(|item| !is_node(item)).map_or(0, |index| index + 1);
        let nodes = self.stack.drain(start..);
        nodes
            .filter_map(|item| if let Item::Node(node) = item { Some(node) } else { None })
            .collect()
    }

    /// Moves the alternative on top of the stack below the bar under it, if there is one. Alternatives of one
    /// character each become one class.
    fn swap_bar(&mut self) -> bool {
        let [.., Item::Bar, Item::Node(_)] = self.stack.as_slice() else { return false };
        let Some(Item::Node(top)) = self.stack.pop() else { return false };
        if top.is_one_character()
            && let [.., Item::Node(below), Item::Bar] = self.stack.as_mut_slice()
            && below.is_one_character()
        {
            merge_characters(below, top);
            self.release();
            return true;
        }
        let bar = self.stack.len().saturating_sub(1);
        self.stack.insert(bar, Item::Node(top));
        true
    }

    fn check_limits(&mut self, node: &Node) -> Parsed<()> {
        if self.runes > MAX_RUNES {
            return Err(self.whole(ErrorKind::TooLarge));
        }
        // Go measures sizes only once a product of everything seen so far suggests a need.
        if !self.measuring && self.nodes >= MAX_SIZE / self.repeats {
            self.measuring = true;
            let too_large = |item: &Item| matches!(item, Item::Node(node) if node.size > MAX_SIZE);
            if self.stack.iter().any(too_large) {
                return Err(self.whole(ErrorKind::TooLarge));
            }
        }
        if self.measuring && node.size > MAX_SIZE {
            return Err(self.whole(ErrorKind::TooLarge));
        }
        if node.height > MAX_HEIGHT {
            return Err(self.whole(ErrorKind::NestingDepth));
        }
        Ok(())
    }

    /// Accounts for work and memory that is not bounded by a node's own limits.
    pub(super) fn charge(&mut self, weight: u64) -> Parsed<()> {
        self.weight += weight;
        if self.weight > MAX_WEIGHT { Err(self.whole(ErrorKind::TooLarge)) } else { Ok(()) }
    }

    fn allocate(&mut self) {
        if self.free_nodes > 0 {
            self.free_nodes -= 1;
        } else {
            self.nodes += 1;
        }
    }

    fn release(&mut self) {
        self.free_nodes += 1;
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

fn first_of_orbit(code: u32) -> u32 {
    let mut first = code;
    let mut other = unicode::simple_fold(code);
    while other != code {
        first = first.min(other);
        other = unicode::simple_fold(other);
    }
    first
}

/// Adds the characters of `other` to `into`. The result is put in order when the tree is lowered, so a long
/// alternation costs no more than its length.
fn merge_characters(into: &mut Node, other: Node) {
    let mut ranges = characters(std::mem::replace(&mut into.kind, Kind::Empty));
    ranges.extend(characters(other.kind));
    into.kind = Kind::Class(ranges);
    into.size = 1;
    into.weight += other.weight;
}

fn characters(kind: Kind) -> unicode::Ranges {
    match kind {
        Kind::Class(ranges) => ranges,
        Kind::AnyCharNotNewline => vec![(0, 0x9), (0xB, unicode::MAX)],
        Kind::Literal { codes, fold } => {
            let mut ranges: unicode::Ranges = codes.iter().map(|&code| (code, code)).collect();
            if fold {
                for code in codes {
                    unicode::add_folded(&mut ranges, code, code);
                }
            }
            ranges
        }
        _ => vec![(0, unicode::MAX)],
    }
}
