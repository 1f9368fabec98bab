//! One served kind in one version: all that a server knows of it without looking at an object.
//!
//! A [`Resource`] is plain data. [`Resource::custom`] makes those of a CRD, one for each served version; native kinds
//! make theirs from their table of facts. Routing finds a resource by `kind.group`, `kind.version` and `plural`;
//! discovery, OpenAPI and tables read everything they publish from here, and nothing else.
//!
//! | Field | For |
//! |---|---|
//! | `kind`, `list_kind` | the objects that are answered; OpenAPI's names of definitions |
//! | `plural`, `singular`, `short_names`, `categories`, `namespaced` | paths, discovery, what kubectl accepts as a name |
//! | `verbs`, `subresources` | which requests exist: 404 and 405, discovery, OpenAPI's operations |
//! | `storage` | the hash that tells clients when objects are stored in another form |
//! | `columns` | tables |
//! | `selectable_fields` | field selectors; OpenAPI names them |
//! | `deprecation` | the warning on every request |
//! | `schema` | how objects are judged (custom) or which definition describes them (native) |

use super::definition::Definition;
use crdkit_schema::compile::{CompiledVersion, PrinterColumn, ResourceNames};
use crdkit_text::base64::Base64;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Value};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// A kind in one version, as it is served.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Group, version and kind of its objects.
    pub kind: GroupVersionKind,
    /// The kind of its lists; empty when it cannot be listed.
    pub list_kind: Box<str>,
    /// The name in paths.
    pub plural: Box<str>,
    /// The name of one, which clients accept as well.
    pub singular: Box<str>,
    /// Further names that clients accept.
    pub short_names: Box<[Box<str>]>,
    /// Groups of resources that clients ask for together, such as `all`.
    pub categories: Box<[Box<str>]>,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// What can be done, in the order discovery shows it.
    pub verbs: Box<[Verb]>,
    /// What lies below an object, in the order discovery shows it.
    pub subresources: Box<[Subresource]>,
    /// The form objects are stored in; none when they are not stored, or in a version that is not served.
    pub storage: Option<GroupVersionKind>,
    /// The columns of tables, with the name.
    pub columns: Box<[Column]>,
    /// Paths that field selectors may name beside `metadata.name` and `metadata.namespace`: of a CRD as JSON paths
    /// (`.spec.color`), without their first dot in selectors.
    pub selectable_fields: Box<[Box<str>]>,
    /// What clients are told on each request.
    pub deprecation: Option<Box<str>>,
    /// What describes its objects.
    pub schema: ResourceSchema,
}

/// What can be done with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// POST.
    Create,
    /// DELETE of an object.
    Delete,
    /// DELETE of all of them.
    DeleteCollection,
    /// GET of an object.
    Get,
    /// GET of all of them.
    List,
    /// PATCH.
    Patch,
    /// PUT.
    Update,
    /// GET of their changes.
    Watch,
}

/// What lies below an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// The last part of its path, such as `status`.
    pub name: Box<str>,
    /// What it takes and gives; group and version are empty when they are those of the resource.
    pub kind: GroupVersionKind,
    /// What can be done, in the order discovery shows it.
    pub verbs: Box<[Verb]>,
}

/// A column of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: Box<str>,
    /// The type of cells, in OpenAPI's words or `date`.
    pub type_name: Box<str>,
    /// The format of that type.
    pub format: Box<str>,
    /// What the column says.
    pub description: Box<str>,
    /// Above 0 it is shown only when asked for.
    pub priority: i32,
    /// What stands in it.
    pub cell: Cell,
}

/// What stands in a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// `metadata.name`.
    Name,
    /// What a JSON path of a CRD finds, in the column's type.
    Path(Box<str>),
    /// What the native kinds' own expression or function gives.
    Native(Box<str>),
}

/// What describes the objects of a resource.
#[derive(Clone, Debug)]
pub enum ResourceSchema {
    /// A version of a CRD.
    Custom {
        /// The CRD.
        definition: Arc<Definition>,
        /// The position of the version in it.
        version: usize,
    },
    /// A definition among those of the native kinds, such as `io.k8s.api.apps.v1.Deployment`.
    Native {
        /// Its name.
        definition: Box<str>,
    },
}

/// The verbs of custom resources, in the order the API server lists them.
const CUSTOM: [Verb; 8] = [
    Verb::Delete,
    Verb::DeleteCollection,
    Verb::Get,
    Verb::List,
    Verb::Patch,
    Verb::Create,
    Verb::Update,
    Verb::Watch,
];

/// The verbs that are left while the CRD is being deleted.
const TERMINATING: [Verb; 5] =
    [Verb::Delete, Verb::DeleteCollection, Verb::Get, Verb::List, Verb::Watch];

const SUBRESOURCE: [Verb; 3] = [Verb::Get, Verb::Patch, Verb::Update];

