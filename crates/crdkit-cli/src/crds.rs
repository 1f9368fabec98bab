//! CRDs: found in inputs, checked, and compiled when the first object of their kind is met.

use crate::input::Input;
use crate::limits;
use crate::location::Locations;
use crate::objects::{self, Identity};
use crate::wanted::Wanted;
use crdkit_codec::Decoded;
use crdkit_engine::Crd;
use crdkit_issue::{FieldPath, Issue, Severity, Span, codes};
use crdkit_schema::check::{self, CheckOptions};
use crdkit_schema::model::Condition;
use crdkit_schema::read;
use crdkit_schema::set::{CrdDefinition, CrdSet};
use crdkit_structure::definitions;
use crdkit_value::Document;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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
    locations: Locations,
    /// Those that were asked for, by name, and what is wrong with their schemas.
    used: Mutex<BTreeMap<String, Arc<OnceLock<Option<String>>>>>,
}

impl Crds {
    pub(crate) fn new(set: CrdSet, locations: Locations) -> Self {
        Self { set, locations, used: Mutex::default() }
    }

    /// The names of the CRDs that objects were judged by.
    pub(crate) fn used(&self) -> BTreeSet<String> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// That a schema of a CRD has a type that there is not, which no value could be of; found out when it is first
    /// asked for.
    fn problem(&self, definition: &CrdDefinition) -> Option<String> {
        let cell = {
            let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            match used.get(definition.name()) {
                Some(cell) => Arc::clone(cell),
                None => Arc::clone(used.entry(definition.name().to_owned()).or_default()),
            }
        };
        cell.get_or_init(|| {
            let document = definition.document().filter(|it| may_have_odd_type(it))?;
            let document = Document::copy_of(document.root());
            let decoded = Decoded { document, issues: Vec::new() };
            let issues = issues(decoded, None, Extent::AsServer);
            let is_type = |issue: &&Issue| {
                let is_error = issue.severity == Severity::Error;
                is_error && issue.path.pointer().ends_with("/type")
            };
            issues.iter().find(is_type).map(Issue::to_string)
        })
        .clone()
    }

    /// Whether there is a CRD for a kind.
    pub(crate) fn has(&self, identity: &Identity) -> bool {
        let group = definitions::group_name(&identity.gvk.group);
        self.set.by_kind(group, &identity.gvk.kind).is_some()
    }

    /// The CRD of an object's kind.
    pub(crate) fn get(&self, identity: &Identity) -> KnownSchema {
        let group = definitions::group_name(&identity.gvk.group);
        match self.set.by_kind(group, &identity.gvk.kind) {
            Some(definition) => {
                if let Some(problem) = self.problem(definition) {
                    return KnownSchema::Unusable(problem);
                }
                compiled(definition).map_or_else(KnownSchema::Unusable, KnownSchema::Crd)
            }
            None => self.locations.get(identity),
        }
    }
}

/// Whether something called `type` is no type of a schema. A default may have such a member, too.
fn may_have_odd_type(crd: &Document) -> bool {
    let known = ["array", "boolean", "integer", "number", "object", "string"];
    let mut pending = vec![crd.root()];
    while let Some(value) = pending.pop() {
        pending.extend(value.items());
        for (key, member) in value.members() {
            if key == "type" && member.as_str().is_some_and(|it| !known.contains(&it)) {
                return true;
            }
            pending.push(member);
        }
    }
    false
}

/// What `definition` compiles to, or why it cannot be used.
pub(crate) fn compiled(definition: &CrdDefinition) -> Result<Crd, String> {
    let problem = |issues: &[Issue]| issues.iter().take(1).map(Issue::to_string).collect();
    definition.compiled().map(|crd| crd.clone().into()).map_err(problem)
}

/// The CRDs of `input`, those that an OpenAPI document describes included, and what could not be
/// decoded. Other objects are left out.
pub(crate) fn of_input(input: &Input, positions: bool) -> (Vec<Decoded>, Vec<Issue>) {
    let options = limits::decoding().positions(positions);
    let (mut crds, mut refused) = (Vec::new(), Vec::new());
    for outcome in objects::decode(input, &options) {
        match outcome {
            Ok(decoded) if is_crd(&decoded.document) => crds.push(decoded),
            Ok(decoded) if definitions::is_openapi(decoded.document.root()) => {
                let described = definitions::crds_of_openapi(decoded.document.root()).into_iter();
                crds.extend(described.map(|document| Decoded { document, issues: Vec::new() }));
            }
            Ok(_) => {}
            Err(issues) => refused.extend(issues),
        }
    }
    (crds, refused)
}

