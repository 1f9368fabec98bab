//! `crdkit lint`: what the API server would refuse about CRDs, and what is wrong with admission policies and with rules of
//! conversions. The latter are held against the CRDs of the input and of `--crds`.

mod conversions;
mod policies;

use crate::args::Lint;
use crate::commands::cost;
use crate::crds::{self, Extent};
use crate::exit::Exit;
use crate::input::{Input, InputEntry};
use crate::judge::{Judged, Presentation};
use crate::kubernetes;
use crate::limits;
use crate::objects::{self, Identity};
use crate::quality::{self, Quality};
use crate::report::{self, Object, Outputs, ReportFormat, Spec, Style};
use crate::source::{self, Client, Purpose};
use crate::stdout;
use anyhow::Result;
use crdkit_admission::KnownSchemas;
use crdkit_convert::Conversion;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::Document;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::OnceLock;

/// What is linted of an input: findings, how many CRDs, policies and conversions there are, and what is shown besides.
#[derive(Default)]
struct Linted {
    judged: Vec<Judged>,
    counts: [usize; 3],
    shown: String,
}

pub(crate) fn run(args: &Lint) -> Result<Exit> {
    args.reporting.kubernetes.choose();
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
    let FoundInputs { entries, n_templates } = find(&args.paths, &client, &mut exit);
    let mut old = HashMap::new();
    for entry in find(&args.old, &client, &mut exit).entries {
        match entry.read() {
            Ok(input) => old.extend(named(&input)),
            Err(error) => fail(&error, &mut exit),
        }
    }
    let n_files = entries.len();
    let quality = args.quality.or(config.quality).unwrap_or(Quality::Mistakes);
    let more = find(&args.crds, &client, &mut exit).entries;
    let known = OnceLock::new();
    let schemas = || known.get_or_init(|| schemas(entries.iter().chain(&more)));
    let lint = |entry: &InputEntry| -> Result<(Vec<Object>, Linted)> {
        let input = entry.read()?;
        let mut linted = judged(&input, &old, (args, quality), &schemas);
        let judged = std::mem::take(&mut linted.judged);
        let mut objects = presentation.objects(&input, judged);
        if args.cost {
            linted.shown.insert_str(0, &costs(&input, &mut objects));
        }
        Ok((objects, linted))
    };
    let outcomes: Vec<_> = entries.par_iter().map(lint).collect();
    let mut counts = [0; 3];
    let mut tables = String::new();
    for outcome in outcomes {
        match outcome {
            Ok((objects, linted)) => {
                tables.push_str(&linted.shown);
                counts.iter_mut().zip(linted.counts).for_each(|(all, more)| *all += more);
                objects.iter().try_for_each(|object| outputs.add(object).map(drop))?;
            }
            Err(error) => fail(&error, &mut exit),
        }
    }
    let summary = outputs.finish(n_files)?;
    // What programs read from standard output is the findings alone.
    if specs.iter().all(Spec::is_for_people) {
        stdout::print(&tables)?;
    } else if !tables.is_empty() && !args.reporting.quiet {
        report::note(tables.trim_end());
    }
    if summary.n_invalid + summary.n_errors > 0 {
        exit = exit.max(Exit::Findings);
    }
    let n_all: usize = counts.iter().sum();
    if n_all == 0 && exit == Exit::Fine && !args.allow_empty {
        let hint = source::templates_hint(n_templates);
        let problem = anyhow::anyhow!("there is no CustomResourceDefinition in the input{hint}");
        fail(&problem, &mut exit);
    }
    if !args.reporting.quiet && n_all > 0 {
        let (valid, warnings) = (summary.n_valid, summary.n_warnings);
        let invalid = summary.n_invalid + summary.n_errors;
        let warned = match warnings {
            0 => String::new(),
            1 => ", 1 warning".to_owned(),
            n => format!(", {n} warnings"),
        };
        let (counted, version) = (counted(counts), kubernetes::in_parentheses());
        report::note(&format!("{counted}: {valid} valid, {invalid} invalid{warned}{version}"));
    }
    Ok(exit)
}

fn fail(error: &anyhow::Error, exit: &mut Exit) {
    report::failure(error);
    *exit = Exit::Failed;
}

/// What sources lead to.
#[derive(Default)]
struct FoundInputs {
    entries: Vec<InputEntry>,
    n_templates: usize,
}

