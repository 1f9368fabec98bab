//! Objects: members of a patch merged into those of an object.

use super::directive::{self, DELETE_FROM, PATCH, RETAIN_KEYS, SET_ORDER};
use super::error::StrategicError;
use super::list::MergedList;
use crate::Schema;
use crate::definitions::Strategy;
use crate::typed::Type;
use crdkit_codec::go_text;
use crdkit_text::quote::quote;
use crdkit_value::{Document, NewValue, NodeId, Tag, Value};

/// Merges `patch` into `object`.
pub(super) fn merge(
    object: &mut Document,
    patch: Value<'_>,
    schema: &Schema<'_>,
) -> Result<(), StrategicError> {
    StrategicMerge { schema, object }.object(schema.root(), NodeId::ROOT, patch)
}

/// A merge on its way.
pub(super) struct StrategicMerge<'s, 't, 'o> {
    pub(super) schema: &'s Schema<'t>,
    pub(super) object: &'o mut Document,
}

/// A field that both sides have.
pub(super) struct MergedField<'t> {
    pub(super) ty: Type,
    pub(super) strategy: &'t Strategy,
}

impl<'t> StrategicMerge<'_, 't, '_> {
    /// Merges `patch` into the object `id` of type `ty`.
    pub(super) fn object(
        &mut self,
        ty: Type,
        id: NodeId,
        patch: Value<'_>,
    ) -> Result<(), StrategicError> {
        if let Some(directive) = directive::of(patch) {
            return self.directed(id, patch, directive);
        }
        self.retain_keys(id, patch)?;
        let ordered = self.set_orders(ty, id, patch)?;
        for (key, member) in patch.members() {
            if key == RETAIN_KEYS || key.starts_with(SET_ORDER) || ordered.contains(&key) {
                continue;
            }
            let deletes = key.starts_with(DELETE_FROM);
            let key = if deletes {
                let bad = StrategicError::BadFormat("primitive list");
                directive::field(key, DELETE_FROM).ok_or(bad)?
            } else {
                key
            };
            self.member(ty, id, key, member, deletes)?;
        }
        Ok(())
    }

    fn directed(
        &mut self,
        id: NodeId,
        patch: Value<'_>,
        directive: Value<'_>,
    ) -> Result<(), StrategicError> {
        match directive.as_str() {
            Some("replace") => {
                self.object.set(id, patch);
                if let Some(marker) = self.object.value(id).get(PATCH).map(Value::id) {
                    self.object.remove(marker);
                }
                Ok(())
            }
            Some("delete") => {
                self.object.set(id, NewValue::EmptyObject);
                Ok(())
            }
            _ => Err(StrategicError::unknown_directive(directive, patch)),
        }
    }

    /// Removes what `$retainKeys` does not list.
    fn retain_keys(&mut self, id: NodeId, patch: Value<'_>) -> Result<(), StrategicError> {
        let Some(keys) = patch.get(RETAIN_KEYS) else { return Ok(()) };
        let bad = StrategicError::BadFormat("retainKeys");
        if keys.tag() != Tag::Array {
            return Err(bad);
        }
        let is_retained = |key: &str| keys.items().any(|item| item.as_str() == Some(key));
        let mut others = patch.members().filter(|(key, member)| {
            !member.is_null()
                && *key != RETAIN_KEYS
                && !key.starts_with(DELETE_FROM)
                && !key.starts_with(SET_ORDER)
        });
        if !others.all(|(key, _)| is_retained(key)) {
            return Err(bad);
        }
        let members = self.object.value(id).members();
        let gone: Vec<NodeId> =
            members.filter(|(key, _)| !is_retained(key)).map(|(_, it)| it.id()).collect();
        for id in gone {
            self.object.remove(id);
        }
        Ok(())
    }

