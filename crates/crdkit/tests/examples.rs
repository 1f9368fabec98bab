//! The examples run, and the types of the front door can be shared between threads.

#[path = "../examples/stream.rs"]
mod stream;
#[path = "../examples/typed.rs"]
mod typed;
#[path = "../examples/update.rs"]
mod update;
#[path = "../examples/validate.rs"]
mod validate;
#[path = "../examples/webhook.rs"]
mod webhook;

// Proves REQ-110.
#[test]
fn examples_run() {
    stream::main().unwrap();
    typed::main().unwrap();
    update::main().unwrap();
    validate::main().unwrap();
    webhook::main().unwrap();
}

#[test]
fn types_are_shared_between_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<crdkit::Crd>();
    check::<crdkit::CrdSet>();
    check::<crdkit::SharedCrdSet>();
    check::<crdkit::Document>();
    check::<crdkit::Issue>();
    check::<crdkit::Outcome>();
    check::<crdkit::RequestOptions>();
    check::<crdkit::Status>();
    check::<crdkit::Stored>();
    check::<crdkit::structure::Schema>();
}

/// A resource as `kube` derives it has a schema here too, with presence and preserving output.
#[test]
fn a_resource_of_kube_has_a_schema() {
    use crdkit::structure::{CrdSelector, DefaultMode, ImportOptions, ParseOptions, import};
    use kube::{CustomResource, CustomResourceExt as _};
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    #[derive(Clone, Debug, CustomResource, Deserialize, Serialize, JsonSchema)]
    #[kube(group = "example.com", version = "v1", kind = "Lamp", namespaced)]
    struct LampSpec {
        #[serde(default = "forty")]
        watts: u8,
        colour: Option<String>,
    }
    fn forty() -> u8 {
        40
    }

    let text = serde_json::to_string(&Lamp::crd()).unwrap();
    let crd = crdkit::structure::document_of(&text);
    let options = ImportOptions::new()
        .defaults(DefaultMode::Apply)
        .select(CrdSelector::kind("Lamp").group("example.com"));
    let schema = import(crd.root(), &options).unwrap().schema;
    let text = r#"{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a"},"spec":{}}"#;
    let lamp = schema.decode::<Lamp>(text, &ParseOptions::new()).unwrap();
    assert_eq!(lamp.value.spec.watts, 40);
    assert_eq!(String::from_utf8(schema.to_preserving(&lamp).unwrap()).unwrap(), text);
    assert!(
        !schema.parse(&*text.replace("{}", r#"{"watts":300}"#), &ParseOptions::new()).is_valid()
    );
}
