//! `--mode semantic`: what becomes of objects, and of those who write and read them.

use super::sides::{Sides, WrittenCrd};
use super::{causes, replay};
use crate::args::{Compare, OnUnknown};
use crate::exit::Exit;
use crate::input::Input;
use crate::kubernetes;
use crate::objects;
use crate::report::{
    self, Answered, Compared, Object, Outputs, ReportFormat, ShownFinding, SourceText, Spec, Style,
    Subject,
};
use anyhow::{Context as _, Result};
use crdkit_codec::yaml;
use crdkit_compat::semantic::{self, CompatReport, Date, Evidence, Policy, ReasonLevel, Verdict};
use crdkit_issue::{Issue, Severity, Span, codes};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

pub(super) fn run(args: &Compare) -> Result<Exit> {
    let Some(config) = super::config(args.config.as_deref(), Policy::read)? else {
        return Ok(Exit::Failed);
    };
    let (mut policy, file) = config.map_or((Policy::default(), None), |(it, at)| (it, Some(at)));
    match args.on_unknown {
        Some(OnUnknown::Error) => policy.limit_unknown(ReasonLevel::Error),
        Some(OnUnknown::Warn) => policy.limit_unknown(ReasonLevel::Warning),
        Some(OnUnknown::Ignore) => policy.limit_unknown(ReasonLevel::Note),
        None => {}
    }
    let Some(sides) = Sides::load(args)? else { return Ok(Exit::Failed) };
    let specs = match args.output.as_slice() {
        [] => vec![Spec { format: ReportFormat::Pretty, file: None }],
        specs => specs.to_vec(),
    };
    let comparison = Comparison {
        policy: &policy,
        today: today(),
        excerpts: specs.iter().any(|spec| spec.format == ReportFormat::Pretty),
        notes: args.verbose,
    };
    let style = Style { verbose: args.verbose, ..Style::default() };
    let mut objects = Vec::new();
    for name in sides.removed() {
        objects.extend(sides.old(name).map(|old| comparison.removed(name, old)));
    }
    let pairs = sides.pairs();
    let compared: Result<Vec<_>> = pairs
        .par_iter()
        .map(|(name, old, new)| {
            let report = semantic::compare(&old.document, &new.document);
            let report = report.with_context(|| format!("`{name}` cannot be compiled"))?;
            let (object, used) = comparison.object(name, &report, old, new);
            Ok((object, used, report))
        })
        .collect();
    let mut used = Vec::new();
    for ((name, ..), (object, exceptions, report)) in pairs.iter().zip(compared?) {
        if let Some(directory) = &args.emit_witness {
            emit(directory, name, &report)?;
        }
        objects.push(object);
        used.extend(exceptions);
    }
    let replayed = replay::objects(args, &sides, comparison.excerpts)?;
    let replayed_in_words = replayed.in_words();
    objects.extend(replayed.objects);
    objects.extend(file.and_then(|file| comparison.exceptions(&file, &used)));
    let mut counts = Counts::default();
    for object in &mut objects {
        counts.add(object);
        if !args.all {
            causes::group(&mut object.findings);
        }
        counts.causes += object.findings.iter().filter(|finding| finding.counts()).count();
        causes::limit(&object.findings, args.max);
    }
    // What it comes to is read first.
    if !args.quiet {
        let counted = counts.in_words();
        let version = kubernetes::in_parentheses();
        report::note(&format!("{}: {counted}{replayed_in_words}{version}", sides.counted()));
    }
    let mut outputs = Outputs::new(&specs, style);
    for object in &objects {
        outputs.add(object)?;
    }
    outputs.finish(sides.pairs().len())?;
    Ok(if counts.errors > 0 { Exit::Findings } else { Exit::Fine })
}

/// The day it is.
fn today() -> Date {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Date::from_days(i64::try_from(now.as_secs() / 86_400).unwrap_or(0))
}

#[derive(Default)]
struct Counts {
    causes: usize,
    errors: usize,
    warnings: usize,
    accepted: usize,
    answers: [usize; 3],
}

impl Counts {
    fn add(&mut self, object: &Object) {
        for finding in &object.findings {
            *match finding.severity {
                _ if !finding.counts() => &mut self.accepted,
                Severity::Error => &mut self.errors,
                Severity::Warning => &mut self.warnings,
            } += 1;
        }
        for answer in &object.answers {
            let [safe, unsafe_, unknown] = &mut self.answers;
            *match answer.verdict {
                "safe" => safe,
                "unsafe" => unsafe_,
                _ => unknown,
            } += 1;
        }
    }

    fn in_words(&self) -> String {
        let [safe, unsafe_, unknown] = self.answers;
        let accepted = match self.accepted {
            0 => String::new(),
            n => format!(", {n} accepted as exceptions"),
        };
        let n_places = self.errors + self.warnings;
        let count = |n: usize, one: &str| match n {
            1 => format!("1 {one}"),
            n => format!("{n} {one}s"),
        };
        let causes = match n_places {
            0 => String::new(),
            _ if self.causes == n_places => String::new(),
            n => format!(" ({}, {})", count(self.causes, "cause"), count(n, "place")),
        };
        format!(
            "{} safe, {unsafe_} unsafe, {unknown} unknown; {}, {}{causes}{accepted}",
            count(safe, "answer"),
            count(self.errors, "error"),
            count(self.warnings, "warning"),
        )
    }
}

