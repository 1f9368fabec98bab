//! Inputs that are right as text and wrong as what they mean: documents of a seed with a few values changed.

use crate::mutate::Random;
use crdkit_codec::{DecodeOptions, Format, Style};
use crdkit_value::{Document, NewValue, NodeId, Value};

/// Values that are at the edge of what somebody expects, as YAML.
const VALUES: &[&str] = &[
    "null",
    "true",
    "0",
    "-1",
    "1",
    "2",
    "-0.0",
    "1.0",
    "0.1",
    "1.5",
    "1e20",
    "-1e20",
    "1e39",
    "2147483648",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "''",
    "a",
    "'\\0'",
    "\u{e9}",
    "[]",
    "{}",
    "[null]",
    "{a: null}",
    "[a, a]",
    "{'': {}}",
    "'1'",
    "'*'",
    "'^(a|b)*$'",
    "2024-02-29T00:00:00Z",
    "1Gi",
    "10%",
    "192.0.2.1",
    "self",
    "oldSelf == self",
    "array",
    "object",
    "string",
    "integer",
    "number",
    "set",
    "map",
    "atomic",
    "int-or-string",
];

/// `seed` with a few changes, some of them parts of `other`; nothing if it is no stream of documents.
pub(crate) fn edit(random: &mut Random, seed: &[u8], other: &[u8]) -> Option<Vec<u8>> {
    let [mut documents, others] = [seed, other].map(read);
    if documents.is_empty() {
        return None;
    }
    for _ in 0..=random.below(3) {
        let at = random.below(documents.len());
        let document = documents.get_mut(at)?;
        change(random, document, others.first());
    }
    let mut out = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        Format::Yaml.encode(document.root(), index, Style::Compact, &mut out).ok()?;
    }
    Some(out)
}

fn read(bytes: &[u8]) -> Vec<Document> {
    let options = DecodeOptions::default();
    let decoded = Format::of_bytes(bytes).documents(bytes, &options).flatten();
    decoded.take(8).map(|it| it.document).collect()
}

fn pick_node(random: &mut Random, document: &Document) -> NodeId {
    let ids: Vec<NodeId> = document.root().ids().collect();
    random.pick(&ids).copied().unwrap_or(NodeId::ROOT)
}

fn change(random: &mut Random, document: &mut Document, other: Option<&Document>) {
    let id = pick_node(random, document);
    match random.below(7) {
        0 if id != NodeId::ROOT => document.remove(id),
        1 => {
            if let Some(other) = other {
                let from = pick_node(random, other);
                document.set(id, other.value(from));
            }
        }
        2 => {
            let from = pick_node(random, document);
            let part = Document::copy_of(document.value(from));
            document.set(id, part.root());
        }
        3 => {
            // A member under the name of another, or once more.
            let source = other.unwrap_or(document);
            let keys = source.root().ids().filter_map(|id| source.value(id).key());
            let names: Vec<String> = keys.map(str::to_owned).collect();
            if let Some(name) = random.pick(&names) {
                document.rename(id, name);
            }
        }
        4 => {
            let parent = document.value(id).parent().map(Value::id);
            let copy = Document::copy_of(document.value(id));
            if let Some(parent) = parent.filter(|it| document.value(*it).as_array().is_some()) {
                document.push(parent, copy.root());
            }
        }
        _ => {
            let text = random.pick(VALUES).copied().unwrap_or("null");
            let value = read(text.as_bytes()).into_iter().next().unwrap_or_else(Document::null);
            let members = document.value(id).as_object().is_some();
            let known: Vec<_> = document.root().ids().collect();
            let named = random.pick(&known).and_then(|it| document.value(*it).key());
            match named.map(str::to_owned).filter(|_| members && random.below(2) == 0) {
                Some(name) => document.insert(id, &name, NewValue::from(value.root())),
                None => document.set(id, value.root()),
            };
        }
    }
}
