//! What each rule of a schema can cost, and which limits would make one that costs too much cheap enough.
//!
//! The search is a plain one. Every list, map and string without a limit that the rule can see, or that
//! repeats it, is limited alone; then all of them together with one limit, and those that make no
//! difference are left out again.

use super::cost::PER_SCHEMA;
use super::site::Site;
use crate::model::{Schema, SchemaId, Schemas};
use crdkit_issue::{FieldPath, Segment};

/// What one expression of a rule can cost.
#[derive(Clone, Debug)]
pub struct RuleCost {
    /// The place in an object that the rule is about; `[*]` is any item or entry.
    pub path: FieldPath,
    /// `rule` or `messageExpression`.
    pub field: &'static str,
    /// The expression.
    pub text: String,
    /// The most it can cost on one object.
    pub cost: u64,
    /// For an expression over the limit, ways to bring it under; each is a set of limits.
    pub remedies: Vec<Vec<Bound>>,
}

/// A limit that a schema lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The place in an object that the schema describes.
    pub path: FieldPath,
    /// `maxItems`, `maxProperties` or `maxLength`.
    pub keyword: &'static str,
    /// The largest value that helps.
    pub limit: u64,
}

impl RuleCost {
    /// What all expressions of a schema may cost together.
    pub const TOTAL_LIMIT: u64 = PER_SCHEMA;

    /// Whether it costs more than the server allows.
    pub fn is_over(&self) -> bool {
        self.cost > Site::LIMIT
    }
}

/// What the rules of the schema `root` and of those below it can cost. Rules that cannot be compiled
/// are left out.
pub fn costs(schemas: &Schemas<'_>, root: SchemaId) -> Vec<RuleCost> {
    let mut walk = BudgetWalk {
        schemas,
        root,
        path: FieldPath::root(),
        unlimited: Vec::new(),
        costs: Vec::new(),
    };
    walk.node(root);
    walk.costs
}

/// A schema without a limit, and where it is.
type Candidate = (SchemaId, FieldPath);

/// No more places than this are tried, the nearest to the root first.
const MAX_CANDIDATES: usize = 64;

/// The largest limit tried, beyond which a request cannot be.
const MAX_LIMIT: u64 = 3_145_728;

struct BudgetWalk<'s, 'd> {
    schemas: &'s Schemas<'d>,
    root: SchemaId,
    path: FieldPath,
    /// The lists and maps above that have no limit.
    unlimited: Vec<Candidate>,
    costs: Vec<RuleCost>,
}

impl BudgetWalk<'_, '_> {
    /// Goes down as deep as the schema is, which its reader limits.
    fn node(&mut self, id: SchemaId) {
        let schema = self.schemas.get(id);
        for rule in &schema.extensions().validations {
            let optional = rule.optional_old_self == Some(true);
            for (field, text) in
                [("rule", rule.rule), ("messageExpression", rule.message_expression)]
            {
                self.expression(id, CostedExpression { field, text, optional });
            }
        }
        let above = self.unlimited.len();
        if is_collection(schema) && keyword(schema).is_some() {
            self.unlimited.push((id, self.path.clone()));
        }
        for (step, child) in children(schema) {
            let path = self.path.clone();
            self.path = path.clone().join(step);
            self.node(child);
            self.path = path;
        }
        self.unlimited.truncate(above);
    }

    fn expression(&mut self, id: SchemaId, expression: CostedExpression<'_>) {
        let root = self.root;
        let cost_in = |schemas: &Schemas<'_>| expression.cost(schemas, root, &self.path);
        let Some(cost) = cost_in(self.schemas) else { return };
        let mut found = RuleCost {
            path: self.path.clone(),
            field: expression.field,
            text: expression.text.to_owned(),
            cost,
            remedies: Vec::new(),
        };
        if found.is_over() {
            let mut candidates = self.unlimited.clone();
            below(self.schemas, id, &self.path, &mut candidates);
            let fits = |limited: &[&Candidate], limit: u64| {
                let limited = with_limits(self.schemas, limited, limit);
                cost_in(&limited).is_some_and(|cost| cost <= Site::LIMIT)
            };
            found.remedies = self.remedies(&candidates, fits);
        }
        self.costs.push(found);
    }

