//! The number of replicas of an object, seen as a `Scale` of `autoscaling/v1`.

use super::patch::{Patch, patch_invalid};
use super::{BodyObject, Target};
use crate::admission::Change;
use crate::answer::Answer;
use crate::catalogue::native::scale_kind;
use crate::negotiate::Form;
use crate::options::{WriteKind, WriteOptions, cause};
use crate::rules::Rules;
use crate::stored::metadata_text;
use crate::view::{Shape, View};
use crdkit_codec::media::PatchType;
use crdkit_codec::{DecodeOptions, Decoded};
use crdkit_engine::FieldValidation;
use crdkit_issue::Issue;
use crdkit_patch::managed::AppliedScale;
use crdkit_schema::compile::ReplicaPaths;
use crdkit_schema::decode;
use crdkit_schema::decode::types::{GoStruct, GoType, OBJECT_META};
use crdkit_schema::status::{self, Cause, Status};
use crdkit_text::quote::quote;
use crdkit_value::{Document, Duplicates, Value};

impl Target<'_> {
    fn replica_paths(&self) -> Result<ReplicaPaths, Box<Status>> {
        let paths = match &self.served.rules {
            Rules::Custom(_) => self.served.resource.compiled().and_then(|it| it.scale.clone()),
            Rules::Native(kind) => kind.scale.map(|(spec, status)| ReplicaPaths {
                spec: spec.into(),
                status: status.into(),
                selector: Some(".spec.selector".into()),
            }),
            _ => None,
        };
        paths.ok_or_else(|| self.subject(self.name.unwrap_or_default()).not_found().into())
    }

    /// What a patch finds where there are no replicas; nothing where there are some.
    fn replicas_or_none(&self, object: &Document, paths: &ReplicaPaths) -> Option<i64> {
        let is_missing = replicas_at(object.root(), &paths.spec).is_none();
        (is_missing && matches!(self.served.rules, Rules::Custom(_))).then_some(NO_REPLICAS)
    }

    pub(super) async fn get_scale(&self) -> Result<Answer, Box<Status>> {
        let name = self.name()?;
        let form = self.form()?;
        let shape = self.shape(&form)?;
        let entry = self.read(name).await?;
        let object = self.served.rules.read(&entry).await?;
        let scale = scale_of(object.root(), &self.replica_paths()?)?;
        self.show_scale(&form, &shape, &scale)
    }

    pub(super) async fn update_scale(&self) -> Result<Answer, Box<Status>> {
        let name = self.name()?;
        let form = self.form()?;
        let _body = self.request.body()?;
        let options = WriteOptions::of(self.request, WriteKind::Update)?;
        let media = self.content_type()?;
        let shape = self.shape(&form)?;
        let unknown = || Box::new(Status::bad_request(NO_SCALE));
        let duplicates = match options.validation {
            FieldValidation::Ignore => Duplicates::LastWins,
            _ => Duplicates::Error,
        };
        let decode = DecodeOptions::new().duplicates(duplicates);
        let decoded = match self.object_in(media)? {
            BodyObject::Bytes(format, bytes) => {
                format.decode(bytes, &decode).map_err(|_| unknown())?
            }
            BodyObject::Document(document) => Decoded { document, issues: Vec::new() },
        };
        let scale = decoded.document;
        let (api_version, kind) = (text(scale.root(), "apiVersion"), text(scale.root(), "kind"));
        if !matches!(api_version, "" | "autoscaling/v1") || !matches!(kind, "" | "Scale") {
            return Err(unknown());
        }
        let problems = self.check_scale(&scale, &decoded.issues, options.validation);
        problems.map_err(|_| unknown())?;
        self.place_scale(name, scale.root())?;
        let make =
            |_: &Document| Ok(MadeScale { checks_uid: true, ..MadeScale::from(scale.clone()) });
        let written = self.write_scale(name, &options, make).await?;
        self.show_scale(&form, &shape, &written)
    }

    pub(super) async fn patch_scale(&self) -> Result<Answer, Box<Status>> {
        let kind = self.patch_type()?;
        let name = self.name()?;
        let form = self.form()?;
        let body = self.request.body()?;
        if matches!(kind, PatchType::ApplyYaml | PatchType::ApplyCbor) {
            return self.apply_scale(kind, name, &form, body).await;
        }
        let options = WriteOptions::of(self.request, WriteKind::Patch)?;
        let shape = self.shape(&form)?;
        let patch = Patch::read(kind, body)?;
        let make = |old: &Document| {
            let patch = patch.as_ref().map_err(|error| Box::new(error.status()))?;
            // Without replicas there is a scale as well, to be patched.
            let paths = &self.replica_paths()?;
            let mut scale = scale_with(old.root(), paths, self.replicas_or_none(old, paths));
            patch.apply(&mut scale, "autoscaling/v1", "Scale")?;
            let (api_version, kind) =
                (text(scale.root(), "apiVersion"), text(scale.root(), "kind"));
            if (api_version, kind) != ("autoscaling/v1", "Scale") {
                let problem = format!(
                    "no kind {} is registered for version {} in scheme \"k8s.io/client-go/scale/util.go:146\"",
                    quote(kind),
                    quote(api_version)
                );
                return Err(patch_invalid(&scale, &problem));
            }
            let checked = self.check_scale(&scale, patch.repeated(), options.validation);
            checked.map_err(|problem| patch_invalid(&scale, &problem))?;
            self.place_scale(name, scale.root())?;
            Ok(MadeScale::from(scale))
        };
        let written = self.write_scale(name, &options, make).await?;
        self.show_scale(&form, &shape, &written)
    }

    /// Applies a scale. Of custom resources the API server can apply only the number that is there already.
    async fn apply_scale(
        &self,
        kind: PatchType,
        name: &str,
        form: &Form,
        body: &[u8],
    ) -> Result<Answer, Box<Status>> {
        const UNKNOWN: &str = "request to convert CR to an invalid group/version: autoscaling/v1";
        let options = WriteOptions::of(self.request, WriteKind::Apply)?;
        let shape = self.shape(form)?;
        let config = self.configuration(kind, body, options.validation)?;
        let paths = &self.replica_paths()?;
        if matches!(self.served.rules, Rules::Native(_)) {
            let managing = self.managing(&options);
            let make = |old: &Document| {
                let scale = scale_with(old.root(), paths, None);
                let applied =
                    managing.apply_scale(old, &scale, &paths.spec, &config, options.force);
                let applied = applied.map_err(|error| Box::new(error.status()))?;
                self.place_scale(name, applied.scale.root())?;
                let scale = applied.scale.clone();
                Ok(MadeScale { scale, applied: Some(applied), checks_uid: false })
            };
            let written = self.write_scale(name, &options, make).await?;
            return self.show_scale(form, &shape, &written);
        }
        let entry = self.read(name).await?;
        let object = self.served.rules.read(&entry).await?;
        let owners = owners(object.root(), &paths.spec);
        let wanted = config.root().pointer("/spec/replicas").and_then(Value::as_i64);
        let agrees = wanted.is_none() || wanted == replicas_at(object.root(), &paths.spec);
        if owners.is_empty() {
            return Err(Status::unclassified(format!(
                "failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: {UNKNOWN}"
            ))
            .into());
        }
        if !agrees {
            if options.force {
                return Err(Status::unclassified(format!(
                    "failed to convert new object (/{name}; autoscaling/v1, Kind=Scale) to proper version: {UNKNOWN}"
                ))
                .into());
            }
            let causes: Vec<Cause> = owners
                .iter()
                .map(|owner| {
                    let text = format!("conflict with {} using autoscaling/v1", quote(owner));
                    cause("FieldManagerConflict", ".spec.replicas", text)
                })
                .collect();
            let first = causes.first().map(|it| it.message.clone()).unwrap_or_default();
            let text = format!("Apply failed with 1 conflict: {first}: .spec.replicas");
            return Err(Status::apply_conflict(text, causes).into());
        }
        self.show_scale(form, &shape, &scale_of(object.root(), paths)?)
    }

    /// Unknown fields are warned of, or refused as wrong types are.
    fn check_scale(
        &self,
        scale: &Document,
        repeated: &[Issue],
        validation: FieldValidation,
    ) -> Result<(), String> {
        let found = decode::check(scale.root(), &SCALE, repeated);
        let is_strict = |issue: &&Issue| status::strict_text(issue).is_some();
        if let Some(issue) = found.iter().find(|issue| !is_strict(issue)) {
            return Err(issue.server_message());
        }
        let texts: Vec<String> = found.iter().filter_map(status::strict_text).collect();
        match validation {
            FieldValidation::Strict if !texts.is_empty() => {
                return Err(format!("strict decoding error: {}", texts.join(", ")));
            }
            FieldValidation::Warn => texts.into_iter().for_each(|text| self.request.warn(text)),
            _ => {}
        }
        Ok(())
    }

    /// A scale must be that of the object that the path names.
    fn place_scale(&self, name: &str, scale: Value<'_>) -> Result<(), Box<Status>> {
        let namespace = metadata_text(scale, "namespace");
        let bad = |text: String| Err(Status::bad_request(text).into());
        if !namespace.is_empty() && Some(namespace) != self.namespace {
            let text = "the namespace of the provided object does not match the namespace sent on the request";
            return bad(text.to_owned());
        }
        match metadata_text(scale, "name") {
            "" => bad(format!(
                "the name of the object ({name} based on URL) was undeterminable: name must be provided"
            )),
            found if found != name => bad(format!(
                "the name of the object ({found}) does not match the name on the URL ({name})"
            )),
            _ => Ok(()),
        }
    }

    /// Gives the object the replicas of the scale that `make` makes of it, and gives its new scale. Admission sees scales
    /// only, before and after.
    async fn write_scale(
        &self,
        name: &str,
        options: &WriteOptions,
        mut make: impl FnMut(&Document) -> Result<MadeScale, Box<Status>>,
    ) -> Result<Document, Box<Status>> {
        let engine = self.engine_options(options).name(name);
        let managing = self.managing(options);
        let paths = &self.replica_paths()?;
        let change = |old: &Document| {
            let MadeScale { mut scale, applied, checks_uid } = make(old)?;
            let old_scale = scale_with(old.root(), paths, None);
            let admitted = Change::update(options, &old_scale);
            self.mutate(admitted, &mut scale)?;
            if checks_uid {
                self.check_uid(name, scale.root(), old.root(), options.dry_run)?;
            }
            let replicas = scale.root().pointer("/spec/replicas").and_then(Value::as_i64);
            if matches!(self.served.rules, Rules::Custom(_)) && replicas == Some(NO_REPLICAS) {
                let text =
                    format!("the spec replicas field {} cannot be empty", quote(&paths.spec));
                return Err(Status::bad_request(text).into());
            }
            let found = metadata_text(scale.root(), "resourceVersion");
            if !found.is_empty() && found != metadata_text(old.root(), "resourceVersion") {
                let problem = "the object has been modified; please apply your changes to the latest version and try again";
                return Err(self.subject(name).conflict(problem).into());
            }
            let mut between = |document: &mut Document| {
                match &applied {
                    Some(applied) => applied.copy_owners(document),
                    None => managing.scale(old, document, &paths.spec),
                }
                Ok(())
            };
            let replicas = replicas.unwrap_or_default();
            let verdict = self.served.rules.scale(old, replicas, paths, &engine, &mut between);
            let document = self.settle(verdict).map_err(|refused| refused.status)?;
            let new_scale = scale_with(document.document.root(), paths, None);
            self.validate(admitted, Some(&new_scale))?;
            Ok(document)
        };
        let written = self.replace(name, options.dry_run, change).await?;
        let written = written.ok_or_else(|| Box::new(self.subject(name).not_found()))?;
        scale_of(written.document.root(), paths)
    }

    fn show_scale(
        &self,
        form: &Form,
        shape: &Shape,
        scale: &Document,
    ) -> Result<Answer, Box<Status>> {
        match shape {
            Shape::Plain => Ok(form.answer(200, scale.root())),
            _ => View { served: &scale_kind(), ..self.view(form, shape) }.object(200, scale),
        }
    }
}

