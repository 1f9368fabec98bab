//! What the rules of a schema can see and how often they can run, because of where it stands.

use crate::model::{SchemaId, Schemas};
use crate::rules::{MAX_REQUEST_BYTES, Types};
use crdkit_cel::ShapeId;

/// A schema on the way down from the root.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct RuleScope<'p> {
    schema: SchemaId,
    parent: Option<(&'p RuleScope<'p>, ScopeStep<'p>)>,
    /// Whether it or a schema above has rules.
    in_rules: bool,
    /// How many values of it an object can have, if every list and map above is limited.
    repeated: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
enum ScopeStep<'p> {
    Property(&'p str),
    Element,
}

impl<'p> RuleScope<'p> {
    /// The root of a schema.
    pub(in crate::check) fn root(schemas: &Schemas<'_>, schema: SchemaId) -> Self {
        let in_rules = has_rules(schemas, schema);
        Self { schema, parent: None, in_rules, repeated: Some(1) }
    }

    /// A property of the schema.
    pub(in crate::check) fn property(
        &'p self,
        schemas: &Schemas<'_>,
        schema: SchemaId,
        name: &'p str,
    ) -> Self {
        self.child(schemas, schema, ScopeStep::Property(name))
    }

    /// The items of the schema, or its additional properties.
    pub(in crate::check) fn element(&'p self, schemas: &Schemas<'_>, schema: SchemaId) -> Self {
        self.child(schemas, schema, ScopeStep::Element)
    }

    fn child(&'p self, schemas: &Schemas<'_>, schema: SchemaId, step: ScopeStep<'p>) -> Self {
        let own = schemas.get(self.schema);
        let bounds = own.bounds();
        let limit =
            |limit: Option<i64>| limit.map(|limit| u64::try_from(limit).unwrap_or_default());
        let factor = match own.type_name {
            "array" => limit(bounds.max_items),
            "object" if own.additional_properties.is_some() => limit(bounds.max_properties),
            _ => Some(1),
        };
        let in_rules = self.in_rules || has_rules(schemas, schema);
        let repeated =
            self.repeated.zip(factor).map(|(repeated, factor)| repeated.saturating_mul(factor));
        Self { schema, parent: Some((self, step)), in_rules, repeated }
    }

    /// The schema.
    pub(super) fn schema(&self) -> SchemaId {
        self.schema
    }

    /// How often a rule here can run on one object, whose values here take up at least `min_size` bytes.
    pub(super) fn repeated(&self, min_size: u64) -> u64 {
        self.repeated.unwrap_or(MAX_REQUEST_BYTES / (min_size + 1))
    }

    /// What rules here see as `self`: a part of what rules above see, if there are any, so that a
    /// problem above is one here as well.
    pub(super) fn shape(&self, types: &Types) -> Result<Option<ShapeId>, &'static str> {
        if !self.in_rules {
            return Ok(None);
        }
        if let Some((parent, step)) = self.parent
            && let Some(shape) = parent.shape(types)?
        {
            let part = match step {
                ScopeStep::Property(name) => types.property(shape, name),
                ScopeStep::Element => types.element(shape),
            };
            if part.is_some() {
                return Ok(part);
            }
        }
        let problem = "unable to convert structural schema to CEL declarations";
        types.shape(self.schema).map(Some).ok_or(problem)
    }
}

fn has_rules(schemas: &Schemas<'_>, id: SchemaId) -> bool {
    !schemas.get(id).extensions().validations.is_empty()
}