    fn remedies(
        &self,
        candidates: &[Candidate],
        fits: impl Fn(&[&Candidate], u64) -> bool,
    ) -> Vec<Vec<Bound>> {
        let mut together: Vec<&Candidate> = candidates.iter().collect();
        if !fits(&together, 1) {
            return Vec::new();
        }
        let alone = candidates.iter().filter(|one| fits(&[one], 1));
        let mut remedies: Vec<_> =
            alone.map(|one| self.bounds(&[one], largest(&[one], &fits))).collect();
        let limit = largest(&together, &fits);
        for one in candidates {
            let others = together.iter().copied().filter(|other| other.0 != one.0);
            let others: Vec<_> = others.collect();
            if fits(&others, limit) {
                together = others;
            }
        }
        if together.len() > 1 {
            remedies.push(self.bounds(&together, largest(&together, &fits)));
        }
        remedies
    }

    fn bounds(&self, candidates: &[&Candidate], limit: u64) -> Vec<Bound> {
        let bound = |(id, path): &&Candidate| {
            let keyword = keyword(self.schemas.get(*id))?;
            Some(Bound { path: path.clone(), keyword, limit })
        };
        candidates.iter().filter_map(bound).collect()
    }
}

/// The largest limit that `candidates` can have together, known to be 1 at least.
fn largest(candidates: &[&Candidate], fits: impl Fn(&[&Candidate], u64) -> bool) -> u64 {
    let (mut fitting, mut too_large) = (1, MAX_LIMIT);
    while too_large - fitting > 1 {
        let middle = u64::midpoint(fitting, too_large);
        if fits(candidates, middle) {
            fitting = middle;
        } else {
            too_large = middle;
        }
    }
    fitting
}

#[derive(Clone, Copy)]
struct CostedExpression<'d> {
    field: &'static str,
    text: &'d str,
    optional: bool,
}

impl CostedExpression<'_> {
    fn cost(&self, schemas: &Schemas<'_>, root: SchemaId, path: &FieldPath) -> Option<u64> {
        let text = self.text.trim();
        if text.is_empty() {
            return None;
        }
        let site = Site::find(schemas, root, path, self.optional)?;
        let checked = site.environment.compile(self.text).ok()?;
        // The server counts one run of a message, however often the rule can fail.
        let is_rule = self.field == "rule";
        Some(if is_rule { site.total(&checked) } else { site.each(&checked).max })
    }
}

fn is_collection(schema: &Schema<'_>) -> bool {
    matches!(schema.type_name, "array" | "object")
}

/// The limit that a schema could have and has not.
fn keyword(schema: &Schema<'_>) -> Option<&'static str> {
    let bounds = schema.bounds();
    let fixed = matches!(schema.format, "duration" | "date" | "date-time")
        || schema.enum_values.is_some_and(|list| list.items().len() > 0);
    match schema.type_name {
        "array" => bounds.max_items.is_none().then_some("maxItems"),
        "object" if schema.additional_schema().is_some() => {
            bounds.max_properties.is_none().then_some("maxProperties")
        }
        "string" => (bounds.max_length.is_none() && !fixed).then_some("maxLength"),
        _ if schema.extensions().int_or_string => {
            bounds.max_length.is_none().then_some("maxLength")
        }
        _ => None,
    }
}

fn children<'s>(schema: &'s Schema<'_>) -> impl Iterator<Item = (Segment, SchemaId)> + 's {
    let element = schema.item_schema().into_iter().chain(schema.additional_schema());
    let element = element.map(|id| (Segment::Key("*".into()), id));
    schema.properties.iter().map(|(name, id)| (Segment::named(name), id)).chain(element)
}

/// Adds the schemas without a limit from `id` down, level by level.
fn below(schemas: &Schemas<'_>, id: SchemaId, path: &FieldPath, out: &mut Vec<Candidate>) {
    let mut level = vec![(id, path.clone())];
    while !level.is_empty() && out.len() < MAX_CANDIDATES {
        let mut next = Vec::new();
        for (id, path) in level {
            let schema = schemas.get(id);
            next.extend(children(schema).map(|(step, id)| (id, path.clone().join(step))));
            if keyword(schema).is_some() {
                out.push((id, path));
            }
        }
        level = next;
    }
    out.truncate(MAX_CANDIDATES);
}

fn with_limits<'d>(schemas: &Schemas<'d>, limited: &[&Candidate], limit: u64) -> Schemas<'d> {
    let mut schemas = schemas.clone();
    let limit = i64::try_from(limit).ok();
    for (id, _) in limited {
        let Some(schema) = schemas.rows.get_mut(id.index()) else { continue };
        let keyword = keyword(schema);
        let bounds = schema.bounds.get_or_insert_default();
        match keyword {
            Some("maxItems") => bounds.max_items = limit,
            Some("maxProperties") => bounds.max_properties = limit,
            _ => bounds.max_length = limit,
        }
    }
    schemas
}
