//! Walks a value in document order and says it as events.
//!
//! Encoders, copies and prints are loops over this. It needs no stack: a node knows its parent.

use crate::node::{Node, Tag, TextRef};
use crate::{Document, Event, NodeId, Value};

/// The events of one value, in document order.
#[derive(Clone)]
pub struct ValueEvents<'d> {
    document: &'d Document,
    root: NodeId,
    step: EventStep,
    /// Whether the value that comes next, and those beside it, have keys.
    keyed: bool,
    /// The text of the last event, if it had one.
    text: TextRef,
}

/// What comes next.
#[derive(Clone, Copy)]
enum EventStep {
    Key(NodeId),
    Value(NodeId),
    End(NodeId),
    Done,
}

impl<'d> ValueEvents<'d> {
    pub(crate) fn new(value: Value<'d>) -> Self {
        Self {
            document: value.document,
            root: value.id,
            step: EventStep::Value(value.id),
            keyed: false,
            text: TextRef::default(),
        }
    }

    /// The bytes that the text of the last event, a key or a string, stands for, when they are not
    /// UTF-8.
    pub fn exact(&self) -> Option<&'d [u8]> {
        self.document.exact(self.text)
    }

    /// The value that the next event begins, if it begins one.
    pub(crate) fn upcoming(&self) -> Option<NodeId> {
        match self.step {
            EventStep::Value(id) => Some(id),
            EventStep::Key(_) | EventStep::End(_) | EventStep::Done => None,
        }
    }

    /// The step to `id` or its first sibling that was not removed; the end of `parent` if there is none.
    #[inline]
    fn enter(&self, mut id: NodeId, parent: NodeId) -> EventStep {
        while id != NodeId::NONE {
            let node = self.document.node(id);
            if !node.removed {
                return if self.keyed { EventStep::Key(id) } else { EventStep::Value(id) };
            }
            id = node.next;
        }
        EventStep::End(parent)
    }

    #[inline]
    fn leave(&self, id: NodeId, node: &Node) -> EventStep {
        if id == self.root {
            return EventStep::Done;
        }
        self.enter(node.next, node.parent)
    }
}

impl<'d> Iterator for ValueEvents<'d> {
    type Item = Event<'d>;

    fn next(&mut self) -> Option<Event<'d>> {
        match self.step {
            EventStep::Done => None,
            EventStep::Key(id) => {
                self.step = EventStep::Value(id);
                self.text = self.document.node(id).key;
                Some(Event::Key(self.document.text(self.text)))
            }
            EventStep::End(id) => {
                let node = self.document.node(id);
                self.keyed = self.document.node(node.parent).tag == Tag::Object;
                self.step = self.leave(id, node);
                Some(if node.tag == Tag::Array { Event::EndArray } else { Event::EndObject })
            }
            EventStep::Value(id) => {
                let node = self.document.node(id);
                self.step = if node.is_container() {
                    self.keyed = node.tag == Tag::Object;
                    self.enter(node.first_child(), id)
                } else {
                    self.leave(id, node)
                };
                Some(match node.tag {
                    Tag::Null => Event::Null,
                    Tag::False => Event::Bool(false),
                    Tag::True => Event::Bool(true),
                    Tag::Int => Event::Int(node.bits().cast_signed()),
                    Tag::Float => Event::Float(f64::from_bits(node.bits())),
                    Tag::Number => Event::Number(self.document.text(node.text())),
                    Tag::String => {
                        self.text = node.text();
                        Event::String(self.document.text(self.text))
                    }
                    Tag::Array => Event::BeginArray,
                    Tag::Object => Event::BeginObject,
                })
            }
        }
    }
}
