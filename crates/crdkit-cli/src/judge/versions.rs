//! Other versions of a kind, for objects in one that is not served, or soon will not be.

use super::suggest::{Suggestion, WrittenObject};
use super::{Judge, Judgement};
use crate::objects::Identity;
use crdkit_codec::Decoded;
use crdkit_issue::{Issue, Severity, codes};
use crdkit_structure::definitions;
use crdkit_text::kind::{GroupVersion, compare_versions};
use crdkit_value::{Document, Value};

impl Judge<'_> {
    /// The version that an object should be written in instead, if the finding is about that. It can be put in the
    /// place of the old one if the object is accepted in it as it is.
    pub(super) fn other_version(
        &self,
        issue: &mut Issue,
        identity: &Identity,
        written: &WrittenObject<'_>,
    ) -> Option<Suggestion> {
        let about =
            [codes::source::UNKNOWN_VERSION, codes::object::DEPRECATED, codes::native::REMOVED];
        if !about.contains(&issue.code) {
            return None;
        }
        let shown = self.newest(identity)?;
        if shown == identity.api_version() {
            return None;
        }
        let value = written.document.root().get("apiVersion")?;
        issue.span = written.document.place(value.id()).map(|place| place.value);
        let fix = written.quoted_alike(&shown, issue.span);
        let fix = fix.filter(|_| self.accepts(identity, written.document, &shown));
        let is_said = issue.code == codes::native::REMOVED;
        Some(Suggestion { shown: if is_said { String::new() } else { shown }, fix })
    }

    /// The newest version that is served and not deprecated, as `apiVersion` has it.
    fn newest(&self, identity: &Identity) -> Option<String> {
        let (group, kind) = (identity.gvk.group.as_str(), identity.gvk.kind.as_str());
        let Some(definition) = self.crds.set.by_kind(definitions::group_name(group), kind) else {
            let removed = crdkit_native::removed(&identity.api_version(), kind)?;
            return Some(removed.replacement.to_owned()).filter(|it| !it.is_empty());
        };
        let versions = definition.document()?.root().pointer("/spec/versions")?.items();
        let is = |version: &Value<'_>, key| version.get(key).and_then(Value::as_bool) == Some(true);
        let names = versions
            .filter(|version| is(version, "served") && !is(version, "deprecated"))
            .filter_map(|version| version.get("name")?.as_str());
        let newest = names.max_by(|left, right| compare_versions(left, right))?;
        Some(GroupVersion { group, version: newest }.to_string())
    }

    /// Whether the same object is accepted in another version.
    fn accepts(&self, identity: &Identity, document: &Document, api_version: &str) -> bool {
        let Some(version) = GroupVersion::parse(api_version) else { return false };
        let mut document = Document::copy_of(document.root());
        let Some(id) = document.root().get("apiVersion").map(Value::id) else { return false };
        document.set(id, api_version);
        let identity = Identity { gvk: version.kind(&identity.gvk.kind), ..identity.clone() };
        let judgement =
            self.judgement(Decoded { document, issues: Vec::new() }, &identity, &mut None);
        let is_fine = |issues: &[Issue]| issues.iter().all(|it| it.severity != Severity::Error);
        match judgement {
            Judgement::Outcome { outcome, .. } => is_fine(&outcome.issues),
            Judgement::Issues(_) | Judgement::Skipped(_) | Judgement::LeftOut(..) => false,
        }
    }
}
