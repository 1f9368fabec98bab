//! What stored objects say about the server itself: webhooks, policies, roles and their bindings.
//!
//! All of it is read when the server starts, and again, a group as a whole, after each write of an object that matters.

use crate::admission::{Configuration, ConfigurationObjects};
use crate::catalogue::snapshot::Served;
use crate::core::Core;
use crate::rbac;
use crate::stored;
use crdkit_admission::policy::ParamRef;
use crdkit_store::RangeRequest;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::Document;
use std::sync::Arc;

const ADMISSION: &str = "admissionregistration.k8s.io";
const ROLES: &str = "rbac.authorization.k8s.io";

/// Reads everything.
pub(crate) async fn load(core: &Core) {
    reload(core, ADMISSION).await;
    reload(core, ROLES).await;
}

/// Does what follows from a write of an object of `served`.
pub(crate) async fn follow(core: &Core, served: &Served) {
    if !served.resource.is_custom() {
        reload(core, &served.resource.kind.group).await;
    }
}

async fn reload(core: &Core, group: &str) {
    match group {
        ADMISSION => {
            let all = async |plural: &str| objects(core, group, plural, "").await;
            core.admission.set(Configuration::read(&ConfigurationObjects {
                mutating: all("mutatingwebhookconfigurations").await,
                validating: all("validatingwebhookconfigurations").await,
                policies: all("validatingadmissionpolicies").await,
                bindings: all("validatingadmissionpolicybindings").await,
                mutating_policies: all("mutatingadmissionpolicies").await,
                mutating_bindings: all("mutatingadmissionpolicybindings").await,
            }));
        }
        ROLES => {
            let mut all = Vec::new();
            for plural in ["clusterroles", "roles", "clusterrolebindings", "rolebindings"] {
                all.extend(objects(core, group, plural, "").await);
            }
            let roots: Vec<_> = all.iter().map(Document::root).collect();
            core.roles.store(Arc::new(rbac::AccessPolicy::new(roots)));
        }
        _ => {}
    }
}

/// All objects of a native kind, in all namespaces or in one.
pub(crate) async fn objects(
    core: &Core,
    group: &str,
    plural: &str,
    namespace: &str,
) -> Vec<Document> {
    let Some(served) = core.find(group, "v1", plural) else { return Vec::new() };
    under(core, &served, namespace).await
}

/// All objects of a kind, in all namespaces or in one.
pub(crate) async fn under(core: &Core, served: &Served, namespace: &str) -> Vec<Document> {
    let namespace = Some(namespace).filter(|namespace| !namespace.is_empty());
    let prefix = served.collection(&core.layout, namespace);
    match core.store.range(RangeRequest::under(&prefix)).await {
        Ok(page) => served.rules.read_all(&page.entries).await.unwrap_or_else(|status| {
            tracing::warn!(%status, plural = %served.resource.plural, "cannot be converted");
            Vec::new()
        }),
        Err(error) => {
            tracing::warn!(%error, plural = %served.resource.plural, "cannot be read");
            Vec::new()
        }
    }
}

/// The namespace called `name`.
pub(crate) async fn namespace(core: &Core, name: &str) -> Option<Document> {
    let key = core.layout.object("", "namespaces", None, name);
    core.get(&key).await.ok()?.map(|entry| stored::object(&entry))
}

/// The objects that are parameters of a policy.
///
/// # Errors
/// Why they cannot be looked for.
pub(crate) async fn params(
    core: &Core,
    kind: &GroupVersionKind,
    reference: &ParamRef,
    namespace: &str,
) -> Result<Vec<Document>, String> {
    let catalogue = core.catalogue.load_full();
    let Some(served) = catalogue.iter().find(|it| it.resource.kind == *kind) else {
        let (version, kind) = (kind.group_version(), &kind.kind);
        let kind = format!("&ParamKind{{APIVersion:{version},Kind:{kind},}}");
        return Err(format!("paramKind kind `{kind}` not known"));
    };
    let namespace = match (served.resource.namespaced, &*reference.namespace) {
        (false, "") => "",
        (false, _) => {
            let problem =
                "paramRef.namespace must not be provided for a cluster-scoped `paramKind`";
            return Err(problem.to_owned());
        }
        (true, "") if namespace.is_empty() => {
            let problem = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
            return Err(problem.to_owned());
        }
        (true, "") => namespace,
        (true, given) => given,
    };
    let found = under(core, served, namespace).await;
    let is_meant = |object: &Document| match &*reference.name {
        "" => reference.selector.matches(object.root()),
        name => stored::metadata_text(object.root(), "name") == name,
    };
    Ok(found.into_iter().filter(is_meant).collect())
}
