//! Finds the schema of a field by the path people write.
//!
//! Takes text such as `.spec.ports[].name`, `spec.labels.*` or `spec.containers.image` and gives the schema
//! there, or the step that leads nowhere with the names that could have been meant. The steps into the items
//! of a list and the values of a map may be left out where the next step cannot mean anything else, as
//! `kubectl explain` has it. [`paths`] goes the other way: every path of a schema, each of which is found.

use crate::model::{Schema, SchemaId, Schemas};
use std::fmt::Write as _;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LookupStep {
    /// A field, or a key of a map.
    Name(String),
    /// Any item of a list or value of a map: `[]`, `[*]`, `[0]`, `*`.
    Each,
}

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSchema {
    /// The schema.
    pub schema: SchemaId,
    /// The path in full: no step left out.
    pub steps: Vec<LookupStep>,
    /// Whether the object around it must have it.
    pub required: bool,
}

/// A step that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFound {
    /// The path up to it.
    pub before: Vec<LookupStep>,
    /// The step.
    pub step: LookupStep,
    /// Fields of what is before it that are spelled alike, the likeliest first.
    pub alike: Vec<String>,
    /// All fields of what is before it.
    pub known: Vec<String>,
}

/// Reads a path; an opening bracket or quote that is never closed reaches to the end.
pub fn parse(text: &str) -> Vec<LookupStep> {
    let mut steps = Vec::new();
    let mut rest = text.trim();
    while let Some(c) = rest.chars().next() {
        if c == '.' {
            rest = rest.get(1..).unwrap_or_default();
            continue;
        }
        if c == '[' {
            let inside = rest.get(1..).unwrap_or_default();
            let quote = inside.chars().next().filter(|c| matches!(c, '"' | '\''));
            let (name, after) = match quote {
                Some(quote) => {
                    let text = inside.get(1..).unwrap_or_default();
                    let (name, after) = text.split_once(quote).unwrap_or((text, ""));
                    (name, after.strip_prefix(']').unwrap_or(after))
                }
                None => inside.split_once(']').unwrap_or((inside, "")),
            };
            let each = quote.is_none()
                && (matches!(name, "" | "*") || name.bytes().all(|byte| byte.is_ascii_digit()));
            steps.push(if each { LookupStep::Each } else { LookupStep::Name(name.to_owned()) });
            rest = after;
            continue;
        }
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        steps.push(if name == "*" { LookupStep::Each } else { LookupStep::Name(name.to_owned()) });
        rest = after;
    }
    steps
}

/// A path as [`parse`] reads it.
pub fn print(steps: &[LookupStep]) -> String {
    let mut out = String::new();
    for step in steps {
        match step {
            LookupStep::Each => out.push_str("[]"),
            LookupStep::Name(name)
                if !name.is_empty() && name != "*" && !name.contains(['.', '[', ' ']) =>
            {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(name);
            }
            LookupStep::Name(name) => {
                let quote = if name.contains('"') { '\'' } else { '"' };
                let _ = write!(out, "[{quote}{name}{quote}]");
            }
        }
    }
    out
}

/// The schema at `steps` below `root`.
///
/// # Errors
/// When a step leads nowhere.
pub fn find(
    schemas: &Schemas<'_>,
    root: SchemaId,
    steps: &[LookupStep],
) -> Result<FoundSchema, NotFound> {
    let mut place = FoundSchema { schema: root, steps: Vec::new(), required: false };
    for step in steps {
        place = follow(schemas, &place, step).ok_or_else(|| {
            let fields = with_fields(schemas, &place);
            let known = schemas.get(fields.schema).properties.iter();
            let known: Vec<String> = known.map(|(name, _)| name.to_owned()).collect();
            let wanted = match step {
                LookupStep::Name(name) => name.as_str(),
                LookupStep::Each => "",
            };
            let alike = alike(wanted, known.iter().map(String::as_str));
            NotFound { before: place.steps.clone(), step: step.clone(), alike, known }
        })?;
    }
    Ok(place)
}

/// One step further.
fn follow(schemas: &Schemas<'_>, place: &FoundSchema, step: &LookupStep) -> Option<FoundSchema> {
    let mut place = place.clone();
    let LookupStep::Name(name) = step else { return inner(schemas, &place) };
    loop {
        let schema = schemas.get(place.schema);
        if let Some(id) = schema.properties.get(name) {
            let required = schema.required.contains(&name.as_str());
            place.steps.push(step.clone());
            return Some(FoundSchema { schema: id, steps: place.steps, required });
        }
        // A name below a map is a field of its values if they have it, otherwise one of its keys.
        if let Some(value) = schema.additional_schema() {
            let values = inner(schemas, &place)?;
            let fields = with_fields(schemas, &values);
            if schemas.get(fields.schema).properties.get(name).is_none() {
                place.steps.push(step.clone());
                return Some(FoundSchema { schema: value, steps: place.steps, required: false });
            }
            place = values;
        } else {
            place = inner(schemas, &place)?;
        }
    }
}

