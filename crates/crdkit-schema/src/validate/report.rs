//! Values held against a [`Schema`]: what is asked for, and findings in their order.
//!
//! Findings are sorted by path (names by their bytes, items by position, parents first), then by stage,
//! keyword and code, so that the same input always gives the same report. A report may end at the first
//! finding in document order, or at a number of them with one more that says so.

use crate::compile::Id;
use crate::schema::Schema;
use crdkit_issue::{FieldPath, Issue};
use crdkit_value::{NodeId, Value};

/// What a value is held against a schema for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request<'v> {
    /// The value that it replaces.
    pub old: Option<Value<'v>>,
    /// Where the value stands.
    pub base: FieldPath,
    /// Whether only the first finding in document order is wanted.
    pub fail_fast: bool,
    /// How many findings are wanted.
    pub max_issues: usize,
}

impl Default for Request<'_> {
    fn default() -> Self {
        Self { old: None, base: FieldPath::root(), fail_fast: false, max_issues: 1_000 }
    }
}

/// Everything wrong with `value` under the schema `id` of `schema`.
pub fn report(
    schema: &Schema,
    id: Id,
    value: Value<'_>,
    request: &Request<'_>,
) -> Vec<(NodeId, Issue)> {
    super::issues(schema.table(), id, value, request.old, &request.base)
}
