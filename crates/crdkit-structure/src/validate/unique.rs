//! Uniqueness of items: `uniqueItems`, sets, and lists whose items are told apart by keys.
//!
//! Each item, or its keys, becomes bytes that are equal exactly if the items are; the first item with the
//! same bytes is found by hash, so the time is linear. Bytes, not joined text: no value can be made to look
//! like two others. An item whose type is wrong, or that lacks a key, is not compared; it has a finding of
//! its own already.

use super::{LooseProblem, LooseValidator, number};
use crate::compiled::{CompiledSchema, Settings};
use crate::import::Equality;
use crdkit_schema::compile::{Id, ListType, Name, Node, Table};
use crdkit_schema::validate::{Instance, Problem};
use crdkit_value::{Kind, NodeId, Value};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::sync::OnceLock;

/// Whether two values are the same: numbers by what they are worth, objects whatever their order.
pub(super) fn same(left: Value<'_>, right: Value<'_>) -> bool {
    let mut keys = ItemKeys::plain();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    keys.write(left, None, &mut first);
    keys.write(right, None, &mut second);
    first == second
}

impl<'t> LooseValidator<'_, 't> {
    /// Checks the items of the list at hand; `before` is where the findings about them begin.
    pub(super) fn uniqueness(
        &mut self,
        at: &Instance<'t, '_>,
        settings: &'t Settings,
        before: usize,
    ) {
        if has_unique_keys(at.node) {
            self.unique_keys(at, settings);
        }
        if has_unique_items(at.node) {
            self.unique_items(at, settings, before);
        }
    }

    fn unique_items(&mut self, at: &Instance<'t, '_>, settings: &'t Settings, before: usize) {
        let is_set = at.node.list_type == ListType::Set;
        let wrong = self.wrong_types(before);
        let mut repeated = Vec::new();
        let mut seen = FirstSeen::default();
        let mut keys = ItemKeys::of(self.table, settings);
        let mut write = |item: Value<'_>, position: usize, out: &mut Vec<u8>| {
            keys.write(item, at.node.item(position), out);
            Identity::Bytes
        };
        for (position, item) in at.value.items().enumerate() {
            if !wrong.contains(&item.id())
                && let Ok(Some(first)) = seen.find(item, position, &mut write)
            {
                repeated.push((item, first));
            }
        }
        for (value, first) in repeated {
            let problem = LooseProblem::Repeated { first, is_set };
            self.add(&Instance { value, ..*at }, Problem::Beyond(problem));
        }
    }

    fn unique_keys(&mut self, at: &Instance<'t, '_>, settings: &'t Settings) {
        let (mut repeated, mut missing) = (Vec::new(), Vec::new());
        let mut seen = FirstSeen::default();
        let mut keys = ItemKeys::of(self.table, settings);
        let mut write =
            |item: Value<'_>, _: usize, out: &mut Vec<u8>| keys.write_list_keys(at.node, item, out);
        for (position, item) in at.value.items().enumerate() {
            match seen.find(item, position, &mut write) {
                Ok(Some(first)) => repeated.push((item, first)),
                Err(Identity::Missing(name)) => missing.push((item, name)),
                _ => {}
            }
        }
        for (value, name) in missing {
            let problem = LooseProblem::KeyMissing { name };
            self.add(&Instance { value, ..*at }, Problem::Beyond(problem));
        }
        for (value, first) in repeated {
            let problem = LooseProblem::RepeatedKeys { first };
            self.add(&Instance { value, ..*at }, Problem::Beyond(problem));
        }
    }

    /// The values that were found to have a wrong type since `before`.
    fn wrong_types(&self, before: usize) -> Vec<NodeId> {
        let found = self.findings.get(before..).unwrap_or_default().iter();
        let wrong = found.filter(|finding| matches!(finding.problem, Problem::Type));
        wrong.map(|finding| finding.value).collect()
    }
}

/// What must differ between the items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// The bytes that were written: equal exactly if the items are the same.
    Bytes,
    /// The item lacks this key, which the schema of items does not require.
    Missing(Name),
    /// This item cannot be compared.
    None,
}

/// Whether the whole items of a list with the schema `list` must differ.
pub(crate) fn has_unique_items(list: &Node) -> bool {
    list.list_type == ListType::Set || list.more().is_some_and(|more| more.unique_items)
}

/// Whether the items of a list with the schema `list` must differ in their keys.
pub(crate) fn has_unique_keys(list: &Node) -> bool {
    list.list_type == ListType::Map && !list.list_map_keys().is_empty()
}

