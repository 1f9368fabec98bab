//! Markdown: a list of findings under a heading for each object, for comments on changes and summaries of jobs.

use super::escape::inline;
use super::{Comparison, Object, ShownFinding, Sink, Summary};
use crate::kubernetes;
use crate::objects::Identity;
use crdkit_codec::yaml;
use crdkit_value::Document;
use std::fmt::Write as _;

#[derive(Default)]
pub(super) struct Markdown {
    has_findings: bool,
}

impl Sink for Markdown {
    fn comparison(&mut self, comparison: &Comparison, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{}.\n\n", comparison.in_words()).as_bytes());
    }

    fn object(&mut self, object: &Object, out: &mut Vec<u8>) {
        if object.findings().next().is_none() {
            return;
        }
        self.has_findings = true;
        let name = object.identity().map(Identity::short);
        let mut heading = name.unwrap_or_else(|| object.file.to_string());
        if let Some(origin) = &object.origin {
            let _ = write!(heading, " ({origin})");
        }
        let mut text = format!("### {}\n\n", inline(&heading));
        for finding in object.findings() {
            item(object, finding, &mut text);
        }
        text.push('\n');
        out.extend_from_slice(text.as_bytes());
    }

    fn finish(&mut self, _: &Summary, out: &mut Vec<u8>) {
        if self.has_findings {
            let text = format!("Findings are those of Kubernetes {}.\n", kubernetes::version());
            out.extend_from_slice(text.as_bytes());
        }
    }
}

fn item(object: &Object, finding: &ShownFinding, out: &mut String) {
    let place = finding.start.map(|it| format!(":{}:{}", it.line, it.column)).unwrap_or_default();
    let path = if finding.path.is_empty() {
        String::new()
    } else {
        format!("`{}`: ", inline(&finding.path))
    };
    let _ = writeln!(
        out,
        "- **{}** `{}` {path}{} ({}{place})",
        finding.severity,
        finding.code,
        inline(&(finding.message_and_suggestion() + &finding.other_places()).replace('\n', " ")),
        inline(object.file_of(finding))
    );
    let Some(compared) = &finding.compared else { return };
    if !compared.effect.is_empty() {
        let _ = writeln!(out, "  - {}", inline(&compared.effect.replace('\n', " ")));
    }
    let _ = writeln!(out, "  - affects {}", compared.affected);
    let _ = writeln!(out, "  - {}", compared.advice);
    for object in compared.witness.as_deref().into_iter().chain(&compared.changed) {
        let _ = writeln!(out, "\n    ```yaml\n{}    ```", indented(object, "    "));
    }
}

/// An object as YAML, every line after `margin`.
pub(super) fn indented(object: &Document, margin: &str) -> String {
    let mut out = String::new();
    for line in yaml::text(object.root()).lines() {
        let _ = writeln!(out, "{margin}{line}");
    }
    out
}
