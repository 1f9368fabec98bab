//! What all writes have in common: where an object may go, who it belongs to, and the race for its key.

use super::Target;
use super::grace;
use crate::catalogue::snapshot::Served;
use crate::core::{Core, NamespaceState, WriteFailure};
use crate::manage::{self, Managing};
use crate::options::WriteOptions;
use crate::rules::{Accepted, Part, Refused, Verdict};
use crate::stored;
use bytes::Bytes;
use crdkit_engine::RequestOptions;
use crdkit_schema::status::{Cause, Status};
use crdkit_store::{Expect, Revision, StoreEntry, Write};
use crdkit_value::{Document, Value};
use std::sync::Arc;

/// How often a lost race is run again.
const ATTEMPTS: usize = 100;

/// An object after a write.
pub(crate) struct Written {
    pub(crate) document: Document,
    /// Its stored form, if it is stored.
    pub(crate) value: Option<Bytes>,
    /// The revision it has; none if nothing was stored.
    pub(crate) revision: Option<Revision>,
    pub(crate) created: bool,
}

impl Target<'_> {
    /// Options of the engine for this request.
    pub(super) fn engine_options(&self, options: &WriteOptions) -> RequestOptions {
        RequestOptions::new()
            .field_validation(options.validation)
            .namespace(self.namespace.unwrap_or_default())
            .user(self.request.user.name.as_str())
            .field_manager(options.manager.as_str())
            .subresource(self.subresource.unwrap_or_default())
            .dry_run(options.dry_run)
    }

    /// The part of an object that a write to this path is about.
    pub(super) fn part(&self) -> Part {
        match self.subresource {
            Some("approval" | "status") => Part::Status,
            Some("finalize") => Part::Finalize,
            Some("ephemeralcontainers") => Part::Ephemeral,
            Some("resize") => Part::Resources,
            _ => Part::Main,
        }
    }

    /// Passes the warnings of a verdict on.
    pub(super) fn settle(&self, verdict: Verdict) -> Result<Accepted, Box<Refused>> {
        match verdict {
            Ok(mut accepted) => {
                accepted.warnings.drain(..).for_each(|it| self.request.warn(it));
                Ok(accepted)
            }
            Err(mut refused) => {
                refused.warnings.drain(..).for_each(|it| self.request.warn(it));
                Err(refused)
            }
        }
    }

    /// Whether something may be created here, so far as that does not depend on the object.
    pub(super) async fn place(&self) -> Result<NamespaceState, Box<Status>> {
        match self.namespace {
            Some(namespace) => self.core.namespace(namespace).await,
            None => Ok(NamespaceState::Active),
        }
    }

    /// Lets an object pass that is to be created in a place.
    pub(super) fn admit(&self, place: NamespaceState, name: &str) -> Result<(), Box<Status>> {
        let namespace = self.namespace.unwrap_or_default();
        match place {
            NamespaceState::Active if self.served.terminating => {
                let why = "create not allowed while custom resource definition is terminating";
                Err(self.subject(name).forbidden(why).into())
            }
            NamespaceState::Active => Ok(()),
            NamespaceState::Missing => {
                let subject = crdkit_schema::status::Subject {
                    group: "",
                    version: "v1",
                    kind: "namespaces",
                    name: namespace,
                };
                Err(subject.not_found().into())
            }
            NamespaceState::Terminating => {
                let why = format!(
                    "unable to create new content in namespace {namespace} because it is being terminated"
                );
                let cause = Cause {
                    reason: "NamespaceTerminating".into(),
                    field: "metadata.namespace".to_owned(),
                    message: format!("namespace {namespace} is being terminated"),
                };
                Err(self.subject(name).forbidden(&why).cause(cause).into())
            }
        }
    }

    /// Creates an object that was accepted.
    pub(super) async fn store_new(
        &self,
        accepted: Accepted,
        dry_run: bool,
    ) -> Result<Written, CreateFailure> {
        let Accepted { mut document, written, .. } = accepted;
        let name = stored::metadata_text(document.root(), "name").to_owned();
        let key = self.key(&name);
        let exists = |entry: Option<&StoreEntry>| {
            let mut status = self.subject(&name).already_exists();
            let deleted = entry.is_some_and(|entry| is_terminating(stored::object(entry).root()));
            if deleted {
                status.message = format!("object is being deleted: {}", status.message);
            }
            CreateFailure::Exists(Box::new(status))
        };
        if dry_run {
            if let Some(entry) = self.core.get(&key).await.map_err(CreateFailure::Other)? {
                return Err(exists(Some(&entry)));
            }
            if self.served.rules.has_converter() {
                let made = self.served.encode(&mut document, written).await;
                made.map_err(CreateFailure::Other)?;
            }
            return Ok(Written { document, value: None, revision: None, created: true });
        }
        let version = stored::metadata_text(document.root(), "resourceVersion");
        if version.parse::<u64>().is_ok_and(|version| version > 0) {
            let text = "resourceVersion should not be set on objects to be created";
            return Err(CreateFailure::Other(Status::unclassified(text).into()));
        }
        let value = self.served.encode(&mut document, written).await;
        let value = value.map_err(CreateFailure::Other)?;
        let mut write = Write::create(&key, value.clone());
        if let Some(ttl) = self.served.time_to_live(&self.core.settings) {
            write = write.with_ttl(ttl);
        }
        match self.core.write(&self.served, write).await {
            Ok(revision) => {
                self.after_write(&name).await;
                let (value, revision) = (Some(value), Some(revision));
                Ok(Written { document, value, revision, created: true })
            }
            Err(WriteFailure::Conflict(entry)) => Err(exists(entry.as_deref())),
            Err(WriteFailure::Failed(status)) => Err(CreateFailure::Other(status)),
        }
    }

    /// Replaces an object by what `make` makes of it, again for as long as others are faster.
    pub(super) async fn replace(
        &self,
        name: &str,
        dry_run: bool,
        mut make: impl FnMut(&Document) -> Result<Accepted, Box<Status>>,
    ) -> Result<Option<Written>, Box<Status>> {
        let key = self.key(name);
        let mut entry = self.core.get(&key).await?;
        for _ in 0..ATTEMPTS {
            let Some(current) = entry else { return Ok(None) };
            let old = self.served.rules.read(&current).await?;
            let accepted = make(&old)?;
            match self.store_changed(&key, &current, &old, accepted, dry_run).await {
                Ok(written) => {
                    if !dry_run {
                        self.after_write(name).await;
                    }
                    return Ok(Some(written));
                }
                Err(WriteFailure::Conflict(found)) => entry = found,
                Err(WriteFailure::Failed(status)) => return Err(status),
            }
        }
        let problem = "the object has been modified; please apply your changes to the latest version and try again";
        Err(self.subject(name).conflict(problem).into())
    }

    pub(super) async fn store_changed(
        &self,
        key: &str,
        current: &Arc<StoreEntry>,
        old: &Document,
        accepted: Accepted,
        dry_run: bool,
    ) -> Result<Written, WriteFailure> {
        store_changed(self.core, &self.served, key, current, old, accepted, dry_run).await
    }

    /// What follows from a write of an object that decides about others.
    pub(super) async fn after_write(&self, name: &str) {
        if matches!(self.served.rules, crate::rules::Rules::Definition) {
            crate::crds::follow(self.core, name).await;
        }
        crate::configured::follow(self.core, &self.served).await;
    }

    /// The step between reading an object and checking it: who owns its fields.
    pub(super) fn managing<'m>(&'m self, options: &'m WriteOptions) -> Managing<'m> {
        Managing {
            served: &self.served,
            manager: &options.manager,
            subresource: self.subresource.unwrap_or_default(),
            now: self.core.environment.now(),
        }
    }
}

