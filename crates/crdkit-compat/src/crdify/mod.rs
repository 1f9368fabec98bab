//! crdify's answer: every change that could matter, by keyword.
//!
//! Takes two CRDs and a [`Config`] in crdify's own format and gives a [`CrdifyReport`] with crdify's checks,
//! words and levels. Three comparisons are made: of the CRDs as wholes, of each version with the
//! version of the same name, and of the served versions with one another, where only what the old CRD
//! did not already have is reported.
//!
//! Three things are deliberately different. Paths are compared as steps and not as text, so that a
//! property called `items` is never mistaken for the keyword; a version without a schema has no
//! fields; an `unhandled` change is listed keyword by keyword.
//!
//! Upstream: `sigs.k8s.io/crdify` v0.6.0.

mod changes;
mod check;
mod config;
mod property;
mod render;
mod report;
mod version;
mod walk;

pub use check::CrdifyCheck;
pub use config::{Config, ConversionPolicy, Enforcement, Policy};
pub use report::{CrdifyFinding, CrdifyLevel, CrdifyReport, Part};

use crate::classes::Interner;
use crate::side::Side;
use crdkit_schema::model::Crd;
use report::Findings;
use std::collections::HashMap;
use walk::{VersionPair, Visit};

/// Compares two CRDs.
pub fn compare(old: &Crd<'_>, new: &Crd<'_>, config: &Config) -> CrdifyReport {
    let mut interner = Interner::default();
    let old_side = Side::new(old, &mut interner);
    let new_side = Side::new(new, &mut interner);
    let mut findings = Findings::new(config);
    whole(old, new, &mut findings);
    same_versions(&old_side, &new_side, &mut findings);
    let webhook = new.spec.conversion.as_ref().is_some_and(|it| it.strategy == "Webhook");
    if !(webhook && config.conversion == ConversionPolicy::Ignore) {
        let before = served_versions(&old_side, config);
        let after = served_versions(&new_side, config);
        let known =
            |it: &CrdifyFinding| before.binary_search_by(|old| old.key().cmp(&it.key())).is_ok();
        findings.extend(after.into_iter().filter(|finding| !known(finding)));
    }
    findings.finish()
}

/// What is compared once for the whole CRD; removed fields come with the versions.
fn whole(old: &Crd<'_>, new: &Crd<'_>, findings: &mut Findings<'_>) {
    if old.spec.scope != new.spec.scope {
        let quote = crdkit_text::quote::quote;
        let (old, new) = (quote(old.spec.scope), quote(new.spec.scope));
        findings.whole(CrdifyCheck::Scope, format!("scope changed : {old} -> {new}"));
    }
    let kept = |stored: &&str| new.spec.versions.iter().any(|version| version.name == *stored);
    let stored = old.status.stored_versions.iter().copied();
    let removed: Vec<_> = stored.filter(|stored| !kept(stored)).collect();
    if !removed.is_empty() {
        let message = format!("stored versions removed : [{}]", removed.join(" "));
        findings.whole(CrdifyCheck::StoredVersionRemoval, message);
    }
}

fn same_versions(old: &Side<'_>, new: &Side<'_>, findings: &mut Findings<'_>) {
    let known = by_name(new);
    for (index, version) in old.crd.spec.versions.iter().enumerate() {
        let Some(after) = known.get(version.name) else { continue };
        let pair = VersionPair::of((old, index), (new, *after));
        for visit in pair.differences() {
            if visit.new.is_none() {
                let message = format!("removed field : {}.{}", version.name, visit.path);
                findings.whole(CrdifyCheck::ExistingFieldRemoval, message);
            }
            property(&pair, &visit, Part::SameVersion, version.name, findings);
        }
    }
}

/// The numbers of versions, the first of each name.
fn by_name<'c>(side: &Side<'c>) -> HashMap<&'c str, usize> {
    let mut known = HashMap::new();
    for (index, version) in side.crd.spec.versions.iter().enumerate() {
        known.entry(version.name).or_insert(index);
    }
    known
}

/// The findings about the served versions of one CRD.
fn served_versions(side: &Side<'_>, config: &Config) -> Vec<CrdifyFinding> {
    let served = side.crd.spec.versions.iter().enumerate().filter(|(_, version)| version.served);
    let mut served: Vec<_> = served.map(|(index, version)| (version.name, index)).collect();
    served.sort_by(|(left, _), (right, _)| version::compare(left, right));
    let mut findings = Findings::new(config);
    let mut rest = served.as_slice();
    while let Some(((older, older_index), newer)) = rest.split_first() {
        for (newer, newer_index) in newer {
            let pair = VersionPair::of((side, *older_index), (side, *newer_index));
            if pair.is_same() {
                continue;
            }
            let label = format!("{older} -> {newer}");
            for visit in pair.differences() {
                property(&pair, &visit, Part::ServedVersion, &label, &mut findings);
            }
        }
        rest = newer;
    }
    findings.into_list()
}

/// Runs the property checks on one pair of schemas.
fn property(
    pair: &VersionPair<'_>,
    visit: &Visit,
    part: Part,
    version: &str,
    findings: &mut Findings<'_>,
) {
    let (old, new) = pair.schemas(visit);
    let config = findings.config();
    let checks = || CrdifyCheck::PROPERTIES.iter().copied().filter(|check| config.has(*check));
    for check in checks() {
        if let Some(message) = property::compare(check, old, new, config) {
            findings.property(part, version, &visit.path, check, message);
        }
    }
    let handled = |keyword| checks().any(|check| check.keyword() == Some(keyword));
    if let Some(message) = changes::unhandled(pair, visit, handled) {
        findings.property(part, version, &visit.path, CrdifyCheck::Unhandled, message);
    }
}
