//! The libraries: what each declares, what it does, what it costs, and since when it is there.
//!
//! A library is one file with one table of [`Definition`](crate::declare::Definition)s. This module says which
//! environments have which library.

pub(crate) mod authorizer;
pub(crate) mod cidr;
pub(crate) mod comprehensions;
pub(crate) mod convert;
pub(crate) mod encoders;
pub(crate) mod format;
pub(crate) mod ip;
pub(crate) mod json_patch;
pub(crate) mod kubernetes_lists;
pub(crate) mod lists;
pub(crate) mod math;
pub(crate) mod optional;
pub(crate) mod quantity;
pub(crate) mod regex;
pub(crate) mod semver;
pub(crate) mod sets;
pub(crate) mod standard;
pub(crate) mod strings;
pub(crate) mod text_format;
pub(crate) mod time;
pub(crate) mod url;

use std::sync::Arc;

use crate::declare::Definition;
use crate::env::{Minor, Purpose};
use crate::eval::{EvalError, Evaluated};
use crate::macros::MacroGroup;
use crate::types::Type;
use crate::value::Val;

/// A library of functions and macros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Library {
    /// Operators, conversions, `size`, `matches` and their like.
    Standard,
    /// Text functions; the number is the library's version.
    Strings(u32),
    /// `slice`, `flatten`, `sort` and their like.
    Lists,
    /// `isSorted`, `sum`, `min` and their like; version 1 has `includes`.
    KubernetesLists(u32),
    /// `find`, `findAll`.
    Regex,
    /// URLs.
    Url,
    /// Quantities.
    Quantity,
    /// IP addresses.
    Ip,
    /// Address ranges.
    Cidr,
    /// IP addresses and ranges with the rules of the general network library, to be added to these two.
    Network,
    /// Authorization checks.
    Authorizer,
    /// Selectors of authorization checks.
    AuthorizerSelectors,
    /// Keys in the paths of JSON patches.
    JsonPatch,
    /// Named formats.
    Format,
    /// Semantic versions.
    Semver,
    /// `sets.contains` and its like.
    Sets,
    /// Macros with two variables.
    TwoVariableComprehensions,
    /// Optional values.
    Optional,
    /// `math.greatest` and its like.
    Math,
    /// Base64.
    Encoders,
    /// `cel.bind`.
    Bindings,
    /// `cel.block`.
    Block,
    /// One-variable `existsOne`.
    ExistsOne,
}

/// Since which version, up to before which version.
const KUBERNETES: [(Library, Minor, Option<Minor>); 18] = [
    (Library::Standard, 0, None),
    (Library::Url, 0, None),
    (Library::Regex, 0, None),
    (Library::KubernetesLists(0), 0, Some(37)),
    (Library::Authorizer, 27, None),
    (Library::Optional, 28, None),
    (Library::Quantity, 28, None),
    (Library::Strings(0), 0, Some(29)),
    (Library::Strings(2), 29, None),
    (Library::Sets, 29, None),
    (Library::Ip, 30, None),
    (Library::Cidr, 30, None),
    (Library::Format, 31, None),
    (Library::AuthorizerSelectors, 31, None),
    (Library::TwoVariableComprehensions, 32, None),
    (Library::Semver, 33, None),
    (Library::Lists, 34, None),
    (Library::KubernetesLists(1), 37, None),
];

impl Library {
    /// Its tables; a later one may replace functions of an earlier one.
    pub(crate) fn definitions(self) -> &'static [&'static [Definition]] {
        match self {
            Self::Standard => &[standard::DEFINITIONS],
            Self::Strings(0) => &[strings::VERSION_0],
            Self::Strings(1 | 2) => &[strings::VERSION_0, strings::SINCE_2],
            Self::Strings(_) => &[strings::VERSION_0, strings::SINCE_2, strings::SINCE_3],
            Self::Lists => &[lists::DEFINITIONS],
            Self::KubernetesLists(0) => &[kubernetes_lists::VERSION_0],
            Self::KubernetesLists(_) => &[kubernetes_lists::VERSION_0, kubernetes_lists::SINCE_1],
            Self::Regex => &[regex::DEFINITIONS],
            Self::Url => &[url::DEFINITIONS],
            Self::Quantity => &[quantity::DEFINITIONS],
            Self::Ip => &[ip::DEFINITIONS],
            Self::Cidr => &[cidr::DEFINITIONS],
            Self::Network => &[ip::NETWORK],
            Self::Authorizer => &[authorizer::DEFINITIONS],
            Self::AuthorizerSelectors => &[authorizer::SELECTORS],
            Self::JsonPatch => &[json_patch::DEFINITIONS],
            Self::Format => &[format::DEFINITIONS],
            Self::Semver => &[semver::DEFINITIONS],
            Self::Sets => &[sets::DEFINITIONS],
            Self::TwoVariableComprehensions => &[comprehensions::DEFINITIONS],
            Self::Optional => &[optional::DEFINITIONS],
            Self::Math => &[math::DEFINITIONS],
            Self::Encoders => &[encoders::DEFINITIONS],
            Self::Bindings | Self::Block | Self::ExistsOne => &[],
        }
    }

    pub(crate) fn macros(self) -> &'static [MacroGroup] {
        match self {
            Self::Lists => &[MacroGroup::SortBy],
            Self::TwoVariableComprehensions => &[MacroGroup::TwoVariables],
            Self::Optional => &[MacroGroup::Optional],
            Self::Math => &[MacroGroup::Math],
            Self::Bindings => &[MacroGroup::Bind],
            Self::Block => &[MacroGroup::Block],
            Self::ExistsOne => &[MacroGroup::ExistsOne],
            _ => &[],
        }
    }

    /// Types that expressions can name.
    pub(crate) fn types(self) -> Vec<Type> {
        match self {
            Self::Ip => vec![Type::Opaque("net.IP".into(), Arc::from([]))],
            Self::Cidr => vec![Type::Opaque("net.CIDR".into(), Arc::from([]))],
            Self::Optional => vec![Type::optional(Type::Dyn)],
            _ => Vec::new(),
        }
    }
}

/// The libraries of an environment.
#[derive(Clone, Debug)]
pub(crate) struct LibrarySet(Vec<Library>);

impl LibrarySet {
    pub(crate) fn of(libraries: &[Library]) -> Self {
        let mut all = vec![Library::Standard];
        all.extend(libraries);
        Self(all)
    }

    /// What a version of Kubernetes has. A stored expression may use everything that was not removed.
    pub(crate) fn kubernetes(version: Minor, purpose: Purpose) -> Self {
        let present = |since: Minor, until: Option<Minor>| match purpose {
            Purpose::New => since <= version && until.is_none_or(|until| version < until),
            Purpose::Stored => until.is_none(),
        };
        Self(
            KUBERNETES
                .iter()
                .filter(|(_, since, until)| present(*since, *until))
                .map(|(library, ..)| *library)
                .collect(),
        )
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Library> {
        self.0.iter().copied()
    }

    pub(crate) fn contains(&self, library: Library) -> bool {
        self.0.contains(&library)
    }
}

/// The error of a function called with values it does not take.
pub(crate) fn no_overload<'v>() -> Evaluated<'v> {
    Err(EvalError::NoSuchOverload(None))
}

/// A number of elements as an `int`.
pub(crate) fn int<'v>(count: usize) -> Val<'v> {
    Val::Int(i64::try_from(count).unwrap_or(i64::MAX))
}
