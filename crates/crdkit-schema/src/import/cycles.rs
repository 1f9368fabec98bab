//! References that lead back to themselves without looking at any part of the value.
//!
//! Such a schema has no meaning, and evaluating it would not end. What only holds under a condition is left
//! to the bound on evaluation.

use super::ImportError;
use super::diagnostics::{Diagnostics, Level};
use crate::compile::{Id, Slot, Table};
use crdkit_issue::FieldPath;

/// Makes every slot lead to a schema that is no reference itself, and refuses loops.
pub(super) fn check(table: &mut Table, diagnostics: &mut Diagnostics) -> Result<(), ImportError> {
    let refuse = |diagnostics: &mut Diagnostics| {
        let message = "a reference leads back to itself";
        diagnostics.add(Level::Error, "schema_ref_loop", FieldPath::root(), message);
        Err(ImportError::Schema(diagnostics.clone()))
    };
    for slot in 0..table.references.len() {
        let Some(mut id) = table.references.get(slot).copied() else { continue };
        let mut steps = 0;
        while let Some(Slot(next)) = table.node(id).more().and_then(|more| more.target) {
            steps += 1;
            let Some(target) = table.references.get(next as usize) else { break };
            if steps > table.references.len() {
                return refuse(diagnostics);
            }
            id = *target;
        }
        if let Some(entry) = table.references.get_mut(slot) {
            *entry = id;
        }
    }
    if loops(table) { refuse(diagnostics) } else { Ok(()) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

fn loops(table: &Table) -> bool {
    let mut states = vec![State::New; table.n_nodes()];
    // A node twice on the stack: once to be opened, once to be closed.
    let mut stack: Vec<(Id, bool)> = table.references.iter().map(|id| (*id, false)).collect();
    while let Some((id, close)) = stack.pop() {
        let Some(state) = states.get_mut(id.index()) else { continue };
        if close {
            *state = State::Done;
            continue;
        }
        match state {
            State::Done => continue,
            State::Open => return true,
            State::New => *state = State::Open,
        }
        stack.push((id, true));
        for part in parts(table, id) {
            match states.get(part.index()) {
                Some(State::Open) => return true,
                Some(State::New) => stack.push((part, false)),
                _ => {}
            }
        }
    }
    false
}

/// The schemas that are held against the same value whenever this one is.
fn parts(table: &Table, id: Id) -> Vec<Id> {
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
    parts.into_iter().map(|id| table.resolve(id)).collect()
}