/// The CRDs of `input` that may define a kind that is wanted, and what could not be decoded. Not everything is decoded,
/// unless something is wrong.
pub(crate) fn wanted(input: &Input, wanted: &Wanted) -> (Vec<Decoded>, Vec<Issue>) {
    let Some(parts) = wanted.parts(input) else { return of_input(input, false) };
    let mut crds = Vec::new();
    for part in parts {
        let (found, refused) = of_input(&part, false);
        if !refused.is_empty() {
            // What is said about it depends on where it stands.
            return of_input(input, false);
        }
        crds.extend(found);
    }
    (crds, Vec::new())
}

/// That `input`, which was named as a source of CRDs, describes kinds in a way that says too little.
pub(crate) fn says_too_little(input: &Input) -> Option<Issue> {
    memchr::memmem::find(&input.bytes, b"swagger")?;
    let options = limits::decoding().positions(true);
    let mut documents = objects::decode(input, &options).filter_map(Result::ok);
    let decoded = documents.find(|it| definitions::is_openapi_v2(it.document.root()))?;
    let mut issue = Issue::error(codes::source::OPENAPI_V2);
    let version = decoded.document.root().get("swagger")?;
    issue.span = decoded.document.place(version.id()).map(|place| place.value);
    Some(issue)
}

/// Whether `input` looks as if it had CRDs, or an OpenAPI document that describes some.
pub(crate) fn mentions_crds(input: &Input) -> bool {
    let names = [&b"CustomResourceDefinition"[..], b"openapi"];
    names.iter().any(|name| memchr::memmem::find(&input.bytes, name).is_some())
}

fn is_crd(document: &Document) -> bool {
    objects::identify(document).is_ok_and(|identity| identity.is_crd())
}

/// How much is said about a CRD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What the API server says, which stops at the first things that are wrong.
    AsServer,
    /// What is wrong with rules as well, where the schema around them has findings.
    Everything,
}

/// Everything the API server refuses about a CRD when it is created, or when it replaces `old`.
pub(crate) fn issues(decoded: Decoded, old: Option<&Document>, extent: Extent) -> Vec<Issue> {
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
        let mut options = CheckOptions::create();
        options.check_rules_anyway = extent == Extent::Everything;
        issues.extend(check::create_with(&crd, &options));
    }
    issues.extend(check::published(&crd.schemas));
    for issue in issues.iter_mut().filter(|issue| issue.span.is_none()) {
        issue.span = nearest(&decoded.document, &as_written(&decoded.document, &issue.path));
    }
    issues
}

/// The path at which `document` has what the server says is at `path`: what all versions have in common is moved out of
/// them before it is checked.
fn as_written(document: &Document, path: &FieldPath) -> FieldPath {
    let [spec, moved, ..] = path.segments() else { return path.clone() };
    let inside = match &*moved.text() {
        "validation" => "schema",
        name @ ("subresources" | "additionalPrinterColumns" | "selectableFields") => name,
        _ => return path.clone(),
    }
    .to_owned();
    let top: FieldPath = [spec.clone(), moved.clone()].into_iter().collect();
    if document.find(&top).is_some() {
        return path.clone();
    }
    let base = FieldPath::root().field("spec").field("versions").index(0).field(&inside);
    path.strip_prefix(&top).map_or_else(|| path.clone(), |rest| rest.rebase(&base))
}

/// Where what is at `path` would have to be: the nearest value around it that is written.
pub(crate) fn nearest(document: &Document, path: &FieldPath) -> Option<Span> {
    let value = document.root().nearest(path);
    let place = document.place(value.id())?;
    // A whole document is too much to underline; its beginning will do.
    Some(place.key.unwrap_or(Span::new(place.value.start, place.value.start + 1)))
}
