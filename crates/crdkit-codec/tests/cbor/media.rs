//! Headers and what is decided from them.

use super::document;
use crdkit_codec::media::{
    ClientGates, ContentConfig, Fallback, MediaType, Offer, PatchOffer, PatchType, WriteTarget,
    parse_accept, parse_content_type, request_type,
};

#[test]
fn accept_clauses_are_tried_in_the_servers_order() {
    let order = |header: &str| {
        let names: Vec<_> = parse_accept(header)
            .iter()
            .map(|clause| format!("{}/{} {}", clause.kind, clause.subtype, clause.quality))
            .collect();
        names.join(", ")
    };
    assert_eq!(order("a/b;q=0.5, c/d"), "c/d 1, a/b 0.5");
    assert_eq!(order("*/*, a/*, a/b;q=0.25"), "a/b 0.25, a/* 1, */* 1");
    assert_eq!(order("a/b;q=x, a/c;q=0"), "a/b 0, a/c 0");
    assert_eq!(order("a/b;q=2,*"), "a/b 2, */* 1");
    assert_eq!(order("a, a/b/c, a/, ,,/b"), "/b 1");
    let parameters = &parse_accept(" a/b ; z = 1 ; y=2; y=3; w; v==1;u=1=2")[0].parameters;
    assert_eq!(format!("{parameters:?}"), r#"[("y", "3"), ("z", "1")]"#);
}

/// What an endpoint answers to an `Accept` header, and how it would stream.
#[track_caller]
fn check(offer: &Offer, accept: &str, response: &str, watch: &str) {
    let name = |outcome: Result<_, _>| match outcome {
        Ok(response) => crdkit_codec::media::Response::content_type(&response).to_owned(),
        Err(crdkit_codec::media::NotAcceptable { .. }) => "406".to_owned(),
    };
    assert_eq!(name(offer.response(accept)), response, "{accept}");
    assert_eq!(name(offer.watch(accept)), watch, "watch {accept}");
}

#[test]
fn responses_are_in_what_the_client_accepts() {
    let on = Offer::custom_resource(true);
    let (json, cbor, seq) = ("application/json", "application/cbor", "application/cbor-seq");
    check(&on, "", json, json);
    check(&on, "*/*", json, json);
    check(&on, cbor, cbor, seq);
    check(&on, "application/json;q=0.9,application/cbor;q=1", cbor, seq);
    check(&on, "application/cbor;q=0", cbor, seq);
    check(&on, "APPLICATION/CBOR", "406", "406");
    check(&on, "application/yaml", "application/yaml", "406");
    check(&on, seq, "406", "406");
    check(&on.clone().with_proposal(), seq, "406", seq);
    check(&on, "application/vnd.kubernetes.protobuf", "406", "406");
    check(&on, "application/cbor;as=Table;g=meta.k8s.io;v=v1", "406", "406");
    check(&on, "application/cbor;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", cbor, seq);
    check(&on, "application/cbor;stream=watch", cbor, seq);
    check(&on, "application/cbor;stream=other,application/json", json, json);
    check(&on, "application/cbor;sv=v2", "406", "406");
    let off = Offer::custom_resource(false);
    check(&off, cbor, "406", "406");
    check(&off, "application/cbor,application/json", json, json);
    let only = Offer::builtin(true).without(MediaType::Protobuf);
    check(&only, "application/vnd.kubernetes.protobuf", "406", "406");
    let convert = on.response("application/json;as=Table;g=meta.k8s.io;v=v1").unwrap().convert;
    assert_eq!(convert.unwrap().kind, "Table");
    let message = off.response(cbor).unwrap_err().to_string();
    assert_eq!(
        message,
        "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"
    );
}

#[test]
fn requests_are_read_in_what_they_say_they_are() {
    let read = |header: &str, cbor: bool| {
        request_type(header, &Offer::builtin(cbor), false).map_or("415", MediaType::name)
    };
    assert_eq!(read("", true), "application/json");
    assert_eq!(read("Application/CBOR; charset=\"a;b\"", true), "application/cbor");
    assert_eq!(read("application/cbor", false), "415");
    assert_eq!(read("application/cbor;;", true), "415");
    assert_eq!(read("application/cbor; x", true), "415");
    assert_eq!(read("application/cbor;a=1;a=2", true), "415");
    assert_eq!(read("application/cbor-seq", true), "415");
    assert_eq!(parse_content_type("a/b; c=\"\\\"d\"; e=f ;"), Some("a/b".into()));
    assert_eq!(parse_content_type("a/b; c=\"d"), None);
    assert_eq!(parse_content_type("a/b/c"), None);
    assert_eq!(parse_content_type(""), None);
}

#[test]
fn patches_are_matched_to_the_letter() {
    let patch = |offer: &PatchOffer, header: &str| offer.patch_type(header).ok();
    let custom = PatchOffer::custom_resource(true);
    assert_eq!(patch(&custom, "application/apply-patch+cbor;x"), Some(PatchType::ApplyCbor));
    assert_eq!(patch(&custom, "application/Apply-patch+cbor"), None);
    assert_eq!(patch(&custom, "application/strategic-merge-patch+json"), None);
    assert_eq!(patch(&PatchOffer::custom_resource(false), "application/apply-patch+cbor"), None);
    let strategic = "application/strategic-merge-patch+cbor";
    assert_eq!(patch(&PatchOffer::builtin(true), strategic), None);
    let builtin = PatchOffer::builtin(true).with_proposal();
    assert_eq!(patch(&builtin, strategic), Some(PatchType::StrategicCbor));
    assert_eq!(patch(&PatchOffer::builtin(false).with_proposal(), strategic), None);
}

#[test]
fn gates_decide_what_a_client_writes_and_asks_for() {
    let gates = |allow, prefer| ClientGates { allow, prefer };
    let config = |content_type: &str, accept: &str| ContentConfig {
        content_type: content_type.into(),
        accept: accept.into(),
    };
    let both = "application/json;q=0.9,application/cbor;q=1";
    assert_eq!(gates(false, true).dynamic(), config("application/json", "application/json"));
    assert_eq!(gates(true, false).dynamic(), config("application/json", both));
    assert_eq!(gates(true, true).dynamic(), config("application/cbor", both));
    assert_eq!(gates(true, true).apply(), PatchType::ApplyCbor);
    assert_eq!(gates(false, true).apply(), PatchType::ApplyYaml);
    assert_eq!(gates(false, false).patch(PatchType::StrategicCbor), PatchType::Strategic);
    let nothing = config("", "");
    assert_eq!(
        gates(true, true).resolve(&nothing),
        config("application/cbor", "application/cbor, */*")
    );
    assert_eq!(
        gates(false, true).resolve(&nothing),
        config("application/json", "application/json, */*")
    );
    let asks = config("application/cbor", "application/cbor;q=0.9, application/yaml;q=0.12345;a=b");
    let instead =
        config("application/json", "application/json; q=0.9,application/yaml; a=b; q=0.123");
    assert_eq!(gates(false, false).resolve(&asks), instead);
    assert_eq!(gates(true, false).resolve(&asks), asks);
}

#[test]
fn a_refusal_counts_for_its_method_and_resource_alone() {
    let cbor = "application/cbor";
    let post = |path| WriteTarget::new("POST", path);
    let pods = post("/api/v1/namespaces/a/pods");
    let mut fallback = Fallback::default();
    assert_eq!(fallback.choose(&pods, cbor), cbor);
    assert!(!fallback.saw(&pods, cbor, 400, ""));
    assert!(fallback.saw(&pods, cbor, 415, ""));
    assert_eq!(fallback.choose(&post("/api/v1/namespaces/b/pods?x=1"), cbor), "application/json");
    assert_eq!(
        fallback.choose(&WriteTarget::new("PUT", "/api/v1/namespaces/a/pods/x"), cbor),
        cbor
    );
    assert_eq!(fallback.choose(&post("/api/v1/namespaces/a/services"), cbor), cbor);
    assert_eq!(fallback.choose(&pods, "application/yaml"), "application/yaml");
    let apply = WriteTarget::new("PATCH", "/apis/g/v1/widgets/x");
    assert!(fallback.saw(
        &apply,
        "application/apply-patch+cbor",
        415,
        "application/apply-patch+yaml"
    ));
    assert_eq!(
        fallback.choose(&apply, "application/apply-patch+cbor"),
        "application/apply-patch+yaml"
    );
    assert!(!fallback.saw(
        &apply,
        "application/apply-patch+cbor",
        415,
        "application/json-patch+json"
    ));
    assert!(!fallback.saw(&apply, "application/json", 415, ""));
}

#[test]
fn paths_name_resources() {
    let same = |left, right| WriteTarget::new("get", left) == WriteTarget::new("GET", right);
    assert!(same("/apis/g/v1/namespaces/a/widgets/x", "/apis/g/v1/widgets"));
    assert!(same(
        "/apis/g/v1/namespaces/{namespace}/widgets/{name}/status",
        "/apis/g/v1/widgets/x/status"
    ));
    assert!(!same("/apis/g/v1/widgets/x/status", "/apis/g/v1/widgets/x"));
    assert!(!same("/apis/g/v1/widgets", "/apis/g/v2/widgets"));
    assert!(same("/api/v1/namespaces/a", "/api/v1/namespaces"));
    assert!(same("/api/v1/namespaces/a/status", "/api/v1/namespaces/b/status"));
    assert!(!same("/api/v1/namespaces/a/status", "/api/v1/namespaces/b"));
}

#[test]
fn openapi_documents_say_what_is_taken() {
    let mut fallback = Fallback::default();
    let document = document(
        r#"{"paths":{
            "/apis/g/v1/widgets":{"post":{"requestBody":{"content":{"application/json":{}}}},"get":{}},
            "/apis/g/v1/widgets/{name}":{"put":{"requestBody":{"content":{"application/cbor":{},"application/json":{}}}}},
            "/api/v1/pods":{"post":{"consumes":["*/*"]}},
            "/api/v1/nodes":{"post":{"consumes":["application/json"]}}}}"#,
    );
    fallback.learn_openapi(document.root());
    let choose = |method, path| {
        fallback.choose(&WriteTarget::new(method, path), "application/cbor").to_owned()
    };
    assert_eq!(choose("POST", "/apis/g/v1/widgets"), "application/json");
    assert_eq!(choose("PUT", "/apis/g/v1/widgets/x"), "application/cbor");
    assert_eq!(choose("POST", "/api/v1/pods"), "application/cbor");
    assert_eq!(choose("POST", "/api/v1/nodes"), "application/json");
}
