//! What the API server answers instead of an object: the `Status` object, and findings in its words.
//!
//! One type for every answer; `answer` has a constructor for each. A finding becomes a cause: its reason, its
//! field, and a message made of the error type, the offending value and the detail; the message of the whole
//! joins them.
//!
//! Upstream: `apimachinery/pkg/util/validation/field/errors.go`, `apimachinery/pkg/api/errors/errors.go`.

mod answer;

use crate::decode::strict_path;
use crdkit_issue::{Arg, ErrorType, Issue, Segment, codes};
use crdkit_text::quote::quote;
use crdkit_value::{Document, Event};
use std::borrow::Cow;
use std::fmt::{self, Write as _};

pub use answer::Subject;

/// What the server answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The HTTP status code.
    pub code: u16,
    /// `reason`; empty where the server gives none.
    pub reason: Cow<'static, str>,
    /// `message`.
    pub message: String,
    /// `details`.
    pub details: Option<Details>,
    /// `metadata.continue`: how to go on with a list whose version has expired.
    pub continue_token: String,
}

/// `details`; what is empty or zero is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// `name` of the object.
    pub name: String,
    /// `group` of the kind or resource.
    pub group: String,
    /// `kind`: the kind where an object was looked at, and the name of the resource where it was not.
    pub kind: String,
    /// `uid` of the object.
    pub uid: String,
    /// `causes`.
    pub causes: Vec<Cause>,
    /// `retryAfterSeconds`, which is a header as well.
    pub retry_after_seconds: u32,
}

/// One of `details.causes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// `reason`.
    pub reason: Cow<'static, str>,
    /// `field`.
    pub field: String,
    /// `message`.
    pub message: String,
}

impl Status {
    /// `details.causes`.
    pub fn causes(&self) -> &[Cause] {
        self.details.as_ref().map_or(&[], |details| &details.causes)
    }

    /// Whether a request failed.
    pub fn is_failure(&self) -> bool {
        self.code >= 400
    }

    /// The object as it is sent.
    pub fn document(&self) -> Document {
        let mut events = vec![Event::BeginObject];
        put(&mut events, "kind", "Status");
        put(&mut events, "apiVersion", "v1");
        events.extend([Event::Key("metadata"), Event::BeginObject]);
        put(&mut events, "continue", &self.continue_token);
        events.push(Event::EndObject);
        put(&mut events, "status", if self.is_failure() { "Failure" } else { "Success" });
        put(&mut events, "message", &self.message);
        put(&mut events, "reason", &self.reason);
        if let Some(details) = &self.details {
            events.extend([Event::Key("details"), Event::BeginObject]);
            put(&mut events, "name", &details.name);
            put(&mut events, "group", &details.group);
            put(&mut events, "kind", &details.kind);
            put(&mut events, "uid", &details.uid);
            if !details.causes.is_empty() {
                events.extend([Event::Key("causes"), Event::BeginArray]);
                for cause in &details.causes {
                    events.push(Event::BeginObject);
                    put(&mut events, "reason", &cause.reason);
                    put(&mut events, "message", &cause.message);
                    put(&mut events, "field", &cause.field);
                    events.push(Event::EndObject);
                }
                events.push(Event::EndArray);
            }
            if details.retry_after_seconds > 0 {
                let seconds = Event::Int(details.retry_after_seconds.into());
                events.extend([Event::Key("retryAfterSeconds"), seconds]);
            }
            events.push(Event::EndObject);
        }
        if self.is_failure() {
            events.extend([Event::Key("code"), Event::Int(self.code.into())]);
        }
        events.push(Event::EndObject);
        Document::of_events(events)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Status {}

/// Adds a member unless it is empty.
fn put<'e>(events: &mut Vec<Event<'e>>, key: &'e str, text: &'e str) {
    if !text.is_empty() {
        events.extend([Event::Key(key), Event::String(text)]);
    }
}

/// One finding as a cause.
pub fn cause(issue: &Issue) -> Cause {
    let reason = issue.code.info().error_type.reason();
    Cause { reason: reason.into(), field: field(issue), message: body(issue) }
}

/// One finding as a line: field and message.
pub fn line(issue: &Issue) -> String {
    format!("{}: {}", field(issue), body(issue))
}

/// What strict decoding is about: the server shows unknown fields of CRDs as Go quotes text, and those of objects as
/// they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrictSubject {
    /// A CRD.
    Crd,
    /// An object of a kind that a CRD defines.
    Object,
}

/// A finding that only strict decoding of a CRD makes, in the words of that.
pub fn strict_text(issue: &Issue) -> Option<String> {
    strict_text_about(StrictSubject::Crd, issue)
}

/// A finding that only strict decoding makes, in the words of that.
pub fn strict_text_about(subject: StrictSubject, issue: &Issue) -> Option<String> {
    let path = strict_path(&issue.path);
    if issue.code == codes::crd::UNKNOWN_FIELD {
        return Some(match subject {
            StrictSubject::Crd => format!("unknown field {}", quote(&path)),
            StrictSubject::Object => format!("unknown field \"{path}\""),
        });
    }
    let repeated = issue.code == codes::decode::DUPLICATE_KEY;
    if let Some(line) = issue.arg("line").filter(|_| repeated) {
        let key = issue.path.segments().last().map(Segment::text).unwrap_or_default();
        return Some(format!("line {line}: key {} already set in map", quote(&key)));
    }
    repeated.then(|| format!("duplicate field {}", quote(&path)))
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
