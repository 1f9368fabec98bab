//! Local variables: loop variables and accumulators.

use crate::ast::Name;
use crate::types::Type;

/// The local variables in force, innermost last.
#[derive(Debug, Default)]
pub(super) struct LocalScope(Vec<(Name, Type)>);

impl LocalScope {
    pub(super) fn depth(&self) -> usize {
        self.0.len()
    }

    pub(super) fn push(&mut self, name: Name, ty: Type) {
        self.0.push((name, ty));
    }

    pub(super) fn truncate(&mut self, depth: usize) {
        self.0.truncate(depth);
    }

    pub(super) fn find(&self, name: &str) -> Option<&Type> {
        self.0.iter().rev().find(|(other, _)| &**other == name).map(|(_, ty)| ty)
    }
}
