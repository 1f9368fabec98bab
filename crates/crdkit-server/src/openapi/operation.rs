//! The paths and operations of a resource, whatever notation they are written in.
//!
//! Takes a resource, gives its paths, each with its operations in the order of their methods. Parameters that all
//! operations of a path have belong to the path.

use super::name;
use crate::catalogue::resource::{Resource, ResourceSchema, Subresource, Verb};
use crdkit_text::kind::GroupVersionKind;

pub(super) const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
const PATCH: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
const DELETE_OPTIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
const SCALE: &str = "io.k8s.api.autoscaling.v1.Scale";

/// A path and what can be done there.
#[derive(Debug)]
pub(super) struct PathItem {
    pub path: String,
    /// Keys of parameters that all operations have, in order.
    pub parameters: Vec<Parameter>,
    pub operations: Vec<Operation>,
}

#[derive(Debug)]
pub(super) struct Operation {
    /// The HTTP method, in small letters.
    pub method: &'static str,
    /// `x-kubernetes-action`.
    pub action: &'static str,
    pub id: String,
    pub description: String,
    /// What it is about.
    pub kind: GroupVersionKind,
    /// Parameters of its own, in order.
    pub parameters: Vec<Parameter>,
    /// The definition of its body, and whether it has to be there.
    pub body: Option<(String, bool)>,
    /// Whether the body is a patch.
    pub patches: bool,
    /// The definition of its answer, and the codes it comes with.
    pub answer: (String, &'static [(&'static str, &'static str)]),
}

/// A parameter: a key into the table of parameters, or a part of the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    Query(&'static str),
    Name(Box<str>),
    Namespace,
}

impl Parameter {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Query(key) => key.split('-').next().unwrap_or(key),
            Self::Name(_) => "name",
            Self::Namespace => "namespace",
        }
    }
}

const OK: &[(&str, &str)] = &[("200", "OK")];
const OK_CREATED: &[(&str, &str)] = &[("200", "OK"), ("201", "Created")];
const OK_ACCEPTED: &[(&str, &str)] = &[("200", "OK"), ("202", "Accepted")];
const ALL: &[(&str, &str)] = &[("200", "OK"), ("201", "Created"), ("202", "Accepted")];

const GET: &[&str] = &["pretty", "resourceVersion"];
const LIST: &[&str] = &[
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "pretty",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "shardSelector",
    "timeoutSeconds",
    "watch",
];
const WRITE: &[&str] = &["dryRun", "fieldManager", "fieldValidation", "pretty"];
const PATCHING: &[&str] = &["dryRun", "fieldManager-patch", "fieldValidation", "force", "pretty"];
const DELETE: &[&str] = &[
    "dryRun",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "orphanDependents",
    "pretty",
    "propagationPolicy",
];

/// The paths of `resource`.
pub(super) fn paths(resource: &Resource) -> Vec<PathItem> {
    let prefix = match resource.kind.group.as_str() {
        "" => format!("/api/{}", resource.kind.version),
        group => format!("/apis/{group}/{}", resource.kind.version),
    };
    let plural = &resource.plural;
    let mut paths = Vec::new();
    let mut collection = format!("{prefix}/{plural}");
    if resource.namespaced {
        if resource.allows(Verb::List) {
            let mut list = Maker::new(resource, None, false).operation(Verb::List);
            let about = format!("{}ForAllNamespaces", resource.kind.kind);
            list.id = name::operation("list", resource.kind.group_version(), &about);
            paths.push(PathItem::new(collection, vec![list]));
        }
        collection = format!("{prefix}/namespaces/{{namespace}}/{plural}");
    }
    let maker = Maker::new(resource, None, resource.namespaced);
    let object = format!("{collection}/{{name}}");
    let make = |verbs: &[Verb]| {
        let verbs = verbs.iter().filter(|verb| resource.allows(**verb));
        verbs.map(|verb| maker.operation(*verb)).collect()
    };
    let all = make(&[Verb::List, Verb::Create, Verb::DeleteCollection]);
    paths.push(PathItem::new(collection, all));
    let one = make(&[Verb::Get, Verb::Update, Verb::Delete, Verb::Patch]);
    paths.push(PathItem::new(object.clone(), one));
    for subresource in &resource.subresources {
        let maker = Maker::new(resource, Some(subresource), resource.namespaced);
        let verbs = [Verb::Get, Verb::Update, Verb::Create, Verb::Delete, Verb::Patch];
        let verbs = verbs.iter().filter(|verb| subresource.verbs.contains(verb));
        let operations = verbs.map(|verb| maker.operation(*verb)).collect();
        paths.push(PathItem::new(format!("{object}/{}", subresource.name), operations));
    }
    paths.retain(|path| !path.operations.is_empty());
    paths
}

impl PathItem {
    /// Moves parameters that all operations have to the path.
    fn new(path: String, mut operations: Vec<Operation>) -> Self {
        let Some((first, others)) = operations.split_first() else {
            return Self { path, parameters: Vec::new(), operations };
        };
        let is_common = |it: &&Parameter| others.iter().all(|op| op.parameters.contains(it));
        let parameters: Vec<_> = first.parameters.iter().filter(is_common).cloned().collect();
        for operation in &mut operations {
            operation.parameters.retain(|it| !parameters.contains(it));
        }
        Self { path, parameters, operations }
    }
}

