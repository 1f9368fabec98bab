//! An object that goes away, at once or when nothing holds it any more.

use super::Target;
use super::delete_options::DeleteOptions;
use super::grace::{self, Grace};
use super::write::{is_held, is_terminating};
use crate::admission::Change;
use crate::answer::Answer;
use crate::core::WriteFailure;
use crate::negotiate::Form;
use crate::rules::Rules;
use crate::stored::{self, metadata_text};
use crdkit_admission::Operation;
use crdkit_schema::status::{Status, Subject};
use crdkit_store::{Expect, Revision, StoreEntry, Write};
use crdkit_value::{Document, Value};
use std::sync::Arc;
use std::time::Duration;

/// How long such a pod stays: about as long as kube-apiserver takes for its two writes to etcd, so that a controller can
/// find it in its cache, being deleted.
const MOMENT: Duration = Duration::from_millis(10);

/// What became of an object that was to be deleted.
pub(crate) enum Deleted {
    /// It is gone; what it was.
    Gone(Document),
    /// It waits for whatever holds it.
    Waiting(Document),
}

const ORPHAN: &str = "orphan";
const FOREGROUND: &str = "foregroundDeletion";

impl Target<'_> {
    pub(super) async fn delete(&self) -> Result<Answer, Box<Status>> {
        let name = self.name()?;
        let form = self.form()?;
        let options = self.delete_options()?;
        let shape = self.shape(&form)?;
        let options = DeleteOptions { lingers: true, ..options };
        let deleted = delete_object(self, name, &options).await?;
        match deleted {
            Deleted::Gone(object) if !self.served.rules.returns_deleted() => {
                let uid = metadata_text(object.root(), "uid");
                Ok(Self::success(&form, &self.subject(name).deleted(uid)))
            }
            Deleted::Gone(object) => self.view(&form, &shape).object(200, &object),
            Deleted::Waiting(object) => {
                let code = if options.orphan == Some(false) { 202 } else { 200 };
                self.view(&form, &shape).object(code, &object)
            }
        }
    }

    fn success(form: &Form, status: &Status) -> Answer {
        let form = match form.convert {
            None => form.clone(),
            Some(_) => Form { convert: None, ..form.clone() },
        };
        form.answer(200, status.document().root())
    }

    pub(super) fn check_preconditions(
        &self,
        name: &str,
        object: Value<'_>,
        options: &DeleteOptions,
    ) -> Result<(), Box<Status>> {
        let kind = self.kind_subject(name);
        let uid = metadata_text(object, "uid");
        let found = metadata_text(object, "resourceVersion");
        if let Some(wanted) = options.uid.as_deref().filter(|wanted| *wanted != uid) {
            let problem = format!(
                "the UID in the precondition ({wanted}) does not match the UID in record ({uid}). The object might have been deleted and then recreated"
            );
            return Err(self.precondition(name, kind, "UID", wanted, uid, &problem));
        }
        if let Some(wanted) = options.version.as_deref().filter(|wanted| *wanted != found) {
            let problem = format!(
                "the ResourceVersion in the precondition ({wanted}) does not match the ResourceVersion in record ({found}). The object might have been modified"
            );
            return Err(self.precondition(name, kind, "ResourceVersion", wanted, found, &problem));
        }
        Ok(())
    }

    /// The answer to a deletion that is for objects nothing can be read of.
    fn is_readable(&self, name: &str, key: &str) -> Box<Status> {
        let problem = format!(
            "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: \
             unsafe deletion is not allowed because the object is decodable from storage"
        );
        self.subject(name).conflict(&problem).into()
    }

    fn precondition(
        &self,
        name: &str,
        kind: Subject<'_>,
        what: &str,
        wanted: &str,
        found: &str,
        problem: &str,
    ) -> Box<Status> {
        let word = match self.served.rules {
            _ if self.served.rules.is_namespace() => "Precondition",
            Rules::Definition => "precondition",
            Rules::Native(_) | Rules::Review(_) | Rules::Custom(_) => {
                return kind.conflict(problem).into();
            }
        };
        let problem = format!(
            "{word} failed: {what} in precondition: {wanted}, {what} in object meta: {found}"
        );
        self.subject(name).conflict(&problem).into()
    }
}

/// Deletes an object, again for as long as others are faster.
pub(crate) async fn delete_object(
    target: &Target<'_>,
    name: &str,
    options: &DeleteOptions,
) -> Result<Deleted, Box<Status>> {
    let key = target.key(name);
    let mut entry = target.core.get(&key).await?;
    loop {
        let Some(current) = entry else { return Err(target.subject(name).not_found().into()) };
        match delete_entry(target, name, &key, &current, options).await {
            Ok(deleted) => {
                if !options.dry_run {
                    target.after_write(name).await;
                }
                return Ok(deleted);
            }
            Err(WriteFailure::Conflict(found)) => entry = found,
            Err(WriteFailure::Failed(status)) => return Err(status),
        }
    }
}

