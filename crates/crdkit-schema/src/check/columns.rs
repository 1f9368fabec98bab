//! `additionalPrinterColumns`.

use super::at;
use super::subresources::simple_path;
use crate::model::Column;
use crate::path::Path;
use crdkit_issue::{Issue, codes};

const TYPES: &[&str] = &["boolean", "date", "integer", "number", "string"];
const FORMATS: &[&str] =
    &["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/// Checks the columns of a version, or of the spec.
pub(super) fn check(columns: &[Column<'_>], path: &Path<'_>, issues: &mut Vec<Issue>) {
    let list = path.field("additionalPrinterColumns");
    for (index, column) in columns.iter().enumerate() {
        let path = list.index(index);
        let source = Some(column.source);
        if column.name.is_empty() {
            issues.push(at(codes::crd::REQUIRED, &path.field("name"), source));
        }
        if column.type_name.is_empty() {
            let issue = at(codes::crd::COLUMN_TYPE_REQUIRED, &path.field("type"), source);
            issues.push(issue.with("types", TYPES.join(",")));
        } else if !TYPES.contains(&column.type_name) {
            let issue = at(codes::crd::COLUMN_TYPE, &path.field("type"), source);
            issues.push(issue.value(column.type_name).with("types", TYPES.join(",")));
        }
        if !column.format.is_empty() && !FORMATS.contains(&column.format) {
            let issue = at(codes::crd::COLUMN_FORMAT, &path.field("format"), source);
            issues.push(issue.value(column.format).with("formats", FORMATS.join(",")));
        }
        issues.extend(simple_path(column.json_path, &path.field("JSONPath"), source));
    }
}
