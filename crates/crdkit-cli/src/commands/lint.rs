//! `crdkit lint`: what the API server would refuse about CRDs.

use crate::args::Lint;
use crate::commands::cost;
use crate::crds;
use crate::exit::Exit;
use crate::input::{Input, InputEntry};
use crate::judge::{Judged, Presentation};
use crate::objects;
use crate::report::{self, Object, Outputs, ReportFormat, Spec, Style};
use crate::source::{self, Client, Purpose};
use crate::stdout;
use anyhow::Result;
use crdkit_codec::DecodeOptions;
use crdkit_value::Document;
use rayon::prelude::*;
use std::collections::HashMap;

pub(crate) fn run(args: &Lint) -> Result<Exit> {
    let config = args.reporting.config()?;
    let client = args.fetching.client();
    let specs = args.reporting.outputs(ReportFormat::Pretty);
    let excerpts = specs.iter().any(|spec| spec.format == ReportFormat::Pretty);
    let presentation = Presentation { config: &config, excerpts };
    let style = Style {
        verbose: args.reporting.verbose,
        summary: args.reporting.summary,
        ..Style::default()
    };
    let mut outputs = Outputs::new(&specs, style);
    let mut exit = Exit::Fine;
    if let Some(problems) = &config.problems {
        outputs.add(problems)?;
    }
    let entries = find(&args.paths, &client, &mut exit);
    let mut old = HashMap::new();
    for entry in find(&args.old, &client, &mut exit) {
        match entry.read() {
            Ok(input) => old.extend(named(&input)),
            Err(error) => fail(&error, &mut exit),
        }
    }
    let n_files = entries.len();
    let lint = |entry: InputEntry| -> Result<(Vec<Object>, String)> {
        let input = entry.read()?;
        let costs = if args.cost { costs(&input) } else { String::new() };
        Ok((presentation.objects(&input, judged(&input, &old)), costs))
    };
    let outcomes: Vec<_> = entries.into_par_iter().map(lint).collect();
    let mut n_crds = 0;
    let mut tables = String::new();
    for outcome in outcomes {
        match outcome {
            Ok((objects, costs)) => {
                tables.push_str(&costs);
                for object in &objects {
                    n_crds += usize::from(object.subject.is_some());
                    outputs.add(object)?;
                }
            }
            Err(error) => fail(&error, &mut exit),
        }
    }
    let summary = outputs.finish(n_files)?;
    // What programs read from standard output is the findings alone.
    let for_people = |spec: &Spec| matches!(spec.format, ReportFormat::Text | ReportFormat::Pretty);
    if specs.iter().all(for_people) {
        stdout::print(&tables)?;
    } else if !tables.is_empty() {
        report::note(tables.trim_end());
    }
    if summary.n_invalid + summary.n_errors > 0 {
        exit = exit.max(Exit::Findings);
    }
    if n_crds == 0 && exit == Exit::Fine {
        fail(&anyhow::anyhow!("there is no CustomResourceDefinition in the input"), &mut exit);
    }
    if !args.reporting.quiet && n_crds > 0 {
        let s = if n_crds == 1 { "" } else { "s" };
        let (valid, warnings) = (summary.n_valid, summary.n_warnings);
        let invalid = summary.n_invalid + summary.n_errors;
        let warned = if warnings > 0 { format!(", {warnings} warnings") } else { String::new() };
        report::note(&format!("{n_crds} CRD{s}: {valid} valid, {invalid} invalid{warned}"));
    }
    Ok(exit)
}

fn fail(error: &anyhow::Error, exit: &mut Exit) {
    report::failure(error);
    *exit = Exit::Failed;
}

/// What `sources` name; says what cannot be read and goes on.
fn find(sources: &[String], client: &Client, exit: &mut Exit) -> Vec<InputEntry> {
    let mut entries = Vec::new();
    for source in sources {
        match source::find(source, Purpose::Crds, client) {
            Ok(found) => entries.extend(found.entries),
            Err(error) => fail(&error, exit),
        }
    }
    entries
}

/// What the rules of the CRDs in `input` can cost, as text.
fn costs(input: &Input) -> String {
    let (crds, _) = crds::of_input(input, false);
    crds.iter().map(|crd| cost::table(&crd.document)).collect()
}

/// The CRDs of `input` by name.
fn named(input: &Input) -> Vec<(String, Document)> {
    let (crds, _) = crds::of_input(input, false);
    crds.into_iter()
        .filter_map(|crd| Some((objects::identify(&crd.document).ok()?.name, crd.document)))
        .collect()
}

/// The CRDs of `input` with what is wrong with them, and what cannot be read. Other objects are none of
/// our business, and neither are files that hold none, such as the values of a chart.
fn judged(input: &Input, old: &HashMap<String, Document>) -> Vec<Judged> {
    let options = DecodeOptions { positions: true, ..DecodeOptions::default() };
    let judge = |outcome: objects::ObjectOutcome| {
        let decoded = match outcome {
            Ok(decoded) => decoded,
            Err(issues) => return Some(Judged { identity: None, issues, skipped: false }),
        };
        let identity = objects::identify(&decoded.document).ok()?;
        identity.is_crd().then(|| {
            let issues = crds::issues(decoded, old.get(&identity.name));
            Judged { identity: Some(identity), issues, skipped: false }
        })
    };
    objects::decode(input, &options).filter_map(judge).collect()
}
