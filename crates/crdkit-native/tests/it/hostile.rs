//! Input that means harm: nothing panics, nothing overflows.

use crdkit_codec::{DecodeOptions, json};
use crdkit_engine::RequestOptions;
use crdkit_native::{NativeKinds, protobuf};
use crdkit_value::Limits;
use proptest::prelude::*;

#[test]
fn schemas_inside_of_schemas_end_somewhere() {
    let depth = 5_000;
    let schema = format!("{}{}", r#"{"not":"#.repeat(depth), "{}".to_owned() + &"}".repeat(depth));
    let text = format!(
        r#"{{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{{"name":"a.b"}},
            "spec":{{"versions":[{{"name":"v1","schema":{{"openAPIV3Schema":{schema}}}}}]}}}}"#
    );
    let kind = NativeKinds::latest().find("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    let outcome = kind.expect("a kind").create(&*text, &RequestOptions::new());
    assert_eq!(outcome.status().map(|status| status.code), Some(400));
    let document = json::decode(text.as_bytes(), &DecodeOptions::default()).expect("JSON").document;
    assert!(protobuf::encode(document.root()).is_err());
}

proptest! {
    #[test]
    fn any_bytes_are_a_body_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let mut body = protobuf::MAGIC.to_vec();
        body.extend(b"\x0a\x09\x0a\x02v1\x12\x03Pod\x12");
        body.extend(&bytes);
        let _ = protobuf::decode(&body, &Limits::default());
    }

    /// Whatever stands in a field, an object is accepted or refused, and what is accepted is accepted again.
    #[test]
    fn objects_are_judged_whatever_they_hold(
        text in "[a-zA-Z0-9./:-]{0,12}", number in any::<i64>(), at in 0..6_usize,
    ) {
        let value = match at % 3 {
            0 => format!("{text:?}"),
            1 => number.to_string(),
            _ => format!("[{{\"name\":{text:?},\"port\":{number}}}]"),
        };
        let field = ["ports", "type", "selector", "clusterIP", "externalIPs", "sessionAffinity"];
        let field = field.get(at).copied().unwrap_or("ports");
        let body = format!(r#"{{"metadata":{{"name":"a"}},"spec":{{"{field}":{value}}}}}"#);
        let services = NativeKinds::latest().resource("", "v1", "services").expect("a kind");
        let options = RequestOptions::new();
        let outcome = services.create(&*body, &options);
        if let Some(stored) = outcome.into_stored() {
            let again = services.read(stored.document().clone(), &options);
            prop_assert!(again.is_ok(), "what was stored can be read");
        }
    }
}
