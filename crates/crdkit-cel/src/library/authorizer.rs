//! Authorization checks: what an expression asks, whoever binds the variable `authorizer` decides.

use std::fmt;
use std::sync::Arc;

use super::no_overload;
use crate::cost::CostModel::{Authorize as AuthorizeCost, One};
use crate::declare::{Definition, define};
use crate::eval::Evaluated;
use crate::value::{Data, Opaque, Val};

pub(crate) const DEFINITIONS: &[Definition] = &[
    define(
        "kubernetes.authorization.Authorizer.path(string) -> kubernetes.authorization.PathCheck",
        One,
        path,
    ),
    define(
        "kubernetes.authorization.Authorizer.group(string) -> kubernetes.authorization.GroupCheck",
        One,
        group,
    ),
    define(
        "kubernetes.authorization.Authorizer.serviceAccount(string, string) -> kubernetes.authorization.Authorizer",
        One,
        service_account,
    ),
    define(
        "kubernetes.authorization.GroupCheck.resource(string) -> kubernetes.authorization.ResourceCheck",
        One,
        resource,
    ),
    define(
        "kubernetes.authorization.ResourceCheck.subresource(string) -> kubernetes.authorization.ResourceCheck",
        One,
        subresource,
    ),
    define(
        "kubernetes.authorization.ResourceCheck.namespace(string) -> kubernetes.authorization.ResourceCheck",
        One,
        namespace,
    ),
    define(
        "kubernetes.authorization.ResourceCheck.name(string) -> kubernetes.authorization.ResourceCheck",
        One,
        name,
    ),
    define(
        "kubernetes.authorization.PathCheck.check(string) -> kubernetes.authorization.Decision",
        AuthorizeCost,
        check,
    ),
    define(
        "kubernetes.authorization.ResourceCheck.check(string) -> kubernetes.authorization.Decision",
        AuthorizeCost,
        check,
    ),
    define("kubernetes.authorization.Decision.errored() -> bool", One, errored),
    define("kubernetes.authorization.Decision.error() -> string", One, error),
    define("kubernetes.authorization.Decision.allowed() -> bool", One, allowed),
    define("kubernetes.authorization.Decision.reason() -> string", One, reason),
];

pub(crate) const SELECTORS: &[Definition] = &[
    define(
        "kubernetes.authorization.ResourceCheck.fieldSelector(string) -> kubernetes.authorization.ResourceCheck",
        One,
        field_selector,
    ),
    define(
        "kubernetes.authorization.ResourceCheck.labelSelector(string) -> kubernetes.authorization.ResourceCheck",
        One,
        label_selector,
    ),
];

/// Decides about checks.
pub trait Authorize: fmt::Debug + Send + Sync {
    /// Whether what is asked for is allowed.
    fn decide(&self, check: &AuthorizationCheck) -> AuthorizationDecision;
}

/// The value of the variable `authorizer`, and of what is made from it on the way to a check.
#[derive(Clone, Debug)]
pub struct Authorizer {
    decides: Arc<dyn Authorize>,
    check: AuthorizationCheck,
}

/// What an expression asks about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuthorizationCheck {
    /// Namespace and name of a service account that is meant in place of whoever sent the request.
    pub service_account: Option<(String, String)>,
    /// The verb.
    pub verb: String,
    /// What it is about.
    pub target: AuthorizationTarget,
}

/// What a check is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AuthorizationTarget {
    /// Nothing yet.
    #[default]
    Unknown,
    /// A path.
    Path(String),
    /// Objects.
    Resource(ResourceTarget),
}

/// Objects that a check is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceTarget {
    /// The group.
    pub group: String,
    /// The resource; empty before it is known.
    pub resource: String,
    /// The subresource, if any.
    pub subresource: String,
    /// The namespace; empty for all.
    pub namespace: String,
    /// The name; empty for all.
    pub name: String,
    /// A field selector, if any.
    pub field_selector: String,
    /// A label selector, if any.
    pub label_selector: String,
}

/// The answer to a check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuthorizationDecision {
    /// Whether it is allowed.
    pub allowed: bool,
    /// Why.
    pub reason: String,
    /// What went wrong, if something did.
    pub error: Option<String>,
}

