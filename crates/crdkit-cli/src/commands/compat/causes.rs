//! Findings with one cause are one finding: the same change, with the same consequence, in many places.

use crate::report::ShownFinding;
use std::collections::HashMap;
use std::sync::atomic::Ordering;

/// Leaves the first finding of each cause, with the places of the others. An object that shows a change in one place
/// shows what it does in all of them; a finding that has one comes before those that have none.
pub(super) fn group(findings: &mut Vec<ShownFinding>) {
    let mut first: HashMap<_, usize> = HashMap::new();
    let mut kept: Vec<ShownFinding> = Vec::new();
    for finding in findings.drain(..) {
        let verdict = finding.compared.as_ref().map(|compared| compared.verdict);
        let is_version = |c: char| c.is_ascii_alphanumeric();
        // The version stands in brackets at the end.
        let cause = match finding.message.rsplit_once(" (") {
            Some((cause, end))
                if end.starts_with('v')
                    && end
                        .trim_end_matches(')')
                        .split(" -> ")
                        .all(|it| it.chars().all(is_version)) =>
            {
                cause
            }
            _ => finding.message.as_str(),
        };
        let key = (
            finding.code.name(),
            finding.severity,
            finding.suppressed.clone(),
            verdict,
            cause.to_owned(),
        );
        match first.get(&key).and_then(|at| kept.get_mut(*at)) {
            None => {
                first.insert(key, kept.len());
                kept.push(finding);
            }
            Some(group) if has_witness(&finding) && !has_witness(group) => {
                let mut before = std::mem::replace(group, finding);
                group.places = std::mem::take(&mut before.places);
                add(group, before.path);
            }
            Some(group) => add(group, finding.path),
        }
    }
    *findings = kept;
}

/// Adds a place, once: versions often change in the same way.
fn add(group: &mut ShownFinding, path: String) {
    if group.path != path && !group.places.contains(&path) {
        group.places.push(path);
    }
}

fn has_witness(finding: &ShownFinding) -> bool {
    finding.compared.as_ref().is_some_and(|compared| compared.witness.is_some())
}

/// Shows no more than `most` findings; all of them count.
pub(super) fn limit(findings: &[ShownFinding], most: Option<usize>) {
    let Some(most) = most else { return };
    for finding in findings.iter().filter(|finding| finding.counts()).skip(most) {
        finding.left_out.store(true, Ordering::Relaxed);
    }
}
