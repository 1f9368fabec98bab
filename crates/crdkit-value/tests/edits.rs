//! Random edits of a document against the same edits of a plain tree; order and hash of values.
#![expect(clippy::unwrap_used, reason = "tests")]

use crdkit_issue::{FieldPath, Segment};
use crdkit_value::{Document, Kind, MemberIndex, NewValue, NodeId, Value};
use proptest::prelude::*;
use proptest::sample::Index;
use std::cmp::Ordering;
use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};

/// A value as the plainest of trees. Each has the id of the value that it stands for.
#[derive(Clone, Debug)]
struct Model {
    id: NodeId,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    Scalar(String),
    Array(Vec<Model>),
    Object(Vec<(String, Model)>),
}

impl Model {
    fn of(value: Value<'_>) -> Self {
        let shape = match value.kind() {
            Kind::Array(items) => Shape::Array(items.map(Self::of).collect()),
            Kind::Object(members) => {
                let member = |(key, value): (&str, Value<'_>)| (key.to_owned(), Self::of(value));
                Shape::Object(members.map(member).collect())
            }
            _ => Shape::Scalar(format!("{value:?}")),
        };
        Self { id: value.id(), shape }
    }

    fn text(&self, out: &mut String) {
        match &self.shape {
            Shape::Scalar(text) => out.push_str(text),
            Shape::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { ", " } else { "" });
                    item.text(out);
                }
                out.push(']');
            }
            Shape::Object(members) => {
                out.push('{');
                for (at, (key, member)) in members.iter().enumerate() {
                    let _ = write!(out, "{}{key:?}: ", if at > 0 { ", " } else { "" });
                    member.text(out);
                }
                out.push('}');
            }
        }
    }

    fn children(&self) -> Vec<&Model> {
        match &self.shape {
            Shape::Scalar(_) => Vec::new(),
            Shape::Array(items) => items.iter().collect(),
            Shape::Object(members) => members.iter().map(|(_, member)| member).collect(),
        }
    }

    fn ids(&self) -> Vec<NodeId> {
        std::iter::once(self.id).chain(self.children().into_iter().flat_map(Self::ids)).collect()
    }

    fn find(&mut self, id: NodeId) -> Option<&mut Model> {
        if self.id == id {
            return Some(self);
        }
        match &mut self.shape {
            Shape::Scalar(_) => None,
            Shape::Array(items) => items.iter_mut().find_map(|item| item.find(id)),
            Shape::Object(members) => members.iter_mut().find_map(|(_, member)| member.find(id)),
        }
    }

    /// Takes the value `id` out of the tree.
    fn detach(&mut self, id: NodeId) -> Option<Model> {
        match &mut self.shape {
            Shape::Scalar(_) => None,
            Shape::Array(items) => match items.iter().position(|item| item.id == id) {
                Some(at) => Some(items.remove(at)),
                None => items.iter_mut().find_map(|item| item.detach(id)),
            },
            Shape::Object(members) => match members.iter().position(|(_, it)| it.id == id) {
                Some(at) => Some(members.remove(at).1),
                None => members.iter_mut().find_map(|(_, member)| member.detach(id)),
            },
        }
    }
}

/// Where the new value of an edit comes from.
#[derive(Clone, Debug)]
enum Given {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Number,
    String(String),
    EmptyArray,
    EmptyObject,
    Other,
    Copied(Index),
    Moved(Index),
}

#[derive(Clone, Debug)]
enum Edit {
    Remove(Index),
    Take(Index),
    Rename(Index, String),
    Set(Index, Given),
    Insert(Index, String, Given),
    Push(Index, Given),
    InsertItem(Index, Index, Given),
    Stale(Index),
    Compact,
}

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "d.e", "0", ""]).prop_map(str::to_owned)
}

