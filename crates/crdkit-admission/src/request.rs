//! A request as admission sees it, and its form in reviews and expressions.

use crate::matching::{Equivalent, Match};
use crate::user::User;
use crdkit_cel::Authorizer;
use crdkit_text::kind::{GroupVersionKind, GroupVersionResource};
use crdkit_value::{Document, NewValue};

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// An object is made.
    Create,
    /// An object is replaced or patched.
    Update,
    /// An object is removed.
    Delete,
    /// Something is connected to an object.
    Connect,
}

impl Operation {
    /// Its name in rules and reviews.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        }
    }
}

/// What admission says besides yes or no.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    /// For whoever sent the request.
    pub warnings: Vec<String>,
    /// For the audit log.
    pub audit_annotations: Vec<(String, String)>,
}

/// A request that may be admitted.
#[derive(Clone, Copy, Debug)]
pub struct AdmissionRequest<'r> {
    /// What it does.
    pub operation: Operation,
    /// The kind of its object, in the version of the request.
    pub kind: &'r GroupVersionKind,
    /// The resource.
    pub resource: &'r GroupVersionResource,
    /// The subresource; empty for the object itself.
    pub subresource: &'r str,
    /// The other versions of the resource.
    pub equivalents: &'r [Equivalent],
    /// The name of the object; empty before it has one.
    pub name: &'r str,
    /// The namespace; that of a `Namespace` is its name. Empty if there is none.
    pub namespace: &'r str,
    /// Who sends it.
    pub user: &'r User,
    /// Whether nothing is to be stored.
    pub dry_run: bool,
    /// The options of the request, such as `CreateOptions`.
    pub options: Option<&'r Document>,
    /// The object as it would be stored; none on deletion.
    pub object: Option<&'r Document>,
    /// The object that is stored; none on creation.
    pub old_object: Option<&'r Document>,
    /// The `Namespace` of the object, where it is in one.
    pub namespace_object: Option<&'r Document>,
    /// Who decides about the checks of expressions; none if nobody does.
    pub authorizer: Option<&'r Authorizer>,
}

impl<'r> AdmissionRequest<'r> {
    /// A request about objects of a kind by a user; everything else is for the caller to add.
    pub fn new(
        operation: Operation,
        kind: &'r GroupVersionKind,
        resource: &'r GroupVersionResource,
        user: &'r User,
    ) -> Self {
        Self {
            operation,
            kind,
            resource,
            subresource: "",
            equivalents: &[],
            name: "",
            namespace: "",
            user,
            dry_run: false,
            options: None,
            object: None,
            old_object: None,
            namespace_object: None,
            authorizer: None,
        }
    }

    /// The request without its objects, as it was sent and as `matched` wants to see it.
    pub fn document(&self, uid: &str, matched: &Match) -> Document {
        let kind = |kind: &GroupVersionKind| {
            let GroupVersionKind { group, version, kind } = kind;
            Document::object().with("group", group).with("version", version).with("kind", kind)
        };
        let resource = |resource: &GroupVersionResource| {
            let GroupVersionResource { group, version, resource } = resource;
            let named = Document::object().with("group", group).with("version", version);
            named.with("resource", resource)
        };
        let mut request = Document::object()
            .with("uid", uid)
            .with("kind", &kind(&matched.kind))
            .with("resource", &resource(&matched.resource));
        if !self.subresource.is_empty() {
            request = request.with("subResource", self.subresource);
        }
        request = request
            .with("requestKind", &kind(self.kind))
            .with("requestResource", &resource(self.resource));
        let texts = [
            ("requestSubResource", self.subresource),
            ("name", self.name),
            ("namespace", self.namespace),
        ];
        for (key, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            request = request.with(key, text);
        }
        let options = self.options.map_or(NewValue::Null, NewValue::from);
        request
            .with("operation", self.operation.as_str())
            .with("userInfo", &self.user.document())
            .with("dryRun", self.dry_run)
            .with("options", options)
    }
}
