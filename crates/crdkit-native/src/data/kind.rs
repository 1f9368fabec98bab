//! Kinds: their names, and how the server treats their objects.

use super::read::SectionReader;
use super::types::TypeId;
use crdkit_engine::steps::VersionKey;

/// A kind in one version.
#[derive(Debug)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, each known by its name")]
pub struct NativeKind {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The version.
    pub version: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The kind of lists; empty if it cannot be listed.
    pub list_kind: &'static str,
    /// The name of the resource in paths.
    pub plural: &'static str,
    /// The name of one.
    pub singular: &'static str,
    /// Short names.
    pub short_names: Vec<&'static str>,
    /// Categories, such as `all`.
    pub categories: Vec<&'static str>,
    /// What can be done with it.
    pub verbs: Vec<&'static str>,
    /// Whether objects are in namespaces.
    pub namespaced: bool,
    /// Subresources.
    pub subresources: Vec<Subresource>,
    pub(crate) root: TypeId,
    /// The version of the group that clients should use.
    pub preferred_version: &'static str,
    /// What every request is warned of; empty for most.
    pub warning: &'static str,
    /// How objects are stored; nothing where they are answered and forgotten.
    pub storage: Option<Storage>,
    /// The columns of tables.
    pub columns: Vec<Column>,
    /// Whether a PUT may leave out the version of the object it replaces.
    pub unconditional_update: bool,
    /// Whether a PUT creates what is not there.
    pub create_on_update: bool,
    /// Whether a DELETE answers with the object instead of a status.
    pub delete_returns_object: bool,
    /// Whether dependents stay when nothing is said about them.
    pub orphans_dependents: bool,
    /// Finalizers of new objects.
    pub finalizers: Vec<&'static str>,
    /// Fields that lists can be narrowed by.
    pub field_selectors: Vec<&'static str>,
    pub(crate) generation_on_create: bool,
    pub(crate) generation_bumped_by: Vec<&'static str>,
    pub(crate) name_format: NameFormat,
    pub(crate) name_max: usize,
    /// Whether there is a `status` that only the subresource of that name changes.
    pub has_status: bool,
    pub(crate) keeps_status_on_create: bool,
    pub(crate) status_takes: Vec<&'static str>,
    /// Where the replicas are that `scale` shows: those asked for and those there are.
    pub scale: Option<(&'static str, &'static str)>,
    /// After how many seconds objects go away by themselves.
    pub ttl_seconds: Option<usize>,
    pub(crate) registry: &'static str,
    /// Whether new and changed objects get the defaults of admission.
    pub(crate) is_admitted: bool,
    /// Whether finalizers need not name a domain.
    pub(crate) takes_any_finalizer: bool,
    /// Whether an update is only held against what must not change.
    pub(crate) unchecked_on_update: Vec<&'static str>,
    /// Whether an empty list that was not there before is a change.
    pub(crate) counts_empty: bool,
    pub(crate) key: VersionKey,
}

/// A subresource.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Subresource {
    /// Its name.
    pub name: &'static str,
    /// The group of its objects; empty for that of the kind around.
    pub group: &'static str,
    /// The version of its objects.
    pub version: &'static str,
    /// The kind of its objects.
    pub kind: &'static str,
    /// What can be done with it.
    pub verbs: Vec<&'static str>,
}

/// How objects are stored.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Storage {
    /// The `apiVersion` of stored objects.
    pub api_version: &'static str,
    /// Their kind.
    pub kind: &'static str,
    /// `protobuf` or `json`.
    pub encoding: &'static str,
    /// Their key, with `{namespace}` and `{name}`.
    pub key: &'static str,
}

/// A column of tables.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Column {
    /// Its heading.
    pub name: &'static str,
    /// The type of its cells.
    pub kind: &'static str,
    /// `name` for the first one.
    pub format: &'static str,
    /// The expression that makes a cell.
    pub(crate) cell: &'static str,
    /// The function that makes a cell, where no expression does.
    pub(crate) computed: &'static str,
    /// 0 for columns that are always shown.
    pub priority: usize,
}

/// What names of objects look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameFormat {
    Segment,
    Subdomain,
    Label,
    /// An address in canonical form.
    Address,
    /// Made of other fields, which a check compares.
    Composed,
    /// A subdomain, after a signer if there is one.
    Signed,
}

impl NativeKind {
    pub(super) fn of_record(reader: &mut SectionReader) -> Self {
        let mut text = || reader.text();
        let (group, version, kind) = (text(), text(), text());
        let (list_kind, plural, singular) = (text(), text(), text());
        let (short_names, categories, verbs) = (reader.texts(), reader.texts(), reader.texts());
        let namespaced = reader.flag();
        let subresources = reader.list(|reader| {
            let mut text = || reader.text();
            let (name, group, version, kind) = (text(), text(), text(), text());
            Subresource { name, group, version, kind, verbs: reader.texts() }
        });
        let root = TypeId(reader.number());
        let (preferred_version, warning) = (reader.text(), reader.text());
        let mut text = || reader.text();
        let storage = Storage { api_version: text(), kind: text(), encoding: text(), key: text() };
        let columns = reader.list(|reader| {
            let mut text = || reader.text();
            let (name, kind, format, cell, computed) = (text(), text(), text(), text(), text());
            Column { name, kind, format, cell, computed, priority: reader.number() }
        });
        let is_stored = reader.flag() && !storage.key.is_empty();
        Self {
            group,
            version,
            kind,
            list_kind,
            plural,
            singular,
            short_names,
            categories,
            verbs,
            namespaced,
            subresources,
            root,
            preferred_version,
            warning,
            storage: is_stored.then_some(storage),
            columns,
            unconditional_update: reader.flag(),
            create_on_update: reader.flag(),
            delete_returns_object: reader.flag(),
            orphans_dependents: reader.flag(),
            finalizers: reader.texts(),
            field_selectors: reader.texts(),
            generation_on_create: reader.flag(),
            generation_bumped_by: reader.texts(),
            name_format: match reader.number() {
                1 => NameFormat::Subdomain,
                2 => NameFormat::Label,
                3 => NameFormat::Address,
                4 => NameFormat::Composed,
                5 => NameFormat::Signed,
                _ => NameFormat::Segment,
            },
            name_max: reader.number(),
            has_status: reader.flag(),
            keeps_status_on_create: reader.flag(),
            status_takes: reader.texts(),
            scale: Some((reader.text(), reader.text())).filter(|(spec, _)| !spec.is_empty()),
            ttl_seconds: Some(reader.number()).filter(|seconds| *seconds > 0),
            registry: reader.text(),
            is_admitted: reader.flag(),
            takes_any_finalizer: reader.flag(),
            counts_empty: reader.flag(),
            unchecked_on_update: reader.texts(),
            key: VersionKey::unique(),
        }
    }

    /// `apps/v1`, or `v1` in the core group.
    pub fn api_version(&self) -> String {
        match self.group {
            "" => self.version.to_owned(),
            group => format!("{group}/{}", self.version),
        }
    }

    /// Whether it has a subresource of this name.
    pub fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|subresource| subresource.name == name)
    }
}
