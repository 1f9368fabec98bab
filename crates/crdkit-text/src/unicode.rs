//! Go's view of Unicode: general categories, scripts, simple case folding and printable characters.
//!
//! Takes code points and names, gives sets of code points as sorted ranges. Go 1.26 carries Unicode 15.0, so the
//! tables are its own rather than those of a newer Unicode release: a pattern or a quoted string means here what
//! it means on the server. Upstream: Go `unicode`, `strconv.IsPrint`.

mod tables;

use tables::{CATEGORY_ALIASES, CATEGORY_RUNS, FOLD_RUNS, SCRIPT_RUNS, SCRIPTS};

/// Inclusive ranges of code points, surrogates included as Go counts them.
pub(crate) type Ranges = Vec<(u32, u32)>;

/// The last code point.
pub(crate) const MAX: u32 = 0x10_FFFF;

/// General categories in the order of their numbers in the table.
const CATEGORIES: [&str; 30] = [
    "Cc", "Cf", "Cn", "Co", "Cs", "Ll", "Lm", "Lo", "Lt", "Lu", "Mc", "Me", "Mn", "Nd", "Nl", "No",
    "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc", "Sk", "Sm", "So", "Zl", "Zp", "Zs",
];

/// Whether Go prints the character as itself: letters, marks, numbers, punctuation, symbols and the ASCII space.
pub(crate) fn is_print(c: char) -> bool {
    let code = u32::from(c);
    if code < 0x80 {
        return (0x20..0x7F).contains(&code);
    }
    !category_of(c).starts_with(['C', 'Z'])
}

/// `\pL`.
pub(crate) fn is_letter(c: char) -> bool {
    category_of(c).starts_with('L')
}

/// `\pS`.
pub(crate) fn is_symbol(c: char) -> bool {
    category_of(c).starts_with('S')
}

fn category_of(c: char) -> &'static str {
    let code = u32::from(c);
    let run = CATEGORY_RUNS.partition_point(|&packed| packed >> 8 <= code);
    let packed = run.checked_sub(1).and_then(|index| CATEGORY_RUNS.get(index)).unwrap_or(&0);
    CATEGORIES.get((packed & 0xFF) as usize).unwrap_or(&"Cn")
}

/// The code points a name in `\p{…}` stands for, in every case if `fold` is set; nothing when Go does not know
/// the name.
///
/// Names are compared without case, spaces, hyphens and underscores.
pub(crate) fn class(name: &str, fold: bool) -> Option<Ranges> {
    let name = canonical_name(name);
    let alias = CATEGORY_ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, short)| *short);
    let ranges = match alias.unwrap_or(&name) {
        "Any" => vec![(0, MAX)],
        "Ascii" => vec![(0, 0x7F)],
        "Assigned" => negate(&category("Cn")?),
        // Go has no folding for cased letters, though one mark folds to one of them.
        "Lc" | "LC" => return category("LC"),
        name => category(name).or_else(|| script(name))?,
    };
    Some(if fold { folded(&ranges) } else { ranges })
}

/// Clean ranges together with every other case of their code points.
pub(crate) fn folded(ranges: &[(u32, u32)]) -> Ranges {
    let mut folded = ranges.to_vec();
    for &(low, high) in ranges {
        add_folded(&mut folded, low, high);
    }
    clean(&mut folded);
    folded
}

fn category(name: &str) -> Option<Ranges> {
    let includes = |category: &str| match name {
        "LC" => matches!(category, "Ll" | "Lt" | "Lu"),
        _ => category == name || (name.len() == 1 && category.starts_with(name)),
    };
    if !CATEGORIES.iter().any(|category| includes(category)) {
        return None;
    }
    Some(runs(&CATEGORY_RUNS, |number| {
        CATEGORIES.get(number as usize).is_some_and(|category| includes(category))
    }))
}

fn script(name: &str) -> Option<Ranges> {
    let index = SCRIPTS.iter().position(|script| *script == name)?;
    Some(runs(&SCRIPT_RUNS, |script| script as usize == index + 1))
}

fn canonical_name(name: &str) -> String {
    let mut canonical = String::with_capacity(name.len());
    for c in name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')) {
        canonical.push(if canonical.is_empty() {
            c.to_ascii_uppercase()
        } else {
            c.to_ascii_lowercase()
        });
    }
    canonical
}

