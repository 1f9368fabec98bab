//! Policies and quotas of a server: objects are changed, judged and counted on their way to the store.
#![expect(clippy::unwrap_used, reason = "tests")]

use crdkit_codec::{DecodeOptions, Format, go_json};
use crdkit_server::Server;
use crdkit_value::{Document, Value};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const POLICIES: &str = "/apis/admissionregistration.k8s.io/v1";

async fn call(server: &Server, method: &str, path: &str, yaml: &str) -> (u16, Document) {
    let body = match yaml {
        "" => String::new(),
        yaml => {
            let decoded = Format::Yaml.decode(yaml.as_bytes(), &DecodeOptions::default());
            go_json::value(decoded.unwrap().document.root())
        }
    };
    let answer = server.call(method, path, "application/json", body).await;
    let decoded = Format::Json.decode(&answer.body, &DecodeOptions::default());
    (answer.code, decoded.map_or_else(|_| Document::null(), |decoded| decoded.document))
}

async fn made(server: &Server, path: &str, yaml: &str) -> Document {
    let (code, document) = call(server, "POST", path, yaml).await;
    assert_eq!(code, 201, "{document:?}");
    document
}

fn text<'d>(document: &'d Document, pointer: &str) -> &'d str {
    document.root().pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The rule of a policy about new maps.
const RULES: &str = "matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}";

