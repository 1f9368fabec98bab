//! From one decoded object to what is found out about it: by its CRD or schema, by the rules of its native kind,
//! then by policies.

use super::{Judge, ObjectName, Subresource};
use crate::args::FieldValidation;
use crate::crds::{self, Extent, KnownSchema};
use crate::input::Role;
use crate::kubernetes;
use crate::limits;
use crate::objects::{self, Identity};
use crate::policies::Policies;
use crate::report::LeftOut;
use crate::write::KindRules;
use crdkit_codec::Decoded;
use crdkit_engine::{Crd, Outcome, RequestOptions};
use crdkit_issue::{Issue, Severity, codes};
use crdkit_native::{NativeKind, NativeKinds};
use crdkit_structure::definitions;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Value};

/// What was found out about an object.
pub(super) enum Judgement {
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

/// A kind that was asked for.
pub(super) struct RecentKind {
    gvk: GroupVersionKind,
    schema: KnownSchema,
}

impl Judgement {
    pub(super) fn is_quiet(&self) -> bool {
        match self {
            Self::LeftOut(..) => true,
            Self::Skipped(issues) | Self::Issues(issues) => issues.is_empty(),
            Self::Outcome { outcome, .. } => outcome.issues.is_empty(),
        }
    }
}

impl Judge<'_> {
    /// What is found out about an object; `recent` is what was asked for last.
    pub(super) fn object(
        &self,
        decoded: objects::ObjectOutcome,
        role: Role,
        recent: &mut Option<RecentKind>,
    ) -> (Option<Identity>, Judgement) {
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
        let mut judgement = self.judgement(decoded, &identity, recent);
        if let (Some(policies), Judgement::Outcome { outcome, .. }) =
            (self.policies, &mut judgement)
        {
            let changed = written.and_then(|written| self.changed(policies, &written, &identity));
            if let Some(issues) = changed {
                return (Some(identity), Judgement::Issues(issues));
            }
            let old = self.old_object(&identity);
            policies.judge(&identity, &self.plural(&identity), old, outcome);
        }
        (Some(identity), judgement)
    }

    /// What is known of a kind. Threads do not meet here for each of many objects of one kind.
    fn schema<'r>(
        &self,
        identity: &Identity,
        recent: &'r mut Option<RecentKind>,
    ) -> &'r KnownSchema {
        let known = recent.take().filter(|known| known.gvk == identity.gvk);
        let look_up = || RecentKind { gvk: identity.gvk.clone(), schema: self.crds.get(identity) };
        &recent.insert(known.unwrap_or_else(look_up)).schema
    }

    /// What an object replaces.
    fn old_object(&self, identity: &Identity) -> Option<&Document> {
        if self.old.is_empty() { None } else { self.old.get(&ObjectName::from(identity)) }
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
        let old = self.old_object(identity);
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

    /// What is wrong with an object.
    pub(super) fn judgement(
        &self,
        decoded: Decoded,
        identity: &Identity,
        recent: &mut Option<RecentKind>,
    ) -> Judgement {
        let at = |issue, key| Judgement::Issues(self.at_value(issue, &decoded, key));
        if !self.is_wanted(identity) {
            return Judgement::Skipped(Vec::new());
        }
        if identity.is_among(&self.reject) {
            let issue = Issue::error(codes::source::REJECTED_KIND);
            return at(issue.with("kind", identity.gvk.kind.as_str()), "kind");
        }
        let old = self.old_object(identity);
        if identity.is_crd() {
            return Judgement::Issues(crds::issues(decoded, old, Extent::AsServer));
        }
        match self.schema(identity, recent) {
            KnownSchema::Crd(crd) => self.verdict(crd, false, decoded, identity, old),
            KnownSchema::Schema(crd) => {
                self.verdict(crd, identity.is_built_in(), decoded, identity, old)
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
                    .with("problem", problem.as_str());
                at(issue, "kind")
            }
        }
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

    /// The API server's verdict on an object of a native kind.
    fn native_verdict(
        &self,
        kind: &'static NativeKind,
        decoded: Decoded,
        identity: &Identity,
        old: Option<&Document>,
    ) -> Judgement {
        kubernetes::native_was_judged();
        // Some rules compare with the identity that a new object gets, which is none that it could name.
        let options = self.options(identity).uid(NEW_UID);
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

    /// The same findings, where a key that is given twice counts as much as was asked for.
    pub(super) fn graded(&self, mut issues: Vec<Issue>) -> Vec<Issue> {
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
}

/// The identity of objects that are created.
const NEW_UID: &str = "00000000-0000-4000-8000-000000000000";

/// What to do about a kind that nothing is known about.
fn hint(identity: &Identity) -> String {
    let group = identity.gvk.group.as_str();
    if NativeKinds::latest().all().iter().any(|kind| kind.group == group) {
        let kind = &identity.gvk.kind;
        return format!("name JSON Schemas with `--schema-location`, or `--skip {kind}`");
    }
    "name its file or directory with `--crds`".to_owned()
}
