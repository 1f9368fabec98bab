//! Lists: items of a patch merged into those of an object, and the order of all.
//!
//! Items that the patch has come in its order, or in that of `$setElementOrder`; the others keep their order, and stand before
//! the first item that followed them before.

use super::directive;
use super::error::StrategicError;
use super::merge::{MergedField, StrategicMerge};
use crdkit_codec::go_text;
use crdkit_value::{Document, NewValue, NodeId, Tag, Value};

/// A list that is merged.
pub(super) struct MergedList<'m, 'f, 's, 't, 'o> {
    pub(super) merge: &'m mut StrategicMerge<'s, 't, 'o>,
    pub(super) field: &'f MergedField<'t>,
    pub(super) id: NodeId,
}

impl MergedList<'_, '_, '_, '_, '_> {
    /// Merges `patch`, or removes its items.
    pub(super) fn merge(mut self, patch: Value<'_>, deletes: bool) -> Result<(), StrategicError> {
        let before = self.snapshot();
        let items = self.merged(patch, deletes)?;
        if deletes {
            return Ok(());
        }
        let given: Vec<Value<'_>> =
            patch.items().filter(|item| directive::of(*item).is_none()).collect();
        let order = self.order(&items, &given, before.root());
        self.put(&order);
        Ok(())
    }

    /// Merges `patch`, if there is one, and puts all items in the order that `order` says.
    pub(super) fn merge_in_order(
        mut self,
        patch: Option<Value<'_>>,
        order: Value<'_>,
        exists: bool,
    ) -> Result<(), StrategicError> {
        if let Some(patch) = patch {
            self.check_order(patch, order)?;
        }
        let before = self.snapshot();
        match (patch, exists) {
            (Some(patch), true) => self.merge.list(self.field, self.id, patch, false)?,
            (Some(patch), false) => {
                self.merge.object.set(self.id, patch);
                directive::drop_all(self.merge.object, self.id);
            }
            (None, _) => {}
        }
        let items = self.items();
        let wanted: Vec<Value<'_>> = order.items().collect();
        for item in &wanted {
            self.key_of(*item)?;
        }
        let order = self.order(&items, &wanted, before.root());
        self.put(&order);
        Ok(())
    }

    fn key(&self) -> &str {
        &self.field.strategy.merge_key
    }

    /// The list as it is, because merging gives its items other ids.
    fn snapshot(&self) -> Document {
        Document::copy_of(self.merge.object.value(self.id))
    }

    fn items(&self) -> Vec<NodeId> {
        self.merge.object.value(self.id).items().map(Value::id).collect()
    }

    /// The items after merging, not yet in order.
    fn merged(&mut self, patch: Value<'_>, deletes: bool) -> Result<Vec<NodeId>, StrategicError> {
        let list = self.merge.object.value(self.id);
        let Some(first) = list.items().chain(patch.items()).next() else { return Ok(Vec::new()) };
        let tag = first.tag();
        if tag == Tag::Array {
            return Err(StrategicError::ListOfLists);
        }
        let is_other = |item: Value<'_>| (item.tag() == Tag::Object) != (tag == Tag::Object);
        if list.items().chain(patch.items()).any(is_other) {
            let lists = [list, patch].map(go_text::plain).join(" ");
            return Err(StrategicError::MixedList(lists));
        }
        if tag != Tag::Object {
            self.scalars(patch, deletes);
            return Ok(self.items());
        }
        if self.key().is_empty() {
            return Err(StrategicError::UnmergeableList(
                "cannot merge lists without merge key for ".to_owned(),
            ));
        }
        self.objects(patch)?;
        Ok(self.items())
    }

    fn scalars(&mut self, patch: Value<'_>, deletes: bool) {
        for item in patch.items() {
            let list = self.merge.object.value(self.id);
            let same: Vec<NodeId> =
                list.items().filter(|it| it.is_identical(item)).map(Value::id).collect();
            if deletes {
                for id in same {
                    self.merge.object.remove(id);
                }
            } else if same.is_empty() {
                self.merge.object.push(self.id, item);
            }
        }
    }

    fn objects(&mut self, patch: Value<'_>) -> Result<(), StrategicError> {
        let mut replaces = false;
        for item in patch.items() {
            let Some(directive) = directive::of(item) else { continue };
            match directive.as_str() {
                Some("delete") => {
                    let key = self.key_of(item)?;
                    for id in self.matching(key) {
                        self.merge.object.remove(id);
                    }
                }
                Some("replace") => replaces = true,
                Some("merge") => return Err(StrategicError::MergeDirective),
                _ => return Err(StrategicError::unknown_directive(directive, item)),
            }
        }
        if replaces {
            self.merge.object.set(self.id, NewValue::EmptyArray);
        }
        for item in patch.items().filter(|item| directive::of(*item).is_none()) {
            if replaces {
                self.merge.object.push(self.id, item);
                continue;
            }
            let key = self.key_of(item)?;
            match self.matching(key).first() {
                Some(id) => {
                    let ty = self.merge.schema.items(self.field.ty);
                    self.merge.object(ty, *id, item)?;
                }
                None => {
                    self.merge.object.push(self.id, item);
                }
            }
        }
        Ok(())
    }

    /// What tells `item` apart.
    fn key_of<'v>(&self, item: Value<'v>) -> Result<Value<'v>, StrategicError> {
        let key = self.key();
        if key.is_empty() {
            return Ok(item);
        }
        item.get(key).ok_or_else(|| StrategicError::no_merge_key(item, key))
    }

    /// The items that `key` tells apart.
    fn matching(&self, key: Value<'_>) -> Vec<NodeId> {
        let list = self.merge.object.value(self.id);
        let has_key =
            |item: &Value<'_>| item.get(self.key()).is_some_and(|found| found.is_identical(key));
        list.items().filter(has_key).map(Value::id).collect()
    }

    fn is_same(&self, left: Value<'_>, right: Value<'_>) -> bool {
        match self.key() {
            "" => left.is_identical(right),
            key => left.get(key).zip(right.get(key)).is_some_and(|(l, r)| l.is_identical(r)),
        }
    }

    /// `items` in order: those in `wanted` as they are there, the others where they were in `before`.
    fn order(&self, items: &[NodeId], wanted: &[Value<'_>], before: Value<'_>) -> Vec<NodeId> {
        let value = |id: NodeId| self.merge.object.value(id);
        let place = |id: NodeId| wanted.iter().position(|it| self.is_same(*it, value(id)));
        let (mut given, others): (Vec<_>, Vec<_>) =
            items.iter().copied().partition(|id| place(*id).is_some());
        given.sort_by_key(|id| place(*id));
        let before_place = |id| before.items().position(|it| self.is_same(it, value(id)));
        let (mut others, mut given) = (others.into_iter().peekable(), given.into_iter().peekable());
        let mut out = Vec::with_capacity(items.len());
        while let (Some(other), Some(one)) = (others.peek(), given.peek()) {
            let is_before =
                before_place(*other).zip(before_place(*one)).is_some_and(|(l, r)| l < r);
            out.extend(if is_before { others.next() } else { given.next() });
        }
        out.extend(others.chain(given));
        out
    }

    /// Makes `order` the items of the list.
    fn put(&mut self, order: &[NodeId]) {
        if self.items() == order {
            return;
        }
        let object = &self.merge.object;
        let list = Document::array_of(order.iter().map(|id| object.value(*id)));
        self.merge.object.set(self.id, &list);
    }

    /// Whether the items of `patch` are in the order of `order`.
    fn check_order(&self, patch: Value<'_>, order: Value<'_>) -> Result<(), StrategicError> {
        if patch.items().len() == 0 || order.items().len() == 0 {
            return Ok(());
        }
        let mut given = patch.items().filter(|item| directive::of(*item).is_none()).peekable();
        for wanted in order.items() {
            if given.peek().is_some_and(|item| self.is_same(*item, wanted)) {
                given.next();
            }
        }
        if given.peek().is_none() {
            return Ok(());
        }
        Err(StrategicError::Order(format!(
            "The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n",
            go_text::plain(patch),
            go_text::plain(order)
        )))
    }
}