    fn member(
        &mut self,
        ty: Type,
        id: NodeId,
        key: &str,
        member: Value<'_>,
        deletes: bool,
    ) -> Result<(), StrategicError> {
        let current = self.object.value(id).get(key).map(|it| (it.id(), it.tag()));
        if member.is_null() {
            if let Some((current, _)) = current {
                self.object.remove(current);
            }
            return Ok(());
        }
        match (current, member.tag()) {
            (Some((current, Tag::Object)), Tag::Object) => {
                let field = self.field(ty, key)?;
                if field.strategy.replaces {
                    self.object.set(current, member);
                    return Ok(());
                }
                self.object(field.ty, current, member)
            }
            (Some((current, Tag::Array)), Tag::Array) => {
                let field = self.field(ty, key)?;
                self.list(&field, current, member, deletes)
            }
            _ if deletes => Ok(()),
            (Some((current, _)), _) => {
                self.object.set(current, member);
                directive::drop_all(self.object, current);
                Ok(())
            }
            (None, _) => {
                if let Some(added) = self.object.insert(id, key, member) {
                    directive::drop_all(self.object, added);
                }
                Ok(())
            }
        }
    }

    /// Merges the list `patch` into the list `id`, or replaces it, as the field says.
    pub(super) fn list(
        &mut self,
        field: &MergedField<'t>,
        id: NodeId,
        patch: Value<'_>,
        deletes: bool,
    ) -> Result<(), StrategicError> {
        if field.strategy.merges || deletes {
            return MergedList { merge: self, field, id }.merge(patch, deletes);
        }
        self.object.set(id, patch);
        Ok(())
    }

    /// Lists that come with an order. Gives the fields that are done with.
    fn set_orders<'p>(
        &mut self,
        ty: Type,
        id: NodeId,
        patch: Value<'p>,
    ) -> Result<Vec<&'p str>, StrategicError> {
        let mut done = Vec::new();
        for (directive_key, order) in patch.members() {
            if !directive_key.starts_with(SET_ORDER) {
                continue;
            }
            if order.tag() != Tag::Array {
                return Err(wrong_list(order));
            }
            let key = directive::field(directive_key, SET_ORDER)
                .ok_or(StrategicError::BadFormat("setElementOrder list"))?;
            let current = self.object.value(id).get(key);
            let given = patch.get(key);
            for side in [current, given].into_iter().flatten() {
                if side.tag() != Tag::Array {
                    return Err(wrong_list(side));
                }
            }
            let current = current.map(Value::id);
            let field = self.field(ty, key)?;
            if current.is_none() && given.is_none() {
                continue;
            }
            let id = match current {
                Some(id) => id,
                None => match self.object.insert(id, key, NewValue::EmptyArray) {
                    Some(id) => id,
                    None => continue,
                },
            };
            MergedList { merge: self, field: &field, id }.merge_in_order(
                given,
                order,
                current.is_some(),
            )?;
            done.push(key);
        }
        Ok(done)
    }

    /// What the schema says about the field `key` of `ty`.
    fn field(&self, ty: Type, key: &str) -> Result<MergedField<'t>, StrategicError> {
        let definitions = self.schema.definitions();
        let Type::Definition(id) = ty else {
            return Err(StrategicError::UnknownField(
                "merging an object in json but data type is not struct, instead is: map".to_owned(),
            ));
        };
        let map = definitions.row(id).and_then(|row| row.map.as_ref());
        if let Some(field) = map.and_then(|map| map.field(key)) {
            return Ok(MergedField { ty: field.of.into(), strategy: &field.strategy });
        }
        let is_map = map.is_some_and(|map| map.fields.is_empty() && !map.atomic);
        if is_map && definitions.short_name(id).is_empty() {
            return Err(StrategicError::UnknownField(
                "merging an object in json but data type is not struct, instead is: map".to_owned(),
            ));
        }
        Err(StrategicError::UnknownField(format!(
            "unable to find api field in struct {} for the json field {}",
            definitions.short_name(id),
            quote(key)
        )))
    }
}

fn wrong_list(found: Value<'_>) -> StrategicError {
    StrategicError::WrongType(format!(
        "expected a []interface {{}}, but received a {}",
        go_text::type_name(found)
    ))
}
