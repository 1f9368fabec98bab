//! `--mode crdify`: every edit that could matter, in crdify's words and shapes.

use super::sides::{Sides, WrittenCrd};
use crate::args::Compare;
use crate::crds;
use crate::exit::Exit;
use crate::objects;
use crate::report::ReportFormat::{self, Github, Gitlab, Json, Junit, Markdown, Sarif, Text, Yaml};
use crate::report::{self, Object, Outputs, ShownFinding, Spec, Style, Subject, Target, counted};
use anyhow::Result;
use crdkit_codec::json::{self, Layout};
use crdkit_codec::yaml;
use crdkit_compat::crdify::{self, Config, CrdifyFinding, CrdifyLevel, CrdifyReport};
use crdkit_issue::{Issue, Severity, Span, codes};
use crdkit_schema::lookup;
use crdkit_schema::read;
use crdkit_value::{Document, Event};
use rayon::prelude::*;
use std::fmt::Write as _;

pub(super) fn run(args: &Compare) -> Result<Exit> {
    let specs = match args.output.as_slice() {
        [] => vec![Spec { format: Text, file: None }],
        specs => specs.to_vec(),
    };
    let (own, shared): (Vec<Spec>, Vec<Spec>) = specs.into_iter().partition(|spec| {
        let format = spec.format;
        matches!(format, Text | Markdown | Json | Yaml)
    });
    if shared.iter().any(|spec| !matches!(spec.format, Sarif | Junit | Github | Gitlab)) {
        super::refuse(
            "crdify's reports are plaintext, markdown, json and yaml; sarif, junit, github and \
             gitlab are there as well",
        );
    }
    let Some(config) = super::config(args.config.as_deref(), Config::read)? else {
        return Ok(Exit::Failed);
    };
    let config = config.map(|(config, _)| config).unwrap_or_default();
    let Some(sides) = Sides::load(args)? else { return Ok(Exit::Failed) };
    let change = CrdifyChanges::new(&sides, |old, new| compare(old, new, &config));
    for spec in own {
        let mut target = Target::new(spec.file.as_deref());
        target.write(change.render(spec.format).as_bytes())?;
        target.finish()?;
    }
    if !shared.is_empty() {
        let mut outputs = Outputs::new(&shared, Style::default());
        for object in change.objects(&sides) {
            outputs.add(&object)?;
        }
        outputs.finish(change.pairs.len())?;
    }
    let (errors, warnings) = change.counts();
    if !args.quiet {
        let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
        report::note(&format!("{}: {errors}, {warnings}", sides.counts().crds_in_words()));
    }
    Ok(if errors > 0 { Exit::Findings } else { Exit::Fine })
}

fn compare(old: &Document, new: &Document, config: &Config) -> CrdifyReport {
    let (old, new) = (read::crd(old.root()).0, read::crd(new.root()).0);
    crdify::compare(&old, &new, config)
}

/// Where the new CRD has what a finding is about.
fn place(new: &WrittenCrd, finding: &CrdifyFinding) -> Option<Span> {
    let (crd, _) = read::crd(new.document.root());
    let name = finding.version.rsplit(" -> ").next()?;
    let at = crd.spec.versions.iter().position(|version| version.name == name)?;
    let steps = lookup::parse(finding.property.trim_start_matches(['^', '.']));
    let found = lookup::find(&crd.schemas, crd.schema(at)?, &steps).ok()?;
    let source = crd.schemas.get(found.schema).source;
    crds::nearest(&new.document, &source.path())
}

/// All that changed.
struct CrdifyChanges {
    /// The reports on CRDs that both sides have, by name.
    pairs: Vec<(String, CrdifyReport)>,
    added: Vec<String>,
    removed: Vec<String>,
    /// Whether each side holds a single CRD.
    single: bool,
}

impl CrdifyChanges {
    fn new(sides: &Sides, compare: impl Fn(&Document, &Document) -> CrdifyReport + Sync) -> Self {
        let pairs = sides.pairs();
        let compared = |(name, old, new): &(&str, &WrittenCrd, &WrittenCrd)| {
            ((*name).to_owned(), compare(&old.document, &new.document))
        };
        let pairs = pairs.par_iter().map(compared).collect();
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let (added, removed) = (owned(sides.added()), owned(sides.removed()));
        Self { pairs, added, removed, single: sides.is_single() }
    }

