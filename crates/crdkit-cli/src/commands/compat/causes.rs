//! Findings with one cause are one finding: the same change, with the same consequence, in many places.

use crate::objects::Identity;
use crate::report::{Object, ShownFinding};
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

/// The same for real objects: the first that breaks for a reason stands for the others, and the places of its finding
/// are their names. Objects that others stand for are not shown.
pub(super) fn group_objects(objects: &mut Vec<Object>) {
    let mut first: HashMap<_, (usize, usize)> = HashMap::new();
    let mut kept: Vec<Object> = Vec::new();
    for mut object in objects.drain(..) {
        let Some(name) = object.identity().map(Identity::short) else {
            kept.push(object);
            continue;
        };
        let mut own = Vec::new();
        for finding in std::mem::take(&mut object.findings) {
            let key = (finding.severity, finding.message.clone(), field(&finding.path));
            let known = first.get(&key).copied();
            let group = known.and_then(|(at, index)| kept.get_mut(at)?.findings.get_mut(index));
            if let Some(group) = group {
                group.places.push(name.clone());
            } else {
                first.entry(key).or_insert((kept.len(), own.len()));
                own.push(finding);
            }
        }
        if !own.is_empty() {
            object.findings = own;
            kept.push(object);
        }
    }
    *objects = kept;
}

/// A path without the positions in lists.
fn field(path: &str) -> String {
    let mut out = String::new();
    for (at, part) in path.split('[').enumerate() {
        let end = part.find(']').filter(|_| at > 0);
        match end.map(|end| part.split_at(end)) {
            Some((index, rest)) if index.bytes().all(|byte| byte.is_ascii_digit()) => {
                out.push('[');
                out.push_str(rest);
            }
            _ if at > 0 => {
                out.push('[');
                out.push_str(part);
            }
            _ => out.push_str(part),
        }
    }
    out
}

/// Shows no more than `most` findings; all of them count. Gives the number of the others.
pub(super) fn limit<'f>(
    findings: impl Iterator<Item = &'f ShownFinding>,
    most: Option<usize>,
) -> usize {
    let Some(most) = most else { return 0 };
    let others = findings.filter(|finding| finding.counts()).skip(most);
    others.inspect(|finding| finding.left_out.store(true, Ordering::Relaxed)).count()
}
