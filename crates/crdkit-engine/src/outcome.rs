//! What became of a request.

use crate::crd::Version;
use crdkit_issue::{Issue, Severity, codes};
use crdkit_schema::decode::strict_path;
use crdkit_schema::status::{self, Status, Subject};
use crdkit_text::kind::GroupVersion;
use crdkit_text::quote::quote;
use crdkit_value::{Document, NodeId, Value};

/// The outcome of a request.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome<'c> {
    /// The object as it would be stored; as far as the stages got if it was refused.
    pub document: Document,
    /// Errors, for which the object is refused, and warnings, in the order they were found.
    pub issues: Vec<Issue>,
    /// What the stages removed and added.
    pub changes: Changes,
    pub(crate) version: Version<'c>,
    pub(crate) refusal: Option<Refusal>,
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

/// How an object was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
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

impl Outcome<'_> {
    /// Whether the object would be stored.
    pub fn is_accepted(&self) -> bool {
        self.refusal.is_none()
    }

    /// Findings that do not refuse the object.
    pub fn warnings(&self) -> impl Iterator<Item = &Issue> {
        self.issues.iter().filter(|issue| issue.severity == Severity::Warning)
    }

    /// Warnings in the server's words.
    pub fn warning_texts(&self) -> impl Iterator<Item = String> {
        self.warnings().map(warning_text)
    }

    /// The server's answer, if the object is refused.
    pub fn status(&self) -> Option<Status> {
        let refusal = self.refusal.as_ref()?;
        let root = self.document.root();
        let api_version = text(root.get("apiVersion"));
        let GroupVersion { group, version } = GroupVersion::parse(api_version).unwrap_or_default();
        let name = text(root.get("metadata").and_then(|metadata| metadata.get("name")));
        let kind = match refusal {
            Refusal::InvalidResource | Refusal::Conflict => self.version.crd.plural(),
            _ => text(root.get("kind")),
        };
        let subject = Subject { group, version, kind, name };
        let errors = self.issues.iter().filter(|issue| issue.severity == Severity::Error);
        let first = || errors.clone().next().map(Issue::server_message).unwrap_or_default();
        Some(match refusal {
            Refusal::Invalid | Refusal::InvalidResource => subject.invalid(errors),
            Refusal::Undecodable => {
                subject.undecodable(self.version.crd.kind(), &undecodable(errors))
            }
            Refusal::BadRequest => Status::bad_request(first()),
            Refusal::Unrecognized(summary) => {
                let kind = self.version.crd.kind();
                let problem = first();
                Status::bad_request(format!(
                    "the object provided is unrecognized (must be of type {kind}): {problem} ({summary})"
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
fn undecodable<'i>(errors: impl Iterator<Item = &'i Issue>) -> String {
    let mut texts = Vec::new();
    for issue in errors {
        match strict_text(issue) {
            Some(text) => texts.push(text),
            None => return issue.server_message(),
        }
    }
    format!("strict decoding error: {}", texts.join(", "))
}

fn strict_text(issue: &Issue) -> Option<String> {
    let path = || strict_path(&issue.path);
    if issue.code == codes::crd::UNKNOWN_FIELD {
        // Not quoted as Go quotes: the path stands there as it is.
        return Some(format!("unknown field \"{}\"", path()));
    }
    let repeated = issue.code == codes::decode::DUPLICATE_KEY;
    repeated.then(|| format!("duplicate field {}", quote(&path())))
}

fn warning_text(issue: &Issue) -> String {
    let plain =
        [codes::object::DEPRECATED, codes::object::FINALIZER_NAME, codes::object::REPEATED_OWNER];
    if plain.contains(&issue.code) {
        return issue.server_message();
    }
    strict_text(issue).unwrap_or_else(|| status::line(issue))
}
