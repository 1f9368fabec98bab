//! Options of requests, and how they are written.

use crate::call::Query;
use crate::settings::ClientSettings;
use crdkit_engine::FieldValidation;
use crdkit_value::Document;

/// Which objects are listed or watched, or deleted as a collection.
#[derive(Clone, Debug, Default)]
pub struct ListOptions {
    /// Objects with these labels.
    pub label_selector: String,
    /// Objects with these fields.
    pub field_selector: String,
    /// So many at a time; 0 is all of them.
    pub limit: u64,
    /// Where the page before ended.
    pub continue_token: String,
    /// The version of the list; empty is the newest.
    pub resource_version: String,
    /// `Exact` or `NotOlderThan`; empty where there is no version.
    pub resource_version_match: String,
}

/// How an object is written.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// Whether nothing is to be stored.
    pub dry_run: bool,
    /// Who writes; empty is what the client is set to.
    pub field_manager: String,
    /// What becomes of fields that are unknown or given twice; the server warns if nothing is said.
    pub field_validation: Option<FieldValidation>,
}

/// How an object is applied.
#[derive(Clone, Debug, Default)]
pub struct ApplyOptions {
    /// Who applies.
    pub field_manager: String,
    /// Whether fields that others own are taken from them.
    pub force: bool,
    /// Whether nothing is to be stored.
    pub dry_run: bool,
}

/// How an object is deleted.
#[derive(Clone, Debug, Default)]
pub struct DeleteOptions {
    /// What becomes of its dependents; the server decides if nothing is said.
    pub propagation: Option<Propagation>,
    /// How long it may take to end.
    pub grace_period_seconds: Option<u64>,
    /// Only the object with this uid; empty is any.
    pub uid: String,
    /// Only the object of this version; empty is any.
    pub resource_version: String,
    /// Whether nothing is to be deleted.
    pub dry_run: bool,
}

/// What becomes of the dependents of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// They stay.
    Orphan,
    /// They go after it.
    Background,
    /// They go before it.
    Foreground,
}

impl ListOptions {
    pub(crate) fn write(&self, query: &mut Query) {
        query.text("labelSelector", &self.label_selector);
        query.text("fieldSelector", &self.field_selector);
        query.number("limit", Some(self.limit).filter(|limit| *limit > 0));
        query.text("continue", &self.continue_token);
        query.text("resourceVersion", &self.resource_version);
        query.text("resourceVersionMatch", &self.resource_version_match);
    }
}

impl WriteOptions {
    pub(crate) fn write(&self, settings: &ClientSettings, query: &mut Query) {
        query.text("dryRun", if self.dry_run { "All" } else { "" });
        let manager = [&self.field_manager, &settings.field_manager];
        query.text(
            "fieldManager",
            manager.into_iter().find(|it| !it.is_empty()).map_or("", |it| it),
        );
        query.text(
            "fieldValidation",
            match self.field_validation {
                None => "",
                Some(FieldValidation::Ignore) => "Ignore",
                Some(FieldValidation::Warn) => "Warn",
                Some(FieldValidation::Strict) => "Strict",
            },
        );
    }
}

impl ApplyOptions {
    /// Applied by `manager`.
    pub fn by(manager: &str) -> Self {
        Self { field_manager: manager.to_owned(), ..Self::default() }
    }

    /// Fields that others own are taken from them.
    #[must_use]
    pub fn force(mut self) -> Self {
        self.force = true;
        self
    }

    pub(crate) fn write(&self, settings: &ClientSettings, query: &mut Query) {
        let Self { field_manager, dry_run, .. } = self.clone();
        WriteOptions { dry_run, field_manager, field_validation: None }.write(settings, query);
        query.flag("force", self.force);
    }
}

impl DeleteOptions {
    /// The body of a request; nothing if nothing is said.
    pub(crate) fn document(&self) -> Option<Document> {
        let empty = Document::object().with("apiVersion", "v1").with("kind", "DeleteOptions");
        let mut body = empty.clone();
        if let Some(propagation) = self.propagation {
            let name = match propagation {
                Propagation::Orphan => "Orphan",
                Propagation::Background => "Background",
                Propagation::Foreground => "Foreground",
            };
            body = body.with("propagationPolicy", name);
        }
        if let Some(seconds) = self.grace_period_seconds.and_then(|it| i64::try_from(it).ok()) {
            body = body.with("gracePeriodSeconds", seconds);
        }
        let mut only = Document::object();
        for (key, text) in [("uid", &self.uid), ("resourceVersion", &self.resource_version)] {
            if !text.is_empty() {
                only = only.with(key, text.as_str());
            }
        }
        if only.root().members().next().is_some() {
            body = body.with("preconditions", &only);
        }
        (body != empty).then_some(body)
    }

    pub(crate) fn write(&self, query: &mut Query) {
        query.text("dryRun", if self.dry_run { "All" } else { "" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crdkit_codec::json::{self, Layout};

    #[test]
    fn options_are_written_as_the_server_reads_them() {
        assert!(DeleteOptions::default().document().is_none());
        let options = DeleteOptions {
            propagation: Some(Propagation::Foreground),
            uid: "u".to_owned(),
            ..DeleteOptions::default()
        };
        assert_eq!(
            json::text(options.document().unwrap().root(), Layout::Compact),
            r#"{"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Foreground","preconditions":{"uid":"u"}}"#
        );
    }
}