impl Resource {
    /// The served versions of a CRD, in the order they are written.
    ///
    /// Names are those that were accepted, where `document`, which is that of the definition, has a status that says
    /// so.
    pub fn custom(definition: &Arc<Definition>, document: &Document) -> Vec<Self> {
        let compiled = definition.compiled();
        let root = document.root();
        let names = accepted_names(root);
        let names = names.as_ref().unwrap_or(compiled.names());
        let terminating = is_terminating(root);
        let group = compiled.group();
        let in_version = |version: &str, kind: &str| GroupVersionKind {
            group: group.into(),
            version: version.into(),
            kind: kind.into(),
        };
        let storage = compiled.storage_version().filter(|version| version.served);
        let storage = storage.map(|version| in_version(&version.name, compiled.kind()));
        let served = compiled.versions().iter().enumerate().filter(|(_, version)| version.served);
        let resources = served.map(|(at, version)| Self {
            kind: in_version(&version.name, &names.kind),
            list_kind: names.list_kind.clone(),
            plural: names.plural.clone(),
            singular: names.singular.clone(),
            short_names: names.short_names.clone(),
            categories: names.categories.clone(),
            namespaced: compiled.is_namespaced(),
            verbs: if terminating { TERMINATING.into() } else { CUSTOM.into() },
            subresources: subresources(version, &names.kind),
            storage: storage.clone(),
            columns: [Column::name()]
                .into_iter()
                .chain(compiled.columns(version).map(Column::custom))
                .collect(),
            selectable_fields: version.selectable_fields.clone(),
            deprecation: version.deprecation.clone(),
            schema: ResourceSchema::Custom { definition: Arc::clone(definition), version: at },
        });
        resources.collect()
    }

    /// `group/version`, as objects write it.
    pub fn api_version(&self) -> String {
        self.kind.group_version().to_string()
    }

    /// Whether a CRD defines it.
    pub fn is_custom(&self) -> bool {
        matches!(self.schema, ResourceSchema::Custom { .. })
    }

    /// Whether `verb` is possible.
    pub fn allows(&self, verb: Verb) -> bool {
        self.verbs.contains(&verb)
    }

    /// The subresource called `name`.
    pub fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|it| &*it.name == name)
    }

    /// The version of the CRD that defines it.
    pub fn compiled(&self) -> Option<&CompiledVersion> {
        match &self.schema {
            ResourceSchema::Custom { definition, version } => {
                definition.compiled().versions().get(*version)
            }
            ResourceSchema::Native { .. } => None,
        }
    }

    /// The text that changes when objects are stored in another form.
    pub fn storage_version_hash(&self) -> Option<String> {
        let GroupVersionKind { group, version, kind } = self.storage.as_ref()?;
        let digest = Sha256::digest(format!("{group}/{version}/{kind}"));
        Some(Base64::Standard.encode(digest.get(..8)?))
    }
}

impl Verb {
    /// Its name in discovery documents.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Get => "get",
            Self::List => "list",
            Self::Patch => "patch",
            Self::Update => "update",
            Self::Watch => "watch",
        }
    }

    /// The verb with this name.
    pub fn parse(name: &str) -> Option<Self> {
        CUSTOM.into_iter().find(|verb| verb.as_str() == name)
    }
}

impl Column {
    /// What the name column says, in every table.
    pub const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, although some \
        resources may allow a client to request the generation of an appropriate name automatically. \
        Name is primarily intended for creation idempotence and configuration definition. Cannot be \
        updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

    /// The first column of most tables.
    pub fn name() -> Self {
        Self {
            name: "Name".into(),
            type_name: "string".into(),
            format: "name".into(),
            description: Self::NAME.into(),
            priority: 0,
            cell: Cell::Name,
        }
    }

    /// A column of a CRD; one without a description says what its path is.
    fn custom(column: PrinterColumn<'_>) -> Self {
        let PrinterColumn { name, type_name, format, description, priority, json_path } = column;
        let description = match description {
            "" => format!("Custom resource definition column (in JSONPath format): {json_path}"),
            written => written.to_owned(),
        };
        Self {
            name: name.into(),
            type_name: type_name.into(),
            format: format.into(),
            description: description.into(),
            priority,
            cell: Cell::Path(json_path.into()),
        }
    }
}

fn subresources(version: &CompiledVersion, kind: &str) -> Box<[Subresource]> {
    let status = version.status.then(|| Subresource {
        name: "status".into(),
        kind: GroupVersionKind { kind: kind.into(), ..GroupVersionKind::default() },
        verbs: SUBRESOURCE.into(),
    });
    let scale = version.scale.is_some().then(|| Subresource {
        name: "scale".into(),
        kind: GroupVersionKind::of("autoscaling/v1", "Scale"),
        verbs: SUBRESOURCE.into(),
    });
    status.into_iter().chain(scale).collect()
}

/// `status.acceptedNames`, once there are any.
fn accepted_names(root: Value<'_>) -> Option<ResourceNames> {
    let names = root.get("status")?.get("acceptedNames")?;
    let text = |key: &str| names.get(key).and_then(Value::as_str).unwrap_or_default().into();
    let texts = |key: &str| {
        let texts = names.get(key).into_iter().flat_map(Value::items);
        texts.filter_map(Value::as_str).map(Into::into).collect()
    };
    let names = ResourceNames {
        plural: text("plural"),
        singular: text("singular"),
        kind: text("kind"),
        list_kind: text("listKind"),
        short_names: texts("shortNames"),
        categories: texts("categories"),
    };
    (!names.plural.is_empty() && !names.kind.is_empty()).then_some(names)
}

/// Whether the CRD is being deleted.
fn is_terminating(root: Value<'_>) -> bool {
    let conditions = root.get("status").and_then(|status| status.get("conditions"));
    let is = |condition: Value<'_>, key: &str, value: &str| {
        condition.get(key).and_then(Value::as_str) == Some(value)
    };
    let mut conditions = conditions.into_iter().flat_map(Value::items);
    conditions.any(|it| is(it, "type", "Terminating") && is(it, "status", "True"))
}
