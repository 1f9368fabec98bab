//! Lines of a document that was made of a template, and the lines of the template they come from.
//!
//! Most lines of a template come out as they are, apart from their indentation. Lines that stand in both in the same
//! order hold the others: a line between two of them comes from a line between theirs, the one with the same key if there
//! is one, otherwise from the action that stands there.

use super::SourceFile;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// A line of the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LineOrigin {
    /// Its number, from 0.
    pub(super) line: usize,
    /// How much further to the right it stands there; nothing if it came out otherwise.
    pub(super) shift: Option<isize>,
}

/// More pairs of lines than this are not compared each with each.
const MOST_PAIRS: usize = 1 << 20;

/// A template, ready to be compared with what came out of it.
#[derive(Debug)]
pub(super) struct TemplateIndex {
    /// The lines of each document.
    parts: Vec<Range<usize>>,
    /// In which documents a line is, without the space around it.
    with_line: HashMap<Box<str>, Vec<usize>>,
}

impl TemplateIndex {
    pub(super) fn new(text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let is_end = |line: &str| line == "---" || line.starts_with("--- ");
        let ends = lines.iter().enumerate().filter(|(_, line)| is_end(line)).map(|(at, _)| at);
        let ends: Vec<usize> = ends.chain([lines.len()]).collect();
        let starts = std::iter::once(0).chain(ends.iter().map(|end| end + 1));
        let parts: Vec<_> = starts.zip(&ends).map(|(start, end)| start..*end).collect();
        let mut with_line: HashMap<Box<str>, Vec<usize>> = HashMap::new();
        for (number, part) in parts.iter().enumerate() {
            let own = lines.get(part.clone()).unwrap_or_default();
            for line in own.iter().filter(|line| is_telling(line)) {
                let known = with_line.entry(line.trim().into()).or_default();
                if known.last() != Some(&number) {
                    known.push(number);
                }
            }
        }
        Self { parts, with_line }
    }

    /// The lines of that document which has most of the lines that came out.
    fn most_alike(&self, rendered: &[&str]) -> Range<usize> {
        let mut scores = vec![0_usize; self.parts.len()];
        // What is there often counts once.
        let told: HashSet<&str> =
            rendered.iter().filter(|line| is_telling(line)).map(|line| line.trim()).collect();
        for number in told.iter().filter_map(|line| self.with_line.get(*line)).flatten() {
            if let Some(score) = scores.get_mut(*number) {
                *score += 1;
            }
        }
        let first_best = scores.iter().zip(&self.parts).rev().max_by_key(|(score, _)| **score);
        let best = first_best.filter(|(score, _)| **score > 0).map(|(_, part)| part.clone());
        best.unwrap_or(0..self.parts.last().map_or(0, |part| part.end))
    }
}

/// For each line of `rendered`, the line of `template` it comes from.
pub(super) fn align(rendered: &str, template: &SourceFile) -> Vec<Option<LineOrigin>> {
    let rendered: Vec<&str> = rendered.lines().collect();
    let part = template.index().most_alike(&rendered);
    let there: Vec<&str> = part.clone().map(|line| template.line(line).1).collect();
    let there = &*there;
    let anchors = if rendered.len().saturating_mul(there.len()) <= MOST_PAIRS {
        common(&rendered, there)
    } else {
        alone(&rendered, there)
    };
    let only = only_lines(there);
    let mut found: Vec<Option<LineOrigin>> = Vec::with_capacity(rendered.len());
    let mut after = 0;
    for (index, line) in rendered.iter().enumerate() {
        let exact = anchors.get(index).copied().flatten();
        let exact = exact.or_else(|| only.get(line.trim()).copied().flatten());
        if let Some(at) = exact {
            let text = there.get(at).copied().unwrap_or_default();
            let shift = Some(indentation(text) - indentation(line));
            found.push(Some(LineOrigin { line: part.start + at, shift }));
            after = at + 1;
            continue;
        }
        let next = anchors.iter().skip(index).flatten().next().copied();
        let until = next.filter(|next| *next >= after).unwrap_or(there.len());
        let between = after..until;
        let at = with_key(there, between.clone(), line)
            .inspect(|at| after = at + 1)
            .or_else(|| action(there, between))
            .unwrap_or(after.saturating_sub(1));
        found.push(Some(LineOrigin { line: part.start + at, shift: None }));
    }
    found
}

