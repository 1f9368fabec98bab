//! `anyOf`, `oneOf`, `allOf` and `not`.
//!
//! Clauses put their findings on the validator's stack. Those of the failing clause with the highest
//! match count stay there, after the junctor's own finding; the others are taken off.

use super::finding::Problem;
use super::{Instance, Keywords, Position, Validator};
use crate::compile::{Id, Junctors};
use crdkit_value::Value;

/// How the alternatives of a junctor fared.
struct Tried {
    /// How many are satisfied.
    n_valid: u32,
    /// Match count of the first satisfied one, or else of the best failing one.
    count: u32,
}

impl<'t, K: Keywords<'t>> Validator<'t, K> {
    /// Gives the match counts of the clauses that stand for the value.
    pub(super) fn junctors(&mut self, at: &Instance<'t, '_>, junctors: &Junctors) -> u32 {
        let mut count = 0;
        if !junctors.any_of.is_empty() {
            let start = self.findings.len();
            let tried = self.alternatives(&junctors.any_of, at.value, true);
            count += tried.count;
            if tried.n_valid == 0 {
                self.insert(start, at, Problem::AnyOf);
            }
        }
        if !junctors.one_of.is_empty() {
            let start = self.findings.len();
            let tried = self.alternatives(&junctors.one_of, at.value, false);
            if tried.n_valid < 2 {
                count += tried.count;
            }
            if tried.n_valid != 1 {
                self.insert(start, at, Problem::OneOf { n_valid: tried.n_valid });
            }
        }
        if !junctors.all_of.is_empty() {
            let mut n_valid = 0;
            for clause in junctors.all_of.iter().copied() {
                let before = self.findings.len();
                count += self.value(clause, at.value, None, Position::Part);
                n_valid += usize::from(self.findings.len() == before);
            }
            if n_valid < junctors.all_of.len() {
                self.add(at, Problem::AllOf { none: n_valid == 0 });
            }
        }
        if let Some(clause) = junctors.not {
            let before = self.findings.len();
            self.value(clause, at.value, None, Position::Part);
            if self.findings.len() == before {
                self.add(at, Problem::Not);
            } else {
                self.findings.truncate(before);
            }
        }
        count
    }

    /// Tries `clauses`, up to the first satisfied one if `first_wins`. If none is satisfied, the
    /// findings of the best stay on the stack.
    fn alternatives(&mut self, clauses: &[Id], value: Value<'_>, first_wins: bool) -> Tried {
        let start = self.findings.len();
        let mut tried = Tried { n_valid: 0, count: 0 };
        let mut best: Option<u32> = None;
        for clause in clauses.iter().copied() {
            let before = self.findings.len();
            let count = self.value(clause, value, None, Position::Part);
            if self.findings.len() == before {
                self.findings.truncate(start);
                if tried.n_valid == 0 {
                    tried.count = count;
                }
                tried.n_valid += 1;
                if first_wins {
                    break;
                }
            } else if tried.n_valid == 0 && best.is_none_or(|best| count > best) {
                best = Some(count);
                self.findings.drain(start..before);
            } else {
                self.findings.truncate(before);
            }
        }
        if tried.n_valid == 0 {
            tried.count = best.unwrap_or(0);
        }
        tried
    }

    /// Notes what is wrong with a value before the findings from `position` on.
    pub fn insert(&mut self, position: usize, at: &Instance<'_, '_>, problem: Problem<K::Problem>) {
        self.add(at, problem);
        if let Some(added) = self.findings.get_mut(position..) {
            added.rotate_right(1);
        }
    }
}
