//! Turns the syntax tree into the matching engine's own form.
//!
//! Takes a [`RegexNode`], gives a [`Hir`]. Every class is spelled out as ranges, so the engine's ideas of case and of
//! `\w` play no part. Groups are not named in the result: Go allows two groups of one name, the engine does not.

use regex_syntax::hir::{self, ClassUnicode, ClassUnicodeRange, Hir};

use super::node::{Look, RegexKind, RegexNode};
use crate::unicode::{self, Ranges};

/// Lowers a tree no higher than the parser allows.
pub(super) fn lower(node: RegexNode) -> Hir {
    match node.kind {
        RegexKind::Empty => Hir::empty(),
        RegexKind::Literal { codes, fold } => literal(&codes, fold),
        RegexKind::Class(mut ranges) => {
            unicode::clean(&mut ranges);
            class(&ranges)
        }
        RegexKind::AnyChar => class(&[(0, unicode::MAX)]),
        RegexKind::AnyCharNotNewline => class(&[(0, 0x9), (0xB, unicode::MAX)]),
        RegexKind::Look(look) => Hir::look(match look {
            Look::StartText => hir::Look::Start,
            Look::EndText => hir::Look::End,
            Look::StartLine => hir::Look::StartLF,
            Look::EndLine => hir::Look::EndLF,
            Look::WordBoundary => hir::Look::WordAscii,
            Look::NotWordBoundary => hir::Look::WordAsciiNegate,
        }),
        RegexKind::Capture { index, sub } => {
            Hir::capture(hir::Capture { index, name: None, sub: Box::new(lower(*sub)) })
        }
        RegexKind::Repeat { min, max, greedy, sub } => {
            Hir::repetition(hir::Repetition { min, max, greedy, sub: Box::new(lower(*sub)) })
        }
        RegexKind::Concat(subs) => Hir::concat(subs.into_iter().map(lower).collect()),
        RegexKind::Alternate(subs) => Hir::alternation(subs.into_iter().map(lower).collect()),
    }
}

fn literal(codes: &[u32], fold: bool) -> Hir {
    let text: Option<String> = codes.iter().map(|&code| char::from_u32(code)).collect();
    match text {
        // A surrogate is in no text.
        None => Hir::fail(),
        Some(text) if !fold => Hir::literal(text.into_bytes()),
        Some(_) => Hir::concat(
            codes
                .iter()
                .map(|&code| {
                    let mut ranges = Ranges::from([(code, code)]);
                    unicode::add_folded(&mut ranges, code, code);
                    unicode::clean(&mut ranges);
                    class(&ranges)
                })
                .collect(),
        ),
    }
}

fn class(ranges: &[(u32, u32)]) -> Hir {
    let mut class = ClassUnicode::empty();
    for &(low, high) in ranges {
        for (low, high) in [(low, high.min(0xD7FF)), (low.max(0xE000), high)] {
            if let (Some(low), Some(high)) = (char::from_u32(low), char::from_u32(high))
                && low <= high
            {
                class.push(ClassUnicodeRange::new(low, high));
            }
        }
    }
    Hir::class(hir::Class::Unicode(class))
}