/// A scale that is to be written.
struct MadeScale {
    scale: Document,
    /// The apply that made it, which knows who owns what.
    applied: Option<AppliedScale>,
    /// Whether it is only meant for the object with the identifier that it has.
    checks_uid: bool,
}

impl From<Document> for MadeScale {
    fn from(scale: Document) -> Self {
        Self { scale, applied: None, checks_uid: false }
    }
}

/// The number of replicas, as a patch finds it, of a custom resource that has none.
const NO_REPLICAS: i64 = -2_147_483_648;

/// What the server says of bodies that are no scale.
const NO_SCALE: &str = "no kind is registered for the type v1.Scale in scheme \"k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:781\"";

static SCALE: GoStruct = GoStruct {
    name: "v1.Scale",
    fields: &[
        ("kind", GoType::String("string")),
        ("apiVersion", GoType::String("string")),
        ("metadata", GoType::Struct(&OBJECT_META)),
        ("spec", GoType::Struct(&SCALE_SPEC)),
        ("status", GoType::Struct(&SCALE_STATUS)),
    ],
};

static SCALE_SPEC: GoStruct =
    GoStruct { name: "v1.ScaleSpec", fields: &[("replicas", GoType::Int32)] };

static SCALE_STATUS: GoStruct = GoStruct {
    name: "v1.ScaleStatus",
    fields: &[("replicas", GoType::Int32), ("selector", GoType::String("string"))],
};

