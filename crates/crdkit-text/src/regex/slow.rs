//! Patterns that are small to write and large as an automaton of bytes, matched character by character.
//!
//! Takes a syntax tree, gives a program with one instruction for each of Go's, in which copies of a class share their
//! ranges. Whether it matches is found by following all ways through it at once, so time is the product of program and
//! text, and memory that of the program. Where a match is, is not asked here.

use super::node::{Look, RegexKind, RegexNode};
use crate::unicode::{self, Ranges};
use std::collections::HashMap;

/// A pattern as instructions.
pub(super) struct Program {
    steps: Vec<RegexStep>,
    classes: Vec<Ranges>,
}

#[derive(Clone, Copy)]
enum RegexStep {
    /// A character of a class, then the next step.
    Class(u32),
    /// Both ways.
    Split(u32, u32),
    Jump(u32),
    /// The next step, if the place is like this.
    Look(Look),
    Match,
    /// No way leads on.
    Fail,
}

/// The ways that are being followed: each step once.
#[derive(Default)]
struct Ways {
    steps: Vec<u32>,
    /// The round in which a step was last added.
    seen: Vec<u32>,
    round: u32,
}

impl Program {
    pub(super) fn new(root: &RegexNode) -> Self {
        let mut builder = RegexBuilder::default();
        builder.node(root);
        builder.steps.push(RegexStep::Match);
        Self { steps: builder.steps, classes: builder.classes }
    }

    /// Whether it matches somewhere in `text`.
    pub(super) fn is_match(&self, text: &str) -> bool {
        let n_steps = self.steps.len();
        let mut now = Ways { seen: vec![0; n_steps], ..Ways::default() };
        let mut next = Ways { seen: vec![0; n_steps], ..Ways::default() };
        let mut pending = Vec::new();
        let mut before = None;
        let mut characters = text.chars();
        now.begin();
        loop {
            let after = characters.clone().next();
            // A match may begin anywhere.
            if self.follow(0, (before, after), &mut now, &mut pending) {
                return true;
            }
            let Some(character) = characters.next() else { return false };
            next.begin();
            let place = (Some(character), characters.clone().next());
            for step in &now.steps {
                if let Some(RegexStep::Class(class)) = self.steps.get(*step as usize)
                    && self.has(*class, character)
                    && self.follow(step + 1, place, &mut next, &mut pending)
                {
                    return true;
                }
            }
            std::mem::swap(&mut now, &mut next);
            before = Some(character);
        }
    }

    /// Adds all that can be reached from a step without a character; true if that is a match.
    fn follow(
        &self,
        start: u32,
        place: (Option<char>, Option<char>),
        ways: &mut Ways,
        pending: &mut Vec<u32>,
    ) -> bool {
        pending.clear();
        pending.push(start);
        while let Some(at) = pending.pop() {
            if !ways.is_new(at) {
                continue;
            }
            match self.steps.get(at as usize) {
                Some(RegexStep::Match) => return true,
                Some(RegexStep::Class(_)) => ways.steps.push(at),
                Some(RegexStep::Split(first, second)) => pending.extend([*second, *first]),
                Some(RegexStep::Jump(to)) => pending.push(*to),
                Some(RegexStep::Look(look)) if holds(*look, place) => pending.push(at + 1),
                Some(RegexStep::Look(_) | RegexStep::Fail) | None => {}
            }
        }
        false
    }

    fn has(&self, class: u32, character: char) -> bool {
        let ranges = self.classes.get(class as usize).map_or(&[][..], |ranges| ranges);
        let code = u32::from(character);
        let after = ranges.partition_point(|(low, _)| *low <= code);
        after.checked_sub(1).and_then(|at| ranges.get(at)).is_some_and(|(_, high)| code <= *high)
    }
}

impl Ways {
    fn begin(&mut self) {
        self.steps.clear();
        self.round += 1;
    }

    fn is_new(&mut self, step: u32) -> bool {
        let round = self.round;
        self.seen.get_mut(step as usize).is_some_and(|seen| std::mem::replace(seen, round) != round)
    }
}

/// Whether a place between two characters is as it must be.
fn holds(look: Look, (before, after): (Option<char>, Option<char>)) -> bool {
    let is_word = |it: Option<char>| it.is_some_and(|it| it.is_ascii_alphanumeric() || it == '_');
    match look {
        Look::StartText => before.is_none(),
        Look::EndText => after.is_none(),
        Look::StartLine => before.is_none_or(|it| it == '\n'),
        Look::EndLine => after.is_none_or(|it| it == '\n'),
        Look::WordBoundary => is_word(before) != is_word(after),
        Look::NotWordBoundary => is_word(before) == is_word(after),
    }
}

#[derive(Default)]
struct RegexBuilder {
    steps: Vec<RegexStep>,
    classes: Vec<Ranges>,
    /// The class of a node that was met before, by where it is in memory.
    known: HashMap<usize, u32>,
}

