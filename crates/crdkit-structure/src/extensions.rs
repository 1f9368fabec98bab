//! What schemas say beside their keywords: Kubernetes' extensions with types of their own, any other by name.
//!
//! Takes a schema and a place; gives what the schemas of that place say, whether or not it has to do with checking.

use crate::schema::Schema;
use crate::scope::Scope;
use crdkit_issue::FieldPath;
use crdkit_schema::compile::{ListType, Literal, Member, Node, Table, Union};
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Value};

/// The extensions of the schemas that apply to one place.
pub struct Extensions<'s> {
    table: &'s Table,
    nodes: Vec<&'s Node>,
}

/// One of `x-kubernetes-unions`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnionFields<'s> {
    /// The field whose value says which of the others is set.
    pub discriminator: Option<&'s str>,
    /// The fields, each with the value that stands for it.
    pub fields: Vec<(&'s str, &'s str)>,
}

/// How a list is merged by a strategic merge patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchStrategy {
    /// Item by item.
    Merge,
    /// Fields that a patch does not list are cleared.
    RetainKeys,
}

impl Schema {
    /// What the schemas of a place say besides; of items, any index will do.
    pub fn extensions(&self, path: &FieldPath) -> Extensions<'_> {
        let scope = Scope::new(self.compiled());
        let ids = path.segments().iter().fold(scope.root(), |ids, step| {
            let (nodes, text) = (scope.nodes(&ids), step.text());
            match (scope.member(&nodes, &text, false), text.parse()) {
                (Member::Known(ids), _) => ids,
                (_, Ok(index)) => nodes.item(index),
                _ => [].into(),
            }
        });
        Extensions { table: self.compiled().table(), nodes: scope.nodes(&ids).all().collect() }
    }
}

impl<'s> Extensions<'s> {
    /// What is written under `keyword`, which says nothing about values.
    pub fn get(&self, keyword: &str) -> Option<Document> {
        self.nodes.iter().find_map(|node| {
            let mut annotations = node.more()?.annotations.iter();
            let (_, id) = annotations.find(|(name, _)| self.table.name(*name) == keyword)?;
            Some(match self.table.literal(*id) {
                Literal::Null => Document::null(),
                Literal::Bool(bool) => Document::from(*bool),
                Literal::Int(int) => Document::from(*int),
                Literal::Float(float) => Document::from(*float),
                Literal::String(text) => Document::from(&**text),
                Literal::Tree(document) => document.as_ref().clone(),
            })
        })
    }

    fn text(&self, keyword: &str) -> Option<String> {
        self.get(keyword)?.root().as_str().map(str::to_owned)
    }

    /// `x-kubernetes-patch-strategy`.
    pub fn patch_strategy(&self) -> Vec<PatchStrategy> {
        let text = self.text("x-kubernetes-patch-strategy").unwrap_or_default();
        let named = |name: &str| match name {
            "merge" => Some(PatchStrategy::Merge),
            "retainKeys" => Some(PatchStrategy::RetainKeys),
            _ => None,
        };
        text.split(',').filter_map(named).collect()
    }

    /// `x-kubernetes-patch-merge-key`.
    pub fn patch_merge_key(&self) -> Option<String> {
        self.text("x-kubernetes-patch-merge-key")
    }

    /// `x-kubernetes-group-version-kind`; one map stands for a list of one.
    pub fn kinds(&self) -> Vec<GroupVersionKind> {
        let Some(document) = self.get("x-kubernetes-group-version-kind") else { return Vec::new() };
        let root = document.root();
        let kind = |it: Value<'_>| {
            let text = |key: &str| it.get(key).and_then(Value::as_str).unwrap_or_default().into();
            GroupVersionKind { group: text("group"), version: text("version"), kind: text("kind") }
        };
        match root.as_object() {
            Some(_) => vec![kind(root)],
            None => root.items().map(kind).collect(),
        }
    }

    /// `x-kubernetes-action`.
    pub fn action(&self) -> Option<String> {
        self.text("x-kubernetes-action")
    }

    /// `x-kubernetes-unions`.
    pub fn unions(&self) -> Vec<UnionFields<'s>> {
        let table = self.table;
        let union = |union: &'s Union| {
            let fields = union.fields.iter();
            let fields = fields.map(|(field, value)| (table.name(*field), table.name(*value)));
            let discriminator = union.discriminator.map(|name| table.name(name));
            UnionFields { discriminator, fields: fields.collect() }
        };
        let more = self.nodes.iter().filter_map(|node| node.more());
        more.flat_map(|more| &more.unions).map(union).collect()
    }

    /// `x-kubernetes-list-type`; atomic where nothing else is said.
    pub fn list_type(&self) -> ListType {
        let types = self.nodes.iter().map(|node| node.list_type);
        types.into_iter().find(|it| *it != ListType::Atomic).unwrap_or(ListType::Atomic)
    }

    /// `x-kubernetes-list-map-keys`.
    pub fn list_map_keys(&self) -> Vec<&'s str> {
        let names = self.nodes.iter().flat_map(|node| node.list_map_keys());
        names.map(|name| self.table.name(*name)).collect()
    }
}
