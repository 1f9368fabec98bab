//! Writing values back: what the program has becomes what the wire has, checked on both sides.
//!
//! Canonical output says everything: defaults included, whatever the input had. Preserving output says what
//! the input said: what was missing stays missing, what was `null` stays `null`. Both spell what they write
//! the same way; only what is written differs.

use super::decoded::Decoded;
use super::passthrough::scatter;
use super::places::{Way, convert};
use super::preserve::{self, InputRecord};
use super::project::{ProjectOptions, project};
use super::schema::Schema;
use super::stages;
use crate::import::{DefaultMode, Numbers, Unknown};
use crdkit_codec::json::{NumberNotation, write_canonical};
use crdkit_issue::{FieldPath, Issue, Issues, Severity, codes};
use crdkit_value::{Document, NodeId, PresenceMap};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

/// What is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeMode {
    /// Everything the value says, defaults included.
    #[default]
    Canonical,
    /// What the input said.
    Preserve {
        /// Whether presence alone decides, even where the program has changed a value that the input had
        /// missing or `null`.
        strict: bool,
    },
}

/// Why a value was not written.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EncodeError {
    /// Preserving output was asked for without saying what the input had.
    PresenceRequired,
    /// The value, or what it became, is not what the schema asks for.
    Invalid(Issues),
    /// A number is infinite, or none at all.
    NonFiniteNumber(FieldPath),
    /// The program's type could not be turned into a document.
    Serialize(String),
}

impl EncodeError {
    /// The findings, if that is what it is about.
    pub fn issues(&self) -> Option<&Issues> {
        match self {
            Self::Invalid(issues) => Some(issues),
            _ => None,
        }
    }
}

impl Schema {
    /// Canonical JSON of `value`: equal values have equal bytes.
    pub fn encode_canonical(&self, value: &Document) -> Result<Vec<u8>, EncodeError> {
        self.encode_with(value, None, EncodeMode::Canonical)
    }

    /// JSON that has what the input had.
    pub fn encode_preserving(&self, decoded: &Decoded<Document>) -> Result<Vec<u8>, EncodeError> {
        let had = InputRecord { presence: &decoded.presence, read: decoded.read.as_deref() };
        self.encode(&decoded.value, Some(had), EncodeMode::Preserve { strict: false })
    }

    /// JSON in a mode that is chosen when the program runs.
    pub fn encode_with(
        &self,
        value: &Document,
        presence: Option<&PresenceMap>,
        mode: EncodeMode,
    ) -> Result<Vec<u8>, EncodeError> {
        self.encode(value, presence.map(|presence| InputRecord { presence, read: None }), mode)
    }

    pub(super) fn encode(
        &self,
        value: &Document,
        had: Option<InputRecord<'_>>,
        mode: EncodeMode,
    ) -> Result<Vec<u8>, EncodeError> {
        self.check_domain(value)?;
        let wire = self.to_wire(value, had, mode)?;
        let wrong = stages::check(self, &wire);
        if !wrong.is_empty() {
            return Err(EncodeError::Invalid(wrong));
        }
        let mut out = Vec::new();
        let notation = notation(self.compiled().settings().numbers);
        write_canonical(wire.root(), notation, &mut out).map_err(|issue| unwritable(*issue))?;
        Ok(out)
    }

    /// The program's side: what codecs and rules say about the value itself.
    fn check_domain(&self, value: &Document) -> Result<(), EncodeError> {
        let mut copy = Document::copy_of(value.root());
        let nothing = BTreeSet::new();
        let (_, mut found) =
            convert(self.compiled(), self.codecs(), Way::Check, &nothing, &mut copy);
        let presence = crdkit_value::Collected::of(&copy, &crdkit_value::PresenceFilter::all());
        found.extend(self.rules().run(
            &FieldPath::root(),
            copy.root(),
            presence.map(),
            None,
            |_| false,
        ));
        invalid_if(found)
    }

    /// The value as the wire has it.
    fn to_wire(
        &self,
        value: &Document,
        had: Option<InputRecord<'_>>,
        mode: EncodeMode,
    ) -> Result<Document, EncodeError> {
        let settings = self.compiled().settings();
        let mut wire = Document::copy_of(value.root());
        let (mut presence, mut read) = (None, None);
        if let (EncodeMode::Preserve { .. }, Some(had)) = (mode, had) {
            (presence, read) = (Some(Cow::Borrowed(had.presence)), had.read.map(Cow::Borrowed));
        }
        if let Unknown::Passthrough { target } = &settings.unknown {
            let target = target.parse().unwrap_or_default();
            if let Some(read) = &mut read {
                scatter(self.compiled(), read.to_mut(), &target, None);
            }
            let presence = presence.as_mut().map(Cow::to_mut);
            invalid_if(scatter(self.compiled(), &mut wire, &target, presence))?;
        }
        if let EncodeMode::Preserve { strict } = mode {
            let presence = presence.as_deref().ok_or(EncodeError::PresenceRequired)?;
            wire = preserve::keep(
                self,
                &wire,
                InputRecord { presence, read: read.as_deref() },
                strict,
            );
        }
        let nothing = BTreeSet::new();
        let encode = |way, wire: &mut Document| {
            let (_, found) = convert(self.compiled(), self.codecs(), way, &nothing, wire);
            invalid_if(found)
        };
        encode(Way::Encode, &mut wire)?;
        let defaults = match mode {
            EncodeMode::Canonical => DefaultMode::Apply,
            EncodeMode::Preserve { .. } => DefaultMode::Ignore,
        };
        let unknown = match &settings.unknown {
            Unknown::Passthrough { .. } => &Unknown::Preserve,
            unknown => unknown,
        };
        let how = ProjectOptions { unknown, defaults, ..ProjectOptions::nothing() };
        invalid_if(project(self.compiled(), &mut wire, None, how).found)?;
        if mode == EncodeMode::Canonical {
            // Defaults are spelled as the schema's author spelled them.
            encode(Way::Decode, &mut wire)?;
            encode(Way::Encode, &mut wire)?;
        }
        // What was taken away is gone for good, and members are in the order they are linked in.
        Ok(Document::copy_of(wire.root()))
    }
}

fn invalid_if(found: Vec<(NodeId, Issue)>) -> Result<(), EncodeError> {
    let errors: Vec<Issue> = found
        .into_iter()
        .map(|(_, issue)| issue)
        .filter(|issue| issue.severity == Severity::Error)
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(EncodeError::Invalid(errors.into())) }
}

fn unwritable(issue: Issue) -> EncodeError {
    if issue.code == codes::domain::NOT_FINITE {
        EncodeError::NonFiniteNumber(issue.path)
    } else {
        EncodeError::Invalid(issue.into())
    }
}

/// How numbers of a mode are written.
pub(super) fn notation(numbers: Numbers) -> NumberNotation {
    match numbers {
        Numbers::Float64 { lossy } => NumberNotation::Float64 { lossy },
        Numbers::Decimal { keep_scale } => NumberNotation::Decimal { keep_scale },
        Numbers::BigInt => NumberNotation::BigInt,
        _ => NumberNotation::Exact,
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PresenceRequired => {
                f.write_str("preserving output needs to know what the input had")
            }
            Self::Invalid(issues) => write!(f, "the value cannot be written: {issues}"),
            Self::NonFiniteNumber(path) => {
                write!(f, "there is no JSON for the number at `{}`", path.pointer())
            }
            Self::Serialize(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for EncodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.issues().map(|issues| issues as &(dyn std::error::Error + 'static))
    }
}
