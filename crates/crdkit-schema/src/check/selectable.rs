//! `selectableFields`.

use super::options::CheckOptions;
use super::structural::StructuralFailures;
use super::{SPEC, at};
use crate::field_path::{Brackets, resolve};
use crate::model::{Crd, CrdVersion, SchemaId, SelectableField};
use crate::path::Path;
use crdkit_issue::{FieldPath, Issue, Segment, codes};
use std::collections::BTreeSet;

/// How many selectable fields a version may have.
pub(super) const LIMIT: usize = 8;

/// Checks the selectable fields that all versions share.
pub(super) fn shared(
    crd: &Crd<'_>,
    conversions: &StructuralFailures,
    options: &CheckOptions,
    issues: &mut Vec<Issue>,
) {
    let spec = &crd.spec;
    if spec.selectable_fields.is_empty() {
        return;
    }
    let Some(validation) = spec.validation else {
        let path = SPEC.field("selectableFields");
        return issues
            .push(at(codes::crd::SELECTABLE_WITHOUT_SCHEMA, &path, spec.source).value(""));
    };
    if let Some(id) = validation.schema {
        let scope = SelectableScope { crd, conversions, options, version: "", path: SPEC };
        scope.check(id, &spec.selectable_fields, issues);
    }
}

/// Checks the selectable fields of one version.
pub(super) fn of_version(
    crd: &Crd<'_>,
    version: &CrdVersion<'_>,
    path: &Path<'_>,
    conversions: &StructuralFailures,
    options: &CheckOptions,
    issues: &mut Vec<Issue>,
) {
    if version.selectable_fields.is_empty() {
        return;
    }
    match version.validation.and_then(|it| it.schema) {
        None => {
            let path = path.field("selectableFields");
            let code = codes::crd::SELECTABLE_WITHOUT_VERSION_SCHEMA;
            issues.push(at(code, &path, Some(version.source)).value(""));
        }
        Some(id) => {
            let scope = SelectableScope { crd, conversions, options, version: version.name, path };
            scope.check(id, &version.selectable_fields, issues);
        }
    }
}

/// Where a list of selectable fields stands.
struct SelectableScope<'c, 'd> {
    crd: &'c Crd<'d>,
    conversions: &'c StructuralFailures,
    options: &'c CheckOptions,
    version: &'c str,
    path: &'c Path<'c>,
}

impl SelectableScope<'_, '_> {
    fn check(&self, root: SchemaId, fields: &[SelectableField<'_>], issues: &mut Vec<Issue>) {
        if let Some(problem) = self.conversions.error(root) {
            let path = self.path.field("schema.openAPIV3Schema");
            let issue = at(codes::crd::NOT_STRUCTURAL, &path, None).value("");
            issues.push(issue.with("problem", problem));
        }
        let list = self.path.field("selectableFields");
        let mut seen: BTreeSet<FieldPath> = BTreeSet::new();
        for (index, field) in fields.iter().enumerate() {
            let item = list.index(index);
            let path = item.field("jsonPath");
            let source = Some(field.source);
            if field.json_path.is_empty() {
                issues.push(at(codes::crd::REQUIRED, &path, source));
                continue;
            }
            if self.conversions.error(root).is_some() && field.json_path.starts_with('.') {
                // There is nothing to find the path in; the server gives up here.
                break;
            }
            let report = |code| at(code, &path, source).value(field.json_path);
            let schemas = &self.crd.schemas;
            let resolved = match resolve(schemas, root, field.json_path, Brackets::Refused) {
                Ok(resolved) => resolved,
                Err(problem) => {
                    let issue = report(codes::crd::SELECTABLE_PATH);
                    issues.push(issue.with("problem", problem));
                    continue;
                }
            };
            let first = resolved.path.segments().first();
            if matches!(first, Some(Segment::Field(name)) if &**name == "metadata") {
                issues.push(report(codes::crd::SELECTABLE_METADATA));
            }
            let type_name = resolved.schema.map_or("", |id| schemas.get(id).type_name);
            if !matches!(type_name, "string" | "boolean" | "integer") {
                issues.push(report(codes::crd::SELECTABLE_TYPE));
            }
            if !seen.insert(resolved.path) {
                issues.push(report(codes::crd::DUPLICATE_VALUE));
            }
        }
        let allowed = self.options.too_many_selectable_fields.contains(self.version);
        if seen.len() > LIMIT && !allowed {
            let issue = at(codes::crd::TOO_MANY_ITEMS, &list, None).value(seen.len());
            issues.push(issue.with("limit", LIMIT));
        }
    }
}
