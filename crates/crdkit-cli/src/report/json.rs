//! JSON and YAML documents, and one line of JSON for each finding.
//!
//! A document is kubeconform's (`resources` and `summary`) with more fields in each resource; that of
//! suites has `cases` instead.

use super::{
    Answered, Case, Compared, Comparison, Object, ShownFinding, Sink, Style, Subject, Summary,
    Verdict,
};
use crate::commands::cost::ExpressionCost;
use crate::judge::Partly;
use crate::kubernetes;
use crdkit_codec::{DecodeOptions, json, yaml};
use crdkit_issue::Position;
use crdkit_value::Document;
use serde::Serialize;
use std::collections::BTreeMap;

/// How a document is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportNotation {
    Json,
    Yaml,
}

/// One document, written as objects come in.
pub(super) struct Json {
    notation: ReportNotation,
    style: Style,
    n_written: usize,
}

/// One case of a suite.
#[derive(Serialize)]
struct CaseRow {
    file: String,
    suite: String,
    name: String,
    status: &'static str,
    findings: Vec<FindingRow>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ResultRow<'o> {
    Resource(ResourceResult<'o>),
    Case(CaseRow),
}

#[derive(Serialize)]
struct ResourceResult<'o> {
    filename: String,
    kind: String,
    name: String,
    version: String,
    status: &'static str,
    msg: String,
    #[serde(rename = "validationErrors", skip_serializing_if = "Vec::is_empty")]
    validation_errors: Vec<ValidationError>,
    #[serde(flatten)]
    more: Option<More<'o>>,
}

/// What kubeconform does not have.
#[derive(Serialize)]
struct More<'o> {
    namespace: String,
    /// The file it was made of, where `filename` was put together by a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// Why not all of it was judged, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    partly: Option<&'static str>,
    findings: Vec<FindingRow>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    answers: Vec<AnswerRow>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    costs: &'o [ExpressionCost],
}

/// The answer to a question about a change.
#[derive(Serialize)]
struct AnswerRow {
    question: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    version: String,
    verdict: &'static str,
}

/// What a finding about a change says.
#[derive(Serialize)]
struct ComparedRow {
    question: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    version: String,
    verdict: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    effect: String,
    affected: &'static str,
    advice: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<OldRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<serde_json::Value>,
}

/// Where the old CRD says otherwise.
#[derive(Serialize)]
struct OldRow {
    file: String,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct ValidationError {
    path: String,
    msg: String,
}

/// The object of a finding.
#[derive(Serialize)]
struct About {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(rename = "apiVersion", skip_serializing_if = "String::is_empty")]
    api_version: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    namespace: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    /// The version of Kubernetes that would find it.
    kubernetes: String,
}

impl About {
    fn new(object: &Object, finding: &ShownFinding) -> Self {
        let identity = object.identity().cloned().unwrap_or_default();
        let is_known = !identity.gvk.kind.is_empty();
        Self {
            file: object.file_of(finding).to_owned(),
            source: object.origin.as_deref().map(str::to_owned),
            api_version: if is_known { identity.api_version() } else { String::new() },
            kind: identity.gvk.kind,
            namespace: identity.namespace,
            name: identity.name,
            kubernetes: kubernetes::version(),
        }
    }
}

/// One finding.
#[derive(Serialize)]
struct FindingRow {
    /// Which object it is about, where rows stand alone.
    #[serde(flatten)]
    about: Option<About>,
    /// The file it stands in, where that is not the one of the object around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    #[serde(rename = "endLine")]
    end_line: Option<usize>,
    #[serde(rename = "endColumn")]
    end_column: Option<usize>,
    /// The byte a finding begins at, in binary input.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<usize>,
    severity: String,
    code: &'static str,
    path: String,
    pointer: String,
    message: String,
    /// The finding as the API server words it.
    server: String,
    /// Other places with the same cause.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<String>,
    /// What was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    saw: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    diff: String,
    #[serde(flatten)]
    compared: Option<ComparedRow>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Counts {
    Objects {
        valid: usize,
        invalid: usize,
        errors: usize,
        skipped: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        comparison: Option<Comparison>,
    },
    Cases {
        passed: usize,
        failed: usize,
        errors: usize,
        skipped: usize,
    },
}

impl Json {
    pub(super) fn new(notation: ReportNotation, style: Style) -> Self {
        Self { notation, style, n_written: 0 }
    }

