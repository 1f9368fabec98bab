//! Suite `cel-spec`: the language itself, with the extension libraries that its specification tests.
//!
//! Values are pairs of a type and a value: `{"t": "int", "v": "1"}`. Numbers are text, maps are lists of
//! pairs, and every failure, of the checker or at run time, is `{"t": "error"}`.

use super::{Answerer, Suite};
use crate::answer::Answer;
use crate::case::{Case, Cases};
use crate::score::Score;
use anyhow::Result;
use crdkit_cel::{Arena, Binding, Constant, Env, Library, Limits, Type, Val};
use crdkit_value::{Document, Value};

// Proves REQ-015.
pub(crate) const SUITE: Suite = Suite {
    name: "cel-spec",
    cases: "cel-spec.jsonl.gz",
    crds: None,
    prepare: |_: Option<&Cases>| -> Result<Answerer> { Ok(Box::new(answer)) },
    score,
};

const LIBRARIES: &[Library] = &[
    Library::Strings(5),
    Library::Lists,
    Library::Sets,
    Library::TwoVariableComprehensions,
    Library::Optional,
    Library::Math,
    Library::Encoders,
    Library::Bindings,
    Library::Block,
    Library::ExistsOne,
    Library::Ip,
    Library::Cidr,
    Library::Network,
    Library::Regex,
];

fn answer(case: &Case) -> Vec<u8> {
    let result = evaluate(case).unwrap_or_else(|| Answer::new().string("t", "error"));
    Answer::to(&case.id).object("result", &result).finish()
}

/// What the expression gives, or none where it fails.
fn evaluate(case: &Case) -> Option<Answer> {
    let asked = |key| case.get(key).and_then(Value::as_bool) == Some(true);
    let mut builder = Env::standard(LIBRARIES).container(case.text("container"));
    let bindings: Vec<(&str, Value<'_>)> = bindings(case);
    for (name, value) in &bindings {
        builder = builder.variable(name, type_of(*value));
    }
    let env = builder.build();
    let text = case.text("expr");
    let checked =
        if asked("disable_check") { env.parse_unchecked(text) } else { env.compile(text) }.ok()?;
    if asked("check_only") {
        return Some(Answer::new().string("t", "checkonly"));
    }
    let program = env.plan(&checked).ok()?;
    let arena = Arena::new();
    let bytes: Vec<Vec<u8>> = bindings.iter().map(|(_, value)| bytes_of(*value)).collect();
    let bind = |name: &str| {
        let mut known = bindings.iter().zip(&bytes);
        let ((_, value), bytes) = known.find(|((known, _), _)| *known == name)?;
        Some(Binding::Value(read(&arena, *value, bytes)))
    };
    let value = program.evaluate(&arena, bind, Limits::default()).result.ok()?;
    let constant = program.to_constant(&arena, &value);
    Some(constant.map_or_else(|| Answer::new().string("t", "opaque"), |constant| write(&constant)))
}

fn bindings(case: &Case) -> Vec<(&str, Value<'_>)> {
    let pairs = case.get("bindings").into_iter().flat_map(Value::items);
    pairs.filter_map(|pair| Some((pair.at(0)?.as_str()?, pair.at(1)?))).collect()
}

fn type_of(value: Value<'_>) -> Type {
    match tag(value) {
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "bool" => Type::Bool,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        _ => Type::Dyn,
    }
}

fn tag(value: Value<'_>) -> &str {
    value.get("t").and_then(Value::as_str).unwrap_or_default()
}

/// The content of a `bytes` value, which has to outlive the evaluation.
fn bytes_of(value: Value<'_>) -> Vec<u8> {
    let numbers = value.get("v").into_iter().flat_map(Value::items).filter_map(Value::as_i64);
    numbers.filter_map(|number| u8::try_from(number).ok()).collect()
}

fn read<'v>(arena: &'v Arena, value: Value<'v>, bytes: &'v [u8]) -> Val<'v> {
    let content = value.get("v");
    let text = || content.and_then(Value::as_str).unwrap_or_default();
    let items = || content.into_iter().flat_map(Value::items);
    match tag(value) {
        "bool" => Val::Bool(content.and_then(Value::as_bool) == Some(true)),
        "int" => Val::Int(text().parse().unwrap_or_default()),
        "uint" => Val::Uint(text().parse().unwrap_or_default()),
        "double" => Val::Double(text().parse().unwrap_or_default()),
        "string" => Val::String(text()),
        "bytes" => Val::Bytes(bytes),
        "list" => arena.list(&items().map(|item| read(arena, item, &[])).collect::<Vec<_>>()),
        "map" => {
            let entry = |pair: Value<'v>| {
                Some((read(arena, pair.at(0)?, &[]), read(arena, pair.at(1)?, &[])))
            };
            arena.map(&items().filter_map(entry).collect::<Vec<_>>())
        }
        _ => Val::Null,
    }
}

fn write(constant: &Constant) -> Answer {
    let of = |tag: &str| Answer::new().string("t", tag);
    match constant {
        Constant::Null => of("null"),
        Constant::Bool(bool) => of("bool").bool("v", *bool),
        Constant::Int(int) => of("int").string("v", &int.to_string()),
        Constant::Uint(uint) => of("uint").string("v", &uint.to_string()),
        Constant::Double(double) => of("double").string("v", &python_float(*double)),
        Constant::String(text) => of("string").string("v", text),
        Constant::Bytes(bytes) => of("bytes").ints("v", bytes.iter().map(|byte| i64::from(*byte))),
        Constant::Type(of_type) => of("type").string("v", &type_name(of_type)),
        Constant::List(items) => of("list").objects("v", items.iter().map(write)),
        Constant::Map(entries) => {
            let mut sorted: Vec<_> = entries.iter().collect();
            sorted.sort_by_key(|(key, _)| format!("{key:?}"));
            of("map").lists("v", sorted.into_iter().map(|(key, value)| [write(key), write(value)]))
        }
        _ => of("other"),
    }
}

fn type_name(of_type: &Type) -> String {
    match of_type {
        Type::Null => "null_type".into(),
        Type::Type(_) => "type".into(),
        Type::List(_) => "list".into(),
        Type::Map(_) => "map".into(),
        Type::Duration => "google.protobuf.Duration".into(),
        Type::Timestamp => "google.protobuf.Timestamp".into(),
        other => other.to_string(),
    }
}

/// Doubles as the recording writes them: Python's `repr`.
fn python_float(float: f64) -> String {
    if float.is_nan() {
        return "nan".into();
    }
    if float.is_infinite() {
        return if float > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let scientific = format!("{float:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if float != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    let plain = float.to_string();
    if plain.contains('.') { plain } else { plain + ".0" }
}

fn score(case: &Case, answer: &Document, score: &mut Score) {
    score.add("answered", true, &case.id);
    let right = case.get("expect") == answer.root().get("result");
    score.add("result", right, &case.id);
}
