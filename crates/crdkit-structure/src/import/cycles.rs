//! References that lead back to themselves without looking at any part of the value.
//!
//! Such a schema has no meaning, and evaluating it would not end. What only holds under a condition is left
//! to the bound on evaluation.

use super::ImportError;
use super::diagnostics::{DiagnosticLevel, Diagnostics};
use crdkit_issue::FieldPath;
use crdkit_schema::compile::{Id, Slot, Table};

/// Makes every slot lead to a schema that is not a reference itself, and refuses loops.
pub(super) fn check(
    table: &Table,
    references: &mut [Id],
    diagnostics: &mut Diagnostics,
) -> Result<(), ImportError> {
    let followed: Option<Vec<Id>> =
        references.iter().map(|id| follow(table, references, *id)).collect();
    if let Some(followed) = followed {
        references.copy_from_slice(&followed);
        if !loops(table, references) {
            return Ok(());
        }
    }
    let message = "a reference leads back to itself";
    diagnostics.add(DiagnosticLevel::Error, "schema_ref_loop", FieldPath::root(), message);
    Err(ImportError::Schema(diagnostics.clone()))
}

/// What `id` leads to in the end; nothing if that is itself.
fn follow(table: &Table, references: &[Id], id: Id) -> Option<Id> {
    let mut id = id;
    for _ in 0..=references.len() {
        match target(table, references, id) {
            Some(next) => id = next,
            None => return Some(id),
        }
    }
    None
}

fn target(table: &Table, references: &[Id], id: Id) -> Option<Id> {
    let Slot(slot) = table.node(id).more()?.target?;
    references.get(slot as usize).copied()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum VisitState {
    New,
    Open,
    Done,
}

fn loops(table: &Table, references: &[Id]) -> bool {
    let mut states = vec![VisitState::New; table.n_nodes()];
    // A node twice on the stack: once to be opened, once to be closed.
    let mut stack: Vec<(Id, bool)> = references.iter().map(|id| (*id, false)).collect();
    while let Some((id, close)) = stack.pop() {
        let Some(state) = states.get_mut(id.index()) else { continue };
        if close {
            *state = VisitState::Done;
            continue;
        }
        match state {
            VisitState::Done => continue,
            VisitState::Open => return true,
            VisitState::New => *state = VisitState::Open,
        }
        stack.push((id, true));
        for part in parts(table, references, id) {
            match states.get(part.index()) {
                Some(VisitState::Open) => return true,
                Some(VisitState::New) => stack.push((part, false)),
                _ => {}
            }
        }
    }
    false
}

/// The schemas that are held against the same value whenever this one is.
fn parts(table: &Table, references: &[Id], id: Id) -> Vec<Id> {
    let node = table.node(id);
    let mut parts = Vec::new();
    if let Some(junctors) = node.junctors() {
        parts.extend(&junctors.all_of);
        parts.extend(&junctors.any_of);
        parts.extend(&junctors.one_of);
        parts.extend(junctors.not);
    }
    if let Some(more) = node.more() {
        parts.extend(&more.references);
        parts.extend(more.condition.map(|condition| condition.test));
    }
    parts.into_iter().map(|id| target(table, references, id).unwrap_or(id)).collect()
}
