//! What both kinds of policies have: whom they concern, their parameters, conditions and variables.

use super::{FindParams, PolicyBinding, constraints};
use crate::condition::MatchConditions;
use crate::expression::{Compiler, Expression};
use crate::matching::Constraints;
use crate::request::AdmissionRequest;
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, Value};

/// The part of a policy that says when it is asked.
#[derive(Debug)]
pub(super) struct Basis {
    pub(super) name: Box<str>,
    pub(super) param_kind: Option<GroupVersionKind>,
    pub(super) ignores_failure: bool,
    pub(super) constraints: Constraints,
    pub(super) conditions: MatchConditions,
    pub(super) variables: Vec<(Box<str>, Expression)>,
}

/// A text of an object; empty if there is none.
pub(super) fn text(value: Value<'_>, key: &str) -> Box<str> {
    value.get(key).and_then(Value::as_str).unwrap_or_default().into()
}

impl Basis {
    /// The basis of the policy in `value`. Expressions that `compiler` compiles afterwards see its variables.
    pub(super) fn read(value: Value<'_>, compiler: &mut Compiler) -> Self {
        let spec = value.get("spec");
        let member = |key: &str| spec.and_then(|spec| spec.get(key));
        let variables = member("variables").into_iter().flat_map(Value::items).map(|variable| {
            let name = text(variable, "name");
            let expression = compiler.variable(&name, &text(variable, "expression"));
            (name, expression)
        });
        let variables = variables.collect();
        let param_kind = member("paramKind")
            .map(|kind| GroupVersionKind::of(&text(kind, "apiVersion"), &text(kind, "kind")));
        Self {
            name: value.get("metadata").map(|it| text(it, "name")).unwrap_or_default(),
            param_kind,
            ignores_failure: member("failurePolicy").and_then(Value::as_str) == Some("Ignore"),
            constraints: constraints(member("matchConstraints")),
            conditions: MatchConditions::read(member("matchConditions"), compiler),
            variables,
        }
    }

    /// The objects of parameters for a request; one `None` for a policy that has none.
    ///
    /// # Errors
    /// Why the request cannot be judged.
    pub(super) fn params(
        &self,
        binding: &PolicyBinding,
        request: &AdmissionRequest<'_>,
        find: FindParams<'_>,
    ) -> Result<Vec<Option<Document>>, String> {
        let (Some(kind), Some(reference)) = (&self.param_kind, &binding.param_ref) else {
            return Ok(vec![None]);
        };
        let found = find(kind, reference, request.namespace)?;
        if found.is_empty() && !reference.allows_missing {
            let problem = "no params found for policy binding with `Deny` parameterNotFoundAction";
            return Err(problem.to_owned());
        }
        Ok(found.into_iter().map(Some).collect())
    }

    /// Problems of its expressions, each with the field it stands in.
    pub(super) fn problems(&self) -> Vec<(String, String)> {
        let variables = self.variables.iter().enumerate();
        let mut problems: Vec<(String, String)> = variables
            .filter_map(|(at, (_, expression))| {
                let problem = expression.problem()?.to_owned();
                Some((format!("spec.variables[{at}].expression"), problem))
            })
            .collect();
        let conditions = self.conditions.problems();
        problems.extend(conditions.map(|(at, problem)| {
            (format!("spec.matchConditions[{at}].expression"), problem.to_owned())
        }));
        problems
    }
}