    /// What the list of verdicts is called.
    fn list(&self) -> &'static str {
        if self.style.cases { "cases" } else { "resources" }
    }
}

impl Sink for Json {
    fn object(&mut self, object: &Object, out: &mut Vec<u8>) {
        let fine = matches!(object.verdict, Verdict::Valid | Verdict::Skipped);
        let is_silent = object.findings().next().is_none() && object.costs.is_empty();
        let silent = self.style.kubeconform || is_silent;
        if fine && silent && !self.style.verbose {
            return;
        }
        let entry = match &object.subject {
            Some(Subject::Case(case)) => ResultRow::Case(CaseRow::new(object, case)),
            None if self.style.cases => ResultRow::Case(CaseRow::new(
                object,
                &Case { suite: String::new(), name: String::new() },
            )),
            Some(Subject::Object(_)) | None => {
                ResultRow::Resource(ResourceResult::new(object, self.style))
            }
        };
        let list = self.list();
        match self.notation {
            ReportNotation::Json => {
                let opening = match self.n_written {
                    0 => format!("{{\n  \"{list}\": [\n"),
                    _ => ",\n".to_owned(),
                };
                out.extend_from_slice(opening.as_bytes());
                indented(&entry, "    ", out);
            }
            ReportNotation::Yaml => {
                if self.n_written == 0 {
                    out.extend_from_slice(format!("{list}:\n").as_bytes());
                }
                in_yaml(&[entry], out);
            }
        }
        self.n_written += 1;
    }

    fn finish(&mut self, summary: &Summary, out: &mut Vec<u8>) {
        let counted = self.style.summary || !self.style.kubeconform;
        let Summary { n_valid, n_invalid, n_errors: errors, n_skipped: skipped, .. } = *summary;
        let counts = counted.then_some(if self.style.cases {
            Counts::Cases { passed: n_valid, failed: n_invalid, errors, skipped }
        } else {
            let comparison = summary.comparison.clone();
            Counts::Objects { valid: n_valid, invalid: n_invalid, errors, skipped, comparison }
        });
        let list = self.list();
        let closing = match (self.notation, self.n_written) {
            (ReportNotation::Json, 0) => format!("{{\n  \"{list}\": []"),
            (ReportNotation::Json, _) => "\n  ]".to_owned(),
            (ReportNotation::Yaml, 0) => format!("{list}: []\n"),
            (ReportNotation::Yaml, _) => String::new(),
        };
        out.extend_from_slice(closing.as_bytes());
        if !self.style.kubeconform {
            let version = kubernetes::version();
            let member = match self.notation {
                ReportNotation::Json => format!(",\n  \"kubernetes\": \"{version}\""),
                ReportNotation::Yaml => format!("kubernetes: \"{version}\"\n"),
            };
            out.extend_from_slice(member.as_bytes());
        }
        match (self.notation, counts) {
            (ReportNotation::Json, counts) => {
                if let Some(counts) = counts {
                    out.extend_from_slice(b",\n  \"summary\":");
                    let from = out.len();
                    indented(&counts, "  ", out);
                    // The first line goes on after the key.
                    out.drain(from..=from);
                }
                out.extend_from_slice(b"\n}\n");
            }
            (ReportNotation::Yaml, Some(counts)) => {
                in_yaml(&BTreeMap::from([("summary", counts)]), out);
            }
            (ReportNotation::Yaml, None) => {}
        }
    }
}

/// Appends indented JSON, every line after `margin`, without a line end.
fn indented(value: &impl Serialize, margin: &str, out: &mut Vec<u8>) {
    let mut text = Vec::new();
    pretty(value, &mut text);
    let lines = text.trim_ascii_end().split(|byte| *byte == b'\n');
    for (index, line) in lines.enumerate() {
        if index > 0 {
            out.push(b'\n');
        }
        out.extend_from_slice(margin.as_bytes());
        out.extend_from_slice(line);
    }
}

/// Appends the same value as YAML.
fn in_yaml(value: &impl Serialize, out: &mut Vec<u8>) {
    let mut text = Vec::new();
    pretty(value, &mut text);
    if let Ok(decoded) = json::decode(&text, &DecodeOptions::default()) {
        yaml::write(decoded.document.root(), out);
    }
}

