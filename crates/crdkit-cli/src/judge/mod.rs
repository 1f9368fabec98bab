//! From the objects of an input to what is reported about them.
//!
//! Objects are decoded without positions first; an input with findings, or with comments that silence
//! some, is gone through once more with them. What is found then is told apart from what only seems wrong
//! because something is filled in later (`partial`), given suggestions (`suggest`) and reported (`present`).

mod partial;
mod present;
mod suggest;
mod utf8;
mod versions;

pub(crate) use partial::{Partly, SkippedPath};
pub(crate) use present::{Judged, Presentation};

use crate::args::FieldValidation;
use crate::crds::{self, Crds, Extent, KnownSchema};
use crate::input::{Input, Role};
use crate::kubernetes;
use crate::limits;
use crate::objects::{self, Identity};
use crate::policies::Policies;
use crate::rendered;
use crate::report::{LeftOut, Object, Subject, Verdict};
use crate::source;
use crate::write::KindRules;
use clap::ValueEnum;
use crdkit_codec::{Decoded, Format};
use crdkit_engine::{Crd, Outcome, RequestOptions};
use crdkit_issue::{FieldPath, Issue, Severity, codes};
use crdkit_native::{NativeKind, NativeKinds};
use crdkit_structure::definitions;
use crdkit_text::kind::{GroupKind, GroupVersionKind};
use crdkit_value::{Document, Value};
use partial::Opaque;
use present::settle;
use std::collections::HashMap;
use std::sync::Arc;
use suggest::{SchemaText, WrittenObject};
use utf8::invalid_utf8;

/// `--subresource`: the part of objects that a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Subresource {
    Status,
}

/// What was found out about an object.
enum Judgement {
    /// It is not to be judged; this was seen all the same.
    Skipped(Vec<Issue>),
    /// It was judged by other rules than those of a CRD or schema.
    Issues(Vec<Issue>),
    /// The server's verdict.
    Outcome {
        outcome: Box<Outcome>,
        /// Names of built-in kinds follow rules of their own.
        is_built_in: bool,
    },
    /// It is no object and not meant to be one; this is what is wrong where it should be.
    LeftOut(LeftOut, Vec<Issue>),
}

impl Judgement {
    fn is_quiet(&self) -> bool {
        match self {
            Self::LeftOut(..) => true,
            Self::Skipped(issues) | Self::Issues(issues) => issues.is_empty(),
            Self::Outcome { outcome, .. } => outcome.issues.is_empty(),
        }
    }
}

/// What an object is called, whatever version it is written in.
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct ObjectName {
    kind: GroupKind,
    namespace: String,
    name: String,
}

impl From<&Identity> for ObjectName {
    fn from(identity: &Identity) -> Self {
        let Identity { gvk, namespace, name } = identity;
        let namespace = match namespace.as_str() {
            "" => objects::DEFAULT_NAMESPACE,
            namespace => namespace,
        };
        Self { kind: gvk.group_kind(), namespace: namespace.to_owned(), name: name.clone() }
    }
}

/// What objects are judged by.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct Judge<'a> {
    pub(crate) crds: Crds,
    pub(crate) old: HashMap<ObjectName, Document>,
    pub(crate) field_validation: FieldValidation,
    pub(crate) ignore_missing_schemas: bool,
    /// Whether native kinds are known.
    pub(crate) native: bool,
    /// What judges objects besides.
    pub(crate) policies: Option<&'a Policies>,
    /// The kinds to look at; all if there are none.
    pub(crate) only: Vec<String>,
    pub(crate) skip: Vec<String>,
    pub(crate) skip_json_path: Vec<SkippedPath>,
    /// The part of objects that requests are for.
    pub(crate) subresource: Option<Subresource>,
    /// Whether text that others fill in or decrypt is judged as it stands.
    pub(crate) as_is: bool,
    /// Whether files that have no objects are left out.
    pub(crate) leaves_out: bool,
    pub(crate) reject: Vec<String>,
    /// Whether valid objects are only counted, so that many of them may be reported as one.
    pub(crate) counts_valid: bool,
    pub(crate) presentation: Presentation<'a>,
}

