//! Entries of `managedFields`: who owns which fields, by which operation, at which version.
//!
//! An update is known by its manager, version and subresource, an apply by its manager and subresource.

use super::{IDENTITY, metadata};
use crate::set::{self, Set};
use crdkit_codec::go_json;
use crdkit_text::quote::quote;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, NewValue, NodeId, Value};
use std::borrow::Cow;
use std::fmt::Write as _;

/// How an owner came by its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Operation {
    Apply,
    Update,
}

/// One owner.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    pub(super) manager: Cow<'a, str>,
    pub(super) operation: Operation,
    pub(super) api_version: &'a str,
    pub(super) subresource: &'a str,
    pub(super) time: Option<Cow<'a, str>>,
    pub(super) fields: Set<'a>,
    /// The fields as they were written, as long as they are the same.
    pub(super) written: Option<Value<'a>>,
}

impl Entry<'_> {
    /// Whether both are entries of the same owner.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.manager == other.manager
            && self.operation == other.operation
            && self.subresource == other.subresource
            && (self.operation == Operation::Apply || self.api_version == other.api_version)
    }

    /// The owner as the server identifies it, by which owners are sorted where nothing else tells them
    /// apart.
    pub(super) fn identity(&self) -> String {
        let operation = match self.operation {
            Operation::Apply => "Apply",
            Operation::Update => "Update",
        };
        let mut text = format!("{{\"manager\":{}", go_json::string(&self.manager));
        let _ = write!(text, ",\"operation\":\"{operation}\"");
        if self.operation == Operation::Update {
            let _ = write!(text, ",\"apiVersion\":{}", go_json::string(self.api_version));
        }
        if !self.subresource.is_empty() {
            let _ = write!(text, ",\"subresource\":{}", go_json::string(self.subresource));
        }
        text + "}"
    }

    /// The time in seconds; zero without one.
    pub(super) fn seconds(&self) -> i64 {
        let time = self.time.as_deref().and_then(|it| Timestamp::parse_rfc3339(it).ok());
        time.map_or(0, |time| time.seconds)
    }
}

/// Reads `managedFields`, in the order of the owners' identity; of two entries of one owner the last counts.
///
/// # Errors
/// The server's text, when one cannot be read.
pub(super) fn read(list: Option<Value<'_>>) -> Result<Vec<Entry<'_>>, String> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for (at, item) in list.into_iter().flat_map(Value::items).enumerate() {
        let entry = read_one(item, at)?;
        match entries.iter_mut().find(|known| known.is_same(&entry)) {
            Some(known) => *known = entry,
            None => entries.push(entry),
        }
    }
    Ok(entries)
}

fn read_one(item: Value<'_>, at: usize) -> Result<Entry<'_>, String> {
    let text = |key| item.get(key).and_then(Value::as_str).unwrap_or_default();
    let operation = match text("operation") {
        "Apply" => Operation::Apply,
        "Update" => Operation::Update,
        _ => return Err("operation must be `Apply` or `Update`".to_owned()),
    };
    let api_version = text("apiVersion");
    if api_version.is_empty() {
        return Err("apiVersion must not be empty".to_owned());
    }
    match text("fieldsType") {
        "FieldsV1" => {}
        "" => return Err(format!("missing fieldsType in managed fields entry {at}")),
        other => {
            return Err(format!(
                "invalid fieldsType {} in managed fields entry {at}",
                quote(other)
            ));
        }
    }
    let written = item.get("fieldsV1").filter(|fields| !fields.is_null());
    Ok(Entry {
        manager: Cow::Borrowed(text("manager")),
        operation,
        api_version,
        subresource: text("subresource"),
        time: item.get("time").and_then(Value::as_str).map(Cow::Borrowed),
        fields: written.map(set::read).transpose()?.unwrap_or_default(),
        written,
    })
}

/// The `managedFields` that `entries` are; none if there are none.
pub(super) fn write(entries: Vec<Entry<'_>>) -> Option<Document> {
    let mut entries: Vec<(i64, Entry<'_>)> =
        entries.into_iter().map(|entry| (entry.seconds(), entry)).collect();
    if entries.is_empty() {
        return None;
    }
    entries.sort_by(|(left_time, left), (right_time, right)| {
        (left.operation, left_time)
            .cmp(&(right.operation, right_time))
            .then_with(|| left.manager.cmp(&right.manager))
            .then_with(|| left.api_version.cmp(right.api_version))
            .then_with(|| left.subresource.cmp(right.subresource))
    });
    let mut list = Document::array();
    for (_, entry) in &entries {
        write_one(entry, &mut list);
    }
    Some(list)
}

/// Makes `managers` the `managedFields` of `object`, which has none.
pub(super) fn put(managers: Option<&Document>, object: &mut Document) {
    if let Some(managers) = managers
        && let Some(metadata) = metadata(object)
    {
        object.append_member(metadata, None, "managedFields", managers);
    }
}

fn write_one(entry: &Entry<'_>, list: &mut Document) {
    let Some(item) = list.push(NodeId::ROOT, NewValue::EmptyObject) else { return };
    let operation = match entry.operation {
        Operation::Apply => "Apply",
        Operation::Update => "Update",
    };
    let mut after = None;
    let mut add = |key, text: &str| after = list.append_member(item, after, key, text);
    add("apiVersion", entry.api_version);
    add("fieldsType", "FieldsV1");
    add("manager", &entry.manager);
    add("operation", operation);
    if !entry.subresource.is_empty() {
        add("subresource", entry.subresource);
    }
    if let Some(time) = &entry.time {
        add("time", time);
    }
    if let Some(written) = entry.written {
        list.append_member(item, after, "fieldsV1", written);
        return;
    }
    let fields = list.append_member(item, after, "fieldsV1", NewValue::EmptyObject);
    if let Some(fields) = fields {
        set::write(&entry.fields, list, fields);
    }
}

/// The entry of one owner, taken out of `entries`.
pub(super) fn take<'a>(entries: &mut Vec<Entry<'a>>, like: &Entry<'_>) -> Option<Entry<'a>> {
    let at = entries.iter().position(|entry| entry.is_same(like))?;
    Some(entries.remove(at))
}

/// `entry` with `fields`, without what nobody owns; none if nothing is left.
pub(super) fn owning<'a>(entry: Entry<'a>, fields: Set<'a>) -> Option<Entry<'a>> {
    let fields = fields.difference(&IDENTITY);
    (!fields.is_empty()).then_some(Entry { fields, written: None, ..entry })
}

impl<'a> Entry<'a> {
    /// Changes the fields to what `change` makes of them.
    pub(super) fn change(&mut self, change: impl FnOnce(Set<'a>) -> Set<'a>) {
        self.fields = change(std::mem::take(&mut self.fields));
        self.written = None;
    }
}
