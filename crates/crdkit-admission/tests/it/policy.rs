//! What follows from policies and their bindings.

use crdkit_admission::policy::{Judgement, Policy, PolicyBinding, judge};
use crdkit_admission::{AdmissionRequest, Operation, User};
use crdkit_codec::{DecodeOptions, Format};
use crdkit_text::kind::{GroupVersionKind, GroupVersionResource};
use crdkit_value::Document;

fn yaml(text: &str) -> Document {
    Format::Yaml.decode(text.as_bytes(), &DecodeOptions::default()).unwrap().document
}

const RULES: &str = "matchConstraints: {resourceRules: [{operations: [CREATE], apiGroups: [apps], \
                     apiVersions: [v1], resources: [deployments]}]}";

/// What a policy with `spec` and a binding with `binding` say about a deployment with seven replicas in `garden`.
fn judged(spec: &str, binding: &str) -> Judgement {
    let policy = yaml(&format!("metadata: {{name: replicas}}\nspec:\n  {RULES}\n{spec}"));
    let binding =
        yaml(&format!("metadata: {{name: all}}\nspec:\n  policyName: replicas\n{binding}"));
    let object = yaml("{metadata: {name: web, labels: {tier: front}}, spec: {replicas: 7}}");
    let namespace = yaml("{metadata: {name: garden, labels: {limit: '5'}}}");
    let kind = GroupVersionKind::of("apps/v1", "Deployment");
    let resource = GroupVersionResource {
        group: "apps".into(),
        version: "v1".into(),
        resource: "deployments".into(),
    };
    let user = User::default();
    let request = AdmissionRequest {
        name: "web",
        namespace: "garden",
        object: Some(&object),
        namespace_object: Some(&namespace),
        ..AdmissionRequest::new(Operation::Create, &kind, &resource, &user)
    };
    let params = |kind: &GroupVersionKind,
                  reference: &crdkit_admission::policy::ParamRef,
                  namespace: &str| {
        assert_eq!((kind.kind.as_str(), namespace), ("Limit", "garden"));
        let found = (&*reference.name == "small").then(|| yaml("{max: 3}"));
        Ok(found.into_iter().collect())
    };
    let (policies, bindings) =
        ([Policy::read(policy.root())], [PolicyBinding::read(binding.root())]);
    judge(&policies, &bindings, &request, (&|object, _| Ok(object.clone()), &params))
}

/// The answer to a request that is refused.
fn refused(spec: &str) -> Option<(u16, String)> {
    let judgement = judged(spec, "  validationActions: [Deny]\n");
    judgement.refusal.map(|status| (status.code, status.message))
}

fn words(message: &str) -> String {
    format!(
        "deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'replicas' with binding 'all' denied request: {message}"
    )
}

#[test]
fn an_expression_that_does_not_hold_refuses() {
    assert_eq!(refused("  validations: [{expression: object.spec.replicas <= 9}]\n"), None);
    assert_eq!(
        refused("  validations: [{expression: object.spec.replicas <= 5}]\n"),
        Some((422, words("failed expression: object.spec.replicas <= 5")))
    );
    assert_eq!(
        refused("  validations: [{expression: 'false', message: too many, reason: Forbidden}]\n"),
        Some((403, words("too many")))
    );
    assert_eq!(
        refused(
            "  validations: [{expression: 'false', message: no, messageExpression: \"'got ' + string(object.spec.replicas)\"}]\n"
        ),
        Some((422, words("got 7")))
    );
}

