//! Options of requests, from the query or a body, and what is wrong with them.

use crate::query::{Query, parse_uint};
use crate::request::Request;
use crate::select::{FieldSelector, LabelSelector, Selection};
use crdkit_codec::go_json;
use crdkit_engine::FieldValidation;
use crdkit_schema::status::{Cause, Status, Subject};
use crdkit_text::quote::quote;

/// Options of writes.
#[derive(Clone, Debug)]
pub(crate) struct WriteOptions {
    pub(crate) dry_run: bool,
    /// Who will own what is written: as given, or the beginning of the user agent.
    pub(crate) manager: String,
    pub(crate) validation: FieldValidation,
    pub(crate) force: bool,
}

/// What a write is called in answers about its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteKind {
    Create,
    Update,
    Patch,
    Apply,
}

const MAX_MANAGER: usize = 128;

/// One thing that is wrong with an option.
pub(crate) fn cause(reason: &'static str, field: &str, message: impl Into<String>) -> Cause {
    Cause { reason: reason.into(), field: field.to_owned(), message: message.into() }
}

/// The answer to options that are wrong.
pub(crate) fn refuse(kind: &str, causes: Vec<Cause>) -> Result<(), Box<Status>> {
    if causes.is_empty() {
        return Ok(());
    }
    let subject = Subject { group: "meta.k8s.io", version: "v1", kind, name: "" };
    Err(subject.refused(causes).into())
}

impl WriteOptions {
    /// # Errors
    /// The answer, when options are wrong.
    pub(crate) fn of(request: &Request, kind: WriteKind) -> Result<Self, Box<Status>> {
        let query = &request.query;
        let mut causes = Vec::new();
        match kind {
            WriteKind::Patch if query.get("force").is_some() => {
                let text = "Forbidden: may not be specified for non-apply patch";
                causes.push(cause("FieldValueForbidden", "force", text));
            }
            WriteKind::Apply if query.text("fieldManager").is_empty() => {
                let text = "Required value: is required for apply patch";
                causes.push(cause("FieldValueRequired", "fieldManager", text));
            }
            _ => {}
        }
        let manager = query.text("fieldManager");
        if manager.len() > MAX_MANAGER {
            let text = format!("Too long: may not be more than {MAX_MANAGER} bytes");
            causes.push(cause("FieldValueTooLong", "fieldManager", text));
        }
        let wrong = manager.char_indices().filter(|(_, c)| !is_printable(*c));
        causes.extend(wrong.map(|(at, c)| {
            let (quoted, code) = (quote(manager), u32::from(c));
            let text = format!(
                "Invalid value: {quoted}: invalid character U+{code:04X} (at position {at})"
            );
            cause("FieldValueInvalid", "fieldManager", text)
        }));
        causes.extend(dry_run_cause(query));
        let validation = match query.text("fieldValidation") {
            "Ignore" => FieldValidation::Ignore,
            "Strict" => FieldValidation::Strict,
            "" | "Warn" => FieldValidation::Warn,
            other => {
                let text = format!(
                    "Unsupported value: {}: supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"",
                    quote(other)
                );
                causes.push(cause("FieldValueNotSupported", "fieldValidation", text));
                FieldValidation::Warn
            }
        };
        let name = match kind {
            WriteKind::Create => "CreateOptions",
            WriteKind::Update => "UpdateOptions",
            WriteKind::Patch | WriteKind::Apply => "PatchOptions",
        };
        refuse(name, causes)?;
        let manager = match manager {
            "" => manager_of_agent(request.header("user-agent")),
            given => given.to_owned(),
        };
        let (dry_run, force) = (query.get("dryRun").is_some(), query.flag("force"));
        Ok(Self { dry_run, manager, validation, force })
    }
}

/// What is wrong with `dryRun`, which can only be everything.
fn dry_run_cause(query: &Query) -> Option<Cause> {
    let given: Vec<&str> = query.all("dryRun").collect();
    if given.iter().all(|value| *value == "All") {
        return None;
    }
    let shown = go_json::strings(given);
    let text = format!("Unsupported value: {shown}: supported values: \"All\"");
    Some(cause("FieldValueNotSupported", "dryRun", text))
}

fn is_printable(c: char) -> bool {
    !c.is_control() && (c == ' ' || !c.is_whitespace())
}

/// What a user agent calls itself, as the name of a field manager.
fn manager_of_agent(agent: &str) -> String {
    let name = agent.split('/').next().unwrap_or_default();
    let mut manager = String::new();
    for c in name.chars().filter(|c| is_printable(*c)) {
        if manager.len() + c.len_utf8() > MAX_MANAGER {
            break;
        }
        manager.push(c);
    }
    if manager.is_empty() { "unknown".to_owned() } else { manager }
}

/// Options of lists, watches and deletions of collections.
#[derive(Clone, Debug)]
pub(crate) struct ListOptions {
    pub(crate) selection: Selection,
    pub(crate) watch: bool,
    pub(crate) bookmarks: bool,
    pub(crate) initial_events: Option<bool>,
    /// As given: empty is not the same as 0.
    pub(crate) version: String,
    pub(crate) version_match: String,
    pub(crate) timeout_seconds: Option<i64>,
    pub(crate) limit: usize,
    pub(crate) continue_token: String,
}

