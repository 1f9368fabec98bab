//! A custom resource as a Rust type: `kube` derives the CRD, crdkit judges values of the type before they are sent.
#![expect(clippy::print_stdout, reason = "a program for people")]

use crdkit::{Crd, RequestOptions};
use kube::{CustomResource, CustomResourceExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::error::Error;

#[derive(CustomResource, Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Lamp", namespaced)]
struct LampSpec {
    #[schemars(range(max = 60))]
    watts: u32,
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let crd = Crd::try_from(&Lamp::crd())?;
    let lamps = crd.version("v1").ok_or("v1 is not served")?;
    let judge = |watts| -> Result<_, Box<dyn Error>> {
        let lamp = serde_json::to_vec(&Lamp::new("desk", LampSpec { watts }))?;
        Ok(lamps.create(&lamp, &RequestOptions::new()))
    };
    assert!(judge(40)?.is_accepted());
    let refused = judge(100)?.into_result().err().ok_or("accepted")?;
    println!("{refused}");
    assert_eq!(refused.code, 422);
    Ok(())
}
