//! Who may do what: administrators everything, whoever is known may look at what is served and ask about themselves,
//! everybody may ask whether the server is well; roles allow more.

use crate::core::Core;
use crate::identify::User;
use crate::rbac;
use crate::route::{Route, Verb};
use crate::settings::Authorization;
use crdkit_schema::status::{Status, Subject};

/// What somebody wants to do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Action<'a> {
    /// Something with a resource; the verb is empty where the method means nothing.
    Resource {
        verb: &'a str,
        group: &'a str,
        resource: &'a str,
        subresource: &'a str,
        namespace: &'a str,
        name: &'a str,
    },
    /// Something with another path.
    Path { verb: &'a str, path: &'a str },
}

/// Whether a user may do something.
pub(crate) fn is_allowed(core: &Core, user: &User, action: Action<'_>) -> bool {
    let by_mode = || match core.settings.authorization {
        Authorization::Everyone => user.is_authenticated(),
        Authorization::Rbac => is_granted(core, user, action),
    };
    user.is_administrator() || is_basic(user, action) || by_mode()
}

/// Whether roles allow it.
fn is_granted(core: &Core, user: &User, action: Action<'_>) -> bool {
    let full;
    let (verb, target) = match action {
        Action::Path { verb, path } => (verb, rbac::AccessTarget::Path(path)),
        Action::Resource { verb, group, resource, subresource, namespace, name } => {
            full = match subresource {
                "" => resource.to_owned(),
                part => format!("{resource}/{part}"),
            };
            (verb, rbac::AccessTarget::Resource { group, resource: &full, namespace, name })
        }
    };
    let subject = rbac::Subject { user: &user.name, groups: &user.groups };
    core.roles.load().allows(subject, rbac::AccessAction { verb, target }).is_some()
}

/// What needs no role.
fn is_basic(user: &User, action: Action<'_>) -> bool {
    match action {
        Action::Path { verb: "get" | "head", path } => {
            let top = path.trim_start_matches('/').split('/').next().unwrap_or_default();
            let public = ["healthz", "livez", "readyz", "version"].contains(&top);
            let known = ["api", "apis", "openapi"].contains(&top);
            public || known && user.is_authenticated()
        }
        Action::Resource { verb: "create", group, resource, subresource: "", .. } => {
            let own = match group {
                "authorization.k8s.io" => {
                    ["selfsubjectaccessreviews", "selfsubjectrulesreviews"].contains(&resource)
                }
                "authentication.k8s.io" => resource == "selfsubjectreviews",
                _ => false,
            };
            own && user.is_authenticated()
        }
        _ => false,
    }
}

/// Lets a request pass.
///
/// # Errors
/// The answer, when the user may not do this.
pub(crate) fn authorise(core: &Core, user: &User, route: &Route<'_>) -> Result<(), Box<Status>> {
    let action = match route {
        Route::Resource(it) => Action::Resource {
            verb: it.verb.as_str(),
            group: it.group,
            resource: it.plural,
            subresource: it.subresource.unwrap_or_default(),
            namespace: it.namespace.unwrap_or_default(),
            name: it.name.unwrap_or_default(),
        },
        Route::Path { verb, path } => Action::Path { verb, path },
    };
    if is_allowed(core, user, action) { Ok(()) } else { Err(refuse(user, action).into()) }
}

fn refuse(user: &User, action: Action<'_>) -> Status {
    let user = &user.name;
    match action {
        Action::Path { verb, path } => {
            let subject = Subject { group: "", version: "", kind: "", name: "" };
            subject.forbidden(&format!("User \"{user}\" cannot {verb} path \"{path}\""))
        }
        Action::Resource { verb, group, resource, subresource, namespace, name } => {
            let full = match subresource {
                "" => resource.to_owned(),
                part => format!("{resource}/{part}"),
            };
            let place = match namespace {
                "" => "at the cluster scope".to_owned(),
                namespace => format!("in the namespace \"{namespace}\""),
            };
            let subject = Subject { group, version: "", kind: resource, name };
            subject.forbidden(&format!(
                "User \"{user}\" cannot {verb} resource \"{full}\" in API group \"{group}\" {place}"
            ))
        }
    }
}

/// A verb as rules name it.
impl Verb {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Unknown => "",
        }
    }
}