/// The items of a list, or the values of a map.
fn inner(schemas: &Schemas<'_>, place: &FoundSchema) -> Option<FoundSchema> {
    let schema = schemas.get(place.schema);
    let id = schema.item_schema().or_else(|| schema.additional_schema())?;
    let mut steps = place.steps.clone();
    steps.push(LookupStep::Each);
    Some(FoundSchema { schema: id, steps, required: false })
}

/// The nearest place at or below `place` that has fields, through lists and maps.
pub fn with_fields(schemas: &Schemas<'_>, place: &FoundSchema) -> FoundSchema {
    let mut found = place.clone();
    while schemas.get(found.schema).properties.is_empty() {
        match inner(schemas, &found) {
            Some(next) => found = next,
            None => return place.clone(),
        }
    }
    found
}

/// Every path of a schema, each with its schema, in the order they are written.
pub fn paths(schemas: &Schemas<'_>, root: SchemaId) -> Vec<(Vec<LookupStep>, SchemaId)> {
    let mut found = Vec::new();
    let mut pending = vec![(Vec::new(), root)];
    while let Some((steps, id)) = pending.pop() {
        let schema = schemas.get(id);
        let below = |step: LookupStep| {
            let mut below: Vec<LookupStep> = steps.clone();
            below.push(step);
            below
        };
        let inner = schema.item_schema().or_else(|| schema.additional_schema());
        pending.extend(inner.map(|id| (below(LookupStep::Each), id)));
        let fields = schema.properties.iter().collect::<Vec<_>>();
        for (name, id) in fields.into_iter().rev() {
            pending.push((below(LookupStep::Name(name.to_owned())), id));
        }
        if !steps.is_empty() {
            found.push((steps, id));
        }
    }
    found
}

/// Whether a schema says of itself that it should not be used any more.
pub fn is_deprecated(schema: &Schema<'_>) -> bool {
    let start = schema.description.trim_start().get(..10);
    start.is_some_and(|start| start.eq_ignore_ascii_case("deprecated"))
}

/// So many characters of texts are compared.
const LONGEST: usize = 64;

/// Up to three of `names` that are spelled like `wanted`, the likeliest first.
pub fn alike<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let n_wanted = wanted.chars().count();
    let most = n_wanted.div_ceil(3).max(1);
    let mut close: Vec<_> = names
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let contains = |outer: &str, inner: &str| inner.len() >= 3 && outer.contains(inner);
            if contains(&lower, &wanted) || contains(&wanted, &lower) {
                return Some((1, name));
            }
            // Every character that is missing counts; long texts are not compared to their end.
            let n_lower = lower.chars().count().min(LONGEST);
            let is_near = n_wanted.min(LONGEST).abs_diff(n_lower) <= most;
            is_near.then(|| (distance(&wanted, &lower), name)).filter(|(it, _)| *it <= most)
        })
        .collect();
    close.sort_unstable();
    close.dedup_by_key(|(_, name)| name.to_lowercase());
    close.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

/// How many characters must be changed, added, left out or swapped with their neighbour. Long texts are
/// not compared to their end.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().take(LONGEST).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    let mut last = None;
    for (i, a) in left.chars().take(LONGEST).enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let at =
                |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX - 1);
            let mut cost =
                (at(&row, j) + usize::from(a != *b)).min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            let swapped = j > 0 && right.get(j - 1) == Some(&a) && last == Some(*b);
            if swapped {
                cost = cost.min(at(&before, j - 1) + 1);
            }
            next.push(cost);
        }
        before = std::mem::replace(&mut row, next);
        last = Some(a);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_and_written() {
        for (text, printed) in [
            (".spec.foo", "spec.foo"),
            ("spec.foo[]", "spec.foo[]"),
            ("spec.foo.*.bar", "spec.foo[].bar"),
            ("spec.foo[*].bar", "spec.foo[].bar"),
            ("spec.foo[0].bar[2]", "spec.foo[].bar[]"),
            (r#"spec["a.b/c"].d"#, r#"spec["a.b/c"].d"#),
            ("spec['*']", r#"spec["*"]"#),
            ("spec[name]", "spec.name"),
            ("spec[", "spec[]"),
            ("", ""),
            ("...", ""),
        ] {
            let steps = parse(text);
            assert_eq!(print(&steps), printed, "{text}");
            assert_eq!(parse(&print(&steps)), steps, "{text}");
        }
    }

    #[test]
    fn names_spelled_alike_are_found() {
        let names = ["replicas", "selector", "template", "strategy", "a"];
        for (wanted, found) in [
            ("replica", "replicas"),
            ("replcias", "replicas"),
            ("Selectors", "selector"),
            ("startegy", "strategy"),
            ("zzz", ""),
            ("temp", "template"),
        ] {
            assert_eq!(alike(wanted, names.into_iter()).join(" "), found, "{wanted}");
        }
    }

    #[test]
    fn distances_count_changes() {
        for (left, right, changes) in [
            ("", "", 0),
            ("a", "", 1),
            ("ab", "ba", 1),
            ("kitten", "sitting", 3),
            ("abc", "abc", 0),
        ] {
            assert_eq!(distance(left, right), changes, "{left} {right}");
            assert_eq!(distance(right, left), changes, "{right} {left}");
        }
    }
}
