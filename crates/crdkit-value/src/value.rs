//! Values as seen by readers: a view of one node.

use crate::node::{Node, Tag};
use crate::{Document, NodeId, ValueEvents};
use crdkit_issue::FieldPath;
use std::fmt;

/// One value of a document. Copying it copies two words.
#[derive(Clone, Copy)]
pub struct Value<'d> {
    pub(crate) document: &'d Document,
    pub(crate) id: NodeId,
}

/// What a value is, with its content.
#[derive(Clone, Debug)]
pub enum Kind<'d> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number that is an `i64`.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A number as it was written, under [`crate::NumberMode::Text`].
    Number(&'d str),
    /// A string.
    String(&'d str),
    /// An array.
    Array(Items<'d>),
    /// An object.
    Object(Members<'d>),
}

/// The items of an array, in order.
#[derive(Clone)]
pub struct Items<'d> {
    document: &'d Document,
    next: NodeId,
    left: usize,
}

/// The members of an object, in input order.
#[derive(Clone)]
pub struct Members<'d>(Items<'d>);

impl<'d> Value<'d> {
    /// The value's name inside its document.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// The document this is a part of.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// What it is.
    // Most callers ask about arrays and objects only; put in place, it does no more than that.
    #[inline(always)]
    pub fn kind(self) -> Kind<'d> {
        kind(self.document, self.node())
    }

    /// What it is, without its content.
    #[inline]
    pub fn tag(self) -> Tag {
        self.node().tag
    }

    /// Whether it is `null`.
    #[inline]
    pub fn is_null(self) -> bool {
        self.node().tag == Tag::Null
    }

    /// Whether it is an array or an object.
    #[inline]
    pub fn is_container(self) -> bool {
        self.node().is_container()
    }

    /// The content of a boolean.
    #[inline]
    pub fn as_bool(self) -> Option<bool> {
        match self.kind() {
            Kind::Bool(bool) => Some(bool),
            _ => None,
        }
    }

    /// The content of an integer.
    #[inline]
    pub fn as_i64(self) -> Option<i64> {
        match self.kind() {
            Kind::Int(int) => Some(int),
            _ => None,
        }
    }

    /// The content of any number, an integer converted.
    #[expect(clippy::cast_precision_loss, reason = "what Go's float64(i) does")]
    pub fn as_f64(self) -> Option<f64> {
        match self.kind() {
            Kind::Int(int) => Some(int as f64),
            Kind::Float(float) => Some(float),
            Kind::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The content of a string.
    #[inline]
    pub fn as_str(self) -> Option<&'d str> {
        let node = self.node();
        (node.tag == Tag::String).then(|| self.document.text(node.text()))
    }

    /// The bytes of a string: its text, or what CBOR held where that is not UTF-8.
    #[inline]
    pub fn as_bytes(self) -> Option<&'d [u8]> {
        let node = self.node();
        (node.tag == Tag::String).then(|| self.document.bytes(node.text()))
    }

    /// The items of an array.
    #[inline]
    pub fn as_array(self) -> Option<Items<'d>> {
        (self.node().tag == Tag::Array).then(|| self.children())
    }

    /// The members of an object.
    #[inline]
    pub fn as_object(self) -> Option<Members<'d>> {
        (self.node().tag == Tag::Object).then(|| Members(self.children()))
    }

    /// The items of an array; nothing for any other value.
    pub fn items(self) -> Items<'d> {
        self.as_array().unwrap_or(Items { document: self.document, next: NodeId::NONE, left: 0 })
    }

    /// The members of an object; nothing for any other value.
    pub fn members(self) -> Members<'d> {
        self.as_object().unwrap_or(Members(Items {
            document: self.document,
            next: NodeId::NONE,
            left: 0,
        }))
    }

    /// The member called `key`, if this is an object that has one.
    #[inline]
    pub fn get(self, key: &str) -> Option<Value<'d>> {
        let node = self.node();
        if node.tag != Tag::Object {
            return None;
        }
        let mut id = node.first_child();
        while id != NodeId::NONE {
            let child = self.document.node(id);
            if !child.removed
                && child.key.len as usize == key.len()
                && self.document.shown(child.key) == key.as_bytes()
            {
                return Some(Value { document: self.document, id });
            }
            id = child.next;
        }
        None
    }

    /// The item number `index`, if this is an array that has one.
    pub fn at(self, index: usize) -> Option<Value<'d>> {
        Some(Value { document: self.document, id: self.document.item(self.id, index)? })
    }

    /// The position of this value, if its parent is an array.
    pub fn index(self) -> Option<usize> {
        let parent = self.node().parent.get()?;
        let is_item = self.document.node(parent).tag == Tag::Array;
        is_item.then(|| self.document.item_index(parent, self.id))
    }

    /// The key this value stands under, if its parent is an object.
    pub fn key(self) -> Option<&'d str> {
        let node = self.node();
        let parent = node.parent.get()?;
        (self.document.node(parent).tag == Tag::Object).then(|| self.document.text(node.key))
    }

    /// The bytes of the key this value stands under, if its parent is an object.
    #[inline]
    pub fn key_bytes(self) -> Option<&'d [u8]> {
        let node = self.node();
        let parent = node.parent.get()?;
        (self.document.node(parent).tag == Tag::Object).then(|| self.document.bytes(node.key))
    }

    /// The array or object this value is in.
    pub fn parent(self) -> Option<Value<'d>> {
        Some(Value { document: self.document, id: self.node().parent.get()? })
    }

    /// The path from the document's root.
    pub fn path(self) -> FieldPath {
        self.document.path(self.id)
    }

    /// The events that describe this value.
    pub fn events(self) -> ValueEvents<'d> {
        ValueEvents::new(self)
    }

    /// The ids of this value and all values inside it, in document order.
    pub fn ids(self) -> impl Iterator<Item = NodeId> {
        let mut walk = self.events();
        std::iter::from_fn(move || {
            loop {
                let upcoming = walk.upcoming();
                walk.next()?;
                if upcoming.is_some() {
                    return upcoming;
                }
            }
        })
    }

    #[inline]
    pub(crate) fn node(self) -> &'d Node {
        self.document.node(self.id)
    }

    #[inline]
    fn children(self) -> Items<'d> {
        children(self.document, self.node())
    }
}