async fn policy(server: &Server, kind: &str, plural: &str, name: &str, spec: &str, binding: &str) {
    let policy = format!("{{kind: {kind}, metadata: {{name: {name}}}, spec: {{{RULES}, {spec}}}}}");
    made(server, &format!("{POLICIES}/{plural}"), &policy).await;
    let binding = format!(
        "{{kind: {kind}Binding, metadata: {{name: {name}}}, spec: {{policyName: {name}{binding}}}}}"
    );
    let plural = plural.replace("policies", "policybindings");
    made(server, &format!("{POLICIES}/{plural}"), &binding).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn policies_change_objects_and_one_is_asked_again() {
    let server = Server::builder().start().await.unwrap();
    let mutating = async |name: &str, spec: &str| {
        let plural = "mutatingadmissionpolicies";
        policy(&server, "MutatingAdmissionPolicy", plural, name, spec, "").await;
    };
    // The first copies what only the second gives; it is asked again for that.
    mutating(
        "copies",
        r#"reinvocationPolicy: IfNeeded, failurePolicy: Fail, matchConditions: [{name: given, expression: "has(object.data) && 'a' in object.data"}], mutations: [{patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/data/b', value: object.data.a}]"}}]"#,
    )
    .await;
    mutating(
        "gives",
        r#"reinvocationPolicy: Never, failurePolicy: Fail, mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{data: {'a': request.name}}"}}]"#,
    )
    .await;
    let map = made(&server, MAPS, "{metadata: {name: settings}}").await;
    assert_eq!((text(&map, "/data/a"), text(&map, "/data/b")), ("settings", "settings"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn expressions_ask_the_authorizer() {
    let server = Server::builder().start().await.unwrap();
    let expression = "object.metadata.name == 'own' ? authorizer.requestResource.check('delete').allowed() : \
                      authorizer.serviceAccount('default', 'bot').group('').resource('configmaps').namespace('default').check('delete').allowed()";
    let spec = format!(
        "failurePolicy: Fail, validations: [{{expression: \"{expression}\", message: not allowed}}]"
    );
    let (kind, plural) = ("ValidatingAdmissionPolicy", "validatingadmissionpolicies");
    policy(&server, kind, plural, "asks", &spec, ", validationActions: [Deny]").await;
    made(&server, MAPS, "{metadata: {name: own}}").await;
    let (code, refused) = call(&server, "POST", MAPS, "{metadata: {name: other}}").await;
    assert_eq!(code, 422);
    assert!(text(&refused, "/message").ends_with("denied request: not allowed"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scale_is_seen_as_a_scale() {
    let server = Server::builder().start().await.unwrap();
    let deployments = "/apis/apps/v1/namespaces/default/deployments";
    made(
        &server,
        deployments,
        "{metadata: {name: web}, spec: {replicas: 1, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}",
    )
    .await;
    let rules = "matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [UPDATE], resources: [deployments/scale]}]}";
    let seen = "request.kind.kind == 'Scale' && request.kind.group == 'autoscaling' && request.requestKind.version == 'v1' \
                && request.resource.resource == 'deployments' && request.subResource == 'scale' \
                && object.kind == 'Scale' && oldObject.apiVersion == 'autoscaling/v1' && oldObject.spec.replicas == 1";
    for (kind, plural, name, spec, binding) in [
        (
            "ValidatingAdmissionPolicy",
            "validatingadmissionpolicies",
            "few",
            format!("validations: [{{expression: \"{seen}\", message: other}}, {{expression: object.spec.replicas <= 5, message: too many}}]"),
            ", validationActions: [Deny]",
        ),
        (
            "MutatingAdmissionPolicy",
            "mutatingadmissionpolicies",
            "even",
            "reinvocationPolicy: Never, mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: \"Object{spec: Object.spec{replicas: object.spec.replicas * 2}}\"}}]".to_owned(),
            "",
        ),
    ] {
        let policy = format!(
            "{{kind: {kind}, metadata: {{name: {name}}}, spec: {{{rules}, failurePolicy: Fail, {spec}}}}}"
        );
        made(&server, &format!("{POLICIES}/{plural}"), &policy).await;
        let binding = format!(
            "{{kind: {kind}Binding, metadata: {{name: {name}}}, spec: {{policyName: {name}{binding}}}}}"
        );
        let plural = plural.replace("policies", "policybindings");
        made(&server, &format!("{POLICIES}/{plural}"), &binding).await;
    }
    let path = format!("{deployments}/web/scale");
    let scale = |replicas: u32| {
        format!(
            "{{kind: Scale, apiVersion: autoscaling/v1, metadata: {{name: web}}, spec: {{replicas: {replicas}}}}}"
        )
    };
    let (code, refused) = call(&server, "PUT", &path, &scale(3)).await;
    assert_eq!(
        (code, text(&refused, "/message")),
        (
            422,
            "deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'few' with binding 'few' denied request: too many"
        )
    );
    let (code, scaled) = call(&server, "PUT", &path, &scale(2)).await;
    assert_eq!(code, 200, "{scaled:?}");
    let (_, deployment) = call(&server, "GET", &format!("{deployments}/web"), "").await;
    let replicas = deployment.root().pointer("/spec/replicas").and_then(Value::as_i64);
    assert_eq!(replicas, Some(4));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn quotas_are_counted() {
    let server = Server::builder().start().await.unwrap();
    let quotas = "/api/v1/namespaces/default/resourcequotas";
    made(&server, quotas, "{metadata: {name: few}, spec: {hard: {configmaps: '2'}}}").await;
    let status = "{metadata: {name: few}, spec: {hard: {configmaps: '2'}}, status: {hard: {configmaps: '2'}, used: {configmaps: '0'}}}";
    let (code, _) = call(&server, "PUT", &format!("{quotas}/few/status"), status).await;
    assert_eq!(code, 200);
    let dry = format!("{MAPS}?dryRun=All");
    made(&server, &dry, "{metadata: {name: a}}").await;
    made(&server, MAPS, "{metadata: {name: a}}").await;
    made(&server, MAPS, "{metadata: {name: b}}").await;
    let (code, refused) = call(&server, "POST", MAPS, "{metadata: {name: c}}").await;
    assert_eq!(code, 403);
    assert_eq!(
        text(&refused, "/message"),
        "configmaps \"c\" is forbidden: exceeded quota: few, requested: configmaps=1, used: configmaps=2, limited: configmaps=2"
    );
    let (_, quota) = call(&server, "GET", &format!("{quotas}/few"), "").await;
    assert_eq!(text(&quota, "/status/used/configmaps"), "2");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_status_of_a_policy_says_what_does_not_fit() {
    let server = Server::builder().start().await.unwrap();
    let (kind, plural) = ("ValidatingAdmissionPolicy", "validatingadmissionpolicies");
    let spec = "failurePolicy: Fail, validations: [{expression: object.dta.size() > 0}]";
    policy(&server, kind, plural, "misspelt", spec, ", validationActions: [Audit]").await;
    let path = format!("{POLICIES}/{plural}/misspelt");
    for _ in 0..100 {
        let (_, found) = call(&server, "GET", &path, "").await;
        if found.root().pointer("/status/observedGeneration").is_some() {
            let warning = "/status/typeChecking/expressionWarnings/0";
            assert_eq!(
                text(&found, &format!("{warning}/fieldRef")),
                "spec.validations[0].expression"
            );
            assert_eq!(
                text(&found, &format!("{warning}/warning")),
                "v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'dta'\n | object.dta.size() > 0\n | ......^"
            );
            server.stop().await;
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the policy was not checked");
}
