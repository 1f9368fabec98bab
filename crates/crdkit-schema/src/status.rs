//! Findings in the API server's words: the `Status` object of a refused request.
//!
//! One renderer for every kind of object. A finding becomes a cause: its reason, its field, and a
//! message made of the error type, the offending value and the detail; the message of the whole
//! joins them.
//!
//! Upstream: `apimachinery/pkg/util/validation/field/errors.go`, `apimachinery/pkg/api/errors/errors.go`.

use crdkit_issue::{Arg, ErrorType, Issue, codes};
use crdkit_text::quote::quote;
use std::fmt::Write as _;

/// What the server answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The HTTP status code.
    pub code: u16,
    /// `reason`.
    pub reason: &'static str,
    /// `message`.
    pub message: String,
    /// `details.causes`.
    pub causes: Vec<Cause>,
}

/// One of `details.causes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// `reason`.
    pub reason: &'static str,
    /// `field`.
    pub field: String,
    /// `message`.
    pub message: String,
}

/// The object a status is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Its API group.
    pub group: &'a str,
    /// The version it was sent in.
    pub version: &'a str,
    /// Its kind.
    pub kind: &'a str,
    /// Its name.
    pub name: &'a str,
}

impl Subject<'_> {
    /// The answer to an object that was understood and refused.
    pub fn invalid<'i>(&self, issues: impl IntoIterator<Item = &'i Issue>) -> Status {
        let causes: Vec<Cause> = issues.into_iter().map(cause).collect();
        let kind = match self.group {
            "" => self.kind.to_owned(),
            group => format!("{}.{group}", self.kind),
        };
        let message = format!("{kind} {} is invalid: {}", quote(self.name), join(&causes));
        Status { code: 422, reason: "Invalid", message, causes }
    }

    /// The answer to an object that could not be decoded: one that is something else, or a value of a
    /// wrong type, is the whole reason, and without that all strict findings are.
    pub fn bad_request(&self, issues: &[Issue]) -> Status {
        let refused = [codes::crd::UNRECOGNIZED_OBJECT, codes::crd::API_VERSION_MISMATCH];
        if let Some(issue) = issues.iter().find(|issue| refused.contains(&issue.code)) {
            return Status::bad_request(issue.server_message());
        }
        let strict = |issue: &&Issue| {
            issue.code == codes::crd::UNKNOWN_FIELD || issue.code == codes::decode::DUPLICATE_KEY
        };
        let problem = if let Some(issue) = issues.iter().find(|issue| !strict(issue)) {
            issue.server_message()
        } else {
            let texts: Vec<String> = issues.iter().map(strict_text).collect();
            format!("strict decoding error: {}", texts.join(", "))
        };
        self.undecodable(self.kind, &problem)
    }

    /// The answer to an object that could not be decoded as one of kind `expected`, and why.
    pub fn undecodable(&self, expected: &str, problem: &str) -> Status {
        let Self { kind, version, .. } = self;
        let version = quote(version);
        Status::bad_request(format!(
            "{kind} in version {version} cannot be handled as a {expected}: {problem}"
        ))
    }

    /// The answer to a request that is not about the object as it is now; the kind is the resource's
    /// name.
    pub fn conflict(&self, problem: &str) -> Status {
        let Self { group, kind, name, .. } = self;
        let message =
            format!("Operation cannot be fulfilled on {kind}.{group} \"{name}\": {problem}");
        Status { code: 409, reason: "Conflict", message, causes: Vec::new() }
    }
}

impl Status {
    /// The answer to a request that makes no sense.
    pub fn bad_request(message: String) -> Self {
        Self { code: 400, reason: "BadRequest", message, causes: Vec::new() }
    }
}

/// One finding as a cause.
pub fn cause(issue: &Issue) -> Cause {
    let reason = issue.code.info().error_type.reason();
    Cause { reason, field: field(issue), message: body(issue) }
}

/// One finding as a line: field and message.
pub fn line(issue: &Issue) -> String {
    format!("{}: {}", field(issue), body(issue))
}

fn strict_text(issue: &Issue) -> String {
    let path = quote(&crate::decode::strict_path(&issue.path));
    if issue.code == codes::decode::DUPLICATE_KEY {
        format!("duplicate field {path}")
    } else {
        format!("unknown field {path}")
    }
}

/// Where the server says a finding is: the argument `@field` where that is not its path. The document
/// itself has no field; the server shows an absent path so.
fn field(issue: &Issue) -> String {
    match issue.arg("@field") {
        Some(field) => field.to_string(),
        None if issue.path.is_root() => "<nil>".into(),
        None => issue.path.to_string(),
    }
}

fn body(issue: &Issue) -> String {
    let error_type = issue.code.info().error_type;
    let mut out = error_type.title().to_owned();
    let shows_value = !matches!(
        error_type,
        ErrorType::Required | ErrorType::Forbidden | ErrorType::TooLong | ErrorType::Internal
    );
    if shows_value {
        match &issue.value {
            Some(Arg::Text(text)) => {
                let _ = write!(out, ": {}", quote(text));
            }
            Some(value) => {
                let _ = write!(out, ": {value}");
            }
            None => {}
        }
    }
    let detail = issue.server_message();
    if !detail.is_empty() {
        let _ = write!(out, ": {detail}");
    }
    out
}

/// All findings in one text.
pub fn aggregate<'i>(issues: impl IntoIterator<Item = &'i Issue>) -> String {
    let causes: Vec<Cause> = issues.into_iter().map(cause).collect();
    join(&causes)
}

/// One text stands alone, several in brackets; the same text is said once.
fn join(causes: &[Cause]) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for cause in causes {
        let text = format!("{}: {}", cause.field, cause.message);
        if seen.insert(text.clone()) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [one] => one.clone(),
        _ => format!("[{}]", texts.join(", ")),
    }
}