/// What the value of a row is.
#[inline(always)]
pub(crate) fn kind<'d>(document: &'d Document, node: &'d Node) -> Kind<'d> {
    match node.tag {
        Tag::Null => Kind::Null,
        Tag::False => Kind::Bool(false),
        Tag::True => Kind::Bool(true),
        Tag::Int => Kind::Int(node.bits().cast_signed()),
        Tag::Float => Kind::Float(f64::from_bits(node.bits())),
        Tag::Number => Kind::Number(document.text(node.text())),
        Tag::String => Kind::String(document.text(node.text())),
        Tag::Array => Kind::Array(children(document, node)),
        Tag::Object => Kind::Object(Members(children(document, node))),
    }
}

#[inline]
fn children<'d>(document: &'d Document, node: &Node) -> Items<'d> {
    Items { document, next: node.first_child(), left: node.n_children() }
}

impl<'d> Iterator for Items<'d> {
    type Item = Value<'d>;

    #[inline]
    fn next(&mut self) -> Option<Value<'d>> {
        while self.next != NodeId::NONE {
            let id = self.next;
            let node = self.document.node(id);
            self.next = node.next;
            if !node.removed {
                self.left = self.left.saturating_sub(1);
                return Some(Value { document: self.document, id });
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Items<'_> {}

impl<'d> Iterator for Members<'d> {
    type Item = (&'d str, Value<'d>);

    #[inline]
    fn next(&mut self) -> Option<(&'d str, Value<'d>)> {
        let value = self.0.next()?;
        Some((value.document.text(value.node().key), value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Members<'_> {}

impl fmt::Debug for Items<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{} items]", self.left)
    }
}

impl fmt::Debug for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{} members}}", self.0.left)
    }
}
