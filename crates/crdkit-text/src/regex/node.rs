//! The syntax tree of a pattern, with the measures Go limits.
//!
//! Each node knows its height, its size as Go counts instructions, how many copies nested counts ask for and how
//! heavy it will be once compiled, so every limit is checked in constant time when a node is made.

use crate::unicode::Ranges;

/// One piece of a pattern.
pub(super) struct RegexNode {
    pub(super) kind: RegexKind,
    pub(super) height: u32,
    /// Instructions as Go estimates them.
    pub(super) size: u64,
    /// The product of the counts of nested `{n}` operators.
    pub(super) copies: u32,
    /// Roughly the states of the byte automaton.
    pub(super) weight: u64,
}

pub(super) enum RegexKind {
    Empty,
    Literal { codes: Vec<u32>, fold: bool },
    Class(Ranges),
    AnyChar,
    AnyCharNotNewline,
    Look(Look),
    Capture { index: u32, sub: Box<RegexNode> },
    Repeat { min: u32, max: Option<u32>, greedy: bool, sub: Box<RegexNode> },
    Concat(Vec<RegexNode>),
    Alternate(Vec<RegexNode>),
}

/// A condition on a place in the text.
#[derive(Clone, Copy, Debug)]
pub(super) enum Look {
    StartText,
    EndText,
    StartLine,
    EndLine,
    WordBoundary,
    NotWordBoundary,
}

impl RegexNode {
    pub(super) fn leaf(kind: RegexKind) -> Self {
        let weight = match &kind {
            RegexKind::Literal { codes, fold } => literal_weight(codes, *fold),
            RegexKind::Class(ranges) => class_weight(ranges),
            RegexKind::AnyChar | RegexKind::AnyCharNotNewline => 12,
            _ => 1,
        };
        let size = match &kind {
            RegexKind::Literal { codes, .. } => codes.len() as u64,
            _ => 1,
        };
        Self { kind, height: 1, size, copies: 1, weight }
    }

    pub(super) fn literal(code: u32, fold: bool) -> Self {
        Self::leaf(RegexKind::Literal { codes: vec![code], fold })
    }

    pub(super) fn capture(index: u32, sub: Self) -> Self {
        Self {
            height: sub.height + 1,
            size: 2 + sub.size,
            copies: sub.copies,
            weight: 2 + sub.weight,
            kind: RegexKind::Capture { index, sub: Box::new(sub) },
        }
    }

    /// `*`, `+` or `?` when not `counted`, else `{min,max}`.
    pub(super) fn repeat(
        sub: Self,
        min: u32,
        max: Option<u32>,
        greedy: bool,
        counted: bool,
    ) -> Self {
        let size = match (counted, min, max) {
            (_, 0, None) => 2 + sub.size,
            (false, ..) => 1 + sub.size,
            (true, min, None) => 1 + u64::from(min).saturating_mul(sub.size),
            (true, min, Some(max)) => {
                u64::from(max).saturating_mul(sub.size) + u64::from(max.saturating_sub(min))
            }
        };
        let times = max.unwrap_or(min).max(1);
        Self {
            height: sub.height + 1,
            size: size.max(1),
            // Nothing below `{0}` is ever copied, so Go does not look there.
            copies: match max {
                Some(0) => 1,
                _ if counted => sub.copies.saturating_mul(times),
                _ => sub.copies,
            },
            weight: 1 + u64::from(times).saturating_mul(sub.weight),
            kind: RegexKind::Repeat { min, max, greedy, sub: Box::new(sub) },
        }
    }

    pub(super) fn concat(subs: Vec<Self>) -> Self {
        Self::list(subs, 0, RegexKind::Concat)
    }

    pub(super) fn alternate(subs: Vec<Self>) -> Self {
        let extra = subs.len().saturating_sub(1) as u64;
        Self::list(subs, extra, RegexKind::Alternate)
    }

    fn list(subs: Vec<Self>, extra: u64, kind: fn(Vec<Self>) -> RegexKind) -> Self {
        let sum = |measure: fn(&Self) -> u64| {
            subs.iter().map(measure).fold(extra, u64::saturating_add).max(1)
        };
        Self {
            height: 1 + subs.iter().map(|sub| sub.height).max().unwrap_or(0),
            size: sum(|sub| sub.size),
            copies: subs.iter().map(|sub| sub.copies).max().unwrap_or(1),
            weight: sum(|sub| sub.weight),
            kind: kind(subs),
        }
    }

    /// How many code points Go stores for this node.
    pub(super) fn stored_runes(&self) -> u64 {
        match &self.kind {
            RegexKind::Literal { codes, .. } => codes.len() as u64,
            RegexKind::Class(ranges) => 2 * ranges.len() as u64,
            _ => 0,
        }
    }

    /// Whether Go would turn this node into part of a character class.
    pub(super) fn is_one_character(&self) -> bool {
        match &self.kind {
            RegexKind::Literal { codes, .. } => codes.len() == 1,
            RegexKind::Class(_) | RegexKind::AnyChar | RegexKind::AnyCharNotNewline => true,
            _ => false,
        }
    }
}

fn literal_weight(codes: &[u32], fold: bool) -> u64 {
    let bytes: u64 = codes.iter().map(|&code| utf8_len(code)).sum();
    if fold { 3 * bytes } else { bytes }
}

/// Ranges outside ASCII become sequences of byte ranges, a few for the lengths they cross and a few for each.
fn class_weight(ranges: &Ranges) -> u64 {
    let crossed = if ranges.last().is_some_and(|&(_, high)| high >= 0x80) { 12 } else { 2 };
    crossed + ranges.iter().map(|&(_, high)| utf8_len(high)).sum::<u64>()
}

fn utf8_len(code: u32) -> u64 {
    match code {
        0..0x80 => 1,
        0x80..0x800 => 2,
        0x800..0x1_0000 => 3,
        _ => 4,
    }
}
