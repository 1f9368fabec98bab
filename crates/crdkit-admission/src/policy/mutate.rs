//! `MutatingAdmissionPolicy`: how it changes an object.
//!
//! A mutation is a JSON patch that an expression makes, or an object that is laid over the one of the request as
//! server-side apply would do it. Policies run in the order of their names; when one has changed the object, those before
//! it that want to are asked once more.
//!
//! Upstream: `apiserver/pkg/admission/plugin/policy/mutating`.

use super::basis::{Basis, text};
use super::{Convert, FindParams, PolicyBinding};
use crate::evaluate::{BUDGET, Evaluator, Surroundings};
use crate::expression::{Compiler, Expression};
use crate::matching::Match;
use crate::request::AdmissionRequest;
use crate::rounds::Rounds;
use crdkit_patch::json::{self, OperationError};
use crdkit_patch::{PatchError, PatchLimits};
use crdkit_schema::status::{Cause, Status};
use crdkit_text::kind::GroupVersionKind;
use crdkit_value::{Document, NodeId, Value};
use std::collections::BTreeSet;

/// A policy that changes objects.
#[derive(Debug)]
pub struct MutatingPolicy {
    basis: Basis,
    /// Whether it is asked again when others have changed the object since.
    reinvoked: bool,
    mutations: Vec<Mutation>,
}

#[derive(Debug)]
enum Mutation {
    /// Steps of a patch.
    Patch(Expression),
    /// An object that is laid over the other.
    Apply(Expression),
}

/// Lays an object of a kind over another one, as its schema says, or says why not.
pub type MergeFn<'m> =
    &'m dyn Fn(&GroupVersionKind, &mut Document, &Document) -> Result<(), String>;

/// What a caller does for policies that change objects.
#[derive(Clone, Copy)]
pub struct MutateTools<'t> {
    /// Gives objects in another version.
    pub convert: Convert<'t>,
    /// Finds parameters.
    pub find_params: FindParams<'t>,
    /// Lays an object over another.
    pub merge: MergeFn<'t>,
}

impl MutatingPolicy {
    /// The policy in `value`.
    pub fn read(value: Value<'_>) -> Self {
        let mut compiler = Compiler::mutating();
        let basis = Basis::read(value, &mut compiler);
        let spec = value.get("spec");
        let mutations = spec.and_then(|spec| spec.get("mutations"));
        let mutations = mutations.into_iter().flat_map(Value::items).filter_map(|mutation| {
            let expression = |key: &str| Some(text(mutation.get(key)?, "expression"));
            match mutation.get("patchType")?.as_str()? {
                "JSONPatch" => Some(Mutation::Patch(compiler.patch(&expression("jsonPatch")?))),
                "ApplyConfiguration" => {
                    Some(Mutation::Apply(compiler.object(&expression("applyConfiguration")?)))
                }
                _ => None,
            }
        });
        let mutations = mutations.collect();
        let again = spec.and_then(|spec| spec.get("reinvocationPolicy")?.as_str());
        Self { basis, reinvoked: again == Some("IfNeeded"), mutations }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.basis.name
    }

    /// Problems of its expressions, each with the field it stands in.
    pub fn problems(&self) -> Vec<(String, String)> {
        let mut problems = self.basis.problems();
        for (at, mutation) in self.mutations.iter().enumerate() {
            let (key, expression) = match mutation {
                Mutation::Patch(expression) => ("jsonPatch", expression),
                Mutation::Apply(expression) => ("applyConfiguration", expression),
            };
            if let Some(problem) = expression.problem() {
                let field = format!("spec.mutations[{at}].{key}.expression");
                problems.push((field, problem.to_owned()));
            }
        }
        problems
    }
}

/// A policy, a binding and parameters that concern a request.
struct Invocation<'p> {
    /// What tells it from others.
    name: String,
    policy: &'p MutatingPolicy,
    binding: &'p PolicyBinding,
    matched: Match,
    params: Option<Document>,
}

