//! CRDs: v1 as written, with what the server fills in, in the server's internal layout.

use super::fields::{flag, list, optional_text, present, text, texts};
use super::metadata::object_meta;
use super::schema::SchemaReader;
use super::v1beta1;
use super::weight;
use crate::decode;
use crate::equal;
use crate::model::{
    ClientConfig, Column, Condition, Conversion, Crd, CrdSpec, CrdStatus, CrdVersion, Names, Scale,
    SelectableField, Service, Subresources, Validation,
};
use crdkit_issue::{Issue, codes};
use crdkit_text::base64::Base64;
use crdkit_value::Value;
use std::borrow::Cow;

/// A CRD that was sent and could be decoded.
#[derive(Clone, Debug)]
pub struct CrdRequest<'d> {
    /// The CRD.
    pub crd: Crd<'d>,
    /// Unknown and duplicate fields, which strict validation refuses.
    pub strict: Vec<Issue>,
    /// What about it is beyond this program's limits; nothing further can be said about it.
    pub limits: Vec<Issue>,
}

/// The CRD that `root` holds, as the API server decodes it; `duplicates` are the repeated keys that
/// the codec saw.
///
/// # Errors
/// The findings, when the server refuses it in every mode.
pub fn request<'d>(root: Value<'d>, duplicates: &[Issue]) -> Result<CrdRequest<'d>, Vec<Issue>> {
    if let Some(issue) = decode::not_a_crd(root) {
        return Err(vec![issue]);
    }
    let found = decode::check(root, &decode::types::CRD, duplicates);
    if found.iter().any(|issue| issue.code == codes::crd::WRONG_JSON_TYPE) {
        return Err(found);
    }
    let (crd, limits) = crd(root);
    Ok(CrdRequest { crd, strict: found, limits })
}

/// The CRD of v1 or v1beta1 that `root` holds, and what about it is beyond this program's limits.
pub fn crd(root: Value<'_>) -> (Crd<'_>, Vec<Issue>) {
    let mut schemas = SchemaReader::new(root);
    let beta = v1beta1::is(root);
    let read = if beta { v1beta1::spec } else { spec };
    let spec = present(root, "spec").map(|value| read(value, &mut schemas)).unwrap_or_default();
    schemas.run();
    let (schemas, mut issues) = schemas.finish();
    issues.extend(weight::too_large(&schemas));
    let mut crd = Crd {
        source: root,
        metadata: present(root, "metadata").map(object_meta).unwrap_or_default(),
        spec,
        status: present(root, "status").map(status).unwrap_or_default(),
        schemas,
    };
    fill_in(&mut crd.spec);
    if !beta {
        hoist(&mut crd);
    }
    (crd, issues)
}

