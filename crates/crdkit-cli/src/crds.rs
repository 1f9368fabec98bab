//! CRDs: found in inputs, checked, and compiled when the first object of their kind is met.

use crate::input::Input;
use crate::location::Locations;
use crate::objects::{self, Identity};
use crate::openapi;
use crdkit_codec::{DecodeOptions, Decoded};
use crdkit_engine::Crd;
use crdkit_issue::{FieldPath, Issue, Span};
use crdkit_schema::model::Condition;
use crdkit_schema::set::{CrdDefinition, CrdSet};
use crdkit_schema::{check, read};
use crdkit_value::Document;

/// What is known about a kind.
#[derive(Clone)]
pub(crate) enum KnownSchema {
    Crd(Crd),
    /// A schema that stands alone, as built-in kinds have them, made into a CRD.
    Schema(Crd),
    Nothing,
    /// There is something, and it does not work.
    Unusable(String),
}

/// CRDs that were read, and where else to look.
pub(crate) struct Crds {
    pub(crate) set: CrdSet,
    /// Looked at for kinds that are not in the set.
    pub(crate) locations: Locations,
}

impl Crds {
    /// The CRD of an object's kind.
    pub(crate) fn get(&self, identity: &Identity) -> KnownSchema {
        let group = openapi::group_name(&identity.gvk.group);
        match self.set.by_kind(group, &identity.gvk.kind) {
            Some(definition) => {
                compiled(definition).map_or_else(KnownSchema::Unusable, KnownSchema::Crd)
            }
            None => self.locations.get(identity),
        }
    }
}

/// What `definition` compiles to, or why it cannot be used.
pub(crate) fn compiled(definition: &CrdDefinition) -> Result<Crd, String> {
    let problem = |issues: &[Issue]| issues.iter().take(1).map(Issue::to_string).collect();
    definition.compiled().map(|crd| crd.clone().into()).map_err(problem)
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