impl Judge<'_> {
    /// What is reported about the objects of `input`, in their order.
    pub(crate) fn input(&self, input: &Input) -> Vec<Object> {
        let options = limits::decoding();
        let invalid_utf8 = invalid_utf8(input);
        let has_comments = memchr::memmem::find(&input.bytes, b"crdkit-ignore").is_some();
        let (mut quiet, mut first) = (Vec::new(), None);
        if invalid_utf8.is_empty() && !has_comments {
            for decoded in objects::decode(input, &options) {
                let (identity, judgement) = self.object(decoded, input.role);
                if !judgement.is_quiet() {
                    first = Some((identity, judgement));
                    break;
                }
                quiet.push(judged(identity, judgement, input.role));
            }
            if first.is_none() {
                if let Some(reason) = settle(&mut quiet) {
                    return vec![Object::left_out(&input.name, reason)];
                }
                if quiet.iter().all(|it| it.issues.is_empty()) {
                    if self.counts_valid && quiet.iter().all(is_plainly_valid) {
                        return together(input, quiet);
                    }
                    return quiet.into_iter().map(|judged| object(input, judged)).collect();
                }
                // Their places are not known yet.
                quiet.clear();
            }
        }
        let options = limits::decoding().positions(true);
        let around = Judged::unreadable(invalid_utf8);
        let mut all: Vec<_> = Some(around).filter(|it| !it.issues.is_empty()).into_iter().collect();
        let mut quiet = quiet.into_iter();
        for decoded in objects::decode(input, &options) {
            all.push(match quiet.next() {
                Some(judged) if judged.issues.is_empty() => judged,
                // Its place is not known yet.
                Some(_) => self.located(decoded, None, input),
                None => self.located(decoded, first.take(), input),
            });
        }
        if self.is_template(input, &all) {
            return vec![Object::left_out(&input.name, LeftOut::Template)];
        }
        match settle(&mut all) {
            Some(reason) => vec![Object::left_out(&input.name, reason)],
            None => self.presentation.objects(input, all),
        }
    }

    /// Whether a file becomes YAML only when some program fills it in.
    fn is_template(&self, input: &Input, judged: &[Judged]) -> bool {
        let is_broken =
            |it: &Judged| it.issues.iter().any(|it| it.code == codes::decode::YAML_SYNTAX);
        let is_file = self.leaves_out && input.role == Role::File;
        is_file && judged.iter().any(is_broken) && source::has_actions(&input.bytes)
    }

    /// An object that was decoded with positions; `known` is what was found out without them.
    fn located(
        &self,
        decoded: objects::ObjectOutcome,
        known: Option<(Option<Identity>, Judgement)>,
        input: &Input,
    ) -> Judged {
        let mut decoded = match decoded {
            Ok(decoded) => decoded,
            Err(issues) => return Judged::unreadable(self.graded(issues)),
        };
        let document = Document::copy_with_positions(decoded.document.root());
        let mut opaque = Opaque::find(&document, input.role, &self.skip_json_path, self.as_is);
        // What is accepted as it is needs no excuse.
        if opaque.is_some() && known.is_none() {
            let whole = Document::copy_with_positions(document.root());
            let whole = Decoded { document: whole, issues: decoded.issues.clone() };
            let (_, judgement) = self.object(Ok(whole), input.role);
            opaque = opaque.filter(|_| !judgement.is_quiet());
        }
        if let Some(opaque) = &opaque {
            opaque.strip(&mut decoded.document);
        }
        let (identity, judgement) = match known.filter(|_| opaque.is_none()) {
            Some((identity, Judgement::Outcome { mut outcome, is_built_in })) => {
                outcome.locate(&decoded);
                (identity, Judgement::Outcome { outcome, is_built_in })
            }
            _ => self.object(Ok(decoded), input.role),
        };
        let identity = identity.and_then(|_| objects::identify(&document).ok());
        let mut judged = judged(identity, judgement, input.role);
        if judged.left_out.is_none() {
            if let Some(opaque) = &opaque {
                judged.partly = Some(opaque.excuse(&document, &mut judged.issues));
            }
            self.improve(&mut judged, &WrittenObject { document: &document, source: &input.bytes });
        }
        judged.origin = origin(input, &document);
        judged
    }

    /// Adds what was probably meant.
    fn improve(&self, judged: &mut Judged, written: &WrittenObject<'_>) {
        let Some(identity) = &judged.identity else { return };
        let (group, kind) = (definitions::group_name(&identity.gvk.group), &identity.gvk.kind);
        let definition = self.crds.set.by_kind(group, kind);
        let schema = match definition.and_then(|it| it.document()) {
            Some(crd) => Some(SchemaText::Crd(crd, &identity.gvk.version)),
            None => self.native_kind(identity).map(SchemaText::Native),
        };
        if let Some(schema) = schema {
            suggest::improve(&mut judged.issues, written, &schema);
        }
        for issue in &mut judged.issues {
            let suggestion = if issue.code == codes::source::NO_SCHEMA {
                let known = self.crds.set.iter().map(|it| (it.group(), it.kind()));
                suggest::kind(&identity.gvk.group, kind, known)
            } else {
                self.other_version(issue, identity, written)
            };
            if let Some(suggestion) = suggestion {
                suggestion.add_to(issue);
            }
        }
    }

    fn object(&self, decoded: objects::ObjectOutcome, role: Role) -> (Option<Identity>, Judgement) {
        let refused = |issues| (None, Judgement::Issues(issues));
        let decoded = match decoded {
            Ok(decoded) => decoded,
            Err(issues) => return refused(self.graded(issues)),
        };
        let reason = objects::not_meant_as_object(&decoded.document);
        let reason = reason.filter(|_| self.leaves_out && role != Role::Stream);
        let identity = match objects::identify(&decoded.document) {
            Ok(identity) => identity,
            Err(issue) => {
                let issues = self.with_decoded(*issue, &decoded);
                return match reason {
                    None if role != Role::Patch => refused(issues),
                    reason => {
                        let reason = reason.unwrap_or(LeftOut::NoObjects);
                        (None, Judgement::LeftOut(reason, issues))
                    }
                };
            }
        };
        if let Some(reason) = reason {
            return (Some(identity), Judgement::LeftOut(reason, Vec::new()));
        }
        let changeable = self.policies.filter(|policies| policies.mutates());
        let written = changeable.map(|_| Document::copy_with_positions(decoded.document.root()));
        let mut judgement = self.judgement(decoded, &identity);
        if let (Some(policies), Judgement::Outcome { outcome, .. }) =
            (self.policies, &mut judgement)
        {
            let changed = written.and_then(|written| self.changed(policies, &written, &identity));
            if let Some(issues) = changed {
                return (Some(identity), Judgement::Issues(issues));
            }
            let old = self.old.get(&ObjectName::from(&identity));
            policies.judge(&identity, &self.plural(&identity), old, outcome);
        }
        (Some(identity), judgement)
    }

    /// What is wrong with an object once policies have changed it, each where the object as it is written has it.
    fn changed(
        &self,
        policies: &Policies,
        written: &Document,
        identity: &Identity,
    ) -> Option<Vec<Issue>> {
        let crd = match self.crds.get(identity) {
            KnownSchema::Crd(crd) => Some(crd),
            _ => None,
        };
        let rules = match &crd {
            Some(crd) => KindRules::Custom(crd.version(&identity.gvk.version)?),
            None => KindRules::Native(self.native_kind(identity)?),
        };
        let options = self.options(identity);
        let object = Decoded { document: written.clone(), issues: Vec::new() };
        let old = self.old.get(&ObjectName::from(identity));
        let (live, object) = match old {
            Some(old) => {
                let (old, object) = objects::as_update(old, object, rules.is_namespaced());
                (Some(rules.stored(&old, &options)), object)
            }
            None => (None, object),
        };
        let is_status = matches!(self.subresource, Some(Subresource::Status));
        let (outcome, _) = policies.admit(&rules, object, (live.as_ref(), is_status), &options);
        let mut issues = outcome.issues;
        for issue in &mut issues {
            let value = written.root().nearest(&issue.path);
            issue.span = written.place(value.id()).map(|place| match place.key {
                Some(key) if value.is_container() => key,
                _ => place.value,
            });
        }
        Some(issues)
    }

    /// The name of the resource of an object.
    fn plural(&self, identity: &Identity) -> String {
        match (self.crds.get(identity), self.native_kind(identity)) {
            (KnownSchema::Crd(crd), _) => crd.compiled().plural().to_owned(),
            (_, Some(kind)) => kind.plural.to_owned(),
            _ => format!("{}s", identity.gvk.kind.to_lowercase()),
        }
    }

    /// The same findings, where a key that is given twice counts as much as was asked for.
    fn graded(&self, mut issues: Vec<Issue>) -> Vec<Issue> {
        let is_repeated = |issue: &Issue| issue.code == codes::decode::DUPLICATE_KEY;
        match self.field_validation {
            FieldValidation::Ignore => issues.retain(|issue| !is_repeated(issue)),
            FieldValidation::Warn => {
                let repeated = issues.iter_mut().filter(|issue| is_repeated(issue));
                repeated.for_each(|issue| issue.severity = Severity::Warning);
            }
            FieldValidation::Strict => {}
        }
        issues
    }

    /// What is wrong with an object.
    fn judgement(&self, decoded: Decoded, identity: &Identity) -> Judgement {
        let at = |issue, key| Judgement::Issues(self.at_value(issue, &decoded, key));
        if !self.is_wanted(identity) {
            return Judgement::Skipped(Vec::new());
        }
        if identity.is_among(&self.reject) {
            let issue = Issue::error(codes::source::REJECTED_KIND);
            return at(issue.with("kind", identity.gvk.kind.as_str()), "kind");
        }
        let old = self.old.get(&ObjectName::from(identity));
        if identity.is_crd() {
            return Judgement::Issues(crds::issues(decoded, old, Extent::AsServer));
        }
        match self.crds.get(identity) {
            KnownSchema::Crd(crd) => self.verdict(&crd, false, decoded, identity, old),
            KnownSchema::Schema(crd) => {
                self.verdict(&crd, identity.is_built_in(), decoded, identity, old)
            }
            KnownSchema::Nothing => {
                if let Some(kind) = self.native_kind(identity) {
                    return self.native_verdict(kind, decoded, identity, old);
                }
                if let Some(issue) = self.removed(identity) {
                    return at(issue, "apiVersion");
                }
                let document = &decoded.document;
                let problem = objects::list_problem(document);
                let is_ignored = self.ignore_missing_schemas && problem.is_none();
                match problem.or_else(|| objects::missing_group(document)) {
                    _ if is_ignored => Judgement::Skipped(self.graded(decoded.issues)),
                    Some(issue) => Judgement::Issues(self.with_decoded(issue, &decoded)),
                    None => at(objects::no_schema(identity, &hint(identity)), "kind"),
                }
            }
            KnownSchema::Unusable(problem) => {
                let issue = Issue::error(codes::source::UNUSABLE_SCHEMA)
                    .with("kind", identity.gvk.kind.as_str())
                    .with("problem", problem);
                at(issue, "kind")
            }
        }
    }

    /// The finding at the value of the root's member `key`, for which the object is not looked at any
    /// further, with what was noticed while decoding it.
    fn at_value(&self, mut issue: Issue, decoded: &Decoded, key: &str) -> Vec<Issue> {
        let document = &decoded.document;
        let place = document.root().get(key).and_then(|value| document.place(value.id()));
        issue.span = place.map(|place| place.value);
        self.with_decoded(issue, decoded)
    }

    fn with_decoded(&self, issue: Issue, decoded: &Decoded) -> Vec<Issue> {
        self.graded(std::iter::once(issue).chain(decoded.issues.iter().cloned()).collect())
    }

    /// Whether CRDs among the objects are judged.
    pub(crate) fn judges_crds(&self) -> bool {
        let gvk = GroupVersionKind::of("apiextensions.k8s.io/v1", "CustomResourceDefinition");
        self.is_wanted(&Identity { gvk, ..Identity::default() })
    }

    /// Whether a kind is one of those that are asked for.
    fn is_wanted(&self, identity: &Identity) -> bool {
        let is_named = self.only.is_empty() || identity.is_among(&self.only);
        is_named && !identity.is_among(&self.skip)
    }

    /// Whether anything is known about a kind by now.
    pub(crate) fn knows(&self, identity: &Identity) -> bool {
        let is_skipped = identity.is_crd() || identity.is_among(&self.skip);
        is_skipped || self.crds.has(identity) || self.native_kind(identity).is_some()
    }

    fn native_kind(&self, identity: &Identity) -> Option<&'static NativeKind> {
        let gvk = &identity.gvk;
        if !self.native || !identity.is_built_in() {
            return None;
        }
        NativeKinds::latest().find(&gvk.group, &gvk.version, &gvk.kind)
    }

    /// That a kind is not served in this version any more.
    fn removed(&self, identity: &Identity) -> Option<Issue> {
        if !self.native {
            return None;
        }
        let removed = crdkit_native::removed(&identity.api_version(), &identity.gvk.kind)?;
        let minor = removed.release.split('.').nth(1).and_then(|it| it.parse::<u32>().ok());
        if minor.is_some_and(|minor| minor > kubernetes::minor()) {
            return None;
        }
        let replacement = match removed.replacement {
            "" => String::new(),
            replacement => format!("; use `{replacement}`"),
        };
        let issue = Issue::error(codes::native::REMOVED).with("kind", removed.kind);
        let issue = issue.with("version", removed.api_version).with("release", removed.release);
        Some(issue.with("replacement", replacement))
    }

    /// The API server's verdict on an object of a native kind.
    fn native_verdict(
        &self,
        kind: &'static NativeKind,
        decoded: Decoded,
        identity: &Identity,
        old: Option<&Document>,
    ) -> Judgement {
        kubernetes::native_was_judged();
        let options = self.options(identity);
        let outcome = match old {
            Some(old) => {
                let (old, decoded) = objects::as_update(old, decoded, kind.namespaced);
                match self.subresource {
                    Some(Subresource::Status) => kind.update_status(&old, decoded, &options),
                    None => kind.update(&old, decoded, &options),
                }
            }
            None => kind.create(decoded, &options),
        };
        Judgement::Outcome { outcome: Box::new(outcome), is_built_in: false }
    }

    /// A request for an object. The server stops at unknown fields in strict mode; people want to see everything at
    /// once.
    fn options(&self, identity: &Identity) -> RequestOptions {
        let mode = self.field_validation.into();
        let mut options = limits::request().field_validation(mode).report_all(true);
        if !identity.namespace.is_empty() {
            options.namespace = identity.namespace.as_str().into();
        }
        options
    }

    /// The API server's verdict.
    fn verdict(
        &self,
        crd: &Crd,
        is_built_in: bool,
        mut decoded: Decoded,
        identity: &Identity,
        old: Option<&Document>,
    ) -> Judgement {
        let Some(version) = crd.version(&identity.gvk.version) else {
            let issue = objects::unknown_version(identity, crd);
            return Judgement::Issues(self.at_value(issue, &decoded, "apiVersion"));
        };
        if identity.gvk.group.is_empty()
            && let Some(id) = decoded.document.root().get("apiVersion").map(Value::id)
        {
            let api_version = format!("{}/{}", definitions::group_name(""), identity.gvk.version);
            decoded.document.set(id, &api_version);
        }
        let options = self.options(identity);
        let outcome = match old {
            Some(old) => {
                let (old, decoded) =
                    objects::as_update(old, decoded, crd.compiled().is_namespaced());
                match self.subresource {
                    Some(Subresource::Status) => version.update_status(&old, decoded, &options),
                    None => version.update(&old, decoded, &options),
                }
            }
            None => version.create(decoded, &options),
        };
        Judgement::Outcome { outcome: Box::new(outcome), is_built_in }
    }
}

