//! One part of a stream through the stages: unknown → nulls → defaults → validate → list types → rules.

use super::{Options, Unknown};
use crate::findings::Findings;
use crate::{list_type, rules, spans};
use crdkit_issue::{FieldPath, Issue, codes};
use crdkit_schema::compile::{Id, Table};
use crdkit_schema::{defaults, prune, validate};
use crdkit_value::{Document, NodeId};

/// Projects `document` and says what is wrong with it; paths are relative to it.
pub(super) fn part(
    table: &Table,
    schemas: &[Id],
    document: &mut Document,
    options: &Options,
) -> Vec<Issue> {
    let mut findings = Findings::default();
    for id in schemas {
        trim(table, *id, document, options, &mut findings);
        if options.defaults {
            defaults::apply(table, table.node(*id), document);
        }
        let root = document.root();
        let base = FieldPath::root();
        findings.entries.extend(validate::issues(table, *id, root, None, &base));
        list_type::check(table, *id, root, &mut findings);
        rules::check(table, *id, root, None, &mut findings);
    }
    for (id, issue) in &mut findings.entries {
        if issue.span.is_none() {
            issue.span = spans::place(document, document, *id, issue);
        }
    }
    findings.entries.into_iter().map(|(_, issue)| issue).collect()
}

fn trim(
    table: &Table,
    id: Id,
    document: &mut Document,
    options: &Options,
    findings: &mut Findings,
) {
    if options.unknown == Unknown::Preserve {
        return;
    }
    let unknown: Vec<NodeId> = prune::unknown(table, Some(table.node(id)), document.root());
    for id in unknown {
        if options.unknown == Unknown::Strict {
            let issue = Issue::error(codes::crd::UNKNOWN_FIELD).at(document.path(id));
            findings.add(id, issue);
        }
        document.remove(id);
    }
}
