//! From an object that is refused to one that is accepted.
//!
//! Takes an object and what the engine says about it, and searches: each finding suggests edits, an edit
//! gives a new object, the engine counts what is wrong with it, and the best one so far is gone on
//! with. The search ends with the first object that is accepted, or after a fixed amount of work with
//! the best one it saw.

use crate::edit::{Edit, Editor};
use crate::make::Maker;
use crate::{Extent, Sample};
use crdkit_issue::{Code, FindingStage, Issue, Meaning, Severity};
use crdkit_schema::model::SchemaId;
use crdkit_value::{Document, Event};
use std::collections::{BTreeMap, HashSet};

/// Objects that are judged before the search ends, and values in all of them and in all edits together.
const TRIALS: usize = 4000;
const WORK: usize = 4_000_000;
/// Findings that are kept of each.
const ISSUES: usize = 200;
/// Edits that an object may be away from the first one.
const DEEPEST: usize = 400;
/// What a finding counts that keeps rules from being looked at.
const STRUCTURAL: usize = 1000;

/// How much worse an object may be and still be gone on with, when nothing better is left: what one rule asks
/// for may take two edits.
const SLACK: usize = 3;

pub(crate) struct Repair<'r, 'c> {
    pub(crate) maker: &'r Maker<'c>,
    pub(crate) schema: Option<SchemaId>,
    /// What is wrong with an object.
    pub(crate) judge: &'r dyn Fn(Document) -> Vec<Issue>,
    pub(crate) extent: Extent,
}

/// An object on the way.
struct Attempt {
    document: Document,
    issues: Vec<Issue>,
    score: usize,
    steps: usize,
    /// Edits to try, made when the object is first gone on with, and how many were.
    edits: Option<Vec<Edit>>,
    tried: usize,
}

impl Repair<'_, '_> {
    /// An object that is accepted, or the best that could be found.
    pub(crate) fn run(&self, start: &Document) -> Sample {
        let first = self.judge(Document::copy_of(start.root()), 0);
        let mut seen = HashSet::new();
        let mut queue: BTreeMap<(usize, usize, usize), Attempt> = BTreeMap::new();
        let mut best = (first.score, Document::copy_of(start.root()), first.issues.clone());
        let (mut n_trials, mut work, mut serial) = (1, start.n_nodes(), 0);
        queue.insert((first.score, 0, 0), first);
        while let Some(((score, ..), mut attempt)) = queue.pop_first() {
            if score == 0 {
                return Sample { document: attempt.document, problems: Vec::new() };
            }
            if attempt.steps >= DEEPEST || n_trials >= TRIALS || work >= WORK {
                break;
            }
            let edits = attempt.edits.take().unwrap_or_else(|| {
                let edits = self.edits(&attempt);
                work += edits.iter().map(Edit::n_nodes).sum::<usize>();
                edits
            });
            let mut improved = false;
            while !improved
                && n_trials < TRIALS
                && work < WORK
                && let Some(edit) = edits.get(attempt.tried)
            {
                attempt.tried += 1;
                work += attempt.document.n_nodes();
                let Some(document) = edit.apply(&attempt.document) else { continue };
                if !seen.insert(fingerprint(&document)) {
                    continue;
                }
                n_trials += 1;
                let next = self.judge(document, attempt.steps + 1);
                improved = next.score < score;
                if next.score < best.0 {
                    let document = Document::copy_of(next.document.root());
                    best = (next.score, document, next.issues.clone());
                }
                serial += 1;
                if next.score <= score + SLACK {
                    queue.insert((next.score, next.steps, serial), next);
                }
            }
            if improved {
                // The other edits get their turn when the better object leads nowhere.
                serial += 1;
                attempt.edits = Some(edits);
                queue.insert((score, attempt.steps, serial), attempt);
            }
        }
        Sample { document: best.1, problems: best.2 }
    }

    fn judge(&self, document: Document, steps: usize) -> Attempt {
        let copy = Document::copy_of(document.root());
        let mut issues = (self.judge)(copy);
        issues.retain(|issue| issue.severity == Severity::Error);
        let score = issues.iter().map(weight).sum();
        // Those that are not the first are looked at when the first are gone.
        issues.truncate(ISSUES);
        Attempt { document, issues, score, steps, edits: None, tried: 0 }
    }

    /// What may help against the first finding.
    fn edits(&self, attempt: &Attempt) -> Vec<Edit> {
        let Some(schema) = self.schema else { return Vec::new() };
        let is_complete = |issue: &&Issue| issue.code.info().meaning != Meaning::Incomplete;
        let mut issues: Vec<_> = attempt.issues.iter().filter(is_complete).collect();
        // A finding that keeps rules from being looked at comes first.
        issues.sort_by_key(|issue| is_rule(issue.code));
        let editor =
            Editor { maker: self.maker, schema, document: &attempt.document, extent: self.extent };
        let mut edits = Vec::new();
        if let Some(issue) = issues.first() {
            editor.edits(issue, &mut edits);
        }
        edits
    }
}

fn weight(issue: &Issue) -> usize {
    if is_rule(issue.code) { 1 } else { STRUCTURAL }
}

pub(crate) fn is_rule(code: Code) -> bool {
    code.info().stage == FindingStage::Cel
}

/// A number that unlike objects hardly share.
fn fingerprint(document: &Document) -> u64 {
    use std::hash::{BuildHasher as _, Hash as _, Hasher as _};
    let mut hasher =
        std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::new().build_hasher();
    for event in document.root().events() {
        std::mem::discriminant(&event).hash(&mut hasher);
        match event {
            Event::Key(text) | Event::String(text) | Event::Number(text) => text.hash(&mut hasher),
            Event::Bool(it) => it.hash(&mut hasher),
            Event::Int(it) => it.hash(&mut hasher),
            Event::Float(it) => it.to_bits().hash(&mut hasher),
            _ => {}
        }
    }
    hasher.finish()
}
