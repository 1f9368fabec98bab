//! JSON Patch: the operations that make one document of another.
//!
//! Members are taken one by one. Of lists the items that are equal at both ends stay; those between are replaced one by one,
//! and what one list has more than the other is added or removed after them.

use super::MAX_DEPTH;
use crdkit_value::{Document, MemberIndex, NewValue, NodeId, Tag, Value};

/// The operations that make `new` of `old`.
pub fn json(old: Value<'_>, new: Value<'_>) -> Document {
    let mut operations = Operations { list: Document::array(), path: String::new() };
    operations.value(old, new, MAX_DEPTH);
    operations.list
}

struct Operations {
    list: Document,
    path: String,
}

impl Operations {
    fn value(&mut self, old: Value<'_>, new: Value<'_>, depth: usize) {
        match (old.tag(), new.tag()) {
            (Tag::Object, Tag::Object) if depth > 0 => self.members(old, new, depth),
            (Tag::Array, Tag::Array) if depth > 0 => self.items(old, new, depth),
            _ if old.is_identical(new) => {}
            _ => self.add("replace", Some(new)),
        }
    }

    fn members(&mut self, old: Value<'_>, new: Value<'_>, depth: usize) {
        let (before, after) = (MemberIndex::new(old), MemberIndex::new(new));
        for (key, member) in old.members() {
            self.step(key, |this| match after.get(key) {
                Some(new) => this.value(member, new, depth - 1),
                None => this.add("remove", None),
            });
        }
        for (key, member) in new.members().filter(|(key, _)| before.get(key).is_none()) {
            self.step(key, |this| this.add("add", Some(member)));
        }
    }

    fn items(&mut self, old: Value<'_>, new: Value<'_>, depth: usize) {
        let (before, after): (Vec<_>, Vec<_>) = (old.items().collect(), new.items().collect());
        let same = |(old, new): &(&Value<'_>, &Value<'_>)| old.is_identical(**new);
        let start = before.iter().zip(&after).take_while(same).count();
        let shorter = before.len().min(after.len()) - start;
        let ends = before.iter().rev().zip(after.iter().rev()).take(shorter);
        let end = ends.take_while(same).count();
        let (n_old, n_new) = (before.len() - end, after.len() - end);
        let both = n_old.min(n_new);
        for (at, (old, new)) in before.iter().zip(&after).enumerate().take(both).skip(start) {
            self.step(&at.to_string(), |this| this.value(*old, *new, depth - 1));
        }
        for at in (both..n_old).rev() {
            self.step(&at.to_string(), |this| this.add("remove", None));
        }
        for (at, item) in after.iter().enumerate().take(n_new).skip(both) {
            self.step(&at.to_string(), |this| this.add("add", Some(*item)));
        }
    }

    /// Goes one step further for what `f` does.
    fn step(&mut self, step: &str, f: impl FnOnce(&mut Self)) {
        let len = self.path.len();
        self.path.push('/');
        self.path.push_str(&step.replace('~', "~0").replace('/', "~1"));
        f(self);
        self.path.truncate(len);
    }

    fn add(&mut self, op: &str, value: Option<Value<'_>>) {
        let Some(id) = self.list.push(NodeId::ROOT, NewValue::EmptyObject) else { return };
        self.list.insert(id, "op", op);
        self.list.insert(id, "path", &self.path);
        if let Some(value) = value {
            self.list.insert(id, "value", value);
        }
    }
}
