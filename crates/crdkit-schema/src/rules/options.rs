//! How rules are compiled where the API server's ways are not asked for.

#[cfg(feature = "cel")]
use super::Cache;
use super::SharedEngine;
#[cfg(feature = "cel")]
use crdkit_cel::Env;
use std::collections::BTreeSet;

/// What rules may use. The default is what the API server does.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RuleOptions {
    /// The longest expression, in characters.
    pub max_length: Option<usize>,
    /// The functions that may be called; all if absent. Operators and macros are always there.
    pub functions: Option<BTreeSet<String>>,
    /// Whether rules on whole objects and embedded resources see `apiVersion`, `kind` and `metadata` as
    /// variables of their own.
    pub resource_variables: bool,
    /// What evaluates rules in place of `crdkit-cel`; what else is said here is not for it.
    pub engine: Option<SharedEngine>,
    /// Where compiled rules are kept for other tables.
    #[cfg(feature = "cel")]
    pub cache: Option<Cache>,
}

/// The variables that [`RuleOptions::resource_variables`] adds.
#[cfg(feature = "cel")]
pub(crate) const RESOURCE_VARIABLES: [&str; 3] = ["apiVersion", "kind", "metadata"];

#[cfg(feature = "cel")]
impl RuleOptions {
    /// `base` with these restrictions.
    pub(crate) fn restrict(&self, base: &Env) -> Env {
        let mut builder = base.extend();
        if let Some(limit) = self.max_length {
            builder = builder.max_code_points(limit);
        }
        if let Some(allowed) = &self.functions {
            let is_operator = |name: &str| !name.starts_with(|c: char| c.is_ascii_alphabetic());
            builder = builder.allow_functions(|name| is_operator(name) || allowed.contains(name));
        }
        builder.build()
    }

    /// Whether compiling with these gives what compiling with `other` gives.
    pub(super) fn same(&self, other: &Self) -> bool {
        (self.max_length, &self.functions, self.resource_variables)
            == (other.max_length, &other.functions, other.resource_variables)
    }
}
