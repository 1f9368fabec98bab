//! Objects as their schema sees them: what of a value is one leaf, what is merged member by member, and by what
//! items of lists are told apart.
//!
//! [`Schema`] is the schema of whole objects in a compiled table; [`Type`] is the type of one value in them. A type has
//! up to three [`Shape`]s, of which the value decides. The walks over typed values are modules of their own.
//!
//! Walks recurse once per level of a value; what is deeper than [`MAX_DEPTH`] is a leaf.
//!
//! Upstream: `structured-merge-diff/typed`, `kube-openapi/pkg/schemaconv`.

mod compare;
mod fields;
mod fits;
mod item;
mod merge;
mod metadata;
mod named;
mod owns;
mod problem;
mod reconcile;
mod remove;
mod same;
mod validate;

pub(crate) use compare::{Comparison, compare};
pub(crate) use fields::fields;
pub(crate) use item::elements;
pub(crate) use merge::{Merged, merge};
pub(crate) use named::own_named;
pub(crate) use owns::owns;
pub(crate) use problem::{TypeProblem, text as problems_text};
pub(crate) use reconcile::{is_current, reconcile};
pub(crate) use remove::{extract, remove};
pub(crate) use same::is_same;
pub(crate) use validate::{Repeats, validate};

use crate::definitions::{Definitions, MapRow, RowId, TypeRef};
use crdkit_schema::compile::{Additional, Flags, Id, ListType, Node, Plain, Table, Types};
use crdkit_value::{Tag, Value};
use metadata::Meta;
use std::sync::LazyLock;

/// The schema of objects, as field managers see it.
#[derive(Clone, Copy, Debug)]
pub struct Schema<'t> {
    table: &'t Table,
    definitions: &'t Definitions,
    root: Type,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// What a definition says.
    Definition(RowId),
    /// What a schema says, and whether one around it keeps unknown members.
    Schema(Id, bool),
    /// A part of object metadata.
    Meta(Meta),
    /// Nothing is said: objects are merged member by member, arrays are leaves.
    Deduced,
    /// Nothing is said, and everything is one leaf.
    Atomic,
}

/// What a type says about values of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A leaf of this kind.
    Scalar(ScalarKind),
    /// A list.
    List(ListKind),
    /// A map or a structure; atomic or not.
    Map {
        /// Whether it is one leaf.
        atomic: bool,
    },
}

/// What a scalar must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScalarKind {
    Number,
    String,
    Boolean,
    Any,
}

/// How items of a list are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    /// Not at all: the list is one leaf.
    Atomic,
    /// By value.
    Set,
    /// By some of their members.
    Map,
}

/// The type of a member, and whether it is one of the fields that a structure declares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemberType {
    pub(crate) ty: Type,
    pub(crate) is_declared: bool,
    /// Values that are leaves, and right, without a further look at the type.
    pub(crate) plain: Plain,
}

impl MemberType {
    /// A field that a structure declares.
    fn declared(ty: Type) -> Self {
        Self { ty, is_declared: true, plain: Plain::default() }
    }

    /// Any other member.
    fn undeclared(ty: Type) -> Self {
        Self { ty, is_declared: false, plain: Plain::default() }
    }
}

/// What a compiled schema is beside.
static NO_DEFINITIONS: LazyLock<Definitions> = LazyLock::new(Definitions::default);

/// Deeper values are leaves.
pub(crate) const MAX_DEPTH: usize = 500;

impl<'t> Schema<'t> {
    /// The schema `root` of `table`; `preserves` says that unknown members are kept everywhere. Without a schema
    /// nothing is known about objects.
    pub fn new(table: &'t Table, root: Option<Id>, preserves: bool) -> Self {
        let root = root.map_or(Type::Deduced, |root| Type::Schema(root, preserves));
        Self { table, definitions: &NO_DEFINITIONS, root }
    }

    /// The definition called `name`, if there is one.
    pub fn of_definition(definitions: &'t Definitions, name: &str) -> Option<Self> {
        let root = Type::Definition(definitions.named(name)?);
        Some(Self { table: Table::empty(), definitions, root })
    }

    /// The definition of a kind, if there is one.
    pub fn of_kind(definitions: &'t Definitions, api_version: &str, kind: &str) -> Option<Self> {
        let root = Type::Definition(definitions.kind(api_version, kind)?);
        Some(Self { table: Table::empty(), definitions, root })
    }

