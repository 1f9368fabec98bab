//! Expressions at a place of a schema: what they see there, and what they cost at most.

use super::RuleScope;
use super::cost::PER_RULE;
use crate::model::{SchemaId, Schemas};
use crate::rules::{Environments, Types, environment};
use crdkit_cel::{Checked, Env, Range, ShapeId};
use crdkit_issue::{FieldPath, Segment};

/// What an expression has to work with where it stands.
#[derive(Clone, Debug)]
pub struct Site {
    /// What it may use, `self` and `oldSelf` among it.
    pub environment: Env,
    /// How `self` is read.
    pub shape: ShapeId,
    /// How often it can run on one object.
    pub repeated: u64,
}

impl Site {
    /// What one expression may cost on one object.
    pub const LIMIT: u64 = PER_RULE;

    /// The place that `path` leads to from `root`: names for properties and entries of maps, an index or
    /// the key `*` for items of lists. None when there is no schema, or expressions cannot see it.
    pub fn find(
        schemas: &Schemas<'_>,
        root: SchemaId,
        path: &FieldPath,
        optional_old_self: bool,
    ) -> Option<Self> {
        let types = Types::of(schemas, &[root]);
        let (shape, repeated) =
            descend(schemas, &types, &RuleScope::root(schemas, root), path.segments())?;
        let new = &Environments::shared().new;
        let environment = environment(new, types.shapes(), shape, optional_old_self);
        Some(Self { environment, shape, repeated })
    }

    /// What one run of an expression costs.
    pub fn each(&self, checked: &Checked) -> Range {
        self.environment.estimate_cost(checked, Some(self.shape))
    }

    /// What all runs of a rule on one object can cost, which is what [`Site::LIMIT`] is for.
    pub fn total(&self, checked: &Checked) -> u64 {
        self.each(checked).max.saturating_mul(self.repeated)
    }
}

/// Goes down as deep as the schema is, which its reader limits.
fn descend(
    schemas: &Schemas<'_>,
    types: &Types,
    scope: &RuleScope<'_>,
    path: &[Segment],
) -> Option<(ShapeId, u64)> {
    let schema = schemas.get(scope.schema());
    let Some((step, rest)) = path.split_first() else {
        let shape = scope.shape(types).ok()?.or_else(|| types.shape(scope.schema()))?;
        return Some((shape, scope.repeated(types.min_size(shape))));
    };
    let element = schema.item_schema().or(schema.additional_schema());
    let below = match step {
        Segment::Field(name) | Segment::Key(name) => match schema.properties.get(name) {
            Some(property) => scope.property(schemas, property, name),
            None if schema.item_schema().is_some() && &**name != "*" => return None,
            None => scope.element(schemas, element?),
        },
        Segment::Index(_) => scope.element(schemas, element?),
    };
    descend(schemas, types, &below, rest)
}
