//! One part of a stream through the stages.

use crate::spans;
use crdkit_issue::Issue;
use crdkit_schema::compile::Id;
use crdkit_schema::schema::Schema;
use crdkit_schema::validate::{self, Request};
use crdkit_value::Document;

/// Projects `document` and says what is wrong with it; paths are relative to it.
pub(super) fn part(
    schema: &Schema,
    schemas: &[Id],
    _keep: bool,
    document: &mut Document,
) -> Vec<Issue> {
    let mut issues = Vec::new();
    for id in schemas {
        let found = validate::report(schema, *id, document.root(), &Request::default());
        issues.extend(found.into_iter().map(|(value, mut issue)| {
            issue.span = issue.span.or_else(|| spans::place(document, document, value, &issue));
            issue
        }));
    }
    issues
}
