//! Pass counts as checked-in files.

use crate::score::Score;
use anyhow::{Context as _, Result};
use std::fs;
use std::path::PathBuf;

/// So many misses are listed for each measure.
const LISTED: usize = 50;

/// Rewrites the snapshot of `suite` and names each measure whose count fell below the checked-in one.
pub(crate) fn update(suite: &str, score: &Score) -> Result<Vec<String>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("snapshots/{suite}.snap"));
    let before = fs::read_to_string(&path).unwrap_or_default();
    let lost = lost(&before, score);
    // A run that lost something leaves the checked-in counts as they are.
    if lost.is_empty() {
        let head = format!("# {suite}: written by `conformance run`, do not edit\n");
        let text = format!("{head}{}\n{}", score.summary(), score.misses(LISTED));
        let context = || format!("`{}` cannot be written", path.display());
        fs::write(&path, text).with_context(context)?;
    }
    Ok(lost)
}

fn lost(before: &str, score: &Score) -> Vec<String> {
    let mut lost = Vec::new();
    for line in before.lines() {
        let Some((name, right)) = count(line) else { continue };
        let now = score.counts().find(|(known, ..)| *known == name).map_or(0, |(_, now, _)| now);
        if now < right {
            lost.push(format!("{name}: {now}, was {right}"));
        }
    }
    lost
}

/// Reads `measure: right/total (percent)`.
fn count(line: &str) -> Option<(&str, usize)> {
    let (name, rest) = line.split_once(": ")?;
    let (right, _) = rest.split_once('/')?;
    Some((name, right.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_falls_is_named() {
        let mut score = Score::default();
        score.add("value", true, "a");
        score.add("value", false, "b");
        assert_eq!(lost("# x\nvalue: 1/2 (50.00 %)\n\nvalue MISS b\n", &score), [""; 0]);
        assert_eq!(lost("value: 2/2 (100.00 %)\n", &score), ["value: 1, was 2"]);
        assert_eq!(lost("other: 1/1 (100.00 %)\n", &score), ["other: 0, was 1"]);
    }
}
