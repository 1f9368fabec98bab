//! What a project makes of the answers: how much each question matters, and exceptions with a reason.
//!
//! ```yaml
//! questions: {observe: error, columns: off}
//! unknown: warning
//! exceptions:
//! - crd: lamps.example.com
//!   version: v1
//!   path: spec.color*
//!   question: accept
//!   reason: nobody ever used another color
//!   expires: 2030-06-30
//! ```
//!
//! Of an exception `reason` and `expires` are needed; what else it says narrows down what it is about, with
//! `*` for anything. The keys of crdify's configuration may stand beside these and mean nothing here.

use super::answer::{Answer, CompatReport, Reason, ReasonLevel, Verdict};
use super::question::Question;
use crdkit_issue::{Issue, Span, codes};
use crdkit_text::timestamp::Civil;
use crdkit_value::Value;
use std::fmt;
use std::str::FromStr;

/// What a project makes of the answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    levels: Vec<(Question, Option<ReasonLevel>)>,
    /// How much an open question matters at most.
    unknown: Option<ReasonLevel>,
    /// What is known and accepted.
    pub exceptions: Vec<Exception>,
}

/// Something that is known and accepted for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// Names of CRDs.
    pub crd: String,
    /// Versions.
    pub version: String,
    /// Places, as in a [`Reason`].
    pub path: String,
    /// The question, or every one.
    pub question: Option<Question>,
    /// Why it is accepted.
    pub reason: String,
    /// The last day it holds.
    pub expires: Date,
    /// Where it is written.
    pub span: Option<Span>,
}

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: i64,
    month: u8,
    day: u8,
}

/// A reason that is to be reported.
#[derive(Clone, Copy, Debug)]
pub struct PolicyFinding<'r> {
    /// What it speaks against.
    pub answer: &'r Answer,
    /// What speaks against it.
    pub reason: &'r Reason,
    /// How much it matters to the project.
    pub level: ReasonLevel,
    /// The exception that accepts it, by its place in [`Policy::exceptions`].
    pub exception: Option<usize>,
}

impl Policy {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(root: Value<'_>) -> Result<Self, Vec<Issue>> {
        let mut reader = PolicyReader { policy: Self::default(), issues: Vec::new() };
        reader.root(root);
        if reader.issues.is_empty() { Ok(reader.policy) } else { Err(reader.issues) }
    }

    /// Sets how much open questions matter at most.
    pub fn limit_unknown(&mut self, level: ReasonLevel) {
        self.unknown = Some(level);
    }

    /// What is to be reported about a CRD on a day, notes included.
    pub fn findings<'r>(
        &self,
        crd: &str,
        report: &'r CompatReport,
        today: Date,
    ) -> Vec<PolicyFinding<'r>> {
        let mut findings = Vec::new();
        for answer in &report.answers {
            for reason in &answer.reasons {
                let Some(level) = self.level(answer.question, reason) else { continue };
                let exception =
                    self.exceptions.iter().position(|it| it.covers(crd, answer, reason, today));
                findings.push(PolicyFinding { answer, reason, level, exception });
            }
        }
        findings
    }

    /// How much a reason matters; nothing if the question is not asked.
    fn level(&self, question: Question, reason: &Reason) -> Option<ReasonLevel> {
        let set = self.levels.iter().rev().find(|(known, _)| *known == question);
        let level = match set {
            Some((_, level)) => (*level)?,
            None => reason.level,
        };
        let most = self.unknown.filter(|_| reason.verdict() == Verdict::Unknown);
        Some(level.min(most.unwrap_or(ReasonLevel::Error)))
    }

    /// What is wrong with the exceptions on a day: those that expired, and those that are not `used`.
    pub fn problems(&self, used: &[usize], today: Date) -> Vec<Issue> {
        let mut issues = Vec::new();
        for (index, exception) in self.exceptions.iter().enumerate() {
            let issue = if exception.expires < today {
                Issue::warning(codes::compat::EXCEPTION_EXPIRED)
                    .with("expires", exception.expires.to_string())
                    .with("reason", exception.reason.as_str())
            } else if used.contains(&index) {
                continue;
            } else {
                Issue::warning(codes::compat::EXCEPTION_UNUSED)
            };
            issues.push(at(issue, exception.span));
        }
        issues
    }
}

/// An issue at a place that may not be known.
fn at(mut issue: Issue, span: Option<Span>) -> Issue {
    issue.span = span;
    issue
}

impl Exception {
    fn covers(&self, crd: &str, answer: &Answer, reason: &Reason, today: Date) -> bool {
        self.expires >= today
            && self.question.is_none_or(|question| question == answer.question)
            && is_like(&self.crd, crd)
            && is_like(&self.version, &answer.version)
            && is_like(&self.path, &reason.path)
    }
}

