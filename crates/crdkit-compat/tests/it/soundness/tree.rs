//! Random schemas, as trees that can be changed in one place.
//!
//! Out come pairs of schemas that servers take. The second is mostly the first with a few edits, since
//! two schemas that have nothing in common break every object, and show nothing.

use super::keywords::{
    ANYTHING, BOOLEAN, EITHER, KEYS, LIST, LIST_TYPE, MAP, NUMBER, OBJECT, PRESERVE, TEXT, Table,
};
use crate::support::{crd, document};
use crdkit_schema::{check, read};
use proptest::prelude::*;
use proptest::sample::Index;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// A schema.
#[derive(Clone)]
pub(super) struct Tree {
    pub(super) kind: Kind,
    /// The keywords beside the type, with their values as YAML.
    pub(super) keywords: BTreeMap<&'static str, Cow<'static, str>>,
    pub(super) parts: BTreeMap<Part, Tree>,
}

/// What a schema is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Integer,
    Number,
    Boolean,
    Either,
    Anything,
    List,
    Object,
}

/// What is below a schema.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Field(&'static str),
    Others,
    Items,
}

/// An old and a new schema, and one of another version beside the new one.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) old: Tree,
    pub(super) new: Tree,
    pub(super) other: Option<Tree>,
}

impl Tree {
    pub(super) fn new(
        kind: Kind,
        keywords: &[(Index, Index)],
        parts: BTreeMap<Part, Self>,
    ) -> Self {
        let mut tree = Self { kind, keywords: BTreeMap::new(), parts };
        for (keyword, value) in keywords {
            tree.set(*keyword, *value);
        }
        tree
    }

    /// The keywords that it may have.
    fn table(&self) -> Table {
        match self.kind {
            Kind::Text => TEXT,
            Kind::Integer | Kind::Number => NUMBER,
            Kind::Boolean => BOOLEAN,
            Kind::Either => EITHER,
            Kind::Anything => ANYTHING,
            Kind::List => LIST,
            Kind::Object if self.parts.contains_key(&Part::Others) => MAP,
            Kind::Object => OBJECT,
        }
    }

    fn set(&mut self, keyword: Index, value: Index) {
        let (name, values) = keyword.get(self.table());
        self.keywords.insert(*name, (*value.get(values)).into());
    }

    /// All keywords in it, with their values.
    pub(super) fn all_keywords(&self) -> Vec<(&'static str, &str)> {
        let own = self.keywords.iter().map(|(name, value)| (*name, &**value));
        own.chain(self.parts.values().flat_map(Self::all_keywords)).collect()
    }

    /// Every schema of the tree in turn.
    fn each(&mut self, visit: &mut impl FnMut(&mut Self)) {
        visit(self);
        for part in self.parts.values_mut() {
            part.each(visit);
        }
    }

    /// Takes out what servers would refuse, as far as that is easy to see.
    fn mended(mut self) -> Self {
        self.each(&mut |tree| {
            let scalar = |tree: &Self| {
                !matches!(tree.kind, Kind::List | Kind::Object | Kind::Anything)
                    && !tree.keywords.contains_key("nullable")
            };
            if tree.keywords.get(LIST_TYPE).is_some_and(|it| it == "map") {
                tree.keywords.entry(KEYS).or_insert("[a]".into());
            } else {
                tree.keywords.remove(KEYS);
            }
            let keys: Vec<_> = ["a", "b"]
                .into_iter()
                .filter(|key| tree.keywords.get(KEYS).is_some_and(|keys| keys.contains(key)))
                .map(Part::Field)
                .collect();
            let Some(items) = tree.parts.get_mut(&Part::Items) else { return };
            let has_keys = !keys.is_empty()
                && items.kind == Kind::Object
                && keys.iter().all(|key| items.parts.get(key).is_some_and(scalar));
            if has_keys {
                items.keywords.remove("nullable");
                let open = |key: &Part| {
                    items.parts.get(key).is_some_and(|it| !it.keywords.contains_key("default"))
                };
                if keys.iter().any(open) {
                    let both = if keys.len() == 2 { "[a, b]" } else { "[a]" };
                    items.keywords.insert("required", both.into());
                }
            } else if !keys.is_empty() || tree.keywords.contains_key(LIST_TYPE) && !scalar(items) {
                tree.keywords.remove(LIST_TYPE);
                tree.keywords.remove(KEYS);
            }
        });
        self
    }

    /// Whether a server takes a CRD with this schema.
    fn is_accepted(&self) -> bool {
        let document = document(&crd(&format!("{self:?}")));
        let issues = check::create(&read::crd(document.root()).0);
        // The status is the server's to write.
        issues.iter().all(|issue| issue.path.to_string().starts_with("status"))
    }
}