impl CaseRow {
    fn new(object: &Object, case: &Case) -> Self {
        Self {
            file: object.file.to_string(),
            suite: case.suite.clone(),
            name: case.name.clone(),
            status: match object.verdict {
                Verdict::Valid => "passed",
                Verdict::Invalid => "failed",
                Verdict::Error => "error",
                Verdict::Skipped | Verdict::LeftOut(_) => "skipped",
            },
            findings: object.findings().map(|finding| FindingRow::new(None, finding)).collect(),
        }
    }
}

impl<'o> ResourceResult<'o> {
    fn new(object: &'o Object, style: Style) -> Self {
        let identity = object.identity().cloned().unwrap_or_default();
        Self {
            filename: object.file.to_string(),
            version: identity.api_version(),
            kind: identity.gvk.kind,
            name: identity.name,
            status: match object.verdict {
                Verdict::Valid => "statusValid",
                Verdict::Invalid => "statusInvalid",
                Verdict::Error => "statusError",
                Verdict::Skipped | Verdict::LeftOut(_) => "statusSkipped",
            },
            msg: object.in_server_words(),
            validation_errors: object
                .errors()
                .filter(|_| object.verdict == Verdict::Invalid)
                .map(|finding| ValidationError {
                    path: finding.pointer.clone(),
                    msg: finding.message.clone(),
                })
                .collect(),
            more: (!style.kubeconform).then(|| More {
                namespace: identity.namespace,
                source: object.origin.as_deref().map(str::to_owned),
                partly: object.partly.map(Partly::name),
                findings: object.findings().map(|finding| FindingRow::new(None, finding)).collect(),
                answers: object.answers.iter().map(AnswerRow::new).collect(),
                costs: &object.costs,
            }),
        }
    }
}

impl Object {
    /// All errors in the server's words, in one line.
    pub(super) fn in_server_words(&self) -> String {
        let texts: Vec<&str> = self.errors().map(|finding| finding.server.as_str()).collect();
        texts.join(", ").replace('\n', " ")
    }
}

pub(super) struct Ndjson;

impl Sink for Ndjson {
    fn object(&mut self, object: &Object, out: &mut Vec<u8>) {
        for finding in object.findings() {
            let row = FindingRow::new(Some(About::new(object, finding)), finding);
            if serde_json::to_writer(&mut *out, &row).is_ok() {
                out.push(b'\n');
            }
        }
    }

    fn finish(&mut self, _: &Summary, _: &mut Vec<u8>) {}
}

impl FindingRow {
    fn new(about: Option<About>, finding: &ShownFinding) -> Self {
        let line = |position: Option<Position>| position.map(|position| position.line);
        let column = |position: Option<Position>| position.map(|position| position.column);
        let file = finding.file.as_deref().filter(|_| about.is_none()).map(str::to_owned);
        Self {
            about,
            file,
            line: line(finding.start),
            column: column(finding.start),
            end_line: line(finding.end),
            end_column: column(finding.end),
            offset: finding.offset,
            severity: finding.severity.to_string(),
            code: finding.code.name(),
            path: finding.path.clone(),
            pointer: finding.pointer.clone(),
            message: finding.message.clone(),
            server: finding.server.clone(),
            places: finding.places.clone(),
            suggestion: finding.suggestion.clone(),
            rule: finding.rule.clone(),
            saw: finding.saw.clone(),
            diff: finding.diff.clone(),
            compared: finding.compared.as_deref().map(ComparedRow::new),
        }
    }
}

impl AnswerRow {
    fn new(answer: &Answered) -> Self {
        let Answered { question, verdict, .. } = *answer;
        Self { question, version: answer.version.clone(), verdict }
    }
}

impl ComparedRow {
    fn new(compared: &Compared) -> Self {
        let value = |object: &Document| {
            let mut text = Vec::new();
            json::write(object.root(), json::Layout::Compact, &mut text);
            serde_json::from_slice(&text).ok()
        };
        let Compared { question, verdict, affected, advice, .. } = *compared;
        Self {
            question,
            version: compared.version.clone(),
            verdict,
            effect: compared.effect.clone(),
            affected,
            advice,
            old: compared.old.as_ref().map(|(file, position)| OldRow {
                file: file.to_string(),
                line: position.line,
                column: position.column,
            }),
            witness: compared.witness.as_deref().and_then(value),
            changed: compared.changed.as_ref().and_then(value),
        }
    }
}

/// Appends `value` as indented JSON and a line end. Writing to memory does not fail.
pub(super) fn pretty(value: &impl Serialize, out: &mut Vec<u8>) {
    if serde_json::to_writer_pretty(&mut *out, value).is_ok() {
        out.push(b'\n');
    }
}