/// Changes `object`, that of `request`, as all policies say that are bound and have their turn in this round.
///
/// # Errors
/// The answer, when a policy could not do its work and that counts.
pub fn mutate(
    policies: &[MutatingPolicy],
    bindings: &[PolicyBinding],
    request: &AdmissionRequest<'_>,
    object: &mut Document,
    tools: MutateTools<'_>,
    rounds: &mut Rounds,
) -> Result<(), Box<Status>> {
    let mut problems = Vec::new();
    let mut invocations = Vec::new();
    for policy in policies {
        let Some(matched) = policy.basis.constraints.find(request) else { continue };
        let bound =
            bindings.iter().filter(|it| *it.policy == *policy.basis.name && it.selects(request));
        for binding in bound {
            match policy.basis.params(binding, request, tools.find_params) {
                Ok(params) => {
                    let all = params.into_iter().enumerate().map(|(at, params)| Invocation {
                        name: format!("{}/{}/{at}", policy.basis.name, binding.name),
                        policy,
                        binding,
                        matched: matched.clone(),
                        params,
                    });
                    invocations.extend(all);
                }
                Err(problem) => {
                    let problem = format!("failed to configure binding: {problem}");
                    problems.push((policy, binding, problem, "Forbidden"));
                }
            }
        }
    }
    for invocation in invocations {
        if !rounds.asks(&invocation.name, invocation.policy.reinvoked) {
            continue;
        }
        let before = object.clone();
        if let Err(problem) = invocation.run(request, object, tools)? {
            problems.push((invocation.policy, invocation.binding, problem, "Invalid"));
        }
        rounds.asked(invocation.name, before.root() != object.root());
    }
    let mut told = BTreeSet::new();
    let counted: Vec<_> =
        problems.into_iter().filter(|(policy, ..)| !policy.basis.ignores_failure).collect();
    let reason = counted.first().map_or("Invalid", |(.., reason)| reason);
    let messages = counted.into_iter().map(|(policy, binding, problem, _)| {
        let (policy, binding) = (&policy.basis.name, &binding.name);
        format!("policy '{policy}' with binding '{binding}' denied request: {problem}")
    });
    let messages: Vec<String> = messages.filter(|text| told.insert(text.clone())).collect();
    let Some(first) = messages.first() else { return Ok(()) };
    let details = request.forbidden("").details.unwrap_or_default();
    let refusal = Status::new(403, reason, first.clone()).details(details);
    Err(Box::new(messages.into_iter().fold(refusal, |refusal, message| {
        refusal.cause(Cause { reason: "".into(), field: String::new(), message })
    })))
}

impl Invocation<'_> {
    /// Changes `object` by all mutations, or gives the problem of the first that cannot be made.
    fn run(
        &self,
        request: &AdmissionRequest<'_>,
        object: &mut Document,
        tools: MutateTools<'_>,
    ) -> Result<Result<(), String>, Box<Status>> {
        let is_same = self.matched.kind == *request.kind;
        let mut seen =
            if is_same { object.clone() } else { (tools.convert)(object, &self.matched)? };
        let old = match request.old_object {
            Some(old) if !is_same => Some((tools.convert)(old, &self.matched)?),
            old => old.cloned(),
        };
        match self.concerns(&AdmissionRequest {
            object: Some(&seen),
            old_object: old.as_ref(),
            ..*request
        }) {
            Ok(true) => {}
            Ok(false) => return Ok(Ok(())),
            Err(problem) => return Ok(Err(problem)),
        }
        let mut outcome = Ok(());
        for mutation in &self.policy.mutations {
            let asked =
                AdmissionRequest { object: Some(&seen), old_object: old.as_ref(), ..*request };
            let made = self.evaluate(mutation, &asked);
            let changed = made.and_then(|made| self.change(mutation, &mut seen, made, tools));
            if let Err(problem) = changed {
                outcome = outcome.and(Err(problem));
            }
        }
        *object = if is_same {
            seen
        } else {
            let own = Match { resource: request.resource.clone(), kind: request.kind.clone() };
            (tools.convert)(&seen, &own)?
        };
        Ok(outcome)
    }

    /// Whether the conditions hold, for the object before any mutation.
    fn concerns(&self, request: &AdmissionRequest<'_>) -> Result<bool, String> {
        let basis = &self.policy.basis;
        let around = Surroundings::new(request, &self.matched);
        let inputs = around.inputs_of_conditions(request, self.params.as_ref());
        basis.conditions.hold(inputs, &basis.variables)
    }

    /// What the expression of a mutation makes.
    fn evaluate(
        &self,
        mutation: &Mutation,
        request: &AdmissionRequest<'_>,
    ) -> Result<Document, String> {
        let around = Surroundings::new(request, &self.matched);
        let inputs = around.inputs(request, self.params.as_ref());
        let evaluator = Evaluator::new(inputs, &self.policy.basis.variables, BUDGET);
        let (Mutation::Patch(expression) | Mutation::Apply(expression)) = mutation;
        evaluator.document(expression).unwrap_or_else(|problem| Err(problem.to_string()))
    }

    fn change(
        &self,
        mutation: &Mutation,
        object: &mut Document,
        made: Document,
        tools: MutateTools<'_>,
    ) -> Result<(), String> {
        match mutation {
            Mutation::Patch(_) => {
                let patch = json::JsonPatch::from_document(made, &PatchLimits::default());
                let patch = patch.map_err(|error| format!("JSON Patch: {error}"))?;
                match patch.apply(object) {
                    // A test that fails means that nothing is to be done.
                    Ok(())
                    | Err(PatchError::Operation { error: OperationError::TestFailed(_), .. }) => {
                        Ok(())
                    }
                    Err(error) => Err(format!("JSON Patch: {error}")),
                }
            }
            Mutation::Apply(_) => {
                let mut made = made;
                let kind = &self.matched.kind;
                made.insert(NodeId::ROOT, "apiVersion", &kind.group_version().to_string());
                made.insert(NodeId::ROOT, "kind", &kind.kind);
                (tools.merge)(kind, object, &made)
                    .map_err(|problem| format!("error applying patch: {problem}"))
            }
        }
    }
}