    pub(crate) fn definitions(&self) -> &'t Definitions {
        self.definitions
    }

    fn map_row(&self, id: RowId) -> Option<&'t MapRow> {
        self.definitions.row(id)?.map.as_ref()
    }

    /// The type of whole objects.
    pub(crate) fn root(&self) -> Type {
        self.root
    }

    #[inline]
    fn node(&self, id: Id) -> &'t Node {
        let node = self.table.node(id);
        if node.more().is_none() { node } else { self.table.node(self.table.resolve(id)) }
    }

    /// What `ty` says about `value`; about `null`, and about what it does not allow, the first of what it
    /// says about objects, scalars and arrays.
    #[inline]
    pub(crate) fn shape(&self, ty: Type, value: Option<Value<'_>>) -> Shape {
        let of_kind = value.and_then(|value| match value.tag() {
            Tag::Null => None,
            Tag::Array => self.list(ty).map(Shape::List),
            Tag::Object => self.map(ty),
            _ => self.scalar(ty).map(Shape::Scalar),
        });
        let first = || {
            let scalar = || self.scalar(ty).map(Shape::Scalar);
            self.map(ty).or_else(scalar).or_else(|| self.list(ty).map(Shape::List))
        };
        of_kind.or_else(first).unwrap_or(Shape::Scalar(ScalarKind::Any))
    }

    /// What it says about scalars, if they are allowed.
    #[inline]
    fn scalar(&self, ty: Type) -> Option<ScalarKind> {
        let id = match ty {
            Type::Schema(id, _) => id,
            Type::Definition(id) => return self.definitions.row(id)?.scalar,
            Type::Meta(meta) => return meta.scalar(),
            Type::Deduced | Type::Atomic => return Some(ScalarKind::Any),
        };
        let node = self.node(id);
        match node.types {
            Types::Object | Types::Array => None,
            Types::Integer | Types::Number => Some(ScalarKind::Number),
            Types::Boolean => Some(ScalarKind::Boolean),
            Types::String => Some(match node.more().and_then(|more| more.format) {
                Some(format) if self.table.name(format) != "byte" => ScalarKind::Any,
                _ => ScalarKind::String,
            }),
            Types::Any | Types::IntOrString | Types::Other(_) => Some(ScalarKind::Any),
        }
    }

    /// What it says about arrays, if they are allowed.
    #[inline]
    pub(crate) fn list(&self, ty: Type) -> Option<ListKind> {
        let id = match ty {
            Type::Schema(id, _) => id,
            Type::Definition(id) => {
                return self.definitions.row(id)?.list.as_ref().map(|list| list.kind);
            }
            Type::Meta(meta) => return meta.list(),
            Type::Deduced | Type::Atomic => return Some(ListKind::Atomic),
        };
        let node = self.node(id);
        if !matches!(node.types, Types::Array | Types::Any | Types::IntOrString) {
            return None;
        }
        Some(match node.list_type {
            ListType::Atomic => ListKind::Atomic,
            ListType::Map if !node.list_map_keys().is_empty() => ListKind::Map,
            ListType::Set | ListType::Map => ListKind::Set,
        })
    }

    /// What it says about objects, if they are allowed.
    #[inline]
    fn map(&self, ty: Type) -> Option<Shape> {
        let atomic = match ty {
            Type::Schema(id, _) => {
                let node = self.node(id);
                if !matches!(node.types, Types::Object | Types::Any | Types::IntOrString) {
                    return None;
                }
                node.has(Flags::ATOMIC_MAP)
            }
            Type::Definition(id) => self.map_row(id)?.atomic,
            Type::Meta(meta) => meta.is_map()?,
            Type::Deduced => false,
            Type::Atomic => true,
        };
        Some(Shape::Map { atomic })
    }

    /// The type of the member `key` of an object; none if there may be none.
    pub(crate) fn member(&self, ty: Type, key: &str) -> Option<MemberType> {
        let (id, keeps) = match ty {
            Type::Schema(id, keeps) => (id, keeps),
            Type::Definition(id) => {
                let map = self.map_row(id)?;
                return match map.field(key) {
                    Some(field) => Some(MemberType::declared(field.of.into())),
                    None => Some(MemberType::undeclared(map.element?.into())),
                };
            }
            Type::Meta(meta) => return meta.member(key),
            other => return Some(MemberType::undeclared(other)),
        };
        let node = self.node(id);
        let keeps = keeps || node.has(Flags::PRESERVE);
        if node.is_resource() {
            match key {
                "apiVersion" | "kind" => return Some(MemberType::declared(Type::Meta(Meta::Text))),
                "metadata" => return Some(MemberType::declared(Type::Meta(Meta::Object))),
                _ => {}
            }
        }
        if let Some(field) = node.fields.find(self.table, key) {
            let ty = Type::Schema(field.schema, keeps);
            return Some(MemberType { ty, is_declared: true, plain: field.plain });
        }
        Self::undeclared(node, keeps).map(MemberType::undeclared)
    }

    /// The type of members that are not declared; none if there may be none.
    fn undeclared(node: &Node, keeps: bool) -> Option<Type> {
        match node.additional {
            Additional::Schema(id) => Some(Type::Schema(id, keeps)),
            Additional::Allowed(true) => Some(Type::Deduced),
            Additional::Allowed(false) => None,
            Additional::Absent => {
                let says_nothing = node.fields.is_empty() && !node.is_resource();
                (keeps || says_nothing).then_some(Type::Deduced)
            }
        }
    }

    /// Whether nothing is said about the members of objects, so that what is known about them is what is there.
    pub(crate) fn is_deduced(&self, ty: Type) -> bool {
        match ty {
            Type::Schema(id, keeps) => {
                let node = self.node(id);
                let keeps = keeps || node.has(Flags::PRESERVE);
                node.fields.is_empty()
                    && !node.is_resource()
                    && Self::undeclared(node, keeps) == Some(Type::Deduced)
            }
            Type::Definition(id) => self
                .map_row(id)
                .is_some_and(|map| map.fields.is_empty() && map.element == Some(TypeRef::Deduced)),
            Type::Deduced => true,
            Type::Meta(_) | Type::Atomic => false,
        }
    }

    /// Whether values are amounts: quantities, and what is a number or a text.
    pub(crate) fn is_amount(&self, ty: Type) -> bool {
        const NAMES: [&str; 2] = [
            "io.k8s.apimachinery.pkg.api.resource.Quantity",
            "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
        ];
        match ty {
            Type::Schema(id, _) => self.node(id).types == Types::IntOrString,
            Type::Definition(id) => {
                NAMES.iter().any(|name| self.definitions.named(name) == Some(id))
            }
            Type::Meta(_) | Type::Deduced | Type::Atomic => false,
        }
    }

    /// The type of the items of a list.
    #[inline]
    pub(crate) fn items(&self, ty: Type) -> Type {
        match ty {
            Type::Schema(id, keeps) => {
                let node = self.node(id);
                let keeps = keeps || node.has(Flags::PRESERVE);
                node.items.map_or(Type::Atomic, |items| Type::Schema(items, keeps))
            }
            Type::Definition(id) => {
                let list = self.definitions.row(id).and_then(|row| row.list.as_ref());
                list.map_or(Type::Atomic, |list| list.items.into())
            }
            Type::Meta(meta) => meta.items(),
            Type::Deduced | Type::Atomic => Type::Atomic,
        }
    }

    /// The members that tell items of a list apart, as written.
    pub(crate) fn keys(&self, ty: Type) -> impl ExactSizeIterator<Item = &'t str> {
        let names = match ty {
            Type::Schema(id, _) => self.node(id).list_map_keys(),
            _ => &[],
        };
        let own: &'static [&'static str] = match ty {
            Type::Meta(meta) => meta.keys(),
            _ => &[],
        };
        let rows: &'t [Box<str>] = match ty {
            Type::Definition(id) => {
                let list = self.definitions.row(id).and_then(|row| row.list.as_ref());
                list.map_or(&[], |list| &list.keys)
            }
            _ => &[],
        };
        let table = self.table;
        let n = names.len() + own.len() + rows.len();
        (0..n).map(move |at| match (names.get(at), own.get(at)) {
            (Some(name), _) => table.name(*name),
            (None, Some(name)) => name,
            (None, None) => rows.get(at).map_or("", |name| name),
        })
    }

    /// The one member that tells items of a list apart, if it is one.
    pub(crate) fn only_key(&self, ty: Type) -> Option<&'t str> {
        if let Type::Schema(id, _) = ty {
            return match self.node(id).list_map_keys() {
                [name] => Some(self.table.name(*name)),
                _ => None,
            };
        }
        let mut keys = self.keys(ty);
        keys.next().filter(|_| keys.len() == 0)
    }

    /// The default of the member `key` of objects of type `ty`.
    pub(crate) fn default(&self, ty: Type, key: &str) -> Option<Value<'t>> {
        let id = match ty {
            Type::Schema(id, _) => id,
            Type::Definition(id) => {
                let default = self.map_row(id)?.field(key)?.default.as_ref()?.root();
                return Some(default).filter(|value| !value.is_null());
            }
            Type::Meta(meta) => return meta.default(key),
            Type::Deduced | Type::Atomic => return None,
        };
        let node = self.node(id);
        let field = self.node(node.fields.get(self.table, key)?);
        self.table.default_value(field.default?).filter(|value| !value.is_null())
    }
}

impl From<TypeRef> for Type {
    fn from(of: TypeRef) -> Self {
        match of {
            TypeRef::Row(id) => Self::Definition(id),
            TypeRef::Deduced => Self::Deduced,
            TypeRef::Atomic => Self::Atomic,
        }
    }
}