/// Whether a line says anything.
fn is_telling(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && line != "---" && !line.starts_with('#')
}

/// For each line of `rendered`, its line in a longest sequence of lines that both have.
fn common(rendered: &[&str], there: &[&str]) -> Vec<Option<usize>> {
    let width = there.len() + 1;
    let is_same = |left: &str, right: &str| is_telling(left) && left.trim() == right.trim();
    let mut lengths = vec![0_u32; (rendered.len() + 1) * width];
    let length = |lengths: &[u32], row: usize, column: usize| {
        lengths.get(row * width + column).copied().unwrap_or_default()
    };
    for (row, left) in rendered.iter().enumerate().rev() {
        for (column, right) in there.iter().enumerate().rev() {
            let longest = if is_same(left, right) {
                length(&lengths, row + 1, column + 1) + 1
            } else {
                length(&lengths, row + 1, column).max(length(&lengths, row, column + 1))
            };
            if let Some(slot) = lengths.get_mut(row * width + column) {
                *slot = longest;
            }
        }
    }
    let mut out = vec![None; rendered.len()];
    let (mut row, mut column) = (0, 0);
    while let (Some(left), Some(right)) = (rendered.get(row), there.get(column)) {
        if is_same(left, right) {
            if let Some(slot) = out.get_mut(row) {
                *slot = Some(column);
            }
            (row, column) = (row + 1, column + 1);
        } else if length(&lengths, row + 1, column) >= length(&lengths, row, column + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
    out
}

/// The same with those lines alone that are there once.
fn alone(rendered: &[&str], there: &[&str]) -> Vec<Option<usize>> {
    let (mine, only) = (only_lines(rendered), only_lines(there));
    let mut last = None;
    let place = |line: &&str| {
        let is_alone = mine.get(line.trim()).copied().flatten().is_some();
        let at = only.get(line.trim()).copied().flatten().filter(|_| is_alone)?;
        let follows = last.is_none_or(|last| at > last);
        last = Some(at).filter(|_| follows).or(last);
        follows.then_some(at)
    };
    rendered.iter().map(place).collect()
}

/// Where lines are; nothing for those that are there more than once.
fn only_lines<'l>(lines: &[&'l str]) -> HashMap<&'l str, Option<usize>> {
    let mut found = HashMap::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_telling(line)) {
        let place = found.entry(line.trim()).or_insert(Some(at));
        *place = place.filter(|place| *place == at);
    }
    found
}

/// The first line of `between` with the key of `line`.
fn with_key(there: &[&str], between: Range<usize>, line: &str) -> Option<usize> {
    let wanted = key(line)?;
    let lines = there.get(between.clone())?;
    Some(between.start + lines.iter().position(|line| key(line) == Some(wanted))?)
}

/// The first line of `between` that puts something in.
fn action(there: &[&str], between: Range<usize>) -> Option<usize> {
    let lines = there.get(between.clone())?;
    let puts_in = |line: &&str| {
        let inside = line.split_once("{{").map(|(_, rest)| rest.trim_start_matches(['-', ' ']));
        let controls = ["if", "else", "end", "range", "with", "/*", "define", "block", "$"];
        inside.is_some_and(|inside| !controls.iter().any(|word| inside.starts_with(word)))
    };
    Some(between.start + lines.iter().position(puts_in)?)
}

fn indentation(line: &str) -> isize {
    isize::try_from(line.len() - line.trim_start().len()).unwrap_or(0)
}

/// The key of a line, with what makes it an item of a list.
fn key(line: &str) -> Option<&str> {
    let line = line.trim();
    let key = line.split_once(": ").map(|(key, _)| key).or_else(|| line.strip_suffix(':'))?;
    Some(key).filter(|key| !key.is_empty() && !key.starts_with('#'))
}
