//! Expressions of policies held against the kinds that the policies are about.

use crdkit_admission::KnownSchemas;
use crdkit_admission::policy::{COST_LIMIT, PolicyCheck, check};
use crdkit_codec::{DecodeOptions, Format};
use crdkit_value::Document;

fn document(text: &str) -> Document {
    let decoded = Format::Yaml.decode(text.as_bytes(), &DecodeOptions::default());
    decoded.expect("YAML").document
}

/// The check of a policy about some resources, whose members of `spec` are given.
fn checked(kind: &str, resources: &str, spec: &str) -> PolicyCheck {
    let crd = document(
        "
spec:
  group: example.com
  names: {kind: Lamp, plural: lamps}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              watts: {type: integer}
              tags: {type: array, maxItems: 3, items: {type: string, maxLength: 5}}
              extra: {type: object, x-kubernetes-preserve-unknown-fields: true}
",
    );
    let policy = document(&format!(
        "{{kind: {kind}, metadata: {{name: p}}, spec: {{matchConstraints: {{resourceRules: [{resources}]}}, {spec}}}}}"
    ));
    check(policy.root(), &KnownSchemas::new(vec![crd]))
}

const LAMPS: &str =
    "{apiGroups: [example.com], apiVersions: [v1], resources: [lamps], operations: ['*']}";
const WORKLOADS: &str = "{apiGroups: [apps], apiVersions: [v1], resources: [deployments, replicasets], operations: ['*']}";

fn lines(check: &PolicyCheck) -> Vec<String> {
    let line = |it: &crdkit_admission::policy::ExpressionFinding| {
        let kind = it.kind.as_ref().map_or("any", |kind| &kind.kind);
        format!("{} {kind}: {}", it.field, it.summary)
    };
    check.findings.iter().map(line).collect()
}

fn judged(resources: &str, expression: &str) -> Vec<String> {
    let spec = format!("validations: [{{expression: \"{expression}\"}}]");
    lines(&checked("ValidatingAdmissionPolicy", resources, &spec))
}

#[test]
fn fields_are_those_of_the_kinds() {
    assert_eq!(judged(WORKLOADS, "object.spec.replicas < 5"), [""; 0]);
    assert_eq!(
        judged(WORKLOADS, "object.spec.replcas < 5"),
        [
            "spec.validations[0].expression Deployment: undefined field 'replcas'",
            "spec.validations[0].expression ReplicaSet: undefined field 'replcas'",
        ]
    );
    assert_eq!(judged(LAMPS, "object.spec.watts < 5 && has(object.metadata.labels)"), [""; 0]);
    assert_eq!(judged(LAMPS, "object.spec.extra.anything == 1"), [""; 0]);
    assert_eq!(
        judged(LAMPS, "oldObject.spec.watts.startsWith('a')"),
        [
            "spec.validations[0].expression Lamp: found no matching overload for 'startsWith' applied to 'int.(string)'"
        ]
    );
}

#[test]
fn what_is_no_expression_is_wrong_for_all() {
    assert_eq!(
        judged("{apiGroups: ['*'], apiVersions: ['*'], resources: ['*']}", "request.nothing == 1"),
        ["spec.validations[0].expression any: undefined field 'nothing'"]
    );
    assert_eq!(
        judged(LAMPS, "object.metadata.name"),
        ["spec.validations[0].expression any: must evaluate to bool but got dyn"]
    );
    assert_eq!(
        judged(LAMPS, "namespaceObject == null || namespaceObject.metadata.labels['a'] == 'b'"),
        [""; 0]
    );
}

#[test]
fn variables_and_parameters_have_types() {
    let spec = "paramKind: {apiVersion: v1, kind: ConfigMap}, variables: [{name: w, expression: object.spec.watts}], validations: [{expression: 'variables.w.size() > 1'}, {expression: 'params.dta.a == string(variables.w)', messageExpression: '1'}]";
    assert_eq!(
        lines(&checked("ValidatingAdmissionPolicy", LAMPS, spec)),
        [
            "spec.validations[1].messageExpression any: must evaluate to string but got int",
            "spec.validations[0].expression Lamp: found no matching overload for 'size' applied to 'int.()'",
            "spec.validations[1].expression Lamp: undefined field 'dta'",
        ]
    );
    let spec = "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{spec: Object.spec{watts: object.spec.wats}}'}}]";
    assert_eq!(
        lines(&checked("MutatingAdmissionPolicy", LAMPS, spec)),
        ["spec.mutations[0].applyConfiguration.expression Lamp: undefined field 'wats'"]
    );
}

#[test]
fn the_status_says_it_as_the_api_server_does() {
    let spec = "validations: [{expression: 'object.replicas > 1'}]";
    let found = checked("ValidatingAdmissionPolicy", WORKLOADS, spec);
    let expected = "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\napps/v1, Kind=ReplicaSet: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^";
    assert_eq!(found.warnings(), [("spec.validations[0].expression", expected.to_owned())]);
}

#[test]
fn bounds_of_schemas_bound_costs() {
    let spec = "validations: [{expression: \"object.spec.tags.all(t, t.startsWith('a'))\"}]";
    let found = checked("ValidatingAdmissionPolicy", LAMPS, spec);
    let most = found.costs.first().expect("a cost").most;
    assert!((1..COST_LIMIT).contains(&most), "{most}");
    let spec = "validations: [{expression: \"object.spec.template.spec.containers.all(c, c.image.contains('a'))\"}]";
    let found = checked("ValidatingAdmissionPolicy", WORKLOADS, spec);
    assert!(found.costs.iter().all(|cost| cost.most > COST_LIMIT), "{:?}", found.costs);
}
