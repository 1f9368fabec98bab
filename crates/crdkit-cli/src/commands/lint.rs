//! `crdkit lint`: what the API server would refuse about CRDs.

use crate::args::Lint;
use crate::crds;
use crate::exit::Exit;
use crate::input::{self, Input};
use crate::objects;
use crate::report::{self, Findings, Source};
use anyhow::Result;
use crdkit::codec::DecodeOptions;
use crdkit::issue::Issue;
use crdkit::value::Document;
use rayon::prelude::*;
use std::collections::HashMap;

pub(crate) fn run(args: &Lint) -> Result<Exit> {
    let (inputs, mut exit) = input::read_or_report(&args.paths);
    let (old, old_exit) = input::read_or_report(&args.old);
    exit = exit.max(old_exit);
    let old: HashMap<String, Document> = old
        .iter()
        .flat_map(crds::of_input)
        .filter_map(|decoded| {
            let name = objects::identify(&decoded.document).ok()?.name;
            Some((name, decoded.document))
        })
        .collect();
    let reports: Vec<_> = inputs.par_iter().map(|input| lint(input, &old, args)).collect();
    let mut findings = Findings::new(args.output);
    let mut n_crds = 0;
    for (report, count) in reports {
        findings.append(report);
        n_crds += count;
    }
    findings.print()?;
    let (errors, warnings) = findings.counts();
    report::note(&format!("{n_crds} CRDs checked: {errors} errors, {warnings} warnings"));
    if errors > 0 {
        exit = exit.max(Exit::Findings);
    }
    if n_crds == 0 && errors == 0 {
        report::note("there is no CustomResourceDefinition in the input");
        exit = Exit::Failed;
    }
    Ok(exit)
}

/// The findings about the CRDs in `input`, and how many there are.
fn lint(input: &Input, old: &HashMap<String, Document>, args: &Lint) -> (Findings, usize) {
    let options = DecodeOptions { positions: true, ..DecodeOptions::default() };
    let source = Source::new(&input.name, &input.bytes);
    let mut findings = Findings::new(args.output);
    let mut n_crds = 0;
    for outcome in objects::decode(input, &options) {
        let issues: Vec<Issue> = match outcome {
            Err(issue) => vec![*issue],
            Ok(decoded) => match objects::identify(&decoded.document) {
                Err(issue) => vec![*issue],
                Ok(identity) if !identity.is_crd() => continue,
                Ok(identity) => {
                    n_crds += 1;
                    crds::issues(&decoded, old.get(&identity.name))
                }
            },
        };
        findings.add(&source, &issues);
    }
    (findings, n_crds)
}