/// Writes an object that takes the place of `current`, unless it is the same; removes it if nothing holds it any more.
async fn store_changed(
    core: &Core,
    served: &Served,
    key: &str,
    current: &Arc<StoreEntry>,
    old: &Document,
    accepted: Accepted,
    dry_run: bool,
) -> Result<Written, WriteFailure> {
    let Accepted { mut document, mut written, .. } = accepted;
    let revision = current.revision;
    let unchanged =
        |document| Written { document, value: None, revision: Some(revision), created: false };
    let is_due = is_terminating(old.root()) && !grace::has_time(old.root());
    let finished = is_due && !is_held(served, document.root());
    stored::set_revision(&mut document, revision);
    if dry_run {
        if served.rules.has_converter() {
            let made = served.encode(&mut document, written).await;
            made.map_err(WriteFailure::Failed)?;
            stored::set_revision(&mut document, revision);
        }
        return Ok(unchanged(document));
    }
    if finished {
        core.write(served, Write::delete(key, Expect::At(revision))).await?;
        return Ok(unchanged(document));
    }
    manage::keep_times(&mut document, old);
    if let Some(written) = &mut written {
        let managed = document.root().pointer("/metadata/managedFields");
        let metadata = stored::metadata(written);
        match managed {
            Some(managed) => {
                written.insert(metadata, "managedFields", managed);
            }
            None => stored::remove(written, metadata, "managedFields"),
        }
    }
    let value = served.encode(&mut document, written).await.map_err(WriteFailure::Failed)?;
    if stored::is_same(&value, &current.value) {
        stored::set_revision(&mut document, revision);
        return Ok(unchanged(document));
    }
    let mut write = Write::put(key, Expect::At(revision), value.clone());
    if let Some(ttl) = served.time_to_live(&core.settings) {
        write = write.with_ttl(ttl);
    }
    let revision = core.write(served, write).await?;
    stored::set_revision(&mut document, revision);
    Ok(Written { document, value: Some(value), revision: Some(revision), created: false })
}

