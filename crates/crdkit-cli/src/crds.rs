//! CRDs: found in inputs, checked, and compiled when the first object of their kind is met.

use crate::input::Input;
use crate::location::Locations;
use crate::objects::{self, Identity};
use crate::openapi;
use crdkit::Crd;
use crdkit::codec::{DecodeOptions, Decoded};
use crdkit::issue::{FieldPath, Issue, Span};
use crdkit::schema::model::Condition;
use crdkit::schema::{check, read};
use crdkit::value::{Document, Value};
use std::collections::HashMap;
use std::sync::OnceLock;

/// What is known about a kind.
#[derive(Clone)]
pub(crate) enum Known {
    Crd(Crd),
    /// A schema that stands alone, as built-in kinds have them, made into a CRD.
    Schema(Crd),
    Nothing,
    /// There is something, and it does not work.
    Unusable(String),
}

/// CRDs by group and kind. Threads that need the same one at the same time wait for one of them to
/// compile it; different ones are compiled side by side.
pub(crate) struct Crds {
    by_group: HashMap<String, HashMap<String, Entry>>,
    locations: Locations,
}

struct Entry {
    document: Document,
    compiled: OnceLock<Known>,
}

impl Crds {
    /// Of two documents for the same kind the later one counts. What is in none of them is looked for
    /// in `locations`.
    pub(crate) fn new(documents: impl IntoIterator<Item = Document>, locations: Locations) -> Self {
        let mut by_group: HashMap<String, HashMap<String, Entry>> = HashMap::new();
        for document in documents {
            let (group, kind) = names(&document);
            let entry = Entry { document, compiled: OnceLock::new() };
            by_group.entry(group).or_default().insert(kind, entry);
        }
        Self { by_group, locations }
    }

    /// The CRD of an object's kind.
    pub(crate) fn get(&self, identity: &Identity) -> Known {
        let kinds = self.by_group.get(openapi::group_name(&identity.group));
        let entry = kinds.and_then(|kinds| kinds.get(&identity.kind));
        match entry {
            Some(entry) => entry.compiled.get_or_init(|| compile(&entry.document)).clone(),
            None => self.locations.get(identity),
        }
    }
}

/// Compiles one CRD document.
pub(crate) fn compile(document: &Document) -> Known {
    match Crd::compile(document) {
        Ok(crd) => Known::Crd(crd),
        Err(error) => Known::Unusable(error.to_string()),
    }
}

/// The CRDs of `input`, those that an OpenAPI document describes included, and what could not be
/// decoded. Other objects are left out.
pub(crate) fn of_input(input: &Input, positions: bool) -> (Vec<Decoded>, Vec<Issue>) {
    let options = DecodeOptions { positions, ..DecodeOptions::default() };
    let (mut crds, mut refused) = (Vec::new(), Vec::new());
    for outcome in objects::decode(input, &options) {
        match outcome {
            Ok(decoded) if is_crd(&decoded.document) => crds.push(decoded),
            Ok(decoded) if openapi::is_openapi(decoded.document.root()) => {
                let described = openapi::crds(decoded.document.root()).into_iter();
                crds.extend(described.map(|document| Decoded { document, issues: Vec::new() }));
            }
            Ok(_) => {}
            Err(issues) => refused.extend(issues),
        }
    }
    (crds, refused)
}

fn is_crd(document: &Document) -> bool {
    objects::identify(document).is_ok_and(|identity| identity.is_crd())
}

/// Everything the API server refuses about a CRD when it is created, or when it replaces `old`.
pub(crate) fn issues(decoded: Decoded, old: Option<&Document>) -> Vec<Issue> {
    let (old, decoded) = match old {
        Some(old) => {
            let (old, decoded) = objects::as_update(old, decoded, false);
            (Some(old), decoded)
        }
        None => (None, decoded),
    };
    let request = match read::request(decoded.document.root(), &decoded.issues) {
        Ok(request) => request,
        Err(issues) => return issues,
    };
    let mut issues = request.strict;
    issues.extend(request.limits);
    let mut crd = request.crd;
    if let Some(old) = &old {
        let (mut stored, _) = read::crd(old.root());
        if old.root().get("status").is_none() {
            // A file, and not what a server stored: that would be in use by now.
            stored.prepare_for_create();
            let established = Condition { type_name: "Established", status: "True" };
            stored.status.conditions.push(established);
        }
        crd.prepare_for_update(&stored);
        issues.extend(check::update(&crd, &stored));
    } else {
        crd.prepare_for_create();
        issues.extend(check::create(&crd));
    }
    for issue in issues.iter_mut().filter(|issue| issue.span.is_none()) {
        issue.span = nearest(&decoded.document, &issue.path);
    }
    issues
}

/// Where what is at `path` would have to be: the nearest value around it that is written.
pub(crate) fn nearest(document: &Document, path: &FieldPath) -> Option<Span> {
    let value = document.root().nearest(path);
    let place = document.place(value.id())?;
    // A whole document is too much to underline; its beginning will do.
    Some(place.key.unwrap_or(Span::new(place.value.start, place.value.start + 1)))
}

/// The group and kind that a CRD defines.
fn names(document: &Document) -> (String, String) {
    let text =
        |pointer| document.root().pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    (text("/spec/group").to_owned(), text("/spec/names/kind").to_owned())
}
