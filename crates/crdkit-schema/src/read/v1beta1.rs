//! CRDs of `apiextensions.k8s.io/v1beta1`, which the server no longer serves but still understands.
//!
//! Their layout is the server's internal one, so nothing moves; only what v1beta1 fills in differs.

use super::crd::{
    client_config, column, names, selectable_field, subresources, validation, version,
};
use super::fields::{list, present, text, texts};
use super::schema::SchemaReader;
use crate::model::{Conversion, CrdSpec, CrdVersion};
use crdkit_value::Value;

/// Whether a document is such a CRD.
pub(super) fn is(root: Value<'_>) -> bool {
    text(root, "apiVersion") == "apiextensions.k8s.io/v1beta1"
}

/// The spec of such a CRD.
pub(super) fn spec<'d>(value: Value<'d>, schemas: &mut SchemaReader<'d>) -> CrdSpec<'d> {
    let mut versions = list(value, "versions", |value| version(value, schemas));
    let only = text(value, "version");
    if versions.is_empty() && !only.is_empty() {
        versions.push(CrdVersion {
            source: value,
            name: only,
            served: true,
            storage: true,
            deprecated: false,
            deprecation_warning: None,
            validation: None,
            subresources: None,
            columns: Vec::new(),
            selectable_fields: Vec::new(),
        });
    }
    let first = versions.first().map_or("", |version| version.name);
    CrdSpec {
        source: Some(value),
        group: text(value, "group"),
        version: if only.is_empty() { first } else { only },
        names: present(value, "names").map(names).unwrap_or_default(),
        scope: match text(value, "scope") {
            "" => "Namespaced",
            scope => scope,
        },
        validation: present(value, "validation").map(|value| validation(value, schemas)),
        subresources: present(value, "subresources").map(subresources),
        versions,
        columns: list(value, "additionalPrinterColumns", column),
        selectable_fields: list(value, "selectableFields", selectable_field),
        conversion: present(value, "conversion").map(conversion),
        preserve_unknown_fields: value
            .get("preserveUnknownFields")
            .and_then(Value::as_bool)
            .or(Some(true)),
    }
}

fn conversion(value: Value<'_>) -> Conversion<'_> {
    let strategy = text(value, "strategy");
    let mut review_versions = texts(value, "conversionReviewVersions");
    if strategy == "Webhook" && review_versions.is_empty() {
        review_versions.push("v1beta1");
    }
    Conversion {
        source: Some(value),
        strategy,
        client_config: present(value, "webhookClientConfig").map(client_config),
        review_versions,
    }
}