    /// Errors and warnings. A CRD that is gone takes its objects with it.
    fn counts(&self) -> (usize, usize) {
        let findings = || self.pairs.iter().flat_map(|(_, report)| &report.findings);
        let count = |level| findings().filter(|finding| finding.level == level).count();
        (count(CrdifyLevel::Error) + self.removed.len(), count(CrdifyLevel::Warning))
    }

    /// The same for outputs that all comparisons share.
    fn objects(&self, sides: &Sides) -> Vec<Object> {
        let removed = self.removed.iter().filter_map(|name| {
            let old = sides.old(name)?;
            let mut issue = Issue::error(codes::compat::CRD_GONE).with("name", name.as_str());
            issue.span = old.start();
            Some(judged(old, &[(issue, String::new())]))
        });
        let compared = self.pairs.iter().zip(sides.pairs()).map(|((_, report), (.., new))| {
            let issue = |finding: &CrdifyFinding| {
                let version = match finding.version.as_str() {
                    "" => String::new(),
                    version => format!(" ({version})"),
                };
                let mut issue = Issue::error(codes::compat::CRDIFY_CHANGE)
                    .with("check", finding.check.name())
                    .with("change", format!("{}{version}", finding.message));
                if finding.level == CrdifyLevel::Warning {
                    issue.severity = Severity::Warning;
                }
                issue.span = place(new, finding).or_else(|| new.start());
                (issue, finding.property.clone())
            };
            judged(new, &report.findings.iter().map(issue).collect::<Vec<_>>())
        });
        removed.chain(compared).collect()
    }

    fn render(&self, format: ReportFormat) -> String {
        match format {
            Markdown => self.lines("## ", "`", CrdifyReport::markdown),
            Json | Yaml => self.document(format),
            _ => self.lines("", "", CrdifyReport::plain_text),
        }
    }

    /// `heading` stands before names, `quote` around levels.
    fn lines(&self, heading: &str, quote: &str, text: fn(&CrdifyReport) -> String) -> String {
        let mut out = String::new();
        for (name, report) in &self.pairs {
            let text = text(report);
            if !self.single && !text.is_empty() {
                let _ = writeln!(out, "{heading}{name}");
            }
            out.push_str(&text);
        }
        for name in &self.removed {
            let what = "the CRD is gone, and with it its objects";
            let _ = writeln!(out, "{heading}{name}\n- removed - {quote}ERROR{quote} - {what}");
        }
        out
    }

    fn document(&self, format: ReportFormat) -> String {
        let document = match &*self.pairs {
            [(_, report)] if self.single => report.document(),
            _ => self.all(),
        };
        if format == Yaml {
            yaml::text(document.root())
        } else {
            json::text(document.root(), Layout::Pretty) + "\n"
        }
    }

    /// `{crds: {NAME: REPORT}, added: [NAME], removed: [NAME]}`.
    fn all(&self) -> Document {
        let mut events = vec![Event::BeginObject, Event::Key("crds"), Event::BeginObject];
        let reports: Vec<_> =
            self.pairs.iter().map(|(name, report)| (name, report.document())).collect();
        for (name, report) in &reports {
            events.push(Event::Key(name));
            events.extend(report.root().events());
        }
        events.push(Event::EndObject);
        for (key, names) in [("added", &self.added), ("removed", &self.removed)] {
            events.extend([Event::Key(key), Event::BeginArray]);
            events.extend(names.iter().map(|name| Event::String(name)));
            events.push(Event::EndArray);
        }
        events.push(Event::EndObject);
        Document::of_events(events)
    }
}

/// What is reported about a CRD: findings, each with where it is in the schema.
fn judged(definition: &WrittenCrd, issues: &[(Issue, String)]) -> Object {
    let source = super::semantic::text(&definition.input);
    let shown = |(issue, property): &(Issue, String)| {
        let mut shown = ShownFinding::new(issue, &source, false);
        shown.path.clone_from(property);
        shown
    };
    let identity = objects::identify(&definition.document).ok().map(Subject::Object);
    Object::judged(&definition.input.name, identity, issues.iter().map(shown).collect())
}
