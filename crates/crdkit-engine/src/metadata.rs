//! Object metadata, of the object itself and of resources inside it.
//!
//! [`coerce`] makes metadata what it is after a round through the server's typed form: unknown fields
//! and empty values are gone, times are in UTC. [`prepare_create`] and [`prepare_update`] set what
//! clients may not choose. What the rest must look like is checked by `crdkit_schema::metadata`.
//!
//! Upstream: `apiextensions-apiserver/pkg/apiserver/schema/objectmeta`, `apiserver/pkg/registry/rest`.

use crate::findings::Findings;
use crate::options::RequestOptions;
use crdkit_issue::{FieldPath, Issue, codes::object as codes};
use crdkit_schema::decode::{self, types};
use crdkit_text::names;
use crdkit_text::quote::quote;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, Kind, NewValue, NodeId, Value};
use types::{GoStruct, GoType};

/// What happens to a value of a wrong type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnWrongType {
    /// The whole object is refused.
    Refuse,
    /// It is removed; so objects are read that were stored before the types were checked.
    Remove,
}

/// Makes the metadata called `id` canonical. Gives the unknown fields that were removed.
pub(crate) fn coerce(
    document: &mut Document,
    id: NodeId,
    wrong: OnWrongType,
) -> Result<Vec<NodeId>, Box<Issue>> {
    let value = document.value(id);
    if value.is_null() {
        document.set(id, NewValue::EmptyObject);
        return Ok(Vec::new());
    }
    let mut edits = Edits::default();
    let fits = match value.as_object() {
        Some(_) => edits.fields(value, &types::OBJECT_META),
        None => false,
    };
    if !fits && wrong == OnWrongType::Refuse {
        return Err(Box::new(wrong_type(value)));
    }
    edits.wrong.into_iter().for_each(|id| document.remove(id));
    edits.empty.into_iter().for_each(|id| document.remove(id));
    for id in &edits.unknown {
        document.remove(*id);
    }
    for (id, text) in edits.texts {
        document.set(id, &text);
    }
    for (object, key) in edits.missing {
        document.insert(object, key, "");
    }
    Ok(edits.unknown)
}

/// What has to change in metadata.
#[derive(Default)]
struct Edits {
    unknown: Vec<NodeId>,
    /// Values that mean the same as nothing.
    empty: Vec<NodeId>,
    wrong: Vec<NodeId>,
    texts: Vec<(NodeId, String)>,
    /// Fields that are written even when they are empty.
    missing: Vec<(NodeId, &'static str)>,
}

impl Edits {
    /// Looks at the fields of `object`; false if one has a wrong type.
    fn fields(&mut self, object: Value<'_>, of_struct: &'static GoStruct) -> bool {
        let mut fits = true;
        for (key, member) in object.members() {
            let Some(of) = of_struct.field(key) else {
                self.unknown.push(member.id());
                continue;
            };
            if !self.value(member, of) {
                self.wrong.push(member.id());
                fits = false;
            } else if is_empty(member) && !is_written(of_struct, key, member) {
                self.empty.push(member.id());
            }
        }
        fits
    }

    fn value(&mut self, value: Value<'_>, of: &'static GoType) -> bool {
        match (of, value.kind()) {
            (GoType::Raw, _)
            | (_, Kind::Null)
            | (GoType::String(_), Kind::String(_))
            | (GoType::Bool, Kind::Bool(_))
            | (GoType::Int64, Kind::Int(_)) => true,
            (GoType::Time, Kind::String(text)) => self.time(value.id(), text),
            (GoType::Map(_, of), Kind::Object(members)) => {
                self.elements(members.map(|(_, member)| member), of)
            }
            (GoType::List(_, of), Kind::Array(items)) => self.elements(items, of),
            _ => false,
        }
    }

    /// Looks at all of them, even if the first is wrong.
    fn elements<'v>(
        &mut self,
        values: impl Iterator<Item = Value<'v>>,
        of: &'static GoType,
    ) -> bool {
        values.filter(|value| !self.element(*value, of)).count() == 0
    }

