//! Field validation: what is said about fields that are unknown or given twice.
//!
//! Repeated keys come first, in document order, then unknown fields: those of metadata, those that
//! were pruned, those of embedded metadata, each group sorted by path.

use crate::findings::Findings;
use crate::options::{FieldValidation, RequestOptions};
use crate::outcome::Refusal;
use crate::pipeline::Request;
use crate::walk;
use crdkit_issue::{Issue, Severity, codes};
use crdkit_schema::decode::strict_path;
use crdkit_value::{Document, NodeId};

/// The server collects no more repeated keys than this.
const MAX_REPEATED: usize = 100;

/// Reports `repeated` keys and `unknown` fields as `validation` asks for.
pub(crate) fn report(
    request: &mut Request<'_>,
    repeated: Vec<Issue>,
    unknown: &[NodeId],
    validation: FieldValidation,
) -> Result<(), Refusal> {
    let severity = match validation {
        FieldValidation::Ignore => return Ok(()),
        FieldValidation::Warn => Severity::Warning,
        // Raised in the end, so that no stage is kept from looking.
        FieldValidation::Strict if request.options.report_all => Severity::Warning,
        FieldValidation::Strict => Severity::Error,
    };
    if repeated.is_empty() && unknown.is_empty() {
        return Ok(());
    }
    for mut issue in repeated.into_iter().take(MAX_REPEATED) {
        issue.severity = severity;
        request.findings.add(NodeId::ROOT, issue);
    }
    for id in unknown {
        let field = walk::dotted(&request.document, *id);
        let mut issue =
            Issue::error(codes::crd::UNKNOWN_FIELD).with("field", strict_path(&field)).at(field);
        issue.severity = severity;
        request.findings.add(*id, issue);
    }
    match severity {
        Severity::Error => Err(Refusal::Undecodable),
        Severity::Warning => Ok(()),
    }
}

/// Makes errors of what [`report`] let pass so that everything is reported; tells whether there was any.
pub(crate) fn raise(findings: &mut Findings, options: &RequestOptions) -> bool {
    if !options.report_all || options.field_validation != FieldValidation::Strict {
        return false;
    }
    let mut is_raised = false;
    for (_, issue) in &mut findings.entries {
        if [codes::crd::UNKNOWN_FIELD, codes::decode::DUPLICATE_KEY].contains(&issue.code) {
            issue.severity = Severity::Error;
            is_raised = true;
        }
    }
    is_raised
}

/// The text by which unknown fields are sorted.
pub(crate) fn path(document: &Document, id: NodeId) -> String {
    strict_path(&document.path(id))
}