/// The schema as YAML.
impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::Text => "{type: string",
            Kind::Integer => "{type: integer",
            Kind::Number => "{type: number",
            Kind::Boolean => "{type: boolean",
            Kind::Either => "{x-kubernetes-int-or-string: true",
            Kind::Anything => "{x-kubernetes-preserve-unknown-fields: true",
            Kind::List => "{type: array",
            Kind::Object => "{type: object",
        })?;
        for (keyword, value) in &self.keywords {
            write!(f, ", {keyword}: {value}")?;
        }
        let fields = self.parts.iter().filter_map(|(part, tree)| match part {
            Part::Field(name) => Some(format!("{name}: {tree:?}")),
            Part::Others | Part::Items => None,
        });
        let fields: Vec<_> = fields.collect();
        if !fields.is_empty() {
            write!(f, ", properties: {{{}}}", fields.join(", "))?;
        }
        if let Some(tree) = self.parts.get(&Part::Others) {
            write!(f, ", additionalProperties: {tree:?}")?;
        }
        if let Some(tree) = self.parts.get(&Part::Items) {
            write!(f, ", items: {tree:?}")?;
        }
        f.write_str("}")
    }
}

fn leaf() -> impl Strategy<Value = Tree> + Clone {
    let keywords = prop::collection::vec(any::<(Index, Index)>(), 0..4);
    let kind = prop_oneof![
        4 => Just(Kind::Text),
        2 => Just(Kind::Integer),
        1 => Just(Kind::Number),
        1 => Just(Kind::Boolean),
        1 => Just(Kind::Either),
        1 => Just(Kind::Anything),
    ];
    (kind, keywords).prop_map(|(kind, keywords)| Tree::new(kind, &keywords, BTreeMap::new()))
}

fn tree() -> impl Strategy<Value = Tree> {
    let keywords = || prop::collection::vec(any::<(Index, Index)>(), 0..4);
    leaf().prop_recursive(3, 12, 3, move |inner| {
        let list = (inner.clone(), keywords()).prop_map(|(items, keywords)| {
            Tree::new(Kind::List, &keywords, BTreeMap::from([(Part::Items, items)]))
        });
        let map = (inner.clone(), keywords()).prop_map(|(values, keywords)| {
            Tree::new(Kind::Object, &keywords, BTreeMap::from([(Part::Others, values)]))
        });
        let object =
            (prop::collection::vec(inner, 0..3), keywords()).prop_map(|(fields, keywords)| {
                let names = ["a", "b"].map(Part::Field);
                Tree::new(Kind::Object, &keywords, names.into_iter().zip(fields).collect())
            });
        prop_oneof![2 => list, 1 => map, 4 => object]
    })
}

/// A change of one schema of a tree.
#[derive(Clone, Debug)]
enum Edit {
    Replace(Tree),
    Set(Index, Index),
    Unset(Index),
    /// Names a field, or forgets its name.
    Rename,
    Add(Tree),
    Remove(Index),
}

fn edit() -> impl Strategy<Value = (Index, Edit)> {
    let edit = prop_oneof![
        1 => tree().prop_map(Edit::Replace),
        6 => any::<(Index, Index)>().prop_map(|(keyword, value)| Edit::Set(keyword, value)),
        3 => any::<Index>().prop_map(Edit::Unset),
        1 => Just(Edit::Rename),
        1 => tree().prop_map(Edit::Add),
        1 => any::<Index>().prop_map(Edit::Remove),
    ];
    (any::<Index>(), edit)
}

fn apply(tree: &mut Tree, (place, edit): &(Index, Edit)) {
    let mut count = 0;
    tree.each(&mut |_| count += 1);
    let mut left = Some(place.index(count));
    tree.each(&mut |tree| {
        if left == Some(0) {
            change_tree(tree, edit);
        }
        // Once it is done, nothing is left to count down.
        left = left.and_then(|left: usize| left.checked_sub(1));
    });
}

fn change_tree(tree: &mut Tree, edit: &Edit) {
    let field = Part::Field("a");
    match edit {
        Edit::Replace(new) => *tree = new.clone(),
        Edit::Set(keyword, value) => tree.set(*keyword, *value),
        Edit::Unset(keyword) => {
            let names: Vec<_> = tree.keywords.keys().copied().collect();
            if !names.is_empty() {
                tree.keywords.remove(keyword.get(&names));
            }
        }
        Edit::Rename => {
            if let Some(values) = tree.parts.remove(&Part::Others) {
                tree.parts.insert(field, values);
            } else if let Some(first) = tree.parts.remove(&field) {
                tree.parts = BTreeMap::from([(Part::Others, first)]);
                tree.keywords.remove(PRESERVE);
            }
        }
        Edit::Add(new) if tree.kind == Kind::Object && tree.parts.len() < 2 => {
            if !tree.parts.contains_key(&Part::Others) {
                let name = if tree.parts.contains_key(&field) { "b" } else { "a" };
                tree.parts.insert(Part::Field(name), new.clone());
            }
        }
        Edit::Remove(part) if tree.kind == Kind::Object => {
            let names: Vec<_> = tree.parts.keys().copied().collect();
            if !names.is_empty() {
                tree.parts.remove(part.get(&names));
            }
        }
        Edit::Add(_) | Edit::Remove(_) => {}
    }
}

