//! Servers of tests: many at once, apart from one another, and back to where they were.
#![cfg(feature = "kube")]
#![expect(clippy::unwrap_used, reason = "tests")]

use crdkit_testenv::{TestEnv, TestEnvError};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, ListParams, PostParams};
use kube::{Api, Client};
use std::collections::BTreeMap;
use std::time::Duration;

const CRD: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Lamp, plural: lamps}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {watts: {type: integer, maximum: 60, default: 40}}}}
";
const LAMP: &str = "
apiVersion: example.com/v1
kind: Lamp
metadata: {name: desk}
spec: {}
";

fn lamps(client: Client) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("example.com", "v1", "Lamp");
    Api::namespaced_with(client, "default", &ApiResource::from_gvk(&kind))
}

async fn names(lamps: &Api<DynamicObject>) -> Vec<String> {
    let list = lamps.list(&ListParams::default()).await.unwrap();
    list.into_iter().filter_map(|it| it.metadata.name).collect()
}

#[tokio::test]
async fn a_server_has_what_it_was_given() {
    let env = TestEnv::builder().crds(CRD).unwrap().objects(LAMP).unwrap().start().await.unwrap();
    let lamps = lamps(env.client().await.unwrap());
    assert_eq!(names(&lamps).await, ["desk"]);
    let desk = lamps.get("desk").await.unwrap();
    assert_eq!(desk.data["spec"]["watts"], 40);
    assert!(env.kubeconfig_file().is_file());
    let file = env.kubeconfig_file();
    env.stop().await;
    assert!(!file.exists());
}

#[tokio::test]
async fn what_is_wrong_is_told() {
    let wrong = CRD.replace("lamps.example.com", "other.example.com");
    let refused = TestEnv::builder().crds(&wrong).unwrap().start().await.err().unwrap();
    assert!(refused.to_string().contains("spec.names.plural"), "{refused}");
    let env = TestEnv::start().await.unwrap();
    let refused = env.create(LAMP).await.unwrap_err();
    assert!(matches!(&refused, TestEnvError::Refused(status) if status.code == 400), "{refused}");
    assert!(env.create("a: [").await.is_err());
}

#[tokio::test]
async fn a_hundred_servers_run_at_once_and_know_nothing_of_one_another() {
    let servers = (0..100).map(|number| {
        tokio::spawn(async move {
            let env = TestEnv::builder().crds(CRD).unwrap().start().await.unwrap();
            let lamps = lamps(env.client().await.unwrap());
            let name = format!("lamp-{number}");
            let lamp = LAMP.replace("desk", &name);
            env.create(&lamp).await.unwrap();
            assert_eq!(names(&lamps).await, [name]);
            (env, lamps)
        })
    });
    let servers: Vec<_> = servers.collect();
    let mut running = Vec::new();
    for server in servers {
        running.push(server.await.unwrap());
    }
    assert_eq!(running.len(), 100);
    for (_, lamps) in &running {
        assert_eq!(names(lamps).await.len(), 1);
    }
}

#[tokio::test]
async fn a_server_goes_back_to_where_it_was() {
    let env = TestEnv::builder().crds(CRD).unwrap().objects(LAMP).unwrap().start().await.unwrap();
    let client = env.client().await.unwrap();
    let lamps = lamps(client.clone());
    let before = env.snapshot().await.unwrap();
    let other = CRD.replace("lamps", "shades").replace("Lamp", "Shade");
    for _ in 0..3 {
        env.create(&LAMP.replace("desk", "hall")).await.unwrap();
        env.create(&other).await.unwrap();
        lamps.delete("desk", &kube::api::DeleteParams::default()).await.unwrap();
        assert_eq!(names(&lamps).await, ["hall"]);
        env.restore(&before).await.unwrap();
        assert_eq!(names(&lamps).await, ["desk"]);
        let groups = client.list_api_group_resources("example.com/v1").await.unwrap();
        let served: Vec<_> = groups.resources.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(served, ["lamps"]);
    }
    // What was served and is no more comes back too.
    let kind = GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    let crds: Api<DynamicObject> = Api::all_with(client.clone(), &ApiResource::from_gvk(&kind));
    crds.delete("lamps.example.com", &kube::api::DeleteParams::default()).await.unwrap();
    while lamps.list(&ListParams::default()).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    env.restore(&before).await.unwrap();
    assert_eq!(names(&lamps).await, ["desk"]);
}

/// A test that blocks its thread does not block its server.
#[test]
fn any_runtime_will_do() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let env = runtime.block_on(TestEnv::start()).unwrap();
    let other = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    other.block_on(async {
        let client = env.client().await.unwrap();
        let namespaces: Api<Namespace> = Api::all(client.clone());
        assert!(namespaces.get("default").await.is_ok());
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        let data = BTreeMap::from([("a".to_owned(), "b".to_owned())]);
        let map = ConfigMap { data: Some(data), ..ConfigMap::default() };
        let map = ConfigMap {
            metadata: kube::api::ObjectMeta { name: Some("notes".into()), ..Default::default() },
            ..map
        };
        assert!(maps.create(&PostParams::default(), &map).await.is_ok());
    });
}
