//! `crdkit test`: suites of requests, and whether they go as they say.

mod args;

pub(crate) use args::Test;

use crate::config::NAME as CONFIG;
use crate::exit::Exit;
use crate::policies::Policies;
use crate::progress::Progress;
use crate::report::{
    self, Case as CaseName, Object, Outputs, ReportFormat, ShownFinding, SourceText, Style,
    Subject, Verdict,
};
use crate::source::Client;
use crate::suite::{self, Case, CaseResult, Suite, SuiteFile, Variants};
use crate::watch;
use anyhow::{Context as _, Result};
use crdkit_issue::Issue;
use crdkit_native::NativeKinds;
use crdkit_schema::set::CrdDefinition;
use crdkit_text::kind::GroupVersionKind;
use crdkit_text::regex::Regex;
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) fn run(args: &Test) -> Result<Exit> {
    if !args.watch {
        return once(args).map(|(exit, _)| exit);
    }
    let files = args.paths.iter().chain(&args.crds).map(PathBuf::from);
    let files = files.chain([PathBuf::from(CONFIG)]).collect();
    watch::forever(files, || Ok(once(args)?.1))
}

/// Runs all suites; gives the files they depend on as well.
fn once(args: &Test) -> Result<(Exit, Vec<PathBuf>)> {
    args.reporting.kubernetes.choose();
    let config = args.reporting.config()?;
    let client = args.fetching.client();
    let specs = args.reporting.outputs(ReportFormat::Pretty);
    let style = Style {
        verbose: args.reporting.verbose,
        summary: args.reporting.summary,
        cases: true,
        ..Style::default()
    };
    let mut exit = Exit::Fine;
    let mut suites = Vec::new();
    for path in &args.paths {
        match suite::find(path, &client) {
            Ok(found) => suites.extend(found),
            Err(error) => {
                report::failure(&error);
                exit = Exit::Failed;
            }
        }
    }
    let filter = args.run.as_deref().map(Regex::new).transpose();
    let common: Vec<String> = config.crds.iter().chain(&args.crds).cloned().collect();
    let policies: Vec<_> =
        suites.iter().map(|found| policies(found, &args.policies, &client)).collect();
    if policies.iter().any(Result::is_err) {
        exit = Exit::Failed;
    }
    let runner = Runner {
        crds: Crds::load(&suites, &common, &client),
        common,
        filter: filter.context("`--run` is not a regular expression")?,
        excerpts: specs.iter().any(|spec| spec.format == ReportFormat::Pretty),
        bless: args.bless,
    };
    let files = runner.files();
    if runner.crds.0.values().any(Result::is_err) {
        exit = Exit::Failed;
    }

    let mut outputs = Outputs::new(&specs, style);
    let mut n_blessed = 0;
    if let Some(problems) = &config.problems {
        outputs.add(problems)?;
    }
    let mut progress = Progress::new(suites.len(), args.reporting.quiet);
    for (window, policies) in suites.chunks(64).zip(policies.chunks(64)) {
        let ran = window.par_iter().zip(policies);
        let ran: Vec<_> = ran.map(|(found, policies)| runner.suite(found, policies)).collect();
        progress.advance(window.len());
        progress.pause(|| -> Result<()> {
            for (objects, blessed) in ran {
                n_blessed += blessed?;
                objects.iter().try_for_each(|object| outputs.add(object).map(drop))?;
            }
            Ok(())
        })?;
    }
    drop(progress);
    let summary = outputs.finish(suites.len())?;
    // What was blessed is as expected from now on.
    if summary.n_invalid + summary.n_errors > n_blessed {
        exit = exit.max(Exit::Findings);
    }
    if !args.reporting.quiet {
        report::note(&summary.of_cases());
        if args.bless && summary.n_invalid > 0 {
            let n_left = summary.n_invalid.saturating_sub(n_blessed);
            let left = match n_left {
                0 => String::new(),
                n_left => format!(", {n_left} to be changed by hand"),
            };
            let (s, verb) = if n_blessed == 1 { ("", "expects") } else { ("s", "expect") };
            report::note(&format!("{n_blessed} failed case{s} now {verb} what came{left}"));
        }
        if summary.n_objects() == 0 && exit == Exit::Fine {
            report::note("nothing was run: there are no suites, or no case has such a name");
        }
    }
    Ok((exit, files))
}

/// The CRDs of all suites, read once for each list of sources.
struct Crds(HashMap<Vec<String>, Result<Variants, String>>);

impl Crds {
    fn load(suites: &[SuiteFile], common: &[String], client: &Client) -> Self {
        let mut keys: Vec<Vec<String>> = Vec::new();
        for suite in suites.iter().filter_map(|found| found.read.suite.as_ref()) {
            keys.push(sources(suite, common));
            let earlier = suite.cases.iter().filter_map(|case| case.before.as_ref());
            keys.extend(earlier.map(|before| before.crds.clone()).filter(|it| !it.is_empty()));
        }
        keys.sort();
        keys.dedup();
        let load = |key: Vec<String>| {
            let set = suite::load(&key, client).map_err(|error| format!("{error:#}"));
            (key, set)
        };
        Self(keys.into_par_iter().map(load).collect())
    }

    fn get(&self, key: &[String]) -> Result<&Variants, String> {
        match self.0.get(key) {
            Some(set) => set.as_ref().map_err(String::clone),
            None => Err("its CRDs were not read".to_owned()),
        }
    }
}

