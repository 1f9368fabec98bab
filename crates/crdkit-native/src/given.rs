//! Lists and maps that a request gives empty. Decoding leaves them out, as the server's storage does; but until then Go
//! tells them from ones that are not there: messages show them, and whoever gives one owns it.
//!
//! They are known by the object that they were in, so they hold for the document that was decoded and for clones of it.

use crate::data::{Field, GoType, Omit};
use crate::fill::{self, CollectionKind};
use crdkit_value::{Document, NewValue, NodeId, Value};

/// What was given empty, in one document.
#[derive(Default)]
pub(crate) struct GivenEmpty {
    fields: Vec<(NodeId, &'static Field)>,
}

/// Nothing, for documents that were not given.
pub(crate) static NOTHING: GivenEmpty = GivenEmpty { fields: Vec::new() };

impl GivenEmpty {
    pub(crate) fn add(&mut self, object: NodeId, field: &'static Field) {
        self.fields.push((object, field));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    pub(crate) fn extend(&mut self, more: Self) {
        self.fields.extend(more.fields);
    }

    pub(crate) fn clear(&mut self) {
        self.fields.clear();
    }

    /// Whether the member `name` of an object was given empty.
    pub(crate) fn has(&self, object: NodeId, name: &str) -> bool {
        self.fields.iter().any(|(id, field)| *id == object && field.name == name)
    }

    /// The same for a copy of a value of the document.
    pub(crate) fn of_copy(&self, original: Value<'_>, copy: Value<'_>) -> Self {
        let mut fields = Vec::new();
        if !self.fields.is_empty() {
            for (original, copy) in original.ids().zip(copy.ids()) {
                let given = self.fields.iter().filter(|(id, _)| *id == original);
                fields.extend(given.map(|(_, field)| (copy, *field)));
            }
        }
        Self { fields }
    }

    /// Puts in what Go writes although it is empty, and what says that nobody manages anything.
    pub(crate) fn show(&self, document: &mut Document) {
        self.put(document, |field| field.omit == Omit::Never || field.name == "managedFields");
    }

    /// Puts in everything.
    pub(crate) fn show_all(&self, document: &mut Document) {
        self.put(document, |_| true);
    }

    fn put(&self, document: &mut Document, is_shown: impl Fn(&Field) -> bool) {
        for (object, field) in self.fields.iter().filter(|(_, field)| is_shown(field)) {
            let absent = document.value(*object).get(field.name).is_none_or(Value::is_null);
            if absent && document.value(*object).as_object().is_some() {
                document.insert(*object, field.name, empty(&field.of));
            }
        }
    }

    /// Takes out what was put in, if it is still empty.
    pub(crate) fn hide(&self, document: &mut Document) {
        for (object, field) in &self.fields {
            let member = document.value(*object).get(field.name);
            let is_empty = |value: &Value<'_>| value.items().len() + value.members().len() == 0;
            if let Some(id) = member.filter(is_empty).map(Value::id) {
                document.remove(id);
            }
        }
    }
}

fn empty(of: &'static GoType) -> NewValue<'static> {
    match fill::shape(of) {
        CollectionKind::Map => NewValue::EmptyObject,
        CollectionKind::List => NewValue::EmptyArray,
    }
}