fn given() -> impl Strategy<Value = Given> {
    let index = any::<Index>;
    prop_oneof![
        1 => Just(Given::Null),
        1 => any::<bool>().prop_map(Given::Bool),
        1 => any::<i64>().prop_map(Given::Int),
        1 => (-1e9..1e9).prop_map(Given::Float),
        1 => Just(Given::Number),
        1 => "[a-z]{0,4}".prop_map(Given::String),
        2 => Just(Given::EmptyArray),
        2 => Just(Given::EmptyObject),
        2 => Just(Given::Other),
        3 => index().prop_map(Given::Copied),
        4 => index().prop_map(Given::Moved),
    ]
}

fn edit() -> impl Strategy<Value = Edit> {
    let index = any::<Index>;
    prop_oneof![
        2 => index().prop_map(Edit::Remove),
        1 => index().prop_map(Edit::Take),
        1 => (index(), key()).prop_map(|(id, key)| Edit::Rename(id, key)),
        4 => (index(), given()).prop_map(|(id, given)| Edit::Set(id, given)),
        6 => (index(), key(), given()).prop_map(|(id, key, given)| Edit::Insert(id, key, given)),
        6 => (index(), given()).prop_map(|(id, given)| Edit::Push(id, given)),
        6 => (index(), index(), given()).prop_map(|(id, at, given)| Edit::InsertItem(id, at, given)),
        2 => index().prop_map(Edit::Stale),
        1 => Just(Edit::Compact),
    ]
}

/// `{"x": [1, {"y": "text"}], "z": {}}`.
fn other() -> Document {
    let inner = Document::object().with("y", "text");
    let mut list = Document::array_of([1]);
    list.push(NodeId::ROOT, &inner);
    Document::object().with("x", &list).with("z", NewValue::EmptyObject)
}

/// A document and what it should be.
struct Pair {
    document: Document,
    model: Model,
    /// Ids that were given out and are no longer in the document.
    stale: Vec<NodeId>,
}

impl Pair {
    fn pick(&self, index: Index) -> NodeId {
        let ids = self.model.ids();
        *index.get(&ids)
    }

