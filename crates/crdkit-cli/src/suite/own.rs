//! crdkit's own format of suites.
//!
//! One document: `crds` names sources, `base` is what all objects have in common, and each of `cases` has a
//! `name`, one request (`create`, `update` or `status`) and what is to come of it (`expect`, `exactly`,
//! `errors`, `warnings`, `code`), or `steps`, which are requests one after the other. Objects are written out, or named as a file
//! beside the suite.

use super::read::{Problems, place};
use super::{
    Before, Case, CaseRequest, CaseStep, Errors, Expect, Expected, ExpectedOwner, Pattern,
    Patterns, Read, StepRequest, Suite, merge,
};
use crate::config;
use crate::limits;
use crdkit_codec::{Decoded, yaml};
use crdkit_engine::FieldValidation;
use crdkit_value::{Document, Value};
use std::path::Path;

const SUITE: &[&str] =
    &["name", "crds", "policies", "user", "groups", "base", "field-validation", "cases"];
const CASE: &[&str] = &[
    "name",
    "create",
    "update",
    "status",
    "steps",
    "expect",
    "exactly",
    "errors",
    "warnings",
    "code",
    "field-validation",
    "skip",
];
/// What a case or a step says about what is to come of it.
const EXPECT: &[&str] = &["expect", "exactly", "errors", "warnings", "code", "owners"];
const STEP: &[&str] = &[
    "create",
    "update",
    "status",
    "apply",
    "merge-patch",
    "json-patch",
    "manager",
    "force",
    "expect",
    "exactly",
    "errors",
    "warnings",
    "code",
    "owners",
];
const CHANGE: &[&str] = &["from", "stored", "to", "crds-before", "patches-before"];
const PATTERN: &[&str] = &["path", "text", "message", "reason", "code"];

/// Who makes requests where a suite does not say it.
const USER: &str = "kubernetes-admin";

/// Whether a document is a suite of this format.
pub(super) fn is_suite(root: Value<'_>) -> bool {
    root.get("kind").is_none() && root.get("cases").is_some_and(|cases| cases.as_array().is_some())
}

/// Reads a suite that is in `directory`.
pub(super) fn read(root: Value<'_>, name: &str, directory: &Path) -> Read {
    let mut problems = Problems::default();
    problems.only(root, SUITE);
    let mut sources = |key: &str| match root.get(key).map(|it| config::sources(it, directory)) {
        Some(Ok(sources)) => sources,
        Some(Err(_)) => {
            problems.texts(root.get(key));
            Vec::new()
        }
        None => Vec::new(),
    };
    let (crds, policies) = (sources("crds"), sources("policies"));
    let user = problems.text(root.get("user")).unwrap_or_else(|| USER.to_owned());
    let groups = problems.texts(root.get("groups"));
    let mode = problems.field_validation(root.get("field-validation"));
    let mut reader = SuiteReader { directory, base: root.get("base"), mode, problems };
    let cases = reader.problems.list(root.get("cases"));
    let cases = cases.into_iter().filter_map(|value| reader.case(value)).collect();
    let name = reader.problems.text(root.get("name")).unwrap_or_else(|| name.to_owned());
    let suite = Suite {
        name,
        crds,
        policies,
        user: (user, groups),
        crd_name: None,
        feature_gates: Vec::new(),
        one_version: false,
        cases,
    };
    Read { suite: Some(suite), issues: reader.problems.0 }
}

struct SuiteReader<'a> {
    directory: &'a Path,
    base: Option<Value<'a>>,
    mode: Option<FieldValidation>,
    problems: Problems,
}

