//! Whatever a CRD says about columns, tables are made.

use crate::support::{NoNative, decode, resources};
use crdkit_codec::{DecodeOptions, go_json, json};
use crdkit_server::catalogue::resource::Cell;
use crdkit_server::openapi::{Form, OpenApiDocuments, protobuf};
use crdkit_server::table::{
    IncludeObject, JsonPath, ListMeta, TableOptions, TablePrinter, duration,
};
use crdkit_text::timestamp::Timestamp;
use crdkit_value::Document;
use proptest::prelude::*;

const CRD: &str = "
spec:
  group: example.com
  scope: Cluster
  names: {kind: Lamp, plural: lamps}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
    additionalPrinterColumns: [{name: A, type: string, jsonPath: .a}]
";

/// The cells of `object` in a table with a column of each type for `path`.
fn cells(path: &str, object: &Document) -> String {
    let mut resource = resources(CRD).pop().expect("it is served");
    let column = resource.columns.last().expect("it has a column").clone();
    let columns = ["string", "integer", "number", "boolean", "date"].map(|type_name| {
        let mut column = column.clone();
        column.type_name = type_name.into();
        column.cell = Cell::Path(path.into());
        column
    });
    resource.columns = columns.into();
    let options = TableOptions {
        api_version: "meta.k8s.io/v1",
        include: IncludeObject::None,
        headers: false,
        now: Timestamp { seconds: 0, nanoseconds: 0, offset: 0 },
    };
    let table = TablePrinter::new(&resource).table(
        &resource,
        &options,
        &ListMeta::default(),
        [object.root()],
        &NoNative,
    );
    table.root().pointer("/rows/0/cells").map(go_json::value).expect("there is a row")
}

proptest! {
    #[test]
    fn any_path_gives_a_row(path in r#"([.\[\]?()@$*:,'"\\=<> \-0-9ab{}]|é){0,24}"#) {
        let object = decode("{a: [1, {b: é}, 2.5, true, null, [1, 2, 3]], b: text, é: {a: -1}}");
        let shown = cells(&path, &object);
        prop_assert_eq!(shown == "[]", JsonPath::parse(&path).is_none());
    }

    #[test]
    fn any_duration_has_words(nanoseconds: i64) {
        prop_assert!(!duration(nanoseconds).is_empty());
    }
}

#[test]
fn depth_costs_no_stack() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(9_000), "}".repeat(9_000));
    let object = json::decode(deep.as_bytes(), &DecodeOptions::default()).expect("it is JSON");
    assert_eq!(cells("..b", &object.document), "[null,null,null,null,null]");
    assert!(cells("..a", &object.document).starts_with(r#"["{\"a\""#));
}

#[test]
fn what_is_no_document_is_an_empty_message() {
    assert!(protobuf::encode_v2(b"{").is_empty());
    assert!(protobuf::encode_v3(b"[1, 2]").is_empty());
}

#[test]
fn a_document_is_made_once_for_each_hash() {
    let documents = OpenApiDocuments::default();
    let get = |hash: &str, text: &str| documents.get(Form::Json, "a", hash, || text.into());
    assert_eq!(get("1", "first"), "first");
    assert_eq!(get("1", "again"), "first");
    assert_eq!(get("2", "second"), "second");
    assert_eq!(documents.get(Form::Protobuf, "a", "2", Vec::new), "");
}