    /// Applies an edit that gives `at` a new value: `change` to the document, `put` to what the tree has at
    /// `at`; `fits` says whether there is such a place in it, apart from what is moved away.
    fn give(
        &mut self,
        at: NodeId,
        is_set: bool,
        given: &Given,
        change: impl Fn(&mut Document, NewValue<'_>) -> Option<NodeId>,
        fits: impl Fn(&Model, Option<NodeId>) -> bool,
        put: impl FnOnce(&mut Model, Model),
    ) -> Result<(), TestCaseError> {
        let other = other();
        let new = match given {
            Given::Null => NewValue::Null,
            Given::Bool(bool) => (*bool).into(),
            Given::Int(int) => (*int).into(),
            Given::Float(float) => (*float).into(),
            Given::Number => NewValue::Number("1.50"),
            Given::String(text) => text.into(),
            Given::EmptyArray => NewValue::EmptyArray,
            Given::EmptyObject => NewValue::EmptyObject,
            Given::Other => other.root().get("x").unwrap().into(),
            Given::Copied(index) => NewValue::CopyOfId(self.pick(*index)),
            Given::Moved(index) => NewValue::Moved(self.pick(*index)),
        };
        let moved = match new {
            NewValue::Moved(id) => Some(id),
            _ => None,
        };
        let is_around = moved.is_some_and(|id| self.model.find(id).unwrap().ids().contains(&at));
        let has_place = fits(self.model.find(at).unwrap(), moved);
        let before = format!("{:?}", self.document);
        let is_no_change = moved == Some(at) && is_set;
        let literal = match new {
            NewValue::Moved(_) => None,
            NewValue::CopyOfId(id) => Some(Document::copy_of(self.document.value(id))),
            new => Some(Document::from(new)),
        };
        let id = change(&mut self.document, new);
        prop_assert_eq!(
            id.is_some(),
            has_place && (!is_around || is_no_change),
            "{} {:?}",
            before,
            new
        );
        let Some(id) = id else { return Ok(()) };
        if moved == Some(at) {
            return Ok(());
        }
        let mut value = match moved {
            Some(moved) => self.model.detach(moved).unwrap(),
            None => Model::of(literal.unwrap().root()),
        };
        // Inside a copy ids are new; what was moved keeps them.
        if moved.is_none() {
            let (mut text, mut expected) = (String::new(), String::new());
            value.text(&mut expected);
            value = Model::of(self.document.value(id));
            value.text(&mut text);
            prop_assert_eq!(text, expected);
        } else if id != value.id {
            // Its content is in place of another.
            self.stale.push(value.id);
            value.id = id;
        }
        put(self.model.find(at).unwrap(), value);
        Ok(())
    }

    fn apply(&mut self, edit: &Edit) -> Result<(), TestCaseError> {
        match edit {
            Edit::Remove(index) => {
                let id = self.pick(*index);
                self.document.remove(id);
                if let Some(removed) = self.model.detach(id) {
                    self.stale.extend(removed.ids());
                }
            }
            Edit::Take(index) => {
                let id = self.pick(*index);
                let copy = Document::copy_of(self.document.value(id));
                prop_assert_eq!(self.document.take(id), copy);
                if let Some(removed) = self.model.detach(id) {
                    self.stale.extend(removed.ids());
                } else {
                    self.model.shape = Shape::Scalar("null".into());
                }
            }
            Edit::Rename(index, key) => {
                let id = self.pick(*index);
                let done = self.document.rename(id, key);
                let of = |model: &Model| matches!(&model.shape, Shape::Object(members) if members.iter().any(|(_, it)| it.id == id));
                let parent =
                    self.model.ids().into_iter().find(|it| of(self.model.find(*it).unwrap()));
                prop_assert_eq!(done, parent.is_some());
                if let Some(parent) = parent
                    && let Shape::Object(members) = &mut self.model.find(parent).unwrap().shape
                {
                    members.retain(|(other, member)| other != key || member.id == id);
                    for (name, member) in members {
                        if member.id == id {
                            name.clone_from(key);
                        }
                    }
                }
            }
            Edit::Set(index, given) => {
                let at = self.pick(*index);
                let old = self.model.find(at).unwrap().ids().split_off(1);
                let change = |document: &mut Document, new: NewValue<'_>| document.set(at, new);
                self.give(
                    at,
                    true,
                    given,
                    change,
                    |_, _| true,
                    |model, value| model.shape = value.shape,
                )?;
                let now = self.model.ids();
                self.stale.extend(old.into_iter().filter(|id| !now.contains(id)));
            }
            Edit::Insert(index, key, given) => {
                let at = self.pick(*index);
                let change =
                    |document: &mut Document, new: NewValue<'_>| document.insert(at, key, new);
                let fits = |model: &Model, _| matches!(model.shape, Shape::Object(_));
                self.give(at, false, given, change, fits, |model, value| {
                    let Shape::Object(members) = &mut model.shape else { return };
                    members.retain(|(other, _)| other != key);
                    members.push((key.clone(), value));
                })?;
            }
            Edit::Push(index, given) => {
                let at = self.pick(*index);
                let change = |document: &mut Document, new: NewValue<'_>| document.push(at, new);
                let fits = |model: &Model, _| matches!(model.shape, Shape::Array(_));
                self.give(at, false, given, change, fits, |model, value| {
                    let Shape::Array(items) = &mut model.shape else { return };
                    items.push(value);
                })?;
            }
            Edit::InsertItem(index, place, given) => {
                let at = self.pick(*index);
                // Sometimes one too far.
                let place = place.index(self.document.value(at).items().len() + 2);
                let change = |document: &mut Document, new: NewValue<'_>| {
                    document.insert_item(at, place, new)
                };
                let fits = |model: &Model, moved| match &model.shape {
                    Shape::Array(items) => {
                        place <= items.iter().filter(|item| Some(item.id) != moved).count()
                    }
                    _ => false,
                };
                self.give(at, false, given, change, fits, |model, value| {
                    let Shape::Array(items) = &mut model.shape else { return };
                    items.insert(place, value);
                })?;
            }
            // What is no longer in the document can be changed without harm to it.
            Edit::Stale(index) if !self.stale.is_empty() => {
                let now = self.model.ids();
                let id = *index.get(&self.stale);
                if !now.contains(&id) {
                    self.document.remove(id);
                }
            }
            Edit::Stale(_) => {}
            Edit::Compact => {
                self.document.compact();
                let mut text = String::new();
                self.model.text(&mut text);
                self.model = Model::of(self.document.root());
                self.stale.clear();
                prop_assert_eq!(format!("{:?}", self.document), text);
                let n_nodes = self.model.ids().len();
                prop_assert_eq!(self.document.n_nodes(), n_nodes);
            }
        }
        Ok(())
    }

