//! Reports as crdify writes them: a list for people, and a document for programs.

use super::report::{CrdifyFinding, CrdifyLevel, CrdifyReport, Part};
use crdkit_value::{Document, Event};
use std::fmt::Write as _;

impl CrdifyReport {
    /// A line for each finding; nothing when there are none.
    pub fn plain_text(&self) -> String {
        self.lines(|finding, level, out| {
            let CrdifyFinding { part, version, property, check, message, .. } = finding;
            if *part != Part::Crd {
                let _ = write!(out, "{version} - {property} - ");
            }
            let _ = write!(out, "{} - {level} - {message}", check.name());
        })
    }

    /// The same as a Markdown list.
    pub fn markdown(&self) -> String {
        self.lines(|finding, level, out| {
            let CrdifyFinding { part, version, property, check, message, .. } = finding;
            let check = check.name();
            let _ = match part {
                Part::Crd => write!(out, "**{check}** - `{level}` - {message}"),
                _ => write!(out, "**{version}** - *{property}* - {check} - `{level}` - {message}"),
            };
        })
    }

    fn lines(&self, write: impl Fn(&CrdifyFinding, &str, &mut String)) -> String {
        let mut out = String::new();
        for finding in &self.findings {
            out.push_str("- ");
            let level = match finding.level {
                CrdifyLevel::Error => "ERROR",
                CrdifyLevel::Warning => "WARNING",
            };
            write(finding, level, &mut out);
            out.push('\n');
        }
        out
    }

    /// The report as an object with crdify's keys; what is empty is left out.
    pub fn document(&self) -> Document {
        let mut out = ReportWriter(Vec::new());
        out.0.push(Event::BeginObject);
        for (part, key) in [
            (Part::Crd, "crdValidation"),
            (Part::SameVersion, "sameVersionValidation"),
            (Part::ServedVersion, "servedVersionValidation"),
        ] {
            let of_part: Vec<_> = self.findings.iter().filter(|it| it.part == part).collect();
            if of_part.is_empty() {
                continue;
            }
            out.0.push(Event::Key(key));
            if part == Part::Crd {
                out.checks(&of_part);
            } else {
                out.versions(&of_part);
            }
        }
        out.0.push(Event::EndObject);
        Document::of_events(out.0)
    }
}

/// Collects the events of the document; findings that belong together stand together.
struct ReportWriter<'r>(Vec<Event<'r>>);

impl<'r> ReportWriter<'r> {
    fn versions(&mut self, findings: &[&'r CrdifyFinding]) {
        self.list(
            findings,
            |it| it.version.as_str(),
            "version",
            |out, of_version| {
                out.0.push(Event::Key("propertyComparisons"));
                out.list(
                    of_version,
                    |it| it.property.as_str(),
                    "property",
                    |out, of_property| {
                        out.0.push(Event::Key("comparisonResults"));
                        out.checks(of_property);
                    },
                );
            },
        );
    }

    fn checks(&mut self, findings: &[&'r CrdifyFinding]) {
        self.list(
            findings,
            |it| it.check.name(),
            "name",
            |out, of_check| {
                for (level, key) in
                    [(CrdifyLevel::Error, "errors"), (CrdifyLevel::Warning, "warnings")]
                {
                    let of_level: Vec<_> = of_check.iter().filter(|it| it.level == level).collect();
                    if !of_level.is_empty() {
                        out.0.extend([Event::Key(key), Event::BeginArray]);
                        out.0.extend(of_level.iter().map(|it| Event::String(&it.message)));
                        out.0.push(Event::EndArray);
                    }
                }
            },
        );
    }

    /// An array with an object for each run of findings that have the same name.
    fn list(
        &mut self,
        findings: &[&'r CrdifyFinding],
        name: fn(&'r CrdifyFinding) -> &'r str,
        key: &'static str,
        write: impl Fn(&mut Self, &[&'r CrdifyFinding]),
    ) {
        self.0.push(Event::BeginArray);
        for same in findings.chunk_by(|left, right| name(left) == name(right)) {
            let Some(first) = same.first() else { continue };
            self.0.extend([Event::BeginObject, Event::Key(key), Event::String(name(first))]);
            write(self, same);
            self.0.push(Event::EndObject);
        }
        self.0.push(Event::EndArray);
    }
}
