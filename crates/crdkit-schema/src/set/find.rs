//! CRDs by what people write.
//!
//! Takes the kind, its plural, singular or a short name, in any case, alone or with the group after it; more may
//! follow, as in `lamp.spec.watts`. Gives the CRD and what follows, or what could have been meant.

use super::{CrdDefinition, CrdSet};
use crate::lookup;
use std::fmt;
use std::sync::Arc;

/// A name that does not lead to one CRD.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindError {
    /// Nothing is called so.
    Unknown {
        /// The name.
        name: String,
        /// Names that are spelled alike, the likeliest first.
        alike: Vec<String>,
        /// All kinds, in alphabetical order.
        kinds: Vec<String>,
    },
    /// CRDs of several groups are called so.
    Ambiguous {
        /// The name.
        name: String,
        /// What they are called in full.
        meant: Vec<String>,
    },
}

/// So many kinds are named when none is spelled alike.
const SHOWN: usize = 20;

impl CrdSet {
    /// The CRD that `text` begins with the name of, and what follows the name and the group.
    ///
    /// # Errors
    /// When no CRD or more than one has that name.
    pub fn find<'t>(&self, text: &'t str) -> Result<(&Arc<CrdDefinition>, &'t str), FindError> {
        let end = text.find(['.', '[']).unwrap_or(text.len());
        let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        let rest = rest.strip_prefix('.').unwrap_or(rest);
        let mut found = Vec::new();
        for definition in self.iter().filter(|definition| definition.is_called(name)) {
            match after_group(rest, definition.group()) {
                Some(rest) => return Ok((definition, rest)),
                None => found.push(definition),
            }
        }
        let name = name.to_owned();
        match found.as_slice() {
            [] => Err(self.unknown(name)),
            [definition] => Ok((definition, rest)),
            several => {
                let meant = several.iter().map(|it| it.name().to_owned()).collect();
                Err(FindError::Ambiguous { name, meant })
            }
        }
    }

    /// The CRDs of a category, such as `all`.
    pub fn in_category<'s>(
        &'s self,
        category: &'s str,
    ) -> impl Iterator<Item = &'s Arc<CrdDefinition>> {
        let is_in = |it: &&Arc<CrdDefinition>| {
            it.names().categories.iter().any(|known| known.eq_ignore_ascii_case(category))
        };
        self.iter().filter(is_in)
    }

    fn unknown(&self, name: String) -> FindError {
        let alike = lookup::alike(&name, self.iter().flat_map(|it| it.spellings()));
        let mut kinds: Vec<_> = self.iter().map(|it| it.kind().to_owned()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        FindError::Unknown { name, alike, kinds }
    }
}

impl CrdDefinition {
    fn is_called(&self, name: &str) -> bool {
        self.spellings().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Everything the kind is called.
    fn spellings(&self) -> impl Iterator<Item = &str> {
        let names = self.names();
        let long = [&names.kind, &names.plural, &names.singular];
        let all = long.into_iter().chain(&names.short_names).map(|name| &**name);
        all.filter(|name| !name.is_empty())
    }
}

/// What follows the group, if `text` begins with it.
fn after_group<'t>(text: &'t str, group: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(group.len())?;
    let ends = rest.is_empty() || rest.starts_with(['.', '[']);
    (!group.is_empty() && ends && start.eq_ignore_ascii_case(group)).then_some(rest)
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |names: &[String]| {
            let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            quoted.join(" or ")
        };
        match self {
            Self::Unknown { name, alike, kinds } if alike.is_empty() => {
                let shown = kinds.get(..SHOWN).unwrap_or(kinds).join(", ");
                let are = if kinds.len() == 1 { "only kind is" } else { "kinds are" };
                write!(f, "there is no kind `{name}`; the {are} {shown}")?;
                match kinds.len().saturating_sub(SHOWN) {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
            Self::Unknown { name, alike, .. } => {
                write!(f, "there is no kind `{name}`; did you mean {}?", quoted(alike))
            }
            Self::Ambiguous { name, meant } => {
                write!(f, "`{name}` is the name of several kinds: write {}", quoted(meant))
            }
        }
    }
}

impl std::error::Error for FindError {}
