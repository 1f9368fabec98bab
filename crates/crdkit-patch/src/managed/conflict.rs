//! Fields that an apply would change and that somebody else owns.

use super::entry::{Entry, ManagedOperation};
use crate::set::{Set, each_value};
use crdkit_schema::status::Cause;
use crdkit_text::quote::quote;
use crdkit_value::{NodeId, Value};
use std::fmt::Write as _;

/// One field, and who owns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The owner, as messages show it: the name, and for updates the version.
    pub owner: String,
    /// The path of the field, as messages show it.
    pub field: String,
    /// The value in the configuration that is to take its place, if it is there.
    pub value: Option<NodeId>,
}

impl Conflict {
    pub(super) fn cause(&self) -> Cause {
        Cause {
            reason: "FieldManagerConflict".into(),
            field: self.field.clone(),
            message: format!("conflict with {}", self.owner),
        }
    }
}

/// The conflicts of `config` with `entry` over `fields`.
pub(super) fn conflicts(entry: &Entry<'_>, fields: &Set<'_>, config: Value<'_>) -> Vec<Conflict> {
    let owner = owner(entry);
    let mut conflicts = Vec::new();
    each_value(fields, config, &mut |path, value| {
        let field = path.iter().fold(String::new(), |mut text, element| {
            let _ = write!(text, "{element}");
            text
        });
        conflicts.push(Conflict { owner: owner.clone(), field, value: value.map(Value::id) });
    });
    conflicts
}

/// The owner as messages show it.
pub(super) fn owner(entry: &Entry<'_>) -> String {
    let mut owner = quote(&entry.manager);
    if !entry.subresource.is_empty() {
        let _ = write!(owner, " with subresource {}", quote(entry.subresource));
    }
    if entry.operation == ManagedOperation::Update {
        let _ = write!(owner, " using {}", entry.api_version);
    }
    owner
}

/// All of `conflicts`, which are sorted by owner, in one text.
pub(super) fn message(conflicts: &[Conflict]) -> String {
    if let [Conflict { owner, field, .. }] = conflicts {
        return format!("Apply failed with 1 conflict: conflict with {owner}: {field}");
    }
    let mut text = format!("Apply failed with {} conflicts: ", conflicts.len());
    let mut last = None;
    for Conflict { owner, field, .. } in conflicts {
        if last != Some(owner) {
            let line = if last.is_some() { "\n" } else { "" };
            let _ = write!(text, "{line}conflicts with {owner}:");
            last = Some(owner);
        }
        let _ = write!(text, "\n- {field}");
    }
    text
}
