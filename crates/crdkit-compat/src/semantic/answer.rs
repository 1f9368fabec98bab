//! Answers and what speaks for them.

use super::question::Question;
use crdkit_issue::Span;
use crdkit_value::{Document, Value};
use std::collections::HashSet;
use std::sync::Arc;

/// How a question was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It was proved.
    Safe,
    /// Neither.
    Unknown,
    /// A witness shows otherwise.
    Unsafe,
}

/// How much something matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReasonLevel {
    /// It is there to be looked up.
    Note,
    /// It is worth knowing.
    Warning,
    /// It fails the comparison.
    Error,
}

/// The answer to one question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What was asked.
    pub question: Question,
    /// The version, two versions with an arrow between them, or nothing for the CRD as a whole.
    pub version: String,
    /// What speaks against it, in the order of the schema.
    pub reasons: Vec<Reason>,
}

/// Something that speaks against safety.
#[derive(Clone, Debug)]
pub struct Reason {
    /// Where, from the top of the object or of the CRD; `[*]` stands for any item or key.
    pub path: String,
    /// The keyword of the schema, or the field of the CRD, that changed.
    pub keyword: &'static str,
    /// What is different there: now, before or in the other version.
    pub change: String,
    /// How much it matters, unless settings say otherwise.
    pub level: ReasonLevel,
    /// Where it is written.
    pub places: Places,
    /// Whether it was seen to matter, or why that is open.
    pub evidence: Result<Evidence, Open>,
}

/// Where something is written in the text of the two CRDs, as far as that was kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// In the old one.
    pub old: Option<Span>,
    /// In the new one.
    pub new: Option<Span>,
}

/// How a change was seen to matter.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// An object that shows it, which may show more; what is certain without one has none.
    pub witness: Option<Arc<Document>>,
    /// The object it is changed to, where a change is what is refused.
    pub changed: Option<Document>,
    /// What becomes of it.
    pub effect: String,
}

/// Why a question stays open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open(pub &'static str);

impl Open {
    pub(super) const UNSEEN: Self =
        Self("no object was found that shows it, and no proof that there is none");
    pub(super) const TOO_MUCH: Self =
        Self("so many objects were tried before that none were left for it");
    pub(super) const TOO_LARGE: Self = Self("the patterns are too large to be compared");
}

/// A place in the schema of a version that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangedNode {
    /// The version.
    pub version: String,
    /// Where, as in a [`Reason`].
    pub path: String,
}

/// All answers.
#[derive(Clone, Debug, Default)]
pub struct CompatReport {
    /// In the order in which they were asked.
    pub answers: Vec<Answer>,
    /// Everything that changed in the schemas of versions that both CRDs serve, harmless or not.
    pub changed: Vec<ChangedNode>,
}

impl Answer {
    /// How it was answered.
    pub fn verdict(&self) -> Verdict {
        self.reasons.iter().map(Reason::verdict).max().unwrap_or(Verdict::Safe)
    }
}

impl Reason {
    /// Unsafe or unknown.
    pub fn verdict(&self) -> Verdict {
        if self.evidence.is_ok() { Verdict::Unsafe } else { Verdict::Unknown }
    }
}

impl CompatReport {
    /// The worst verdict that something of at least `level` has.
    pub fn verdict(&self, level: ReasonLevel) -> Verdict {
        let reasons = self.answers.iter().flat_map(|answer| &answer.reasons);
        let heavy = reasons.filter(|reason| reason.level >= level);
        heavy.map(Reason::verdict).max().unwrap_or(Verdict::Safe)
    }

    /// Those of [`CompatReport::changed`] about which some question is open.
    pub fn undecided(&self) -> Vec<&ChangedNode> {
        let open: HashSet<_> = self
            .answers
            .iter()
            .flat_map(|answer| answer.reasons.iter().map(move |reason| (&answer.version, reason)))
            .filter(|(_, reason)| reason.evidence.is_err())
            .map(|(version, reason)| (version, &reason.path))
            .collect();
        self.changed.iter().filter(|node| open.contains(&(&node.version, &node.path))).collect()
    }
}

impl Places {
    /// Where two values are written.
    pub(super) fn of(old: Option<Value<'_>>, new: Option<Value<'_>>) -> Self {
        Self { old: old.and_then(span), new: new.and_then(span) }
    }

    /// With the sides exchanged.
    pub(super) fn swapped(self) -> Self {
        Self { old: self.new, new: self.old }
    }
}

/// The key of a member, or the beginning of anything else: nobody wants to see a whole schema.
fn span(value: Value<'_>) -> Option<Span> {
    let place = value.document().place(value.id())?;
    Some(place.key.unwrap_or(Span::new(place.value.start, place.value.start + 1)))
}

/// An answer being put together.
pub(super) struct Collector(Answer);

impl Collector {
    pub(super) fn new(question: Question, version: &str) -> Self {
        Self(Answer { question, version: version.to_owned(), reasons: Vec::new() })
    }

    /// Something that is certain; `effect` says what follows unless the change says it all.
    pub(super) fn certain(
        &mut self,
        (path, keyword): (&str, &'static str),
        change: String,
        effect: &str,
        places: Places,
    ) -> &mut Self {
        let evidence = Evidence { witness: None, changed: None, effect: effect.to_owned() };
        let (path, level) = (path.to_owned(), self.0.question.level());
        self.add(Reason { path, keyword, change, level, places, evidence: Ok(evidence) })
    }

    pub(super) fn add(&mut self, reason: Reason) -> &mut Self {
        self.0.reasons.push(reason);
        self
    }

    /// Gives what was added last another level.
    pub(super) fn at(&mut self, level: ReasonLevel) {
        if let Some(reason) = self.0.reasons.last_mut() {
            reason.level = level;
        }
    }

    pub(super) fn finish(self) -> Answer {
        self.0
    }
}
