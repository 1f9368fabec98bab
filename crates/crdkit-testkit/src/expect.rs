//! What is expected on which line, and whether it was found.

use crate::{Block, parse};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Something found: the line it is on, counted from zero within its block, and its stable name.
pub type Finding = (usize, String);

/// The blocks under one heading.
#[derive(Clone, Debug)]
pub struct Case {
    /// The heading.
    pub title: String,
    /// The blocks, in order.
    pub blocks: Vec<Block>,
}

/// Hands every case of `markdown` to `check` and compares what it finds in the last block of the case
/// with the comments there.
///
/// # Panics
/// With a list of differences, if there are any, or if there is no case at all.
pub fn run(markdown: &str, check: impl Fn(&Case) -> Vec<Finding>) {
    let cases = cases(markdown);
    let mut report = String::new();
    for case in &cases {
        let Some(block) = case.blocks.last() else { continue };
        compare(case, block, &check(case), &mut report);
    }
    assert!(!cases.is_empty(), "there is no case in this file");
    assert!(report.is_empty(), "\n{report}");
}

fn cases(markdown: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for block in parse(Path::new(""), markdown) {
        match cases.last_mut().filter(|case| case.title == block.heading) {
            Some(case) => case.blocks.push(block),
            None => cases.push(Case { title: block.heading.clone(), blocks: vec![block] }),
        }
    }
    cases
}

fn compare(case: &Case, block: &Block, found: &[Finding], report: &mut String) {
    // How often each finding is expected, minus how often it was found.
    let mut balance: BTreeMap<Finding, i64> = BTreeMap::new();
    for finding in expected(block) {
        *balance.entry(finding).or_default() += 1;
    }
    for finding in found {
        *balance.entry(finding.clone()).or_default() -= 1;
    }
    for ((line, name), count) in balance {
        if count != 0 {
            let what = if count > 0 { "expected but not found" } else { "found but not expected" };
            let _ =
                writeln!(report, "{}, line {}: `{name}` {what}", case.title, block.line + 1 + line);
        }
    }
}

/// The names in `# issue: a, b` comments.
fn expected(block: &Block) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, text) in block.text.lines().enumerate() {
        let Some((_, names)) = text.split_once("# issue: ") else { continue };
        findings.extend(names.split(',').map(|name| (line, name.trim().to_owned())));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# Case\n```yaml\na: 1 # issue: wrong, worse\nb: 2\n```\n";

    fn find(names: &[(usize, &str)]) -> Vec<Finding> {
        names.iter().map(|(line, name)| (*line, (*name).to_owned())).collect()
    }

    #[test]
    fn what_is_expected_and_found_is_fine() {
        run(FILE, |_| find(&[(0, "worse"), (0, "wrong")]));
    }

    #[test]
    #[should_panic(expected = "Case, line 3: `worse` expected but not found")]
    fn what_is_missing_fails() {
        run(FILE, |_| find(&[(0, "wrong")]));
    }

    #[test]
    #[should_panic(expected = "Case, line 4: `odd` found but not expected")]
    fn what_is_too_much_fails() {
        run(FILE, |_| find(&[(0, "wrong"), (0, "worse"), (1, "odd")]));
    }

    #[test]
    #[should_panic(expected = "no case")]
    fn a_file_without_cases_fails() {
        run("# Nothing here\n", |_| Vec::new());
    }
}
