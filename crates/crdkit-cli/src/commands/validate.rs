//! `crdkit validate`: the API server's verdict on objects.
//!
//! Inputs are decoded, the CRDs that are needed compiled, and the objects judged, each step in parallel
//! over files; output is in input order. Objects are decoded without positions first; a file with
//! findings is gone through once more with them.

use crate::args::{FieldValidation, Validate};
use crate::crds::{self, Crds};
use crate::exit::Exit;
use crate::input::{self, Input};
use crate::objects::{self, Identity};
use crate::report::{self, Findings, Source};
use anyhow::Result;
use crdkit::Options;
use crdkit::codec::{DecodeOptions, Decoded};
use crdkit::issue::{Issue, Severity, codes};
use crdkit::value::Document;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

type Objects = Vec<Result<Decoded, Box<Issue>>>;

pub(crate) fn run(args: &Validate) -> Result<Exit> {
    let (inputs, mut exit) = input::read_or_report(&args.paths);
    let (crd_inputs, crd_exit) = input::read_or_report(&args.crds);
    let (old_inputs, old_exit) = input::read_or_report(&args.old);
    exit = exit.max(crd_exit).max(old_exit);

    let decode = |input: &Input| objects::decode(input, &DecodeOptions::default());
    let objects: Vec<Objects> = inputs.par_iter().map(decode).collect();
    let given: Vec<Decoded> = crd_inputs.par_iter().flat_map_iter(crds::of_input).collect();
    let old: HashMap<_, _> =
        old_inputs.iter().flat_map(decode).flatten().filter_map(by_name).collect();
    let judge = Judge { crds: compile(&objects, &given)?, old, args };

    let work: Vec<_> = inputs.iter().zip(objects).collect();
    let reports: Vec<_> =
        work.into_par_iter().map(|(input, objects)| judge.file(input, objects)).collect();
    let mut findings = Findings::new(args.output);
    let mut tally = Tally::default();
    for (report, count) in reports {
        findings.append(report);
        tally.valid += count.valid;
        tally.invalid += count.invalid;
        tally.skipped += count.skipped;
    }
    findings.print()?;
    report::note(&tally.summary(inputs.len(), findings.counts().1));
    Ok(if tally.invalid > 0 { exit.max(Exit::Findings) } else { exit })
}

/// Compiles the CRDs, given or among the objects, that objects are of.
fn compile(objects: &[Objects], given: &[Decoded]) -> Result<Crds> {
    let documents = || objects.iter().flatten().flatten().map(|decoded| &decoded.document);
    let identified =
        || documents().filter_map(|document| Some((document, objects::identify(document).ok()?)));
    let used: HashSet<_> = identified().map(|(_, it)| (it.group, it.kind)).collect();
    let own = identified().filter(|(_, identity)| identity.is_crd()).map(|(document, _)| document);
    Crds::compile(given.iter().map(|decoded| &decoded.document).chain(own), &used)
}

fn by_name(decoded: Decoded) -> Option<(Name, Document)> {
    let identity = objects::identify(&decoded.document).ok()?;
    Some((Name::from(&identity), decoded.document))
}

/// What an object is called, whatever version it is written in.
#[derive(PartialEq, Eq, Hash)]
struct Name([String; 4]);

impl From<&Identity> for Name {
    fn from(identity: &Identity) -> Self {
        let Identity { group, kind, namespace, name, .. } = identity.clone();
        Self([group, kind, namespace, name])
    }
}

#[derive(Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    skipped: usize,
}

impl Tally {
    fn summary(&self, files: usize, warnings: usize) -> String {
        let Self { valid, invalid, skipped } = self;
        let n_objects = valid + invalid + skipped;
        let mut out =
            format!("{n_objects} objects in {files} files: {valid} valid, {invalid} invalid");
        if *skipped > 0 {
            out += &format!(", {skipped} skipped");
        }
        if warnings > 0 {
            out += &format!(", {warnings} warnings");
        }
        out
    }
}

