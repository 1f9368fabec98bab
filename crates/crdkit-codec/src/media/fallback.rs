//! Which targets do not take CBOR, so that a client writes something else the next time.
//!
//! Kept for each method and resource, as the proposal for CBOR asks for: a refusal of one says nothing about
//! another, the `Accept` header of a 415 says what to write instead, and `OpenAPI` documents can say it before
//! the first request.

use super::accept::parse_accept;
use super::content_type::parse_content_type;
use super::patch::PatchType;
use crdkit_value::Value;
use std::collections::BTreeMap;

/// What a request changes: `POST` to `apps/v1/deployments`, say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WriteTarget {
    method: String,
    resource: String,
}

/// What targets are known to take.
#[derive(Clone, Debug, Default)]
pub struct Fallback {
    known: BTreeMap<WriteTarget, Vec<String>>,
}

impl WriteTarget {
    /// The target of a request with `method` to `path`, a path or the template of one. Namespaces and names
    /// make no difference; group, version, resource and subresource do.
    pub fn new(method: &str, path: &str) -> Self {
        let mut parts =
            path.split('?').next().unwrap_or_default().split('/').filter(|p| !p.is_empty());
        let mut resource: Vec<&str> = match parts.next() {
            Some("api") => parts.next().into_iter().collect(),
            Some("apis") => parts.by_ref().take(2).collect(),
            other => other.into_iter().collect(),
        };
        let mut rest: Vec<&str> = parts.collect();
        // `namespaces/x/pods` concerns pods, `namespaces/x` and `namespaces/x/status` the namespace.
        if let ["namespaces", _, inner, ..] = rest.as_slice()
            && !matches!(*inner, "status" | "finalize")
        {
            rest.drain(..2);
        }
        // A name stands between a resource and its subresource.
        resource.extend(rest.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, part)| *part));
        Self { method: method.to_ascii_uppercase(), resource: resource.join("/") }
    }
}

impl Fallback {
    /// What to write to `target` instead of `preferred`, which it is known not to take; `preferred` itself
    /// when nothing is known.
    ///
    /// Of what is known to be taken, what says the same without CBOR goes first: JSON for an object,
    /// `apply-patch+yaml` for an apply. Without that, CBOR's counterpart is used all the same.
    pub fn choose<'t>(&'t self, target: &WriteTarget, preferred: &'t str) -> &'t str {
        let Some(taken) = self.known.get(target) else { return preferred };
        let name = parse_content_type(preferred).unwrap_or_default();
        if taken.contains(&name) {
            return preferred;
        }
        without_cbor(&name).unwrap_or(preferred)
    }

    /// Takes note of a response. A 415 to a request that was written as `content_type` means that the target
    /// takes what the response's `Accept` header names, or without one anything but that. True when the
    /// request is worth repeating with what [`Fallback::choose`] now says.
    pub fn saw(
        &mut self,
        target: &WriteTarget,
        content_type: &str,
        status: u16,
        accept: &str,
    ) -> bool {
        let name = parse_content_type(content_type).unwrap_or_default();
        let Some(instead) = without_cbor(&name).filter(|_| status == 415) else { return false };
        let mut taken: Vec<String> = parse_accept(accept)
            .into_iter()
            .map(|clause| format!("{}/{}", clause.kind, clause.subtype))
            .filter(|taken| *taken != name)
            .collect();
        if taken.is_empty() {
            taken.push(instead.into());
        }
        let worth_repeating = taken
            .iter()
            .any(|taken| taken == instead || taken == "*/*" || taken == "application/*");
        self.known.insert(target.clone(), taken);
        worth_repeating
    }

    /// Takes note of what a target takes.
    pub fn learn(&mut self, target: WriteTarget, taken: impl IntoIterator<Item = String>) {
        self.known.insert(target, taken.into_iter().collect());
    }

    /// Takes note of what the operations of an `OpenAPI` document take, version 3 (`requestBody`) or 2
    /// (`consumes`). Operations that name nothing, or anything, are left out.
    pub fn learn_openapi(&mut self, document: Value<'_>) {
        let paths = document.get("paths").into_iter().flat_map(Value::members);
        for (path, operations) in paths {
            for (method, operation) in operations.members() {
                if !matches!(method, "post" | "put" | "patch" | "delete") {
                    continue;
                }
                let content = operation.get("requestBody").and_then(|body| body.get("content"));
                let consumes = operation.get("consumes").into_iter().flat_map(Value::items);
                let taken: Vec<String> = match content {
                    Some(content) => content.members().map(|(name, _)| name.to_owned()).collect(),
                    None => consumes.filter_map(Value::as_str).map(str::to_owned).collect(),
                };
                if !taken.is_empty() && !taken.iter().any(|name| name == "*/*") {
                    self.learn(WriteTarget::new(method, path), taken);
                }
            }
        }
    }
}

/// The media type that says the same without CBOR, for one that is CBOR.
fn without_cbor(name: &str) -> Option<&'static str> {
    if name == "application/cbor" {
        return Some("application/json");
    }
    let patches = [PatchType::ApplyCbor, PatchType::StrategicCbor];
    let patch = patches.into_iter().find(|patch| patch.name() == name)?;
    Some(patch.without_cbor().name())
}
