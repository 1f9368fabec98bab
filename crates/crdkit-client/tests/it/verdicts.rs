//! Objects are judged before they are sent: what is refused costs no request, and says where it is wrong.

use crate::support::{CRD, at, client, document, lamp, lamps, server};
use crdkit_client::{ClientError, ClientGates, Manifest, WriteOptions};
use crdkit_engine::FieldValidation;
use crdkit_schema::set::CrdSet;

fn crds() -> CrdSet {
    let (crds, notes) = CrdSet::load([document(CRD)]);
    assert!(notes.is_empty());
    crds
}

const FILE: &str = "# two lamps
apiVersion: example.com/v1
kind: Lamp
metadata: {name: desk}
spec:
  bulbs: 3
---
apiVersion: example.com/v1
kind: Lamp
metadata: {name: hall}
spec:
  colour: pink
  bulbs: 300
";

#[tokio::test]
async fn a_file_is_judged_before_anything_is_sent() {
    let env = server().await;
    let (client, wire) = client(&env, ClientGates::default()).await;
    let client = client.with_crds(crds());
    let manifests = Manifest::all("lamps.yaml", FILE.as_bytes()).unwrap();
    assert_eq!(manifests.len(), 2);
    let made = client.create(&manifests[0]).await.unwrap();
    assert_eq!(at(&made, "/spec/bulbs"), "3");
    wire.take();
    let lamps = lamps(&client);
    let error = lamps.create_manifest(&manifests[1], &WriteOptions::default()).await.unwrap_err();
    assert!(wire.take().is_empty());
    let text = error.to_string();
    assert!(text.contains("lamps.yaml:12:11: "), "{text}");
    assert!(text.contains("lamps.yaml:13:10: "), "{text}");
    let ClientError::Verdict(verdict) = error else { panic!("{error}") };
    // The server says the same.
    let (client, _) = crate::support::client(&env, ClientGates::default()).await;
    let hall = manifests[1].document();
    let refused = crate::support::lamps(&client).create(hall, &WriteOptions::default()).await;
    let mut theirs = refused.unwrap_err().status().unwrap().causes().to_vec();
    let mut ours = verdict.status.causes().to_vec();
    theirs.sort_by(|a, b| a.field.cmp(&b.field));
    ours.sort_by(|a, b| a.field.cmp(&b.field));
    assert_eq!(ours, theirs);
}

#[tokio::test]
async fn a_change_is_judged_against_what_is_there() {
    let env = server().await;
    let (client, wire) = client(&env, ClientGates::default()).await;
    let client = client.with_crds(crds());
    let lamps = lamps(&client);
    let write = WriteOptions::default();
    let made = lamps.create(&lamp("desk", r#"{"serial":"a"}"#), &write).await.unwrap();
    wire.take();
    let mut other = made.clone();
    let spec = other.root().get("spec").unwrap().id();
    other.insert(spec, "serial", "b");
    let error = lamps.replace(&other, &write).await.unwrap_err();
    assert!(error.to_string().contains("a serial number stays"), "{error}");
    assert_eq!(wire.take().iter().filter(|it| it.method == "PUT").count(), 0);
    lamps.replace(&made, &write).await.unwrap();

    let strict = WriteOptions { field_validation: Some(FieldValidation::Strict), ..write.clone() };
    let unknown = lamp("odd", r#"{"volts":5}"#);
    let error = lamps.create(&unknown, &strict).await.unwrap_err();
    assert!(
        matches!(&error, ClientError::Verdict(verdict) if verdict.status.code == 400),
        "{error}"
    );
    lamps.create(&unknown, &write).await.unwrap();
    let status = lamps.clone().subresource("status");
    let lit = lamps.get("odd").await.unwrap().with("status", &document(r#"{"lit":200}"#));
    let error = status.replace(&lit, &write).await.unwrap_err();
    assert!(matches!(&error, ClientError::Verdict(_)), "{error}");
}
