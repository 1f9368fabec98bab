//! Objects judged by admission policies, without a server.
//!
//! Policies, bindings, objects of parameters and namespaces come from sources of their own; a namespace that is not among
//! them has no labels but its name. Objects are changed by mutating policies after they were read, and judged as they would be
//! stored, after their schema has accepted them.

use crate::objects::{self, Identity};
use crate::source::{self, Client, Purpose};
use crate::write::KindRules;
use anyhow::{Result, anyhow};
use crdkit_admission::policy::{PolicySet, ValidationAction};
use crdkit_admission::{AdmissionRequest, Match, Operation, User};
use crdkit_codec::Decoded;
use crdkit_engine::{Outcome, RequestOptions, Stored};
use crdkit_issue::{FieldPath, Issue, Segment, codes};
use crdkit_schema::status::Status;
use crdkit_text::kind::GroupVersionResource;
use crdkit_value::Document;

/// Policies, and who sends the requests that they judge.
pub(crate) struct Policies {
    set: PolicySet,
    user: User,
}

impl Policies {
    /// The policies in `sources`; none if nothing is named.
    pub(crate) fn load(
        sources: &[String],
        client: &Client,
        (user, groups): (&str, &[String]),
    ) -> Result<Option<Self>> {
        if sources.is_empty() {
            return Ok(None);
        }
        let set = PolicySet::read(source::documents(sources, Purpose::Objects, client)?);
        if set.is_empty() {
            return Err(anyhow!("there is no policy in `{}`", sources.join("`, `")));
        }
        let problems: Vec<String> = set
            .problems()
            .map(|(policy, field, problem)| format!("policy `{policy}`: {field}: {problem}"))
            .collect();
        if !problems.is_empty() {
            return Err(anyhow!("policies cannot be used:\n{}", problems.join("\n")));
        }
        for name in set.unbound() {
            let issue = Issue::warning(codes::policy::UNBOUND).with("policy", name);
            crate::report::note(&issue.to_string());
        }
        let user = User { name: user.to_owned(), groups: groups.to_vec(), ..User::default() };
        Ok(Some(Self { set, user }))
    }

    /// Whether objects may have to be changed before they are judged.
    pub(crate) fn mutates(&self) -> bool {
        self.set.mutates()
    }

    /// What becomes of an object that policies change and judge, and the answer if they refuse it.
    pub(crate) fn admit(
        &self,
        rules: &KindRules<'_>,
        object: Decoded,
        (live, is_status): (Option<&Stored>, bool),
        options: &RequestOptions,
    ) -> (Outcome, Option<Status>) {
        let identity = objects::identify(&object.document).ok();
        let Some(identity) = identity.filter(|_| !is_status) else {
            return (rules.finish(object, (live, is_status), options), None);
        };
        let old = live.map(Stored::document);
        let merge = |_: &_, object: &mut Document, made: &Document| rules.merge(object, made);
        let mutate = |document: &mut Document| {
            let asked = document.clone();
            self.request(&identity, rules.plural(), &asked, old, |request| {
                self.set.mutate(request, document, &unconverted, &merge)
            })
        };
        let copy = Decoded { document: object.document.clone(), issues: object.issues.clone() };
        match rules.admit(object, (live, false), options, mutate) {
            Ok(mut outcome) => {
                let refusal = self.judge(&identity, rules.plural(), old, &mut outcome);
                (outcome, refusal)
            }
            Err(status) => {
                let mut outcome = rules.finish(copy, (live, false), options);
                let issue = Issue::error(codes::policy::FAILED).with("text", &*status.message);
                outcome.add(FieldPath::root(), issue);
                (outcome, Some(*status))
            }
        }
    }

    /// Calls `then` with a request about an object.
    fn request<T>(
        &self,
        identity: &Identity,
        plural: &str,
        object: &Document,
        old: Option<&Document>,
        then: impl FnOnce(&AdmissionRequest<'_>) -> T,
    ) -> T {
        let namespace = match &*identity.namespace {
            "" => None,
            name => {
                Some(self.set.namespace(name).cloned().unwrap_or_else(|| plain_namespace(name)))
            }
        };
        let operation = if old.is_some() { Operation::Update } else { Operation::Create };
        let resource = GroupVersionResource {
            group: identity.gvk.group.clone(),
            version: identity.gvk.version.clone(),
            resource: plural.to_owned(),
        };
        then(&AdmissionRequest {
            name: &identity.name,
            namespace: &identity.namespace,
            object: Some(object),
            old_object: old,
            namespace_object: namespace.as_ref(),
            ..AdmissionRequest::new(operation, &identity.gvk, &resource, &self.user)
        })
    }

    /// Adds what policies say to the outcome of an object that was accepted, and gives the answer if they refuse it.
    /// `plural` is the name of its resource.
    pub(crate) fn judge(
        &self,
        identity: &Identity,
        plural: &str,
        old: Option<&Document>,
        outcome: &mut Outcome,
    ) -> Option<Status> {
        if !outcome.is_accepted() {
            return None;
        }
        let object = outcome.document().clone();
        let judgement = self.request(identity, plural, &object, old, |request| {
            self.set.judge(request, &unconverted)
        });
        for finding in judgement.findings {
            let issue = if finding.actions.contains(&ValidationAction::Deny) {
                Issue::error(codes::policy::DENIED)
            } else {
                Issue::warning(codes::policy::DENIED)
            };
            let steps = finding.decision.about.iter();
            let path: FieldPath = steps.map(|step| Segment::named(step)).collect();
            let issue = issue
                .with("policy", &*finding.policy)
                .with("binding", &*finding.binding)
                .with("text", finding.decision.message);
            outcome.add(path, issue);
        }
        judgement.refusal
    }
}

/// Objects are judged in the version that they are written in.
#[expect(clippy::unnecessary_wraps, reason = "what policies ask for")]
fn unconverted(object: &Document, _: &Match) -> Result<Document, Box<Status>> {
    Ok(object.clone())
}

/// A namespace with nothing but what all of them have.
fn plain_namespace(name: &str) -> Document {
    let labels = Document::object().with("kubernetes.io/metadata.name", name);
    let metadata = Document::object().with("name", name).with("labels", &labels);
    Document::object()
        .with("apiVersion", "v1")
        .with("kind", "Namespace")
        .with("metadata", &metadata)
}
