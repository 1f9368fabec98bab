//! The Markdown cases below `resources/publish`.
//!
//! | Block | Meaning |
//! |---|---|
//! | `yaml crd` | a CRD that is served from here on in this file |
//! | `yaml object` | an object of its first resource in its `apiVersion`, for the next table |
//! | `yaml KIND POINTER` | what stands at the pointer of a document: `v3`, `v2`, `groups`, `group`, `resources`, `aggregated` or `table` |
//! | `text table` | headings and cells of the table of the objects above, with the priority of columns that are not always shown |
//!
//! It is noon of 2026-01-01. Documents of one version are those of `example.com/v1`.

use crate::support::{NoNative, decode, no_definitions, resources};
use crdkit_codec::go_json;
use crdkit_server::catalogue::resource::Resource;
use crdkit_server::openapi::v3::Info;
use crdkit_server::openapi::{v2, v3};
use crdkit_server::table::{IncludeObject, ListMeta, TableOptions, TablePrinter};
use crdkit_server::{discovery, table};
use crdkit_testkit::Block;
use crdkit_text::kind::GroupVersion;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Value};
use std::path::Path;

#[test]
fn markdown_cases_hold() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("resources/publish");
    let mut failures = Vec::new();
    for blocks in crdkit_testkit::blocks(&directory) {
        run(&blocks, &mut failures);
    }
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n\n"));
}

fn run(blocks: &[Block], failures: &mut Vec<String>) {
    let (mut served, mut objects) = (Vec::new(), Vec::new());
    for block in blocks {
        match (block.word(0), block.word(1)) {
            (_, "crd") => served.extend(resources(&block.text)),
            (_, "object") => objects.push(decode(&block.text)),
            ("text", "table") => {
                let shown = shown(table(&served, &objects, IncludeObject::None).root());
                compare(block, &shown, block.text.trim(), failures);
                objects.clear();
            }
            (_, kind) => {
                let document = document(kind, &served, &objects);
                let found = document.root().pointer(block.word(2));
                let found = found.map_or_else(|| "nothing".to_owned(), go_json::value);
                let wanted = match block.text.trim() {
                    "nothing" => "nothing".to_owned(),
                    text => go_json::value(decode(text).root()),
                };
                compare(block, &found, &wanted, failures);
            }
        }
    }
}

fn compare(block: &Block, found: &str, wanted: &str, failures: &mut Vec<String>) {
    if found != wanted {
        failures.push(format!("{}\nfound  {found}\nwanted {wanted}", block.place()));
    }
}

fn document(kind: &str, served: &[Resource], objects: &[Document]) -> Document {
    let group_version = GroupVersion { group: "example.com", version: "v1" };
    let in_version = served.iter().filter(|it| it.kind.group_version() == group_version);
    let groups = discovery::groups(served);
    match kind {
        "v3" => text(v3::document(Info::CUSTOM, in_version, &no_definitions)),
        "v2" => {
            let parts: Vec<_> = served.iter().map(v2::ResourceFragment::new).collect();
            text(v2::document(Info::CUSTOM, &parts, &no_definitions))
        }
        "groups" => discovery::legacy::group_list(&groups),
        "group" => discovery::legacy::group(groups.first().expect("there is a group")),
        "resources" => discovery::legacy::resource_list(group_version, in_version),
        "aggregated" => {
            discovery::aggregated::discovery(discovery::aggregated::DiscoveryVersion::V2, &groups)
        }
        "table" => table(served, objects, IncludeObject::Metadata),
        "partial" => {
            let meta = ListMeta { resource_version: "7", ..ListMeta::default() };
            table::partial_list("meta.k8s.io/v1", &meta, objects.iter().map(Document::root))
        }
        other => panic!("there is no document `{other}`"),
    }
}

fn text(document: Vec<u8>) -> Document {
    decode(&String::from_utf8(document).expect("it is text"))
}

fn table(served: &[Resource], objects: &[Document], include: IncludeObject) -> Document {
    let root = objects.first().expect("an object comes first").root();
    let api_version = root.get("apiVersion").and_then(Value::as_str).expect("it has a version");
    let resource = served.iter().find(|it| it.api_version() == api_version);
    let resource = resource.expect("its CRD comes first");
    let now = Timestamp::parse_rfc3339("2026-01-01T12:00:00Z").expect("it is a time");
    let options = TableOptions { api_version: "meta.k8s.io/v1", include, headers: true, now };
    let meta = ListMeta { resource_version: "7", ..ListMeta::default() };
    let objects = objects.iter().map(Document::root);
    TablePrinter::new(resource).table(resource, &options, &meta, objects, &NoNative)
}

/// Headings, and a line for each row.
fn shown(table: Value<'_>) -> String {
    let columns = table.get("columnDefinitions").into_iter().flat_map(Value::items);
    let headings = columns.map(|column| {
        let name = column.get("name").and_then(Value::as_str).unwrap_or_default();
        match column.get("priority").and_then(Value::as_i64) {
            Some(priority) if priority > 0 => format!("{name}({priority})"),
            _ => name.to_owned(),
        }
    });
    let mut lines = vec![headings.collect::<Vec<_>>().join(" | ")];
    for row in table.get("rows").into_iter().flat_map(Value::items) {
        let cells = row.get("cells").into_iter().flat_map(Value::items).map(go_json::value);
        lines.push(cells.collect::<Vec<_>>().join(" | "));
    }
    lines.join("\n")
}

#[test]
fn a_fingerprint_follows_what_is_said_of_its_version() {
    let of = |other: &str, own: &str| {
        let crd = format!(
            "spec: {{group: a.b, scope: Cluster, names: {{kind: K, plural: ks}}, versions: [\
             {{name: v1, served: true, schema: {{openAPIV3Schema: {{description: {own}}}}}}}, \
             {{name: v2, served: true, schema: {{openAPIV3Schema: {{description: {other}}}}}}}]}}"
        );
        let first = resources(&crd).into_iter().next().expect("it is served");
        crdkit_server::openapi::fingerprint(&first)
    };
    assert_eq!(of("one", "own"), of("two", "own"));
    assert_ne!(of("one", "own"), of("one", "changed"));
}
