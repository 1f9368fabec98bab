//! Test Anything Protocol, version 13: a test for each object, findings as a YAML block below it.

use super::escape::inline;
use super::{Comparison, Object, Sink, Style, Summary, Verdict};
use crate::kubernetes;
use std::fmt::Write as _;

pub(super) struct Tap {
    n_tests: usize,
    style: Style,
    comparison: Option<String>,
}

impl Tap {
    pub(super) fn new(style: Style) -> Self {
        Self { n_tests: 0, style, comparison: None }
    }

    fn head(&self) -> String {
        if self.style.kubeconform {
            "TAP version 13\n".to_owned()
        } else {
            let comparison = self.comparison.iter().map(|words| format!("# {words}\n"));
            let comparison = comparison.collect::<String>();
            format!("TAP version 13\n# Kubernetes {}\n{comparison}", kubernetes::version())
        }
    }
}

impl Sink for Tap {
    fn comparison(&mut self, comparison: &Comparison, _: &mut Vec<u8>) {
        self.comparison = Some(comparison.in_words());
    }

    fn object(&mut self, object: &Object, out: &mut Vec<u8>) {
        let mut text = String::new();
        if self.n_tests == 0 {
            text.push_str(&self.head());
        }
        self.n_tests += 1;
        let word = match object.verdict {
            Verdict::Valid | Verdict::Skipped | Verdict::LeftOut(_) => "ok",
            Verdict::Invalid | Verdict::Error => "not ok",
        };
        let _ = write!(text, "{word} {} - {}", self.n_tests, plain(&object.file));
        if let Some(subject) = &object.subject {
            let _ = write!(text, " ({})", plain(&subject.to_string()));
        }
        if object.verdict == Verdict::Skipped {
            text.push_str(" # skip");
        }
        text.push('\n');
        if object.findings().next().is_some() {
            text.push_str("  ---\n");
            if let Some(origin) = &object.origin {
                let _ = writeln!(text, "  source: {}", serde_json::Value::from(&**origin));
            }
            text.push_str("  findings:\n");
            for finding in object.findings() {
                let _ = writeln!(text, "  - code: {}", finding.code);
                let _ = writeln!(text, "    severity: {}", finding.severity);
                if let Some(file) = &finding.file {
                    let _ = writeln!(text, "    file: {}", serde_json::Value::from(&**file));
                }
                if let Some(start) = finding.start {
                    let _ =
                        writeln!(text, "    line: {}\n    column: {}", start.line, start.column);
                }
                let message = serde_json::Value::from(finding.text());
                let _ = writeln!(text, "    message: {message}");
                if !finding.diff.is_empty() {
                    let diff = serde_json::Value::from(finding.diff.as_str());
                    let _ = writeln!(text, "    diff: {diff}");
                }
            }
            text.push_str("  ...\n");
        }
        out.extend_from_slice(text.as_bytes());
    }

    fn finish(&mut self, _: &Summary, out: &mut Vec<u8>) {
        if self.n_tests == 0 {
            out.extend_from_slice(self.head().as_bytes());
        }
        out.extend_from_slice(format!("1..{}\n", self.n_tests).as_bytes());
    }
}

/// A description without what would end it or be taken for a directive.
fn plain(text: &str) -> String {
    inline(&text.replace(['\n', '\r'], " ")).replace('#', "\\#")
}
