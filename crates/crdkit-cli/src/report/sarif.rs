//! SARIF 2.1.0: the part of it that code scanning services read.

use super::{Comparison, Object, ShownFinding, Sink, Summary};
use crate::kubernetes;
use crdkit_issue::{Code, Severity};
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::Ordering;

/// Where people read what a rule is about.
const INFORMATION: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/codes.md");

#[derive(Default)]
pub(super) struct Sarif {
    rules: Vec<Code>,
    results: Vec<SarifResult>,
    seen: HashMap<u64, usize>,
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun<'a> {
    tool: Tool,
    column_kind: &'static str,
    properties: RunProperties<'a>,
    results: &'a [SarifResult],
}

#[derive(Serialize)]
struct RunProperties<'a> {
    /// The version that verdicts are for.
    kubernetes: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<&'a Comparison>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: &'static str,
    information_uri: &'static str,
    rules: Vec<SarifRule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRule {
    id: &'static str,
    short_description: SarifMessage,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<SarifMessage>,
}

#[derive(Serialize)]
struct SarifMessage {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: SarifMessage,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    partial_fingerprints: Fingerprints,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<Suppression>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Physical,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<Logical>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
    end_line: usize,
    end_column: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Logical {
    fully_qualified_name: String,
    kind: &'static str,
}

#[derive(Serialize)]
struct Fingerprints {
    #[serde(rename = "crdkit/v1")]
    value: String,
}

#[derive(Serialize)]
struct Suppression {
    kind: &'static str,
    justification: String,
}

impl Sink for Sarif {
    fn object(&mut self, object: &Object, _: &mut Vec<u8>) {
        let is_shown = |finding: &&ShownFinding| !finding.left_out.load(Ordering::Relaxed);
        for finding in object.findings.iter().filter(is_shown) {
            let rule_index = self.rule(finding.code);
            let key = object.key(finding);
            let nth = self.seen.entry(key).and_modify(|nth| *nth += 1).or_default();
            self.results.push(SarifResult {
                rule_id: finding.code.name(),
                rule_index,
                level: match finding.severity {
                    Severity::Error => "error",
                    Severity::Warning => "warning",
                },
                message: SarifMessage { text: object.text(finding) },
                locations: [Location::new(object, finding)],
                related_locations: Location::old(finding).into_iter().collect(),
                partial_fingerprints: Fingerprints { value: format!("{key:016x}:{nth}") },
                suppressions: finding
                    .suppressed
                    .iter()
                    .map(|reason| Suppression {
                        // An exception stands in the settings, a comment beside the object.
                        kind: if finding.compared.is_some() { "external" } else { "inSource" },
                        justification: reason.clone(),
                    })
                    .collect(),
            });
        }
    }

    fn finish(&mut self, summary: &Summary, out: &mut Vec<u8>) {
        let driver = Driver {
            name: "crdkit",
            version: env!("CARGO_PKG_VERSION"),
            information_uri: INFORMATION,
            rules: self.rules.iter().copied().map(SarifRule::new).collect(),
        };
        let run = SarifRun {
            tool: Tool { driver },
            column_kind: "unicodeCodePoints",
            properties: RunProperties {
                kubernetes: kubernetes::version(),
                comparison: summary.comparison.as_ref(),
            },
            results: &self.results,
        };
        let schema = "https://json.schemastore.org/sarif-2.1.0.json";
        super::json::pretty(&Log { schema, version: "2.1.0", runs: [run] }, out);
    }
}

impl Sarif {
    /// The index of the rule for `code`, which is listed when it is first met.
    fn rule(&mut self, code: Code) -> usize {
        self.rules.iter().position(|rule| *rule == code).unwrap_or_else(|| {
            self.rules.push(code);
            self.rules.len() - 1
        })
    }
}

impl SarifRule {
    fn new(code: Code) -> Self {
        let info = code.info();
        let example = (!info.example.is_empty()).then(|| format!("For example: {}", info.example));
        Self {
            id: info.name,
            short_description: SarifMessage { text: info.about.trim().to_owned() },
            help: example.map(|text| SarifMessage { text }),
        }
    }
}

impl Location {
    fn new(object: &Object, finding: &ShownFinding) -> Self {
        let region = finding.start.zip(finding.end).map(|(start, end)| Region {
            start_line: start.line,
            start_column: start.column,
            end_line: end.line,
            end_column: end.column,
        });
        let artifact_location = Artifact { uri: uri(object.file_of(finding)) };
        let logical = object.subject.as_ref().map(|subject| Logical {
            fully_qualified_name: match finding.path.as_str() {
                "" => subject.to_string(),
                path => format!("{subject} {path}"),
            },
            kind: "object",
        });
        Self {
            physical_location: Physical { artifact_location, region },
            logical_locations: logical.into_iter().collect(),
        }
    }
}

impl Location {
    /// Where the old one of two CRDs says otherwise.
    fn old(finding: &ShownFinding) -> Option<Self> {
        let (file, position) = finding.compared.as_ref()?.old.as_ref()?;
        let region = Some(Region {
            start_line: position.line,
            start_column: position.column,
            end_line: position.line,
            end_column: position.column + 1,
        });
        let artifact_location = Artifact { uri: uri(file) };
        let physical_location = Physical { artifact_location, region };
        Some(Self { physical_location, logical_locations: Vec::new() })
    }
}

/// A file name as a relative reference: what has a meaning in one is escaped.
fn uri(name: &str) -> String {
    let mut out = String::new();
    for byte in name.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
