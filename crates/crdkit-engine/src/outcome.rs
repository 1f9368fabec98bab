//! What became of a request.

use crate::crd::VersionKey;
use crate::findings::Findings;
use crate::stored::Stored;
use crdkit_codec::Decoded;
use crdkit_issue::{FieldPath, Issue, Severity, codes};
use crdkit_schema::spans;
use crdkit_schema::status::{self, Status, StrictSubject, Subject};
use crdkit_text::kind::GroupVersion;
use crdkit_value::{Document, NodeId, Value};

/// The outcome of a request.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    pub(crate) document: Document,
    /// The object as it is written, where that is not what is read back.
    pub(crate) written: Written,
    /// Errors, for which the object is refused, and warnings, in the order they were found.
    pub issues: Vec<Issue>,
    /// What the stages removed and added.
    pub changes: Changes,
    /// What each of the issues is about.
    pub(crate) about: Vec<NodeId>,
    pub(crate) refused: Option<Refused>,
    pub(crate) read_by: VersionKey,
}

/// What became of parts of an object. Ids name values of the outcome's document, where those that were
/// removed still have their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Members that were removed because the schema does not name them.
    pub pruned: Vec<NodeId>,
    /// Nulls that were removed because the schema does not allow them.
    pub dropped: Vec<NodeId>,
    /// Values that were added because the schema has a default.
    pub defaulted: Vec<NodeId>,
}

/// How an object was refused, and what the server calls it then.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    why: Refusal,
    kind: Box<str>,
    plural: Box<str>,
}

impl Refused {
    pub(crate) fn new(why: Refusal, kind: &str, plural: &str) -> Self {
        Self { why, kind: kind.into(), plural: plural.into() }
    }
}

/// All that an outcome is made of, for engines of other kinds of objects.
pub struct OutcomeParts {
    /// The object, as far as the stages got.
    pub document: Document,
    /// What was found.
    pub findings: Findings,
    /// What the stages removed and added.
    pub changes: Changes,
    /// Why the object is refused, if it is.
    pub refusal: Option<Refusal>,
    /// The kind that the request is for.
    pub kind: Box<str>,
    /// The name of its resource.
    pub plural: Box<str>,
    /// What read the object.
    pub read_by: VersionKey,
}

impl From<OutcomeParts> for Outcome {
    fn from(parts: OutcomeParts) -> Self {
        let OutcomeParts { document, findings, changes, refusal, kind, plural, read_by } = parts;
        let (about, issues) = findings.entries.into_iter().unzip();
        let refused = refusal.map(|why| Refused::new(why, &kind, &plural));
        Self { document, written: Written::Alike, issues, changes, about, refused, read_by }
    }
}

/// Why an object was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It could not be read as any kind of object; the beginning of the body.
    Unrecognized(String),
    /// It could not be read as an object of its kind.
    Undecodable,
    /// It is not an object the request can be about.
    BadRequest,
    /// It breaks rules.
    Invalid,
    /// It breaks rules, and the server names the resource instead of the kind.
    InvalidResource,
    /// It is not about the object as it is now.
    Conflict,
}

/// An object as it is written, beside what is read back.
#[derive(Clone, Debug, Default)]
pub(crate) enum Written {
    /// The same.
    #[default]
    Alike,
    /// Without the defaults that were filled in after so many.
    Before(usize),
    /// Something else.
    Document(Box<Document>),
}

impl Written {
    /// The object, if it is not the same as `read_back`, into which `defaulted` was filled.
    fn document(self, read_back: &Document, defaulted: &[NodeId]) -> Option<Document> {
        match self {
            Self::Alike => None,
            Self::Before(n) => {
                let mut document = read_back.clone();
                defaulted.iter().skip(n).for_each(|id| document.remove(*id));
                Some(document)
            }
            Self::Document(document) => Some(*document),
        }
    }
}

impl Outcome {
    /// Whether the object would be stored.
    pub fn is_accepted(&self) -> bool {
        self.refused.is_none()
    }

    /// The object as it would be stored; as far as the stages got if it was refused.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The object as it would be stored; as far as the stages got if it was refused.
    pub fn into_document(self) -> Document {
        self.document
    }

    /// The object as it would be read back, and as it would be written where that is something else: without
    /// defaults that are filled in when it is read, and with what apply has left in it.
    pub fn into_written(self) -> (Document, Option<Document>) {
        let written = self.written.document(&self.document, &self.changes.defaulted);
        (self.document, written)
    }

    /// The object as it would be stored.
    ///
    /// # Errors
    /// The server's answer, if the object is refused.
    pub fn into_result(self) -> Result<Document, Box<Status>> {
        match self.status() {
            Some(status) => Err(Box::new(status)),
            None => Ok(self.document),
        }
    }