/// The verdict on one object.
enum Verdict {
    /// It would be accepted or refused, as the severity of the findings says.
    Judged(Vec<Issue>),
    /// Nothing is known about its kind, and that is fine.
    Skipped,
}

/// What objects are judged by.
struct Judge<'a> {
    crds: Crds,
    old: HashMap<Name, Document>,
    args: &'a Validate,
}

impl Judge<'_> {
    fn file(&self, input: &Input, objects: Objects) -> (Findings, Tally) {
        let mut tally = Tally::default();
        let mut found = false;
        for object in objects {
            match self.object(object) {
                Verdict::Skipped => tally.skipped += 1,
                Verdict::Judged(issues) => {
                    found |= !issues.is_empty();
                    let refused = issues.iter().any(|issue| issue.severity == Severity::Error);
                    *if refused { &mut tally.invalid } else { &mut tally.valid } += 1;
                }
            }
        }
        let mut findings = Findings::new(self.args.output);
        if found {
            let options = DecodeOptions { positions: true, ..DecodeOptions::default() };
            let source = Source::new(&input.name, &input.bytes);
            for object in objects::decode(input, &options) {
                if let Verdict::Judged(issues) = self.object(object) {
                    findings.add(&source, &issues);
                }
            }
        }
        (findings, tally)
    }

    fn object(&self, object: Result<Decoded, Box<Issue>>) -> Verdict {
        let decoded = match object {
            Ok(decoded) => decoded,
            Err(issue) => return Verdict::Judged(vec![*issue]),
        };
        let identity = match objects::identify(&decoded.document) {
            Ok(identity) => identity,
            Err(issue) => return Verdict::Judged(vec![*issue]),
        };
        let old = self.old.get(&Name::from(&identity));
        if identity.is_crd() {
            return Verdict::Judged(crds::issues(&decoded, old));
        }
        let Some(crd) = self.crds.get(&identity.group, &identity.kind) else {
            if self.args.ignore_missing_schemas {
                return Verdict::Skipped;
            }
            let issue = Issue::error(codes::source::NO_SCHEMA)
                .with("kind", identity.kind)
                .with("group", identity.group);
            return Verdict::Judged(vec![at_value(issue, &decoded.document, "kind")]);
        };
        let Some(version) = crd.version(&identity.version) else {
            let versions = crd.compiled().versions().iter().filter(|version| version.served);
            let served: Vec<_> = versions.map(|version| format!("`{}`", version.name)).collect();
            let issue = Issue::error(codes::source::UNKNOWN_VERSION)
                .with("kind", identity.kind)
                .with("version", identity.version)
                .with("served", served.join(", "));
            return Verdict::Judged(vec![at_value(issue, &decoded.document, "apiVersion")]);
        };
        // The server stops at unknown fields in strict mode; people want to see everything at once.
        let strict = self.args.field_validation == FieldValidation::Strict;
        let mode = if strict { FieldValidation::Warn } else { self.args.field_validation };
        let mut options = Options { field_validation: mode.into(), ..Options::default() };
        if !identity.namespace.is_empty() {
            options.namespace = identity.namespace.into();
        }
        let mut outcome = match old {
            Some(old) => version.update(old, decoded, &options),
            None => version.create(decoded, &options),
        };
        let refused = [codes::object::UNKNOWN_FIELD, codes::decode::DUPLICATE_KEY];
        for issue in
            outcome.issues.iter_mut().filter(|issue| strict && refused.contains(&issue.code))
        {
            issue.severity = Severity::Error;
        }
        Verdict::Judged(outcome.issues)
    }
}

/// The same finding at the value of the root's member `key`.
fn at_value(mut issue: Issue, document: &Document, key: &str) -> Issue {
    let place = document.root().get(key).and_then(|value| document.place(value.id()));
    issue.span = place.map(|place| place.value);
    issue
}
