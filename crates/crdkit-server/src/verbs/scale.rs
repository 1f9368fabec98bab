//! The number of replicas of an object, seen as a `Scale` of `autoscaling/v1`.

use super::Target;
use crate::answer::Answer;
use crate::rules::Rules;
use crate::stored::metadata_text;
use crdkit_schema::compile::ReplicaPaths;
use crdkit_schema::status::Status;
use crdkit_value::{Document, Value};

impl Target<'_> {
    fn replica_paths(&self) -> Result<&ReplicaPaths, Box<Status>> {
        let paths = match &self.served.rules {
            Rules::Custom(_) => self.served.resource.compiled().and_then(|it| it.scale.as_ref()),
            _ => None,
        };
        paths.ok_or_else(|| self.subject(self.name.unwrap_or_default()).not_found().into())
    }

    pub(super) async fn get_scale(&self) -> Result<Answer, Box<Status>> {
        let name = self.name()?;
        let form = self.form()?;
        let entry = self.read(name).await?;
        let scale = scale_of(self.served.rules.read(&entry).root(), self.replica_paths()?)?;
        Ok(form.answer(200, scale.root()))
    }

    pub(super) async fn update_scale(&self) -> Result<Answer, Box<Status>> {
        Err(Status::internal_error("not there yet").into())
    }

    pub(super) async fn patch_scale(&self) -> Result<Answer, Box<Status>> {
        Err(Status::internal_error("not there yet").into())
    }
}

/// The scale of an object.
pub(super) fn scale_of(object: Value<'_>, paths: &ReplicaPaths) -> Result<Document, Box<Status>> {
    let at = |path: &str| {
        let path = path.strip_prefix('.').unwrap_or(path);
        path.split('.').try_fold(object, Value::get)
    };
    let Some(replicas) = at(&paths.spec).and_then(Value::as_i64) else {
        let text = format!("the spec replicas field {} does not exist", crdkit_text::quote::quote(&paths.spec));
        return Err(Status::internal_error(text).into());
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
    let selector = paths.selector.as_deref().and_then(at).and_then(Value::as_str);
    if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
        status = status.with("selector", selector);
    }
    Ok(Document::object()
        .with("kind", "Scale")
        .with("apiVersion", "autoscaling/v1")
        .with("metadata", &metadata)
        .with("spec", &spec)
        .with("status", &status))
}
