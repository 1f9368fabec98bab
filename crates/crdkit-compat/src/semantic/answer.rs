//! Questions, answers and what speaks for them.

use crdkit_value::Document;

/// Something that somebody relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// Will the API server take the new CRD in place of the old?
    Gate,
    /// Are all versions, names and endpoints still there?
    Surface,
    /// Do short names and categories still lead to it?
    Alias,
    /// Is every object that was accepted still accepted?
    Accept,
    /// Can every stored object still be changed in some unrelated place?
    Update,
    /// Does every object keep all of its fields?
    Retain,
    /// Is the same manifest still stored with the same content?
    Mean,
    /// Was every object that is possible now possible before, so that readers know it?
    Observe,
    /// Does an object keep all of its fields when it is read in another version?
    Round,
}

/// How a question was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was proved.
    Safe,
    /// A witness shows otherwise.
    Unsafe,
    /// Neither.
    Unknown,
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
    /// Where, from the top of the object; `[*]` stands for any item or key.
    pub path: String,
    /// What is different there: now, before or in the other version.
    pub change: String,
    /// Whether it was seen to matter, and how; nothing when that is open.
    pub evidence: Option<Evidence>,
}

/// How a change was seen to matter.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// An object that shows it; what is certain without one has none.
    pub witness: Option<Document>,
    /// What becomes of it.
    pub effect: String,
}

/// All answers.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// In the order in which they were asked.
    pub answers: Vec<Answer>,
}

impl Question {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Surface => "surface",
            Self::Alias => "alias",
            Self::Accept => "accept",
            Self::Update => "update",
            Self::Retain => "retain",
            Self::Mean => "mean",
            Self::Observe => "observe",
            Self::Round => "round",
        }
    }

    /// The question in words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Gate => "the API server takes the new CRD in place of the old",
            Self::Surface => "all versions, names and endpoints are still there",
            Self::Alias => "short names and categories still lead to it",
            Self::Accept => "every object that was accepted is still accepted",
            Self::Update => "every stored object can still be changed in an unrelated place",
            Self::Retain => "every object keeps all of its fields",
            Self::Mean => "the same manifest is stored with the same content",
            Self::Observe => "every object that is possible now was possible before",
            Self::Round => "an object keeps all of its fields in the other version",
        }
    }

    /// Whether an answer other than safe fails the comparison. What is different for readers, by
    /// default or on the command line is worth knowing and often meant.
    pub fn is_required(self) -> bool {
        !matches!(self, Self::Alias | Self::Mean | Self::Observe)
    }
}

impl Answer {
    /// How it was answered.
    pub fn verdict(&self) -> Verdict {
        if self.reasons.iter().any(|reason| reason.evidence.is_some()) {
            Verdict::Unsafe
        } else if self.reasons.is_empty() {
            Verdict::Safe
        } else {
            Verdict::Unknown
        }
    }

    /// Without what was the same before.
    pub(super) fn beyond(mut self, before: &Self) -> Self {
        self.reasons.retain(|reason| {
            let same = |known: &Reason| known.path == reason.path && known.change == reason.change;
            !before.reasons.iter().any(same)
        });
        self
    }
}

impl Report {
    /// Whether some question that matters has the verdict.
    pub fn has(&self, verdict: Verdict) -> bool {
        let required = |answer: &&Answer| answer.question.is_required();
        self.answers.iter().filter(required).any(|answer| answer.verdict() == verdict)
    }
}

/// An answer being put together.
pub(super) struct Collector(Answer);

impl Collector {
    pub(super) fn new(question: Question, version: &str) -> Self {
        Self(Answer { question, version: version.to_owned(), reasons: Vec::new() })
    }

    /// Something that is certain; `effect` says what follows unless the change says it all.
    pub(super) fn refuted(&mut self, path: &str, change: String, effect: Option<&str>) {
        let effect = effect.unwrap_or_default().to_owned();
        self.add(path, change, Some(Evidence { witness: None, effect }));
    }

    pub(super) fn add(&mut self, path: &str, change: String, evidence: Option<Evidence>) {
        self.0.reasons.push(Reason { path: path.to_owned(), change, evidence });
    }

    pub(super) fn finish(self) -> Answer {
        self.0
    }
}
