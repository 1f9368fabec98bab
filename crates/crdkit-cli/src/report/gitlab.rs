//! The Code Quality report of GitLab: one array of findings, told apart by fingerprints.

use super::{Object, Sink, Summary, fingerprint};
use crate::kubernetes;
use crdkit_issue::Severity;
use serde::Serialize;
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct Gitlab {
    entries: Vec<CodeQualityIssue>,
    seen: HashMap<u64, usize>,
}

#[derive(Serialize)]
struct CodeQualityIssue {
    description: String,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    content: Content,
    location: Location,
}

/// What is said about a finding beyond its description.
#[derive(Serialize)]
struct Content {
    body: String,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<usize>,
}

impl Sink for Gitlab {
    fn object(&mut self, object: &Object, _: &mut Vec<u8>) {
        for finding in object.findings() {
            let key = object.key(finding);
            let nth = self.seen.entry(key).and_modify(|nth| *nth += 1).or_default();
            self.entries.push(CodeQualityIssue {
                description: object.text(finding),
                check_name: finding.code.name(),
                fingerprint: format!("{key:016x}{nth:04x}"),
                severity: match finding.severity {
                    Severity::Error => "major",
                    Severity::Warning => "minor",
                },
                content: Content { body: format!("Kubernetes {}", kubernetes::version()) },
                location: Location {
                    path: object.file_of(finding).to_owned(),
                    lines: Lines {
                        begin: finding.start.map_or(1, |start| start.line),
                        end: finding.end.map(|end| end.line),
                    },
                },
            });
        }
    }

    fn finish(&mut self, _: &Summary, out: &mut Vec<u8>) {
        super::json::pretty(&self.entries, out);
    }
}

impl Object {
    /// What stays the same about a finding when lines move: the place in the object, not in the file.
    pub(super) fn key(&self, finding: &super::ShownFinding) -> u64 {
        let subject = self.subject.as_ref().map(ToString::to_string).unwrap_or_default();
        let parts = [&*self.file, &subject, finding.code.name(), &finding.path, &finding.message];
        fingerprint(&parts)
    }
}
