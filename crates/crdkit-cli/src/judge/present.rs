//! From what is known about objects to what is reported about them.

use super::partial::Partly;
use crate::config::Config;
use crate::input::Input;
use crate::objects::Identity;
use crate::report::{LeftOut, Object, ShownFinding, SourceText, Subject, Tally, Verdict};
use crate::suppress::Suppressions;
use crdkit_codec::Format;
use crdkit_issue::{Code, Issue, Meaning, Severity};
use std::sync::Arc;

/// What is known about one object before it is reported.
#[derive(Default)]
pub(crate) struct Judged {
    pub(crate) identity: Option<Identity>,
    pub(crate) issues: Vec<Issue>,
    pub(crate) skipped: bool,
    /// Why it is no object, if it is not meant to be one. The issue says the same for where it should be one.
    pub(crate) left_out: Option<LeftOut>,
    /// The file it was made of, if a program put its input together.
    pub(crate) origin: Option<Arc<str>>,
    pub(crate) partly: Option<Partly>,
}

impl Judged {
    /// What cannot be read.
    pub(crate) fn unreadable(issues: Vec<Issue>) -> Self {
        Self { issues, ..Self::default() }
    }
}

/// A file in which nothing is meant to be an object is left out; among objects everything must be one.
pub(super) fn settle(judged: &mut [Judged]) -> Option<LeftOut> {
    let first = judged.iter().find_map(|it| it.left_out);
    if let Some(reason) = first.filter(|_| judged.iter().all(|it| it.left_out.is_some())) {
        return Some(reason);
    }
    for it in judged.iter_mut().filter(|it| it.left_out.is_some()) {
        // What tells programs what to do may stand beside objects.
        it.skipped = it.left_out.take() != Some(LeftOut::NoObjects);
        if it.skipped {
            it.issues.clear();
        }
    }
    None
}

/// How findings are presented.
#[derive(Clone, Copy)]
pub(crate) struct Presentation<'a> {
    pub(crate) config: &'a Config,
    /// Whether some output shows source lines.
    pub(crate) excerpts: bool,
}

impl Presentation<'_> {
    /// What is reported about the objects of `input`, which were decoded with positions.
    pub(crate) fn objects(
        &self,
        input: &Input,
        judged: impl IntoIterator<Item = Judged>,
    ) -> Vec<Object> {
        let source = SourceText::of(input);
        let mut comments = suppressions(input);
        let mut tally = Tally::default();
        let mut objects: Vec<Object> = Vec::new();
        for Judged { identity, mut issues, skipped, origin, partly, .. } in judged {
            put_in_order(&mut issues);
            let (mut findings, mut unshown) = (Vec::new(), Vec::new());
            for issue in &issues {
                let mut finding = vec![if tally.has_room(issue.code) {
                    ShownFinding::new(issue, &source, self.excerpts)
                } else {
                    ShownFinding::unshown(issue, &source)
                }];
                self.config.adjust(&mut finding);
                comments.apply(&mut finding);
                // Only what is shown is held: there may be more findings than there is memory.
                match finding.pop() {
                    Some(found) if found.counts() && !tally.admits(found.code) => {
                        unshown.push((found.code, found.severity));
                    }
                    found => findings.extend(found),
                }
            }
            excuse_incomplete(&mut findings, &unshown);
            let subject = identity.map(Subject::Object);
            let object = Object::judged(&input.name, subject, findings);
            let mut object = object.with_unshown(unshown);
            if skipped {
                object.verdict = Verdict::Skipped;
            }
            object.origin = origin.or_else(|| input.origin.clone());
            object.partly = partly;
            let last = objects.last_mut().filter(|it| it.is_silent() && object.is_silent());
            match last.filter(|last| last.verdict == object.verdict) {
                Some(last) => {
                    last.n_alike += 1;
                    last.unshown.append(&mut object.unshown);
                }
                None => objects.push(object),
            }
        }
        let mut findings = comments.findings(&source, self.excerpts);
        self.config.adjust(&mut findings);
        if !findings.is_empty() {
            objects.push(Object::judged(&input.name, None, findings));
        }
        objects
    }
}

/// Puts findings about an object into the order in which they are shown.
pub(super) fn put_in_order(issues: &mut Vec<Issue>) {
    // That something was left out comes after everything that explains why.
    issues.sort_by_key(|issue| (is_incomplete(issue.code), issue.span.map(|span| span.start)));
    // The server says some things twice.
    issues.dedup();
}

fn is_incomplete(code: Code) -> bool {
    code.info().meaning == Meaning::Incomplete
}

/// That not everything was checked refuses no object whose other errors no longer count.
fn excuse_incomplete(findings: &mut [ShownFinding], unshown: &[(Code, Severity)]) {
    let shown = findings.iter().filter(|finding| finding.counts());
    let mut all = shown.map(|it| (it.code, it.severity)).chain(unshown.iter().copied());
    if !all.any(|(code, it)| it == Severity::Error && !is_incomplete(code)) {
        for finding in findings.iter_mut().filter(|finding| is_incomplete(finding.code)) {
            finding.severity = Severity::Warning;
        }
    }
}

fn suppressions(input: &Input) -> Suppressions {
    match input.format {
        Format::Yaml => Suppressions::find(&input.bytes, input.first_line),
        Format::Json | Format::Ndjson | Format::Cbor | Format::CborSeq | Format::Mixed => {
            Suppressions::find(&[], 1)
        }
    }
}
