//! Writes what came into a suite of crdkit's own format, in place of what was expected.
//!
//! Only the lines of `expect`, `exactly`, `errors`, `warnings` and `code` of cases that failed change; comments and
//! layout elsewhere stay. A case whose members are not lines of their own is left alone.

use super::compare::{projected, without_decided};
use super::{CaseResult, own};
use crate::limits;
use crdkit_codec::yaml;
use crdkit_value::{Document, Event, Value};
use std::ops::Range;

/// The text of the suite with the outcomes of the cases numbered in `ran`, and how many of them are in it; none if
/// nothing can be changed.
pub(crate) fn bless(bytes: &[u8], ran: &[(usize, CaseResult)]) -> Option<(Vec<u8>, usize)> {
    let options = limits::decoding().positions(true);
    let decoded = yaml::decode(bytes, &options).ok()?;
    let root = decoded.document.root();
    if !own::is_suite(root) {
        return None;
    }
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut n_blessed = 0;
    for (index, ran) in ran {
        let case = root.get("cases").and_then(|cases| cases.at(*index));
        if let Some(edit) = case.and_then(|case| edit(bytes, case, root.get("base"), ran)) {
            edits.extend(edit);
            n_blessed += 1;
        }
    }
    if edits.is_empty() {
        return None;
    }
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = Vec::new();
    let mut at = 0;
    for (range, text) in edits {
        out.extend_from_slice(bytes.get(at..range.start)?);
        out.extend_from_slice(text.as_bytes());
        at = range.end;
    }
    out.extend_from_slice(bytes.get(at..)?);
    Some((out, n_blessed))
}

/// The edits of one case: old expectations go, new ones come after its last line.
fn edit(
    bytes: &[u8],
    case: Value<'_>,
    base: Option<Value<'_>>,
    ran: &CaseResult,
) -> Option<Vec<(Range<usize>, String)>> {
    if ran.stored.is_none() && ran.errors.is_empty() {
        return None;
    }
    let mut edits = Vec::new();
    let (mut end, mut column) = (0, 0);
    for (key, member) in case.members() {
        let lines = lines_of(bytes, member)?;
        end = end.max(lines.end);
        column = member.document().place(member.id())?.key?.start;
        column -= line_start(bytes, column);
        let before = bytes.get(lines.start..lines.start + column)?;
        let is_expected = matches!(key, "expect" | "exactly" | "errors" | "warnings" | "code");
        // What begins on the line of the dash would take the dash along.
        let is_alone = |byte: &u8| *byte == b' ' || *byte == b'-' && !is_expected;
        if !before.iter().all(is_alone) {
            return None;
        }
        if is_expected {
            edits.push((lines, String::new()));
        }
    }
    let mut text = String::new();
    let mut add = |key: &str, document: &Document| text.push_str(&member(key, document, column));
    match &ran.stored {
        Some(stored) => {
            if let Some(wanted) = case.get("expect") {
                add("expect", &projected(stored, wanted));
            } else if let Some(wanted) = case.get("exactly") {
                let mut whole = Document::copy_of(wanted);
                if let Some(base) = base {
                    super::merge::merge(&mut whole, base);
                }
                add("exactly", &without_decided(stored, whole.root()));
            }
        }
        None => add("errors", &list(&ran.errors)),
    }
    if case.get("warnings").is_some() {
        add("warnings", &list(&ran.warnings));
    }
    if bytes.get(..end)?.last() != Some(&b'\n') {
        text.insert(0, '\n');
    }
    edits.push((end..end, text));
    Some(edits)
}

/// The lines that a member takes, key included.
fn lines_of(bytes: &[u8], member: Value<'_>) -> Option<Range<usize>> {
    let place = member.document().place(member.id())?;
    let start = line_start(bytes, place.key?.start);
    let last = place.value.end.max(place.key?.end).saturating_sub(1);
    let rest = bytes.get(last..)?;
    let end = memchr::memchr(b'\n', rest).map_or(bytes.len(), |feed| last + feed + 1);
    Some(start..end)
}

fn line_start(bytes: &[u8], at: usize) -> usize {
    let before = bytes.get(..at).unwrap_or_default();
    memchr::memrchr(b'\n', before).map_or(0, |feed| feed + 1)
}

fn list(lines: &[String]) -> Document {
    let items = lines.iter().map(|line| Event::String(line));
    let events = std::iter::once(Event::BeginArray).chain(items);
    Document::of_events(events.chain(std::iter::once(Event::EndArray)))
}

/// A member as block YAML that begins at `column`.
fn member(key: &str, value: &Document, column: usize) -> String {
    let begin = [Event::BeginObject, Event::EndObject];
    let mut object = Document::of_events(begin);
    object.insert(crdkit_value::NodeId::ROOT, key, value.root());
    let text = yaml::text(object.root());
    let indent = " ".repeat(column);
    let line = |line: &str| match line {
        "" => "\n".to_owned(),
        line => format!("{indent}{line}\n"),
    };
    text.lines().map(line).collect()
}