    fn check(&self, edit: &Edit) -> Result<(), TestCaseError> {
        let mut expected = String::new();
        self.model.text(&mut expected);
        prop_assert_eq!(format!("{:?}", self.document), expected, "after {:?}", edit);
        let ids: Vec<_> = self.document.root().ids().collect();
        prop_assert_eq!(&ids, &self.model.ids(), "ids after {:?}", edit);
        let mut compacted = self.document.clone();
        compacted.compact();
        prop_assert_eq!(&compacted, &self.document);
        for id in ids {
            let value = self.document.value(id);
            prop_assert_eq!(value.items().len(), value.items().count());
            prop_assert_eq!(value.members().len(), value.members().count());
            let path = value.path();
            prop_assert_eq!(self.document.find(&path).map(Value::id), Some(id));
            let pointer = self.document.root().pointer(&path.pointer());
            prop_assert_eq!(pointer.map(Value::id), Some(id));
            let beyond = path.clone().field("none").index(7);
            prop_assert_eq!(self.document.root().nearest(&beyond).id(), id);
            let index = MemberIndex::new(value);
            for (key, member) in value.members() {
                prop_assert_eq!(index.get(key).map(Value::id), Some(member.id()));
            }
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edits_do_what_they_do_to_a_plain_tree(edits in prop::collection::vec(edit(), 1..24)) {
        let document = other();
        let model = Model::of(document.root());
        let mut pair = Pair { document, model, stale: Vec::new() };
        for edit in &edits {
            pair.apply(edit)?;
            pair.check(edit)?;
        }
    }

    #[test]
    fn order_is_total_and_agrees_with_equality_and_hash(values in prop::array::uniform3(value())) {
        let hasher = RandomState::new();
        let [a, b, c] = values.each_ref().map(Document::root);
        for (left, right) in [(a, b), (b, c), (a, c), (a, a)] {
            prop_assert_eq!(left.cmp(&right), right.cmp(&left).reverse());
            prop_assert_eq!(left.cmp(&right) == Ordering::Equal, left == right);
            if left == right {
                prop_assert_eq!(hasher.hash_one(left), hasher.hash_one(right));
            }
            if left.is_identical(right) {
                prop_assert_eq!(left, right);
            }
        }
        if a <= b && b <= c {
            prop_assert!(a <= c, "{a:?} {b:?} {c:?}");
        }
        let shuffled = reversed(a);
        prop_assert_eq!(a, shuffled.root());
        prop_assert!(a.is_identical(shuffled.root()));
        prop_assert_eq!(hasher.hash_one(a), hasher.hash_one(shuffled.root()));
    }
}

/// Small values, often equal.
fn value() -> impl Strategy<Value = Document> {
    let scalar = prop_oneof![
        Just(Document::null()),
        any::<bool>().prop_map(Document::from),
        prop::sample::select(vec![0, 1, -1, i64::MAX, i64::MIN, 1 << 53, (1 << 53) + 1])
            .prop_map(Document::from),
        prop::sample::select(vec![
            0.0,
            -0.0,
            1.0,
            0.5,
            -1.5,
            9_007_199_254_740_992.0,
            9_223_372_036_854_775_808.0,
            -9_223_372_036_854_775_808.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ])
        .prop_map(Document::from),
        prop::sample::select(vec!["1", "1.0"]).prop_map(|it| Document::from(NewValue::Number(it))),
        prop::sample::select(vec!["", "1", "a", "b"]).prop_map(Document::from),
    ];
    scalar.prop_recursive(3, 12, 3, |inner| {
        let members = prop::collection::vec((key(), inner.clone()), 0..3);
        prop_oneof![
            prop::collection::vec(inner, 0..3).prop_map(|items| Document::array_of(&items)),
            members.prop_map(|members| {
                members.iter().fold(Document::object(), |out, (key, value)| out.with(key, value))
            }),
        ]
    })
}

/// The same value with the members of all objects the other way round.
fn reversed(value: Value<'_>) -> Document {
    match value.kind() {
        Kind::Array(items) => {
            let items: Vec<_> = items.map(reversed).collect();
            Document::array_of(&items)
        }
        Kind::Object(members) => {
            let mut members: Vec<_> = members.collect();
            members.reverse();
            let with = |out: Document, (key, value)| out.with(key, &reversed(value));
            members.into_iter().fold(Document::object(), with)
        }
        _ => Document::copy_of(value),
    }
}

#[test]
fn a_long_array_and_object_grow_at_their_ends() {
    let mut document = Document::object();
    let list = document.insert(NodeId::ROOT, "list", NewValue::EmptyArray).unwrap();
    let map = document.insert(NodeId::ROOT, "map", NewValue::EmptyObject).unwrap();
    // Alternating, so that one remembered end would not do; quadratic time would show.
    for n in 0..50_000 {
        document.push(list, n).unwrap();
        document.append_member(map, None, &n.to_string(), n).unwrap();
    }
    let newest = document.value(list).at(49_999).unwrap();
    assert_eq!(newest.as_i64(), Some(49_999));
    document.remove(newest.id());
    document.push(list, "end").unwrap();
    document.insert_item(list, 50_000, "very end").unwrap();
    assert_eq!(document.value(list).at(49_999).unwrap().as_str(), Some("end"));
    assert_eq!(document.value(list).at(50_000).unwrap().as_str(), Some("very end"));
    let index = MemberIndex::new(document.value(map));
    assert_eq!(index.get("777").and_then(Value::as_i64), Some(777));
    assert!(index.get("x").is_none());
}

#[test]
fn a_value_is_copied_but_not_moved_into_itself() {
    let mut document = other();
    let list = document.root().get("x").unwrap().id();
    assert_eq!(document.push(list, NewValue::Moved(NodeId::ROOT)), None);
    assert_eq!(document.push(list, NewValue::Moved(list)), None);
    let inner = document.root().pointer("/x/1").unwrap().id();
    assert_eq!(document.set(inner, NewValue::Moved(list)), None);
    document.insert(inner, "all", NewValue::CopyOfId(list)).unwrap();
    assert_eq!(
        format!("{document:?}"),
        r#"{"x": [1, {"y": "text", "all": [1, {"y": "text"}]}], "z": {}}"#
    );
    document.set(NodeId::ROOT, NewValue::Moved(inner)).unwrap();
    assert_eq!(format!("{document:?}"), r#"{"y": "text", "all": [1, {"y": "text"}]}"#);
    document.remove(list);
    assert_eq!(document.root().members().len(), 2);
}

#[test]
fn a_pointer_index_is_digits_and_a_path_goes_by_what_is_there() {
    let mut document = Document::array_of(["a", "b"]);
    assert_eq!(document.root().pointer("/1").and_then(Value::as_str), Some("b"));
    for pointer in ["/+1", "/01", "/-0", "/2", "/ 1", "/~2", "1"] {
        assert!(document.root().pointer(pointer).is_none(), "{pointer}");
    }
    let path = FieldPath::from_pointer("/0").unwrap();
    assert_eq!(document.find(&path).and_then(Value::as_str), Some("a"));
    document.set(NodeId::ROOT, &Document::object().with("0", "member"));
    assert_eq!(document.find(&path).and_then(Value::as_str), Some("member"));
    assert!(document.root().child(&Segment::Index(1)).is_none());
}

#[test]
fn what_did_not_come_from_a_source_has_no_place_after_a_copy() {
    let limits = crdkit_value::Limits::default();
    let mut builder =
        crdkit_value::Builder::new(&limits, crdkit_value::Duplicates::Error).keeping_positions(0);
    for (at, event) in
        [crdkit_value::Event::BeginArray, crdkit_value::Event::Null, crdkit_value::Event::EndArray]
            .into_iter()
            .enumerate()
    {
        builder.event(event, crdkit_issue::Span::new(at, at + 1)).unwrap();
    }
    let mut document = builder.finish().0;
    document.insert_item(NodeId::ROOT, 0, "new").unwrap();
    document.compact();
    let places: Vec<_> = document.root().ids().map(|id| document.place(id).is_some()).collect();
    assert_eq!(places, [true, false, true]);
}

/// What is done to a long array of arrays.
#[derive(Clone, Debug)]
enum ItemEdit {
    Remove(Index),
    Insert(Index),
    Move(Index, Index),
    Set(Index),
    Push,
}

fn item_edit() -> impl Strategy<Value = ItemEdit> {
    prop_oneof![
        any::<Index>().prop_map(ItemEdit::Remove),
        any::<Index>().prop_map(ItemEdit::Insert),
        any::<(Index, Index)>().prop_map(|(from, to)| ItemEdit::Move(from, to)),
        any::<Index>().prop_map(ItemEdit::Set),
        Just(ItemEdit::Push),
    ]
}

proptest! {
    #[test]
    fn items_of_long_arrays_are_found_after_edits(
        edits in prop::collection::vec(item_edit(), 0..8),
        n_rounds in 1_usize..4,
    ) {
        let mut document = Document::array();
        for _ in 0..100 {
            let item = document.push(NodeId::ROOT, NewValue::EmptyArray).unwrap();
            document.push(item, 1);
        }
        let check = |document: &Document| {
            let items: Vec<_> = document.root().items().collect();
            for _ in 0..n_rounds {
                for (at, item) in items.iter().enumerate() {
                    prop_assert_eq!(document.root().at(at).map(Value::id), Some(item.id()));
                    prop_assert_eq!(item.index(), Some(at));
                    prop_assert_eq!(document.path(item.id()), FieldPath::root().join(Segment::Index(at)));
                }
                prop_assert!(document.root().at(items.len()).is_none());
            }
            Ok(())
        };
        check(&document)?;
        for edit in &edits {
            let ids: Vec<_> = document.root().items().map(Value::id).collect();
            match edit {
                ItemEdit::Remove(at) => document.remove(*at.get(&ids)),
                ItemEdit::Insert(at) => {
                    document.insert_item(NodeId::ROOT, at.index(ids.len()), 2);
                }
                ItemEdit::Move(from, to) => {
                    let moved = NewValue::Moved(*from.get(&ids));
                    document.insert_item(NodeId::ROOT, to.index(ids.len() - 1), moved);
                }
                ItemEdit::Set(at) => {
                    document.set(*at.get(&ids), "text");
                }
                ItemEdit::Push => {
                    document.push(NodeId::ROOT, "more");
                }
            }
            check(&document)?;
        }
    }
}
