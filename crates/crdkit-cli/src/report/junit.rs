//! `JUnit` XML: a suite for each file, a case for each object. No times, so that equal runs are equal bytes.

use super::escape::{self, block, inline};
use super::{Case, Object, Sink, Style, Subject, Summary, Verdict};
use crate::kubernetes;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::fmt::Write as _;

pub(super) struct Junit {
    report: Report,
    /// The file whose objects are coming in; objects of a file come one after the other.
    suite: Option<TestSuite>,
    style: Style,
}

impl Junit {
    pub(super) fn new(style: Style) -> Self {
        let name = if style.kubeconform { "kubeconform" } else { "crdkit" };
        Self { report: Report::new(name), suite: None, style }
    }
}

impl Sink for Junit {
    fn object(&mut self, object: &Object, _: &mut Vec<u8>) {
        let status = match object.verdict {
            Verdict::Valid => TestCaseStatus::success(),
            Verdict::Skipped | Verdict::LeftOut(_) => TestCaseStatus::skipped(),
            Verdict::Invalid => failed(NonSuccessKind::Failure, object),
            Verdict::Error => failed(NonSuccessKind::Error, object),
        };
        let (name, class) = match &object.subject {
            Some(Subject::Object(identity)) => {
                let class = format!("{}@{}", identity.gvk.kind, identity.api_version());
                (identity.qualified_name(), Some(class))
            }
            Some(Subject::Case(Case { suite, name })) => (name.clone(), Some(suite.clone())),
            None => (object.file.to_string(), None),
        };
        let mut case = TestCase::new(inline(&name).into_owned(), status);
        if let Some(class) = class {
            case.set_classname(inline(&class).into_owned());
        }
        if object.verdict == Verdict::Valid && object.findings().next().is_some() {
            case.set_system_out(lines(object));
        }
        if self.suite.as_ref().is_none_or(|suite| suite.name.as_str() != &*object.file) {
            let mut next = TestSuite::new(object.file.to_string());
            if !self.style.kubeconform {
                next.add_property(("kubernetes", kubernetes::version().as_str()));
            }
            self.report.add_test_suites(self.suite.replace(next));
        }
        if let Some(suite) = &mut self.suite {
            suite.add_test_case(case);
        }
    }

    fn finish(&mut self, _: &Summary, out: &mut Vec<u8>) {
        self.report.add_test_suites(self.suite.take());
        // Writing to memory does not fail.
        let _ = self.report.serialize(out);
    }
}

fn failed(kind: NonSuccessKind, object: &Object) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    if let Some(first) = object.errors().next() {
        status.set_message(block(&first.text()).into_owned());
        status.set_type(first.code.name());
    }
    status.set_description(lines(object));
    status
}

/// All findings, one to a line.
fn lines(object: &Object) -> String {
    let mut out = String::new();
    for finding in object.findings() {
        let place = finding.start.map(|start| format!(":{}:{}", start.line, start.column));
        let place = place.unwrap_or_default();
        let super::ShownFinding { severity, code, .. } = finding;
        let (file, text) = (inline(object.file_of(finding)), finding.text());
        let origin = object.origin.as_ref().map(|origin| format!("({origin}): "));
        let text = origin.unwrap_or_default() + &text;
        let _ = writeln!(out, "{file}{place}: {severity}[{code}]: {}", block(&text));
        out.push_str(&escape::lines(&finding.diff));
    }
    out
}