/// What an item has under one of its list's keys.
enum ItemKey<'v> {
    /// The value, or the default that stands in for it.
    Value(Value<'v>, Option<Id>),
    Absent,
    /// A value of a type that the schema does not allow.
    Wrong,
}

fn key_value<'v>(table: &'v Table, items: Option<Id>, item: Value<'v>, name: Name) -> ItemKey<'v> {
    let schema = items.and_then(|id| table.node(id).fields.get(table, table.name(name)));
    let node = schema.map(|id| table.node(table.resolve(id)));
    match item.get(table.name(name)) {
        Some(value) if node.is_none_or(|node| node.type_set().takes(&value.kind())) => {
            ItemKey::Value(value, schema)
        }
        Some(_) => ItemKey::Wrong,
        None => {
            let default = node.and_then(|node| node.default);
            let default = default.and_then(|default| table.default_value(default));
            default.map_or(ItemKey::Absent, |value| ItemKey::Value(value, schema))
        }
    }
}

/// The first item with each content, by hash.
#[derive(Default)]
struct FirstSeen<'v> {
    hasher: RandomState,
    table: HashTable<(u64, usize, Value<'v>)>,
    bytes: Vec<u8>,
    other: Vec<u8>,
}

type Write<'w> = &'w mut dyn FnMut(Value<'_>, usize, &mut Vec<u8>) -> Identity;

impl<'v> FirstSeen<'v> {
    /// The earlier item with the same content as `item`; if there is none, `item` is the first.
    ///
    /// # Errors
    /// What `write` says of an item that is not compared.
    fn find(
        &mut self,
        item: Value<'v>,
        position: usize,
        write: Write<'_>,
    ) -> Result<Option<NodeId>, Identity> {
        self.bytes.clear();
        match write(item, position, &mut self.bytes) {
            Identity::Bytes => {}
            other => return Err(other),
        }
        let hash = self.hasher.hash_one(&*self.bytes);
        let (bytes, other) = (&self.bytes, &mut self.other);
        // Equal hashes are almost always equal items, so writing the first one again is rare enough.
        let mut is_same = |known: &(u64, usize, Value<'v>)| {
            known.0 == hash && {
                other.clear();
                write(known.2, known.1, other);
                other == bytes
            }
        };
        if let Some((_, _, first)) = self.table.find(hash, &mut is_same) {
            return Ok(Some(first.id()));
        }
        self.table.insert_unique(hash, (hash, position, item), |(hash, _, _)| *hash);
        Ok(None)
    }
}

/// Writes values as bytes that are equal exactly if the values are, as long as the program runs. No
/// recursion: depth is the input's.
pub(crate) struct ItemKeys<'t> {
    table: Option<&'t Table>,
    settings: Option<&'t Settings>,
    frames: Vec<ObjectBytes>,
}

/// Objects inside others that take more bytes than this are replaced by their digest, so that deep ones are
/// not copied level by level.
const LONG: usize = 128;

/// Two seeds that nobody outside knows, the same as long as the program runs.
fn digests() -> &'static [RandomState; 2] {
    static DIGESTS: OnceLock<[RandomState; 2]> = OnceLock::new();
    DIGESTS.get_or_init(Default::default)
}

/// An object whose members are being written, each to its own piece.
struct ObjectBytes {
    /// Where the object begins in the output.
    start: usize,
    /// The pieces so far, and the key of the next.
    pieces: Vec<(Box<str>, Vec<u8>)>,
}

