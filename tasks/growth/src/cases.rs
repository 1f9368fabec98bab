//! The cases: inputs that are made to hurt, each with a number that says how large, and what is done with them.

use crate::inputs::{Input, crd, crd_with, deployment, lamp, list};
use crate::runs::{
    apply, apply_over, cel, compat, crdify, decode_cbor, decode_json, decode_yaml, diffs,
    documents_json, documents_yaml, env, json_document, judge, lint, native, patch_json,
    patch_merge, patch_strategic, protobuf, sample, structure, to_protobuf, validate,
};
use crdkit_codec::{DecodeOptions, cbor, json, yaml};
use std::fmt::Write as _;
use std::hint::black_box;

/// One way to hurt.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The smallest size that is tried.
    pub(crate) n: usize,
    /// Whether what it asks for is more than its input by nature, so that only a limit holds it.
    pub(crate) is_limited: bool,
    pub(crate) input: fn(usize) -> Input,
    pub(crate) run: fn(&Input),
}

macro_rules! cases {
    ($($name:literal $(($limited:ident))?, $n:literal, $input:expr, $run:expr;)*) => {
        /// All of them.
        pub(crate) const CASES: &[Case] = &[$(Case {
            name: $name,
            n: $n,
            is_limited: cases!(@ $($limited)?),
            input: $input,
            run: $run,
        }),*];
    };
    (@ limited) => { true };
    (@) => { false };
}

