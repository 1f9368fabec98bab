//! Judges a change of an object that is stored: what only updates have counts, and what was wrong before may stay.
#![expect(clippy::print_stdout, reason = "a program for people")]

use crdkit::{Crd, Format, RequestOptions};
use std::error::Error;

const CRD: &str = "\
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
        properties:
          spec:
            type: object
            properties:
              socket:
                type: string
                x-kubernetes-validations:
                - {rule: self == oldSelf, message: a lamp keeps its socket}
              watts: {type: integer}
";

fn lamp(socket: &str, watts: u32) -> String {
    let metadata = "metadata: {name: desk, namespace: default}";
    format!(
        "apiVersion: example.com/v1\nkind: Lamp\n{metadata}\nspec: {{socket: {socket}, watts: {watts}}}\n"
    )
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let crd: Crd = CRD.parse()?;
    let lamps = crd.version("v1").ok_or("v1 is not served")?;
    let options = RequestOptions::new();
    let (before, dimmed, other) = (lamp("E27", 60), lamp("E27", 40), lamp("E14", 40));
    let yaml = |text| (Format::Yaml, str::as_bytes(text));

    let stored = lamps.create(yaml(&before), &options).into_stored().ok_or("refused")?;
    // Read once, replaced any number of times.
    let accepted =
        lamps.read(yaml(&dimmed), &options).map_err(|it| format!("{:?}", it.status()))?;
    assert!(accepted.update(&stored).is_accepted());
    let refused = lamps.read(yaml(&other), &options).map_err(|it| format!("{:?}", it.status()))?;
    let status = refused.update(&stored).into_result().err().ok_or("accepted")?;
    println!("{} {}: {status}", status.code, status.reason);
    assert!(status.message.ends_with("a lamp keeps its socket"));
    Ok(())
}