impl ListOptions {
    /// # Errors
    /// The answer, when they cannot be read.
    pub(crate) fn parse(query: &Query) -> Result<Self, Box<Status>> {
        let bad = |text: String| Box::new(Status::bad_request(text));
        let labels = LabelSelector::parse(query.text("labelSelector")).map_err(bad)?;
        let fields = FieldSelector::parse(query.text("fieldSelector")).map_err(bad)?;
        let fields = fields.with_alias("source", "source.component");
        let limit = query.integer("limit")?.unwrap_or_default();
        Ok(Self {
            selection: Selection { labels, fields },
            watch: query.flag("watch"),
            bookmarks: query.flag("allowWatchBookmarks"),
            initial_events: query.switch("sendInitialEvents"),
            version: query.text("resourceVersion").to_owned(),
            version_match: query.text("resourceVersionMatch").to_owned(),
            timeout_seconds: query.integer("timeoutSeconds")?,
            limit: usize::try_from(limit).unwrap_or_default(),
            continue_token: query.text("continue").to_owned(),
        })
    }

    /// # Errors
    /// The answer, when they do not fit together.
    pub(crate) fn check(&self) -> Result<(), Box<Status>> {
        const MATCH: &str = "resourceVersionMatch";
        let forbidden =
            |field, text: &str| cause("FieldValueForbidden", field, format!("Forbidden: {text}"));
        let unsupported = |supported: &str| {
            let value = quote(&self.version_match);
            let text = format!("Unsupported value: {value}: supported values: {supported}");
            cause("FieldValueNotSupported", MATCH, text)
        };
        let given = self.version_match.as_str();
        let mut causes = Vec::new();
        if self.watch {
            if self.initial_events.is_some() && given != "NotOlderThan" {
                causes.push(forbidden(
                    MATCH,
                    "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
                ));
            }
            if !given.is_empty() && self.initial_events.is_none() {
                causes.push(forbidden(
                    MATCH,
                    "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
                ));
            }
            if !given.is_empty() && given != "NotOlderThan" {
                causes.push(unsupported("\"NotOlderThan\""));
            }
            // Whoever watches from anywhere is sent what there is, not older than nothing.
            let from_anywhere =
                self.initial_events.is_none() && matches!(self.version.as_str(), "" | "0");
            if !self.continue_token.is_empty() && (from_anywhere || !given.is_empty()) {
                causes.push(forbidden(
                    MATCH,
                    "resourceVersionMatch is forbidden when continue is provided",
                ));
            }
            if self.limit > 0 && self.initial_events.is_some() {
                causes.push(forbidden("limit", "limit is forbidden for watch"));
            }
            return refuse("ListOptions", causes);
        }
        if self.initial_events.is_some() {
            causes.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
        }
        if !given.is_empty() {
            if self.version.is_empty() {
                causes.push(forbidden(
                    MATCH,
                    "resourceVersionMatch is forbidden unless resourceVersion is provided",
                ));
            }
            if !self.continue_token.is_empty() {
                causes.push(forbidden(
                    MATCH,
                    "resourceVersionMatch is forbidden when continue is provided",
                ));
            }
            if !matches!(given, "Exact" | "NotOlderThan") {
                causes.push(unsupported("\"Exact\", \"NotOlderThan\", \"\""));
            }
            if given == "Exact" && self.version == "0" {
                causes.push(forbidden(
                    MATCH,
                    "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
                ));
            }
        }
        refuse("ListOptions", causes)
    }

    /// The version that is asked for; none if none is given.
    ///
    /// # Errors
    /// The server's words, when it is not a number.
    pub(crate) fn revision(&self) -> Result<Option<u64>, String> {
        revision(&self.version)
    }
}

/// A version as requests give it; none if it is empty.
///
/// # Errors
/// The server's words, when it is not a number.
pub(crate) fn revision(text: &str) -> Result<Option<u64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    parse_uint(text)
        .map(Some)
        .map_err(|problem| format!("resourceVersion: Invalid value: {}: {problem}", quote(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_agent_gives_the_manager_a_name() {
        for (agent, expected) in [("plainua", "plainua"), ("a/b/c", "a"), ("", "unknown")] {
            assert_eq!(manager_of_agent(agent), expected);
        }
        assert_eq!(manager_of_agent(&"x".repeat(200)).len(), 128);
    }

    #[test]
    fn options_of_lists_have_to_fit_together() {
        let check = |query: &str| {
            let options = ListOptions::parse(&Query::parse(query)).unwrap();
            options.check().map_err(|status| status.causes().len())
        };
        assert_eq!(check("limit=3"), Ok(()));
        assert_eq!(check("resourceVersionMatch=Exact"), Err(1));
        assert_eq!(check("watch&resourceVersionMatch=Exact"), Err(2));
        assert_eq!(check("sendInitialEvents=false"), Err(1));
        assert_eq!(check("watch&continue=x"), Err(1));
        assert_eq!(check("watch&continue=x&resourceVersion=7"), Ok(()));
    }
}
