//! Rules compiled and, where they are about defaults, run.

use super::Costs;
use super::RuleScope;
use super::cost;
use crate::check::at;
use crate::check::root::Context;
use crate::compile::SchemaTable;
use crate::internal_json;
use crate::model::{Rule, SchemaId, Schemas};
use crate::path::Path;
use crate::rules::{Compiled, Environments, Evaluator, Types, compile};
use crdkit_issue::{Arg, Code, FieldPath, Issue, codes};
use crdkit_value::Value;
use std::cell::OnceCell;

/// What is known about the schemas of a CRD, found out once, when a rule or a default needs it.
#[derive(Default)]
pub(in crate::check) struct Knowledge {
    types: OnceCell<Types>,
    for_rules: OnceCell<SchemaTable>,
    for_defaults: OnceCell<SchemaTable>,
}

impl Knowledge {
    fn types(&self, context: Context<'_, '_>) -> &Types {
        self.types.get_or_init(|| Types::of(context.schemas, context.roots))
    }

    /// The schemas as rules see their values.
    fn for_rules(&self, context: Context<'_, '_>) -> &SchemaTable {
        self.for_rules.get_or_init(|| SchemaTable::for_rules(context.schemas, context.roots))
    }

    /// The schemas as defaults are held against them.
    pub(in crate::check) fn for_defaults(&self, context: Context<'_, '_>) -> &SchemaTable {
        self.for_defaults.get_or_init(|| SchemaTable::for_defaults(context.schemas))
    }
}

/// Compiles the rules of the schema that `scope` is about.
pub(in crate::check) fn check(
    context: Context<'_, '_>,
    scope: &RuleScope<'_>,
    path: &Path<'_>,
    uncorrelated: Option<&Path<'_>>,
    costs: &mut Costs,
) -> Vec<Issue> {
    let types = context.rules.types(context);
    let schema = context.schemas.get(scope.schema());
    let list = path.field("x-kubernetes-validations");
    let shape = match scope.shape(types) {
        Ok(Some(shape)) => shape,
        Ok(None) => return Vec::new(),
        Err(problem) => {
            let issue = at(codes::crd::RULE_TYPE, &list, Some(schema.source));
            return vec![issue.with("problem", problem)];
        }
    };
    let environments = Environments::shared();
    let options = context.options;
    let mut issues = Vec::new();
    for (index, rule) in schema.extensions().validations.iter().enumerate() {
        let known =
            |is_known: bool| if is_known { &environments.stored } else { &environments.new };
        let compiled = compile(
            rule.into(),
            types.shapes(),
            shape,
            known(options.known_rules.contains(rule.rule)),
            known(options.known_message_expressions.contains(rule.message_expression)),
        );
        let repeated = scope.repeated(types.min_size(shape));
        let check = RuleCheck { context, rule, path: &list.index(index) };
        check.run(&compiled, repeated, uncorrelated, costs, &mut issues);
    }
    issues
}

/// What the rules of the schema `root`, and of those below it, say about `value`, which was `old` before,
/// and what is left of `budget`: less than nothing if it was not enough. Findings are below `name`.
/// `is_resource` says whether the schema describes a whole object.
pub fn evaluate(
    schemas: &Schemas<'_>,
    root: SchemaId,
    is_resource: bool,
    (value, old): (Value<'_>, Option<Value<'_>>),
    budget: i64,
    name: &str,
) -> (Vec<Issue>, i64) {
    let resources: &[SchemaId] = &[root];
    let compiled = SchemaTable::for_rules(schemas, if is_resource { resources } else { &[] });
    let mut evaluator = Evaluator::new(&compiled.table);
    evaluator.set_budget(u64::try_from(budget).ok());
    let base = FieldPath::root().field(name);
    let found = evaluator.run(compiled.id(root), value, old, &base);
    let left = evaluator.budget().and_then(|left| i64::try_from(left).ok());
    (found.into_iter().map(|(_, issue)| issue).collect(), left.unwrap_or(-1))
}

