//! What a server needs of a CRD beyond judging objects: columns of tables, and how versions are converted.
//!
//! The texts of columns are names in the table, because CRDs repeat them.

use super::crd::texts;
use super::table::{Name, Table};
use crate::model::{self, Column};

/// A column of a table of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrinterColumn<'c> {
    /// `name`.
    pub name: &'c str,
    /// `type`.
    pub type_name: &'c str,
    /// `format`.
    pub format: &'c str,
    /// `description`; empty when it is not written.
    pub description: &'c str,
    /// `priority`.
    pub priority: i32,
    /// `jsonPath`.
    pub json_path: &'c str,
}

impl PrinterColumn<'static> {
    /// The column of a version that has none.
    pub const AGE: Self = Self {
        name: "Age",
        type_name: "date",
        format: "",
        description: "CreationTimestamp is a timestamp representing the server time when this object was created. \
                      It is not guaranteed to be set in happens-before order across separate operations. \
                      Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\n\
                      Populated by the system. Read-only. Null for lists. More info: \
                      https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
        priority: 0,
        json_path: ".metadata.creationTimestamp",
    };
}

/// A column as it is kept.
#[derive(Clone, Debug)]
pub(crate) struct ColumnRow {
    texts: [Name; 5],
    priority: i32,
}

impl ColumnRow {
    pub(super) fn new(column: &Column<'_>, mut name: impl FnMut(&str) -> Name) -> Self {
        let Column { name: title, type_name, format, description, json_path, .. } = *column;
        let texts = [title, type_name, format, description, json_path].map(&mut name);
        Self { texts, priority: i32::try_from(column.priority).unwrap_or_default() }
    }

    pub(super) fn view<'t>(&self, table: &'t Table) -> PrinterColumn<'t> {
        let [name, type_name, format, description, json_path] =
            self.texts.map(|text| table.name(text));
        let priority = self.priority;
        PrinterColumn { name, type_name, format, description, priority, json_path }
    }
}

/// How objects get from one version to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Conversion {
    /// Only `apiVersion` changes.
    #[default]
    None,
    /// A webhook is asked.
    Webhook(Box<ConversionWebhook>),
}

/// The webhook that converts objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConversionWebhook {
    /// `clientConfig.url`.
    pub url: Option<Box<str>>,
    /// `clientConfig.service`.
    pub service: Option<WebhookService>,
    /// `clientConfig.caBundle`, decoded.
    pub ca_bundle: Box<[u8]>,
    /// `conversionReviewVersions`.
    pub review_versions: Box<[Box<str>]>,
}

/// The service that answers a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookService {
    /// `namespace`.
    pub namespace: Box<str>,
    /// `name`.
    pub name: Box<str>,
    /// `path`.
    pub path: Option<Box<str>>,
    /// `port`.
    pub port: i64,
}

impl From<&model::Conversion<'_>> for Conversion {
    fn from(conversion: &model::Conversion<'_>) -> Self {
        if conversion.strategy != "Webhook" {
            return Self::None;
        }
        let config = conversion.client_config.as_ref();
        let service = config.and_then(|config| config.service);
        Self::Webhook(Box::new(ConversionWebhook {
            url: config.and_then(|config| config.url).map(Into::into),
            service: service.map(|service| WebhookService {
                namespace: service.namespace.into(),
                name: service.name.into(),
                path: service.path.map(Into::into),
                port: service.port,
            }),
            ca_bundle: config.map(|config| config.ca_bundle.clone()).unwrap_or_default().into(),
            review_versions: texts(&conversion.review_versions),
        }))
    }
}