    /// An item of a list or an entry of a map, where `null` means an empty value.
    fn element(&mut self, value: Value<'_>, of: &'static GoType) -> bool {
        match (of, value.kind()) {
            (GoType::String(_), Kind::Null) => {
                self.texts.push((value.id(), String::new()));
                true
            }
            (GoType::Struct(of), Kind::Object(_)) => {
                if is_owner(of) {
                    let absent = |key: &&str| value.get(key).is_none_or(Value::is_null);
                    let missing = OWNER_FIELDS.into_iter().filter(absent);
                    self.missing.extend(missing.map(|key| (value.id(), key)));
                }
                self.fields(value, of)
            }
            _ => self.value(value, of),
        }
    }

    fn time(&mut self, id: NodeId, text: &str) -> bool {
        let Ok(time) = Timestamp::parse_rfc3339(text) else { return false };
        let canonical = utc(&time);
        if canonical != text {
            self.texts.push((id, canonical));
        }
        true
    }
}

/// Fields of an owner that are written even when they are empty.
const OWNER_FIELDS: [&str; 4] = ["apiVersion", "kind", "name", "uid"];

fn is_owner(of: &GoStruct) -> bool {
    of.field("blockOwnerDeletion").is_some()
}

/// Whether the field `key` is written although its value, which is given, is empty.
fn is_written(of: &GoStruct, key: &str, value: Value<'_>) -> bool {
    let counts = key == "deletionGracePeriodSeconds" || is_owner(of) && OWNER_FIELDS.contains(&key);
    counts && !value.is_null()
}

/// Whether a value is left out when it is written.
fn is_empty(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Null | Kind::Int(0) => true,
        Kind::String(text) => text.is_empty(),
        Kind::Array(items) => items.len() == 0,
        Kind::Object(members) => members.len() == 0,
        _ => false,
    }
}

/// Go's words for metadata that does not fit its type.
fn wrong_type(metadata: Value<'_>) -> Issue {
    let copy = Document::copy_of(metadata);
    let problem = if metadata.as_object().is_some() {
        let found = decode::check(copy.root(), &types::OBJECT_META, &[]);
        found.first().map(Issue::server_message).unwrap_or_default()
    } else {
        let found = match metadata.kind() {
            Kind::Bool(_) => "bool",
            Kind::String(_) => "string",
            Kind::Array(_) => "array",
            _ => "number",
        };
        format!("json: cannot unmarshal {found} into Go value of type v1.ObjectMeta")
    };
    Issue::error(codes::METADATA_TYPE).with("problem", problem)
}

/// The metadata of `document`, which is made if there is none.
pub fn ensure(document: &mut Document) -> NodeId {
    let found = document.root().get("metadata").filter(|it| it.as_object().is_some());
    if let Some(metadata) = found {
        return metadata.id();
    }
    let added = document.insert(NodeId::ROOT, "metadata", NewValue::EmptyObject);
    added.unwrap_or(NodeId::ROOT)
}

/// Fields that say something about one life of an object, which the server alone knows.
const SYSTEM_FIELDS: [&str; 6] = [
    "creationTimestamp",
    "uid",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
    "generation",
];

/// Removes the fields that only the server sets, which a new object may have from another one.
pub fn discard_system_fields(document: &mut Document, metadata: NodeId) {
    let members = document.value(metadata).members();
    let system = members.filter(|(key, _)| SYSTEM_FIELDS.contains(key));
    let system: Vec<NodeId> = system.map(|(_, member)| member.id()).collect();
    for id in system {
        document.remove(id);
    }
}

/// Sets what the server decides when an object is created: its identity as far as it is known, and a name
/// if there is only the beginning of one.
pub fn prepare_create(document: &mut Document, metadata: NodeId, options: &RequestOptions) {
    if let Some(uid) = &options.uid {
        document.insert(metadata, "uid", uid);
    }
    if let Some(time) = &options.time {
        document.insert(metadata, "creationTimestamp", &utc(time));
    }
    let text = |key| document.value(metadata).get(key).and_then(Value::as_str).unwrap_or_default();
    let prefix = text("generateName");
    if !prefix.is_empty() && text("name").is_empty() {
        let name = generated_name(prefix, &options.name_suffix);
        document.insert(metadata, "name", &name);
    }
}

