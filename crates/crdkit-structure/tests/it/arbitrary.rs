//! Schemas, options and inputs for properties.
//!
//! [`arbitrary_node`] has all that schemas are made of: members, defaults, alternatives, conditions, lists whose items
//! are told apart. [`instance`] makes an input for one, which usually is what the schema asks for; [`spoiled`] puts
//! something else in some places. [`import_options`] makes every option vary.

use crdkit_structure::build::{Node, array, boolean, integer, map, number, object, string, tagged};
use crdkit_structure::import::{
    Ambiguity, Embedded, Equality, Formats, IntOrString, Profile, Unevaluated, Unknown,
};
use crdkit_structure::{
    CelOptions, DefaultMode, DiagnosticLevel, ImportOptions, Nulls, Numbers, Semantics, build,
    document_of,
};
use crdkit_value::{Document, NewValue, NodeId, Value};
use proptest::prelude::*;

/// Bytes that decide; when they are used up, the first choice is taken.
pub(crate) struct Choices<I>(pub(crate) I);

impl<I: Iterator<Item = u8>> Choices<I> {
    fn of(&mut self, n: u8) -> u8 {
        self.0.next().unwrap_or(0) % n.max(1)
    }

    fn pick<'v>(&mut self, values: &[&'v str]) -> &'v str {
        let n = u8::try_from(values.len()).unwrap_or(u8::MAX);
        values.get(usize::from(self.of(n))).copied().unwrap_or("null")
    }
}

/// The names that members have.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// A schema, with defaults and nulls in some places.
pub(crate) fn arbitrary_node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        Just(string()),
        Just(integer()),
        Just(number()),
        Just(boolean()),
        Just(string().nullable()),
        Just(integer().nullable()),
        Just(string().format("date-time")),
        Just(string().length(..=2)),
        Just(integer().range(-1..=5)),
        Just(build::any().keyword("x-kubernetes-int-or-string", true)),
        Just(build::any().keyword("enum", &document_of(r#"["x", 1, null, [1], {"a": 1}]"#))),
        Just(string().keyword("const", "x")),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            2 => inner.clone().prop_map(array),
            2 => inner.clone().prop_map(map),
            4 => members(inner.clone()).prop_map(Node::from),
            1 => inner.clone().prop_map(|inner| array(inner).unique()),
            1 => inner.clone().prop_map(|inner| {
                let contained = integer().range(3..);
                let node = array(inner).keyword("contains", &written(contained));
                node.keyword("minContains", 0).keyword("maxContains", 1)
            }),
            1 => members(inner.clone()).prop_map(|item| {
                let item = item.required("name", string());
                let keys = Document::array_of(["name"]);
                let list = array(item).keyword("x-kubernetes-list-type", "map");
                list.keyword("x-kubernetes-list-map-keys", &keys)
            }),
            1 => inner.clone().prop_map(|inner| array(inner).keyword("x-kubernetes-list-type", "set")),
            1 => inner.clone().prop_map(|inner| {
                let none = build::any().keyword("type", "null");
                build::any().keyword("anyOf", &list_of([inner, none]))
            }),
            1 => (members(inner.clone()), inner.clone()).prop_map(|(object, items)| {
                let branches = list_of([string(), integer(), object.into(), array(items)]);
                build::any().keyword("oneOf", &branches)
            }),
            1 => (members(inner.clone()), members(inner.clone()))
                .prop_map(|(one, other)| tagged("kind", [("one", one), ("other", other)])),
            1 => (members(inner.clone()), others(inner.clone())).prop_map(|(one, other)| {
                build::any().keyword("allOf", &list_of([one.into(), other.into()]))
            }),
            1 => (asked(inner.clone()), others(inner.clone()), others(inner.clone()))
                .prop_map(|(whole, then, otherwise)| {
                    let test = build::any().keyword("required", &Document::array_of(["a"]));
                    Node::from(whole).keyword("if", &written(test))
                        .keyword("then", &written(then.into()))
                        .keyword("else", &written(otherwise.into()))
                }),
            1 => (asked(inner.clone()), others(inner.clone())).prop_map(|(whole, more)| {
                let more = Document::object().with("b", &written(more.into()));
                Node::from(whole).keyword("dependentSchemas", &more)
            }),
            1 => (inner.clone(), inner.clone()).prop_map(|(first, rest)| {
                array(rest).keyword("prefixItems", &list_of([first]))
            }),
            1 => members(inner).prop_map(|whole| {
                let rule = r#"[{"rule": "!has(self.a) || !has(self.b)", "message": "not both"}]"#;
                let whole = whole.optional("a", integer()).optional("b", integer());
                Node::from(whole).keyword("x-kubernetes-validations", &document_of(rule))
            }),
        ]
    })
}

/// An object with some members: some required, some with a default.
fn members(inner: impl Strategy<Value = Node>) -> impl Strategy<Value = build::Object> {
    named(inner, &NAMES)
}

