//! The parser's stack: joins pieces of a pattern into a tree, as Go does, and keeps Go's limits.
//!
//! Pieces are pushed as they are read. A bar or a closing parenthesis turns what lies above the last bar or opening
//! parenthesis into one node.

use super::error::ErrorKind;
use super::node::{RegexKind, RegexNode};
use super::parse::Flags;
use crate::unicode;

/// Go's limits.
const MAX_HEIGHT: u32 = 1000;
pub(super) const MAX_COPIES: u32 = 1000;
const MAX_SIZE: u64 = (128 << 20) / 40;
const MAX_RUNES: u64 = (128 << 20) / 4;

/// What the byte automaton may weigh; far above any pattern written by hand.
const MAX_WEIGHT: u64 = 4_000_000;

type Built<T> = Result<T, ErrorKind>;

enum Item {
    Node(RegexNode),
    Open { capture: Option<u32>, flags: Flags },
    Bar,
}

/// Pieces of a pattern read so far, and what they add up to.
pub(super) struct Stack {
    items: Vec<Item>,
    /// Go's count of allocated nodes, which decides when it begins to measure sizes.
    nodes: u64,
    free_nodes: u64,
    runes: u64,
    /// The product of all counts seen.
    repeats: u64,
    measuring: bool,
    weight: u64,
}

impl Stack {
    pub(super) fn new() -> Self {
        Self {
            items: Vec::new(),
            nodes: 0,
            free_nodes: 0,
            runes: 0,
            repeats: 1,
            measuring: false,
            weight: 0,
        }
    }

    /// Opens a group; `flags` come back when it closes.
    pub(super) fn open(&mut self, capture: Option<u32>, flags: Flags) -> Built<()> {
        self.allocate();
        self.join_literals();
        self.items.push(Item::Open { capture, flags });
        self.charge(1)
    }

    /// Ends an alternative.
    pub(super) fn bar(&mut self) -> Built<()> {
        self.close_concatenation()?;
        if !self.swap_bar() {
            self.allocate();
            self.items.push(Item::Bar);
        }
        Ok(())
    }

    /// Closes a group and gives the flags that held before it.
    pub(super) fn close(&mut self) -> Built<Flags> {
        self.close_alternatives()?;
        let (Some(Item::Node(node)), Some(Item::Open { capture, flags })) =
            (self.items.pop(), self.items.pop())
        else {
            return Err(ErrorKind::UnexpectedParen);
        };
        self.push(match capture {
            None => node,
            Some(index) => RegexNode::capture(index, node),
        })?;
        Ok(flags)
    }

    pub(super) fn leaf(&mut self, kind: RegexKind) -> Built<()> {
        self.allocate();
        self.push(RegexNode::leaf(kind))
    }

    pub(super) fn literal(&mut self, code: u32, fold: bool) -> Built<()> {
        self.allocate();
        let code = if fold { first_of_orbit(code) } else { code };
        self.push(RegexNode::literal(code, fold))
    }

    /// A class of one character, or of the two cases of one letter, is a literal.
    pub(super) fn class(&mut self, ranges: unicode::Ranges) -> Built<()> {
        self.allocate();
        self.runes += 2 * ranges.len() as u64;
        let is_pair = |a, b| unicode::simple_fold(a) == b && unicode::simple_fold(b) == a;
        let node = match *ranges.as_slice() {
            [(low, high)] if low == high => RegexNode::literal(low, false),
            [(a, a_end), (b, b_end)] if a == a_end && b == b_end && is_pair(a, b) => {
                RegexNode::literal(a, true)
            }
            [(low, high)] if low + 1 == high && is_pair(low, high) => RegexNode::literal(low, true),
            _ => RegexNode::leaf(RegexKind::Class(ranges)),
        };
        self.push(node)
    }

    fn push(&mut self, node: RegexNode) -> Built<()> {
        self.runes += node.stored_runes();
        self.join_literals();
        if node.height == 1 {
            self.charge(node.weight)?;
        }
        self.check_limits(&node)?;
        if node.weight > MAX_WEIGHT {
            return Err(ErrorKind::TooLarge);
        }
        self.items.push(Item::Node(node));
        Ok(())
    }

    /// Joins the two literals on top of the stack: no operator can reach the lower one any more.
    fn join_literals(&mut self) {
        let [.., Item::Node(below), Item::Node(above)] = self.items.as_mut_slice() else { return };
        if let RegexKind::Literal { codes, fold } = &mut below.kind
            && let RegexKind::Literal { codes: more, fold: same } = &above.kind
            && fold == same
        {
            codes.extend(more);
            below.size += above.size;
            below.weight += above.weight;
            self.items.pop();
            self.release();
        }
    }

    /// Repeats the node on top of the stack.
    pub(super) fn repeat(
        &mut self,
        (min, max): (u32, Option<u32>),
        greedy: bool,
        counted: bool,
    ) -> Built<()> {
        let Some(Item::Node(sub)) = self.items.pop() else {
            return Err(ErrorKind::MissingRepeatArgument);
        };
        self.allocate();
        let node = RegexNode::repeat(sub, min, max, greedy, counted);
        if counted {
            let times = u64::from(max.unwrap_or(min).max(1));
            self.repeats =
                if times > MAX_SIZE / self.repeats { MAX_SIZE } else { self.repeats * times };
        }
        self.check_limits(&node)?;
        if counted && max.unwrap_or(min) >= 2 && node.copies > MAX_COPIES {
            return Err(ErrorKind::RepeatCount);
        }
        if node.weight > MAX_WEIGHT {
            return Err(ErrorKind::TooLarge);
        }
        self.items.push(Item::Node(node));
        Ok(())
    }

