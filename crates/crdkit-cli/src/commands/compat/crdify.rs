//! `--mode crdify`: every edit that could matter, in crdify's words and shapes.

use super::sides::{Definition, Sides};
use crate::args::Compare;
use crate::exit::Exit;
use crate::report::{self, ReportFormat, Spec, Target};
use anyhow::Result;
use crdkit_codec::json::{self, Layout};
use crdkit_codec::yaml;
use crdkit_compat::crdify::{self, Config, CrdifyLevel};
use crdkit_schema::read;
use crdkit_value::{Document, Event};
use rayon::prelude::*;
use std::fmt::Write as _;

pub(super) fn run(args: &Compare) -> Result<Exit> {
    let specs = match args.output.as_slice() {
        [] => vec![Spec { format: ReportFormat::Text, file: None }],
        specs => specs.to_vec(),
    };
    let known =
        [ReportFormat::Text, ReportFormat::Markdown, ReportFormat::Json, ReportFormat::Yaml];
    if specs.iter().any(|spec| !known.contains(&spec.format)) {
        super::refuse("crdify's reports are plaintext, markdown, json and yaml");
    }
    let Some(config) = super::config(args.config.as_deref(), Config::read)? else {
        return Ok(Exit::Failed);
    };
    let config = config.map(|(config, _)| config).unwrap_or_default();
    let Some(sides) = Sides::load(args)? else { return Ok(Exit::Failed) };
    let mut counts = (0, 0);
    for spec in specs {
        let format = spec.format;
        let change = Change::new(&sides, |old, new| compare(old, new, format, &config));
        let mut target = Target::new(spec.file.as_deref());
        target.write(change.render(format).as_bytes())?;
        target.finish()?;
        counts = change.counts();
    }
    let (errors, warnings) = counts;
    if !args.quiet {
        report::note(&format!("{}: {errors} errors, {warnings} warnings", sides.counted()));
    }
    Ok(if errors > 0 { Exit::Findings } else { Exit::Fine })
}

/// What was found about one CRD, rendered.
struct CrdifyReport {
    text: String,
    document: Document,
    errors: usize,
    warnings: usize,
}

fn compare(old: &Document, new: &Document, format: ReportFormat, config: &Config) -> CrdifyReport {
    let (old, new) = (read::crd(old.root()).0, read::crd(new.root()).0);
    let report = crdify::compare(&old, &new, config);
    let count = |level| report.findings.iter().filter(|it| it.level == level).count();
    let text =
        if format == ReportFormat::Markdown { report.markdown() } else { report.plain_text() };
    let (errors, warnings) = (count(CrdifyLevel::Error), count(CrdifyLevel::Warning));
    CrdifyReport { text, document: report.document(), errors, warnings }
}

/// All that changed.
struct Change {
    /// The reports on CRDs that both sides have, by name.
    pairs: Vec<(String, CrdifyReport)>,
    added: Vec<String>,
    removed: Vec<String>,
    /// Whether each side holds a single CRD.
    single: bool,
}

impl Change {
    fn new(sides: &Sides, compare: impl Fn(&Document, &Document) -> CrdifyReport + Sync) -> Self {
        let pairs = sides.pairs();
        let compared = |(name, old, new): &(&str, &Definition, &Definition)| {
            ((*name).to_owned(), compare(&old.document, &new.document))
        };
        let pairs = pairs.par_iter().map(compared).collect();
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let (added, removed) = (owned(sides.added()), owned(sides.removed()));
        Self { pairs, added, removed, single: sides.is_single() }
    }

    /// Errors and warnings. A CRD that is gone takes its objects with it.
    fn counts(&self) -> (usize, usize) {
        let errors: usize = self.pairs.iter().map(|(_, report)| report.errors).sum();
        let warnings = self.pairs.iter().map(|(_, report)| report.warnings).sum();
        (errors + self.removed.len(), warnings)
    }

    fn render(&self, format: ReportFormat) -> String {
        match format {
            ReportFormat::Markdown => self.lines("## ", "`"),
            ReportFormat::Json | ReportFormat::Yaml => self.document(format),
            _ => self.lines("", ""),
        }
    }

    /// `heading` stands before names, `quote` around levels.
    fn lines(&self, heading: &str, quote: &str) -> String {
        let mut out = String::new();
        for (name, report) in self.pairs.iter().filter(|(_, it)| !it.text.is_empty()) {
            if !self.single {
                let _ = writeln!(out, "{heading}{name}");
            }
            out.push_str(&report.text);
        }
        for name in &self.removed {
            let what = "the CRD is gone, and with it its objects";
            let _ = writeln!(out, "{heading}{name}\n- removed - {quote}ERROR{quote} - {what}");
        }
        out
    }

    fn document(&self, format: ReportFormat) -> String {
        let all;
        let document = match &*self.pairs {
            [(_, report)] if self.single => &report.document,
            _ => {
                all = self.all();
                &all
            }
        };
        if format == ReportFormat::Yaml {
            yaml::text(document.root())
        } else {
            json::text(document.root(), Layout::Pretty) + "\n"
        }
    }

    /// `{crds: {NAME: REPORT}, added: [NAME], removed: [NAME]}`.
    fn all(&self) -> Document {
        let mut events = vec![Event::BeginObject, Event::Key("crds"), Event::BeginObject];
        for (name, report) in &self.pairs {
            events.push(Event::Key(name));
            events.extend(report.document.root().events());
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