/// The policies of a suite, and those that are named for all; why they cannot be used.
fn policies(
    found: &SuiteFile,
    common: &[String],
    client: &Client,
) -> Result<Option<Policies>, String> {
    let Some(suite) = &found.read.suite else { return Ok(None) };
    let sources: Vec<String> = common.iter().chain(&suite.policies).cloned().collect();
    let (user, groups) = &suite.user;
    Policies::load(&sources, client, (user, groups)).map_err(|error| format!("{error:#}"))
}

/// The sources of a suite, which come before those that are named for all.
fn sources(suite: &Suite, common: &[String]) -> Vec<String> {
    // A suite that is about one CRD by its own word knows where that is.
    let common = if suite.one_version && !suite.crds.is_empty() { &[] } else { common };
    common.iter().chain(&suite.crds).cloned().collect()
}

struct Runner {
    crds: Crds,
    common: Vec<String>,
    filter: Option<Regex>,
    excerpts: bool,
    bless: bool,
}

impl Runner {
    /// Files and directories that CRDs came from.
    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.crds.0.keys().flatten().map(PathBuf::from).collect();
        files.sort();
        files.dedup();
        files
    }

    /// What became of the cases of a file, and of how many what came was written into it.
    fn suite(
        &self,
        found: &SuiteFile,
        policies: &Result<Option<Policies>, String>,
    ) -> (Vec<Object>, Result<usize>) {
        let SuiteFile { input, read } = found;
        let source = SourceText::new(&input.name, &input.bytes, 1);
        let finding = |issue: &Issue| ShownFinding::new(issue, &source, self.excerpts);
        let mut objects = Vec::new();
        if !read.issues.is_empty() {
            let findings = read.issues.iter().map(finding).collect();
            objects.push(Object::judged(&input.name, None, findings));
        }
        let Some(suite) = &read.suite else { return (objects, Ok(0)) };
        let mut blessings: Vec<(usize, CaseResult)> = Vec::new();
        for (index, case) in suite.cases.iter().enumerate() {
            if let Some(filter) = &self.filter
                && !filter.is_match(&format!("{}: {}", suite.name, case.name))
            {
                continue;
            }
            for (label, ran) in self.case(suite, case, policies) {
                let name = match label.as_str() {
                    "" => case.name.clone(),
                    label => format!("{} [{label}]", case.name),
                };
                let subject = Subject::Case(CaseName { suite: suite.name.clone(), name });
                let findings = ran.failures.iter().map(|failure| ShownFinding {
                    diff: failure.diff.clone(),
                    ..finding(&failure.issue)
                });
                let findings: Vec<_> = findings.collect();
                if self.bless && !findings.is_empty() {
                    blessings.push((index, ran));
                }
                let mut object = Object::judged(&input.name, Some(subject), findings);
                if case.skip.is_some() {
                    object.verdict = Verdict::Skipped;
                }
                objects.push(object);
            }
        }
        (objects, Self::write(found, &blessings))
    }

    /// Writes what came into the file of a suite, for as many cases as it gives.
    fn write(found: &SuiteFile, blessings: &[(usize, CaseResult)]) -> Result<usize> {
        if blessings.is_empty() {
            return Ok(0);
        }
        let name = Arc::clone(&found.input.name);
        match suite::bless(&found.input.bytes, blessings) {
            Some((text, n_blessed)) => {
                let written = std::fs::write(&*name, text);
                written.with_context(|| format!("`{name}` cannot be written"))?;
                Ok(n_blessed)
            }
            None => Ok(0),
        }
    }

    /// Runs a case under each variant of its CRD; several are told apart by labels.
    fn case(
        &self,
        suite: &Suite,
        case: &Case,
        policies: &Result<Option<Policies>, String>,
    ) -> Vec<(String, CaseResult)> {
        if case.skip.is_some() {
            return vec![(String::new(), CaseResult::default())];
        }
        let failed =
            |problem: String| vec![(String::new(), CaseResult::impossible(case, &problem))];
        let crds = match self.crds.get(&sources(suite, &self.common)) {
            Ok(crds) => crds,
            Err(problem) => return failed(problem),
        };
        let policies = match policies {
            Ok(policies) => policies.as_ref(),
            Err(problem) => return failed(problem.clone()),
        };
        let variants = suite::variants(suite, case, crds);
        if variants.is_empty() {
            let GroupVersionKind { group, version, kind } = suite::kind_of(case);
            if let Some(kind) = NativeKinds::latest().find(&group, &version, &kind) {
                return vec![(String::new(), suite::run_native(case, kind, policies))];
            }
            let what = match &suite.crd_name {
                Some(name) => format!("called `{name}`"),
                None => format!("for `{kind}` in group `{group}`"),
            };
            return failed(format!("there is no CRD {what}; name it with `crds` or `--crds`"));
        }
        let earlier = match self.earlier(case) {
            Ok(earlier) => earlier,
            Err(problem) => return failed(problem),
        };
        let several = variants.len() > 1;
        let label = |variant: &CrdDefinition| {
            let label = suite::feature_set(variant).filter(|_| several);
            label.unwrap_or_default().to_owned()
        };
        variants
            .into_iter()
            .map(|variant| (label(variant), suite::run(suite, case, variant, earlier, policies)))
            .collect()
    }

    /// The CRD that the object of a case was created under, if the case names another one.
    fn earlier(&self, case: &Case) -> Result<Option<&CrdDefinition>, String> {
        let Some(before) = case.before.as_ref().filter(|before| !before.crds.is_empty()) else {
            return Ok(None);
        };
        let kind = suite::kind_of(case);
        let found = self.crds.get(&before.crds)?.of_kind(&kind);
        found.map(Some).ok_or_else(|| format!("`crds-before` has no CRD for `{}`", kind.kind))
    }
}