fn text<'v>(value: Value<'v>, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Who owns the field at a path.
fn owners(object: Value<'_>, path: &str) -> Vec<String> {
    let entries = object.pointer("/metadata/managedFields").into_iter().flat_map(Value::items);
    let owns = |entry: &Value<'_>| {
        let mut steps = path.trim_start_matches('.').split('.').map(|name| format!("f:{name}"));
        let fields = entry.get("fieldsV1");
        fields.is_some_and(|fields| steps.try_fold(fields, |at, step| at.get(&step)).is_some())
    };
    let owners = entries.filter(owns).filter_map(|entry| entry.get("manager")?.as_str());
    owners.map(str::to_owned).collect()
}

fn replicas_at(object: Value<'_>, path: &str) -> Option<i64> {
    let path = path.strip_prefix('.').unwrap_or(path);
    path.split('.').try_fold(object, Value::get).and_then(Value::as_i64)
}

/// A selector as text, however it is written.
fn selector_text(selector: Value<'_>) -> String {
    if let Some(text) = selector.as_str() {
        return text.to_owned();
    }
    let is_map =
        selector.get("matchLabels").is_none() && selector.get("matchExpressions").is_none();
    let labels = if is_map { Some(selector) } else { selector.get("matchLabels") };
    let labels = labels.into_iter().flat_map(Value::members);
    let labels = labels.map(|(key, value)| {
        (key.to_owned(), format!("{key}={}", value.as_str().unwrap_or_default()))
    });
    let expressions = selector.get("matchExpressions").into_iter().flat_map(Value::items);
    let expressions = expressions.map(|it| {
        let key = text(it, "key");
        let values = it.get("values").into_iter().flat_map(Value::items);
        let mut values: Vec<&str> = values.filter_map(Value::as_str).collect();
        values.sort_unstable();
        let values = values.join(",");
        let shown = match text(it, "operator") {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        };
        (key.to_owned(), shown)
    });
    let mut parts: Vec<(String, String)> = labels.chain(expressions).collect();
    parts.sort();
    let parts: Vec<String> = parts.into_iter().map(|(_, shown)| shown).collect();
    parts.join(",")
}

