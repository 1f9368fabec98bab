//! Whether a formula follows from another one.
//!
//! Yes is a proof: the one cannot hold without the other. No means nothing.

use super::formula::{Constant, Formula, Side};
use crdkit_text::regex::{Regex, Search, SearchOutcome};

/// So many pairs of parts are compared before an implication is given up.
const STEPS: usize = 20_000;

/// Whether `wanted` is true wherever `known` is.
pub(in crate::semantic) fn implies(known: &Formula, wanted: &Formula) -> bool {
    follows(known, wanted, &mut { STEPS })
}

/// More fields than this are not gone through.
const FIELDS: usize = 10;

/// Whether `wanted`, which is about nothing but the presence of fields, follows from all of `known` that is
/// about nothing else. Every combination of fields is tried: presence is always true or false.
pub(in crate::semantic) fn implies_presence(known: &[&Formula], wanted: &Formula) -> bool {
    let mut names = Vec::new();
    if !presences(wanted, &mut names) {
        return false;
    }
    let mut facts = Vec::new();
    for fact in known {
        let mut all = names.clone();
        if presences(fact, &mut all) && all.len() <= FIELDS {
            names = all;
            facts.push(*fact);
        }
    }
    names.len() <= FIELDS
        && (0_u32..1 << names.len()).all(|there| {
            !facts.iter().all(|fact| is_true(fact, &names, there)) || is_true(wanted, &names, there)
        })
}

/// Adds the fields that a formula is about; false if it is about something else, too.
fn presences<'f>(formula: &'f Formula, names: &mut Vec<&'f str>) -> bool {
    match formula {
        Formula::All(parts) | Formula::Any(parts) => {
            parts.iter().all(|part| presences(part, names))
        }
        Formula::Has(term, _) => {
            // Whether something is there that is deeper can fail to be true or false.
            let is_direct = |rest: &str| !rest.contains(['.', '(', '[']);
            let direct = ["self.", "oldSelf."].iter().filter_map(|it| term.text.strip_prefix(it));
            if !names.contains(&term.text.as_str()) {
                names.push(&term.text);
            }
            direct.into_iter().any(is_direct)
        }
        _ => false,
    }
}

fn is_true(formula: &Formula, names: &[&str], there: u32) -> bool {
    match formula {
        Formula::All(parts) => parts.iter().all(|part| is_true(part, names, there)),
        Formula::Any(parts) => parts.iter().any(|part| is_true(part, names, there)),
        Formula::Has(term, positive) => {
            let bit = names.iter().position(|name| *name == term.text);
            bit.is_some_and(|bit| (there >> bit & 1 == 1) == *positive)
        }
        _ => false,
    }
}

fn follows(known: &Formula, wanted: &Formula, steps: &mut usize) -> bool {
    let Some(left) = steps.checked_sub(1) else { return false };
    *steps = left;
    if known == wanted {
        return true;
    }
    if let Formula::All(parts) = wanted {
        return parts.iter().all(|part| follows(known, part, steps));
    }
    if let Formula::Any(parts) = known {
        return !parts.is_empty() && parts.iter().all(|part| follows(part, wanted, steps));
    }
    if let Formula::Any(parts) = wanted
        && parts.iter().any(|part| follows(known, part, steps))
    {
        return true;
    }
    if let Formula::All(parts) = known {
        return parts.iter().any(|part| follows(part, wanted, steps));
    }
    match (known, wanted) {
        (Formula::Each(known_range, known, known_all), Formula::Each(range, wanted, all)) => {
            known_range.text == range.text && known_all == all && follows(known, wanted, steps)
        }
        _ => atoms(known, wanted),
    }
}

/// Two tests of the same term.
fn atoms(known: &Formula, wanted: &Formula) -> bool {
    let on = |constant: &Constant, side: Side, limit: &Constant| {
        constant.order(limit).is_some_and(|ordering| side.holds(ordering))
    };
    match (known, wanted) {
        (Formula::Compare(a, side, limit), Formula::Compare(b, wanted_side, wanted_limit)) => {
            let same_way = matches!(
                (side, wanted_side),
                (Side::Below | Side::AtMost, Side::Below | Side::AtMost)
                    | (Side::Above | Side::AtLeast, Side::Above | Side::AtLeast)
            );
            // At the limit itself only an end that is left out fits into one that is.
            let within = on(limit, *wanted_side, wanted_limit)
                || limit == wanted_limit && matches!(side, Side::Below | Side::Above);
            // Between two whole numbers there is nothing.
            let next = match (side, limit, wanted_side, wanted_limit) {
                (Side::Below, Constant::Int(limit), Side::AtMost, Constant::Int(most)) => {
                    limit.checked_sub(1).is_some_and(|last| last <= *most)
                }
                (Side::Above, Constant::Int(limit), Side::AtLeast, Constant::Int(least)) => {
                    limit.checked_add(1).is_some_and(|first| first >= *least)
                }
                _ => false,
            };
            a.text == b.text && same_way && (within || next)
        }
        (Formula::Among(a, values, true), Formula::Compare(b, side, limit)) => {
            a.text == b.text && values.iter().all(|value| on(value, *side, limit))
        }
        (Formula::Among(a, values, true), Formula::Among(b, wanted, positive)) => {
            a.text == b.text && values.iter().all(|value| wanted.contains(value) == *positive)
        }
        (Formula::Among(a, values, false), Formula::Among(b, wanted, false)) => {
            a.text == b.text && wanted.iter().all(|value| values.contains(value))
        }
        (Formula::Compare(a, side, limit), Formula::Among(b, wanted, false)) => {
            // A constant that is certainly on the other side.
            let beyond =
                |value: &Constant| value.order(limit).is_some_and(|ordering| !side.holds(ordering));
            a.text == b.text && wanted.iter().all(beyond)
        }
        (Formula::Matches(a, narrow, true), Formula::Matches(b, wide, true))
        | (Formula::Matches(a, wide, false), Formula::Matches(b, narrow, false)) => {
            a.text == b.text && is_within(narrow, wide)
        }
        (Formula::Among(a, values, true), Formula::Matches(b, pattern, positive)) => {
            let regex = Regex::new(pattern).ok();
            let fits = |value: &Constant| match value {
                Constant::Text(text) => {
                    regex.as_ref().is_some_and(|regex| regex.is_match(text) == *positive)
                }
                _ => false,
            };
            a.text == b.text && values.iter().all(fits)
        }
        _ => false,
    }
}