/// The same with other names, so that it can be combined with the former.
fn others(inner: impl Strategy<Value = Node>) -> impl Strategy<Value = build::Object> {
    named(inner, &["e", "f", "g", "h"])
}

/// The same with members that conditions ask for. They have no defaults: what is not written back would make another
/// branch the value's.
fn asked(inner: impl Strategy<Value = Node>) -> impl Strategy<Value = build::Object> {
    let whole = named(inner, &["i", "j", "k"]);
    whole.prop_map(|whole| whole.optional("a", string()).optional("b", integer()))
}

fn named(
    inner: impl Strategy<Value = Node>,
    names: &'static [&'static str],
) -> impl Strategy<Value = build::Object> {
    proptest::collection::vec((inner, 0..5_u8), 0..4).prop_map(move |members| {
        let mut whole = object();
        for (name, (node, how)) in names.iter().zip(members) {
            whole = match (how, default_for(&node)) {
                (0, _) => whole.required(name, node),
                (1 | 2, Some(default)) => whole.with_default(name, node, &default),
                _ => whole.optional(name, node),
            };
        }
        whole
    })
}

fn written(node: Node) -> Document {
    let schema = node.build(&lenient()).unwrap().schema;
    schema.to_json_schema(&crdkit_structure::ExportOptions::new())
}

fn list_of(nodes: impl IntoIterator<Item = Node>) -> Document {
    let mut list = Document::array();
    for node in nodes {
        list.push(NodeId::ROOT, written(node).root());
    }
    list
}

fn lenient() -> ImportOptions {
    ImportOptions::new().profile(Profile::Loose).malformed(DiagnosticLevel::Warning)
}

/// Something that the schema takes.
fn default_for(node: &Node) -> Option<Document> {
    let options = lenient().formats(Formats::KnownStrict).defaults(DefaultMode::Apply);
    let schema = node.clone().build(&options).ok()?.schema;
    ["\"x\"", "1", "true", "[]", "{}", "\"2024-01-01T00:00:00Z\""]
        .into_iter()
        .map(document_of)
        .find(|candidate| schema.is_valid(candidate.root()))
}

/// A value for the schema document, with some members left out and some unknown.
pub(crate) fn instance<I: Iterator<Item = u8>>(
    schema: Value<'_>,
    choices: &mut Choices<I>,
) -> Document {
    if let Some(values) = schema.get("enum") {
        let n_values = u8::try_from(values.items().len()).unwrap_or(1);
        return Document::copy_of(values.at(usize::from(choices.of(n_values))).unwrap());
    }
    if let Some(value) = schema.get("const") {
        return Document::copy_of(value);
    }
    for alternatives in ["oneOf", "anyOf"] {
        if let Some(branches) = schema.get(alternatives) {
            let n_branches = u8::try_from(branches.items().len()).unwrap_or(1);
            return instance(branches.at(usize::from(choices.of(n_branches))).unwrap(), choices);
        }
    }
    if schema.get("x-kubernetes-int-or-string").is_some() {
        return document_of(choices.pick(&["1", "\"2\"", "\"50%\""]));
    }
    let types = schema.get("type");
    if types.is_some_and(|types| types.as_array().is_some()) && choices.of(3) == 0 {
        return Document::null();
    }
    let name = types.and_then(|types| types.as_str().or_else(|| types.at(0)?.as_str()));
    match name.unwrap_or_default() {
        "null" => Document::null(),
        "string" if schema.get("format").is_some() => {
            document_of(choices.pick(&["\"2024-01-01T00:00:00Z\"", "\"2024-01-01T00:00:00.5Z\""]))
        }
        "string" => document_of(choices.pick(&["\"\"", "\"ü\"", "\"a~\""])),
        "integer" => document_of(choices.pick(&["0", "5", "3", "9007199254740993"])),
        "number" => document_of(choices.pick(&["0", "5", "2.5", "-0.25"])),
        "boolean" => document_of(choices.pick(&["true", "false"])),
        "array" => items(schema, choices),
        _ => object_of(schema, choices),
    }
}

fn items<I: Iterator<Item = u8>>(schema: Value<'_>, choices: &mut Choices<I>) -> Document {
    let mut list = Document::array();
    let by_key = schema.get("x-kubernetes-list-map-keys").is_some();
    let first = schema.get("prefixItems").and_then(|it| it.at(0));
    for at in 0..choices.of(4) {
        let item = first.filter(|_| at == 0).or_else(|| schema.get("items")).unwrap();
        let item = instance(item, choices);
        let item = match list.push(NodeId::ROOT, item.root()) {
            Some(id) if by_key => id,
            _ => continue,
        };
        let name = choices.pick(&["x", "y", "z", "w"]);
        list.insert(item, "name", name);
    }
    list
}