async fn delete_entry(
    target: &Target<'_>,
    name: &str,
    key: &str,
    current: &Arc<StoreEntry>,
    options: &DeleteOptions,
) -> Result<Deleted, WriteFailure> {
    let core = target.core;
    let served = &target.served;
    let old = served.rules.read(current).await.map_err(WriteFailure::Failed)?;
    if options.unreadable {
        return Err(WriteFailure::Failed(target.is_readable(name, key)));
    }
    let checked = target.check_preconditions(name, old.root(), options);
    checked.map_err(WriteFailure::Failed)?;
    let change = Change { operation: Operation::Delete, dry_run: options.dry_run, old: Some(&old) };
    target.validate(change, None).map_err(WriteFailure::Failed)?;
    served.check_deletion(name).map_err(WriteFailure::Failed)?;
    let mut object = old.clone();
    let grace = if served.rules.is_pod() {
        grace::begin(&mut object, options.grace, core.environment.now())
    } else {
        Grace::None
    };
    if served.is_collected() {
        finalizers(&mut object, options);
    }
    match grace {
        Grace::None => {}
        Grace::Pending => return Ok(Deleted::Waiting(old)),
        Grace::Begun(seconds) => {
            let stays = seconds > 0 || is_held(served, object.root());
            if options.dry_run {
                return Ok(if stays { Deleted::Waiting(object) } else { Deleted::Gone(object) });
            }
            // Whoever watches sees that it is being deleted, even if it is gone the next moment.
            let marked = put(target, key, current, &mut object).await?;
            if stays {
                return Ok(Deleted::Waiting(object));
            }
            if options.lingers {
                tokio::time::sleep(MOMENT).await;
            }
            match core.write(served, Write::delete(key, Expect::At(marked))).await {
                Ok(revision) => stored::set_revision(&mut object, revision),
                // Somebody else was faster.
                Err(WriteFailure::Conflict(None)) => {}
                Err(failure) => return Err(failure),
            }
            return Ok(Deleted::Gone(object));
        }
    }
    served.before_deletion(&mut object, &core.environment.now_text());
    // A namespace is marked first, whatever holds it.
    let is_marked = !served.rules.is_namespace() || is_terminating(old.root());
    if is_marked && !is_held(served, object.root()) {
        let mut gone = old;
        if !options.dry_run {
            let write = Write::delete(key, Expect::At(current.revision));
            stored::set_revision(&mut gone, core.write(served, write).await?);
        }
        return Ok(Deleted::Gone(gone));
    }
    mark(&mut object, served.tracks_grace(), &core.environment.now_text());
    if !options.dry_run {
        put(target, key, current, &mut object).await?;
    }
    Ok(Deleted::Waiting(object))
}

/// Stores an object in place of what is there, if it differs; gives its revision.
async fn put(
    target: &Target<'_>,
    key: &str,
    current: &StoreEntry,
    object: &mut Document,
) -> Result<Revision, WriteFailure> {
    let value = target.served.encode(object, None).await.map_err(WriteFailure::Failed)?;
    if stored::is_same(&value, &current.value) {
        return Ok(current.revision);
    }
    let write = Write::put(key, Expect::At(current.revision), value);
    let revision = target.core.write(&target.served, write).await?;
    stored::set_revision(object, revision);
    Ok(revision)
}

/// Gives an object the finalizers that the garbage collector looks for.
fn finalizers(object: &mut Document, options: &DeleteOptions) {
    let before: Vec<String> = object
        .root()
        .pointer("/metadata/finalizers")
        .into_iter()
        .flat_map(Value::items)
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    let has = |name: &str| before.iter().any(|it| it == name);
    let (orphan, foreground) = match (options.orphan, options.propagation.as_deref()) {
        (Some(orphan), _) => (orphan, false),
        (None, Some(policy)) => (policy == "Orphan", policy == "Foreground"),
        (None, None) => (has(ORPHAN), has(FOREGROUND) && !has(ORPHAN)),
    };
    let kept = before.iter().filter(|it| ![ORPHAN, FOREGROUND].contains(&it.as_str()));
    let mut after: Vec<&str> = kept.map(String::as_str).collect();
    after.extend(orphan.then_some(ORPHAN));
    after.extend(foreground.then_some(FOREGROUND));
    let same = after.len() == before.len() && after.iter().all(|it| has(it));
    if same {
        return;
    }
    let metadata = stored::metadata(object);
    if after.is_empty() {
        stored::remove(object, metadata, "finalizers");
    } else {
        let after = Document::array_of(after);
        object.insert(metadata, "finalizers", &after);
    }
}

/// Says that an object is being deleted.
fn mark(object: &mut Document, grace: bool, now: &str) {
    if is_terminating(object.root()) {
        return;
    }
    let metadata = stored::metadata(object);
    let generation = object.value(metadata).get("generation").and_then(Value::as_i64);
    if let Some(generation) = generation.filter(|it| *it > 0) {
        object.insert(metadata, "generation", generation + 1);
    }
    object.insert(metadata, "deletionTimestamp", now);
    if grace {
        object.insert(metadata, "deletionGracePeriodSeconds", 0);
    }
}
