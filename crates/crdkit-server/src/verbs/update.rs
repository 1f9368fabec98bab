//! An object in the place of another one.

use super::{BodyObject, Target};
use crate::admission::Change;
use crate::answer::Answer;
use crate::negotiate::Form;
use crate::options::{WriteKind, WriteOptions};
use crate::rules::Part;
use crate::stored::{self, metadata_text};
use crate::view::Shape;
use crdkit_schema::status::Status;
use crdkit_value::{Document, Value};

impl Target<'_> {
    pub(super) async fn update(&self) -> Result<Answer, Box<Status>> {
        let name = self.name()?;
        let form = self.form()?;
        self.request.body()?;
        let options = WriteOptions::of(self.request, WriteKind::Update)?;
        let media = self.content_type()?;
        let shape = self.shape(&form)?;
        let body = self.object_in(media)?;
        let options = self.lenient_with(&body, options);
        let engine = self.engine_options(&options).name(name);
        let managing = self.managing(&options);
        let part = self.part();
        let make = |old: &Document| {
            let change = Change::update(&options, old);
            let mut between = |document: &mut Document| {
                self.check_uid(name, document.root(), old.root(), options.dry_run)?;
                self.check_version(document, old.root())?;
                let metadata = stored::metadata(document);
                stored::remove(document, metadata, "selfLink");
                managing.update(Some(old), document);
                self.mutate(change, document)
            };
            let rules = &self.served.rules;
            let verdict = rules.update(part, old, body.input(), &engine, &mut between);
            let accepted = self.settle(verdict).map_err(|refused| refused.status)?;
            self.validate(change, Some(&accepted.document))?;
            Ok(accepted)
        };
        let written = self.replace(name, options.dry_run, make).await?;
        if written.is_none() && self.served.rules.creates_on_update() && part == Part::Main {
            return self.create_named(&form, &shape, name, &options, &body).await;
        }
        let Some(written) = written else {
            // What is wrong with the body is said before what is not there.
            let mut stop = |_: &mut Document| Err(Box::new(self.subject(name).not_found()));
            let verdict = self.served.rules.create(body.input(), &engine, &mut stop);
            return Err(match self.settle(verdict) {
                Err(refused) => refused.status,
                Ok(_) => self.subject(name).not_found().into(),
            });
        };
        self.show(&form, &shape, written)
    }

    /// Creates what a PUT did not find.
    async fn create_named(
        &self,
        form: &Form,
        shape: &Shape,
        name: &str,
        options: &WriteOptions,
        body: &BodyObject<'_>,
    ) -> Result<Answer, Box<Status>> {
        let place = self.place().await?;
        let environment = &self.core.environment;
        let engine = self.engine_options(options).name(name);
        let engine = engine.uid(environment.uid()).time(environment.now());
        let managing = self.managing(options);
        let change = Change::create(options);
        let mut between = |document: &mut Document| {
            let metadata = stored::metadata(document);
            stored::remove(document, metadata, "resourceVersion");
            managing.update(None, document);
            self.admit(place, name)?;
            self.mutate(change, document)
        };
        let verdict = self.served.rules.create(body.input(), &engine, &mut between);
        let document = self.settle(verdict).map_err(|refused| refused.status)?;
        self.validate(change, Some(&document.document))?;
        let written = self.store_new(document, options.dry_run).await?;
        self.show(form, shape, written)
    }

    /// A body that is about another life of the object.
    pub(super) fn check_uid(
        &self,
        name: &str,
        new: Value<'_>,
        old: Value<'_>,
        dry_run: bool,
    ) -> Result<(), Box<Status>> {
        let (found, expected) = (metadata_text(new, "uid"), metadata_text(old, "uid"));
        if found.is_empty() || found == expected {
            return Ok(());
        }
        let key = self.key(name);
        // What is only tried does not get to where keys have their prefix.
        let key = key.strip_prefix("/registry").filter(|_| dry_run).unwrap_or(&key);
        let problem = format!(
            "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: \
             Precondition failed: UID in precondition: {found}, UID in object meta: {expected}"
        );
        Err(self.subject(name).conflict(&problem).into())
    }

    /// Some kinds can be replaced without saying which version; a version that is none is an error of the server.
    pub(super) fn check_version(
        &self,
        document: &mut Document,
        old: Value<'_>,
    ) -> Result<(), Box<Status>> {
        let found = metadata_text(document.root(), "resourceVersion");
        if found.is_empty() && self.served.rules.updates_unconditionally() {
            let metadata = stored::metadata(document);
            document.insert(metadata, "resourceVersion", metadata_text(old, "resourceVersion"));
            return Ok(());
        }
        match crate::query::parse_uint(found) {
            Err(problem) if !found.is_empty() => Err(Status::unclassified(format!(
                "resourceVersion: Invalid value: {}: {problem}",
                crdkit_text::quote::quote(found)
            ))
            .into()),
            _ => Ok(()),
        }
    }
}
