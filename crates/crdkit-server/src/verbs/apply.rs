//! What somebody wants an object to be, put together with what others want.

use super::Target;
use super::write::{CreateFailure, Written};
use crate::admission::Change;
use crate::answer::Answer;
use crate::core::WriteFailure;
use crate::decode;
use crate::manage::Managing;
use crate::negotiate::Form;
use crate::options::{WriteKind, WriteOptions};
use crate::query::parse_uint;
use crate::rules::{Part, Refused};
use crate::stored::{self, metadata_text};
use crdkit_codec::media::PatchType;
use crdkit_codec::{DecodeOptions, Format};
use crdkit_engine::FieldValidation;
use crdkit_schema::status::Status;
use crdkit_value::{Document, Duplicates, Kind, Value};

impl Target<'_> {
    pub(super) async fn apply(
        &self,
        kind: PatchType,
        name: &str,
        form: &Form,
        body: &[u8],
    ) -> Result<Answer, Box<Status>> {
        let options = WriteOptions::of(self.request, WriteKind::Apply)?;
        let shape = self.shape(form)?;
        let config = self.configuration(kind, body, options.validation)?;
        let managing = self.managing(&options);
        let key = self.key(name);
        let mut entry = self.core.get(&key).await?;
        let written = loop {
            let Some(current) = entry else {
                match self.apply_new(name, &config, &options, &managing).await {
                    Err(CreateFailure::Exists(_)) => {
                        entry = self.core.get(&key).await?;
                        continue;
                    }
                    made => break made.map_err(Box::<Status>::from)?,
                }
            };
            let old = self.served.rules.read(&current).await?;
            let applied = managing.apply(Some(&old), &config, options.force);
            let applied = applied.map_err(|error| Box::new(error.status()))?;
            let shown = self.shown(applied.document.root());
            let engine = self.engine_options(&options).name(name);
            let change = Change::update(&options, &old);
            let mut between = |document: &mut Document| {
                self.keep_uid(self.part(), document, old.root());
                self.check_same_uid(name, document.root(), old.root())?;
                self.mutate(change, document)
            };
            let verdict = self.served.rules.update_applied(
                self.part(),
                &old,
                applied.document,
                &engine,
                &mut between,
            );
            let document =
                self.settle(verdict).map_err(|refused| refused_apply(*refused, shown.as_ref()))?;
            self.validate(change, Some(&document.document))?;
            match self.store_changed(&key, &current, &old, document, options.dry_run).await {
                Ok(written) => {
                    if !options.dry_run {
                        self.after_write(name).await;
                    }
                    break written;
                }
                Err(WriteFailure::Conflict(found)) => entry = found,
                Err(WriteFailure::Failed(status)) => return Err(status),
            }
        };
        self.show(form, &shape, written)
    }

    async fn apply_new(
        &self,
        name: &str,
        config: &Document,
        options: &WriteOptions,
        managing: &Managing<'_>,
    ) -> Result<Written, CreateFailure> {
        if self.part() != Part::Main {
            return Err(CreateFailure::Other(self.subject(name).not_found().into()));
        }
        let uid = metadata_text(config.root(), "uid");
        if !uid.is_empty() {
            let problem = format!(
                "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
            );
            return Err(CreateFailure::Other(self.subject(name).conflict(&problem).into()));
        }
        let applied = managing.apply(None, config, options.force);
        let applied = applied.map_err(|error| CreateFailure::Other(error.status().into()))?;
        let shown = self.shown(applied.document.root());
        let place = self.place().await.map_err(CreateFailure::Other)?;
        let environment = &self.core.environment;
        let change = Change::create(options);
        let engine = self.engine_options(options).name(name);
        let engine = engine.uid(environment.uid()).time(environment.now());
        let mut between = |document: &mut Document| {
            let version = metadata_text(document.root(), "resourceVersion");
            if let Err(problem) = parse_uint(version)
                && !version.is_empty()
            {
                return Err(Status::unclassified(problem).into());
            }
            let metadata = stored::metadata(document);
            stored::remove(document, metadata, "resourceVersion");
            self.admit(place, name)?;
            self.mutate(change, document)
        };
        let rules = &self.served.rules;
        let verdict = rules.create_applied(applied.document, &engine, &mut between);
        let document = self.settle(verdict);
        let document = document
            .map_err(|refused| CreateFailure::Other(refused_apply(*refused, shown.as_ref())))?;
        self.validate(change, Some(&document.document)).map_err(CreateFailure::Other)?;
        self.store_new(document, options.dry_run).await
    }

    /// An object of a native kind as answers name it that say it cannot be made: where it is, and what it is.
    fn shown(&self, object: Value<'_>) -> Option<(String, String)> {
        if self.served.resource.is_custom() {
            return None;
        }
        let kind = &self.served.resource.kind;
        let kind = format!("{}/{}, Kind={}", kind.group, kind.version, kind.kind);
        let place = metadata_text(object, "namespace");
        Some((format!("{place}/{}; {kind}", metadata_text(object, "name")), kind))
    }

    /// The configuration in a body.
    pub(super) fn configuration(
        &self,
        kind: PatchType,
        body: &[u8],
        validation: FieldValidation,
    ) -> Result<Document, Box<Status>> {
        let bad = |text: String| Box::new(Status::bad_request(text));
        let format = match kind {
            PatchType::ApplyCbor => Format::Cbor,
            _ => Format::Yaml,
        };
        let duplicates = match validation {
            FieldValidation::Ignore => Duplicates::LastWins,
            FieldValidation::Warn | FieldValidation::Strict => Duplicates::Error,
        };
        let positions = format == Format::Yaml && validation != FieldValidation::Ignore;
        let options = DecodeOptions::new().duplicates(duplicates).positions(positions);
        let decoded = format.decode(body, &options).map_err(|issue| {
            let looks_like_json = body.trim_ascii_start().starts_with(b"{");
            bad(match (format, looks_like_json) {
                (Format::Cbor, _) => format!("error decoding patch: {}", issue.server_message()),
                (_, true) => format!(
                    "error decoding patch: error converting YAML to JSON: {}",
                    decode::yaml_text(body, &issue)
                ),
                (_, false) => format!("error encoding patch: {}", decode::yaml_text(body, &issue)),
            })
        })?;
        let repeated: Vec<String> =
            decoded.issues.iter().map(|issue| decode::repeated_text(body, issue)).collect();
        match validation {
            FieldValidation::Strict if !repeated.is_empty() => {
                let text = repeated.join("\n  ");
                return Err(bad(format!(
                    "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  {text}"
                )));
            }
            FieldValidation::Warn => repeated.into_iter().for_each(|text| self.request.warn(text)),
            _ => {}
        }
        let found = match decoded.document.root().kind() {
            Kind::Object(_) => return Ok(decoded.document),
            Kind::Null => return Ok(Document::object()),
            Kind::Array(_) => "array",
            Kind::String(_) => "string",
            Kind::Bool(_) => "bool",
            _ => "number",
        };
        Err(bad(format!(
            "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
        )))
    }
}

/// The answer to a configuration whose result is none of its native kind, which the server finds when it converts it.
fn refused_apply(refused: Refused, shown: Option<&(String, String)>) -> Box<Status> {
    match (refused.undecodable, shown) {
        (Some(problem), Some((object, kind))) => Status::unclassified(format!(
            "failed to convert new object ({object}) to proper version: unable to convert unstructured object to {kind}: {problem}"
        ))
        .into(),
        _ => refused.status,
    }
}