/// Whether a text is like a pattern in which `*` stands for anything; an empty pattern is like everything.
fn is_like(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(first) = parts.next() else { return true };
    if pattern.is_empty() {
        return true;
    }
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<_> = parts.collect();
    let Some((last, inner)) = parts.split_last() else { return rest.is_empty() };
    for part in inner {
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

impl Date {
    /// The day that is so many days after the first of January 1970.
    pub fn from_days(days: i64) -> Self {
        let Civil { year, month, day, .. } = Civil::of(days.saturating_mul(86_400));
        Self { year, month, day }
    }
}

impl FromStr for Date {
    type Err = ();

    /// A day as `2030-06-30`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split('-');
        let mut number = |digits: usize| {
            let part = parts.next().filter(|part| part.len() == digits).ok_or(())?;
            part.parse::<u16>().map_err(|_| ())
        };
        let (year, month, day) = (number(4)?, number(2)?, number(2)?);
        let is_day = (1..=12).contains(&month) && (1..=31).contains(&day) && parts.next().is_none();
        let small = |number: u16| u8::try_from(number).map_err(|_| ());
        if !is_day {
            return Err(());
        }
        Ok(Self { year: i64::from(year), month: small(month)?, day: small(day)? })
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

struct PolicyReader {
    policy: Policy,
    issues: Vec<Issue>,
}

impl PolicyReader {
    fn root(&mut self, root: Value<'_>) {
        if !root.is_null() && root.as_object().is_none() {
            return self.report(root, "must be an object");
        }
        for (key, value) in root.members() {
            match key {
                "questions" => self.questions(value),
                "unknown" => match value.as_str() {
                    Some("error") => self.policy.unknown = Some(ReasonLevel::Error),
                    Some("warning") => self.policy.unknown = Some(ReasonLevel::Warning),
                    Some("ignore") => self.policy.unknown = Some(ReasonLevel::Note),
                    _ => self.report(value, "must be error, warning or ignore"),
                },
                "exceptions" => match value.as_array() {
                    Some(items) => items.for_each(|item| self.exception(item)),
                    None => self.report(value, "must be a list"),
                },
                // What crdify reads.
                "validations" | "unhandledEnforcement" | "conversion" => {}
                _ => self.report(
                    value,
                    "there is no such setting; settings are questions, unknown and exceptions",
                ),
            }
        }
    }

    fn questions(&mut self, value: Value<'_>) {
        if value.as_object().is_none() {
            self.report(value, "must be an object");
        }
        for (name, level) in value.members() {
            let Some(question) = Question::parse(name) else {
                let names: Vec<_> = Question::ALL.iter().map(|it| it.name()).collect();
                self.report(
                    level,
                    &format!("there is no such question; there are {}", names.join(", ")),
                );
                continue;
            };
            let level = match level.as_str() {
                Some("error") => Some(ReasonLevel::Error),
                Some("warning") => Some(ReasonLevel::Warning),
                Some("note") => Some(ReasonLevel::Note),
                Some("off") => None,
                // In YAML an `off` without quotes is `false`.
                _ if level.as_bool() == Some(false) => None,
                _ => {
                    self.report(level, "must be error, warning, note or off");
                    continue;
                }
            };
            self.policy.levels.push((question, level));
        }
    }

    fn exception(&mut self, value: Value<'_>) {
        let text = |key| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        for (key, member) in value.members() {
            let known = ["crd", "version", "path", "question", "reason", "expires"].contains(&key);
            if !known {
                self.report(member, "there is no such setting of an exception");
            } else if member.as_str().is_none() {
                self.report(member, "must be a text");
            }
        }
        let question = value.get("question").and_then(|it| Some((it, it.as_str()?)));
        let question = match question.map(|(at, name)| (at, Question::parse(name))) {
            Some((at, None)) => return self.report(at, "there is no such question"),
            Some((_, Some(question))) => Some(question),
            None => None,
        };
        let (reason, expires) = (text("reason"), text("expires").parse());
        if reason.trim().is_empty() {
            return self.report(value, "an exception needs a `reason`");
        }
        let Ok(expires) = expires else {
            let place = value.get("expires").unwrap_or(value);
            return self
                .report(place, "an exception needs a day it `expires` on, such as 2030-06-30");
        };
        let (crd, version, path) = (text("crd"), text("version"), text("path"));
        let place = value.document().place(value.id()).map(|place| place.value);
        let span = place.map(|span| Span::new(span.start, span.start + 1));
        let exception = Exception { crd, version, path, question, reason, expires, span };
        self.policy.exceptions.push(exception);
    }

    fn report(&mut self, value: Value<'_>, problem: &str) {
        let issue = Issue::error(codes::compat::CONFIG_INVALID).with("problem", problem);
        let place = value.document().place(value.id());
        let start = |span: Span| Span::new(span.start, span.start + 1);
        let span = place.map(|place| place.key.unwrap_or_else(|| start(place.value)));
        self.issues.push(at(issue.at(value.path()), span));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_as_calendars_do() {
        for (days, expected) in
            [(0, "1970-01-01"), (11_016, "2000-02-29"), (20_772, "2026-11-15"), (-1, "1969-12-31")]
        {
            assert_eq!(Date::from_days(days).to_string(), expected);
        }
        assert!("2030-06-30".parse::<Date>() > "2030-06-29".parse::<Date>());
        for wrong in ["2030-6-30", "2030-13-01", "2030-01-00", "2030-01-01-01", "soon", ""] {
            assert!(wrong.parse::<Date>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text, expected) in [
            ("", "spec.a", true),
            ("spec.a", "spec.a", true),
            ("spec.a", "spec.ab", false),
            ("spec.*", "spec.ab", true),
            ("spec.rules[*].a", "spec.rules[*].a", true),
            ("*.a", "spec.b", false),
            ("s*c*d", "spec.c.d", true),
        ] {
            assert_eq!(is_like(pattern, text), expected, "{pattern} {text}");
        }
    }
}
