//! `crdkit compat`: is a change of CRDs safe?
//!
//! The CRDs of both sides are paired by name; a single CRD on each side is a pair whatever the names.
//! What cannot be read ends the run with code 3, so that it looks neither safe nor unsafe.

use crate::args::{Compare, CompareMode, CompareReport, OnUnknown};
use crate::crds;
use crate::exit::Exit;
use crate::format::Format;
use crate::input::{Entry, Input};
use crate::objects;
use crate::report::{self, Source, Target};
use crate::source::{self, Client, Purpose};
use anyhow::{Context as _, Result};
use crdkit::codec::json::{self, Layout};
use crdkit::codec::{DecodeError, DecodeOptions, yaml};
use crdkit::compat::crdify::{self, Config, Level};
use crdkit::compat::semantic::{self, Verdict};
use crdkit::schema::read;
use crdkit::value::{Document, Event};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

pub(crate) fn run(args: &Compare) -> Result<Exit> {
    let client = args.fetching.client();
    let Some(config) = config(args.config.as_deref())? else { return Ok(Exit::Failed) };
    let (old, new) = (crds(&args.old, &client)?, crds(&args.new, &client)?);
    let (Some(old), Some(new)) = (old, new) else { return Ok(Exit::Failed) };
    let compare = |old: &Document, new: &Document| compare(old, new, args, &config);
    let change = Change::new(&old, &new, compare)?;
    Target::new(None).write(change.render(args.output).as_bytes())?;
    let (errors, warnings) = change.counts();
    let (n_pairs, added, removed) = (change.pairs.len(), change.added.len(), change.removed.len());
    report::note(&format!(
        "{n_pairs} CRDs compared, {added} added, {removed} removed: {errors} errors, {warnings} warnings"
    ));
    Ok(if errors > 0 { Exit::Findings } else { Exit::Fine })
}

/// The configuration, the default one when no file is named; nothing when it is not one.
fn config(path: Option<&Path>) -> Result<Option<Config>> {
    let Some(path) = path else { return Ok(Some(Config::default())) };
    let input = Entry::file(path.to_owned()).read()?;
    let options = DecodeOptions { positions: true, ..DecodeOptions::default() };
    let issues = match input.format.documents(&input.bytes, &options).next() {
        None => return Ok(Some(Config::default())),
        Some(Ok(decoded)) => match Config::read(decoded.document.root()) {
            Ok(config) => return Ok(Some(config)),
            Err(issues) => issues,
        },
        Some(Err(DecodeError::Refused(issue))) => vec![*issue],
        Some(Err(error)) => return Err(error.into()),
    };
    let source = Source::of(&input);
    for issue in &issues {
        source.show(issue);
    }
    Ok(None)
}

/// The CRDs of a source by name; nothing when some of it cannot be read or there are none.
fn crds(source: &str, client: &Client) -> Result<Option<BTreeMap<String, Document>>> {
    let found = source::find(&spelled(source), Purpose::Crds, client)?;
    let mut crds = BTreeMap::new();
    let mut fine = true;
    for entry in &found.entries {
        fine &= collect(&entry.read()?, &mut crds);
    }
    if fine && crds.is_empty() {
        report::note(&format!("there is no CustomResourceDefinition in `{source}`"));
    }
    Ok(Some(crds).filter(|crds| fine && !crds.is_empty()))
}

/// A source as it is spelled here; crdify writes `git://REF?path=PATH` for a file of a commit.
fn spelled(source: &str) -> String {
    match source.strip_prefix("git://").and_then(|rest| rest.split_once("?path=")) {
        Some((revision, path)) => format!("git:{revision}:{path}"),
        None => source.to_owned(),
    }
}

/// Adds the CRDs of `input`; false when some object cannot be read.
fn collect(input: &Input, found: &mut BTreeMap<String, Document>) -> bool {
    let (crds, mut problems) = crds::of_input(input, true);
    for crd in crds {
        // Fields that are unknown or given twice do not matter here.
        match read::request(crd.document.root(), &crd.issues) {
            Ok(request) => problems.extend(request.limits),
            Err(issues) => problems.extend(issues),
        }
        match objects::identify(&crd.document) {
            Ok(identity) => drop(found.insert(identity.name, crd.document)),
            Err(issue) => problems.push(*issue),
        }
    }
    let source = Source::of(input);
    for issue in &problems {
        source.show(issue);
    }
    problems.is_empty()
}

