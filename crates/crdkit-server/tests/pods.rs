//! What clients ask about pods that run, of a server without nodes.

use crdkit_codec::{DecodeOptions, Format, go_json};
use crdkit_server::Server;
use crdkit_value::{Document, Value};

const PODS: &str = "/api/v1/namespaces/default/pods";
const WEB: &str = r#"{"metadata":{"name":"web"},"spec":{"containers":[
    {"name":"a","image":"a","resources":{"requests":{"cpu":"1"}}},{"name":"b","image":"b"}]}}"#;

async fn call(server: &Server, method: &str, path: &str, body: &str) -> (u16, Document) {
    let kind = match method {
        "PATCH" => "application/strategic-merge-patch+json",
        _ => "application/json",
    };
    let answer = server.call(method, path, kind, body.to_owned()).await;
    let decoded = Format::Json.decode(&answer.body, &DecodeOptions::default());
    (answer.code, decoded.map_or_else(|_| Document::null(), |decoded| decoded.document))
}

fn at(document: &Document, pointer: &str) -> String {
    document.root().pointer(pointer).map(go_json::value).unwrap_or_default()
}

fn message(document: &Document) -> &str {
    document.root().get("message").and_then(Value::as_str).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_lead_as_far_as_they_do_without_nodes() {
    let server = Server::builder().start().await.unwrap();
    assert_eq!(call(&server, "POST", PODS, WEB).await.0, 201);
    let service = r#"{"metadata":{"name":"web"},"spec":{"ports":[{"port":80}]}}"#;
    let services = "/api/v1/namespaces/default/services";
    assert_eq!(call(&server, "POST", services, service).await.0, 201);
    let node = r#"{"metadata":{"name":"one"}}"#;
    assert_eq!(call(&server, "POST", "/api/v1/nodes", node).await.0, 201);
    let choose = "a container name must be specified for pod web, choose one of: [a b]";
    let hostless = "pod web does not have a host assigned";
    let unknown = "container c is not valid for pod web";
    for (method, path, code, words) in [
        ("GET", "pods/web/log", 400, choose),
        ("GET", "pods/web/log?container=c", 400, unknown),
        ("GET", "pods/web/log?container=a", 204, ""),
        ("GET", "pods/none/log", 404, "pods \"none\" not found"),
        ("POST", "pods/web/exec?command=ls", 400, choose),
        ("GET", "pods/web/exec?command=ls&container=b", 400, hostless),
        ("POST", "pods/web/attach?container=b", 400, hostless),
        ("POST", "pods/web/portforward", 400, hostless),
        ("GET", "pods/web/proxy", 400, "address not allowed"),
        ("GET", "pods/web:80/proxy/a/b", 400, "address not allowed"),
        (
            "GET",
            "services/http:web:80/proxy",
            503,
            "no endpoints available for service \"http:web:80\"",
        ),
    ] {
        let path = format!("/api/v1/namespaces/default/{path}");
        let (found, answer) = call(&server, method, &path, "").await;
        assert_eq!((found, message(&answer)), (code, words), "{path}");
    }
    let target = r#"{"metadata":{"name":"web"},"target":{"name":"one"}}"#;
    assert_eq!(call(&server, "POST", &format!("{PODS}/web/binding"), target).await.0, 201);
    let (code, answer) = call(&server, "GET", &format!("{PODS}/web/log?container=a"), "").await;
    let addresses = "no preferred addresses found; known addresses: []";
    assert_eq!((code, message(&answer)), (500, addresses));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn containers_are_added_to_pods_that_run_and_stay_as_they_are() {
    let server = Server::builder().start().await.unwrap();
    assert_eq!(call(&server, "POST", PODS, WEB).await.0, 201);
    let path = format!("{PODS}/web/ephemeralcontainers");
    let debug = r#"{"metadata":{"labels":{"not":"taken"}},"spec":{"containers":[{"name":"a","image":"other"}],
        "ephemeralContainers":[{"name":"debug","image":"busybox","targetContainerName":"a"}]}}"#;
    let (code, pod) = call(&server, "PATCH", &path, debug).await;
    assert_eq!(code, 200, "{pod:?}");
    assert_eq!(at(&pod, "/spec/ephemeralContainers/0/name"), "\"debug\"");
    assert_eq!(at(&pod, "/spec/containers/0/image"), "\"a\"");
    assert_eq!(at(&pod, "/metadata/labels"), "");
    assert_eq!(at(&pod, "/metadata/generation"), "2");
    let (code, _) = call(&server, "PATCH", &format!("{PODS}/web"), debug).await;
    assert_eq!(code, 200, "images and labels are changed in the pod");
    let changed = debug.replace("busybox", "alpine");
    let gone = r#"{"spec":{"ephemeralContainers":null}}"#;
    for (patch, words) in [(&*changed, "may not be changed"), (gone, "may not be removed")] {
        let (code, refused) = call(&server, "PATCH", &path, patch).await;
        let words = format!("existing ephemeral containers \"debug\" {words}");
        assert!(code == 422 && message(&refused).contains(&words), "{refused:?}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_have_the_labels_of_their_pods() {
    let server = Server::builder().start().await.unwrap();
    let job = r#"{"metadata":{"name":"once"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"a"}]}}}}"#;
    let (code, job) = call(&server, "POST", "/apis/batch/v1/namespaces/default/jobs", job).await;
    assert_eq!(code, 201, "{job:?}");
    assert_eq!(at(&job, "/metadata/labels/job-name"), "\"once\"");
    assert_eq!(at(&job, "/metadata/labels"), at(&job, "/spec/template/metadata/labels"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn containers_get_more_or_less() {
    let server = Server::builder().start().await.unwrap();
    assert_eq!(call(&server, "POST", PODS, WEB).await.0, 201);
    let path = format!("{PODS}/web/resize");
    let resize = |resources: &str| {
        format!(
            r#"{{"spec":{{"containers":[{{"name":"a","image":"other","resources":{resources}}}]}}}}"#
        )
    };
    let (code, pod) = call(&server, "PATCH", &path, &resize(r#"{"requests":{"cpu":"2"}}"#)).await;
    assert_eq!(code, 200, "{pod:?}");
    assert_eq!(at(&pod, "/spec/containers/0/resources/requests/cpu"), "\"2\"");
    assert_eq!(at(&pod, "/spec/containers/0/image"), "\"a\"");
    for (resources, words) in [
        (r#"{"requests":{"cpu":null}}"#, "resource requests cannot be removed"),
        (r#"{"requests":{"example.com/a":"1"}}"#, "only cpu and memory resources are mutable"),
        (r#"{"requests":{"cpu":"-1"}}"#, "must be greater than or equal to 0"),
    ] {
        let (code, refused) = call(&server, "PATCH", &path, &resize(resources)).await;
        assert!(code == 422 && message(&refused).contains(words), "{resources}: {refused:?}");
    }
    let (code, _) =
        call(&server, "PATCH", &format!("{PODS}/web"), &resize(r#"{"requests":{"cpu":"3"}}"#))
            .await;
    assert_eq!(code, 422, "a pod that runs is resized by its subresource alone");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pods_are_put_onto_nodes_once() {
    let server = Server::builder().start().await.unwrap();
    let node =
        r#"{"metadata":{"name":"one","labels":{"topology.kubernetes.io/zone":"z","other":"x"}}}"#;
    assert_eq!(call(&server, "POST", "/api/v1/nodes", node).await.0, 201);
    let spec = r#""containers":[{"name":"a","image":"a"}]"#;
    for (name, more) in [
        ("own", ""),
        ("named", ""),
        ("gated", r#","schedulingGates":[{"name":"a.b/c"}]"#),
        ("placed", r#","nodeName":"one""#),
    ] {
        let pod = format!(r#"{{"metadata":{{"name":"{name}"}},"spec":{{{spec}{more}}}}}"#);
        assert_eq!(call(&server, "POST", PODS, &pod).await.0, 201, "{name}");
    }
    let named = "/api/v1/namespaces/default/bindings";
    let own = &*format!("{PODS}/own/binding");
    let one = r#""target":{"kind":"Node","name":"one"}"#;
    let refused = "Operation cannot be fulfilled on";
    for (path, metadata, target, code, words) in [
        (named, r#""name":"none""#, one, 404, "pods \"none\" not found".to_owned()),
        (named, "", one, 400, "Name parameter required.".to_owned()),
        (
            named,
            r#""name":"gated""#,
            one,
            409,
            format!(
                "{refused} pods/binding \"gated\": pod gated has non-empty .spec.schedulingGates"
            ),
        ),
        (
            named,
            r#""name":"named""#,
            r#""target":{"kind":"Pod"}"#,
            500,
            "[target.kind: Unsupported value: \"Pod\": supported values: \"Node\", \"<empty>\", \
             target.name: Required value]"
                .to_owned(),
        ),
        (
            own,
            r#""name":"named""#,
            one,
            400,
            "name in URL does not match name in Binding object".to_owned(),
        ),
        (
            named,
            r#""name":"named","namespace":"other""#,
            one,
            400,
            "the namespace of the provided object does not match the namespace sent on the request"
                .to_owned(),
        ),
        (
            own,
            r#""name":"own","annotations":{"a":"b"},"labels":{"c":"d"}"#,
            one,
            201,
            String::new(),
        ),
        (named, r#""name":"named""#, one, 201, String::new()),
        (
            named,
            r#""name":"named""#,
            one,
            409,
            format!(
                "{refused} pods/binding \"named\": pod named is already assigned to node \"one\""
            ),
        ),
    ] {
        let body = format!(r#"{{"metadata":{{{metadata}}},{target}}}"#);
        let (found, answer) = call(&server, "POST", path, &body).await;
        assert_eq!((found, message(&answer)), (code, &*words), "{path} {body}");
        assert_eq!(at(&answer, "/code"), code.to_string(), "{path} {body}");
    }
    for (name, labels) in [
        ("own", r#"{"c":"d","topology.kubernetes.io/zone":"z"}"#),
        ("named", ""),
        ("placed", r#"{"topology.kubernetes.io/zone":"z"}"#),
    ] {
        let (_, pod) = call(&server, "GET", &format!("{PODS}/{name}"), "").await;
        assert_eq!(at(&pod, "/spec/nodeName"), "\"one\"", "{name}");
        assert_eq!(at(&pod, "/metadata/labels"), labels, "{name}");
    }
    let (_, pod) = call(&server, "GET", &format!("{PODS}/own"), "").await;
    assert_eq!(at(&pod, "/metadata/annotations"), r#"{"a":"b"}"#);
    assert_eq!(at(&pod, "/status/conditions/0/type"), "\"PodScheduled\"");
    for (method, path, code) in [
        ("GET", "/api/v1/namespaces/default/bindings", 405),
        ("GET", "/api/v1/namespaces/default/bindings/own", 404),
        ("GET", "/api/v1/bindings", 404),
    ] {
        assert_eq!(call(&server, method, path, "").await.0, code, "{method} {path}");
    }
    let (_, resources) = call(&server, "GET", "/api/v1", "").await;
    let listed = resources.root().get("resources").into_iter().flat_map(Value::items);
    assert_eq!(
        listed.filter(|it| it.get("kind").and_then(Value::as_str) == Some("Binding")).count(),
        2,
        "its own path, and that of the pod"
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn budgets_are_asked_about_evictions() {
    let server = Server::builder().start().await.unwrap();
    let budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    let labelled = r#"{"metadata":{"name":"web","labels":{"a":"b"}},"spec":{"nodeName":"one","containers":[{"name":"a","image":"a"}]}}"#;
    assert_eq!(call(&server, "POST", PODS, labelled).await.0, 201);
    let is = async |ready: &str| {
        let status = format!(
            r#"{{"status":{{"phase":"Running","conditions":[{{"type":"Ready","status":"{ready}"}}]}}}}"#
        );
        let path = format!("{PODS}/web/status");
        assert_eq!(call(&server, "PATCH", &path, &status).await.0, 200);
    };
    let budget = async |name: &str, policy: &str, status: &str| {
        let body = format!(
            r#"{{"metadata":{{"name":"{name}"}},"spec":{{"selector":{{"matchLabels":{{"a":"b"}}}}{policy}}}}}"#
        );
        let path = format!("{budgets}/{name}");
        call(&server, "DELETE", &path, "").await;
        assert_eq!(call(&server, "POST", budgets, &body).await.0, 201);
        let (_, mut whole) = call(&server, "GET", &path, "").await;
        let status = Format::Json.decode(status.as_bytes(), &DecodeOptions::default()).unwrap();
        whole.insert(whole.root().id(), "status", &status.document);
        let whole = go_json::value(whole.root());
        assert_eq!(call(&server, "PUT", &format!("{path}/status"), &whole).await.0, 200);
    };
    let evict = async |name: &str, query: &str| {
        let body = format!(r#"{{"metadata":{{"name":"{name}"}}}}"#);
        call(&server, "POST", &format!("{PODS}/web/eviction{query}"), &body).await
    };
    let state = |generation: u8, allowed: u8, healthy: u8, desired: u8| {
        format!(
            r#"{{"observedGeneration":{generation},"disruptionsAllowed":{allowed},"currentHealthy":{healthy},"desiredHealthy":{desired},"expectedPods":0}}"#
        )
    };
    let (code, answer) = evict("other", "").await;
    let mismatch = "name in URL does not match name in Eviction object";
    assert_eq!((code, message(&answer)), (400, mismatch));
    let violates = "Cannot evict pod as it would violate the pod's disruption budget.";
    for (ready, status, words) in [
        ("True", state(0, 1, 1, 1), "one is still being processed by the server."),
        ("True", state(1, 0, 1, 2), "one needs 2 healthy pods and has 1 currently"),
        ("True", state(1, 0, 2, 1), "one does not allow evicting pods currently"),
        ("False", state(1, 0, 0, 0), "one needs 0 healthy pods and has 0 currently"),
    ] {
        is(ready).await;
        budget("one", "", &status).await;
        let (code, answer) = evict("web", "").await;
        assert_eq!((code, message(&answer)), (429, violates), "{status}");
        let cause = format!("\"The disruption budget {words}\"");
        assert_eq!(at(&answer, "/details/causes/0/message"), cause, "{status}");
    }
    budget("two", "", &state(1, 1, 2, 1)).await;
    let (code, answer) = evict("web", "").await;
    assert!(code == 500 && message(&answer).contains("more than one"), "{answer:?}");
    assert_eq!(call(&server, "DELETE", &format!("{budgets}/two"), "").await.0, 200);
    let always = r#","unhealthyPodEvictionPolicy":"AlwaysAllow""#;
    for (ready, policy, status) in [
        ("False", always, state(0, 0, 0, 0)),
        ("False", "", state(1, 0, 2, 1)),
        ("True", "", state(1, 1, 2, 1)),
    ] {
        is(ready).await;
        budget("one", policy, &status).await;
        assert_eq!(evict("web", "?dryRun=All").await.0, 201, "{status}");
    }
    assert_eq!(evict("web", "").await.0, 201);
    let (_, counted) = call(&server, "GET", &format!("{budgets}/one"), "").await;
    assert_eq!(at(&counted, "/status/disruptionsAllowed"), "0");
    assert_ne!(at(&counted, "/status/disruptedPods/web"), "");
    assert_eq!(at(&counted, "/status/conditions/0/reason"), "\"InsufficientPods\"");
    assert!(at(&counted, "/metadata/managedFields").contains("\"kube-apiserver\""));
    let (_, pod) = call(&server, "GET", &format!("{PODS}/web"), "").await;
    assert_eq!(at(&pod, "/status/conditions/1/reason"), "\"EvictionByEvictionAPI\"");
    assert_ne!(at(&pod, "/metadata/deletionTimestamp"), "");
    assert_eq!(evict("web", "").await.0, 201, "what is being deleted needs no budget");
    server.stop().await;
}