/// Whether every text that has `narrow` has `wide`.
fn is_within(narrow: &str, wide: &str) -> bool {
    let (Ok(narrow), Ok(wide)) = (Regex::new(narrow), Regex::new(wide)) else { return false };
    let search =
        Search { matching: vec![&narrow], failing: vec![&wide], min_length: 0, max_length: None };
    matches!(search.run(1), SearchOutcome::Texts(texts) if texts.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::formula::OldSelf;
    use super::*;

    fn read(rule: &str) -> Formula {
        Formula::read(rule, OldSelf::Apart).unwrap()
    }

    #[test]
    fn rules_of_equal_meaning_are_equal_formulas() {
        for (left, right) in [
            ("self.a > 5", "5 < self.a"),
            ("!(self.a > 5)", "self.a <= 5"),
            ("self.a == 'x'", "!('x' != self.a)"),
            ("self.size() < 3", "size(self) < 3"),
            ("self.a <= self.b", "self.b >= self.a"),
            ("self.x.all(i, i.a > 1)", "self.x.all(item, 1 < item.a)"),
            ("!self.x.exists(i, i == 2)", "self.x.all(i, i != 2)"),
            ("!(has(self.a) && self.b)", "!has(self.a) || !self.b"),
            ("self['a'] == 1", "self.a == 1"),
        ] {
            assert_eq!(read(left), read(right), "{left} and {right}");
        }
    }

    #[test]
    fn presence_is_decided_by_trying_every_combination() {
        for (known, wanted, expected) in [
            ("has(self.a)", "has(self.b)", false),
            (
                "has(self.a) && !has(self.b) || !has(self.a) && has(self.b)",
                "has(self.a) || has(self.b)",
                true,
            ),
            ("has(self.a) || has(self.b)", "!(has(self.a) && has(self.b))", false),
            (
                "(!has(oldSelf.a) && !has(self.a)) || (has(oldSelf.a) && has(self.a))",
                "!has(oldSelf.a) || has(self.a)",
                true,
            ),
            ("has(self.a.b)", "has(self.a.b)", false),
        ] {
            let (known, wanted_formula) = (read(known), read(wanted));
            assert_eq!(implies_presence(&[&known], &wanted_formula), expected, "{wanted}");
        }
    }

    #[test]
    fn weaker_rules_follow_and_others_do_not() {
        for (known, wanted, expected) in [
            ("self.a > 5 && self.b", "self.a > 3", true),
            ("self.a > 3", "self.a > 5", false),
            ("self.a > 5", "self.a >= 6", true),
            ("self.a < 5", "self.a <= 4", true),
            ("self.a < 5.0", "self.a <= 4.5", false),
            ("self.a == 'x'", "self.a in ['x', 'y']", true),
            ("self.a in ['x', 'y']", "self.a == 'x'", false),
            ("self.a in ['x', 'y']", "self.a != 'z'", true),
            ("self.a <= 5", "self.a != 6", true),
            ("self.a <= 5", "self.a != 5", false),
            ("self.a < 5", "self.a < 5", true),
            ("self.a <= 5", "self.a < 5", false),
            ("has(self.a)", "has(self.a) || has(self.b)", true),
            ("has(self.a) || has(self.b)", "has(self.a)", false),
            ("has(self.a) ? self.a > 5 : self.b", "!has(self.a) || self.a > 2", true),
            ("self.x.all(i, i > 5)", "self.x.all(i, i > 3)", true),
            ("self.x.exists(i, i > 5)", "self.x.all(i, i > 3)", false),
            ("self.a.matches('^[a-c]+$')", "self.a.matches('^[a-z]+$')", true),
            ("self.a.matches('^[a-z]+$')", "self.a.matches('^[a-c]+$')", false),
            ("size(self.a) == 3", "self.a.size() <= 4", true),
        ] {
            assert_eq!(implies(&read(known), &read(wanted)), expected, "{known} ⇒ {wanted}");
        }
    }
}