/// Runs rules on defaults, all with one budget.
pub(in crate::check) struct Defaults<'c> {
    compiled: &'c SchemaTable,
    evaluator: Evaluator<'c>,
}

impl<'c> Defaults<'c> {
    /// Nothing if there are no rules at all.
    pub(in crate::check) fn new(context: Context<'c, '_>) -> Option<Self> {
        let mut schemas = context.schemas.iter();
        schemas.any(|(_, schema)| !schema.extensions().validations.is_empty()).then(|| {
            let compiled = context.rules.for_rules(context);
            Self { compiled, evaluator: Evaluator::new(&compiled.table) }
        })
    }

    pub(in crate::check) fn is_exhausted(&self) -> bool {
        self.evaluator.budget().is_none()
    }

    /// Evaluates the rules of a schema, and of those below it, on its default: as if nothing had
    /// changed, and as if there had been nothing before.
    pub(in crate::check) fn check(
        &mut self,
        id: SchemaId,
        default: Value<'_>,
        path: &FieldPath,
    ) -> Vec<Issue> {
        let evaluator = &mut self.evaluator;
        let budget = evaluator.budget();
        let id = self.compiled.id(id);
        let mut found = evaluator.run(id, default, Some(default), path);
        if found.is_empty() {
            let left = evaluator.budget();
            evaluator.set_budget(budget);
            found = evaluator.run(id, default, None, path);
            evaluator.set_budget(left.min(evaluator.budget()));
        }
        found.into_iter().map(|(_, issue)| issue).collect()
    }
}

/// One rule of a schema.
struct RuleCheck<'c, 'd> {
    context: Context<'c, 'd>,
    rule: &'c Rule<'d>,
    path: &'c Path<'c>,
}

impl RuleCheck<'_, '_> {
    fn report(&self, code: Code, field: &str) -> Issue {
        let source = self.rule.source.get(field).or(Some(self.rule.source));
        at(code, &self.path.field(field), source)
    }

    fn run(
        &self,
        compiled: &Compiled,
        repeated: u64,
        uncorrelated: Option<&Path<'_>>,
        costs: &mut Costs,
        issues: &mut Vec<Issue>,
    ) {
        let cost = compiled.max_cost.saturating_mul(repeated);
        self.cost("rule", "estimated rule cost", cost, costs, issues);
        if let Err(failure) = &compiled.program {
            issues.push(self.failed("rule", failure.of_rule()));
        }
        match &compiled.message {
            Some(Ok(message)) => {
                let name = "estimated messageExpression cost";
                self.cost("messageExpression", name, message.max_cost, costs, issues);
            }
            Some(Err(failure)) => {
                issues.push(self.failed("messageExpression", failure.of_message()));
            }
            None => {}
        }
        if compiled.uses_old_self {
            issues.extend(uncorrelated.map(|within| {
                let issue = self.report(codes::crd::RULE_UNCORRELATED, "rule");
                issue.value(self.rule.rule).with("within", within.to_string())
            }));
        } else if let Some(optional) = self.rule.optional_old_self {
            let issue = self.report(codes::crd::OPTIONAL_OLD_SELF_UNUSED, "optionalOldSelf");
            issues.push(issue.value(optional));
        }
    }

    fn cost(
        &self,
        field: &'static str,
        name: &str,
        cost: u64,
        costs: &mut Costs,
        issues: &mut Vec<Issue>,
    ) {
        if !self.context.suppress_rule_cost && cost > cost::PER_RULE {
            let issue = self.report(codes::crd::RULE_COST, field).with("name", name);
            issues.push(issue.with("factor", cost::factor(cost, cost::PER_RULE)));
        }
        costs.add(&self.path.field(field), cost);
    }

    fn failed(&self, field: &str, detail: String) -> Issue {
        let shown = internal_json::rule(self.context.schemas, self.rule);
        let issue = self.report(codes::crd::RULE_INVALID, field);
        issue.value(Arg::Literal(shown.into())).with("problem", detail)
    }
}