#[test]
fn variables_are_seen_by_what_comes_after_them() {
    let spec = "
  variables:
  - {name: limit, expression: int(namespaceObject.metadata.labels.limit)}
  - {name: broken, expression: object.spec.nothing}
  - {name: excess, expression: object.spec.replicas - variables.limit}
  validations:
  - expression: variables.excess <= 0 || false && variables.broken
    messageExpression: string(variables.excess) + ' too many'
";
    assert_eq!(refused(spec), Some((422, words("2 too many"))));
    let read = spec.replace("false && variables.broken", "variables.broken == 1");
    let (_, message) = refused(&read).unwrap();
    assert!(
        message.contains(r#"composited variable "broken" fails to evaluate: no such key: nothing"#),
        "{message}"
    );
}

#[test]
fn an_error_is_for_the_failure_policy() {
    let spec = "  validations: [{expression: object.spec.nothing > 1}]\n";
    let (code, message) = refused(spec).unwrap();
    assert_eq!(code, 422);
    assert!(
        message.ends_with(
            "expression 'object.spec.nothing > 1' resulted in error: no such key: nothing"
        )
    );
    assert_eq!(refused(&format!("  failurePolicy: Ignore\n{spec}")), None);
}

#[test]
fn parameters_come_with_the_binding() {
    let spec = "  paramKind: {apiVersion: rules/v1, kind: Limit}\n  validations: [{expression: object.spec.replicas <= params.max}]\n";
    let with = |reference: &str| {
        let binding = format!("  paramRef: {reference}\n  validationActions: [Deny]\n");
        judged(spec, &binding).refusal.map(|status| status.message)
    };
    assert_eq!(
        with("{name: small}"),
        Some(words("failed expression: object.spec.replicas <= params.max"))
    );
    assert!(
        with("{name: other, parameterNotFoundAction: Deny}").unwrap().contains("no params found")
    );
    assert_eq!(with("{name: other, parameterNotFoundAction: Allow}"), None);
}

#[test]
fn a_binding_narrows_and_says_what_follows() {
    let spec = "  validations: [{expression: 'false', message: never}]\n";
    let warned = judged(spec, "  validationActions: [Warn]\n");
    assert!(warned.refusal.is_none());
    assert_eq!(
        warned.remarks.warnings,
        ["Validation failed for ValidatingAdmissionPolicy 'replicas' with binding 'all': never"]
    );
    let elsewhere = "  validationActions: [Deny]\n  matchResources: {objectSelector: {matchLabels: {tier: back}}}\n";
    assert!(judged(spec, elsewhere).refusal.is_none());
}

/// An expression that costs a good half of what one may.
const COSTLY: &str = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(a, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(b, \
                      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(c, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(d, \
                      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(e, e >= 0)))))";

const USED_UP: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// A list of `n` members of a policy, each with an expression under `key`.
fn list(name: &str, n: usize, item: impl Fn(usize) -> String) -> String {
    let items: Vec<String> = (0..n).map(|at| format!("  - {}\n", item(at))).collect();
    format!("  {name}:\n{}", items.concat())
}

#[test]
fn conditions_have_a_budget() {
    let conditions = |n, first: &str| {
        let conditions = list("matchConditions", n, |at| {
            let expression = if at == 0 { first } else { COSTLY };
            format!("{{name: c{at}, expression: \"{expression}\"}}")
        });
        refused(&format!("{conditions}  validations: [{{expression: 'false', message: never}}]\n"))
    };
    assert_eq!(conditions(3, "true"), Some((422, words("never"))));
    assert_eq!(conditions(3, "false"), None);
    // Each is evaluated, so that one that is false does not help.
    assert_eq!(conditions(10, "false"), Some((422, words(USED_UP))));
}

#[test]
fn validations_and_messages_share_a_budget() {
    let validations = |n, message: &str| {
        let item = |_| format!("{{expression: \"{COSTLY}\", message: no{message}}}");
        refused(&list("validations", n, item))
    };
    assert_eq!(validations(8, ""), None);
    assert_eq!(validations(40, ""), Some((422, words(USED_UP))));
    // Messages are made whether they are needed or not.
    let message = format!(", messageExpression: \"{COSTLY} ? 'a' : 'b'\"");
    assert_eq!(validations(4, &message), None);
    assert_eq!(
        validations(11, &message),
        Some((422, words(&format!("failed messageExpression: {USED_UP}"))))
    );
    let ignored = list("validations", 40, |_| format!("{{expression: \"{COSTLY}\"}}"));
    assert_eq!(refused(&format!("  failurePolicy: Ignore\n{ignored}")), None);
}

#[test]
fn only_variables_that_are_read_cost_anything() {
    let spec = |expression: &str| {
        let variables =
            list("variables", 40, |at| format!("{{name: v{at}, expression: \"{COSTLY}\"}}"));
        refused(&format!("{variables}  validations: [{{expression: \"{expression}\"}}]\n"))
    };
    let all: Vec<String> = (0..40).map(|at| format!("variables.v{at}")).collect();
    let all = all.join(" && ");
    assert_eq!(spec("variables.v1 && variables.v1"), None);
    assert_eq!(spec(&format!("true || {all}")), None);
    assert_eq!(spec(&all), Some((422, words(USED_UP))));
}

#[test]
fn the_audit_log_is_told() {
    let notes = |annotations: &str, binding: &str| {
        let spec = format!("  failurePolicy: Fail\n  auditAnnotations: {annotations}\n");
        let judgement = judged(&spec, binding);
        let message = judgement.refusal.map(|status| status.message);
        (judgement.remarks.audit_annotations, message)
    };
    let (audit, deny) = ("  validationActions: [Audit]\n", "  validationActions: [Deny]\n");
    let note = |key: &str, value: &str| (format!("replicas/{key}"), value.to_owned());
    assert_eq!(
        notes(
            "[{key: many, valueExpression: \"' ' + string(object.spec.replicas) + ' '\"}, {key: none, valueExpression: 'null'}]",
            deny
        ),
        (vec![note("many", "7")], None)
    );
    let ten = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
    let text = format!(
        "{ten}.map(a, {ten}.map(b, {ten}.map(c, '123456789ä0').join('')).join('')).join('')"
    );
    let (long, _) = notes(&format!("[{{key: long, valueExpression: \"{text}\"}}]"), audit);
    assert_eq!(long.iter().map(|(_, text)| text.len()).collect::<Vec<_>>(), [10 << 10]);
    // What cannot be told refuses, whatever the binding says.
    let (told, message) =
        notes("[{key: many, valueExpression: string(object.spec.nothing)}]", audit);
    assert_eq!(told, []);
    assert_eq!(
        message,
        Some(words(
            "expression 'string(object.spec.nothing)' resulted in error: no such key: nothing"
        ))
    );
}

#[test]
fn conditions_see_no_namespace_and_audit_annotations_no_authorizer() {
    let condition = "  matchConditions: [{name: a, expression: 'namespaceObject == null'}]\n  validations: [{expression: 'false', message: never}]\n";
    assert_eq!(refused(condition), Some((422, words("never"))));
    let annotation = "  auditAnnotations: [{key: a, valueExpression: \"authorizer.path('/x').check('get').allowed() ? 'a' : 'b'\"}]\n";
    let (_, message) = refused(annotation).unwrap();
    assert!(message.ends_with("no such attribute(s): authorizer"), "{message}");
}
