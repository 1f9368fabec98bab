//! Findings, in the order they are shown.

use super::CrdifyCheck;
use super::config::{Config, Enforcement};

/// What a comparison found, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrdifyReport {
    /// The findings.
    pub findings: Vec<CrdifyFinding>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrdifyFinding {
    /// Which comparison it comes from.
    pub part: Part,
    /// The version, or two versions with an arrow between them; empty for whole CRDs.
    pub version: String,
    /// Where in the schema, from `^`; empty for whole CRDs.
    pub property: String,
    /// Which check it comes from.
    pub check: CrdifyCheck,
    /// How much it matters.
    pub level: CrdifyLevel,
    /// What changed, in crdify's words.
    pub message: String,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Of the CRDs as wholes.
    Crd,
    /// Of versions with the same name.
    SameVersion,
    /// Of the served versions of one CRD.
    ServedVersion,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CrdifyLevel {
    /// It fails the comparison.
    Error,
    /// It is worth knowing.
    Warning,
}

impl CrdifyReport {
    /// Whether some finding is an error.
    pub fn failed(&self) -> bool {
        self.findings.iter().any(|finding| finding.level == CrdifyLevel::Error)
    }
}

impl CrdifyFinding {
    /// What findings are sorted by. Equal keys are equal findings, as a check has one level.
    pub(super) fn key(&self) -> (Part, &str, &str, &str, &str) {
        (self.part, &self.version, &self.property, self.check.name(), &self.message)
    }
}

/// Findings being collected.
pub(super) struct Findings<'c> {
    config: &'c Config,
    list: Vec<CrdifyFinding>,
}

impl<'c> Findings<'c> {
    pub(super) fn new(config: &'c Config) -> Self {
        Self { config, list: Vec::new() }
    }

    pub(super) fn config(&self) -> &'c Config {
        self.config
    }

    /// A finding about the whole CRD.
    pub(super) fn whole(&mut self, check: CrdifyCheck, message: String) {
        self.property(Part::Crd, "", "", check, message);
    }

    /// A finding about one schema, at the level its check has.
    pub(super) fn property(
        &mut self,
        part: Part,
        version: &str,
        property: &str,
        check: CrdifyCheck,
        message: String,
    ) {
        let level = match self.config.enforcement(check) {
            Enforcement::Error => CrdifyLevel::Error,
            Enforcement::Warn => CrdifyLevel::Warning,
            Enforcement::None => return,
        };
        let (version, property) = (version.to_owned(), property.to_owned());
        self.list.push(CrdifyFinding { part, version, property, check, level, message });
    }

    pub(super) fn extend(&mut self, findings: impl Iterator<Item = CrdifyFinding>) {
        self.list.extend(findings);
    }

    /// The findings, sorted.
    pub(super) fn into_list(mut self) -> Vec<CrdifyFinding> {
        self.list.sort_by(|left, right| left.key().cmp(&right.key()));
        self.list
    }

    pub(super) fn finish(self) -> CrdifyReport {
        CrdifyReport { findings: self.into_list() }
    }
}
