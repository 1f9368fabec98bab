//! Objects and lists from CBOR: documents that say what they are.
//!
//! Decoding an object means decoding one item that is a map with a `kind` and an `apiVersion`; JSON asks for a
//! `kind` only. The items of a list that say neither get the list's version and its kind without `List`.
//! What was found out about the object's type comes with the error, because the server answers in that version.
//!
//! Upstream: `k8s.io/apimachinery/pkg/runtime/serializer/cbor/cbor.go`.

use super::decode::{build, decode};
use super::diag;
use super::parse::{CborParser, CborToken};
use super::sniff::{Refused, skip, sniff};
use super::text::hex;
use super::{Rules, verdict};
use crate::DecodeOptions;
use crdkit_issue::{Code, Issue, codes::decode as code};
use crdkit_text::kind::{GroupVersion, GroupVersionKind};
use crdkit_value::{Document, NodeId, Value};
use std::collections::HashSet;
use std::fmt;

/// A decoded object or list.
#[derive(Clone, Debug)]
pub struct Object {
    /// The whole of it.
    pub document: Document,
    /// What it is.
    pub kind: GroupVersionKind,
}

/// Why bytes are not an object.
#[derive(Clone, Debug)]
pub struct ObjectError {
    /// What the object is, as far as that could be found out.
    pub kind: Option<GroupVersionKind>,
    /// What is wrong.
    pub issue: Box<Issue>,
}

/// What an object is, without decoding the rest of it.
///
/// # Errors
/// When `bytes` are not well-formed CBOR or not a map, or hold something else than strings under `kind` and
/// `apiVersion`.
pub fn object_kind(bytes: &[u8], options: &DecodeOptions) -> Result<GroupVersionKind, ObjectError> {
    let rules = Rules::kubernetes(&options.limits);
    sniff(bytes, &rules).map_err(|refused| ObjectError { kind: None, issue: refused.issue() })
}

/// Decodes an object.
///
/// # Errors
/// When `bytes` are not CBOR, not a map, or have no `kind` or no `apiVersion`.
pub fn decode_object(bytes: &[u8], options: &DecodeOptions) -> Result<Object, ObjectError> {
    let document = match decode(bytes, options) {
        Ok(decoded) => decoded.document,
        Err(issue) => return Err(failed(bytes, options, issue)),
    };
    named(bytes, options, document)
}

/// Decodes a list, and gives each of its items a `kind` and an `apiVersion`.
///
/// # Errors
/// As for an object; and when `items` is not an array (`null` is not either), or an item is not a map or does
/// not say what it is.
pub fn decode_list(bytes: &[u8], options: &DecodeOptions) -> Result<Object, ObjectError> {
    let mut document = match decode(bytes, options) {
        Ok(decoded) => decoded.document,
        Err(issue) => {
            // The shape of what could be read is judged all the same, and wins.
            let shape =
                partial_list(bytes, options).and_then(|mut list| items(bytes, &mut list).err());
            return Err(failed(bytes, options, shape.unwrap_or(issue)));
        }
    };
    if let Err(issue) = items(bytes, &mut document) {
        return Err(failed(bytes, options, issue));
    }
    named(bytes, options, document)
}

/// The error for an object that could not be decoded, with what it would have been.
fn failed(bytes: &[u8], options: &DecodeOptions, issue: Box<Issue>) -> ObjectError {
    match sniff(bytes, &Rules::kubernetes(&options.limits)) {
        Ok(kind) => ObjectError { kind: Some(kind), issue },
        Err(refused) => ObjectError { kind: None, issue: Refused::issue(&refused) },
    }
}

fn named(bytes: &[u8], options: &DecodeOptions, document: Document) -> Result<Object, ObjectError> {
    let root = document.root();
    if !root.is_null() && root.as_object().is_none() {
        return Err(failed(bytes, options, Box::new(Issue::error(code::CBOR_TYPE))));
    }
    let field = |name| root.get(name).and_then(Value::as_str).unwrap_or_default();
    let (api_version, name) = (field("apiVersion"), field("kind"));
    // A version that cannot be read hides the kind as well.
    let kind = GroupVersion::parse(api_version).map(|it| it.kind(name)).unwrap_or_default();
    let missing = if kind.kind.is_empty() {
        code::MISSING_KIND
    } else if kind.version.is_empty() {
        code::MISSING_API_VERSION
    } else {
        return Ok(Object { document, kind });
    };
    Err(ObjectError { kind: Some(kind), issue: quoting(missing, bytes) })
}

