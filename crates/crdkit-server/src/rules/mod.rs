//! How objects of a served kind are read and checked, whatever defines the kind.
//!
//! Every operation takes an object and what it replaces, and gives the object as it will be stored, in the version of the
//! request, or the answer that refuses it. Nothing here touches the store: what is given back can be thrown away.

mod custom;
mod definition;
mod native;
mod normalise;
mod pod;

pub(crate) use custom::CustomRules;
pub(crate) use definition::empty as empty_definition;

use crate::stored;
use crdkit_engine::{Input, RequestOptions};
use crdkit_native::NativeKind;
use crdkit_schema::compile::ReplicaPaths;
use crdkit_schema::status::Status;
use crdkit_store::StoreEntry;
use crdkit_value::{Document, Value};
use std::sync::Arc;

/// How objects of a kind are read and checked.
#[expect(clippy::large_enum_variant, reason = "one for each kind that is served")]
pub(crate) enum Rules {
    /// By a version of a CRD.
    Custom(CustomRules),
    /// CRDs themselves.
    Definition,
    /// A native kind.
    Native(&'static NativeKind),
    /// A native kind whose objects are answered and forgotten.
    Review(&'static NativeKind),
}

/// The part of an object that a write is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// All of it, but what clients do not decide.
    Main,
    /// Its status.
    Status,
    /// What keeps it from going away.
    Finalize,
    /// The containers that are added to a pod that runs.
    Ephemeral,
    /// What the containers of a pod may use.
    Resources,
}

/// An object that was accepted.
pub(crate) struct Accepted {
    /// The object as it is read back.
    pub(crate) document: Document,
    /// The object as it is written, where that is something else.
    pub(crate) written: Option<Document>,
    pub(crate) warnings: Vec<String>,
}

/// Why an object was not accepted.
pub(crate) struct Refused {
    pub(crate) status: Box<Status>,
    pub(crate) warnings: Vec<String>,
    /// Why it could not be read as one of its kind, if that is it.
    pub(crate) undecodable: Option<String>,
}

pub(crate) type Verdict = Result<Accepted, Box<Refused>>;

/// What happens to an object between being read and being checked: admission and field managers.
pub(crate) type Between<'b> = &'b mut dyn FnMut(&mut Document) -> Result<(), Box<Status>>;

impl From<Box<Status>> for Box<Refused> {
    fn from(status: Box<Status>) -> Self {
        Box::new(Refused { status, warnings: Vec::new(), undecodable: None })
    }
}

impl Rules {
    /// An object that is created.
    pub(crate) fn create(
        &self,
        input: Input<'_>,
        options: &RequestOptions,
        between: Between<'_>,
    ) -> Verdict {
        match self {
            Self::Custom(rules) => rules.create(input, options, between),
            Self::Definition => definition::create(input, options, between),
            Self::Native(kind) | Self::Review(kind) => {
                native::create(kind, input, options, between)
            }
        }
    }

    /// An object that replaces `old`, which was read by [`Rules::read`].
    pub(crate) fn update(
        &self,
        part: Part,
        old: &Document,
        input: Input<'_>,
        options: &RequestOptions,
        between: Between<'_>,
    ) -> Verdict {
        match self {
            Self::Custom(rules) => rules.update(part, old, input, options, between),
            Self::Definition => definition::update(part, old, input, options, between),
            Self::Native(kind) | Self::Review(kind) => {
                native::update(kind, part, old, input, options, between)
            }
        }
    }

    /// An object that server-side apply has made, to be created.
    pub(crate) fn create_applied(
        &self,
        document: Document,
        options: &RequestOptions,
        between: Between<'_>,
    ) -> Verdict {
        match self {
            Self::Custom(rules) => rules.create_applied(document, options, between),
            _ => self.create(document.into(), options, between),
        }
    }

    /// An object that server-side apply has made of `old`.
    pub(crate) fn update_applied(
        &self,
        part: Part,
        old: &Document,
        document: Document,
        options: &RequestOptions,
        between: Between<'_>,
    ) -> Verdict {
        match self {
            Self::Custom(rules) => rules.update_applied(part, old, document, options, between),
            _ => self.update(part, old, document.into(), options, between),
        }
    }

