//! Findings about what is open: the same that a validator has about values that it sees whole, with the same arguments.
//!
//! Paths are relative to what is open.

use crate::compiled::CompiledSchema;
use crate::scope::Scope;
use crate::validate::{Indices, ValidateRequest, contained, repeated, report, shown_keys};
use crdkit_issue::{Code, FieldPath, Issue, codes};
use crdkit_schema::compile::{Contains, Id, ListType, Node};
use crdkit_schema::validate::{place_name, shown, too_few, too_many};
use crdkit_text::quote::quote;
use crdkit_value::{Document, Value};

/// What is wrong with the type of an array or object, which is shown by an `empty` one.
pub(super) fn mistyped(schema: &CompiledSchema, id: Id, empty: &Document) -> Vec<Issue> {
    let found = report(schema, id, empty.root(), &ValidateRequest::default());
    let found = found.into_iter().map(|(_, issue)| issue);
    let is_type =
        |code: Code| code == codes::object::TYPE_MISMATCH || code == codes::schema::NEVER_VALID;
    found.filter(|issue| issue.path.is_root() && is_type(issue.code)).collect()
}

/// A member that the schema does not let an object have; `plain` says that the server's words are asked for.
pub(super) fn refused(name: &str, plain: bool) -> Issue {
    let issue = if plain {
        Issue::error(codes::object::FORBIDDEN_FIELD).with("key", name).value(name).with("name", "")
    } else {
        unknown_key(name)
    };
    issue.with("keyword", "additionalProperties")
}

/// A member that no schema knows.
pub(super) fn unknown_key(name: &str) -> Issue {
    Issue::error(codes::schema::UNKNOWN_KEY).with("key", name).at(named(name))
}

/// A member whose name is not one that an object may have.
pub(super) fn wrong_name(name: &str) -> Issue {
    let issue = Issue::error(codes::schema::PROPERTY_NAME).with("key", name);
    issue.with("keyword", "propertyNames").at(named(name))
}

/// A member that must be there.
pub(super) fn required(name: &str) -> Issue {
    let issue = Issue::error(codes::object::REQUIRED).with("keyword", "required");
    issue.at(FieldPath::root().field(name))
}

/// A member that must be there because another one is.
pub(super) fn dependent(name: &str, because: &str) -> Issue {
    let issue = Issue::error(codes::schema::DEPENDENT_REQUIRED).with("because", because);
    issue.with("keyword", "dependentRequired").at(FieldPath::root().field(name))
}

/// What the limits of `node` say against `n_children` items or members.
pub(super) fn miscounted(node: &Node, is_object: bool, n_children: usize) -> Vec<Issue> {
    use codes::object::{TOO_FEW_FIELDS, TOO_FEW_ITEMS, TOO_MANY_FIELDS, TOO_MANY_ITEMS};
    let Some(bounds) = node.bounds() else { return Vec::new() };
    let (least, most) = if is_object {
        let least = (bounds.min_properties, TOO_FEW_FIELDS, "minProperties");
        (least, (bounds.max_properties, TOO_MANY_FIELDS, "maxProperties"))
    } else {
        let least = (bounds.min_items, TOO_FEW_ITEMS, "minItems");
        (least, (bounds.max_items, TOO_MANY_ITEMS, "maxItems"))
    };
    let count = i64::try_from(n_children).unwrap_or(i64::MAX);
    let few = least
        .0
        .filter(|limit| count < *limit)
        .map(|limit| too_few(least.1, n_children, limit).with("name", "").with("keyword", least.2));
    let many = most
        .0
        .filter(|limit| count > *limit)
        .map(|limit| too_many(most.1, n_children, limit).with("name", "").with("keyword", most.2));
    few.into_iter().chain(many).collect()
}

/// What `contains` says against a list with these items of the kind it asks for.
pub(super) fn miscontained(contains: Contains, matching: Indices) -> Option<Issue> {
    use codes::schema::{TOO_FEW_CONTAINED, TOO_MANY_CONTAINED};
    let count = u64::from(matching.count);
    let report = |code: Code, expected: u64, keyword| {
        Some(contained(code, expected, matching).with("keyword", keyword))
    };
    match contains.max {
        _ if count < contains.min => report(TOO_FEW_CONTAINED, contains.min, "minContains"),
        Some(max) if count > max => report(TOO_MANY_CONTAINED, max, "maxContains"),
        _ => None,
    }
}

/// The item at `index` is the same as the one at `first`.
pub(super) fn repeated_item(list: &Node, (first, index): (usize, usize), item: Value<'_>) -> Issue {
    let is_set = list.list_type == ListType::Set;
    repeated(codes::object::REPEATED_ITEM, at(first), at(index))
        .value(shown(item))
        .with("keyword", if is_set { "x-kubernetes-list-type" } else { "uniqueItems" })
}

/// The item at `index` has the keys of the one at `first`.
pub(super) fn repeated_keys(
    schema: &CompiledSchema,
    list: Id,
    (first, index): (usize, usize),
    item: Value<'_>,
) -> Issue {
    repeated(codes::object::REPEATED_KEYS, at(first), at(index))
        .with("keys", shown_keys(schema.table(), schema.node(list), item))
        .with("keyword", "x-kubernetes-list-map-keys")
}

/// The item at `index` lacks one of the keys of its list.
pub(super) fn key_missing(index: usize, name: &str) -> Issue {
    let issue = Issue::error(codes::object::REQUIRED).with("keyword", "x-kubernetes-list-map-keys");
    issue.at(at(index).field(name))
}

/// Puts a finding about what stands at `base` where that stands, with the name that messages give to the place.
pub(super) fn placed(schema: &CompiledSchema, base: &FieldPath, issue: Issue) -> Issue {
    let mut issue = if base.is_root() { issue } else { issue.rebase(base) };
    if issue.arg("name").is_some() {
        let name = place_name(schema.table(), schema.root(), issue.path.segments());
        for (arg, value) in &mut issue.args {
            match *arg {
                "name" => *value = name.as_str().into(),
                "quoted" => *value = quote(&name).into(),
                _ => {}
            }
        }
    }
    Scope::new(schema).style(&mut issue);
    issue
}

fn named(name: &str) -> FieldPath {
    FieldPath::root().join(crdkit_issue::Segment::named(name))
}

fn at(index: usize) -> FieldPath {
    FieldPath::root().index(index)
}
