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
