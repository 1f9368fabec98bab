//! A constructor for each answer: codes, reasons, messages and details as the server gives them.
//!
//! Answers about an object or a resource are made by its [`Subject`], the others by [`Status`] itself.

use super::{Cause, Details, Status, cause, join, strict_text};
use crdkit_issue::{Issue, codes};
use crdkit_text::quote::quote;
use std::fmt;

/// What a status is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Its API group; empty for the core group.
    pub group: &'a str,
    /// The version it was sent in.
    pub version: &'a str,
    /// Its kind; the name of its resource in answers that do not depend on what the object holds.
    pub kind: &'a str,
    /// Its name; empty if there is none.
    pub name: &'a str,
}

impl Subject<'_> {
    /// The answer to an object that was understood and refused.
    pub fn invalid<'i>(&self, issues: impl IntoIterator<Item = &'i Issue>) -> Status {
        let causes: Vec<Cause> = issues.into_iter().map(cause).collect();
        let message = format!("{} is invalid: {}", self.named(), join(&causes));
        Status::new(422, "Invalid", message).details(Details { causes, ..self.details() })
    }

    /// The answer to an object that could not be decoded: one that is something else, or a value of a
    /// wrong type, is the whole reason, and without that all strict findings are.
    pub fn bad_request(&self, issues: &[Issue]) -> Status {
        let refused = [codes::crd::UNRECOGNIZED_OBJECT, codes::crd::API_VERSION_MISMATCH];
        if let Some(issue) = issues.iter().find(|issue| refused.contains(&issue.code)) {
            return Status::bad_request(issue.server_message());
        }
        let is_other = |issue: &&Issue| strict_text(issue).is_none();
        let problem = if let Some(issue) = issues.iter().find(is_other) {
            issue.server_message()
        } else {
            let texts: Vec<String> = issues.iter().filter_map(strict_text).collect();
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

    /// There is no such object.
    pub fn not_found(&self) -> Status {
        Status::new(404, "NotFound", format!("{} not found", self.named())).details(self.details())
    }

    /// There is such an object already.
    pub fn already_exists(&self) -> Status {
        let message = format!("{} already exists", self.named());
        Status::new(409, "AlreadyExists", message).details(self.details())
    }

    /// Every name that was generated is taken.
    pub fn no_name_generated(&self) -> Status {
        let mut status = self.already_exists().retry_after(1);
        status.message += ", the server was not able to generate a unique name for the object";
        status
    }

    /// The request is not about the object as it is now.
    pub fn conflict(&self, problem: &str) -> Status {
        let message = format!("Operation cannot be fulfilled on {}: {problem}", self.named());
        Status::new(409, "Conflict", message).details(self.details())
    }

    /// The request is not allowed; without a kind it is not about a resource.
    pub fn forbidden(&self, why: &str) -> Status {
        let message = match (self.kind, self.name) {
            ("", _) => format!("forbidden: {why}"),
            (_, "") => format!("{} is forbidden: {why}", self.qualified()),
            _ => format!("{} is forbidden: {why}", self.named()),
        };
        Status::new(403, "Forbidden", message).details(self.details())
    }

    /// The resource does not have this verb.
    pub fn method_not_allowed(&self, verb: &str) -> Status {
        let kind = quote(&self.qualified());
        let message = format!("{verb} is not supported on resources of kind {kind}");
        let details = Details { name: String::new(), ..self.details() };
        Status::new(405, "MethodNotAllowed", message).details(details)
    }

    /// The server could not do this in time, and does not know whether it was done.
    pub fn server_timeout(&self, operation: &str, seconds: u32) -> Status {
        let message = format!(
            "The {operation} operation against {} could not be completed at this time, please try again.",
            self.qualified()
        );
        let details = Details { name: String::new(), ..self.details() };
        Status::new(500, "ServerTimeout", message).details(details).retry_after(seconds)
    }

    /// The object was deleted.
    pub fn deleted(&self, uid: &str) -> Status {
        Status::new(200, "", String::new()).details(Details { uid: uid.into(), ..self.details() })
    }

    /// `widgets.example.com`.
    fn qualified(&self) -> String {
        match self.group {
            "" => self.kind.to_owned(),
            group => format!("{}.{group}", self.kind),
        }
    }

    /// `widgets.example.com "name"`.
    fn named(&self) -> String {
        format!("{} {}", self.qualified(), quote(self.name))
    }

    fn details(&self) -> Details {
        let (name, group, kind) = (self.name.into(), self.group.into(), self.kind.into());
        Details { name, group, kind, ..Details::default() }
    }
}

impl Status {
    fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, reason, message, details: None, continue_token: String::new() }
    }

    fn details(self, details: Details) -> Self {
        Self { details: Some(details), ..self }
    }

    /// The same answer with one more cause.
    #[must_use]
    pub fn cause(mut self, cause: Cause) -> Self {
        self.details.get_or_insert_default().causes.push(cause);
        self
    }

    /// The same answer to a client that should ask again after so many seconds.
    #[must_use]
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.details.get_or_insert_default().retry_after_seconds = seconds;
        self
    }

    /// The request makes no sense.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// Nobody knows who asks.
    pub fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized")
    }

    /// There is nothing at this path.
    pub fn no_such_path() -> Self {
        let message = "the server could not find the requested resource";
        Self::new(404, "NotFound", message).details(Details::default())
    }

    /// What is at this path does not have this method.
    pub fn no_such_method() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::new(405, "MethodNotAllowed", message).details(Details::default())
    }

    /// None of the media types that the client accepts can be written.
    pub fn not_acceptable(message: impl Into<String>) -> Self {
        Self::new(406, "NotAcceptable", message)
    }

    /// An apply would take fields from other managers; each is a cause.
    pub fn apply_conflict(message: impl Into<String>, causes: Vec<Cause>) -> Self {
        let details = Details { causes, ..Details::default() };
        Self::new(409, "Conflict", message).details(details)
    }

    /// The version that was asked for is no longer kept; `continue_token` goes on with a newer one.
    pub fn expired(message: impl Into<String>, continue_token: impl Into<String>) -> Self {
        let continue_token = continue_token.into();
        Self { continue_token, ..Self::new(410, "Expired", message) }
    }

    /// The body is longer than the limit.
    pub fn body_too_large(limit: usize) -> Self {
        Self::too_large(format!("limit is {limit}"))
    }

    /// The body holds too much of something.
    pub fn too_large(problem: impl fmt::Display) -> Self {
        Self::new(413, "RequestEntityTooLarge", format!("Request entity too large: {problem}"))
    }

    /// The media type of the body cannot be read.
    pub fn unsupported_media_type(message: impl Into<String>) -> Self {
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// The request is understood and cannot be carried out; nothing more is said.
    pub fn rejected() -> Self {
        let message = "the server rejected our request due to an error in our request";
        Self::new(422, "Invalid", message).details(Details::default())
    }

    /// The client asks too often.
    pub fn too_many_requests(message: impl Into<String>, seconds: u32) -> Self {
        Self::new(429, "TooManyRequests", message).retry_after(seconds)
    }

    /// Something that should work does not.
    pub fn internal_error(problem: impl Into<String>) -> Self {
        let problem = problem.into();
        let message = format!("Internal error occurred: {problem}");
        let cause = Cause { reason: "", field: String::new(), message: problem };
        Self::new(500, "InternalError", message).cause(cause)
    }

    /// An error that the server does not classify.
    pub fn unclassified(message: impl Into<String>) -> Self {
        Self::new(500, "", message)
    }

    /// The server is not ready.
    pub fn service_unavailable(message: impl Into<String>) -> Self {
        Self::new(503, "ServiceUnavailable", message)
    }

    /// The request took too long.
    pub fn timeout(problem: &str, seconds: u32) -> Self {
        Self::new(504, "Timeout", format!("Timeout: {problem}")).retry_after(seconds)
    }

    /// The version that was asked for does not exist yet.
    pub fn version_too_large(version: u64, current: u64) -> Self {
        let problem = "Too large resource version";
        let cause = Cause {
            reason: "ResourceVersionTooLarge",
            field: String::new(),
            message: problem.into(),
        };
        Self::timeout(&format!("{problem}: {version}, current: {current}"), 1).cause(cause)
    }
}