fn runs(table: &[u32], wanted: impl Fn(u32) -> bool) -> Ranges {
    let mut ranges = Ranges::new();
    let mut open = None;
    for packed in table {
        let start = packed >> 8;
        match (open, wanted(packed & 0xFF)) {
            (None, true) => open = Some(start),
            (Some(first), false) => {
                ranges.push((first, start - 1));
                open = None;
            }
            _ => {}
        }
    }
    ranges.extend(open.map(|first| (first, MAX)));
    ranges
}

/// Sorts ranges and joins those that touch.
pub(crate) fn clean(ranges: &mut Ranges) {
    ranges.sort_unstable();
    let mut joined = Ranges::with_capacity(ranges.len());
    for &(low, high) in ranges.iter() {
        match joined.last_mut() {
            Some((_, last)) if low <= last.saturating_add(1) => *last = high.max(*last),
            _ => joined.push((low, high)),
        }
    }
    *ranges = joined;
}

/// The code points outside clean ranges.
pub(crate) fn negate(ranges: &[(u32, u32)]) -> Ranges {
    let mut gaps = Ranges::with_capacity(ranges.len() + 1);
    let mut next = 0;
    for &(low, high) in ranges {
        if next < low {
            gaps.push((next, low - 1));
        }
        next = high + 1;
    }
    if next <= MAX {
        gaps.push((next, MAX));
    }
    gaps
}

/// The next code point of the same letter in another case; going on leads back to the start.
pub(crate) fn simple_fold(code: u32) -> u32 {
    // Runs are sorted by their first code point and interleave only in pairs of every second code point, so the
    // run that holds a code point is one of the last few that begin at or before it.
    let end = FOLD_RUNS.partition_point(|run| run.0 <= code);
    let candidates = FOLD_RUNS.get(end.saturating_sub(4)..end).unwrap_or_default();
    candidates
        .iter()
        .rev()
        .find(|&&(first, last, stride, _)| {
            code <= last && (code - first).is_multiple_of(u32::from(stride))
        })
        .map_or(code, |&(.., delta)| code.saturating_add_signed(delta))
}

/// Adds every other case of the code points in `low..=high`.
pub(crate) fn add_folded(ranges: &mut Ranges, low: u32, high: u32) {
    let end = FOLD_RUNS.partition_point(|run| run.0 <= high);
    for &(first, last, stride, _) in FOLD_RUNS.get(..end).unwrap_or_default() {
        if last < low {
            continue;
        }
        let stride = u32::from(stride);
        let start =
            if first >= low { first } else { first + (low - first).div_ceil(stride) * stride };
        for code in (start..=last.min(high)).step_by(stride as usize) {
            let mut other = simple_fold(code);
            while other != code {
                push(ranges, other);
                other = simple_fold(other);
            }
        }
    }
}

/// Appends one code point, growing one of the last two ranges when it touches: folding an alphabet alternates
/// between two growing ranges.
fn push(ranges: &mut Ranges, code: u32) {
    for (low, high) in ranges.iter_mut().rev().take(2) {
        if code + 1 >= *low && code <= high.saturating_add(1) {
            *low = code.min(*low);
            *high = code.max(*high);
            return;
        }
    }
    ranges.push((code, code));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_orbits_lead_back_to_their_start() {
        for code in 0..=MAX {
            let mut other = simple_fold(code);
            let mut steps = 0;
            while other != code {
                other = simple_fold(other);
                steps += 1;
                assert!(steps < 4, "{code:#x}");
            }
        }
        assert_eq!(simple_fold(u32::from('k')), 0x212A);
        assert_eq!(simple_fold(0x212A), u32::from('K'));
    }

    #[test]
    fn every_category_belongs_to_its_major_class() {
        for name in CATEGORIES {
            let minor = class(name, false).unwrap();
            let mut both = class(&name[..1], false).unwrap();
            let major = both.clone();
            both.extend(minor);
            clean(&mut both);
            assert_eq!(both, major, "{name}");
        }
    }

    #[test]
    fn names_are_compared_loosely() {
        assert_eq!(class("uppercase-letter", true), class("Lu", true));
        assert_eq!(class("GREEK", false), class("Greek", false));
        assert_eq!(class("Klingon", false), None);
        assert_eq!(class("", false), None);
    }
}