enum WriteStep<'v> {
    Value(Value<'v>, Option<Id>),
    Key(Value<'v>, Option<Id>),
    EndMember,
    EndObject,
}

impl<'t> ItemKeys<'t> {
    fn plain() -> Self {
        Self { table: None, settings: None, frames: Vec::new() }
    }

    /// For values of `schema`, compared as its settings say.
    pub(crate) fn new(schema: &'t CompiledSchema) -> Self {
        Self::of(schema.table(), schema.settings())
    }

    fn of(table: &'t Table, settings: &'t Settings) -> Self {
        Self { table: Some(table), settings: Some(settings), ..Self::plain() }
    }

    /// Adds the keys of `item`, an item of a list with the schema `list`, to `out`.
    pub(crate) fn write_list_keys(
        &mut self,
        list: &Node,
        item: Value<'_>,
        out: &mut Vec<u8>,
    ) -> Identity {
        let Some(table) = self.table.filter(|_| item.as_object().is_some()) else {
            return Identity::None;
        };
        let items = list.items.map(|id| table.resolve(id));
        let names = list.list_map_keys();
        let key_of = |name: Name| key_value(table, items, item, name);
        if let Some(name) = names.iter().find(|name| matches!(key_of(**name), ItemKey::Absent)) {
            let required = items.is_some_and(|id| table.node(id).required.contains(name));
            return if required { Identity::None } else { Identity::Missing(*name) };
        }
        for name in names {
            match key_of(*name) {
                ItemKey::Value(value, schema) => self.write(value, schema, out),
                ItemKey::Absent | ItemKey::Wrong => return Identity::None,
            }
        }
        Identity::Bytes
    }

    /// Adds `value`, whose schema is `schema`, to `out`.
    pub(crate) fn write(&mut self, value: Value<'_>, schema: Option<Id>, out: &mut Vec<u8>) {
        let mut pending = vec![WriteStep::Value(value, schema)];
        while let Some(step) = pending.pop() {
            match step {
                WriteStep::Value(value, schema) => match value.kind() {
                    Kind::Array(items) => {
                        out.push(b'[');
                        length(items.len(), out);
                        let at = pending.len();
                        pending.extend(items.enumerate().map(|(index, item)| {
                            WriteStep::Value(item, self.child(schema, |node| node.item(index)))
                        }));
                        if let Some(added) = pending.get_mut(at..) {
                            added.reverse();
                        }
                    }
                    Kind::Object(members) => {
                        self.frames.push(ObjectBytes { start: out.len(), pieces: Vec::new() });
                        pending.push(WriteStep::EndObject);
                        for (key, member) in members {
                            let table = self.table;
                            let schema = self.child(schema, |node| node.member_schema(table?, key));
                            pending.push(WriteStep::EndMember);
                            pending.push(WriteStep::Key(member, schema));
                        }
                    }
                    scalar => self.scalar(&scalar, schema, out),
                },
                WriteStep::Key(member, schema) => {
                    if let Some(frame) = self.frames.last_mut() {
                        frame.pieces.push((member.key().unwrap_or_default().into(), Vec::new()));
                    }
                    pending.push(WriteStep::Value(member, schema));
                }
                WriteStep::EndMember => {
                    if let Some(frame) = self.frames.last_mut()
                        && let Some((_, piece)) = frame.pieces.last_mut()
                    {
                        piece.extend(out.drain(frame.start..));
                    }
                }
                WriteStep::EndObject => {
                    let Some(mut frame) = self.frames.pop() else { continue };
                    frame.pieces.sort_unstable();
                    out.push(b'{');
                    length(frame.pieces.len(), out);
                    for (key, piece) in frame.pieces {
                        text(&key, out);
                        out.extend(piece);
                    }
                    if !self.frames.is_empty() && out.len() - frame.start > LONG {
                        let bytes = out.split_off(frame.start);
                        out.push(b'D');
                        for digest in digests() {
                            out.extend(digest.hash_one(&*bytes).to_le_bytes());
                        }
                    }
                }
            }
        }
    }

    fn child(&self, schema: Option<Id>, find: impl Fn(&Node) -> Option<Id>) -> Option<Id> {
        let table = self.table?;
        find(table.node(table.resolve(schema?)))
    }

    fn scalar(&self, kind: &Kind<'_>, schema: Option<Id>, out: &mut Vec<u8>) {
        match kind {
            Kind::Null => out.push(b'n'),
            Kind::Bool(bool) => out.push(if *bool { b't' } else { b'f' }),
            Kind::String(string) => {
                out.push(b's');
                match self.canonical(schema, string) {
                    Some(spelled) => text(&spelled, out),
                    None => text(string, out),
                }
            }
            _ => {
                out.push(b'#');
                let number = number::of(kind);
                text(&number.map_or_else(String::new, |number| number.to_string()), out);
            }
        }
    }

    /// The canonical spelling of a text, where that is what is compared.
    fn canonical(&self, schema: Option<Id>, text: &str) -> Option<String> {
        let (table, settings) = (self.table?, self.settings?);
        if settings.equality != Equality::CanonicalJson || settings.canonical.is_empty() {
            return None;
        }
        let more = table.node(table.resolve(schema?)).more()?;
        let format = table.name(more.format?);
        let codec = settings.canonical.iter().find(|known| *known.name == *format)?;
        (codec.spell)(text)
    }
}

fn length(length: usize, out: &mut Vec<u8>) {
    out.extend((length as u64).to_le_bytes());
}

fn text(text: &str, out: &mut Vec<u8>) {
    length(text.len(), out);
    out.extend(text.as_bytes());
}
