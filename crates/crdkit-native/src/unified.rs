//! Differences of texts in the unified format, as Python's `difflib` finds them: the longest run of equal lines first,
//! then those before and after it. In texts of many lines, lines that occur often begin no run.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// A run of lines that both texts have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    old: usize,
    new: usize,
    length: usize,
}

/// Ranges of lines of both texts: equal ones, or ones that replace each other.
#[derive(Clone, Debug)]
struct LineRanges {
    is_equal: bool,
    old: Range<usize>,
    new: Range<usize>,
}

/// The changes from `old` to `new`, without the names of files.
pub(crate) fn diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    let mut out = String::new();
    for hunk in hunks(steps(&old, &new)) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        let old_range = range(first.old.start, last.old.end);
        let new_range = range(first.new.start, last.new.end);
        let _ = writeln!(out, "@@ -{old_range} +{new_range} @@");
        for step in hunk {
            let mut lines = |sign: char, lines: Option<&[&str]>| {
                for line in lines.unwrap_or_default() {
                    let _ = writeln!(out, "{sign}{line}");
                }
            };
            if step.is_equal {
                lines(' ', old.get(step.old));
            } else {
                lines('-', old.get(step.old));
                lines('+', new.get(step.new));
            }
        }
    }
    out
}

/// Lines of one text as the head of a hunk has them.
fn range(start: usize, end: usize) -> String {
    match end - start {
        1 => format!("{}", start + 1),
        0 => format!("{start},0"),
        length => format!("{},{length}", start + 1),
    }
}

/// The steps with their context, those that are far apart in different hunks.
fn hunks(steps: Vec<LineRanges>) -> Vec<Vec<LineRanges>> {
    let last = steps.len().saturating_sub(1);
    let mut hunks = vec![Vec::new()];
    for (index, mut step) in steps.into_iter().enumerate() {
        let length = step.old.len();
        if step.is_equal && index == 0 {
            let skipped = length.saturating_sub(CONTEXT);
            step.old.start += skipped;
            step.new.start += skipped;
        } else if step.is_equal && index == last {
            let skipped = length.saturating_sub(CONTEXT);
            step.old.end -= skipped;
            step.new.end -= skipped;
        } else if step.is_equal && length > 2 * CONTEXT {
            let head = LineRanges {
                is_equal: true,
                old: step.old.start..step.old.start + CONTEXT,
                new: step.new.start..step.new.start + CONTEXT,
            };
            if let Some(hunk) = hunks.last_mut() {
                hunk.push(head);
            }
            hunks.push(Vec::new());
            step.old.start = step.old.end - CONTEXT;
            step.new.start = step.new.end - CONTEXT;
        }
        if let Some(hunk) = hunks.last_mut() {
            hunk.push(step);
        }
    }
    hunks.retain(|hunk: &Vec<LineRanges>| hunk.iter().any(|step| !step.is_equal));
    hunks
}

fn steps(old: &[&str], new: &[&str]) -> Vec<LineRanges> {
    let mut steps = Vec::new();
    let (mut at_old, mut at_new) = (0, 0);
    let end = Run { old: old.len(), new: new.len(), length: 0 };
    for run in runs(old, new).into_iter().chain([end]) {
        if at_old < run.old || at_new < run.new {
            steps.push(LineRanges { is_equal: false, old: at_old..run.old, new: at_new..run.new });
        }
        (at_old, at_new) = (run.old + run.length, run.new + run.length);
        if run.length > 0 {
            steps.push(LineRanges { is_equal: true, old: run.old..at_old, new: run.new..at_new });
        }
    }
    steps
}

/// The runs in their order, those that touch made one.
fn runs(old: &[&str], new: &[&str]) -> Vec<Run> {
    let places = places(new);
    let mut found = Vec::new();
    let mut open = vec![(0..old.len(), 0..new.len())];
    while let Some((olds, news)) = open.pop() {
        let run = longest(old, new, &places, &olds, &news);
        if run.length == 0 {
            continue;
        }
        found.push(run);
        open.push((olds.start..run.old, news.start..run.new));
        open.push((run.old + run.length..olds.end, run.new + run.length..news.end));
    }
    found.sort_by_key(|run| (run.old, run.new));
    let mut joined: Vec<Run> = Vec::new();
    for run in found {
        match joined.last_mut() {
            Some(last)
                if last.old + last.length == run.old && last.new + last.length == run.new =>
            {
                last.length += run.length;
            }
            _ => joined.push(run),
        }
    }
    joined
}

/// Where each line is, without those of many lines that occur often.
fn places<'t>(lines: &[&'t str]) -> HashMap<&'t str, Vec<usize>> {
    const MANY: usize = 200;
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, line) in lines.iter().enumerate() {
        places.entry(line).or_default().push(index);
    }
    if lines.len() >= MANY {
        let often = lines.len() / 100 + 1;
        places.retain(|_, at| at.len() <= often);
    }
    places
}

/// The longest run within two ranges, the first of those.
fn longest(
    old: &[&str],
    new: &[&str],
    places: &HashMap<&str, Vec<usize>>,
    olds: &Range<usize>,
    news: &Range<usize>,
) -> Run {
    let mut best = Run { old: olds.start, new: news.start, length: 0 };
    // How long the runs are that end in the line before, by where they end in the new text.
    let mut ending: HashMap<usize, usize> = HashMap::new();
    for index in olds.clone() {
        let mut next = HashMap::new();
        let same = old.get(index).and_then(|line| places.get(line));
        for &at in same.into_iter().flatten().filter(|at| news.contains(at)) {
            let before = at.checked_sub(1).and_then(|before| ending.get(&before));
            let length = before.copied().unwrap_or_default() + 1;
            next.insert(at, length);
            if length > best.length {
                best = Run { old: index + 1 - length, new: at + 1 - length, length };
            }
        }
        ending = next;
    }
    // Lines that occur often can still be part of it.
    let same = |at_old: usize, at_new: usize| old.get(at_old) == new.get(at_new);
    while best.old > olds.start && best.new > news.start && same(best.old - 1, best.new - 1) {
        best = Run { old: best.old - 1, new: best.new - 1, length: best.length + 1 };
    }
    while best.old + best.length < olds.end
        && best.new + best.length < news.end
        && same(best.old + best.length, best.new + best.length)
    {
        best.length += 1;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::diff;

    #[test]
    fn changes_have_context() {
        assert_eq!(diff("a\nb", "a\nb"), "");
        assert_eq!(
            diff("1\n2\n3\n4\n5\n6", "1\n2\n3\n4\nx\n6"),
            "@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+x\n 6\n"
        );
        assert_eq!(diff("a", "b"), "@@ -1 +1 @@\n-a\n+b\n");
        let far = |first, last| format!("{first}\n1\n2\n3\n4\n5\n6\n7\n{last}");
        assert_eq!(
            diff(&far("a", "b"), &far("c", "d")),
            "@@ -1,4 +1,4 @@\n-a\n+c\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+d\n"
        );
    }

    #[test]
    fn lines_that_occur_often_begin_no_run() {
        let many = |middle: &str| format!("{}{middle}\n{}", "x\n".repeat(150), "x\n".repeat(150));
        let text = diff(&many("a"), &many("b"));
        assert_eq!(text, "@@ -148,7 +148,7 @@\n x\n x\n x\n-a\n+b\n x\n x\n x\n");
    }
}