fn object_of<I: Iterator<Item = u8>>(schema: Value<'_>, choices: &mut Choices<I>) -> Document {
    let mut whole = Document::object();
    if let Some(values) = schema.get("additionalProperties") {
        for key in ["", "k"] {
            if choices.of(2) == 0 {
                let entry = instance(values, choices);
                whole.insert(NodeId::ROOT, key, entry.root());
            }
        }
        return whole;
    }
    if choices.of(3) == 0 && schema.get("properties").is_some() {
        let extra = document_of(r#"{"n": null, "e": [], "o": {}}"#);
        whole.insert(NodeId::ROOT, "zz", extra.root());
    }
    let required = |name: &str| {
        let mut names = schema.get("required").into_iter().flat_map(Value::items);
        names.any(|it| it.as_str() == Some(name))
    };
    for (key, member) in schema.get("properties").map(Value::members).into_iter().flatten() {
        if required(key) || choices.of(2) == 0 {
            let value = instance(member, choices);
            whole.insert(NodeId::ROOT, key, value.root());
        }
    }
    // What other schemas say about the same object, as far as it is not said yet.
    let mut others: Vec<Value<'_>> =
        schema.get("allOf").into_iter().flat_map(Value::items).collect();
    if schema.get("if").is_some() {
        let branch = if whole.root().get("a").is_some() { "then" } else { "else" };
        others.extend(schema.get(branch));
    }
    if whole.root().get("b").is_some() {
        others.extend(schema.pointer("/dependentSchemas/b"));
    }
    for other in others {
        for (key, member) in object_of(other, choices).root().members() {
            if whole.root().get(key).is_none() {
                whole.insert(NodeId::ROOT, key, member);
            }
        }
    }
    whole
}

/// The same value with something else in a few places.
pub(crate) fn spoiled<I: Iterator<Item = u8>>(
    mut document: Document,
    choices: &mut Choices<I>,
) -> Document {
    for _ in 0..choices.of(3) {
        let mut ids = vec![NodeId::ROOT];
        let mut at = 0;
        while let Some(id) = ids.get(at).copied() {
            let value = document.value(id);
            ids.extend(value.members().map(|(_, member)| member.id()));
            ids.extend(value.items().map(Value::id));
            at += 1;
        }
        let n_ids = u8::try_from(ids.len()).unwrap_or(u8::MAX);
        let id = ids[usize::from(choices.of(n_ids))];
        if choices.of(6) == 0 && id != NodeId::ROOT {
            document.remove(id);
            continue;
        }
        let other = choices.pick(&["null", "7", "\"y\"", "[]", "{}", "[null, 1, 1]", "1.5"]);
        let other = document_of(other);
        if document.value(id).as_object().is_some() && choices.of(2) == 0 {
            let name = choices.pick(&["a", "b", "kind", "name", "apiVersion"]);
            document.insert(id, name, NewValue::from(other.root()));
        } else {
            document.set(id, other.root());
        }
    }
    Document::copy_of(document.root())
}

/// Every option of an import, as the bytes decide.
pub(crate) fn import_options<I: Iterator<Item = u8>>(choices: &mut Choices<I>) -> ImportOptions {
    let mut options = ImportOptions::new()
        .malformed(DiagnosticLevel::Warning)
        .unknown(match choices.of(4) {
            0 => Unknown::Prune,
            1 => Unknown::Strict,
            2 => Unknown::Preserve,
            _ => Unknown::Passthrough { target: "/rest/of".into() },
        })
        .defaults(match choices.of(3) {
            0 => DefaultMode::Ignore,
            1 => DefaultMode::Annotate,
            _ => DefaultMode::Apply,
        })
        .numbers(match choices.of(5) {
            0 => Numbers::Exact,
            1 => Numbers::Kubernetes,
            2 => Numbers::BigInt,
            3 => Numbers::Float64 { lossy: false },
            _ => Numbers::Decimal { keep_scale: true },
        })
        .ambiguity(match choices.of(3) {
            0 => Ambiguity::Error,
            1 => Ambiguity::FirstMatch,
            _ => Ambiguity::ScoreBest,
        })
        .embedded(match choices.of(3) {
            0 => Embedded::Off,
            1 => Embedded::Minimal,
            _ => Embedded::Kubernetes,
        })
        .formats(match choices.of(2) {
            0 => Formats::Annotation,
            _ => Formats::KnownStrict,
        })
        .unevaluated(match choices.of(3) {
            0 => Unevaluated::Warn,
            1 => Unevaluated::Approximate,
            _ => Unevaluated::Exact,
        })
        .exclusive_any_of(choices.of(4) == 0);
    if choices.of(2) == 0 {
        options = options.nulls(Nulls::DropLikeApiServer);
    }
    if choices.of(3) == 0 {
        options = options.semantics(Semantics::Server);
    }
    if choices.of(3) > 0 {
        options = options.profile(Profile::Loose);
    }
    if choices.of(2) == 0 {
        options = options.equality(Equality::CanonicalJson);
    }
    if choices.of(2) == 0 {
        options = options.int_or_string(IntOrString::AnyString);
    }
    if choices.of(2) == 0 {
        options = options.cel(CelOptions::default());
    }
    if choices.of(3) == 0 {
        options = options.format("date-time", |text| text.len() < 22);
    }
    options
}
