//! Values as Go's `fmt` writes them, for the server's messages. Nothing recurses on the value.

use crdkit_text::number;
use crdkit_text::quote::quote;
use crdkit_value::{Kind, Value};
use std::fmt::Write as _;

/// `%v`: `map[a:1 b:[true <nil>]]`.
pub fn plain(value: Value<'_>) -> String {
    write(value, &PLAIN)
}

/// `%#v`: `map[string]interface {}{"a":1, "b":[]interface {}{true, interface {}(nil)}}`.
pub fn syntax(value: Value<'_>) -> String {
    write(value, &SYNTAX)
}

/// `%T`.
pub fn type_name(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Null => "<nil>",
        Kind::Bool(_) => "bool",
        Kind::Int(_) => "int64",
        Kind::Float(_) | Kind::Number(_) => "float64",
        Kind::String(_) => "string",
        Kind::Array(_) => "[]interface {}",
        Kind::Object(_) => "map[string]interface {}",
    }
}

/// How one of the verbs writes.
struct Verb {
    null: &'static str,
    quotes: bool,
    array: &'static str,
    object: &'static str,
    end: char,
    between: &'static str,
}

const PLAIN: Verb =
    Verb { null: "<nil>", quotes: false, array: "[", object: "map[", end: ']', between: " " };

const SYNTAX: Verb = Verb {
    null: "interface {}(nil)",
    quotes: true,
    array: "[]interface {}{",
    object: "map[string]interface {}{",
    end: '}',
    between: ", ",
};

fn write(value: Value<'_>, verb: &Verb) -> String {
    let mut out = String::new();
    let text = |text: &str| if verb.quotes { quote(text) } else { text.to_owned() };
    let mut open: Vec<std::vec::IntoIter<(Option<&str>, Value<'_>)>> = Vec::new();
    let mut is_first = true;
    let mut next = Some(value);
    loop {
        if let Some(value) = next.take() {
            is_first = value.is_container();
            let _ = match value.kind() {
                Kind::Null => write!(out, "{}", verb.null),
                Kind::Bool(bool) => write!(out, "{bool}"),
                Kind::Int(int) => write!(out, "{int}"),
                Kind::Float(float) => write!(out, "{}", number::shortest(float)),
                Kind::Number(number) => write!(out, "{number}"),
                Kind::String(string) => write!(out, "{}", text(string)),
                Kind::Array(items) => {
                    open.push(items.map(|item| (None, item)).collect::<Vec<_>>().into_iter());
                    write!(out, "{}", verb.array)
                }
                Kind::Object(members) => {
                    let mut members: Vec<_> =
                        members.map(|(key, member)| (Some(key), member)).collect();
                    members.sort_unstable_by_key(|(key, _)| *key);
                    open.push(members.into_iter());
                    write!(out, "{}", verb.object)
                }
            };
        }
        let Some(rest) = open.last_mut() else { return out };
        let Some((key, value)) = rest.next() else {
            out.push(verb.end);
            open.pop();
            is_first = false;
            continue;
        };
        if !is_first {
            out.push_str(verb.between);
        }
        if let Some(key) = key {
            let _ = write!(out, "{}:", text(key));
        }
        next = Some(value);
    }
}
