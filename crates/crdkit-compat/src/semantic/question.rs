//! The questions: what each asks, who relies on the answer, and what to do when it is no.

use super::answer::ReasonLevel;
use crdkit_issue::{Code, codes::compat};

/// Something that somebody relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Question {
    /// Will the API server take the new CRD in place of the old?
    Gate,
    /// Is it still called the same?
    Names,
    /// Do objects still belong to a namespace, or to none?
    Scope,
    /// Is every version that was served still served?
    Served,
    /// Can everything that is stored still be read, and the change be taken back?
    Storage,
    /// Are objects still converted between versions the same way?
    Conversion,
    /// Are `status` and `scale` still there, and where they were?
    Subresources,
    /// Can objects still be selected by the same fields?
    Selectors,
    /// Does `kubectl get` still show the same columns?
    Columns,
    /// Is every object that was accepted still accepted?
    Accept,
    /// Can every stored object still be changed as before?
    Update,
    /// Does every object keep all of its fields?
    Retain,
    /// Does every stored object still mean the same?
    Mean,
    /// Was every object that is possible now possible before, so that readers know it?
    Observe,
    /// Do appliers still own what they owned?
    Own,
    /// Is an object whole and valid when it is used in another version?
    Round,
}

impl Question {
    /// All questions, those about the CRD as a whole first.
    pub const ALL: [Self; 16] = [
        Self::Gate,
        Self::Names,
        Self::Scope,
        Self::Served,
        Self::Storage,
        Self::Conversion,
        Self::Subresources,
        Self::Selectors,
        Self::Columns,
        Self::Accept,
        Self::Update,
        Self::Retain,
        Self::Mean,
        Self::Observe,
        Self::Own,
        Self::Round,
    ];

    /// Its name in reports and settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Names => "names",
            Self::Scope => "scope",
            Self::Served => "served",
            Self::Storage => "storage",
            Self::Conversion => "conversion",
            Self::Subresources => "subresources",
            Self::Selectors => "selectors",
            Self::Columns => "columns",
            Self::Accept => "accept",
            Self::Update => "update",
            Self::Retain => "retain",
            Self::Mean => "mean",
            Self::Observe => "observe",
            Self::Own => "own",
            Self::Round => "round",
        }
    }

    /// The question called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|question| question.name() == name)
    }

    /// What holds when the answer is safe.
    pub fn text(self) -> &'static str {
        match self {
            Self::Gate => "the API server takes the new CRD in place of the old",
            Self::Names => "it is still called the same",
            Self::Scope => "objects still belong to a namespace, or to none",
            Self::Served => "every version that was served still is",
            Self::Storage => "everything that is stored can still be read",
            Self::Conversion => "objects are converted between versions as before",
            Self::Subresources => "status and scale are still where they were",
            Self::Selectors => "objects can still be selected by the same fields",
            Self::Columns => "the same columns are still shown",
            Self::Accept => "every object that was accepted is still accepted",
            Self::Update => "every stored object can still be changed as before",
            Self::Retain => "every object keeps all of its fields",
            Self::Mean => "every stored object still means the same",
            Self::Observe => "every object that is possible now was possible before",
            Self::Own => "appliers still own what they owned",
            Self::Round => "an object is whole and valid in the other version",
        }
    }

    /// The code of findings against it.
    pub fn code(self) -> Code {
        match self {
            Self::Gate => compat::CRD_REFUSED,
            Self::Names => compat::NAMES_CHANGED,
            Self::Scope => compat::SCOPE_CHANGED,
            Self::Served => compat::VERSION_GONE,
            Self::Storage => compat::STORAGE_CHANGED,
            Self::Conversion => compat::CONVERSION_CHANGED,
            Self::Subresources => compat::SUBRESOURCE_CHANGED,
            Self::Selectors => compat::SELECTOR_GONE,
            Self::Columns => compat::COLUMN_CHANGED,
            Self::Accept => compat::OBJECT_REFUSED,
            Self::Update => compat::UPDATE_REFUSED,
            Self::Retain => compat::FIELD_LOST,
            Self::Mean => compat::DEFAULT_CHANGED,
            Self::Observe => compat::NEW_TO_READERS,
            Self::Own => compat::OWNERSHIP_CHANGED,
            Self::Round => compat::VERSIONS_DIFFER,
        }
    }

    /// Who is affected when the answer is no.
    pub fn affected(self) -> &'static str {
        match self {
            Self::Gate => "operators: the CRD cannot be updated",
            Self::Names | Self::Scope => "everybody: all clients and all stored objects",
            Self::Served => "writers and readers that use the version",
            Self::Storage => "stored objects",
            Self::Conversion => "everybody who uses more than one version",
            Self::Subresources => "controllers that write status, and autoscalers",
            Self::Selectors => "readers that list or watch by the field",
            Self::Columns => "people who read `kubectl get`, and scripts that parse it",
            Self::Accept => "writers: manifests, backups and GitOps",
            Self::Update => "controllers and people who change objects that are stored",
            Self::Retain => "stored objects, and writers who set the field",
            Self::Mean => "stored objects: they read differently without being written",
            Self::Observe => "readers and typed clients",
            Self::Own => "server-side appliers",
            Self::Round => "stored objects that are read and written in both versions",
        }
    }

    /// What to do about it.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Gate => {
                "undo it, or delete the CRD and create it anew, which deletes all objects"
            }
            Self::Names => "keep the old name beside the new one",
            Self::Scope => "keep it, or define a new kind",
            Self::Served => {
                "mark the version as deprecated first and stop serving it a release later"
            }
            Self::Storage => {
                "migrate stored objects and remove the version from status.storedVersions first"
            }
            Self::Conversion => {
                "check that objects survive the way from every version to every other"
            }
            Self::Subresources => "keep it, or change it together with a new version",
            Self::Selectors => "keep the field selectable",
            Self::Columns => "add columns at the end instead of changing those that are there",
            Self::Accept => "allow what was allowed, or change it in a new version of the API",
            Self::Update => "give the rule a way out for objects that break it already",
            Self::Retain => "keep the field and mark it as deprecated in its description",
            Self::Mean => "keep the default, and choose the new one where objects are created",
            Self::Observe => "see to it that readers know the new value before writers use it",
            Self::Own => "expect conflicts: let all appliers apply once with force",
            Self::Round => "add the field to both versions, or convert with a webhook",
        }
    }

    /// How much an answer other than safe matters.
    pub fn level(self) -> ReasonLevel {
        match self {
            Self::Conversion | Self::Columns | Self::Observe | Self::Own => ReasonLevel::Warning,
            _ => ReasonLevel::Error,
        }
    }
}
