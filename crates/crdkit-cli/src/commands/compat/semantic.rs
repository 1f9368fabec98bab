//! `--mode semantic`: what becomes of objects, and of those who write and read them.

use super::sides::{Sides, WrittenCrd};
use super::{causes, replay};
use crate::args::{Compare, OnUnknown};
use crate::exit::Exit;
use crate::input::Input;
use crate::kubernetes;
use crate::objects;
use crate::report::{
    self, AnswerCounts, Answered, Compared, Comparison, Object, Outputs, ReportFormat,
    ShownFinding, SourceText, Spec, Style, Subject,
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
    let findings = Findings {
        policy: &policy,
        today: today(),
        excerpts: specs.iter().any(|spec| spec.format == ReportFormat::Pretty),
        notes: args.verbose,
    };
    let style = Style { verbose: args.verbose, ..Style::default() };
    let mut objects = Vec::new();
    for name in sides.removed() {
        objects.extend(sides.old(name).map(|old| findings.removed(name, old)));
    }
    let pairs = sides.pairs();
    let compared: Result<Vec<_>> = pairs
        .par_iter()
        .map(|(name, old, new)| {
            let report = semantic::compare(&old.document, &new.document);
            let report = report.with_context(|| format!("`{name}` cannot be compiled"))?;
            let (object, used) = findings.object(name, &report, old, new);
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
    objects.extend(file.and_then(|file| findings.exceptions(&file, &used)));
    let mut replayed = replay::objects(args, &sides, findings.excerpts)?;
    let mut counts = Comparison { objects: replayed.counts.take(), ..sides.counts() };
    for object in objects.iter().chain(&replayed.objects) {
        count(object, &mut counts);
    }
    if !args.all {
        for object in &mut objects {
            causes::group(&mut object.findings);
        }
        causes::group_objects(&mut replayed.objects);
    }
    objects.append(&mut replayed.objects);
    let shown = || objects.iter().flat_map(|object| &object.findings);
    counts.causes = shown().filter(|finding| finding.counts()).count();
    let n_left_out = causes::limit(shown(), args.max);
    // What it comes to is read first.
    if !args.quiet {
        report::note(&format!("{}{}", counts.in_words(), kubernetes::in_parentheses()));
    }
    let exit = if counts.errors > 0 { Exit::Findings } else { Exit::Fine };
    let mut outputs = Outputs::new(&specs, style);
    outputs.compared(counts);
    for object in &objects {
        outputs.add(object)?;
    }
    outputs.finish(sides.pairs().len())?;
    if n_left_out > 0 && !args.quiet {
        let left_out = report::counted(n_left_out, "finding");
        report::note(&format!("left out: {left_out} (`--max {}`)", args.max.unwrap_or_default()));
    }
    Ok(exit)
}

/// Adds the findings and answers of `object`, before any are put together.
fn count(object: &Object, counts: &mut Comparison) {
    for finding in &object.findings {
        *match finding.severity {
            _ if !finding.counts() => &mut counts.accepted,
            Severity::Error => &mut counts.errors,
            Severity::Warning => &mut counts.warnings,
        } += 1;
    }
    for answer in &object.answers {
        let AnswerCounts { safe, r#unsafe, unknown } = &mut counts.answers;
        *match answer.verdict {
            "safe" => safe,
            "unsafe" => r#unsafe,
            _ => unknown,
        } += 1;
    }
}

/// The day it is.
fn today() -> Date {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Date::from_days(i64::try_from(now.as_secs() / 86_400).unwrap_or(0))
}

/// How answers become findings.
struct Findings<'a> {
    policy: &'a Policy,
    today: Date,
    /// Whether some output shows source lines.
    excerpts: bool,
    /// Whether notes are shown.
    notes: bool,
}

impl Findings<'_> {
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
