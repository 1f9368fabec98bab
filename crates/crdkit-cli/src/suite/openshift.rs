//! Suites as openshift/api writes them.
//!
//! `tests.onCreate` and `tests.onUpdate` have cases whose objects are YAML in literal blocks. The CRD is a file
//! beside the suite (`crd`) or called by name (`crdName`) and looked for in the directory of generated
//! manifests two levels up, where there may be several variants. Objects need no metadata. An update is one
//! of the object, and then of its status if it has any.

use super::read::{Problems, place};
use super::{Before, Case, CaseRequest, Errors, Expect, Expected, Read, Suite};
use crate::limits;
use crdkit_codec::{Decoded, yaml};
use crdkit_engine::FieldValidation;
use crdkit_value::{Document, NewValue, NodeId, Value};
use std::path::Path;

/// Where the manifests of a version are, seen from the directory of a suite.
const MANIFESTS: &str = "../../zz_generated.crd-manifests";

/// Whether a document is a suite of this format.
pub(super) fn is_suite(root: Value<'_>) -> bool {
    let Some(tests) = root.get("tests") else { return false };
    tests.get("onCreate").is_some() || tests.get("onUpdate").is_some()
}

/// Reads a suite that is in `directory`.
pub(super) fn read(root: Value<'_>, name: &str, directory: &Path) -> Read {
    let mut problems = Problems::default();
    let file = problems.text(root.get("crd"));
    let crd_name = problems.text(root.get("crdName"));
    let mut gates = problems.texts(root.get("featureGates"));
    gates.extend(problems.text(root.get("featureGate")));
    let manifests = directory.join(MANIFESTS);
    let crds = match (&file, &crd_name) {
        (Some(file), _) => vec![directory.join(file).display().to_string()],
        (None, Some(_)) if manifests.is_dir() => vec![manifests.display().to_string()],
        _ => Vec::new(),
    };
    let tests = root.get("tests");
    let mut cases = Vec::new();
    for value in problems.list(tests.and_then(|tests| tests.get("onCreate"))) {
        cases.extend(case(value, CaseRequest::Create, &mut problems));
    }
    for value in problems.list(tests.and_then(|tests| tests.get("onUpdate"))) {
        cases.extend(case(value, CaseRequest::UpdateAndStatus, &mut problems));
    }
    let suite = Suite {
        name: problems.text(root.get("name")).unwrap_or_else(|| name.to_owned()),
        crds,
        policies: Vec::new(),
        user: (String::new(), Vec::new()),
        crd_name,
        feature_gates: gates,
        one_version: true,
        cases,
    };
    Read { suite: Some(suite), issues: problems.0 }
}

fn case(value: Value<'_>, request: CaseRequest, problems: &mut Problems) -> Option<Case> {
    let name = value.get("name");
    let initial = object(value, "initial", problems)?;
    let (before, object) = if request == CaseRequest::Create {
        (None, initial)
    } else {
        let patches = problems.list(value.get("initialCRDPatches"));
        let patches = patches.into_iter().map(Document::copy_of).collect();
        let before = Before { object: initial, stored: false, crds: Vec::new(), patches };
        (Some(before), object(value, "updated", problems)?)
    };
    let error = |key: &str, problems: &mut Problems, of_status| {
        let place = value.get(key).and_then(place);
        let text = problems.text(value.get(key)).filter(|text| !text.is_empty())?;
        Some(Errors::Message { text, place, of_status })
    };
    let errors = error("expectedError", problems, false)
        .or_else(|| error("expectedStatusError", problems, true));
    Some(Case {
        name: problems.text(name).unwrap_or_else(|| format!("case at {}", value.path())),
        place: place(name.unwrap_or(value)),
        before,
        request,
        object,
        steps: Vec::new(),
        // What a client gets that does not ask for anything else.
        field_validation: FieldValidation::Warn,
        expect: Expect { object: expected(value, problems), errors, ..Expect::default() },
        skip: None,
    })
}

/// The object in the literal block `key`, with a name if it has none.
fn object(case: Value<'_>, key: &str, problems: &mut Problems) -> Option<Decoded> {
    let Some(value) = case.get(key) else {
        problems.add(case, format!("the case has no `{key}`"));
        return None;
    };
    let mut decoded = literal(value, problems)?;
    let root = decoded.document.root();
    let metadata = root.get("metadata").filter(|metadata| metadata.as_object().is_some());
    if metadata.and_then(|metadata| metadata.get("name")).is_none() {
        let id = match metadata.map(Value::id) {
            Some(id) => id,
            None => decoded.document.insert(NodeId::ROOT, "metadata", NewValue::EmptyObject)?,
        };
        decoded.document.insert(id, "generateName", "test-");
    }
    Some(decoded)
}

/// What is to be stored; what a server or a test run decides does not count.
fn expected(case: Value<'_>, problems: &mut Problems) -> Option<Expected> {
    let value = case.get("expected").filter(|value| value.as_str() != Some(""))?;
    let mut document = literal(value, problems)?.document;
    if let Some(metadata) = document.root().get("metadata").map(Value::id) {
        for key in super::compare::DECIDED {
            if let Some(id) = document.value(metadata).get(key).map(Value::id) {
                document.remove(id);
            }
        }
    }
    Some(Expected { document, exactly: true, place: place(case.get("name").unwrap_or(value)) })
}

fn literal(value: Value<'_>, problems: &mut Problems) -> Option<Decoded> {
    // An object that is not in a block is one as well.
    let Some(text) = value.as_str() else {
        return Some(Decoded { document: Document::copy_of(value), issues: Vec::new() });
    };
    match yaml::decode(text.as_bytes(), &limits::decoding()) {
        Ok(decoded) if decoded.document.root().as_object().is_some() => Some(decoded),
        Ok(_) => {
            problems.add(value, "this must be an object");
            None
        }
        Err(issue) => {
            problems.add(value, format!("this cannot be read: {issue}"));
            None
        }
    }
}
