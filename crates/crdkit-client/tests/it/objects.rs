//! Objects of a real server: written, read, changed and deleted, as documents and as Rust types.

use crate::support::{at, client, document, lamp, lamps, name, server};
use crdkit_client::{
    ApplyOptions, ClientError, ClientGates, DeleteOptions, Deleted, ListOptions, Patch,
    Propagation, Resource, WriteOptions,
};
use crdkit_value::Document;
use k8s_openapi::api::core::v1::ConfigMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[tokio::test]
async fn objects_are_written_and_read() {
    let env = server().await;
    let (client, _) = client(&env, ClientGates::default()).await;
    let lamps = lamps(&client);
    let write = WriteOptions::default();
    for number in 0..5 {
        let colour = if number == 0 { "red" } else { "blue" };
        let object = lamp(&format!("lamp-{number}"), &format!(r#"{{"colour":"{colour}"}}"#));
        lamps.create(&object, &write).await.unwrap();
    }
    assert_eq!(lamps.create(&lamp("lamp-0", "{}"), &write).await.unwrap_err().code(), 409);
    let pages = ListOptions { limit: 2, ..ListOptions::default() };
    let page = lamps.list(&pages).await.unwrap();
    assert_eq!(page.items.len(), 2);
    assert!(!page.continue_token.is_empty());
    let all = lamps.list_all(&pages).await.unwrap();
    let names: Vec<_> = all.items.iter().map(name).collect();
    assert_eq!(names, ["lamp-0", "lamp-1", "lamp-2", "lamp-3", "lamp-4"]);
    assert_eq!(at(&all.items[0], "/kind"), "Lamp");
    let one =
        ListOptions { field_selector: "metadata.name=lamp-3".into(), ..ListOptions::default() };
    assert_eq!(lamps.list(&one).await.unwrap().items.len(), 1);
    let dry = WriteOptions { dry_run: true, ..WriteOptions::default() };
    lamps.create(&lamp("dry", "{}"), &dry).await.unwrap();
    assert_eq!(lamps.get("dry").await.unwrap_err().code(), 404);
    let patch = Patch::Json(document(r#"[{"op":"test","path":"/spec/colour","value":"green"}]"#));
    assert_eq!(lamps.patch("lamp-0", &patch, &write).await.unwrap_err().code(), 422);
    let patch = Patch::Strategic(document("{}"));
    assert_eq!(lamps.patch("lamp-0", &patch, &write).await.unwrap_err().code(), 415);

    let held = Patch::Merge(document(r#"{"metadata":{"finalizers":["example.com/hold"]}}"#));
    let object = lamps.patch("lamp-0", &held, &write).await.unwrap();
    let wrong = DeleteOptions { uid: "no".into(), ..DeleteOptions::default() };
    assert_eq!(lamps.delete("lamp-0", &wrong).await.unwrap_err().code(), 409);
    let right = DeleteOptions {
        uid: at(&object, "/metadata/uid"),
        propagation: Some(Propagation::Background),
        ..DeleteOptions::default()
    };
    assert!(matches!(lamps.delete("lamp-0", &right).await.unwrap(), Deleted::Held(_)));
    let release = Patch::Merge(document(r#"{"metadata":{"finalizers":null}}"#));
    lamps.patch("lamp-0", &release, &write).await.unwrap();
    assert_eq!(lamps.get("lamp-0").await.unwrap_err().code(), 404);
    let gone = lamps.delete("lamp-1", &DeleteOptions::default()).await.unwrap();
    assert!(
        matches!(gone, Deleted::Gone(status) if status.details.as_ref().unwrap().name == "lamp-1")
    );
    lamps.delete_collection(&ListOptions::default(), &DeleteOptions::default()).await.unwrap();
    assert!(lamps.list(&ListOptions::default()).await.unwrap().items.is_empty());
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lamp {
    api_version: String,
    kind: String,
    metadata: Metadata,
    spec: LampSpec,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    name: String,
    resource_version: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct LampSpec {
    colour: Option<String>,
    bulbs: Option<i32>,
}

#[tokio::test]
async fn objects_are_values_of_rust_types() {
    let env = server().await;
    for gates in [ClientGates::default(), crate::support::CBOR] {
        let (client, _) = client(&env, gates).await;
        let lamps =
            client.typed::<Lamp>(Resource::new("example.com", "v1", "lamps")).within("default");
        let desk = Lamp {
            api_version: "example.com/v1".into(),
            kind: "Lamp".into(),
            metadata: Metadata { name: "desk".into(), resource_version: None },
            spec: LampSpec { colour: Some("red".into()), bulbs: None },
        };
        let mut made = lamps.create(&desk, &WriteOptions::default()).await.unwrap();
        assert_eq!(made.spec, LampSpec { colour: Some("red".into()), bulbs: Some(1) });
        made.spec.bulbs = Some(7);
        let now = lamps.replace(&made, &WriteOptions::default()).await.unwrap();
        assert_eq!(lamps.get("desk").await.unwrap(), now);
        assert_eq!(lamps.replace(&made, &WriteOptions::default()).await.unwrap_err().code(), 409);
        lamps.delete("desk", &DeleteOptions::default()).await.unwrap();

        let maps = client.typed::<ConfigMap>(Resource::of::<ConfigMap>()).within("default");
        let mut notes = ConfigMap {
            data: Some(BTreeMap::from([("a".into(), "b".into())])),
            ..ConfigMap::default()
        };
        notes.metadata.name = Some("notes".into());
        assert_eq!(maps.create(&notes, &WriteOptions::default()).await.unwrap().data, notes.data);
        assert_eq!(maps.list_all(&ListOptions::default()).await.unwrap().items.len(), 1);
        maps.delete("notes", &DeleteOptions::default()).await.unwrap();
    }
}

#[tokio::test]
async fn what_was_applied_is_changed_and_applied_again() {
    let env = server().await;
    let (client, _) = client(&env, ClientGates::default()).await;
    let lamps = lamps(&client);
    let mine = ApplyOptions::by("me");
    lamps.apply(&lamp("desk", r#"{"colour":"red"}"#), &mine).await.unwrap();
    let patch = Patch::Merge(document(r#"{"spec":{"bulbs":9},"metadata":{"labels":{"a":"b"}}}"#));
    lamps.patch("desk", &patch, &WriteOptions::default()).await.unwrap();
    let mut applied: Document = lamps.applied("desk", "me").await.unwrap().unwrap();
    assert_eq!(at(&applied, "/spec"), r#"{"colour":"red"}"#);
    let spec = applied.root().get("spec").unwrap().id();
    applied.insert(spec, "colour", "blue");
    let now = lamps.apply(&applied, &mine).await.unwrap();
    assert_eq!((at(&now, "/spec/colour"), at(&now, "/spec/bulbs")), ("blue".into(), "9".into()));
    assert!(lamps.applied("desk", "you").await.unwrap().is_none());
    let conflict =
        lamps.apply(&lamp("desk", r#"{"colour":"red"}"#), &ApplyOptions::by("you")).await;
    let conflict = conflict.unwrap_err();
    assert_eq!(conflict.code(), 409);
    assert_eq!(conflict.status().unwrap().causes()[0].field, ".spec.colour");
}

#[tokio::test]
async fn kinds_are_found() {
    let env = server().await;
    let (client, _) = client(&env, ClientGates::default()).await;
    let desk = lamp("desk", "{}");
    let api = client.api_of(&desk).await.unwrap();
    api.create(&desk, &WriteOptions::default()).await.unwrap();
    let unknown =
        document(r#"{"apiVersion":"example.com/v1","kind":"Shade","metadata":{"name":"x"}}"#);
    let error = client.api_of(&unknown).await.err().unwrap();
    assert!(matches!(&error, ClientError::UnknownKind { .. }), "{error}");
    assert_eq!(error.to_string(), "the server has no kind Shade in example.com/v1");
    let node = document(r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"new"}}"#);
    client.api_of(&node).await.unwrap().create(&node, &WriteOptions::default()).await.unwrap();
}
