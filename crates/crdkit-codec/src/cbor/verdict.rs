//! Which of the things wrong with an item is the one to report.
//!
//! Go's decoder checks the form of the whole input first. Then it goes through the values without
//! stopping at errors: an array reports the first item that failed; a map the first key or value that
//! failed, unless a key occurs again, which replaces what was found before and ends the map. A pair
//! that failed takes no part in finding duplicates. `null` as a key keeps the key before it.
//!
//! This runs only for input that is refused, so it may take its time, but not more than linear.

use super::Rules;
use super::parse::{CborParser, CborToken};
use super::problem::{CborFinding, CborProblem};
use super::text::Text;
use super::time;
use crdkit_issue::{FieldPath, Segment, Span};
use std::collections::HashSet;

/// An array or map whose values are being looked at.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
struct VerdictFrame {
    is_map: bool,
    /// Whether nothing inside matters, because Go passes over it.
    is_dead: bool,
    /// What is wrong with the container itself.
    own: Option<CborFinding>,
    /// What is wrong inside.
    error: Option<CborFinding>,
    /// Whether a key comes next.
    at_key: bool,
    key_failed: bool,
    key: Vec<u8>,
    key_span: Span,
    index: u64,
    seen: HashSet<Box<[u8]>>,
}

/// What Go would report about `bytes`, if anything.
pub(crate) fn verdict(bytes: &[u8], rules: &Rules) -> Option<CborFinding> {
    form(bytes, rules).err().or_else(|| meaning(bytes, rules))
}

/// Checks the form of `bytes`, which must hold one item.
pub(crate) fn form(bytes: &[u8], rules: &Rules) -> Result<(), CborFinding> {
    let end = item_end(bytes, rules)?;
    match bytes.len() - end {
        0 => Ok(()),
        left => Err(CborFinding::new(
            CborProblem::Trailing { bytes: left },
            Span::new(end, bytes.len()),
        )),
    }
}

/// Offset after the item that begins `bytes`, whose form is checked.
pub(crate) fn item_end(bytes: &[u8], rules: &Rules) -> Result<usize, CborFinding> {
    if bytes.is_empty() {
        return Err(CborFinding::new(CborProblem::Empty, Span::at(0)));
    }
    let mut parser = CborParser::new(*rules);
    loop {
        match parser.next(bytes) {
            CborToken::End => return Ok(parser.at),
            CborToken::More => {
                return Err(CborFinding::new(CborProblem::Truncated, Span::at(bytes.len())));
            }
            CborToken::Wrong => {
                let (problem, at) = parser.wrong;
                return Err(CborFinding::new(problem, Span::new(at, at + 1)));
            }
            _ => {}
        }
    }
}

/// What is wrong with the values of `bytes`, whose form is right.
fn meaning(bytes: &[u8], rules: &Rules) -> Option<CborFinding> {
    let mut parser = CborParser::new(*rules);
    let mut open: Vec<VerdictFrame> = Vec::new();
    loop {
        let token = parser.next(bytes);
        let span = Span::new(parser.start, parser.at);
        let dead = open.last().is_some_and(VerdictFrame::skips_next);
        let own = parser.problem.map(|problem| CborFinding::new(problem, span));
        let outcome = match token {
            CborToken::End | CborToken::More | CborToken::Wrong => return None,
            CborToken::BeginArray | CborToken::BeginMap => {
                let is_map = matches!(token, CborToken::BeginMap);
                let is_dead = dead || own.is_some();
                open.push(VerdictFrame { is_dead, own, ..VerdictFrame::new(is_map) });
                continue;
            }
            CborToken::EndArray | CborToken::EndMap => {
                let level = open.pop()?;
                level.own.or(level.error).map_or(Ok(None), Err)
            }
            _ if dead => Ok(None),
            _ => own.map_or_else(|| scalar(token, &parser.text, bytes, span), Err),
        };
        match open.last_mut() {
            Some(level) => level.take(outcome, span),
            None => return outcome.err(),
        }
    }
}

