//! Searches for texts that some patterns match and others do not.
//!
//! This decides whether every text one pattern accepts is accepted by another: if the search is
//! exhausted without a text, it is. The patterns run side by side as automata over bytes, together
//! with one that keeps the bytes valid UTF-8; the walk goes from short texts to long ones, counted in
//! characters, and gives up after a fixed number of states.

use super::{Regex, lower, parse};
use regex_automata::dfa::{Automaton as _, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use std::collections::{HashSet, VecDeque};

/// Texts to look for: those that match all of `matching` and none of `failing`.
#[derive(Clone, Debug, Default)]
pub struct Search<'r> {
    /// Patterns that are found in the texts.
    pub matching: Vec<&'r Regex>,
    /// Patterns that are not.
    pub failing: Vec<&'r Regex>,
    /// The least number of characters.
    pub min_length: usize,
    /// The greatest number of characters, if there is one.
    pub max_length: Option<usize>,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchOutcome {
    /// So many texts as were asked for, or all there are, from short to long.
    Texts(Vec<String>),
    /// There may be texts, but finding out takes too long.
    Unknown,
}

/// An automaton may be this large, in bytes.
const AUTOMATON_BYTES: usize = 1 << 20;
/// So many states are visited before the search gives up.
const STATES: usize = 100_000;

impl Search<'_> {
    /// Up to `count` texts, of different lengths or beginnings.
    pub fn run(&self, count: usize) -> SearchOutcome {
        let automata: Option<Vec<_>> =
            self.matching.iter().chain(&self.failing).map(|regex| automaton(regex)).collect();
        match automata {
            Some(automata) => AutomataWalk::new(self, automata).run(count),
            None => SearchOutcome::Unknown,
        }
    }
}

fn automaton(regex: &Regex) -> Option<dense::DFA<Vec<u32>>> {
    let hir = lower::lower(parse::pattern(regex.as_str()).ok()?.root);
    let config = thompson::Config::new().nfa_size_limit(Some(AUTOMATON_BYTES));
    let nfa = thompson::Compiler::new().configure(config).build_from_hir(&hir).ok()?;
    let config = dense::Config::new()
        .match_kind(MatchKind::All)
        .dfa_size_limit(Some(AUTOMATON_BYTES))
        .determinize_size_limit(Some(AUTOMATON_BYTES));
    dense::Builder::new().configure(config).build_from_nfa(&nfa).ok()
}

/// Where all automata stand. A pattern that was found stays found.
#[derive(Clone, PartialEq, Eq, Hash)]
struct AutomataState {
    /// The state of each automaton, or nothing once its pattern was found.
    automata: Box<[Option<StateID>]>,
    utf8: Utf8,
    /// Characters so far, counted up to the least length.
    length: usize,
}

/// What may come next for the bytes to be UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Utf8 {
    /// The first byte of a character.
    Start,
    /// A byte in this range, then so many of `80..=BF`.
    Rest { low: u8, high: u8, more: u8 },
}

impl Utf8 {
    fn next(self, byte: u8) -> Option<Self> {
        let rest = |low, high, more| Some(Self::Rest { low, high, more });
        match self {
            Self::Start => match byte {
                0..=0x7F => Some(Self::Start),
                0xC2..=0xDF => rest(0x80, 0xBF, 0),
                0xE0 => rest(0xA0, 0xBF, 1),
                0xED => rest(0x80, 0x9F, 1),
                0xE1..=0xEF => rest(0x80, 0xBF, 1),
                0xF0 => rest(0x90, 0xBF, 2),
                0xF1..=0xF3 => rest(0x80, 0xBF, 2),
                0xF4 => rest(0x80, 0x8F, 2),
                _ => None,
            },
            Self::Rest { low, high, .. } if !(low..=high).contains(&byte) => None,
            Self::Rest { more: 0, .. } => Some(Self::Start),
            Self::Rest { more, .. } => rest(0x80, 0xBF, more - 1),
        }
    }
}

struct AutomataWalk<'s> {
    search: &'s Search<'s>,
    automata: Vec<dense::DFA<Vec<u32>>>,
    /// One byte for each set of bytes that no automaton tells apart, readable ones first.
    bytes: Vec<u8>,
}

