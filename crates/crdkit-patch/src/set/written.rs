//! Sets as they are written, worked on where they stand.
//!
//! Most owners of an object have nothing to do with a write. What is asked about their sets is answered from the rows of the
//! document, without reading them: whether they are written in the one way that this crate writes them ([`is_plain`]), what of
//! a small set is in them, and which rows go when that is taken away.

use super::fields_v1::{read_without, write_element};
use super::{Element, Entry, Key, Scalar, Set};
use crdkit_value::{MemberIndex, NodeId, Value};

/// From so many questions on it pays to have the members of a large object in a table.
const MANY: usize = 8;

/// Whether `key` is written as this crate writes path elements, so that elements can be compared as text.
pub(crate) fn is_plain(key: &str) -> bool {
    match key.as_bytes() {
        [b'f', b':', ..] => true,
        [b'v', b':', text @ ..] => scalar(text) == Some(&[]),
        [b'i', b':', text @ ..] => integer(text) == Some(&[]),
        [b'k', b':', text @ ..] => is_plain_key(text),
        _ => false,
    }
}

/// `{"name":scalar,…}`, sorted by name.
fn is_plain_key(text: &[u8]) -> bool {
    let Some(mut rest) = text.strip_prefix(b"{") else { return false };
    let mut last: &[u8] = &[];
    loop {
        let Some(after) = string(rest) else { return false };
        let name = rest.get(1..rest.len() - after.len() - 1).unwrap_or_default();
        if name <= last {
            return false;
        }
        last = name;
        let Some(after) = after.strip_prefix(b":").and_then(scalar) else { return false };
        match after {
            [b'}'] => return true,
            [b',', more @ ..] => rest = more,
            _ => return false,
        }
    }
}

/// What follows a scalar.
fn scalar(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b'"', ..] => string(text),
        [b't', b'r', b'u', b'e', rest @ ..] | [b'f', b'a', b'l', b's', b'e', rest @ ..] => {
            Some(rest)
        }
        _ => integer(text),
    }
}

/// What follows a string that needs no escapes.
fn string(text: &[u8]) -> Option<&[u8]> {
    let rest = text.strip_prefix(b"\"")?;
    let is_plain = |byte: u8| PLAIN.get(usize::from(byte)).is_some_and(|plain| *plain);
    let end = rest.iter().position(|byte| !is_plain(*byte))?;
    rest.get(end..)?.strip_prefix(b"\"")
}

/// Bytes that stand for themselves in strings. U+2028 and U+2029, which do not, begin with 0xE2.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < plain.len() {
        plain[byte] = matches!(byte, 0x20..=0x7E | 0x80..)
            && !matches!(byte, 0x22 | 0x5C | 0x3C | 0x3E | 0x26 | 0xE2);
        byte += 1;
    }
    plain
};

/// What follows an integer of not too many digits.
fn integer(text: &[u8]) -> Option<&[u8]> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let n = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let leads = digits.first() == Some(&b'0') && (n > 1 || digits.len() < text.len());
    if n == 0 || n > 18 || leads { None } else { digits.get(n..) }
}

/// The members of one object of a written set.
pub(crate) struct Rows<'v> {
    object: Value<'v>,
    index: Option<MemberIndex<'v>>,
}

impl<'v> Rows<'v> {
    /// Those of `object`, of which about so many will be asked for.
    pub(crate) fn new(object: Value<'v>, n_questions: usize) -> Self {
        let index = (n_questions >= MANY).then(|| MemberIndex::new(object));
        Self { object, index }
    }