/// The key that a scalar is, or nothing when it is a value or `null`.
fn scalar(
    token: CborToken,
    text: &Text,
    bytes: &[u8],
    span: Span,
) -> Result<Option<Vec<u8>>, CborFinding> {
    let wrong = |problem| CborFinding::new(problem, span);
    match token {
        CborToken::Key => text.value(bytes).map(|key| Some(key.into_owned())).map_err(wrong),
        CborToken::String => text.value(bytes).map(|_| None).map_err(|problem| {
            let content = text.content(bytes).unwrap_or_default();
            CborFinding { text: content.into(), ..wrong(problem) }
        }),
        CborToken::Epoch(seconds) => time::epoch(seconds).map(|_| None).map_err(wrong),
        CborToken::EpochFloat(bits) => {
            time::epoch_float(f64::from_bits(bits)).map(|_| None).map_err(wrong)
        }
        _ => Ok(None),
    }
}

impl VerdictFrame {
    fn new(is_map: bool) -> Self {
        Self {
            is_map,
            is_dead: false,
            own: None,
            error: None,
            at_key: is_map,
            key_failed: false,
            key: Vec::new(),
            key_span: Span::default(),
            index: 0,
            seen: HashSet::new(),
        }
    }

    /// Whether Go passes over the next item without looking at it.
    fn skips_next(&self) -> bool {
        self.is_dead || self.is_map && !self.at_key && self.key_failed
    }

    /// Takes what came of the next item.
    fn take(&mut self, outcome: Result<Option<Vec<u8>>, CborFinding>, span: Span) {
        let was_key = self.at_key;
        self.at_key = self.is_map && !was_key;
        if self.is_dead {
            return;
        }
        let failed = match outcome {
            Err(finding) => {
                self.error.get_or_insert(finding);
                true
            }
            Ok(Some(key)) => {
                self.key = key;
                false
            }
            Ok(None) => false,
        };
        if was_key {
            self.key_failed = failed;
            self.key_span = span;
        } else if self.is_map {
            if !failed && !self.key_failed && !self.seen.insert(self.key.as_slice().into()) {
                let problem = CborProblem::Duplicate { index: self.index };
                let text = self.key.as_slice().into();
                self.error = Some(CborFinding { problem, span: self.key_span, text });
                self.is_dead = true;
            }
            self.index += 1;
        }
    }
}

/// The path of what stands at `offset` of `bytes`, as far as the form of the bytes allows.
pub(crate) fn path_at(bytes: &[u8], rules: &Rules, offset: usize) -> FieldPath {
    enum VerdictStep {
        Item(usize),
        Key(Vec<u8>, bool),
    }
    let mut parser = CborParser::new(*rules);
    let mut open: Vec<VerdictStep> = Vec::new();
    loop {
        let token = parser.next(bytes);
        if parser.start >= offset
            || matches!(token, CborToken::End | CborToken::More | CborToken::Wrong)
        {
            break;
        }
        match token {
            CborToken::BeginArray if parser.at <= offset => {
                open.push(VerdictStep::Item(0));
                continue;
            }
            CborToken::BeginMap if parser.at <= offset => {
                open.push(VerdictStep::Key(Vec::new(), false));
                continue;
            }
            CborToken::EndArray | CborToken::EndMap => {
                open.pop();
            }
            _ => {}
        }
        match open.last_mut() {
            Some(VerdictStep::Item(index)) => *index += 1,
            Some(VerdictStep::Key(key, is_value)) => {
                *is_value = !*is_value;
                if let CborToken::Key = token {
                    *key = parser.text.value(bytes).unwrap_or_default().into_owned();
                }
            }
            None => {}
        }
    }
    let steps = open.iter().filter_map(|step| match step {
        VerdictStep::Item(index) => Some(Segment::Index(*index)),
        VerdictStep::Key(key, true) => Some(Segment::named(&String::from_utf8_lossy(key))),
        // The problem is with the key itself: it belongs to the map.
        VerdictStep::Key(_, false) => None,
    });
    steps.collect()
}