/// The spec of the CRD that `root` holds as far as it is not about schemas, whose ids mean nothing.
pub(crate) fn head(root: Value<'_>) -> CrdSpec<'_> {
    let mut schemas = SchemaReader::new(root);
    let read = if v1beta1::is(root) { v1beta1::spec } else { spec };
    let mut spec = present(root, "spec").map(|value| read(value, &mut schemas)).unwrap_or_default();
    fill_in(&mut spec);
    spec
}

/// What the server's defaults for v1 add.
fn fill_in(spec: &mut CrdSpec<'_>) {
    let names = &mut spec.names;
    if names.singular.is_empty() {
        names.singular = Cow::Owned(names.kind.to_lowercase());
    }
    if names.list_kind.is_empty() && !names.kind.is_empty() {
        names.list_kind = Cow::Owned(format!("{}List", names.kind));
    }
    if spec.conversion.is_none() {
        let review_versions = Vec::new();
        let conversion =
            Conversion { source: None, strategy: "None", client_config: None, review_versions };
        spec.conversion = Some(conversion);
    }
}

/// Moves what all versions share to the top of the spec. A single version shares everything.
fn hoist(crd: &mut Crd<'_>) {
    let spec = &mut crd.spec;
    let Some((first, others)) = spec.versions.split_first() else { return };
    spec.version = first.name;
    let schemas = &crd.schemas;
    let validation =
        others.iter().all(|it| equal::validations(schemas, it.validation, first.validation));
    let subresources =
        others.iter().all(|it| equal::subresources(it.subresources, first.subresources));
    let columns = others.iter().all(|it| equal::columns(&it.columns, &first.columns));
    let selectable_fields = others
        .iter()
        .all(|it| equal::selectable_fields(&it.selectable_fields, &first.selectable_fields));
    for (index, version) in spec.versions.iter_mut().enumerate() {
        if validation {
            let own = version.validation.take();
            spec.validation = if index == 0 { own } else { spec.validation };
        }
        if subresources {
            let own = version.subresources.take();
            spec.subresources = if index == 0 { own } else { spec.subresources };
        }
        if columns {
            let own = std::mem::take(&mut version.columns);
            if index == 0 {
                spec.columns = own;
            }
        }
        if selectable_fields {
            let own = std::mem::take(&mut version.selectable_fields);
            if index == 0 {
                spec.selectable_fields = own;
            }
        }
    }
}

fn spec<'d>(value: Value<'d>, schemas: &mut SchemaReader<'d>) -> CrdSpec<'d> {
    CrdSpec {
        source: Some(value),
        group: text(value, "group"),
        version: "",
        names: present(value, "names").map(names).unwrap_or_default(),
        scope: text(value, "scope"),
        validation: None,
        subresources: None,
        versions: list(value, "versions", |value| version(value, schemas)),
        columns: Vec::new(),
        selectable_fields: Vec::new(),
        conversion: present(value, "conversion").map(conversion),
        preserve_unknown_fields: Some(flag(value, "preserveUnknownFields")),
    }
}

pub(super) fn names(value: Value<'_>) -> Names<'_> {
    Names {
        plural: text(value, "plural"),
        singular: Cow::Borrowed(text(value, "singular")),
        short_names: texts(value, "shortNames"),
        kind: text(value, "kind"),
        list_kind: Cow::Borrowed(text(value, "listKind")),
        categories: texts(value, "categories"),
    }
}

pub(super) fn version<'d>(value: Value<'d>, schemas: &mut SchemaReader<'d>) -> CrdVersion<'d> {
    CrdVersion {
        source: value,
        name: text(value, "name"),
        served: flag(value, "served"),
        storage: flag(value, "storage"),
        deprecated: flag(value, "deprecated"),
        deprecation_warning: optional_text(value, "deprecationWarning"),
        validation: present(value, "schema").map(|value| validation(value, schemas)),
        subresources: present(value, "subresources").map(subresources),
        columns: list(value, "additionalPrinterColumns", column),
        selectable_fields: list(value, "selectableFields", selectable_field),
    }
}

pub(super) fn selectable_field(value: Value<'_>) -> SelectableField<'_> {
    SelectableField { source: value, json_path: text(value, "jsonPath") }
}

pub(super) fn validation<'d>(value: Value<'d>, schemas: &mut SchemaReader<'d>) -> Validation<'d> {
    let schema = present(value, "openAPIV3Schema").map(|value| schemas.add(value, 0));
    Validation { source: value, schema }
}

pub(super) fn subresources(value: Value<'_>) -> Subresources<'_> {
    let scale = present(value, "scale").map(|scale| Scale {
        spec_replicas_path: text(scale, "specReplicasPath"),
        status_replicas_path: text(scale, "statusReplicasPath"),
        label_selector_path: optional_text(scale, "labelSelectorPath"),
    });
    Subresources { source: value, status: present(value, "status").is_some(), scale }
}

pub(super) fn column(value: Value<'_>) -> Column<'_> {
    Column {
        source: value,
        name: text(value, "name"),
        type_name: text(value, "type"),
        format: text(value, "format"),
        description: text(value, "description"),
        priority: value.get("priority").and_then(Value::as_i64).unwrap_or_default(),
        // v1beta1 writes the name in capitals.
        json_path: match text(value, "jsonPath") {
            "" => text(value, "JSONPath"),
            path => path,
        },
    }
}

fn conversion(value: Value<'_>) -> Conversion<'_> {
    let webhook = present(value, "webhook");
    let config = webhook.and_then(|webhook| present(webhook, "clientConfig"));
    Conversion {
        source: Some(value),
        strategy: text(value, "strategy"),
        client_config: config.map(client_config),
        review_versions: webhook
            .map(|webhook| texts(webhook, "conversionReviewVersions"))
            .unwrap_or_default(),
    }
}

pub(super) fn client_config(value: Value<'_>) -> ClientConfig<'_> {
    ClientConfig {
        source: value,
        url: optional_text(value, "url"),
        service: present(value, "service").map(|service| Service {
            namespace: text(service, "namespace"),
            name: text(service, "name"),
            path: optional_text(service, "path"),
            port: service.get("port").and_then(Value::as_i64).unwrap_or(443),
        }),
        ca_bundle: Base64::Standard.decode(text(value, "caBundle")).unwrap_or_default(),
    }
}

fn status(value: Value<'_>) -> CrdStatus<'_> {
    CrdStatus {
        conditions: list(value, "conditions", |condition| Condition {
            type_name: text(condition, "type"),
            status: text(condition, "status"),
        }),
        accepted_names: present(value, "acceptedNames").map(names).unwrap_or_default(),
        stored_versions: texts(value, "storedVersions"),
    }
}