impl Authorizer {
    /// An authorizer whose checks `decides` decides.
    pub fn new(decides: Arc<dyn Authorize>) -> Self {
        Self { decides, check: AuthorizationCheck::default() }
    }

    /// A check about certain objects that lacks nothing but its verb.
    #[must_use]
    pub fn about(&self, target: ResourceTarget) -> Self {
        let target = AuthorizationTarget::Resource(target);
        Self {
            decides: Arc::clone(&self.decides),
            check: AuthorizationCheck { target, ..self.check.clone() },
        }
    }

    pub(crate) fn type_name(&self) -> &'static str {
        match &self.check.target {
            AuthorizationTarget::Unknown => "kubernetes.authorization.Authorizer",
            AuthorizationTarget::Path(_) => "kubernetes.authorization.PathCheck",
            AuthorizationTarget::Resource(it) if it.resource.is_empty() => {
                "kubernetes.authorization.GroupCheck"
            }
            AuthorizationTarget::Resource(_) => "kubernetes.authorization.ResourceCheck",
        }
    }
}

/// The same check with one thing more.
fn with<'v>(
    data: Data<'v>,
    arguments: &[Val<'v>],
    change: impl FnOnce(&mut AuthorizationCheck, &str),
) -> Evaluated<'v> {
    let [Val::Opaque(Opaque::Authorizer(authorizer)), Val::String(text)] = arguments else {
        return no_overload();
    };
    let mut changed = authorizer.clone();
    change(&mut changed.check, text);
    Ok(Val::Opaque(data.arena.opaque(Opaque::Authorizer(Box::new(*changed)))))
}

fn target<'v>(
    data: Data<'v>,
    arguments: &[Val<'v>],
    change: impl FnOnce(&mut ResourceTarget, String),
) -> Evaluated<'v> {
    with(data, arguments, |check, text| {
        if let AuthorizationTarget::Resource(target) = &mut check.target {
            change(target, text.to_owned());
        }
    })
}

fn path<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    with(data, arguments, |check, text| check.target = AuthorizationTarget::Path(text.to_owned()))
}

fn group<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    with(data, arguments, |check, text| {
        let target = ResourceTarget { group: text.to_owned(), ..ResourceTarget::default() };
        check.target = AuthorizationTarget::Resource(target);
    })
}

fn service_account<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let [authorizer, Val::String(namespace), name] = arguments else { return no_overload() };
    with(data, &[*authorizer, *name], |check, name| {
        check.service_account = Some(((*namespace).to_owned(), name.to_owned()));
    })
}

fn resource<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    target(data, arguments, |target, text| target.resource = text)
}

fn subresource<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    target(data, arguments, |target, text| target.subresource = text)
}

fn namespace<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    target(data, arguments, |target, text| target.namespace = text)
}

fn name<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    target(data, arguments, |target, text| target.name = text)
}

fn field_selector<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    target(data, arguments, |target, text| target.field_selector = text)
}

fn label_selector<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    target(data, arguments, |target, text| target.label_selector = text)
}

fn check<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let [Val::Opaque(Opaque::Authorizer(authorizer)), Val::String(verb)] = arguments else {
        return no_overload();
    };
    let check = AuthorizationCheck { verb: (*verb).to_owned(), ..authorizer.check.clone() };
    let decision = authorizer.decides.decide(&check);
    Ok(Val::Opaque(data.arena.opaque(Opaque::Decision(Box::new(decision)))))
}

fn decision<'v>(arguments: &[Val<'v>]) -> Option<&'v AuthorizationDecision> {
    match arguments {
        [Val::Opaque(Opaque::Decision(decision))] => Some(decision),
        _ => None,
    }
}

fn errored<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    decision(arguments).map_or_else(no_overload, |it| Ok(Val::Bool(it.error.is_some())))
}

fn error<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let text = |it: &'v AuthorizationDecision| it.error.as_deref().unwrap_or_default();
    decision(arguments).map_or_else(no_overload, |it| Ok(Val::String(text(it))))
}

fn allowed<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    decision(arguments).map_or_else(no_overload, |it| Ok(Val::Bool(it.allowed)))
}

fn reason<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    decision(arguments).map_or_else(no_overload, |it| Ok(Val::String(&it.reason)))
}
