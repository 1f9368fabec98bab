//! The facts as they are given: JSON files, and what the amendments change in them.

use anyhow::{Context as _, Result};
use flate2::read::GzDecoder;
use serde_json::{Map, Value};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Everything that goes in.
pub(crate) struct Facts {
    pub(crate) kinds: Value,
    pub(crate) schemas: Value,
    pub(crate) fields: Map<String, Value>,
    pub(crate) messages: Value,
    pub(crate) defaults: Vec<Value>,
    pub(crate) checks: Vec<Value>,
    /// Kinds with a behaviour of their own, by its name.
    pub(crate) behaviours: Value,
    /// Names of fields in the server's own types.
    own: Value,
}

impl Facts {
    pub(crate) fn read(folder: &Path, amendments: &Path) -> Result<Self> {
        let read = |name: &str| json(&folder.join(name));
        let mut rules = read("rules.json")?;
        let amendments = json(amendments)?;
        let mut amended = |list: &str| -> Vec<Value> {
            let facts = rules.get_mut(list).map(Value::take).unwrap_or_default();
            let facts = facts.as_array().cloned().unwrap_or_default();
            amend(facts, amendments.get(list).and_then(Value::as_object))
        };
        let mut defaults = amended("defaults");
        defaults.sort_by_key(|default| default.get("order").and_then(Value::as_u64));
        let checks = amended("checks");
        let fields = read("fields.json.gz")?.as_object().cloned().unwrap_or_default();
        Ok(Self {
            kinds: read("kinds.json.gz")?,
            schemas: read("schemas.json.gz")?,
            fields,
            messages: read("proto.json.gz")?,
            defaults,
            checks,
            behaviours: amendments.get("behaviours").cloned().unwrap_or_default(),
            own: amendments.get("own").cloned().unwrap_or_default(),
        })
    }

    /// The name of a field in the server's own type; empty if it is its own name with a capital letter.
    pub(crate) fn own_name(&self, of: &str, via: &str, field: &str) -> &str {
        if via == "TypeMeta" {
            return "-";
        }
        let of_type = self.own.get("types").and_then(|types| types.get(of));
        let tables = [of_type, self.own.get("names")];
        let has = |table: &&Value| table.get(field).is_some();
        tables.into_iter().flatten().find(has).map_or("", |table| text(table, field))
    }
}

/// Rules with the members that the amendments give, without those that are amended to null, with those that are new.
fn amend(mut rules: Vec<Value>, amendments: Option<&Map<String, Value>>) -> Vec<Value> {
    for (id, change) in amendments.into_iter().flatten() {
        let found = rules.iter().position(|rule| text(rule, "id") == id);
        match (found, change.as_object()) {
            (Some(at), None) => {
                rules.remove(at);
            }
            (Some(at), Some(change)) => {
                if let Some(rule) = rules.get_mut(at).and_then(Value::as_object_mut) {
                    rule.extend(change.clone());
                }
            }
            (None, Some(change)) => {
                let mut rule = change.clone();
                rule.insert("id".to_owned(), id.as_str().into());
                rules.push(rule.into());
            }
            (None, None) => {}
        }
    }
    rules
}

fn json(path: &Path) -> Result<Value> {
    let context = || format!("`{}` cannot be read", path.display());
    let mut file = File::open(path).with_context(context)?;
    let mut text = Vec::new();
    if path.extension().is_some_and(|extension| extension == "gz") {
        GzDecoder::new(file).read_to_end(&mut text).with_context(context)?;
    } else {
        file.read_to_end(&mut text).with_context(context)?;
    }
    serde_json::from_slice(&text).with_context(context)
}

/// A member that is text; empty if it is not there.
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The items of a member that is a list.
pub(crate) fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The texts in a member that is a list.
pub(crate) fn texts<'v>(value: &'v Value, key: &str) -> Vec<&'v str> {
    items(value, key).iter().filter_map(Value::as_str).collect()
}

/// Whether a member is true.
pub(crate) fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or_default()
}