    /// What a write to the `scale` subresource makes of an object.
    pub(crate) fn scale(
        &self,
        old: &Document,
        replicas: i64,
        paths: &ReplicaPaths,
        options: &RequestOptions,
        between: Between<'_>,
    ) -> Verdict {
        if let Self::Custom(rules) = self {
            rules.scale(old, replicas, options, between)
        } else {
            let mut scaled = old.clone();
            let (parent, key) = paths.spec.rsplit_once('.').unwrap_or_default();
            let steps = parent.split('.').filter(|step| !step.is_empty());
            let parent = steps.into_iter().try_fold(scaled.root(), Value::get).map(Value::id);
            if let Some(parent) = parent {
                scaled.insert(parent, key, replicas);
            }
            self.update(Part::Main, old, scaled.into(), options, between)
        }
    }

    /// Whether a service has to be asked about objects of other versions.
    pub(crate) fn has_converter(&self) -> bool {
        matches!(self, Self::Custom(rules) if rules.has_converter())
    }

    /// An entry of the store as an object of the version of the request.
    ///
    /// # Errors
    /// The answer, when it cannot be had in that version.
    pub(crate) async fn read(&self, entry: &StoreEntry) -> Result<Document, Box<Status>> {
        match self {
            Self::Custom(rules) if rules.has_converter() => {
                rules.convert(&stored::object(entry)).await
            }
            _ => Ok(self.read_alone(entry)),
        }
    }

    /// Entries of the store as objects of the version of the request.
    ///
    /// # Errors
    /// The answer, when one of them cannot be had in that version.
    pub(crate) async fn read_all(
        &self,
        entries: &[Arc<StoreEntry>],
    ) -> Result<Vec<Document>, Box<Status>> {
        match self {
            Self::Custom(rules) if rules.has_converter() => {
                rules.read_all(entries.iter().map(|entry| stored::object(entry)).collect()).await
            }
            _ => Ok(entries.iter().map(|entry| self.read_alone(entry)).collect()),
        }
    }

    /// An entry as an object, of a kind that has no converter.
    pub(crate) fn read_alone(&self, entry: &StoreEntry) -> Document {
        let document = stored::object(entry);
        match self {
            Self::Custom(rules) => rules.read(&document),
            Self::Native(kind) => native::read(kind, document),
            Self::Definition | Self::Review(_) => document,
        }
    }

    /// An object of the version of the request in the version that is stored.
    ///
    /// # Errors
    /// The answer, when it cannot be had in that version.
    pub(crate) async fn to_storage(&self, document: Document) -> Result<Document, Box<Status>> {
        Ok(match self {
            Self::Custom(rules) => return rules.to_storage(document).await,
            Self::Native(kind) => native::to_storage(kind, document),
            Self::Definition | Self::Review(_) => document,
        })
    }

    /// Whether this is the kind of namespaces.
    pub(crate) fn is_namespace(&self) -> bool {
        matches!(self, Self::Native(kind) if (kind.group, kind.plural) == ("", "namespaces"))
    }

    /// Whether objects get time to end when they are deleted.
    pub(crate) fn is_pod(&self) -> bool {
        matches!(self, Self::Native(kind) if (kind.group, kind.plural) == ("", "pods"))
    }

    /// Whether PUT creates what is not there.
    pub(crate) fn creates_on_update(&self) -> bool {
        matches!(self, Self::Native(kind) if kind.create_on_update)
    }

    /// Whether the answer to a deletion is the object, even if it is gone.
    pub(crate) fn returns_deleted(&self) -> bool {
        matches!(self, Self::Native(kind) if kind.delete_returns_object)
    }

    /// Whether PUT may leave out the version that it replaces.
    pub(crate) fn updates_unconditionally(&self) -> bool {
        matches!(self, Self::Native(kind) if kind.unconditional_update)
    }
}