/// Two schemas, and sometimes a third.
pub(super) fn pair() -> impl Strategy<Value = Pair> {
    let taken =
        || tree().prop_map(Tree::mended).prop_filter("servers take the schema", Tree::is_accepted);
    let edits = || prop::collection::vec(edit(), 1..4);
    let changed = |tree: &Tree, edits: &[(Index, Edit)]| {
        let mut tree = tree.clone();
        for edit in edits {
            apply(&mut tree, edit);
        }
        Some(tree.mended()).filter(Tree::is_accepted)
    };
    (taken(), edits(), prop::option::weighted(0.3, edits())).prop_filter_map(
        "servers take the changed schemas",
        move |(old, edits, others)| {
            let new = changed(&old, &edits)?;
            let other = match others {
                Some(edits) => Some(changed(&new, &edits)?),
                None => None,
            };
            Some(Pair { old, new, other })
        },
    )
}

/// An object with one field.
fn around(field: &Tree) -> Tree {
    let parts = BTreeMap::from([(Part::Field("a"), field.clone())]);
    Tree { kind: Kind::Object, keywords: BTreeMap::new(), parts }.mended()
}

/// Two schemas of a field as a pair, if servers take them.
pub(super) fn taken(old: &Tree, new: &Tree) -> Option<Pair> {
    let (old, new) = (around(old), around(new));
    (old.is_accepted() && new.is_accepted()).then_some(Pair { old, new, other: None })
}

/// A schema of the same kind as one of [`focuses`].
fn of_kind(focus: &Tree) -> impl Strategy<Value = Tree> + use<> {
    let (kind, has_others) = (focus.kind, focus.parts.contains_key(&Part::Others));
    let keywords = prop::collection::vec(any::<(Index, Index)>(), 0..3);
    let parts = prop::collection::vec(prop_oneof![2 => leaf().boxed(), 1 => tree().boxed()], 2);
    (keywords, parts).prop_map(move |(keywords, parts)| {
        let names = match kind {
            Kind::List => vec![Part::Items],
            Kind::Object if has_others => vec![Part::Others],
            Kind::Object => vec![Part::Field("a"), Part::Field("b")],
            _ => Vec::new(),
        };
        Tree::new(kind, &keywords, names.into_iter().zip(parts).collect())
    })
}

/// Every kind of schema with every keyword that it may have.
pub(super) fn focuses() -> Vec<(Tree, &'static str)> {
    let scalars = [
        Kind::Text,
        Kind::Integer,
        Kind::Number,
        Kind::Boolean,
        Kind::Either,
        Kind::Anything,
        Kind::List,
        Kind::Object,
    ];
    let mut kinds: Vec<_> = scalars.map(|kind| Tree::new(kind, &[], BTreeMap::new())).into();
    let text = Tree::new(Kind::Text, &[], BTreeMap::new());
    kinds.push(Tree::new(Kind::Object, &[], BTreeMap::from([(Part::Others, text)])));
    let with_keywords = |tree: Tree| {
        tree.table().iter().map(move |(name, _)| (tree.clone(), *name)).collect::<Vec<_>>()
    };
    kinds.into_iter().flat_map(with_keywords).collect()
}

/// Two schemas that differ in one keyword above all, which the first has or has not, and the second has or has not.
pub(super) fn focused((focus, name): &(Tree, &'static str)) -> impl Strategy<Value = Pair> + use<> {
    let name = *name;
    let rows = focus.table().iter().filter(|(known, _)| *known == name);
    let values: Vec<&'static str> = rows.flat_map(|(_, values)| values.iter().copied()).collect();
    let value = || prop::option::weighted(0.8, prop::sample::select(values.clone()));
    let more = prop::collection::vec(any::<(Index, Index)>(), 0..2);
    (of_kind(focus), value(), value(), more).prop_filter_map(
        "servers take the schemas",
        move |(field, before, after, more)| {
            let with = |mut tree: Tree, value: Option<&'static str>| {
                match value {
                    Some(value) => tree.keywords.insert(name, value.into()),
                    None => tree.keywords.remove(name),
                };
                tree
            };
            let old = with(field, before);
            let mut new = old.clone();
            for (keyword, value) in &more {
                new.set(*keyword, *value);
            }
            taken(&old, &with(new, after))
        },
    )
}

/// Two schemas of one field that differ in its keywords alone, so that a single proof decides.
pub(super) fn single() -> impl Strategy<Value = Pair> {
    let keywords = || prop::collection::vec(any::<(Index, Index)>(), 0..3);
    let list = (leaf(), keywords()).prop_map(|(items, keywords)| {
        Tree::new(Kind::List, &keywords, BTreeMap::from([(Part::Items, items)]))
    });
    let object =
        keywords().prop_map(|keywords| Tree::new(Kind::Object, &keywords, BTreeMap::new()));
    let field = prop_oneof![6 => leaf(), 1 => list, 1 => object];
    let change = prop_oneof![
        3 => any::<(Index, Index)>().prop_map(|(keyword, value)| Edit::Set(keyword, value)),
        1 => any::<Index>().prop_map(Edit::Unset),
    ];
    (field, prop::collection::vec(change, 1..3)).prop_filter_map(
        "servers take the schemas",
        move |(field, edits)| {
            let mut new = field.clone();
            for edit in &edits {
                change_tree(&mut new, edit);
            }
            taken(&field, &new)
        },
    )
}
