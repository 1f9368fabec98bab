//! JSON Patch (RFC 6902) on a document, as suites use it to make an earlier CRD out of the current one.

use crdkit::value::{Document, NodeId, Value};

/// Applies one operation: an object with `op`, `path` and what the operation needs.
///
/// # Errors
/// What is wrong with the operation, for people.
pub(super) fn apply(document: &mut Document, operation: Value<'_>) -> Result<(), String> {
    let text = |key| operation.get(key).and_then(Value::as_str);
    let path = text("path").ok_or("a patch needs a `path`")?;
    let given = operation.get("value");
    let value = || given.map(Document::copy_of).ok_or("this patch needs a `value`");
    match text("op").ok_or("a patch needs an `op`")? {
        "add" => add(document, path, value()?.root()),
        "remove" => take(document, path).map(drop),
        "replace" => {
            let id = find(document, path)?;
            document.set(id, value()?.root());
            Ok(())
        }
        "move" => {
            let moved = take(document, text("from").ok_or("`move` needs a `from`")?)?;
            add(document, path, moved.root())
        }
        "copy" => {
            let id = find(document, text("from").ok_or("`copy` needs a `from`")?)?;
            let copy = Document::copy_of(document.value(id));
            add(document, path, copy.root())
        }
        "test" => {
            let id = find(document, path)?;
            let same = document.value(id) == value()?.root();
            same.then_some(()).ok_or_else(|| format!("`{path}` has another value"))
        }
        other => Err(format!("there is no patch operation `{other}`")),
    }
}

fn find(document: &Document, path: &str) -> Result<NodeId, String> {
    let found = document.root().pointer(path);
    found.map(Value::id).ok_or_else(|| format!("there is nothing at `{path}`"))
}

fn take(document: &mut Document, path: &str) -> Result<Document, String> {
    let id = find(document, path)?;
    let taken = Document::copy_of(document.value(id));
    document.remove(id);
    Ok(taken)
}

fn add(document: &mut Document, path: &str, value: Value<'_>) -> Result<(), String> {
    let Some((parent, last)) = path.rsplit_once('/') else {
        document.set(NodeId::ROOT, value);
        return Ok(());
    };
    let id = find(document, parent)?;
    let parent = document.value(id);
    if parent.as_object().is_some() {
        document.insert(id, &last.replace("~1", "/").replace("~0", "~"), value);
        return Ok(());
    }
    let items: Vec<Value<'_>> = match parent.as_array() {
        Some(items) => items.collect(),
        None => return Err(format!("nothing can be added at `{path}`")),
    };
    let at =
        match last {
            "-" => items.len(),
            last => last.parse().ok().filter(|at| *at <= items.len()).ok_or_else(|| {
                format!("`{path}` is not a position in a list of {}", items.len())
            })?,
        };
    // Items are linked from first to last, so those behind the new one are taken off and put back.
    let behind: Vec<(NodeId, Document)> =
        items.iter().skip(at).map(|item| (item.id(), Document::copy_of(*item))).collect();
    for (item, _) in &behind {
        document.remove(*item);
    }
    document.push(id, value);
    for (_, item) in &behind {
        document.push(id, item.root());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crdkit::codec::{DecodeOptions, json};

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
        check("{}", r#"{"op":"drop","path":"/a"}"#, "there is no patch operation `drop`");
    }
}
