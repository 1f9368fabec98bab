//! JSON Patch (RFC 6902) on a document, as suites use it to make an earlier CRD out of the current one.

use crdkit_issue::{pointer_index, pointer_steps};
use crdkit_value::{Document, NewValue, NodeId, Value};

/// Copies do not make a document larger than this, counted in values.
const LARGEST: usize = 1 << 20;

/// Applies one operation: an object with `op`, `path` and what the operation needs.
///
/// # Errors
/// What is wrong with the operation, for people.
pub(super) fn apply(document: &mut Document, operation: Value<'_>) -> Result<(), String> {
    let text = |key| operation.get(key).and_then(Value::as_str);
    let path = text("path").ok_or("a patch needs a `path`")?;
    let value = || operation.get("value").ok_or("this patch needs a `value`");
    let from = |op| text("from").ok_or(format!("`{op}` needs a `from`"));
    match text("op").ok_or("a patch needs an `op`")? {
        "add" => add(document, path, value()?.into()),
        "remove" => {
            let id = find(document, path)?;
            document.remove(id);
            Ok(())
        }
        "replace" => {
            let id = find(document, path)?;
            document.set(id, value()?);
            Ok(())
        }
        "move" => {
            let id = find(document, from("move")?)?;
            add(document, path, NewValue::Moved(id))
        }
        "copy" => {
            let id = find(document, from("copy")?)?;
            // A value that is copied into itself again and again doubles each time.
            let n_values = document.root().ids().count() + document.value(id).ids().count();
            if n_values > LARGEST {
                return Err(format!("the document would have more than {LARGEST} values"));
            }
            add(document, path, NewValue::CopyOfId(id))
        }
        "test" => {
            let id = find(document, path)?;
            let same = document.value(id) == value()?;
            same.then_some(()).ok_or_else(|| format!("`{path}` has another value"))
        }
        other => Err(format!("there is no patch operation `{other}`")),
    }
}

fn find(document: &Document, path: &str) -> Result<NodeId, String> {
    let found = document.root().pointer(path);
    found.map(Value::id).ok_or_else(|| format!("there is nothing at `{path}`"))
}

fn add(document: &mut Document, path: &str, value: NewValue<'_>) -> Result<(), String> {
    let cannot = || format!("nothing can be added at `{path}`");
    let Some((parent, _)) = path.rsplit_once('/') else {
        return document.set(NodeId::ROOT, value).map(drop).ok_or_else(cannot);
    };
    let id = find(document, parent)?;
    let last = pointer_steps(path).ok().and_then(Iterator::last).and_then(Result::ok);
    let last = last.ok_or_else(cannot)?;
    let Some(items) = document.value(id).as_array() else {
        return document.insert(id, &last, value).map(drop).ok_or_else(cannot);
    };
    let n_items = items.len();
    let added = match &*last {
        "-" => document.push(id, value),
        last => pointer_index(last).and_then(|at| document.insert_item(id, at, value)),
    };
    added.map(drop).ok_or_else(|| format!("`{path}` is not a position in a list of {n_items}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crdkit_codec::{DecodeOptions, json};

    #[track_caller]
    fn check(given: &str, operation: &str, expected: &str) {
        let decode =
            |text: &str| json::decode(text.as_bytes(), &DecodeOptions::default()).unwrap().document;
        let mut document = decode(given);
        let outcome = apply(&mut document, decode(operation).root());
        let shown = || json::text(document.root(), json::Layout::Compact);
        let got = outcome.err().unwrap_or_else(shown);
        assert_eq!(got, expected, "{operation}");
    }

    #[test]
    fn operations_do_what_the_standard_says() {
        check(r#"{"a":1}"#, r#"{"op":"add","path":"/b","value":2}"#, r#"{"a":1,"b":2}"#);
        check("[1,2]", r#"{"op":"add","path":"/1","value":9}"#, "[1,9,2]");
        check("[1,2]", r#"{"op":"add","path":"/-","value":9}"#, "[1,2,9]");
        check(r#"{"a":{"b":1}}"#, r#"{"op":"remove","path":"/a/b"}"#, r#"{"a":{}}"#);
        check(r#"{"a":1}"#, r#"{"op":"replace","path":"/a","value":[]}"#, r#"{"a":[]}"#);
        check(r#"{"a":1}"#, r#"{"op":"move","from":"/a","path":"/b"}"#, r#"{"b":1}"#);
        check(r#"{"a":1}"#, r#"{"op":"copy","from":"/a","path":"/b"}"#, r#"{"a":1,"b":1}"#);
        check(r#"{"a":1}"#, r#"{"op":"test","path":"/a","value":1}"#, r#"{"a":1}"#);
        check(r#"{"a":1}"#, r#"{"op":"add","path":"/x~1y","value":2}"#, r#"{"a":1,"x/y":2}"#);
        check("1", r#"{"op":"add","path":"","value":2}"#, "2");
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        check("{}", r#"{"op":"remove","path":"/a"}"#, "there is nothing at `/a`");
        check(
            "[]",
            r#"{"op":"add","path":"/2","value":1}"#,
            "`/2` is not a position in a list of 0",
        );
        check("{}", r#"{"op":"add","path":"/a"}"#, "this patch needs a `value`");
        check(r#"{"a":1}"#, r#"{"op":"test","path":"/a","value":2}"#, "`/a` has another value");
        let wide = format!("[{}0]", "0,".repeat(LARGEST / 2));
        let problem = format!("the document would have more than {LARGEST} values");
        check(&wide, r#"{"op":"copy","from":"","path":"/-"}"#, &problem);
        check("{}", r#"{"op":"drop","path":"/a"}"#, "there is no patch operation `drop`");
    }
}