/// What `sources` name; says what cannot be read and goes on.
fn find(sources: &[String], client: &Client, exit: &mut Exit) -> FoundInputs {
    let mut all = FoundInputs::default();
    for source in sources {
        match source::search(source, Purpose::Crds, client) {
            Ok(found) => {
                let is_any = !found.entries.is_empty();
                if let Some(note) =
                    source::crds_left_out(source, &found.left_out).filter(|_| is_any)
                {
                    report::note(&note);
                }
                all.entries.extend(found.entries);
                all.n_templates += found.left_out.len();
                found.failures.iter().for_each(|failure| fail(failure, exit));
            }
            Err(error) => fail(&error, exit),
        }
    }
    all
}

/// How many of each there are.
fn counted([crds, policies, conversions]: [usize; 3]) -> String {
    let of = |n: usize, one: &str, many: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    };
    let all = [
        of(crds, "CRD", "CRDs"),
        of(policies, "policy", "policies"),
        of(conversions, "conversion", "conversions"),
    ];
    all.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The CRDs that policies and conversions are held against. What cannot be read is told elsewhere.
fn schemas<'e>(entries: impl Iterator<Item = &'e InputEntry>) -> KnownSchemas {
    let inputs = entries.filter_map(|entry| entry.read().ok());
    let crds = inputs.flat_map(|input| crds::of_input(&input, false).0);
    KnownSchemas::new(crds.map(|crd| crd.document).collect())
}

/// What the rules of the CRDs in `input` can cost, as text, and for programs with each of `objects`.
fn costs(input: &Input, objects: &mut [Object]) -> String {
    let (mut text, mut known) = (String::new(), HashMap::new());
    for crd in crds::of_input(input, false).0 {
        let costs = cost::of(&crd.document);
        text.push_str(&cost::table(&crd.document, &costs));
        let name = objects::identify(&crd.document).unwrap_or_default().name;
        known.insert(name, costs);
    }
    for object in objects {
        let name = object.identity().map(|identity| identity.name.clone());
        object.costs = name.and_then(|name| known.remove(&name)).unwrap_or_default();
    }
    text
}

/// The CRDs of `input` by name.
fn named(input: &Input) -> Vec<(String, Document)> {
    let (crds, _) = crds::of_input(input, false);
    crds.into_iter()
        .filter_map(|crd| Some((objects::identify(&crd.document).ok()?.name, crd.document)))
        .collect()
}

/// What is in `input`, with what is wrong with it, and what cannot be read. Other objects are passed over, and so
/// are files that hold none, such as the values of a chart.
fn judged<'s>(
    input: &Input,
    old: &HashMap<String, Document>,
    (args, quality): (&Lint, Quality),
    schemas: &dyn Fn() -> &'s KnownSchemas,
) -> Linted {
    let options = limits::decoding().positions(true);
    let mut linted = Linted::default();
    let Linted { judged, counts: [n_crds, n_policies, n_conversions], shown } = &mut linted;
    for outcome in objects::decode(input, &options) {
        let decoded = match outcome {
            Ok(decoded) => decoded,
            Err(issues) => {
                judged.push(Judged::unreadable(issues));
                continue;
            }
        };
        let document = &decoded.document;
        if Conversion::is_file(document.root()) {
            *n_conversions += 1;
            let (issues, proved) = conversions::judge(document, schemas());
            shown.push_str(&proved);
            let named = document.root().get("for").and_then(crdkit_value::Value::as_str);
            let gvk = GroupVersionKind::of("", "Conversion");
            let name = named.unwrap_or_default().to_owned();
            let identity = Some(Identity { gvk, namespace: String::new(), name });
            judged.push(Judged { identity, issues, ..Judged::default() });
            continue;
        }
        let Ok(identity) = objects::identify(document) else { continue };
        let issues = if identity.is_crd() {
            *n_crds += 1;
            let more = quality::issues(document, quality);
            let mut issues = crds::issues(decoded, old.get(&identity.name), Extent::Everything);
            issues.extend(more);
            issues
        } else if policies::is_policy(&identity.gvk) {
            *n_policies += 1;
            if args.cost {
                shown.push_str(&policies::costs(document, schemas()));
            }
            policies::issues(document, schemas())
        } else {
            continue;
        };
        judged.push(Judged { identity: Some(identity), issues, ..Judged::default() });
    }
    linted
}
