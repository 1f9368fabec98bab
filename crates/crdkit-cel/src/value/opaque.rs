//! Values of the libraries' own types.

use std::sync::Arc;

use crdkit_text::ip::{Cidr, Ip};
use crdkit_text::quantity::Quantity;
use crdkit_text::semver::Version;
use crdkit_text::url::Url;

use crate::ast::Name;
use crate::library::authorizer::{AuthorizationDecision, Authorizer};
use crate::types::Type;

/// A named format.
#[derive(Debug)]
pub struct CelFormat {
    pub(crate) name: &'static str,
    /// Messages for a text that does not fit.
    pub(crate) validate: fn(&str) -> Vec<String>,
    /// Size of its largest regular expression, a measure of what a check costs.
    pub(crate) regex_size: u64,
}

/// A value of a library's own type.
#[derive(Debug)]
#[non_exhaustive]
pub enum Opaque {
    /// `kubernetes.Quantity`; results of arithmetic cannot stand right of `==`.
    Quantity {
        /// The number.
        value: Quantity,
        /// Whether it is the result of arithmetic.
        computed: bool,
    },
    /// `kubernetes.Semver`
    Semver(Version),
    /// `kubernetes.URL`
    Url(Box<Url>),
    /// `net.IP`
    Ip(Ip),
    /// `net.CIDR`
    Cidr(Cidr),
    /// `kubernetes.NamedFormat`
    Format(&'static CelFormat),
    /// `kubernetes.authorization.Authorizer`, and the checks that are made from it.
    Authorizer(Box<Authorizer>),
    /// `kubernetes.authorization.Decision`
    Decision(Box<AuthorizationDecision>),
}

impl Opaque {
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Quantity { .. } => "kubernetes.Quantity",
            Self::Semver(_) => "kubernetes.Semver",
            Self::Url(_) => "kubernetes.URL",
            Self::Ip(_) => "net.IP",
            Self::Cidr(_) => "net.CIDR",
            Self::Format(_) => "kubernetes.NamedFormat",
            Self::Authorizer(authorizer) => authorizer.type_name(),
            Self::Decision(_) => "kubernetes.authorization.Decision",
        }
    }

    pub(crate) fn runtime_type(&self) -> Type {
        let name = Name::from(self.type_name());
        match self {
            Self::Ip(_) | Self::Cidr(_) => Type::Opaque(name, Arc::from([])),
            _ => Type::Struct(name),
        }
    }

    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Ip(ip) => u64::from(ip.byte_len()),
            Self::Cidr(cidr) => u64::from(cidr.prefix_length()).div_ceil(8),
            _ => 1,
        }
    }
}
