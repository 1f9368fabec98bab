//! A new object.

use super::Target;
use super::write::CreateFailure;
use crate::admission::Change;
use crate::answer::Answer;
use crate::options::{WriteKind, WriteOptions};
use crate::stored;
use crdkit_schema::status::Status;
use crdkit_value::Document;

/// How many names are tried when one is generated.
const NAMES: usize = 8;

impl Target<'_> {
    pub(super) async fn create(&self) -> Result<Answer, Box<Status>> {
        let form = self.form()?;
        let media = self.content_type()?;
        self.request.body()?;
        let options = WriteOptions::of(self.request, WriteKind::Create)?;
        let shape = self.shape(&form)?;
        let body = self.object_in(media)?;
        let options = self.lenient_with(&body, options);
        let place = self.place().await?;
        let managing = self.managing(&options);
        let change = Change::create(&options);
        let mut tries = 0;
        let mut written = loop {
            let environment = &self.core.environment;
            let engine = self
                .engine_options(&options)
                .uid(environment.uid())
                .name_suffix(environment.name_suffix())
                .time(environment.now());
            let mut generated = false;
            let mut between = |document: &mut Document| {
                let root = document.root();
                let name = stored::metadata_text(root, "name").to_owned();
                generated =
                    name.is_empty() && !stored::metadata_text(root, "generateName").is_empty();
                managing.update(None, document);
                self.admit(place, &name)?;
                self.mutate(change, document)
            };
            let verdict = self.served.rules.create(body.input(), &engine, &mut between);
            let accepted = self.settle(verdict).map_err(|refused| refused.status)?;
            self.validate(change, Some(&accepted.document))?;
            tries += 1;
            match self.store_new(accepted, options.dry_run).await {
                Ok(written) => break written,
                Err(CreateFailure::Exists(_)) if generated && tries < NAMES => {}
                Err(CreateFailure::Exists(mut status)) if generated => {
                    status.message +=
                        ", the server was not able to generate a unique name for the object";
                    return Err(status.retry_after(1).into());
                }
                Err(failure) => return Err(failure.into()),
            }
        };
        let view = self.view(&form, &shape);
        match (&written.value, written.revision) {
            (Some(value), Some(revision)) => {
                view.written(201, value, revision, &mut written.document)
            }
            _ => view.object(201, &written.document),
        }
    }

    /// Custom resources have no form in Protobuf.
    pub(super) fn no_protobuf() -> Box<Status> {
        Status::unsupported_media_type(
            "the body of the request was in an unknown format - accepted media types include: \
             application/json, application/yaml, application/cbor",
        )
        .into()
    }
}