impl RegexBuilder {
    fn here(&self) -> u32 {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX)
    }

    /// Recurses as deep as the tree is high, which the parser limits.
    fn node(&mut self, node: &RegexNode) {
        match &node.kind {
            RegexKind::Empty => {}
            RegexKind::Literal { codes, fold } => {
                for code in codes {
                    self.class(std::ptr::from_ref(code).addr(), || {
                        let mut ranges = Ranges::from([(*code, *code)]);
                        if *fold {
                            unicode::add_folded(&mut ranges, *code, *code);
                        }
                        ranges
                    });
                }
            }
            RegexKind::Class(ranges) => {
                self.class(std::ptr::from_ref(node).addr(), || ranges.clone());
            }
            RegexKind::AnyChar => {
                self.class(std::ptr::from_ref(node).addr(), || Ranges::from([(0, unicode::MAX)]));
            }
            RegexKind::AnyCharNotNewline => {
                let all = || Ranges::from([(0, 0x9), (0xB, unicode::MAX)]);
                self.class(std::ptr::from_ref(node).addr(), all);
            }
            RegexKind::Look(look) => self.steps.push(RegexStep::Look(*look)),
            RegexKind::Capture { sub, .. } => self.node(sub),
            RegexKind::Repeat { min, max, sub, .. } => self.repeat(*min, *max, sub),
            RegexKind::Concat(subs) => subs.iter().for_each(|sub| self.node(sub)),
            RegexKind::Alternate(subs) => self.alternate(subs),
        }
    }

    fn class(&mut self, address: usize, ranges: impl FnOnce() -> Ranges) {
        let next = u32::try_from(self.classes.len()).unwrap_or(u32::MAX);
        let class = *self.known.entry(address).or_insert(next);
        if class == next {
            let mut ranges = ranges();
            unicode::clean(&mut ranges);
            self.classes.push(ranges);
        }
        self.steps.push(RegexStep::Class(class));
    }

    fn repeat(&mut self, min: u32, max: Option<u32>, sub: &RegexNode) {
        for _ in 0..min {
            self.node(sub);
        }
        match max {
            None => {
                let split = self.here();
                self.steps.push(RegexStep::Fail);
                self.node(sub);
                self.steps.push(RegexStep::Jump(split));
                self.set(split, RegexStep::Split(split + 1, self.here()));
            }
            Some(max) => {
                let mut splits = Vec::new();
                for _ in min..max {
                    splits.push(self.here());
                    self.steps.push(RegexStep::Fail);
                    self.node(sub);
                }
                let end = self.here();
                for at in splits {
                    self.set(at, RegexStep::Split(at + 1, end));
                }
            }
        }
    }

    fn alternate(&mut self, subs: &[RegexNode]) {
        let mut jumps = Vec::new();
        for (at, sub) in subs.iter().enumerate() {
            let split = self.here();
            let is_last = at + 1 == subs.len();
            if !is_last {
                self.steps.push(RegexStep::Fail);
            }
            self.node(sub);
            if !is_last {
                jumps.push(self.here());
                self.steps.push(RegexStep::Fail);
                self.set(split, RegexStep::Split(split + 1, self.here()));
            }
        }
        if subs.is_empty() {
            self.steps.push(RegexStep::Fail);
        }
        let end = self.here();
        for at in jumps {
            self.set(at, RegexStep::Jump(end));
        }
    }

    fn set(&mut self, at: u32, step: RegexStep) {
        if let Some(place) = self.steps.get_mut(at as usize) {
            *place = step;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Regex, parse};
    use super::*;

    #[test]
    fn both_ways_to_match_agree() {
        let texts =
            ["", "a", "ab", "aab", "b\na", "é", "éa1", "A", "_", "a b", "aaaa", "\n", "ba", "K"];
        for pattern in [
            "",
            "a",
            "^a",
            "a$",
            "^$",
            "a|b",
            "(a|ab)(b|)",
            "a*b",
            "a+?b",
            "^a{2,3}$",
            "^a{2,}$",
            "(?i)a",
            "(?i)k",
            ".",
            "(?s).",
            "^.$",
            "(?m)^a$",
            "\\bb\\b",
            "\\B",
            "[^a]",
            "^[\\pL\\pN]{1,3}$",
            "a{0}",
            "(?:a|b|c)*\\z",
            "\\Aab",
            "[a-b]{2}",
            "^(?:(?:a?){3}b)?$",
            "x|",
        ] {
            let slow = Program::new(&parse::pattern(pattern).unwrap().root);
            let regex = Regex::new(pattern).unwrap();
            let fast = regex.automaton().unwrap();
            for text in texts {
                assert_eq!(slow.is_match(text), fast.is_match(text), "{pattern:?} in {text:?}");
            }
        }
    }

    #[test]
    fn copies_of_a_class_share_it() {
        let program = Program::new(&parse::pattern(r"^\PC{1000}$").unwrap().root);
        assert_eq!((program.classes.len(), program.steps.len()), (1, 1003));
        assert!(program.is_match(&"é".repeat(1000)) && !program.is_match(&"é".repeat(1001)));
    }
}