impl<'s> AutomataWalk<'s> {
    fn new(search: &'s Search<'s>, automata: Vec<dense::DFA<Vec<u32>>>) -> Self {
        let mut known = HashSet::new();
        let rank = |byte: &u8| match byte {
            b'a'..=b'z' => 0,
            b'0'..=b'9' => 1,
            b'A'..=b'Z' => 2,
            b'-' | b'.' | b'_' => 3,
            b'!'..=b'~' => 4,
            b' ' => 5,
            _ => 6,
        };
        let mut bytes: Vec<u8> = (0..=u8::MAX).collect();
        bytes.sort_by_key(rank);
        bytes.retain(|byte| {
            let classes: Vec<u8> =
                automata.iter().map(|automaton| automaton.byte_classes().get(*byte)).collect();
            // The bytes that begin and continue characters differ to UTF-8.
            let kind = match byte {
                0..=0x7F => 0,
                0x80..=0x8F => 1,
                0x90..=0x9F => 2,
                0xA0..=0xBF => 3,
                0xE1..=0xEC | 0xEE..=0xEF => 4,
                0xF1..=0xF3 => 5,
                0xC2..=0xDF => 6,
                _ => *byte,
            };
            known.insert((kind, classes))
        });
        Self { search, automata, bytes }
    }

    fn start(&self) -> Option<AutomataState> {
        let config = start::Config::new().anchored(Anchored::No);
        let start = |automaton: &dense::DFA<Vec<u32>>| automaton.start_state(&config).ok();
        let states: Option<Vec<_>> = self.automata.iter().map(start).collect();
        let states = states?.into_iter().map(Some).collect();
        Some(AutomataState { automata: states, utf8: Utf8::Start, length: 0 })
    }

    fn run(&self, count: usize) -> SearchOutcome {
        let Some(start) = self.start() else { return SearchOutcome::Unknown };
        // A row is a state, the row before it, the byte between them, and its length in characters.
        let mut rows: Vec<(AutomataState, usize, u8, usize)> = vec![(start, 0, 0, 0)];
        let mut seen = HashSet::new();
        let mut queue = VecDeque::from([0]);
        let mut texts = Vec::new();
        while let Some(at) = queue.pop_front() {
            let Some((state, _, _, length)) = rows.get(at).cloned() else { continue };
            if !seen.insert(state.clone()) {
                continue;
            }
            if self.is_hit(&state) {
                texts.extend(text(&rows, at));
                if texts.len() >= count {
                    break;
                }
            }
            for byte in &self.bytes {
                let Some(utf8) = state.utf8.next(*byte) else { continue };
                let begins = state.utf8 == Utf8::Start;
                let length = length + usize::from(begins);
                if self.search.max_length.is_some_and(|limit| length > limit) {
                    continue;
                }
                let Some(next) = self.step(&state, *byte, utf8, length) else { continue };
                if seen.contains(&next) {
                    continue;
                }
                rows.push((next, at, *byte, length));
                // The rest of a character costs nothing, so that texts come by characters.
                if begins {
                    queue.push_back(rows.len() - 1);
                } else {
                    queue.push_front(rows.len() - 1);
                }
            }
            if rows.len() > STATES {
                return if texts.is_empty() {
                    SearchOutcome::Unknown
                } else {
                    SearchOutcome::Texts(texts)
                };
            }
        }
        SearchOutcome::Texts(texts)
    }

    /// Where `byte` leads; nothing when no text that goes on like this can be wanted.
    fn step(
        &self,
        state: &AutomataState,
        byte: u8,
        utf8: Utf8,
        length: usize,
    ) -> Option<AutomataState> {
        let mut automata = Vec::with_capacity(self.automata.len());
        for (index, (automaton, at)) in self.automata.iter().zip(&state.automata).enumerate() {
            let wanted = index < self.search.matching.len();
            let next = at.map(|at| automaton.next_state(at, byte));
            let next = next.filter(|next| !automaton.is_match_state(*next));
            match next {
                None if !wanted => return None,
                Some(next) if wanted && automaton.is_dead_state(next) => return None,
                _ => automata.push(next),
            }
        }
        let length = length.min(self.search.min_length);
        Some(AutomataState { automata: automata.into_boxed_slice(), utf8, length })
    }

    /// Whether the text that led here is one to find.
    fn is_hit(&self, state: &AutomataState) -> bool {
        let ends = self.automata.iter().zip(&state.automata).map(|(automaton, at)| {
            at.is_none_or(|at| automaton.is_match_state(automaton.next_eoi_state(at)))
        });
        state.utf8 == Utf8::Start
            && state.length >= self.search.min_length
            && ends.enumerate().all(|(index, found)| found == (index < self.search.matching.len()))
    }
}

fn text(rows: &[(AutomataState, usize, u8, usize)], mut at: usize) -> Option<String> {
    let mut bytes = Vec::new();
    while at != 0 {
        let (_, before, byte, _) = rows.get(at)?;
        bytes.push(*byte);
        at = *before;
    }
    bytes.reverse();
    String::from_utf8(bytes).ok()
}
