//! Field validation: what is said about fields that are unknown or given twice.
//!
//! Repeated keys come first, in document order, then unknown fields: those of metadata, those that
//! were pruned, those of embedded metadata, each group sorted by path.

use crate::options::FieldValidation;
use crate::outcome::Refusal;
use crate::pipeline::Run;
use crate::walk;
use crdkit_issue::{Issue, Severity, codes};
use crdkit_schema::decode::strict_path;
use crdkit_value::{Document, NodeId};

/// The server collects no more repeated keys than this.
const MAX_REPEATED: usize = 100;

/// Reports `repeated` keys and `unknown` fields as `validation` asks for.
pub(crate) fn report(
    run: &mut Run<'_, '_>,
    repeated: Vec<Issue>,
    unknown: &[NodeId],
    validation: FieldValidation,
) -> Result<(), Refusal> {
    let severity = match validation {
        FieldValidation::Ignore => return Ok(()),
        FieldValidation::Warn => Severity::Warning,
        FieldValidation::Strict => Severity::Error,
    };
    if repeated.is_empty() && unknown.is_empty() {
        return Ok(());
    }
    for mut issue in repeated.into_iter().take(MAX_REPEATED) {
        issue.severity = severity;
        run.findings.add(NodeId::ROOT, issue);
    }
    for id in unknown {
        let field = walk::dotted(&run.document, *id);
        let mut issue =
            Issue::error(codes::crd::UNKNOWN_FIELD).with("field", strict_path(&field)).at(field);
        issue.severity = severity;
        run.findings.add(*id, issue);
    }
    match severity {
        Severity::Error => Err(Refusal::Undecodable),
        Severity::Warning => Ok(()),
    }
}

/// The text by which unknown fields are sorted.
pub(crate) fn path(document: &Document, id: NodeId) -> String {
    strict_path(&document.path(id))
}
