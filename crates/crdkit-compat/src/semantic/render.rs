//! Reports for people and for programs.

use super::answer::{Answer, CompatReport, Evidence, Verdict};
use crdkit_codec::json::{self, Layout};
use crdkit_value::{Document, Event};
use std::fmt::Write as _;

impl Verdict {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
            Self::Unknown => "unknown",
        }
    }
}

impl CompatReport {
    /// A block for each answer, with its reasons and witnesses.
    pub fn plain_text(&self) -> String {
        self.text(|answer| {
            format!("{} {}{}", answer.verdict().name(), answer.question.name(), of(answer))
        })
    }

    /// The same as a Markdown list.
    pub fn markdown(&self) -> String {
        self.text(|answer| {
            format!("- **{}** {}{}", answer.verdict().name(), answer.question.name(), of(answer))
        })
    }

    fn text(&self, head: impl Fn(&Answer) -> String) -> String {
        let mut out = String::new();
        for answer in &self.answers {
            let _ = writeln!(out, "{}: {}", head(answer), answer.question.text());
            for reason in &answer.reasons {
                let place = if reason.path.is_empty() { "the object" } else { &reason.path };
                let _ = write!(out, "  - {place}: {}", reason.change);
                let _ = match &reason.evidence {
                    Err(open) => writeln!(out, " (not decided: {})", open.0),
                    Ok(Evidence { witness: None, effect, .. }) if effect.is_empty() => {
                        writeln!(out)
                    }
                    Ok(Evidence { witness: None, effect, .. }) => writeln!(out, "; {effect}"),
                    Ok(Evidence { witness: Some(witness), changed, effect }) => {
                        let _ = writeln!(out, "\n    witness: {}", one_line(witness));
                        if let Some(changed) = changed {
                            let _ = writeln!(out, "    changed: {}", one_line(changed));
                        }
                        writeln!(out, "    then: {effect}")
                    }
                };
            }
        }
        out
    }

    /// The report as an object.
    pub fn document(&self) -> Document {
        let mut out = vec![Event::BeginObject, Event::Key("answers"), Event::BeginArray];
        for answer in &self.answers {
            out.push(Event::BeginObject);
            out.extend([Event::Key("question"), Event::String(answer.question.name())]);
            if !answer.version.is_empty() {
                out.extend([Event::Key("version"), Event::String(&answer.version)]);
            }
            out.extend([Event::Key("verdict"), Event::String(answer.verdict().name())]);
            if !answer.reasons.is_empty() {
                out.extend([Event::Key("reasons"), Event::BeginArray]);
            }
            for reason in &answer.reasons {
                out.push(Event::BeginObject);
                out.extend([Event::Key("path"), Event::String(&reason.path)]);
                out.extend([Event::Key("change"), Event::String(&reason.change)]);
                out.extend([Event::Key("keyword"), Event::String(reason.keyword)]);
                out.extend([Event::Key("verdict"), Event::String(reason.verdict().name())]);
                match &reason.evidence {
                    Ok(Evidence { witness, changed, effect }) => {
                        if !effect.is_empty() {
                            out.extend([Event::Key("effect"), Event::String(effect)]);
                        }
                        let objects =
                            [("witness", witness.as_deref()), ("changed", changed.as_ref())];
                        for (key, object) in objects {
                            if let Some(object) = object {
                                out.push(Event::Key(key));
                                out.extend(object.root().events());
                            }
                        }
                    }
                    Err(open) => out.extend([Event::Key("open"), Event::String(open.0)]),
                }
                out.push(Event::EndObject);
            }
            if !answer.reasons.is_empty() {
                out.push(Event::EndArray);
            }
            out.push(Event::EndObject);
        }
        out.extend([Event::EndArray, Event::EndObject]);
        Document::of_events(out)
    }
}

fn of(answer: &Answer) -> String {
    if answer.version.is_empty() { String::new() } else { format!(" ({})", answer.version) }
}

fn one_line(document: &Document) -> String {
    json::text(document.root(), Layout::Compact)
}
