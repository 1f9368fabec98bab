//! Real objects, under the old and the new CRD.

use super::engine::Engines;
use super::trial;
use crdkit_engine::{CrdError, FieldValidation};
use crdkit_issue::{Issue, Severity};
use crdkit_schema::{read, status};
use crdkit_value::{Document, Value};

/// Two CRDs that objects are tried with.
#[derive(Debug)]
pub struct Replay {
    old: Engines,
    new: Engines,
}

/// How an object is worse off under the new CRD.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Broken {
    /// Its version is not served any more.
    Unserved(String),
    /// It was accepted and is not any more.
    Refused {
        /// Everything that is wrong with it now.
        issues: Vec<Issue>,
        /// What is said when it is changed in an unrelated place, if that is refused, too.
        update: Option<String>,
    },
    /// It loses fields; their paths.
    Pruned(Vec<String>),
    /// It is filled in differently; what was and is there.
    Defaulted(Vec<String>),
}

impl Replay {
    /// Compiles both CRDs.
    ///
    /// # Errors
    /// When one of them cannot be compiled.
    pub fn new(old: &Document, new: &Document) -> Result<Self, CrdError> {
        let engines = |document: &Document| Engines::new(document, &read::crd(document.root()).0);
        Ok(Self { old: engines(old)?, new: engines(new)? })
    }

    /// What becomes worse for an object; nothing for one that the old CRD does not accept.
    pub fn object(&self, object: &Document) -> Vec<Broken> {
        let api_version =
            object.root().get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        let name = api_version.rsplit('/').next().unwrap_or_default();
        let Some(old) = self.old.version(name) else { return Vec::new() };
        let before = trial::judge(old, object, FieldValidation::Ignore);
        if !before.is_accepted() {
            return Vec::new();
        }
        let Some(new) = self.new.version(name) else {
            return vec![Broken::Unserved(name.to_owned())];
        };
        let mut broken = Vec::new();
        let after = trial::judge(new, object, FieldValidation::Ignore);
        if !after.is_accepted() {
            let is_error = |issue: &Issue| issue.severity == Severity::Error;
            let issues = after.issues.into_iter().filter(is_error).collect();
            let update = trial::refused_update(new, before.document());
            broken.push(Broken::Refused { issues, update });
        }
        let seen = trial::read(new, before.document());
        let lost = trial::lost(&seen, |_| true);
        if !lost.is_empty() {
            broken.push(Broken::Pruned(lost));
        }
        let defaulted = trial::defaulted(&before, &trial::read(new, object));
        if !defaulted.is_empty() {
            let changes = defaulted.into_iter().map(|(_, change)| change);
            broken.push(Broken::Defaulted(changes.collect()));
        }
        broken
    }
}

impl Broken {
    /// What happened, in a line.
    pub fn text(&self) -> String {
        match self {
            Self::Unserved(version) => format!("version `{version}` is not served any more"),
            Self::Refused { issues, update } => {
                let lines: Vec<_> = issues.iter().map(status::line).collect();
                let then = match update {
                    Some(_) => "and cannot be changed any more",
                    None => "but can still be changed in other places",
                };
                format!("is refused now, {then}: {}", lines.join("; "))
            }
            Self::Pruned(paths) => format!("loses {}", paths.join(", ")),
            Self::Defaulted(changes) => format!("reads differently: {}", changes.join(", ")),
        }
    }
}