cases! {
    "json/keys", 500, |n| Input::one(format!("{{{}}}", list(n, |at| format!("\"key{at}\":{at}")))), decode_json;
    "json/repeated-key", 500, |n| Input::one(format!("{{{}}}", list(n, |at| format!("\"key{}\":1", at / 2)))), decode_json;
    "json/stray-quotes", 500, |n| Input::one("\" ".repeat(n)), documents_json;
    "json/escapes", 500, |n| Input::one(format!("[{}]", list(n, |_| r#""\u00e9\n""#.to_owned()))), decode_json;
    "json/depth", 500, |n| Input::one("[".repeat(n) + &"]".repeat(n)), decode_json;
    "json/manifests", 500, |n| Input::one(format!("[{}]", list(n, |at| lamp(&format!(r#"{{"watts":{at},"colour":"warm white","rooms":["kitchen","hall"]}}"#))))), decode_json;
    "json/object", 500, |n| Input::one(objects(n)), decode_json;
    "yaml/object", 500, |n| Input::one(objects(n)), decode_yaml;
    "cbor/object", 500, |n| Input::one(to_cbor(&objects(n))), decode_cbor;
    "yaml/keys", 500, |n| Input::one(list(n, |at| format!("key{at}: {at}\n")).replace(",key", "key")), decode_yaml;
    "json/long-text", 5000, |n| Input::one(format!("\"{}\"", "x".repeat(n))), decode_json;
    "json/numbers", 500, |n| Input::one(format!("[{}]", list(n, |at| format!("{at}.25")))), decode_json;
    "cbor/indefinite", 500, |n| Input::one([vec![0x9f], [0x5f, 0x41, b'a', 0xff].repeat(n), vec![0xff]].concat()), decode_cbor;
    "yaml/long-alias" (limited), 500, |n| Input::one(format!("a: &a {}\nb: [{}]\n", "x".repeat(n), list(n, |_| "*a".to_owned()))), decode_yaml;
    "yaml/nested-aliases", 100, nested_aliases, decode_yaml;
    "yaml/tag-directives", 500, |n| Input::one(list(n, |at| format!("%TAG !t{at}! tag:x,{at}:\n")).replace(",%", "%") + "---\na: 1\n"), decode_yaml;
    "yaml/bad-documents", 500, |n| Input::one("a: b: c\n---\n".repeat(n)), documents_yaml;
    "yaml/documents-without-markers", 500, |n| Input::one("a: 1\n...\n".repeat(n)), documents_yaml;
    "yaml/bad-bytes", 500, |n| Input::one(b"a: \xff\n---\n".repeat(n)), documents_yaml;
    "yaml/control-characters", 500, |n| Input::one(b"a: \x01\n---\n".repeat(n)), documents_yaml;
    "yaml/bad-byte-at-the-end", 500, |n| Input::one([b"a: b: c\n---\n".repeat(n), b"\xff".to_vec()].concat()), documents_yaml;
    "cbor/keys-in-no-order", 500, |n| Input::one(cbor_map(n, false)), decode_cbor;
    "cbor/duplicate-at-the-end", 500, |n| Input::one(cbor_map(n, true)), decode_cbor;
    "convert/json-to-yaml", 500, |n| Input::one(objects(n)), |input| { let _ = black_box(yaml::text(json_document(&input.first).root())); };
    "convert/yaml-to-json", 500, |n| Input::one(objects(n)), |input| {
        let decoded = yaml::decode(&input.first, &DecodeOptions::default());
        let _ = black_box(decoded.map(|it| json::text(it.document.root(), json::Layout::Compact)));
    };

    "lint/properties", 500, |n| Input::one(crd(&[properties(n, "")])), lint;
    "lint/short-names", 500, |n| Input::one(crd_with(&[properties(1, "")], &format!(r#","shortNames":[{}]"#, list(n, |at| format!("\"n{at}\""))))), lint;
    "lint/enum", 500, |n| Input::one(crd(&[format!(r#"{{"type":"string","enum":[{}]}}"#, values(n))])), lint;
    "lint/rules", 50, |n| Input::one(crd(&[rules(n, "self.a > ")])), lint;
    "lint/versions", 50, |n| Input::one(crd(&(0..n).map(|at| properties(1, &format!(r#","maxProperties":{at}"#))).collect::<Vec<_>>())), lint;
    "lint/pattern", 20, |n| Input::one(crd(&[heavy_patterns(n)])), lint;
    "lint/defaults-that-multiply" (limited), 1, |n| Input::one(crd(&[multiplied(n.min(12))])), lint;

    "validate/objects", 100, |n| Input::two(crd(&[listed_objects("")]), lamp(&objects(n))), validate;
    "validate/findings", 1000, |n| Input::two(crd(&[r#"{"type":"array","items":{"type":"string"}}"#.to_owned()]), lamp(&format!("[{}]", list(n, |at| at.to_string())))), validate;
    "validate/unknown-fields-of-items", 1000, |n| Input::two(crd(&[listed_objects("")]), lamp(&format!("[{}]", list(n, |_| r#"{"x":1}"#.to_owned())))), validate;
    "validate/failing-rules-of-items", 1000, |n| Input::two(crd(&[r#"{"type":"array","maxItems":100000,"items":{"type":"integer","x-kubernetes-validations":[{"rule":"self < 0"}]}}"#.to_owned()]), lamp(&format!("[{}]", list(n, |at| at.to_string())))), validate;
    "validate/unknown-fields", 1000, |n| Input::two(crd(&[properties(1, "")]), lamp(&format!("{{{}}}", list(n, |at| format!("\"x{at}\":1"))))), validate;
    "validate/required", 100, |n| Input::two(crd(&[properties(n, &format!(r#","required":[{}]"#, names(n)))]), lamp("{}")), validate;
    "validate/failing-rules", 50, |n| Input::two(crd(&[rules(n, "self.a > ")]), lamp(r#"{"a":-1}"#)), validate;
    "validate/set", 500, |n| Input::two(crd(&[r#"{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}"#.to_owned()]), lamp(&format!("[{}]", values(n)))), validate;
    "validate/default-in-every-item", 2000, |n| Input::two(crd(&[listed_objects(&format!(r#","default":{{"b":"{}"}}"#, "x".repeat(100)))]), lamp(&format!("[{}]", list(n, |_| "{}".to_owned())))), validate;
    "validate/pattern", 100, |n| Input::two(crd(&[r#"{"type":"string","pattern":"^(a|b)*c?$"}"#.to_owned()]), lamp(&format!("\"{}\"", "ab".repeat(n)))), validate;

    "validate/heavy-patterns" (limited), 1, |n| Input::two(crd(&[heavy_patterns(n.min(32))]), lamp(&format!("{{{}}}", list(n.min(32), |at| format!("\"p{at}\":\"\u{e9}x\""))))), validate;

    "compat/enum", 100, |n| Input::two(crd(&[format!(r#"{{"type":"string","enum":[{}]}}"#, values(n))]), crd(&[format!(r#"{{"type":"string","enum":[{}]}}"#, values(n / 2))])), compat;
    "compat/required", 50, |n| Input::two(crd(&[properties(n, "")]), crd(&[properties(n, &format!(r#","required":[{}]"#, names(n)))])), compat;
    "compat/properties", 100, |n| Input::two(crd(&[properties(n, "")]), crd(&[properties(n / 2, "")])), compat;
    "compat/new-fields" (limited), 50, |n| Input::two(crd(&[properties(1, "")]), crd(&[properties(n, &format!(r#","required":[{}]"#, names(n)))])), compat;
    "compat/defaults", 50, |n| Input::two(crd(&[properties(n, "")]), crd(&[properties(n, "").replace(r#""string"}"#, r#""string","default":"x"}"#)])), compat;
    "compat/contradictory-rules" (limited), 10, |n| Input::two(crd(&[rules(n, "self.a > ")]), crd(&[rules(n, "self.a < ")])), compat;
    "compat/versions", 20, |n| Input::two(crd(&vec![properties(2, ""); n]), crd(&vec![properties(1, ""); n])), compat;
    "crdify/versions", 20, |n| Input::two(crd(&vec![properties(2, ""); n]), crd(&vec![properties(1, ""); n])), crdify;
    "crdify/properties", 100, |n| Input::two(crd(&[properties(n, "")]), crd(&[properties(n / 2, "")])), crdify;

    "sample/enum", 500, |n| Input::one(crd(&[format!(r#"{{"type":"string","enum":[{}]}}"#, values(n))])), sample;
    "sample/properties", 100, |n| Input::one(crd(&[properties(n, "")])), sample;
    "sample/required", 100, |n| Input::one(crd(&[properties(n, &format!(r#","required":[{}]"#, names(n)))])), sample;
    "sample/nested-min-items" (limited), 1, |n| Input::one(crd(&[nested_lists(n.min(12))])), sample;

    "schema/parse", 100, |n| Input::two(listed_objects(""), objects(n)), |input| structure(input, usize::MAX);
    "schema/stream", 100, |n| Input::two(listed_objects(""), objects(n)), |input| structure(input, 64);
    "schema/recursive-default" (limited), 1, |_| Input::two(r##"{"properties":{"a":{"$ref":"#","default":{}}}}"##, "{}"), |input| structure(input, usize::MAX);

    "patch/json", 100, |n| Input::two(format!("[{}]", list(n.min(10_000), |at| format!(r#"{{"op":"add","path":"/spec/template/spec/containers/0/args/-","value":"{at}"}}"#))), deployment(10)), patch_json;
    "patch/json-moves", 100, |n| Input::two(format!("[{}]", list(n.min(10_000), |at| format!(r#"{{"op":"move","from":"/spec/template/spec/containers/{at}/name","path":"/metadata/l{at}"}}"#))), deployment(n)), patch_json;
    "patch/json-copies" (limited), 10, |n| Input::two(format!("[{}]", list(n.min(60), |_| r#"{"op":"copy","from":"/spec","path":"/spec/template/spec/containers/0/args/-"}"#.to_owned())), deployment(1)), patch_json;
    "patch/merge", 100, |n| Input::two(deployment(n), deployment(n)), patch_merge;
    "patch/strategic", 100, |n| Input::two(deployment(n), deployment(n)), patch_strategic;
    "patch/strategic-order", 100, |n| Input::two(format!(r#"{{"spec":{{"template":{{"spec":{{"$setElementOrder/containers":[{}]}}}}}}}}"#, list(n, |at| format!(r#"{{"name":"c{}"}}"#, n - 1 - at))), deployment(n)), patch_strategic;
    "patch/diff", 100, |n| Input::two(deployment(n), deployment(n / 2)), diffs;
    "apply/list-map", 100, |n| Input::two(crd(&[keyed_list()]), lamp(&format!("[{}]", list(n, |at| format!(r#"{{"name":"i{at}","b":"x"}}"#))))), apply;
    "apply/set", 100, |n| Input::two(crd(&[r#"{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}"#.to_owned()]), lamp(&format!("[{}]", values(n)))), apply;
    "apply/fields", 100, |n| Input::two(crd(&[properties(n, "")]), lamp(&format!("{{{}}}", list(n, |at| format!(r#""p{at}":"x""#))))), apply;
    "apply/managers", 20, |n| Input::two(crd(&[properties(4, "")]), managed(n)), apply_over;

    "native/deployment", 100, |n| Input::one(deployment(n)), native;
    "native/config-map", 100, |n| Input::one(format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"a"}},"data":{{{}}}}}"#, list(n, |at| format!(r#""k{at}":"v""#)))), native;
    "native/role", 100, |n| Input::one(format!(r#"{{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{{"name":"a"}},"rules":[{}]}}"#, list(n, |at| format!(r#"{{"apiGroups":[""],"resources":["r{at}"],"verbs":["get"]}}"#)))), native;
    "protobuf/deployment", 100, |n| Input::one(to_protobuf(&deployment(n))), protobuf;
    "protobuf/repeated-fields", 1000, |n| Input::one(repeated_fields(n)), protobuf;

    "policy/validations", 20, |n| Input::two(policy(&list(n, |at| format!(r#"{{"expression":"object.spec.replicas > {at}"}}"#)), ""), deployment(1)), judge;
    "policy/variables" (limited), 2, |n| Input::two(policy(r#"{"expression":"variables.v0.size() > 0"}"#, &list(n, |at| format!(r#"{{"name":"v{at}","expression":"{}"}}"#, if at + 1 == n { "[1]".to_owned() } else { format!("[variables.v{0}, variables.v{0}]", at + 1) }))), deployment(1)), judge;
    "policy/containers", 50, |n| Input::two(policy(r#"{"expression":"object.spec.template.spec.containers.all(c, c.image.startsWith('nginx'))"}"#, ""), deployment(n)), judge;

    "cel/replace" (limited), 1000, |n| Input::one("a".repeat(n)), |input| cel(input, "text.replace('a', text).size() > 0");
    "cel/join" (limited), 1000, |n| Input::one("a".repeat(n)), |input| cel(input, "text.split('').join(text).size() > 0");
    "cel/map", 100, |n| Input::one("a".repeat(n)), |input| cel(input, "text.split('').map(x, x + 'b').size() > 0");
    "cel/parse", 100, |n| Input::one(format!("[{}]", list(n, |at| at.to_string()))), |input| {
        let text = String::from_utf8_lossy(&input.first);
        let _ = black_box(env().compile(&text));
    };
}

fn names(n: usize) -> String {
    list(n, |at| format!("\"p{at}\""))
}

fn values(n: usize) -> String {
    list(n, |at| format!("\"value{at}\""))
}

fn objects(n: usize) -> String {
    format!("[{}]", list(n, |at| format!(r#"{{"a":{at},"b":"text {at}","c":[true,null,0.5]}}"#)))
}

fn properties(n: usize, more: &str) -> String {
    let properties = list(n, |at| format!(r#""p{at}":{{"type":"string"}}"#));
    format!(r#"{{"type":"object","properties":{{{properties}}}{more}}}"#)
}

fn listed_objects(default: &str) -> String {
    format!(
        r#"{{"type":"array","items":{{"type":"object","properties":{{"a":{{"type":"integer"}},"b":{{"type":"string"}},"c":{{"type":"array","items":{{"x-kubernetes-preserve-unknown-fields":true,"nullable":true}}}},"d":{{"type":"object","properties":{{"b":{{"type":"string"}}}}{default}}}}}}}}}"#
    )
}

fn rules(n: usize, start: &str) -> String {
    let rules = list(n, |at| format!(r#"{{"rule":"{start}{at}","message":"rule number {at}"}}"#));
    format!(
        r#"{{"type":"object","properties":{{"a":{{"type":"integer"}}}},"x-kubernetes-validations":[{rules}]}}"#
    )
}

/// Ten properties with a default on each of so many levels.
fn multiplied(depth: usize) -> String {
    let mut schema = r#"{"type":"string","default":"x"}"#.to_owned();
    for _ in 0..depth {
        let properties = list(10, |at| format!(r#""p{at}":{schema}"#));
        if properties.len() > 500_000 {
            break;
        }
        schema = format!(r#"{{"type":"object","default":{{}},"properties":{{{properties}}}}}"#);
    }
    schema
}

/// Patterns that are small to write and large to match.
fn heavy_patterns(n: usize) -> String {
    let properties = list(n, |at| {
        format!(r#""p{at}":{{"type":"string","pattern":"^[\\p{{L}}\\p{{N}}]{{1,{}}}$"}}"#, 999 - at)
    });
    format!(r#"{{"type":"object","properties":{{{properties}}}}}"#)
}

fn nested_lists(depth: usize) -> String {
    let start = r#"{"type":"array","minItems":200,"items":"#;
    format!(r#"{}{{"type":"string"}}{}"#, start.repeat(depth), "}".repeat(depth))
}

fn nested_aliases(n: usize) -> Input {
    let mut text = String::from("a0: &a0 [x, x]\n");
    for at in 1..n {
        let before = at - 1;
        let _ = writeln!(text, "a{at}: &a{at} [*a{before}, *a{before}]");
    }
    Input::one(text)
}

fn to_cbor(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    // All numbers here are finite.
    let _ = cbor::encode(json_document(text.as_bytes()).root(), cbor::Order::default(), &mut bytes);
    bytes
}

/// A map whose keys are in no order, and perhaps one of them twice.
fn cbor_map(n: usize, repeats: bool) -> Vec<u8> {
    let count = u32::try_from(n + usize::from(repeats)).unwrap_or(0);
    let mut bytes = vec![0xba];
    bytes.extend(count.to_be_bytes());
    let mut key = |at: usize| {
        let number = at.wrapping_mul(2_654_435_761) % 4_294_967_296;
        let text = format!("k{number:010}");
        bytes.push(0x40 + u8::try_from(text.len()).unwrap_or(0));
        bytes.extend(text.into_bytes());
        bytes.push(0x01);
    };
    (0..n).for_each(&mut key);
    if repeats {
        key(0);
    }
    bytes
}

/// A list whose items are known by their name.
fn keyed_list() -> String {
    r#"{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"b":{"type":"string"}}}}"#.to_owned()
}

/// A lamp whose one field has so many owners.
fn managed(n: usize) -> String {
    let entries = list(n, |at| {
        format!(
            r#"{{"manager":"m{at}","operation":"Update","apiVersion":"example.com/v1","time":"2024-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{{"f:spec":{{"f:p1":{{}}}}}}}}"#
        )
    });
    let lamp = lamp(r#"{"p1":"x"}"#);
    lamp.replace(r#""name":"desk""#, &format!(r#""name":"desk","managedFields":[{entries}]"#))
}

/// A Pod with so many fields that nobody knows.
fn repeated_fields(n: usize) -> Vec<u8> {
    let mut raw = Vec::<u8>::new();
    for _ in 0..n {
        // Labels of the metadata: field 11, an entry with an empty key.
        raw.extend(b"\x5a\x02\x0a\x00");
    }
    let mut object = vec![0x0a];
    varint(raw.len(), &mut object);
    object.extend(raw);
    let mut body = b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12".to_vec();
    varint(object.len(), &mut body);
    body.extend(object);
    body
}

fn varint(mut number: usize, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push(u8::try_from(number & 0x7f).unwrap_or(0) | 0x80);
        number >>= 7;
    }
    out.push(u8::try_from(number).unwrap_or(0));
}

fn policy(validations: &str, variables: &str) -> String {
    format!(
        r#"{{"metadata":{{"name":"p"}},"spec":{{"matchConstraints":{{"resourceRules":[{{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*"]}}]}},"variables":[{variables}],"validations":[{validations}]}}}}"#
    )
}
