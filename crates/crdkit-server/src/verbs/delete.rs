//! An object that goes away, at once or when nothing holds it any more.

use super::Target;
use super::grace::{self, Grace};
use super::write::{is_held, is_terminating};
use crate::admission::Change;
use crate::answer::Answer;
use crate::core::WriteFailure;
use crate::decode;
use crate::negotiate::Form;
use crate::options::{cause, refuse};
use crate::request::Request;
use crate::rules::Rules;
use crate::stored::{self, metadata_text};
use crdkit_admission::Operation;
use crdkit_codec::{DecodeOptions, Format, go_json};
use crdkit_schema::status::{Status, Subject};
use crdkit_store::{Expect, Revision, StoreEntry, Write};
use crdkit_text::kind::GroupVersion;
use crdkit_text::quote::quote;
use crdkit_value::{Document, Kind, Value};
use std::sync::Arc;
use std::time::Duration;

/// How an object is to be deleted.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeleteOptions {
    pub(crate) dry_run: bool,
    pub(crate) uid: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) orphan: Option<bool>,
    pub(crate) propagation: Option<String>,
    /// The seconds that a pod gets to end.
    pub(crate) grace: Option<i64>,
    /// Whether a pod that nothing holds stays for a moment once it is marked.
    pub(crate) lingers: bool,
}

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

const SCHEME: &str = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27";
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

    /// Options from the body, or from the query if there is none.
    pub(super) fn delete_options(&self) -> Result<DeleteOptions, Box<Status>> {
        let body = self.request.body()?;
        let (options, dry_run) = if body.is_empty() {
            of_query(self.request)?
        } else if let Some(format) = self.content_type()?.format() {
            of_body(format, body)?
        } else {
            let decoded = decode::protobuf(body, "DeleteOptions")?;
            of_document(decoded.root())?
        };
        let mut causes = Vec::new();
        if let Some(policy) = &options.propagation {
            let quoted = quote(policy);
            if options.orphan.is_some() {
                let text = "orphanDependents and deletionPropagation cannot be both set";
                causes.push(cause(
                    "FieldValueInvalid",
                    "propagationPolicy",
                    format!("Invalid value: {quoted}: {text}"),
                ));
            }
            if !["Foreground", "Background", "Orphan"].contains(&policy.as_str()) {
                let text = "\"Foreground\", \"Background\", \"Orphan\", \"nil\"";
                causes.push(cause(
                    "FieldValueNotSupported",
                    "propagationPolicy",
                    format!("Unsupported value: {quoted}: supported values: {text}"),
                ));
            }
        }
        if !dry_run.iter().all(|value| value == "All") {
            let shown = go_json::strings(dry_run.iter().map(String::as_str));
            let text = format!("Unsupported value: {shown}: supported values: \"All\"");
            causes.push(cause("FieldValueNotSupported", "dryRun", text));
        }
        refuse("DeleteOptions", causes)?;
        Ok(DeleteOptions { dry_run: !dry_run.is_empty(), ..options })
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
    if !is_held(served, object.root()) {
        if !options.dry_run {
            core.write(served, Write::delete(key, Expect::At(current.revision))).await?;
        }
        return Ok(Deleted::Gone(old));
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

/// Options in the query, and all values of `dryRun`.
fn of_query(request: &Request) -> Result<(DeleteOptions, Vec<String>), Box<Status>> {
    let query = &request.query;
    let grace = query.integer("gracePeriodSeconds")?;
    let text = |name| query.get(name).filter(|text| !text.is_empty()).map(str::to_owned);
    let options = DeleteOptions {
        uid: text("uid"),
        version: text("resourceVersion"),
        orphan: query.switch("orphanDependents"),
        propagation: text("propagationPolicy"),
        grace,
        ..DeleteOptions::default()
    };
    Ok((options, query.all("dryRun").map(str::to_owned).collect()))
}

fn of_body(format: Format, body: &[u8]) -> Result<(DeleteOptions, Vec<String>), Box<Status>> {
    let bad = |text: String| Box::new(Status::bad_request(text));
    let decoded = format.decode(body, &DecodeOptions::default());
    let document = match decoded {
        Ok(decoded) => decoded.document,
        Err(issue) => {
            return Err(bad(format!(
                "couldn't get version/kind; json parse error: {}",
                issue.server_message()
            )));
        }
    };
    of_document(document.root())
}

fn of_document(root: Value<'_>) -> Result<(DeleteOptions, Vec<String>), Box<Status>> {
    let bad = |text: String| Box::new(Status::bad_request(text));
    let text = |key: &str| root.get(key).and_then(Value::as_str).unwrap_or_default();
    let (kind, api_version) = (text("kind"), text("apiVersion"));
    if !matches!(kind, "" | "DeleteOptions") {
        let version = match api_version {
            "" => "meta.k8s.io/v1".to_owned(),
            given => GroupVersion::parse(given).unwrap_or_default().to_string(),
        };
        return Err(bad(format!(
            "no kind {} is registered for version {} in scheme {}",
            quote(kind),
            quote(&version),
            quote(SCHEME)
        )));
    }
    let wrong = |field: &str, value: Value<'_>, expected: &str| {
        let found = match value.kind() {
            Kind::Bool(_) => "bool",
            Kind::String(_) => "string",
            Kind::Array(_) => "array",
            Kind::Object(_) => "object",
            _ => "number",
        };
        bad(format!(
            "json: cannot unmarshal {found} into Go struct field {field} of type {expected}"
        ))
    };
    let given = |key: &str| root.get(key).filter(|value| !value.is_null());
    let string = |value: Option<Value<'_>>, field: &str, expected: &str| match value {
        Some(value) => match value.as_str() {
            Some(text) => Ok(Some(text.to_owned())),
            None => Err(wrong(field, value, expected)),
        },
        None => Ok(None),
    };
    let grace = given("gracePeriodSeconds");
    if let Some(value) = grace.filter(|value| value.as_i64().is_none()) {
        return Err(wrong("DeleteOptions.gracePeriodSeconds", value, "int64"));
    }
    let orphan = match given("orphanDependents") {
        Some(value) => match value.as_bool() {
            Some(orphan) => Some(orphan),
            None => return Err(wrong("DeleteOptions.orphanDependents", value, "bool")),
        },
        None => None,
    };
    let preconditions = given("preconditions");
    if let Some(value) = preconditions.filter(|value| value.as_object().is_none()) {
        return Err(wrong("DeleteOptions.preconditions", value, "v1.Preconditions"));
    }
    let condition = |key| preconditions.and_then(|it| it.get(key)).filter(|it| !it.is_null());
    let policy = "v1.DeletionPropagation";
    let options = DeleteOptions {
        uid: string(condition("uid"), "Preconditions.preconditions.uid", "types.UID")?,
        version: string(
            condition("resourceVersion"),
            "Preconditions.preconditions.resourceVersion",
            "string",
        )?,
        orphan,
        propagation: string(given("propagationPolicy"), "DeleteOptions.propagationPolicy", policy)?,
        grace: grace.and_then(Value::as_i64),
        ..DeleteOptions::default()
    };
    let dry_run = match given("dryRun") {
        Some(list) if list.as_array().is_none() => {
            return Err(wrong("DeleteOptions.dryRun", list, "[]string"));
        }
        list => list.into_iter().flat_map(Value::items),
    };
    Ok((options, dry_run.filter_map(Value::as_str).map(str::to_owned).collect()))
}
