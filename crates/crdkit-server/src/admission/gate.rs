//! Admission of a write: what is asked between reading and checking an object, and after the check.
//!
//! Both steps stand inside the loop that runs a lost race again, where nothing waits; a thread that waits for a webhook
//! is therefore given up for that time, and only if a webhook is concerned.

use crate::catalogue::native::scale_kind;
use crate::options::WriteOptions;
use crate::rules::Rules;
use crate::stored::{self, metadata_text};
use crate::verbs::Target;
use crdkit_admission::policy::MutateTools;
use crdkit_admission::{
    AdmissionRequest, Authorizer, Equivalent, Match, Operation, Remarks, Rounds,
};
use crdkit_patch::{PatchLimits, json};
use crdkit_schema::status::Status;
use crdkit_text::kind::{GroupVersionKind, GroupVersionResource};
use crdkit_text::names::label_key;
use crdkit_value::{Document, NodeId};
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tokio::runtime::RuntimeFlavor;

/// What a write does to an object.
#[derive(Clone, Copy)]
pub(crate) struct Change<'c> {
    pub(crate) operation: Operation,
    pub(crate) dry_run: bool,
    /// What is there before; none if nothing is.
    pub(crate) old: Option<&'c Document>,
}

/// Gives an object in another version of its kind.
type VersionConversion<'t> = dyn Fn(&Document, &Match) -> Result<Document, Box<Status>> + Sync + 't;

impl<'c> Change<'c> {
    /// A write that replaces `old`.
    pub(crate) fn update(options: &WriteOptions, old: &'c Document) -> Self {
        Self { operation: Operation::Update, dry_run: options.dry_run, old: Some(old) }
    }

    /// A write that makes an object.
    pub(crate) fn create(options: &WriteOptions) -> Self {
        Self { operation: Operation::Create, dry_run: options.dry_run, old: None }
    }
}