    /// Ends the pattern and gives its tree.
    pub(super) fn finish(mut self) -> Built<RegexNode> {
        self.close_alternatives()?;
        match (self.items.pop(), self.items.is_empty()) {
            (Some(Item::Node(root)), true) => Ok(root),
            _ => Err(ErrorKind::MissingParen),
        }
    }

    /// Replaces what lies above the topmost bar or parenthesis by its concatenation.
    fn close_concatenation(&mut self) -> Built<()> {
        self.join_literals();
        let nodes = self.take_nodes();
        let node = self.join(nodes, RegexNode::concat, |kind| match kind {
            RegexKind::Concat(subs) => Ok(subs),
            other => Err(other),
        })?;
        self.push(node)
    }

    /// Replaces what lies above the topmost parenthesis by one node.
    fn close_alternatives(&mut self) -> Built<()> {
        self.close_concatenation()?;
        if self.swap_bar() {
            self.items.pop();
        }
        let nodes = self.take_nodes();
        let node = self.join(nodes, RegexNode::alternate, |kind| match kind {
            RegexKind::Alternate(subs) => Ok(subs),
            other => Err(other),
        })?;
        self.push(node)
    }

    /// Joins nodes into one, taking the parts of nodes that are joined the same way already.
    fn join(
        &mut self,
        mut nodes: Vec<RegexNode>,
        into: fn(Vec<RegexNode>) -> RegexNode,
        parts: fn(RegexKind) -> Result<Vec<RegexNode>, RegexKind>,
    ) -> Built<RegexNode> {
        if nodes.len() == 1 {
            return Ok(nodes.remove(0));
        }
        self.allocate();
        if nodes.is_empty() {
            return Ok(RegexNode::leaf(RegexKind::Empty));
        }
        let mut flat = Vec::with_capacity(nodes.len());
        for node in nodes {
            match parts(node.kind) {
                Ok(inner) => {
                    flat.extend(inner);
                    self.release();
                }
                Err(kind) => flat.push(RegexNode { kind, ..node }),
            }
        }
        // Groups within groups may flatten the same parts over and over.
        self.charge(flat.len() as u64 / 4)?;
        Ok(into(flat))
    }

    fn take_nodes(&mut self) -> Vec<RegexNode> {
        let is_node = |item: &Item| matches!(item, Item::Node(_));
        let start = self.items.iter().rposition(|item| !is_node(item)).map_or(0, |index| index + 1);
        let nodes = self.items.drain(start..);
        nodes
            .filter_map(|item| if let Item::Node(node) = item { Some(node) } else { None })
            .collect()
    }

    /// Moves the alternative on top of the stack below the bar under it, if there is one. Alternatives of one
    /// character each become one class.
    fn swap_bar(&mut self) -> bool {
        let [.., Item::Bar, Item::Node(_)] = self.items.as_slice() else { return false };
        let Some(Item::Node(top)) = self.items.pop() else { return false };
        if top.is_one_character()
            && let [.., Item::Node(below), Item::Bar] = self.items.as_mut_slice()
            && below.is_one_character()
        {
            merge_characters(below, top);
            self.release();
            return true;
        }
        let bar = self.items.len().saturating_sub(1);
        self.items.insert(bar, Item::Node(top));
        true
    }

    fn check_limits(&mut self, node: &RegexNode) -> Built<()> {
        if self.runes > MAX_RUNES {
            return Err(ErrorKind::TooLarge);
        }
        // Go measures sizes only once a product of everything seen so far suggests a need.
        if !self.measuring && self.nodes >= MAX_SIZE / self.repeats {
            self.measuring = true;
            let too_large = |item: &Item| matches!(item, Item::Node(node) if node.size > MAX_SIZE);
            if self.items.iter().any(too_large) {
                return Err(ErrorKind::TooLarge);
            }
        }
        if self.measuring && node.size > MAX_SIZE {
            return Err(ErrorKind::TooLarge);
        }
        if node.height > MAX_HEIGHT {
            return Err(ErrorKind::NestingDepth);
        }
        Ok(())
    }

    /// Accounts for work and memory that is not bounded by a node's own limits.
    pub(super) fn charge(&mut self, weight: u64) -> Built<()> {
        self.weight += weight;
        if self.weight > MAX_WEIGHT { Err(ErrorKind::TooLarge) } else { Ok(()) }
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
fn merge_characters(into: &mut RegexNode, other: RegexNode) {
    let mut ranges = characters(std::mem::replace(&mut into.kind, RegexKind::Empty));
    ranges.extend(characters(other.kind));
    into.kind = RegexKind::Class(ranges);
    into.size = 1;
    into.weight += other.weight;
}

fn characters(kind: RegexKind) -> unicode::Ranges {
    match kind {
        RegexKind::Class(ranges) => ranges,
        RegexKind::AnyCharNotNewline => vec![(0, 0x9), (0xB, unicode::MAX)],
        RegexKind::Literal { codes, fold } => {
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
