//! What a client writes and asks for, by its gates.
//!
//! Upstream: `k8s.io/client-go/rest/client.go`, `dynamic/simple.go`, `util/apply/apply.go`.

use super::accept::{Clause, parse_accept};
use super::content_type::parse_content_type;
use super::patch::PatchType;
use std::fmt::Write as _;

/// The client's gates for CBOR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientGates {
    /// `ClientsAllowCBOR`: CBOR may be asked for and written.
    pub allow: bool,
    /// `ClientsPreferCBOR`: CBOR is written where nothing else is configured. Needs the former.
    pub prefer: bool,
}

/// What a client is configured to write and to ask for; empty means nothing is configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentConfig {
    /// The `Content-Type` of requests.
    pub content_type: String,
    /// The `Accept` header of requests.
    pub accept: String,
}

impl ClientGates {
    fn prefers_cbor(self) -> bool {
        self.allow && self.prefer
    }

    /// The headers of a client for objects of any type.
    pub fn dynamic(self) -> ContentConfig {
        let content_type =
            if self.prefers_cbor() { "application/cbor" } else { "application/json" };
        let accept = if self.allow {
            "application/json;q=0.9,application/cbor;q=1"
        } else {
            "application/json"
        };
        ContentConfig { content_type: content_type.into(), accept: accept.into() }
    }

    /// The patch type of server-side apply where nothing else is asked for.
    pub fn apply(self) -> PatchType {
        if self.prefers_cbor() { PatchType::ApplyCbor } else { PatchType::ApplyYaml }
    }

    /// A patch type that was asked for, without CBOR where CBOR is not allowed. Kubernetes sends what was
    /// asked for; this is what the proposal says.
    pub fn patch(self, asked: PatchType) -> PatchType {
        if self.allow { asked } else { asked.without_cbor() }
    }

    /// The headers of a client with this configuration.
    pub fn resolve(self, config: &ContentConfig) -> ContentConfig {
        let mut resolved = config.clone();
        if !self.allow {
            if parse_content_type(&config.content_type).as_deref() == Some("application/cbor") {
                resolved.content_type = "application/json".into();
            }
            if let Some(accept) = without_cbor(&config.accept) {
                resolved.accept = accept;
            }
        }
        if resolved.content_type.is_empty() {
            resolved.content_type =
                if self.prefers_cbor() { "application/cbor" } else { "application/json" }.into();
        }
        if resolved.accept.is_empty() {
            resolved.accept = format!("{}, */*", resolved.content_type);
        }
        resolved
    }
}

/// An `Accept` header with JSON in place of CBOR; none when there is no CBOR in it.
fn without_cbor(accept: &str) -> Option<String> {
    let is_cbor = |clause: &Clause| clause.kind == "application" && clause.subtype == "cbor";
    let mut clauses = parse_accept(accept);
    if !clauses.iter().any(is_cbor) {
        return None;
    }
    for clause in clauses.iter_mut().filter(|clause| is_cbor(clause)) {
        clause.subtype = "json".into();
    }
    let parts: Vec<_> = clauses.iter().map(render).collect();
    Some(parts.join(","))
}

/// A clause with its parameters in order of their names, the quality among them unless it is 1.
fn render(clause: &Clause) -> String {
    let mut parameters = clause.parameters.clone();
    if clause.quality < 1.0 {
        parameters.push(("q".into(), three_digits(clause.quality)));
    }
    parameters.sort();
    let mut out = format!("{}/{}", clause.kind, clause.subtype);
    for (name, value) in parameters {
        let _ = write!(out, "; {name}={value}");
    }
    out
}

/// At most three significant digits.
fn three_digits(quality: f64) -> String {
    let rounded: f64 = format!("{quality:.2e}").parse().unwrap_or(quality);
    rounded.to_string()
}
