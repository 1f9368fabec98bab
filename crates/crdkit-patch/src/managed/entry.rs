//! Entries of `managedFields`: who owns which fields, by which operation, at which version.
//!
//! An update is known by its manager, version and subresource, an apply by its manager and subresource. Entries are written back
//! into the document they were read from where they stand, as far as they are the same.

use super::owned_fields::OwnedFields;
use super::{IDENTITY, Versions, metadata};
use crate::set::{self, Set};
use crate::typed::{Schema, is_current};
use crdkit_codec::go_json;
use crdkit_text::quote::quote;
use crdkit_text::timestamp::Timestamp;
use crdkit_value::{Document, NewValue, NodeId, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How an owner came by its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ManagedOperation {
    Apply,
    Update,
}

/// One owner.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    pub(super) manager: Cow<'a, str>,
    pub(super) operation: ManagedOperation,
    pub(super) api_version: &'a str,
    pub(super) subresource: &'a str,
    pub(super) time: Option<Cow<'a, str>>,
    pub(super) fields: OwnedFields<'a>,
    /// The item of the list that it was read from, as long as all but the fields is the same.
    pub(super) item: Option<NodeId>,
}

/// What tells owners apart.
type OwnerKey<'e> = (&'e str, ManagedOperation, &'e str, &'e str);