impl Target<'_> {
    /// Lets plugins and mutating webhooks change an object that was read, and gives it what only the server can.
    ///
    /// # Errors
    /// The answer, when one refuses.
    pub(crate) fn mutate(
        &self,
        change: Change<'_>,
        object: &mut Document,
    ) -> Result<(), Box<Status>> {
        let mut rounds = Rounds::default();
        loop {
            let before = rounds.is_second().then(|| object.clone());
            self.ask_plugins(change, object)?;
            if before.is_some_and(|before| before.root() != object.root()) {
                rounds.changed();
            }
            self.ask_policies(change, object, &mut rounds)?;
            self.ask_mutating(change, object, &mut rounds)?;
            if !rounds.begin_second() {
                break;
            }
        }
        self.allocate(change.old, object);
        Ok(())
    }

    fn ask_policies(
        &self,
        change: Change<'_>,
        object: &mut Document,
        rounds: &mut Rounds,
    ) -> Result<(), Box<Status>> {
        let admission = &self.core.admission;
        if !admission.has_mutating_policies() {
            return Ok(());
        }
        let asked = object.clone();
        self.describe(change, Some(&asked), |request| {
            let convert = self.conversion();
            let merge = |kind: &GroupVersionKind, object: &mut Document, made: &Document| {
                self.merge(kind, object, made)
            };
            let tools = MutateTools {
                convert: &|object, matched| convert(object, matched),
                find_params: &|kind, reference, namespace| {
                    wait(crate::configured::params(self.core, kind, reference, namespace))
                },
                merge: &merge,
            };
            admission.mutate_by_policies(request, object, tools, rounds)
        })?;
        stored::metadata(object);
        Ok(())
    }

    /// Lays an object that a policy has made over that of a request.
    fn merge(
        &self,
        kind: &GroupVersionKind,
        object: &mut Document,
        made: &Document,
    ) -> Result<(), String> {
        if self.subresource == Some("scale") {
            return crate::manage::merge(&scale_kind(), object, made, self.core.environment.now());
        }
        let resource = &self.served.resource.plural;
        let Some(served) = self.core.find(&kind.group, &kind.version, resource) else {
            return Err(format!("Resource kind {kind} not found"));
        };
        crate::manage::merge(&served, object, made, self.core.environment.now())
    }

    fn ask_mutating(
        &self,
        change: Change<'_>,
        object: &mut Document,
        rounds: &mut Rounds,
    ) -> Result<(), Box<Status>> {
        let admission = &self.core.admission;
        if !admission.has_mutating() {
            return Ok(());
        }
        let asked = object.clone();
        self.describe(change, Some(&asked), |request| {
            if !admission.mutates(request) {
                return Ok(());
            }
            let mut remarks = Remarks::default();
            let environment = &self.core.environment;
            let tools = (&*self.conversion(), &apply as super::ApplyPatch<'_>);
            let notes = (rounds, &mut remarks);
            let mutated = wait(admission.mutate(environment, request, object, tools, notes));
            self.pass_on(remarks);
            mutated
        })
    }

    /// Asks plugins, policies and validating webhooks about an object that was checked; none if it goes away. Quotas are
    /// last: what they count is stored at once.
    ///
    /// # Errors
    /// The answer, when one refuses.
    pub(crate) fn validate(
        &self,
        change: Change<'_>,
        object: Option<&Document>,
    ) -> Result<(), Box<Status>> {
        let admission = &self.core.admission;
        let quotas = self.quotas(change.operation);
        if !admission.has_validating() && !self.is_judged() && quotas.is_empty() {
            return Ok(());
        }
        self.describe(change, object, |request| {
            let convert = self.conversion();
            let mut remarks = Remarks::default();
            let passed = self.judge_by_plugins(request, &mut remarks);
            let judged = passed.and_then(|()| {
                admission.judge(
                    request,
                    &*convert,
                    &|kind, reference, namespace| {
                        wait(crate::configured::params(self.core, kind, reference, namespace))
                    },
                    &mut remarks,
                )
            });
            let asked = judged.and_then(|()| {
                if !admission.validates(request) {
                    return Ok(());
                }
                let environment = &self.core.environment;
                wait(admission.validate(environment, request, &*convert, &mut remarks))
            });
            self.pass_on(remarks);
            asked.and_then(|()| self.charge(request, quotas))
        })
    }

    fn pass_on(&self, remarks: Remarks) {
        remarks.warnings.into_iter().for_each(|text| self.request.warn(text));
        // A key that is none is left out, and nobody is told.
        let is_key = |key: &str| key.contains('/') && label_key(key).is_empty();
        let notes = remarks.audit_annotations.into_iter().filter(|(key, _)| is_key(key));
        notes.for_each(|(key, value)| self.request.annotate(key, value));
    }

    /// Calls `then` with the request as admission sees it.
    pub(super) fn describe<T>(
        &self,
        change: Change<'_>,
        object: Option<&Document>,
        then: impl FnOnce(&AdmissionRequest<'_>) -> T,
    ) -> T {
        let resource = &self.served.resource;
        let of = |version: &str| GroupVersionResource {
            group: resource.kind.group.clone(),
            version: version.to_owned(),
            resource: resource.plural.to_string(),
        };
        let catalogue = self.core.catalogue.load();
        let others = catalogue.iter().map(|it| &it.resource).filter(|it| {
            it.kind.group == resource.kind.group
                && it.plural == resource.plural
                && it.kind.version != resource.kind.version
        });
        // Scales and bindings are of their own kind, in every version of what they are about.
        let part = match self.subresource {
            Some("scale") => Some(GroupVersionKind::of("autoscaling/v1", "Scale")),
            Some("binding") => Some(GroupVersionKind::of("v1", "Binding")),
            _ => None,
        };
        let seen = |kind| part.as_ref().unwrap_or(kind);
        let equivalents: Vec<_> = others
            .map(|it| Equivalent { resource: of(&it.kind.version), kind: seen(&it.kind).clone() })
            .collect();
        let named = object.or(change.old).map_or("", |it| metadata_text(it.root(), "name"));
        let name = self.name.unwrap_or(named);
        let is_namespace = self.served.rules.is_namespace();
        let namespace = if is_namespace { name } else { self.namespace.unwrap_or_default() };
        let namespace_object = match namespace {
            "" => None,
            namespace => wait(crate::configured::namespace(self.core, namespace)),
        };
        let decides = super::authorizer::Decider::new(self.core, &self.request.user);
        let authorizer = Authorizer::new(Arc::new(decides));
        let options = self.options_of(change);
        then(&AdmissionRequest {
            operation: change.operation,
            kind: seen(&resource.kind),
            resource: &of(&resource.kind.version),
            subresource: self.subresource.unwrap_or_default(),
            equivalents: &equivalents,
            name,
            namespace,
            user: &self.request.user,
            dry_run: change.dry_run,
            options: Some(&options),
            object,
            old_object: change.old,
            namespace_object: namespace_object.as_ref(),
            authorizer: Some(&authorizer),
        })
    }

    /// The options of the request, as those of what it does.
    fn options_of(&self, change: Change<'_>) -> Document {
        let (kind, texts): (_, &[&str]) = match change.operation {
            Operation::Create => ("CreateOptions", &["fieldManager", "fieldValidation"]),
            Operation::Delete => ("DeleteOptions", &["propagationPolicy"]),
            _ => ("UpdateOptions", &["fieldManager", "fieldValidation"]),
        };
        let mut options =
            Document::object().with("kind", kind).with("apiVersion", "meta.k8s.io/v1");
        if change.dry_run {
            options = options.with("dryRun", &Document::array_of(["All"]));
        }
        for key in texts {
            match self.request.query.text(key) {
                "" => {}
                text => options = options.with(key, text),
            }
        }
        options
    }

    /// Gives an object of the request in another version of its kind.
    fn conversion(&self) -> Box<VersionConversion<'_>> {
        Box::new(|object, matched| {
            let mut converted = object.clone();
            let GroupVersionKind { group, version, .. } = &matched.kind;
            let served = self.core.find(group, version, &matched.resource.resource);
            let api_version = matched.kind.group_version().to_string();
            converted.insert(NodeId::ROOT, "apiVersion", &api_version);
            match served.as_deref().map(|served| &served.rules) {
                Some(Rules::Custom(rules)) => wait(rules.convert(object)),
                _ => Ok(converted),
            }
        })
    }
}

/// Changes an object as a webhook wants it.
fn apply(object: &mut Document, patch: &[u8]) -> Result<(), String> {
    let patch = json::JsonPatch::read(patch, &PatchLimits::default());
    let patch = patch.map_err(|error| error.to_string())?;
    patch.apply(object).map_err(|error| error.to_string())?;
    stored::metadata(object);
    Ok(())
}

/// Waits where nothing else can: not at all if there is nothing to wait for, otherwise on a thread that others give up
/// meanwhile, or beside the only one.
pub(crate) fn wait<T: Send>(future: impl Future<Output = T> + Send) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
        return value;
    }
    let handle = tokio::runtime::Handle::current();
    if handle.runtime_flavor() == RuntimeFlavor::MultiThread {
        return tokio::task::block_in_place(|| handle.block_on(future));
    }
    std::thread::scope(|scope| {
        let alone = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            match runtime {
                Ok(runtime) => runtime.block_on(future),
                Err(_) => handle.block_on(future),
            }
        });
        match alone.join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