/// How answers become findings.
struct Comparison<'a> {
    policy: &'a Policy,
    today: Date,
    /// Whether some output shows source lines.
    excerpts: bool,
    /// Whether notes are shown.
    notes: bool,
}

impl Comparison<'_> {
    /// What is reported about a CRD, and which exceptions it needs.
    fn object(
        &self,
        name: &str,
        report: &CompatReport,
        old: &WrittenCrd,
        new: &WrittenCrd,
    ) -> (Object, Vec<usize>) {
        let (before, after) = (text(&old.input), text(&new.input));
        let mut used = Vec::new();
        let mut findings = Vec::new();
        for finding in self.policy.findings(name, report, self.today) {
            used.extend(finding.exception);
            if finding.level == ReasonLevel::Note && !self.notes {
                continue;
            }
            let places = finding.reason.places;
            let span = places.new.or_else(|| new.start());
            let mut shown = self.finding(&finding, span, &after);
            if let Some(compared) = &mut shown.compared {
                let position = places.old.and_then(|span| before.position(span.start));
                compared.old = position.map(|position| (Arc::clone(&old.input.name), position));
            }
            let exception = finding.exception.and_then(|at| self.policy.exceptions.get(at));
            shown.suppressed = exception.map(|it| it.reason.clone());
            findings.push(shown);
        }
        let identity = objects::identify(&new.document).ok().map(Subject::Object);
        let mut object = Object::judged(&new.input.name, identity, findings);
        object.answers = report
            .answers
            .iter()
            .map(|answer| Answered {
                question: answer.question.name(),
                text: answer.question.text(),
                version: answer.version.clone(),
                verdict: answer.verdict().name(),
            })
            .collect();
        (object, used)
    }

    fn finding(
        &self,
        finding: &semantic::PolicyFinding<'_>,
        span: Option<Span>,
        source: &SourceText<'_>,
    ) -> ShownFinding {
        let semantic::PolicyFinding { answer, reason, level, .. } = *finding;
        let version = match answer.version.as_str() {
            "" => String::new(),
            version => format!(" ({version})"),
        };
        let open = if reason.verdict() == Verdict::Unknown { "perhaps " } else { "" };
        let mut issue = Issue::warning(answer.question.code())
            .with("change", format!("{open}{}{version}", reason.change));
        if level == ReasonLevel::Error {
            issue.severity = Severity::Error;
        }
        issue.span = span;
        let mut shown = ShownFinding::new(&issue, source, self.excerpts);
        shown.path.clone_from(&reason.path);
        let (witness, changed, effect) = match &reason.evidence {
            Ok(Evidence { witness, changed, effect }) => {
                (witness.clone(), changed.clone(), effect.clone())
            }
            Err(open) => (None, None, format!("not decided: {}", open.0)),
        };
        shown.server.clone_from(&effect);
        shown.compared = Some(Box::new(Compared {
            question: answer.question.name(),
            version: answer.version.clone(),
            verdict: reason.verdict().name(),
            effect,
            affected: answer.question.affected(),
            advice: answer.question.advice(),
            old: None,
            witness,
            changed,
        }));
        shown
    }

    /// A CRD that only the old side has.
    fn removed(&self, name: &str, old: &WrittenCrd) -> Object {
        let mut issue = Issue::error(codes::compat::CRD_GONE).with("name", name);
        issue.span = old.start();
        let finding = ShownFinding::new(&issue, &text(&old.input), self.excerpts);
        let identity = objects::identify(&old.document).ok().map(Subject::Object);
        Object::judged(&old.input.name, identity, vec![finding])
    }

    /// What is wrong with the exceptions themselves.
    fn exceptions(&self, file: &Input, used: &[usize]) -> Option<Object> {
        let issues = self.policy.problems(used, self.today);
        let source = text(file);
        let shown = |issue: &Issue| ShownFinding::new(issue, &source, self.excerpts);
        let findings: Vec<_> = issues.iter().map(shown).collect();
        (!findings.is_empty()).then(|| Object::judged(&file.name, None, findings))
    }
}

pub(super) fn text(input: &Input) -> SourceText<'_> {
    SourceText::of(input)
}

/// Writes every witness into a file of its own, as a fixture for tests.
fn emit(directory: &Path, name: &str, report: &CompatReport) -> Result<()> {
    let context = || format!("`{}` cannot be written", directory.display());
    std::fs::create_dir_all(directory).with_context(context)?;
    for answer in &report.answers {
        let objects = answer.reasons.iter().filter_map(|reason| {
            reason.evidence.as_ref().ok().and_then(|evidence| evidence.witness.as_ref())
        });
        for (number, object) in objects.enumerate() {
            let version = answer.version.replace(" -> ", "-");
            let file = format!("{name}-{version}-{}-{number}.yaml", answer.question.name());
            std::fs::write(directory.join(file), yaml::text(object.root()))
                .with_context(context)?;
        }
    }
    Ok(())
}