    /// The row of `element`; `key` is room for its text.
    pub(crate) fn get(&self, element: &Element<'_>, key: &mut String) -> Option<Value<'v>> {
        if self.index.is_none() {
            let rows = || self.object.members().map(|(key, row)| (key.as_bytes(), row));
            match element {
                Element::Field(name) => {
                    let name = name.as_bytes();
                    return rows()
                        .find(|(key, _)| matches!(key, [b'f', b':', rest @ ..] if rest == name))
                        .map(|(_, row)| row);
                }
                Element::Key(Key::One([(name, Scalar::String(value))])) => {
                    let parts = [name, value].map(|part| part.as_bytes());
                    return rows().find(|(key, _)| is_key_of(key, parts)).map(|(_, row)| row);
                }
                _ => {}
            }
        }
        key.clear();
        write_element(element, key);
        match &self.index {
            Some(index) => index.get(key),
            None => self.object.get(key),
        }
    }

    /// How many elements `object` has.
    pub(crate) fn count(object: Value<'_>) -> usize {
        object.members().len() - usize::from(object.get(".").is_some())
    }

    /// Whether the path that ends at `object` is in the set.
    pub(crate) fn is_owned(object: Value<'_>) -> bool {
        object.members().len() == 0 || object.get(".").is_some()
    }
}

/// Whether `key`, which is plain, is `k:{"name":"value"}`.
fn is_key_of(key: &[u8], [name, value]: [&[u8]; 2]) -> bool {
    const MARKS: usize = "k:{".len() + "\"\"".len() + ":".len() + "\"\"".len() + "}".len();
    if key.len() != name.len() + value.len() + MARKS {
        return false;
    }
    // What tells most keys of a list apart comes first.
    let inner = key.strip_suffix(b"\"}").and_then(|key| key.strip_suffix(value));
    let inner = inner.and_then(|key| key.strip_suffix(b"\":\""));
    inner.and_then(|key| key.strip_suffix(name)) == Some(b"k:{\"")
}

/// What of `set` is in the one that `fields` is.
pub(crate) fn intersection<'a>(set: &Set<'a>, fields: Value<'_>) -> Set<'a> {
    intersection_below(set, fields, &mut String::new())
}

fn intersection_below<'a>(set: &Set<'a>, fields: Value<'_>, key: &mut String) -> Set<'a> {
    if set.is_empty() || fields.members().len() == 0 {
        return Set::default();
    }
    let members = Rows::new(fields, set.entries.len());
    let entries = set.entries.iter().filter_map(|entry| {
        let member = members.get(&entry.element, key)?;
        let owned = entry.owned && Rows::is_owned(member);
        let below = intersection_below(&entry.below, member, key);
        let element = &entry.element;
        (owned || !below.is_empty()).then(|| Entry { element: element.clone(), owned, below })
    });
    Set { entries: entries.collect() }
}

/// The rows that go when `set`, all of which is in the set that `fields` is, is taken away from it; sorted. None if nothing is
/// left then.
pub(crate) fn removal(fields: Value<'_>, set: &Set<'_>) -> Option<Vec<NodeId>> {
    let mut gone = Vec::new();
    let left = remove_below(fields, set, &mut gone, &mut String::new());
    gone.sort_unstable();
    (left > 0).then_some(gone)
}

/// Notes the rows that go. Gives how many elements are left.
fn remove_below(
    fields: Value<'_>,
    set: &Set<'_>,
    gone: &mut Vec<NodeId>,
    key: &mut String,
) -> usize {
    let mut left = Rows::count(fields);
    let members = Rows::new(fields, set.entries.len());
    for entry in &set.entries {
        let Some(member) = members.get(&entry.element, key) else { continue };
        if member.members().len() == 0 {
            gone.push(member.id());
            left -= 1;
            continue;
        }
        let own = member.get(".").map(Value::id);
        let before = gone.len();
        let inside = remove_below(member, &entry.below, gone, key);
        if inside == 0 && (own.is_none() || entry.owned) {
            gone.truncate(before);
            gone.push(member.id());
            left -= 1;
        } else if let Some(own) = own.filter(|_| inside == 0 || entry.owned) {
            // A path that ends needs no dot, one on the way has none.
            gone.push(own);
        }
    }
    left
}

/// The set that `fields` is without the rows `gone`. It is plain, and therefore readable.
pub(crate) fn read<'a>(fields: Value<'a>, gone: &[NodeId]) -> Set<'a> {
    read_without(fields, gone).unwrap_or_default()
}