fn judged(identity: Option<Identity>, judgement: Judgement, role: Role) -> Judged {
    let partly = (role == Role::Patch).then_some(Partly::Patch);
    let judged = Judged { identity, partly, ..Judged::default() };
    match judgement {
        Judgement::LeftOut(reason, issues) => Judged { issues, left_out: Some(reason), ..judged },
        Judgement::Issues(issues) => Judged { issues, ..judged },
        Judgement::Skipped(issues) => {
            let skipped = issues.iter().all(|issue| issue.severity != Severity::Error);
            Judged { issues, skipped, ..judged }
        }
        Judgement::Outcome { outcome, is_built_in } => {
            let mut issues = outcome.issues;
            if is_built_in {
                let name = FieldPath::root().field("metadata").field("name");
                issues.retain(|issue| issue.path != name);
            }
            Judged { issues, ..judged }
        }
    }
}

/// The file that an object of a stream was made of, where Helm or kustomize says so.
fn origin(input: &Input, document: &Document) -> Option<Arc<str>> {
    let root = document.root();
    let annotation =
        root.pointer("/metadata/annotations").and_then(|it| it.get(rendered::ANNOTATION));
    if let Some(text) = annotation.and_then(Value::as_str).filter(|_| input.origin.is_none()) {
        return text.lines().find_map(rendered::origin_path).map(Into::into);
    }
    if input.format != Format::Yaml || input.origin.is_some() {
        return None;
    }
    let start = document.place(root.id())?.value.start;
    let before = std::str::from_utf8(input.bytes.get(..start)?).ok()?;
    // From the line that ends the document before.
    let from = before.rfind("\n---").map_or(0, |at| at + 1);
    rendered::comment(before.get(from..)?.lines()).map(Into::into)
}