/// Sets what the server decides when an object is replaced.
pub fn prepare_update(document: &mut Document, metadata: NodeId, old: Value<'_>) {
    let old = old.get("metadata");
    let keep = |document: &mut Document, key: &str, always: bool| {
        let Some(value) = old.and_then(|old| old.get(key)) else { return };
        if always || document.value(metadata).get(key).is_none() {
            document.insert(metadata, key, value);
        }
    };
    remove(document, metadata, "generation");
    keep(document, "generation", true);
    keep(document, "uid", false);
    keep(document, "creationTimestamp", true);
    keep(document, "deletionTimestamp", true);
    keep(document, "deletionGracePeriodSeconds", false);
}

/// Removes a member, if it is there.
pub fn remove(document: &mut Document, object: NodeId, key: &str) {
    if let Some(member) = document.value(object).get(key).map(Value::id) {
        document.remove(member);
    }
}

/// The beginning of the name, cut so that the whole fits, and the suffix.
fn generated_name(prefix: &str, suffix: &str) -> String {
    const MAX: usize = 58;
    let mut end = prefix.len().min(MAX);
    while !prefix.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{suffix}", prefix.get(..end).unwrap_or_default())
}

/// RFC 3339 in UTC, to the second.
fn utc(time: &Timestamp) -> String {
    Timestamp { nanoseconds: 0, offset: 0, ..*time }.to_string()
}

/// Removes owners that are listed again just as before; gives the warning about them.
pub(crate) fn remove_repeated_owners(document: &mut Document, metadata: NodeId) -> Option<Issue> {
    let owners: Vec<Value<'_>> = document.value(metadata).get("ownerReferences")?.items().collect();
    let mut repeated: Vec<(NodeId, String)> = Vec::new();
    for (at, owner) in owners.iter().enumerate() {
        if owners.iter().take(at).any(|earlier| earlier == owner) {
            let uid = owner.get("uid").and_then(Value::as_str).unwrap_or_default();
            repeated.push((owner.id(), uid.to_owned()));
        }
    }
    if repeated.is_empty() {
        return None;
    }
    for (id, _) in &repeated {
        document.remove(*id);
    }
    let mut uids: Vec<String> = repeated.into_iter().map(|(_, uid)| uid).collect();
    uids.sort_unstable();
    uids.dedup();
    let path = FieldPath::root().field("metadata").field("ownerReferences");
    Some(Issue::warning(codes::REPEATED_OWNER).with("uids", uids.join(", ")).at(path))
}

/// Warns of finalizers that are new and do not name a domain.
pub fn finalizer_warnings(object: Value<'_>, old: Option<Value<'_>>, findings: &mut Findings) {
    let Some(finalizers) = finalizers(object) else { return };
    let before: Vec<&str> = old
        .and_then(self::finalizers)
        .map(|old| old.items().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let mut new: Vec<(&str, NodeId)> = finalizers
        .items()
        .filter_map(|item| Some((item.as_str()?, item.id())))
        .filter(|(name, _)| !before.contains(name))
        .collect();
    new.sort_unstable();
    new.dedup_by_key(|(name, _)| *name);
    for (name, id) in new {
        let mut problems = names::label_key(name);
        let standard = ["orphan", "foregroundDeletion", "kubernetes"].contains(&name);
        if !name.contains('/') && !standard {
            let path = if name.contains('.') { " including a path (/)" } else { "" };
            problems.push(format!(
                "prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with \
                 other finalizer writers"
            ));
        }
        let path = FieldPath::root().field("metadata").field("finalizers");
        for problem in problems {
            let text = format!("{path}: {}: {problem}", quote(name));
            let issue = Issue::warning(codes::FINALIZER_NAME).with("problem", text);
            findings.add(id, issue.at(path.clone()));
        }
    }
}

fn finalizers(object: Value<'_>) -> Option<Value<'_>> {
    object.get("metadata")?.get("finalizers")
}

/// Keeps one of several issues that say the same.
pub fn collapse(issues: &mut Vec<Issue>) {
    for issue in std::mem::take(issues) {
        if !issues.contains(&issue) {
            issues.push(issue);
        }
    }
}