/// Checks and completes the items of a list.
fn items(bytes: &[u8], list: &mut Document) -> Result<(), Box<Issue>> {
    let root = list.root();
    let Some(items) = root.get("items") else { return Ok(()) };
    let Some(items) = items.as_array() else {
        return Err(Box::new(Issue::error(code::LIST_ITEMS)));
    };
    let field = |value: Value<'_>, name| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let api_version = field(root, "apiVersion").unwrap_or_default();
    let kind = field(root, "kind").unwrap_or_default();
    let kind = kind.strip_suffix("List").unwrap_or(&kind);
    let ids: Vec<NodeId> = items.map(Value::id).collect();
    for id in ids {
        let item = list.value(id);
        if item.as_object().is_none() {
            return Err(Box::new(Issue::error(code::LIST_ITEM).at(item.path())));
        }
        let own_version = field(item, "apiVersion").unwrap_or_default();
        let own_kind = field(item, "kind").unwrap_or_default();
        let inherits = own_version.is_empty() && own_kind.is_empty();
        let of_item = |own: String, inherited: &str| if inherits { inherited.into() } else { own };
        let (own_version, own_kind) = (of_item(own_version, &api_version), of_item(own_kind, kind));
        if own_kind.is_empty() {
            return Err(quoting(code::MISSING_KIND, bytes));
        }
        if own_version.is_empty() {
            return Err(quoting(code::MISSING_API_VERSION, bytes));
        }
        if inherits {
            for (name, text) in [("apiVersion", &own_version), ("kind", &own_kind)] {
                if let Some(member) = list.insert(id, name, Document::null().root()) {
                    list.set(member, text);
                }
            }
        }
    }
    Ok(())
}

/// The fields of a list that could be read although the list as a whole could not: those that are right,
/// up to a key that occurs again, which then holds `null`.
fn partial_list(bytes: &[u8], options: &DecodeOptions) -> Option<Document> {
    let rules = Rules::kubernetes(&options.limits);
    verdict::form(bytes, &rules).ok()?;
    let mut parser = CborParser::new(rules);
    let CborToken::BeginMap = parser.next(bytes) else { return None };
    let mut list = decode(&[0xA0], options).ok()?.document;
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    loop {
        let token = parser.next(bytes);
        if matches!(token, CborToken::EndMap | CborToken::End | CborToken::More | CborToken::Wrong)
        {
            return Some(list);
        }
        let key = match token {
            CborToken::Key => parser.text.value(bytes).ok(),
            _ => None,
        };
        skip(bytes, token, &mut parser);
        let start = parser.at;
        let token = parser.next(bytes);
        skip(bytes, token, &mut parser);
        let value = bytes.get(start..parser.at).unwrap_or_default();
        let (Some(key), Ok(value)) = (key, build(value, 0, options)) else { continue };
        let name = String::from_utf8_lossy(&key).into_owned();
        if !seen.insert(key.into_owned()) {
            list.insert(NodeId::ROOT, &name, Document::null().root());
            return Some(list);
        }
        if matches!(name.as_str(), "items" | "kind" | "apiVersion") {
            list.insert(NodeId::ROOT, &name, value.document.root());
        }
    }
}

/// A finding that quotes the whole object.
fn quoting(code: Code, bytes: &[u8]) -> Box<Issue> {
    let digits = |_| String::from_utf8_lossy(&hex(bytes)).into_owned();
    let document = diag::show(bytes).unwrap_or_else(digits);
    Box::new(Issue::error(code).with("document", document))
}

impl ObjectError {
    /// The API server's words.
    pub fn server_message(&self) -> String {
        let message = self.issue.server_message();
        match self.kind {
            Some(_) => message,
            None => format!("unable to determine group/version/kind: {message}"),
        }
    }
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.issue.fmt(f)
    }
}

impl std::error::Error for ObjectError {}
