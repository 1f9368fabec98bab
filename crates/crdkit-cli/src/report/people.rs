//! Text for people: one line for each finding, or the source with a caret.

use super::escape::{block, inline};
use super::markdown::indented;
use super::{Answered, Compared, Object, ShownFinding, Sink, Style, Summary, Verdict};
use crdkit_issue::Severity;
use std::fmt::Write as _;

pub(super) struct TextReport {
    render: fn(&str, &ShownFinding, &str) -> String,
    style: Style,
}

impl TextReport {
    pub(super) fn text(style: Style) -> Self {
        Self { render: |name, finding, text| line(name, finding, text) + "\n", style }
    }

    pub(super) fn pretty(style: Style) -> Self {
        Self { render: pretty, style }
    }
}

impl Sink for TextReport {
    fn object(&mut self, object: &Object, out: &mut Vec<u8>) {
        for finding in object.findings() {
            out.extend_from_slice(
                (self.render)(object.file_of(finding), finding, &object.text(finding)).as_bytes(),
            );
        }
        for answer in object.answers.iter().filter(|_| self.style.verbose) {
            let version = if answer.version.is_empty() { "" } else { " in " };
            let Answered { question, text, verdict, version: name, .. } = answer;
            let name = inline(name);
            let line = format!("{verdict} {question}{version}{name}: {text}\n");
            out.extend_from_slice(line.as_bytes());
        }
        let word = match object.verdict {
            Verdict::Valid if self.style.cases => "passed",
            Verdict::Valid => "valid",
            Verdict::Skipped => "skipped",
            Verdict::Invalid | Verdict::Error | Verdict::LeftOut(_) => return,
        };
        if let (true, Some(subject)) = (self.style.verbose, &object.subject) {
            let subject = subject.to_string();
            let line = format!("{}: {}: {word}\n", inline(&object.file), inline(&subject));
            out.extend_from_slice(line.as_bytes());
        }
    }

    fn finish(&mut self, _: &Summary, _: &mut Vec<u8>) {}
}

/// `name:line:column: severity[code]: text` without a line end.
fn line(name: &str, finding: &ShownFinding, text: &str) -> String {
    let mut out = inline(name).into_owned();
    if let Some(position) = finding.start {
        let _ = write!(out, ":{}:{}", position.line, position.column);
    } else if let Some(offset) = finding.offset {
        let _ = write!(out, ": byte {offset}");
    }
    let severity = match finding.severity {
        Severity::Error => "\u{1b}[1m\u{1b}[91merror",
        Severity::Warning => "\u{1b}[1m\u{1b}[33mwarning",
    };
    let _ = write!(out, ": {severity}[{}]\u{1b}[0m: {}", finding.code, block(text));
    out
}

/// The line, the source below it, and for a rule what it is and what it saw.
pub(super) fn pretty(name: &str, finding: &ShownFinding, text: &str) -> String {
    let mut out = line(name, finding, text);
    out.push('\n');
    out.push_str(&finding.excerpt);
    for (label, text) in [("rule", &finding.rule), ("saw", &finding.saw)] {
        if let Some(text) = text {
            let _ = writeln!(
                out,
                "  = {label}: {}",
                block(text.trim_end()).replace('\n', "\n          ")
            );
        }
    }
    for line in finding.diff.lines() {
        let colour = match line.as_bytes().first() {
            Some(b'-') => "\u{1b}[31m",
            Some(b'+') => "\u{1b}[32m",
            _ => "",
        };
        let end = if colour.is_empty() { "" } else { "\u{1b}[0m" };
        let _ = writeln!(out, "  {colour}{}{end}", inline(line));
    }
    if let Some(compared) = &finding.compared {
        comparison(compared, &mut out);
    }
    out
}

/// What becomes of whom, what to do about it, and the object that shows it.
fn comparison(compared: &Compared, out: &mut String) {
    let effect = Some(compared.effect.as_str()).filter(|effect| !effect.is_empty());
    for (label, text) in
        [("then", effect), ("affects", Some(compared.affected)), ("do", Some(compared.advice))]
    {
        if let Some(text) = text {
            let _ = writeln!(out, "  = {label}: {}", block(text).replace('\n', "\n          "));
        }
    }
    let objects =
        [("witness", compared.witness.as_deref()), ("changed to", compared.changed.as_ref())];
    for (label, object) in objects {
        if let Some(object) = object {
            let _ = write!(out, "  = {label}:\n{}", indented(object, "      "));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::SourceText;
    use crdkit_issue::{Issue, Span, codes};

    #[test]
    fn a_rule_is_shown_with_what_it_saw() {
        let issue = Issue::error(codes::object::RULE_FAILED)
            .with("detail", "too bright")
            .with("rule", "self.watts < 60")
            .with("saw", "self.watts = 100")
            .span(Span::new(0, 5));
        let source = SourceText::new("a.yaml", b"watts: 100", 7);
        let finding = ShownFinding::new(&issue, &source, true);
        let text = pretty("a.yaml", &finding, &finding.text());
        let text = anstream::adapter::strip_str(&text).to_string();
        let lines: Vec<_> = text.lines().map(str::trim_end).collect();
        let expected = [
            "a.yaml:7:1: error[rule-failed]: too bright",
            "  |",
            "7 | watts: 100",
            "  | ^^^^^",
            "  = rule: self.watts < 60",
            "  = saw: self.watts = 100",
        ];
        assert_eq!(lines, expected);
    }
}
