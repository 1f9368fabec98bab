//! The types of object metadata, which no schema of a CRD describes.

use super::{ListKind, MemberType, ScalarKind, Type};
use crdkit_value::{Document, Value};
use std::sync::LazyLock;

/// A part of object metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meta {
    /// `metadata` itself.
    Object,
    /// `labels` and `annotations`.
    Texts,
    /// `finalizers`.
    Finalizers,
    /// `ownerReferences`.
    Owners,
    /// One of them.
    Owner,
    /// `managedFields`.
    Managers,
    /// One of them.
    Manager,
    /// A string.
    Text,
    /// A number.
    Number,
    /// A boolean.
    Boolean,
    /// A time.
    Time,
}

impl Meta {
    pub(super) fn scalar(self) -> Option<ScalarKind> {
        match self {
            Self::Text => Some(ScalarKind::String),
            Self::Number => Some(ScalarKind::Number),
            Self::Boolean => Some(ScalarKind::Boolean),
            Self::Time => Some(ScalarKind::Any),
            Self::Object
            | Self::Texts
            | Self::Finalizers
            | Self::Owners
            | Self::Owner
            | Self::Managers
            | Self::Manager => None,
        }
    }

    pub(super) fn list(self) -> Option<ListKind> {
        match self {
            Self::Finalizers => Some(ListKind::Set),
            Self::Owners => Some(ListKind::Map),
            Self::Managers => Some(ListKind::Atomic),
            _ => None,
        }
    }

    /// Whether it is an atomic map; none if it is no map.
    pub(super) fn is_map(self) -> Option<bool> {
        match self {
            Self::Object | Self::Texts | Self::Manager => Some(false),
            Self::Owner => Some(true),
            _ => None,
        }
    }

    pub(super) fn member(self, key: &str) -> Option<MemberType> {
        let ty = match (self, key) {
            (Self::Texts, _) => {
                return Some(MemberType::undeclared(Type::Meta(Self::Text)));
            }
            (Self::Object, "annotations" | "labels") => Self::Texts,
            (Self::Object, "finalizers") => Self::Finalizers,
            (Self::Object, "ownerReferences") => Self::Owners,
            (Self::Object, "creationTimestamp" | "deletionTimestamp") | (Self::Manager, "time") => {
                Self::Time
            }
            (Self::Object, "deletionGracePeriodSeconds" | "generation") => Self::Number,
            (
                Self::Object,
                "generateName" | "name" | "namespace" | "resourceVersion" | "selfLink" | "uid",
            )
            | (Self::Owner, "apiVersion" | "kind" | "name" | "uid")
            | (
                Self::Manager,
                "apiVersion" | "fieldsType" | "manager" | "operation" | "subresource",
            ) => Self::Text,
            (Self::Object, "managedFields") => Self::Managers,
            (Self::Manager, "fieldsV1") => {
                return Some(MemberType::declared(Type::Deduced));
            }
            (Self::Owner, "blockOwnerDeletion" | "controller") => Self::Boolean,
            _ => return None,
        };
        Some(MemberType::declared(Type::Meta(ty)))
    }

    pub(super) fn items(self) -> Type {
        match self {
            Self::Finalizers => Type::Meta(Self::Text),
            Self::Owners => Type::Meta(Self::Owner),
            Self::Managers => Type::Meta(Self::Manager),
            _ => Type::Atomic,
        }
    }

    /// The default of the member `key`: what tells owners apart is there, even if nobody says it.
    pub(super) fn default(self, key: &str) -> Option<Value<'static>> {
        static EMPTY: LazyLock<Document> = LazyLock::new(|| Document::object().with("uid", ""));
        match (self, key) {
            (Self::Owner, "uid") => EMPTY.root().get("uid"),
            _ => None,
        }
    }

    pub(super) fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Owners => &["uid"],
            _ => &[],
        }
    }
}