/// Whether there is nothing to say about an object, other than that it is valid.
fn is_plainly_valid(judged: &Judged) -> bool {
    judged.identity.is_some() && !judged.skipped && judged.partly.is_none()
}

/// The report on all objects of `input`, which are valid, as one that counts for all of them.
fn together(input: &Input, judged: Vec<Judged>) -> Vec<Object> {
    let n_others = judged.len().saturating_sub(1);
    let first = judged.into_iter().next().map(|first| object(input, first));
    first.into_iter().map(|first| Object { n_alike: n_others, ..first }).collect()
}

/// The report on an object of `input` without findings.
fn object(input: &Input, judged: Judged) -> Object {
    let mut object = Object::judged(&input.name, judged.identity.map(Subject::Object), Vec::new());
    if judged.skipped {
        object.verdict = Verdict::Skipped;
    }
    (object.origin, object.partly) = (input.origin.clone(), judged.partly);
    object
}

/// What to do about a kind that nothing is known about.
fn hint(identity: &Identity) -> String {
    let group = identity.gvk.group.as_str();
    if NativeKinds::latest().all().iter().any(|kind| kind.group == group) {
        let kind = &identity.gvk.kind;
        return format!("name JSON Schemas with `--schema-location`, or `--skip {kind}`");
    }
    "name its file or directory with `--crds`".to_owned()
}