/// A write of the server itself: replaces the object at `key` by what `make` makes of it; nothing if it makes nothing.
pub(crate) async fn system_update(
    core: &Core,
    served: &Served,
    key: &str,
    mut make: impl FnMut(&Document) -> Option<Document>,
) -> Result<Option<Revision>, Box<Status>> {
    let mut entry = core.get(key).await?;
    for _ in 0..ATTEMPTS {
        let Some(current) = entry else { return Ok(None) };
        let old = served.rules.read(&current).await?;
        let Some(document) = make(&old) else { return Ok(Some(current.revision)) };
        let accepted = Accepted { document, written: None, warnings: Vec::new() };
        match store_changed(core, served, key, &current, &old, accepted, false).await {
            Ok(written) => return Ok(written.revision),
            Err(WriteFailure::Conflict(found)) => entry = found,
            Err(WriteFailure::Failed(status)) => return Err(status),
        }
    }
    Ok(None)
}

/// Why an object was not created.
pub(super) enum CreateFailure {
    /// There is one.
    Exists(Box<Status>),
    Other(Box<Status>),
}

impl From<CreateFailure> for Box<Status> {
    fn from(failure: CreateFailure) -> Self {
        match failure {
            CreateFailure::Exists(status) | CreateFailure::Other(status) => status,
        }
    }
}

/// Whether an object is being deleted.
pub(super) fn is_terminating(object: Value<'_>) -> bool {
    object.pointer("/metadata/deletionTimestamp").is_some()
}

/// Whether something keeps an object from going away.
pub(super) fn is_held(served: &Served, object: Value<'_>) -> bool {
    let has = |path| object.pointer(path).is_some_and(|it: Value<'_>| it.items().len() > 0);
    let own = served.rules.is_namespace();
    has("/metadata/finalizers") || own && has("/spec/finalizers")
}
