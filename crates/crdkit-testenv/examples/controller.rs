//! A small controller, and tests of it that have a server each.
//!
//! The controller keeps a config map for every lamp. `cargo test -p crdkit-testenv --features kube --example controller` runs the tests;
//! as a program it shows the same once.
#![expect(clippy::print_stdout, reason = "a program that shows something")]

use crdkit_testenv::TestEnv;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams};
use kube::{Api, Client, ResourceExt as _};
use std::collections::BTreeMap;
use std::error::Error;

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
        properties: {spec: {type: object, properties: {colour: {type: string, enum: [red, blue], default: red}}}}
";
const LAMP: &str = "
apiVersion: example.com/v1
kind: Lamp
metadata: {name: desk}
spec: {}
";

/// Makes every config map what its lamp says.
async fn reconcile(client: &Client) -> Result<(), kube::Error> {
    let kind = GroupVersionKind::gvk("example.com", "v1", "Lamp");
    let resource = ApiResource::from_gvk(&kind);
    let lamps: Api<DynamicObject> = Api::default_namespaced_with(client.clone(), &resource);
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    for lamp in lamps.list(&ListParams::default()).await? {
        let colour = lamp.data.pointer("/spec/colour").and_then(|it| it.as_str());
        let mut map = ConfigMap {
            data: Some(BTreeMap::from([("colour".into(), colour.unwrap_or_default().into())])),
            ..ConfigMap::default()
        };
        map.metadata.name = Some(lamp.name_any());
        let own = PatchParams::apply("lamps").force();
        maps.patch(&lamp.name_any(), &own, &Patch::Apply(map)).await?;
    }
    Ok(())
}

/// The colour that the config map called `name` has.
async fn colour(client: &Client, name: &str) -> Result<Option<String>, kube::Error> {
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let map = maps.get_opt(name).await?;
    Ok(map.and_then(|map| map.data?.remove("colour")))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let env = TestEnv::builder().crds(CRD)?.objects(LAMP)?.start().await?;
    let client = env.client().await?;
    reconcile(&client).await?;
    println!("{:?}", colour(&client, "desk").await?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_lamp_has_a_config_map() {
        let env = TestEnv::builder().crds(CRD).unwrap().start().await.unwrap();
        let client = env.client().await.unwrap();
        reconcile(&client).await.unwrap();
        assert_eq!(colour(&client, "desk").await.unwrap(), None);
        env.create(LAMP).await.unwrap();
        reconcile(&client).await.unwrap();
        assert_eq!(colour(&client, "desk").await.unwrap().as_deref(), Some("red"));
    }

    #[tokio::test]
    async fn cases_start_from_the_same_place() {
        let env = TestEnv::builder().crds(CRD).unwrap().start().await.unwrap();
        let client = env.client().await.unwrap();
        let empty = env.snapshot().await.unwrap();
        for wanted in ["red", "blue"] {
            let spec = format!("spec: {{colour: {wanted}}}");
            env.create(&LAMP.replace("spec: {}", &spec)).await.unwrap();
            reconcile(&client).await.unwrap();
            assert_eq!(colour(&client, "desk").await.unwrap().as_deref(), Some(wanted));
            env.restore(&empty).await.unwrap();
            assert_eq!(colour(&client, "desk").await.unwrap(), None);
        }
    }
}