impl<'a> Entry<'a> {
    /// What tells it apart from other owners.
    fn key(&self) -> OwnerKey<'_> {
        let api_version = match self.operation {
            ManagedOperation::Apply => "",
            ManagedOperation::Update => self.api_version,
        };
        (&self.manager, self.operation, self.subresource, api_version)
    }

    /// Whether both are entries of the same owner.
    pub(super) fn is_same(&self, other: &Entry<'_>) -> bool {
        self.key() == other.key()
    }

    /// The owner as the server identifies it, by which owners are sorted where nothing else tells them
    /// apart.
    pub(super) fn identity(&self) -> String {
        let operation = match self.operation {
            ManagedOperation::Apply => "Apply",
            ManagedOperation::Update => "Update",
        };
        let mut text = format!("{{\"manager\":{}", go_json::string(&self.manager));
        let _ = write!(text, ",\"operation\":\"{operation}\"");
        if self.operation == ManagedOperation::Update {
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

    /// Changes the fields to what `change` makes of them.
    pub(super) fn change(&mut self, change: impl FnOnce(Set<'a>) -> Set<'a>) {
        let fields = std::mem::take(&mut self.fields);
        self.fields = change(fields.into_set()).into();
    }
}

/// Reads `managedFields`; of two entries of one owner the last counts. Sets that are written as this crate writes them, of
/// fields that there are in `versions`, are left as they are written.
///
/// # Errors
/// The server's text, when one cannot be read.
pub(super) fn read<'a>(
    list: Option<Value<'a>>,
    versions: Option<&dyn Versions>,
) -> Result<Vec<Entry<'a>>, String> {
    /// Up to here looking through all owners is faster than a table.
    const FEW: usize = 16;
    let Some(list) = list else { return Ok(Vec::new()) };
    let mut entries: Vec<Entry<'a>> = Vec::with_capacity(list.items().len());
    let (mut schema, mut plain) = (None, None);
    for (at, item) in list.items().enumerate() {
        let mut entry = read_one(item, at)?;
        if let Some(written) = item.get("fieldsV1").filter(|fields| !fields.is_null()) {
            let known = schema.take().filter(|(version, _)| *version == entry.api_version);
            let known =
                known.or_else(|| Some((entry.api_version, versions?.schema(entry.api_version)?)));
            // Owners that share all their fields are looked at once.
            let is_plain = |(version, schema): &(&str, Schema<'_>)| {
                let is_known = |(of, known): (&str, Value<'_>)| of == *version && known == written;
                plain.is_some_and(is_known) || is_current(schema, written)
            };
            entry.fields = if known.as_ref().is_some_and(is_plain) {
                plain = Some((entry.api_version, written));
                OwnedFields::plain(written)
            } else {
                OwnedFields::read(set::read(written)?, written)
            };
            schema = known;
        }
        entries.push(entry);
    }
    let is_repeated = if entries.len() <= FEW {
        let earlier = |at: usize| entries.iter().take(at);
        entries.iter().enumerate().any(|(at, entry)| earlier(at).any(|it| it.is_same(entry)))
    } else {
        let mut keys: Vec<OwnerKey<'_>> = entries.iter().map(Entry::key).collect();
        keys.sort_unstable();
        keys.windows(2).any(|pair| matches!(pair, [left, right] if left == right))
    };
    Ok(if is_repeated { last_of_each(entries) } else { entries })
}

/// The last entry of each owner, in the place of the first.
fn last_of_each(entries: Vec<Entry<'_>>) -> Vec<Entry<'_>> {
    let mut places: BTreeMap<OwnerKey<'_>, (usize, usize)> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate() {
        places.entry(entry.key()).and_modify(|(_, last)| *last = at).or_insert((at, at));
    }
    let mut places: Vec<(usize, usize)> = places.into_values().collect();
    places.sort_unstable();
    let mut entries: Vec<Option<Entry<'_>>> = entries.into_iter().map(Some).collect();
    places.into_iter().filter_map(|(_, last)| entries.get_mut(last)?.take()).collect()
}

/// Reads all of an entry but its fields.
fn read_one(item: Value<'_>, at: usize) -> Result<Entry<'_>, String> {
    let text = |key| item.get(key).and_then(Value::as_str).unwrap_or_default();
    let operation = match text("operation") {
        "Apply" => ManagedOperation::Apply,
        "Update" => ManagedOperation::Update,
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
    let (subresource, time) = (text("subresource"), item.get("time").and_then(Value::as_str));
    // With anything else in it, or something missing, it is not what would be written.
    let n_members = 5 + usize::from(!subresource.is_empty()) + usize::from(time.is_some());
    let is_plain = item.members().len() == n_members && item.get("manager").is_some();
    Ok(Entry {
        manager: Cow::Borrowed(text("manager")),
        operation,
        api_version,
        subresource,
        time: time.map(Cow::Borrowed),
        fields: OwnedFields::default(),
        item: is_plain.then(|| item.id()),
    })
}

/// In the order of the list.
fn sorted(entries: Vec<Entry<'_>>) -> Vec<Entry<'_>> {
    let mut entries: Vec<(i64, Entry<'_>)> =
        entries.into_iter().map(|entry| (entry.seconds(), entry)).collect();
    entries.sort_by(|(left_time, left), (right_time, right)| {
        (left.operation, left_time)
            .cmp(&(right.operation, right_time))
            .then_with(|| left.manager.cmp(&right.manager))
            .then_with(|| left.api_version.cmp(right.api_version))
            .then_with(|| left.subresource.cmp(right.subresource))
    });
    entries.into_iter().map(|(_, entry)| entry).collect()
}

/// The `managedFields` that `entries` are; none if there are none.
pub(super) fn write(entries: Vec<Entry<'_>>) -> Option<Document> {
    if entries.is_empty() {
        return None;
    }
    let mut list = Document::array();
    for entry in sorted(entries) {
        let Some(item) = list.push(NodeId::ROOT, NewValue::EmptyObject) else { continue };
        let end = write_owner(&entry, &mut list, item);
        match entry.fields.written() {
            Some(written) => drop(list.append_member(item, end, FIELDS, written)),
            None => write_fields(&entry.fields.set(), &mut list, item, end),
        }
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

/// Makes `entries` the `managedFields` of `object`, which has none. `list` is the list that they were read from, if that was
/// a part of `object` that has been removed and whose rows are the same as when they were read.
pub(super) fn store(entries: Vec<Entry<'_>>, list: Option<NodeId>, object: &mut Document) {
    match list {
        Some(list) => put_back(entries, list, object),
        None => put(write(entries).as_ref(), object),
    }
}

fn put_back(entries: Vec<Entry<'_>>, list: NodeId, object: &mut Document) {
    /// Items of longer lists are not moved one by one.
    const LONG: usize = 100;
    if entries.is_empty() {
        return;
    }
    let before: Vec<NodeId> = object.value(list).items().map(Value::id).collect();
    let entries = sorted(entries);
    let stays = before.iter().zip(&entries).take_while(|(id, entry)| Some(**id) == entry.item);
    let n_staying = stays.count();
    if before.len() > LONG && n_staying < before.len() {
        return put(write(entries).as_ref(), object);
    }
    let Some(metadata) = metadata(object) else { return };
    for item in before.into_iter().skip(n_staying) {
        object.remove(item);
    }
    for (at, entry) in entries.into_iter().enumerate() {
        if let Some(item) = entry.item.filter(|_| at >= n_staying) {
            object.push(list, NewValue::Moved(item));
        }
        match (entry.item, entry.fields.rows()) {
            (Some(_), Some((_, gone))) => {
                for row in gone {
                    object.remove(*row);
                }
            }
            (Some(item), None) => {
                if let Some(fields) = object.value(item).get(FIELDS).map(Value::id) {
                    object.remove(fields);
                }
                write_fields(&entry.fields.set(), object, item, None);
            }
            (None, rows) => {
                let Some(item) = object.push(list, NewValue::EmptyObject) else { continue };
                let end = write_owner(&entry, object, item);
                let Some((written, gone)) = rows else {
                    write_fields(&entry.fields.set(), object, item, end);
                    continue;
                };
                for row in gone {
                    object.remove(*row);
                }
                object.append_member(item, end, FIELDS, NewValue::Moved(written.id()));
            }
        }
    }
    object.append_member(metadata, None, "managedFields", NewValue::Moved(list));
}

const FIELDS: &str = "fieldsV1";

/// Writes all of an entry but its fields. Gives the last member.
fn write_owner(entry: &Entry<'_>, document: &mut Document, item: NodeId) -> Option<NodeId> {
    let operation = match entry.operation {
        ManagedOperation::Apply => "Apply",
        ManagedOperation::Update => "Update",
    };
    let mut after = None;
    let mut add = |key, text: &str| after = document.append_member(item, after, key, text);
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
    after
}

fn write_fields(set: &Set<'_>, document: &mut Document, item: NodeId, after: Option<NodeId>) {
    let fields = document.append_member(item, after, FIELDS, NewValue::EmptyObject);
    if let Some(fields) = fields {
        set::write(set, document, fields);
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
    (!fields.is_empty()).then_some(Entry { fields: fields.into(), item: None, ..entry })
}