/// Makes operations of a resource or of one of its subresources.
struct Maker<'r> {
    resource: &'r Resource,
    subresource: Option<&'r Subresource>,
    /// Whether the path names a namespace.
    within: bool,
    /// The definition of what is read and written.
    definition: String,
}

impl<'r> Maker<'r> {
    fn new(resource: &'r Resource, subresource: Option<&'r Subresource>, within: bool) -> Self {
        let definition = match subresource {
            Some(subresource) if subresource.kind.kind == "Scale" => SCALE.to_owned(),
            Some(subresource) if !subresource.kind.version.is_empty() => {
                let kind = &subresource.kind;
                format!("io.k8s.api.{}.{}.{}", native_package(&kind.group), kind.version, kind.kind)
            }
            _ => definition(resource),
        };
        Self { resource, subresource, within, definition }
    }

    fn operation(&self, verb: Verb) -> Operation {
        let own = |required| Some((self.definition.clone(), required));
        let status = || STATUS.to_owned();
        let custom = self.resource.is_custom();
        let (method, action, word, options, body, answer) = match verb {
            Verb::Get | Verb::Watch => {
                ("get", "get", "read", GET, None, (self.definition.clone(), OK))
            }
            Verb::List => ("get", "list", "list", LIST, None, (list_definition(self.resource), OK)),
            Verb::Create => {
                ("post", "post", "create", WRITE, own(true), (self.definition.clone(), ALL))
            }
            Verb::Update => {
                let answer = (self.definition.clone(), OK_CREATED);
                ("put", "put", "replace", WRITE, own(true), answer)
            }
            Verb::Patch => {
                let answer = (self.definition.clone(), if custom { OK } else { OK_CREATED });
                let body = Some((PATCH.to_owned(), true));
                ("patch", "patch", "patch", PATCHING, body, answer)
            }
            Verb::Delete => {
                let body = Some((DELETE_OPTIONS.to_owned(), false));
                ("delete", "delete", "delete", DELETE, body, (status(), OK_ACCEPTED))
            }
            Verb::DeleteCollection => {
                ("delete", "deletecollection", "delete", LIST, None, (status(), OK))
            }
        };
        let on_object = !matches!(verb, Verb::List | Verb::Create | Verb::DeleteCollection)
            || self.subresource.is_some();
        Operation {
            method,
            action,
            id: self.id(verb, word),
            description: self.description(verb, word),
            kind: self.kind(),
            parameters: self.parameters(options, on_object),
            body,
            patches: verb == Verb::Patch,
            answer,
        }
    }

    fn id(&self, verb: Verb, word: &str) -> String {
        let collection = if verb == Verb::DeleteCollection { "Collection" } else { "" };
        let namespaced = if self.resource.namespaced { "Namespaced" } else { "" };
        let below = self.subresource.map(|it| name::title(&it.name)).unwrap_or_default();
        let about = format!("{collection}{namespaced}{}{below}", self.resource.kind.kind);
        name::operation(word, self.resource.kind.group_version(), &about)
    }

    fn description(&self, verb: Verb, word: &str) -> String {
        let kind = &self.resource.kind.kind;
        let below = self.subresource.map(|it| format!(" {} of", it.name)).unwrap_or_default();
        match verb {
            Verb::List => format!("list{below} objects of kind {kind}"),
            Verb::Patch => format!("partially update{below} the specified {kind}"),
            Verb::Get | Verb::Watch | Verb::Update => format!("{word}{below} the specified {kind}"),
            Verb::Create | Verb::Delete => format!("{word}{below}{}{kind}", name::article(kind)),
            Verb::DeleteCollection => format!("delete collection of{below} {kind}"),
        }
    }

    /// What clients find the operation by.
    fn kind(&self) -> GroupVersionKind {
        match self.subresource.map(|subresource| &subresource.kind) {
            Some(kind) if !self.resource.is_custom() && !kind.version.is_empty() => kind.clone(),
            _ => self.resource.kind.clone(),
        }
    }

    fn parameters(&self, options: &[&'static str], on_object: bool) -> Vec<Parameter> {
        let mut all: Vec<_> = options.iter().map(|key| Parameter::Query(key)).collect();
        if on_object {
            all.push(Parameter::Name(self.resource.kind.kind.as_str().into()));
        }
        if self.within {
            all.push(Parameter::Namespace);
        }
        all.sort_by(|left, right| left.name().cmp(right.name()));
        all
    }
}

/// The definition of a resource's objects.
pub(super) fn definition(resource: &Resource) -> String {
    match &resource.schema {
        ResourceSchema::Custom { .. } => {
            name::definition(resource.kind.group_version(), &resource.kind.kind)
        }
        ResourceSchema::Native { definition } => definition.to_string(),
    }
}

/// The definition of a resource's lists.
fn list_definition(resource: &Resource) -> String {
    let object = definition(resource);
    match object.strip_suffix(&resource.kind.kind) {
        Some(prefix) => format!("{prefix}{}", resource.list_kind),
        None => object,
    }
}

/// The part of a native definition's name that stands for the group.
fn native_package(group: &str) -> &str {
    match group {
        "" => "core",
        group => group.split('.').next().unwrap_or(group),
    }
}