/// The scale of an object.
fn scale_of(object: Value<'_>, paths: &ReplicaPaths) -> Result<Document, Box<Status>> {
    let Some(replicas) = replicas_at(object, &paths.spec) else {
        let text = format!("the spec replicas field {} does not exist", quote(&paths.spec));
        return Err(Status::internal_error(text).into());
    };
    Ok(scale_with(object, paths, Some(replicas)))
}

/// The scale of an object, with these replicas or its own.
fn scale_with(object: Value<'_>, paths: &ReplicaPaths, replicas: Option<i64>) -> Document {
    let replicas = replicas.or_else(|| replicas_at(object, &paths.spec)).unwrap_or_default();
    let at = |path: &str| {
        let path = path.strip_prefix('.').unwrap_or(path);
        path.split('.').try_fold(object, Value::get)
    };
    let mut metadata = Document::object();
    for key in ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"] {
        match metadata_text(object, key) {
            "" => {}
            text => metadata = metadata.with(key, text),
        }
    }
    let mut spec = Document::object();
    if replicas != 0 {
        spec = spec.with("replicas", replicas);
    }
    let current = at(&paths.status).and_then(Value::as_i64).unwrap_or_default();
    let mut status = Document::object().with("replicas", current);
    let selector = paths.selector.as_deref().and_then(at).map(selector_text);
    if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
        status = status.with("selector", &selector);
    }
    Document::object()
        .with("kind", "Scale")
        .with("apiVersion", "autoscaling/v1")
        .with("metadata", &metadata)
        .with("spec", &spec)
        .with("status", &status)
}
