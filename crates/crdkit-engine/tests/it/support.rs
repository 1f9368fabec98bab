//! CRDs and objects for the tests.

use crdkit_codec::{DecodeOptions, Decoded, json, yaml};
use crdkit_engine::Crd;
use crdkit_value::{Document, Value};

/// Reads YAML, keeping positions.
pub(crate) fn decode(text: &str) -> Decoded {
    let options = DecodeOptions::new().positions(true);
    yaml::decode(text.as_bytes(), &options).expect("YAML")
}

/// A CRD for `Lamp`s of group `example.com` with one version, `v1`, that has the given schema and
/// whatever `extra` says about the version.
pub(crate) fn crd(schema: &str, extra: &str) -> Crd {
    let indented = |text: &str, by: usize| {
        let pad = " ".repeat(by);
        let lines: Vec<String> = text.lines().map(|line| format!("{pad}{line}\n")).collect();
        lines.concat()
    };
    let text = format!(
        "spec:\n  group: example.com\n  scope: Namespaced\n  names: {{kind: Lamp, plural: lamps}}\n  \
         versions:\n  - name: v1\n    served: true\n    storage: true\n{}    schema:\n      \
         openAPIV3Schema:\n{}",
        indented(extra, 4),
        indented(schema, 8),
    );
    Crd::compile(&decode(&text).document).expect("a CRD")
}

/// An object in YAML, made a `Lamp` called `desk` where it does not say what it is.
pub(crate) fn object(text: &str) -> Decoded {
    let mut decoded = decode(text);
    let lamp = decode("apiVersion: example.com/v1\nkind: Lamp\nmetadata: {name: desk}\n").document;
    let root = decoded.document.root().id();
    for (key, value) in lamp.root().members() {
        if decoded.document.root().get(key).is_none() {
            decoded.document.insert(root, key, value);
        }
    }
    decoded
}

/// Compact JSON.
pub(crate) fn text(value: Value<'_>) -> String {
    let mut out = Vec::new();
    json::write(value, json::Layout::Compact, &mut out);
    String::from_utf8(out).expect("UTF-8")
}

/// What a test says about an object: without what every object has.
pub(crate) fn content(document: &Document) -> Document {
    let mut document = Document::copy_of(document.root());
    for key in ["apiVersion", "kind", "metadata"] {
        if let Some(member) = document.root().get(key).map(Value::id) {
            document.remove(member);
        }
    }
    Document::copy_of(document.root())
}