impl SuiteReader<'_> {
    fn case(&mut self, value: Value<'_>) -> Option<Case> {
        if value.as_object().is_none() {
            self.problems.add(value, "a case must be a mapping");
            return None;
        }
        self.problems.only(value, CASE);
        let requests = [
            ("create", CaseRequest::Create),
            ("update", CaseRequest::Update),
            ("status", CaseRequest::Status),
            ("steps", CaseRequest::Steps),
        ];
        let mut asked =
            requests.iter().filter_map(|(key, request)| Some((value.get(key)?, *request)));
        let (Some((asked_for, request)), None) = (asked.next(), asked.next()) else {
            self.problems
                .add(value, "a case needs one of `create`, `update`, `status` and `steps`");
            return None;
        };
        let mut steps = Vec::new();
        let (before, object) = match request {
            CaseRequest::Create => (None, self.object(asked_for)?),
            CaseRequest::Steps => {
                steps = self.steps(value, asked_for)?;
                (None, steps.first()?.body.clone())
            }
            _ => {
                let (before, object) = self.change(asked_for)?;
                (Some(before), object)
            }
        };
        let name = value.get("name");
        let named = self.problems.text(name);
        let mode = self.problems.field_validation(value.get("field-validation")).or(self.mode);
        Some(Case {
            name: named.unwrap_or_else(|| format!("case at {}", value.path())),
            place: place(name.unwrap_or(value)),
            before,
            request,
            object,
            steps,
            field_validation: mode.unwrap_or_default(),
            expect: self.expect(value),
            skip: self.problems.text(value.get("skip")),
        })
    }

    /// The steps of a case; the first makes the object.
    fn steps(&mut self, case: Value<'_>, list: Value<'_>) -> Option<Vec<CaseStep>> {
        for (_, member) in case.members().filter(|(key, _)| EXPECT.contains(key)) {
            self.problems.add(member, "each step says for itself what is to come of it");
        }
        let items = self.problems.list(Some(list));
        let n_steps = items.len();
        let steps: Vec<CaseStep> = items.into_iter().filter_map(|item| self.step(item)).collect();
        if steps.len() < n_steps {
            return None;
        }
        let makes =
            |step: &CaseStep| matches!(step.request, StepRequest::Create | StepRequest::Apply);
        if !steps.first().is_some_and(makes) {
            self.problems.add(list, "the first step must be a `create` or an `apply`");
            return None;
        }
        Some(steps)
    }

    fn step(&mut self, value: Value<'_>) -> Option<CaseStep> {
        self.problems.only(value, STEP);
        let requests = [
            ("create", StepRequest::Create),
            ("update", StepRequest::Update),
            ("status", StepRequest::Status),
            ("apply", StepRequest::Apply),
            ("merge-patch", StepRequest::MergePatch),
            ("json-patch", StepRequest::JsonPatch),
        ];
        let mut asked =
            requests.iter().filter_map(|(key, request)| Some((value.get(key)?, *request)));
        let (Some((asked_for, request)), None) = (asked.next(), asked.next()) else {
            let names = "`create`, `update`, `status`, `apply`, `merge-patch` and `json-patch`";
            self.problems.add(value, format!("a step needs one of {names}"));
            return None;
        };
        let body = match request {
            StepRequest::MergePatch | StepRequest::JsonPatch => {
                let document = Document::copy_with_positions(asked_for);
                Decoded { document, issues: Vec::new() }
            }
            _ => self.object(asked_for)?,
        };
        let manager = self.problems.text(value.get("manager"));
        Some(CaseStep {
            request,
            body,
            manager: manager.unwrap_or_else(|| "crdkit".to_owned()),
            force: value.get("force").and_then(Value::as_bool).unwrap_or_default(),
            expect: self.expect(value),
            place: place(asked_for),
        })
    }

    /// `owners`: a manager, and the fields that it owns.
    fn owners(&mut self, value: Option<Value<'_>>) -> Vec<ExpectedOwner> {
        let Some(value) = value else { return Vec::new() };
        if value.as_object().is_none() {
            self.problems.add(value, "this must be a mapping of managers to fields");
        }
        let owner = |(manager, fields): (&str, Value<'_>)| {
            let mut paths = self.problems.texts(Some(fields).filter(|fields| !fields.is_null()));
            paths.sort();
            ExpectedOwner { manager: manager.to_owned(), fields: paths, place: place(fields) }
        };
        value.members().map(owner).collect()
    }

    /// `from` or `stored`, and `to`, of an update.
    fn change(&mut self, value: Value<'_>) -> Option<(Before, Decoded)> {
        self.problems.only(value, CHANGE);
        let (from, stored) = (value.get("from"), value.get("stored"));
        let one = from.xor(stored);
        let (Some(before), Some(to)) = (one, value.get("to")) else {
            self.problems.add(value, "a change needs `from` or `stored`, and `to`");
            return None;
        };
        let crds = match value.get("crds-before") {
            Some(sources) => config::sources(sources, self.directory).unwrap_or_else(|_| {
                self.problems.add(sources, "this must be a text or a list of texts");
                Vec::new()
            }),
            None => Vec::new(),
        };
        let patches = self.problems.list(value.get("patches-before"));
        let patches = patches.into_iter().map(Document::copy_of).collect();
        let stored = stored.is_some();
        Some((Before { object: self.object(before)?, stored, crds, patches }, self.object(to)?))
    }

    /// An object: written out, or the name of a file that holds it.
    fn object(&mut self, value: Value<'_>) -> Option<Decoded> {
        let mut decoded = match value.as_str() {
            None => Decoded { document: Document::copy_with_positions(value), issues: Vec::new() },
            Some(file) => {
                let path = self.directory.join(file);
                let read = crate::source::read_file(&path).map_err(|error| error.to_string());
                let decoded = read.and_then(|bytes| {
                    let decoded = yaml::decode(&bytes, &limits::decoding());
                    decoded.map_err(|issue| issue.to_string())
                });
                match decoded {
                    Ok(decoded) => decoded,
                    Err(error) => {
                        let problem = format!("`{}` cannot be read: {error}", path.display());
                        self.problems.add(value, problem);
                        return None;
                    }
                }
            }
        };
        if decoded.document.root().is_null() {
            // An object that is all base.
            decoded.document = Document::copy_of(self.base?);
        }
        if let Some(base) = self.base {
            merge::merge(&mut decoded.document, base);
        }
        Some(decoded)
    }

    fn expect(&mut self, value: Value<'_>) -> Expect {
        let object = match (value.get("expect"), value.get("exactly")) {
            (Some(_), Some(exactly)) => {
                self.problems.add(exactly, "a case has `expect` or `exactly`, not both");
                None
            }
            (Some(part), None) => Some((part, false)),
            (None, exactly) => exactly.map(|whole| (whole, true)),
        };
        let expected = |(value, exactly): (Value<'_>, bool)| {
            let mut document = Document::copy_with_positions(value);
            if let (true, Some(base)) = (exactly, self.base) {
                merge::merge(&mut document, base);
            }
            Expected { document, exactly, place: place(value) }
        };
        let object = object.map(expected);
        Expect {
            object,
            errors: value.get("errors").map(|errors| Errors::Causes(self.patterns(errors))),
            warnings: value.get("warnings").map(|warnings| self.patterns(warnings)),
            code: value.get("code").and_then(Value::as_i64),
            owners: self.owners(value.get("owners")),
        }
    }

    /// A list of errors or warnings; one alone need not be a list.
    fn patterns(&mut self, value: Value<'_>) -> Patterns {
        let mut out = Patterns { place: place(value), ..Patterns::default() };
        let items: Vec<_> = match value.as_array() {
            Some(items) => items.collect(),
            None => vec![value],
        };
        for item in items {
            match item.as_str() {
                Some("...") => out.others = true,
                Some(text) => {
                    out.items.push(Pattern { text: Some(text.to_owned()), ..Pattern::default() });
                }
                None => out.items.extend(self.pattern(item)),
            }
        }
        out
    }

    fn pattern(&mut self, item: Value<'_>) -> Option<Pattern> {
        if item.as_object().is_none() {
            self.problems.add(item, "this must be a text or a mapping");
            return None;
        }
        self.problems.only(item, PATTERN);
        let mut text = |key| self.problems.text(item.get(key));
        Some(Pattern {
            path: text("path"),
            text: text("text"),
            message: text("message"),
            reason: text("reason"),
            code: text("code"),
        })
    }
}