    /// The object as one that can be replaced, if it was accepted.
    pub fn into_stored(self) -> Option<Stored> {
        self.is_accepted().then(|| Stored::new(self.document, self.read_by))
    }

    /// Gives the issues their places, which `decoded`, the input of the request decoded once more with
    /// positions, knows. So positions cost nothing where there is nothing to show. Issues must not have
    /// been removed or added before.
    pub fn locate(&mut self, decoded: &Decoded) {
        let issues = std::mem::take(&mut self.issues);
        let mut found: Vec<_> = self.about.iter().copied().zip(issues).collect();
        spans::fill(&mut found, &self.document, Some(decoded), &self.changes.dropped);
        self.issues = found.into_iter().map(|(_, issue)| issue).collect();
    }

    /// Adds an issue that somebody else found, about the value that is nearest to `path`. It does not refuse the object.
    pub fn add(&mut self, path: FieldPath, issue: Issue) {
        self.about.push(self.document.root().nearest(&path).id());
        self.issues.push(issue.at(path));
    }

    /// Findings that do not refuse the object.
    pub fn warnings(&self) -> impl Iterator<Item = &Issue> {
        self.issues.iter().filter(|issue| issue.severity == Severity::Warning)
    }

    /// Warnings in the server's words.
    pub fn warning_texts(&self) -> impl Iterator<Item = String> {
        self.warnings().map(warning_text)
    }

    /// Why the object could not be read as one of its kind, if that is why it was refused.
    pub fn undecodable(&self) -> Option<String> {
        let errors = self.issues.iter().filter(|issue| issue.severity == Severity::Error);
        let why = &self.refused.as_ref()?.why;
        matches!(why, Refusal::Undecodable).then(|| undecodable(errors))
    }

    /// The server's answer, if the object is refused.
    pub fn status(&self) -> Option<Status> {
        let Refused { why, kind: expected, plural } = self.refused.as_ref()?;
        let root = self.document.root();
        let api_version = text(root.get("apiVersion"));
        let GroupVersion { group, version } = GroupVersion::parse(api_version).unwrap_or_default();
        let name = text(root.get("metadata").and_then(|metadata| metadata.get("name")));
        let kind = match why {
            Refusal::InvalidResource | Refusal::Conflict => plural,
            _ => text(root.get("kind")),
        };
        let subject = Subject { group, version, kind, name };
        let errors = self.issues.iter().filter(|issue| issue.severity == Severity::Error);
        let first = || errors.clone().next().map(Issue::server_message).unwrap_or_default();
        Some(match why {
            Refusal::Invalid | Refusal::InvalidResource => subject.invalid(errors),
            Refusal::Undecodable => subject.undecodable(expected, &undecodable(errors)),
            Refusal::BadRequest => Status::bad_request(first()),
            Refusal::Unrecognized(summary) => {
                let problem = first();
                Status::bad_request(format!(
                    "the object provided is unrecognized (must be of type {expected}): {problem} ({summary})"
                ))
            }
            Refusal::Conflict => subject.conflict(&first()),
        })
    }
}

fn text(value: Option<Value<'_>>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

/// All fields that strict validation refuses, or the one reason there is.
fn undecodable<'i>(mut errors: impl Iterator<Item = &'i Issue> + Clone) -> String {
    // What a YAML reader finds is one error, whatever it finds.
    let in_lines: Vec<String> = errors
        .clone()
        .filter(|issue| issue.arg("line").is_some())
        .filter_map(strict_text)
        .collect();
    let lines = (!in_lines.is_empty())
        .then(|| format!("yaml: unmarshal errors:\n  {}", in_lines.join("\n  ")));
    let rest = errors.clone().filter(|issue| issue.arg("line").is_none()).filter_map(strict_text);
    let texts: Vec<String> = lines.into_iter().chain(rest).collect();
    match errors.next() {
        Some(issue) if texts.is_empty() => issue.server_message(),
        _ => format!("strict decoding error: {}", texts.join(", ")),
    }
}

fn strict_text(issue: &Issue) -> Option<String> {
    status::strict_text_about(StrictSubject::Object, issue)
}

/// A warning in the server's words.
pub(crate) fn warning_text(issue: &Issue) -> String {
    let plain =
        [codes::object::DEPRECATED, codes::object::FINALIZER_NAME, codes::object::REPEATED_OWNER];
    if plain.contains(&issue.code) {
        return issue.server_message();
    }
    strict_text(issue).unwrap_or_else(|| status::line(issue))
}
