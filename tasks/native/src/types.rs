//! Go's types: fields, what is left out of JSON, and the rules about their values.
//!
//! Embedded structures are taken apart: their fields become fields of the structure around, which remember the names
//! of what they were embedded in.

use crate::facts::{Facts, items, text};
use crate::rules;
use crate::write::Section;
use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The number of each type.
pub(crate) struct Names<'f> {
    list: Vec<&'f str>,
    numbers: BTreeMap<&'f str, usize>,
}

impl<'f> Names<'f> {
    pub(crate) fn of(facts: &'f Facts) -> Self {
        let mut list: Vec<&str> = facts.fields.keys().map(String::as_str).collect();
        list.sort_unstable();
        let numbers = list.iter().enumerate().map(|(number, name)| (*name, number)).collect();
        Self { list, numbers }
    }

    pub(crate) fn number(&self, name: &str) -> Result<usize> {
        self.numbers.get(name).copied().with_context(|| format!("no type `{name}`"))
    }
}

/// A field with the structures it was embedded in.
struct Field<'f> {
    fact: &'f Value,
    /// Names of the embedded structures on the way, joined by dots.
    via: String,
}

/// Writes all types.
pub(crate) fn write(facts: &Facts, names: &Names<'_>, out: &mut Section) -> Result<()> {
    let checked = reaching(facts, |name| rules::has_checks(facts, name));
    let filled = reaching(facts, |name| rules::has_defaults(facts, name));
    out.indexed(&names.list, |out, name| {
        let fact = facts.fields.get(*name).context("no such type")?;
        out.text(name);
        out.text(text(fact, "go"));
        out.flag(checked.contains(name));
        out.flag(filled.contains(name));
        if let Some(alias) = fact.get("is").and_then(Value::as_str) {
            out.number(1);
            expression(alias, names, out)?;
        } else if fact.get("ownJSON").is_some() {
            out.number(2);
            out.number(special(name)?);
        } else {
            out.number(0);
            let mut fields = Vec::new();
            collect(facts, name, "", &mut fields)?;
            out.list(fields, |out, field| {
                out.text(text(field.fact, "name"));
                out.text(&field.via);
                out.text(text(field.fact, "go").trim_start_matches('*'));
                out.number(match text(field.fact, "omit") {
                    "empty" => 0,
                    "never" => 1,
                    "empty+zero" | "zero" => 2,
                    other => bail!("`{other}` is not a known rule for leaving out"),
                });
                out.text(facts.own_name(name, &field.via, text(field.fact, "name")));
                expression(text(field.fact, "type"), names, out)
            })?;
        }
        rules::write(facts, name, out)
    })
}

/// The types of which a value can hold one that `has` is true for.
fn reaching(facts: &Facts, has: impl Fn(&str) -> bool) -> BTreeSet<&str> {
    let mut found: BTreeSet<&str> =
        facts.fields.keys().map(String::as_str).filter(|name| has(name)).collect();
    loop {
        let before = found.len();
        for (name, fact) in &facts.fields {
            let used = items(fact, "fields").iter().map(|field| text(field, "type"));
            let mut used = used.chain(std::iter::once(text(fact, "is")));
            if used.any(|used| found.contains(base(used))) {
                found.insert(name);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// The type of the values in the end.
fn base(expression: &str) -> &str {
    let rest = expression.trim_start_matches('*').trim_start_matches("[]");
    match rest.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
        Some((_, value)) => base(value),
        None if rest.len() < expression.len() => base(rest),
        None => rest,
    }
}

fn collect<'f>(facts: &'f Facts, name: &str, via: &str, out: &mut Vec<Field<'f>>) -> Result<()> {
    let fact = facts.fields.get(name).with_context(|| format!("no type `{name}`"))?;
    for field in items(fact, "fields") {
        match field.get("embedded").and_then(Value::as_str) {
            Some(embedded) => {
                let dot = if via.is_empty() { "" } else { "." };
                collect(facts, text(field, "type"), &format!("{via}{dot}{embedded}"), out)?;
            }
            None => out.push(Field { fact: field, via: via.to_owned() }),
        }
    }
    Ok(())
}

/// Writes a Go type.
fn expression(of: &str, names: &Names<'_>, out: &mut Section) -> Result<()> {
    let scalars = ["string", "bool", "int32", "int64", "float64", "bytes"];
    if let Some(scalar) = scalars.iter().position(|known| *known == of) {
        out.number(scalar);
    } else if let Some(of) = of.strip_prefix('*') {
        out.number(9);
        expression(of, names, out)?;
    } else if let Some(of) = of.strip_prefix("[]") {
        out.number(7);
        expression(of, names, out)?;
    } else if let Some((_, of)) = of.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
        out.number(8);
        expression(of, names, out)?;
    } else {
        out.number(6);
        out.number(names.number(of)?);
    }
    Ok(())
}

/// Types that read and write JSON in their own way.
fn special(name: &str) -> Result<usize> {
    let known = [
        "Quantity",
        "Time",
        "MicroTime",
        "IntOrString",
        "RawExtension",
        "FieldsV1",
        "JSON",
        "JSONSchemaPropsOrArray",
        "JSONSchemaPropsOrBool",
        "JSONSchemaPropsOrStringArray",
        "Duration",
    ];
    let short = name.rsplit('.').next().unwrap_or_default();
    known
        .iter()
        .position(|known| *known == short)
        .with_context(|| format!("`{name}` has a JSON form of its own that is not known"))
}