/// What was found about one CRD, rendered.
struct Report {
    text: String,
    document: Document,
    errors: usize,
    warnings: usize,
}

fn compare(old: &Document, new: &Document, args: &Compare, config: &Config) -> Result<Report> {
    let markdown = args.output == CompareReport::Markdown;
    Ok(match args.mode {
        CompareMode::Crdify => {
            let (old, new) = (read::crd(old.root()).0, read::crd(new.root()).0);
            let report = crdify::compare(&old, &new, config);
            let count = |level| report.findings.iter().filter(|it| it.level == level).count();
            let text = if markdown { report.markdown() } else { report.plain_text() };
            let (errors, warnings) = (count(Level::Error), count(Level::Warning));
            Report { text, document: report.document(), errors, warnings }
        }
        CompareMode::Semantic => {
            let report = semantic::compare(old, new).context("a CRD cannot be compiled")?;
            let fails = |verdict| match verdict {
                Verdict::Safe => false,
                Verdict::Unsafe => true,
                Verdict::Unknown => args.on_unknown == OnUnknown::Error,
            };
            let is_error =
                |it: &&semantic::Answer| it.question.is_required() && fails(it.verdict());
            let open = report.answers.iter().filter(|it| it.verdict() != Verdict::Safe).count();
            let errors = report.answers.iter().filter(is_error).count();
            let text = if markdown { report.markdown() } else { report.plain_text() };
            Report { text, document: report.document(), errors, warnings: open - errors }
        }
    })
}

/// All that changed.
struct Change {
    /// The reports on CRDs that both sides have, by name.
    pairs: Vec<(String, Report)>,
    added: Vec<String>,
    removed: Vec<String>,
    /// Whether each side holds a single CRD.
    single: bool,
}

impl Change {
    fn new(
        old: &BTreeMap<String, Document>,
        new: &BTreeMap<String, Document>,
        compare: impl Fn(&Document, &Document) -> Result<Report> + Sync,
    ) -> Result<Self> {
        if let ([(old_name, old)], [(new_name, new)]) = (&*list(old), &*list(new)) {
            if old_name != new_name {
                report::note(&format!("`{old_name}` is compared with `{new_name}`"));
            }
            let pairs = vec![((*old_name).clone(), compare(old, new)?)];
            return Ok(Self { pairs, added: Vec::new(), removed: Vec::new(), single: true });
        }
        let both: Vec<_> = list(old)
            .into_iter()
            .filter_map(|(name, old)| Some((name, old, new.get(name)?)))
            .collect();
        let pairs: Result<_> = both
            .par_iter()
            .map(|(name, old, new)| Ok(((*name).clone(), compare(old, new)?)))
            .collect();
        let added = new.keys().filter(|name| !old.contains_key(*name)).cloned().collect();
        let removed = old.keys().filter(|name| !new.contains_key(*name)).cloned().collect();
        Ok(Self { pairs: pairs?, added, removed, single: false })
    }

    /// Errors and warnings. A CRD that is gone takes its objects with it.
    fn counts(&self) -> (usize, usize) {
        let errors: usize = self.pairs.iter().map(|(_, report)| report.errors).sum();
        let warnings = self.pairs.iter().map(|(_, report)| report.warnings).sum();
        (errors + self.removed.len(), warnings)
    }

    fn render(&self, output: CompareReport) -> String {
        match output {
            CompareReport::Plaintext => self.lines("", ""),
            CompareReport::Markdown => self.lines("## ", "`"),
            CompareReport::Json => self.document(Format::Json),
            CompareReport::Yaml => self.document(Format::Yaml),
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

    fn document(&self, format: Format) -> String {
        let all;
        let document = match &*self.pairs {
            [(_, report)] if self.single => &report.document,
            _ => {
                all = self.all();
                &all
            }
        };
        let mut out = Vec::new();
        if format == Format::Yaml {
            yaml::write(document.root(), &mut out);
        } else {
            json::write(document.root(), Layout::Pretty, &mut out);
            out.push(b'\n');
        }
        String::from_utf8_lossy(&out).into_owned()
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

fn list(crds: &BTreeMap<String, Document>) -> Vec<(&String, &Document)> {
    crds.iter().collect()
}
