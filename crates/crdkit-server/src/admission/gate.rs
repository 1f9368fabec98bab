//! Admission of a write: what is asked between reading and checking an object, and after the check.
//!
//! Both steps stand inside the loop that runs a lost race again, where nothing waits; a thread that waits for a webhook
//! is therefore given up for that time, and only if a webhook is concerned.

use super::Remarks;
use crate::options::WriteOptions;
use crate::rules::Rules;
use crate::stored::{self, metadata_text};
use crate::verbs::Target;
use crdkit_admission::{AdmissionRequest, Equivalent, Match, Operation, User};
use crdkit_patch::{PatchLimits, json};
use crdkit_schema::status::Status;
use crdkit_text::kind::{GroupVersionKind, GroupVersionResource};
use crdkit_value::{Document, NodeId};
use std::future::Future;
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
type Conversion<'t> = dyn Fn(&Document, &Match) -> Result<Document, Box<Status>> + Sync + 't;

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
    /// Lets mutating webhooks change an object that was read, and gives it what only the server can.
    ///
    /// # Errors
    /// The answer, when one refuses.
    pub(crate) fn mutate(
        &self,
        change: Change<'_>,
        object: &mut Document,
    ) -> Result<(), Box<Status>> {
        self.ask_mutating(change, object)?;
        self.allocate(change.old, object);
        Ok(())
    }

    fn ask_mutating(&self, change: Change<'_>, object: &mut Document) -> Result<(), Box<Status>> {
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
            let uid = self.core.environment.uid();
            let tools = (&*self.conversion(), &apply as super::ApplyPatch<'_>);
            let mutated = wait(admission.mutate(&uid, request, object, tools, &mut remarks));
            self.pass_on(remarks);
            mutated
        })
    }

    /// Asks validating webhooks and policies about an object that was checked; none if it goes away.
    ///
    /// # Errors
    /// The answer, when one refuses.
    pub(crate) fn validate(
        &self,
        change: Change<'_>,
        object: Option<&Document>,
    ) -> Result<(), Box<Status>> {
        let admission = &self.core.admission;
        if !admission.has_validating() {
            return Ok(());
        }
        self.describe(change, object, |request| {
            let convert = self.conversion();
            let mut remarks = Remarks::default();
            let judged = admission.judge(
                request,
                &*convert,
                &|kind, reference, namespace| {
                    wait(crate::configured::params(self.core, kind, reference, namespace))
                },
                &mut remarks,
            );
            let asked = judged.and_then(|()| {
                if !admission.validates(request) {
                    return Ok(());
                }
                let uid = self.core.environment.uid();
                wait(admission.validate(&uid, request, &*convert, &mut remarks))
            });
            self.pass_on(remarks);
            asked
        })
    }

    fn pass_on(&self, remarks: Remarks) {
        remarks.warnings.into_iter().for_each(|text| self.request.warn(text));
    }

    /// Calls `then` with the request as admission sees it.
    fn describe<T>(
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
        let equivalents: Vec<_> = others
            .map(|it| Equivalent { resource: of(&it.kind.version), kind: it.kind.clone() })
            .collect();
        let user = &self.request.user;
        let user = User {
            name: user.name.clone(),
            uid: user.uid.clone(),
            groups: user.groups.clone(),
            ..User::default()
        };
        let named = object.or(change.old).map_or("", |it| metadata_text(it.root(), "name"));
        let name = self.name.unwrap_or(named);
        let is_namespace = self.served.rules.is_namespace();
        let namespace = if is_namespace { name } else { self.namespace.unwrap_or_default() };
        let namespace_object = match namespace {
            "" => None,
            namespace => wait(crate::configured::namespace(self.core, namespace)),
        };
        let options = Document::object()
            .with(
                "kind",
                match change.operation {
                    Operation::Create => "CreateOptions",
                    Operation::Delete => "DeleteOptions",
                    _ => "UpdateOptions",
                },
            )
            .with("apiVersion", "meta.k8s.io/v1");
        then(&AdmissionRequest {
            operation: change.operation,
            kind: &resource.kind,
            resource: &of(&resource.kind.version),
            subresource: self.subresource.unwrap_or_default(),
            equivalents: &equivalents,
            name,
            namespace,
            user: &user,
            dry_run: change.dry_run,
            options: Some(&options),
            object,
            old_object: change.old,
            namespace_object: namespace_object.as_ref(),
        })
    }

    /// Gives an object of the request in another version of its kind.
    fn conversion(&self) -> Box<Conversion<'_>> {
        Box::new(|object, matched| {
            let mut converted = object.clone();
            let GroupVersionKind { group, version, .. } = &matched.kind;
            let served = self.core.find(group, version, &matched.resource.resource);
            let api_version = matched.kind.group_version().to_string();
            converted.insert(NodeId::ROOT, "apiVersion", &api_version);
            Ok(match served.as_deref().map(|served| &served.rules) {
                Some(Rules::Custom(rules)) => rules.convert(&converted),
                _ => converted,
            })
        })
    }
}

/// Changes an object as a webhook wants it.
fn apply(object: &mut Document, patch: &[u8]) -> Result<(), String> {
    let patch = json::Patch::read(patch, &PatchLimits::default());
    let patch = patch.map_err(|error| error.status().message)?;
    patch.apply(object).map_err(|error| error.status().message)?;
    stored::metadata(object);
    Ok(())
}

/// Waits where nothing else can: on a thread that others give up meanwhile, or beside the only one.
pub(crate) fn wait<T: Send>(future: impl Future<Output = T> + Send) -> T {
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
