//! From what is known about objects to what is reported about them.

use super::partial::Partly;
use crate::config::Config;
use crate::input::Input;
use crate::objects::Identity;
use crate::rendered::SourceFile;
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
        let mut comments = None;
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
                apply(comments.get_or_insert_with(|| suppressions(input)), &mut finding, input);
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
        // What one object does not need another one that was made of the same file may.
        let own = input.map.is_none().then(|| comments.unwrap_or_else(|| suppressions(input)));
        let findings =
            own.into_iter().flatten().flat_map(|(_, it)| it.findings(&source, self.excerpts));
        let mut findings: Vec<_> = findings.collect();
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

/// The comments that may silence findings, by the name of their file.
fn suppressions(input: &Input) -> Vec<(Arc<str>, Suppressions)> {
    if let Some(map) = &input.map {
        let of = |file: &Arc<SourceFile>| {
            (Arc::clone(&file.name), Suppressions::find(file.text.as_bytes(), 1))
        };
        return map.files(&input.bytes).into_iter().map(of).collect();
    }
    let found = match input.format {
        Format::Yaml => Suppressions::find(&input.bytes, input.first_line),
        Format::Json | Format::Ndjson | Format::Cbor | Format::CborSeq | Format::Mixed => {
            Suppressions::find(&[], 1)
        }
    };
    vec![(Arc::clone(&input.name), found)]
}

/// Silences those of `findings` that a comment in their file is about.
fn apply(comments: &mut [(Arc<str>, Suppressions)], findings: &mut [ShownFinding], input: &Input) {
    for finding in findings {
        let file = finding.file.clone().unwrap_or_else(|| Arc::clone(&input.name));
        for (_, comments) in comments.iter_mut().filter(|(name, _)| *name == file) {
            comments.apply(std::slice::from_mut(finding));
        }
    }
}
