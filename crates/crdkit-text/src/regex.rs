//! Go's regular expressions: the RE2 dialect of `regexp.Compile`, matched in linear time.
//!
//! Takes a pattern as Go reads it, gives a [`Regex`] or the error Go gives. Matching prefers the leftmost match
//! and, among those, the one Perl would find, as Go does. Time is linear in pattern and text for every pattern
//! that is accepted.
//! Upstream: Go 1.26 `regexp` and `regexp/syntax`.

mod class;
mod ecma;
mod error;
mod escape;
mod lower;
mod node;
mod parse;
mod search;
mod slow;
mod stack;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex_automata::meta;

use error::ErrorKind;
pub use error::RegexError;
pub use search::{Search, SearchOutcome};

/// A compiled regular expression; clones share it.
#[derive(Clone)]
pub struct Regex(Arc<Inner>);

struct Inner {
    pattern: Box<str>,
    groups: Box<[Option<Box<str>>]>,
    /// Most patterns of a schema are checked but never matched, so the automaton is built by the first match.
    automaton: OnceLock<Option<meta::Regex>>,
    /// Present if the automaton would be large: whether there is a match can be found without.
    slow: Option<slow::Program>,
    weight: u64,
}

/// A pattern lighter than this always fits the automaton's limit, so that building it can wait.
const LIGHT: u64 = 4_000_000;
/// A pattern heavier than this is matched without an automaton, which would take megabytes.
const HEAVY: u64 = 500_000;
const AUTOMATON_BYTES: usize = 128 << 20;

impl Regex {
    /// Reads a pattern.
    pub fn new(pattern: &str) -> Result<Self, RegexError> {
        let parsed = parse::pattern(pattern)?;
        let weight = parsed.root.weight;
        let slow = (weight > HEAVY).then(|| slow::Program::new(&parsed.root));
        // What is built to see whether it fits is not kept: few patterns are asked where they match.
        if weight > LIGHT && build(parsed.root).is_none() {
            return Err(RegexError { kind: ErrorKind::TooLarge, fragment: pattern.into() });
        }
        let (groups, automaton) = (parsed.groups.into_boxed_slice(), OnceLock::new());
        Ok(Self(Arc::new(Inner { pattern: pattern.into(), groups, automaton, slow, weight })))
    }

    /// About how many bytes are held once the pattern has been matched.
    pub fn memory(&self) -> u64 {
        const STATE: u64 = 32;
        const LEAST: u64 = 32 << 10;
        if self.0.slow.is_some() { LEAST } else { LEAST + self.0.weight * STATE }
    }

    /// The same pattern, which takes less memory and more time to see whether it matches.
    #[must_use]
    pub fn slowed(self) -> Self {
        if self.0.slow.is_some() {
            return self;
        }
        let Ok(parsed) = parse::pattern(&self.0.pattern) else { return self };
        let (pattern, groups) = (self.0.pattern.clone(), self.0.groups.clone());
        let slow = Some(slow::Program::new(&parsed.root));
        let (automaton, weight) = (OnceLock::new(), self.0.weight);
        Self(Arc::new(Inner { pattern, groups, automaton, slow, weight }))
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.0.pattern
    }

    /// The names of the capturing groups in order, the whole match not counted.
    pub fn group_names(&self) -> impl ExactSizeIterator<Item = Option<&str>> {
        self.0.groups.iter().map(Option::as_deref)
    }

    /// Whether the pattern is found anywhere in the text.
    pub fn is_match(&self, text: &str) -> bool {
        match &self.0.slow {
            Some(slow) => slow.is_match(text),
            None => self.automaton().is_some_and(|automaton| automaton.is_match(text)),
        }
    }

    /// Where the first match is, in bytes.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        self.automaton()?.find(text).map(|found| found.range())
    }

    /// Where each match is, from left to right, none overlapping another.
    pub fn find_all<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        self.automaton()
            .into_iter()
            .flat_map(move |automaton| automaton.find_iter(text))
            .map(|found| found.range())
    }

    /// The first match and what each group matched; element zero is the whole match.
    pub fn captures(&self, text: &str) -> Option<Vec<Option<Range<usize>>>> {
        self.captures_all(text).next()
    }

    /// Every match with its groups, as [`Regex::captures`] gives the first.
    pub fn captures_all<'t>(
        &'t self,
        text: &'t str,
    ) -> impl Iterator<Item = Vec<Option<Range<usize>>>> + 't {
        let groups = self.0.groups.len() + 1;
        self.automaton().into_iter().flat_map(move |automaton| automaton.captures_iter(text)).map(
            move |found| {
                (0..groups).map(|group| found.get_group(group).map(|span| span.range())).collect()
            },
        )
    }

    fn automaton(&self) -> Option<&meta::Regex> {
        let build = || parse::pattern(&self.0.pattern).ok().and_then(|parsed| build(parsed.root));
        self.0.automaton.get_or_init(build).as_ref()
    }
}

impl std::fmt::Debug for Regex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Regex").field(&self.as_str()).finish()
    }
}

impl PartialEq for Regex {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Regex {}

fn build(root: node::RegexNode) -> Option<meta::Regex> {
    let config = meta::Config::new().nfa_size_limit(Some(AUTOMATON_BYTES));
    meta::Builder::new().configure(config).build_from_hir(&lower::lower(root)).ok()
}
