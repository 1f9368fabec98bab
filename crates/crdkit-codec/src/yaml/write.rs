//! YAML text from values, in the block style Kubernetes tools write.
//!
//! Two spaces for each level, lists not indented below their key, keys in document order. A string is quoted
//! whenever it would read as something else, and written as a literal block when it has several lines and the block
//! gives it back exactly.
//!
//! Invariant: reading the text gives the value back, here and in `sigs.k8s.io/yaml`, except that a float without a
//! fraction comes back as an integer, because YAML reaches Kubernetes through JSON.
//! Upstream: `go.yaml.in/yaml/v2` `encode.go` and `emitterc.go` for which style a scalar gets.

use crdkit_value::{Event, Value};

use super::number;
use super::style;

/// Below this many levels collections are written on one line, so that indentation does not make the text of a
/// deep document grow with its size times its depth.
const DEEPEST_BLOCK: usize = 100;

/// Longer keys are written after a `?`.
const LONGEST_KEY: usize = 128;

/// Appends `value` to `out` as one document, without a `---` before it.
pub fn write(value: Value<'_>, out: &mut Vec<u8>) {
    let mut writer = YamlWriter { out, open: Vec::new(), place: WriteContext::Top };
    let mut events = value.events().peekable();
    while let Some(event) = events.next() {
        let is_empty = matches!(events.peek(), Some(Event::EndArray | Event::EndObject));
        writer.event(event, is_empty);
    }
    if !writer.out.ends_with(b"\n") {
        writer.out.push(b'\n');
    }
}

/// `value` as the text of one document.
pub fn text(value: Value<'_>) -> String {
    let mut out = Vec::new();
    write(value, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// A collection that has begun and not ended.
#[derive(Clone, Copy)]
enum Open {
    /// A block collection whose entries begin at this column.
    List(usize),
    Mapping(usize),
    /// `[]` or `{}`: already written.
    Empty,
    /// A collection on one line, and whether it has an entry already.
    FlowList(bool),
    FlowMapping(bool),
}

/// What stands before the value to be written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WriteContext {
    Top,
    /// `- `, on the same line.
    Item,
    /// `key:`, without a space after it.
    Key,
    /// Something in a collection on one line.
    Flow,
}

struct YamlWriter<'o> {
    out: &'o mut Vec<u8>,
    open: Vec<Open>,
    place: WriteContext,
}

impl YamlWriter<'_> {
    fn event(&mut self, event: Event<'_>, is_empty: bool) {
        match event {
            Event::Key(key) => self.key(key),
            Event::EndArray | Event::EndObject => self.end(),
            Event::BeginArray | Event::BeginObject => {
                let list = event == Event::BeginArray;
                self.before_value();
                self.begin(list, is_empty);
            }
            Event::Null => self.plain("null"),
            Event::Bool(bool) => self.plain(if bool { "true" } else { "false" }),
            Event::Int(int) => self.plain(itoa::Buffer::new().format(int)),
            Event::Float(float) => self.plain(&number::value_text(float)),
            Event::Number(text) => self.plain(text),
            Event::String(text) => self.string(text),
        }
    }

    /// The column at which the entries of the innermost collection begin; none at the top.
    fn column(&self) -> Option<usize> {
        match self.open.last() {
            Some(Open::List(column) | Open::Mapping(column)) => Some(*column),
            _ => None,
        }
    }

    fn new_line(&mut self, column: usize) {
        if !self.out.is_empty() && !self.out.ends_with(b"\n") {
            self.out.push(b'\n');
        }
        self.out.resize(self.out.len() + column, b' ');
    }

    /// Writes what comes before an item of a list.
    fn before_value(&mut self) {
        match self.open.last_mut() {
            Some(&mut Open::List(column)) => {
                // The first item of a list inside a list shares its line.
                if self.place == WriteContext::Item {
                    self.out.extend_from_slice(b"- ");
                } else {
                    self.new_line(column);
                    self.out.extend_from_slice(b"- ");
                }
                self.place = WriteContext::Item;
            }
            Some(Open::FlowList(has_items)) => {
                if *has_items {
                    self.out.extend_from_slice(b", ");
                }
                *has_items = true;
            }
            _ => {}
        }
    }

    fn begin(&mut self, list: bool, is_empty: bool) {
        let in_flow = self.place == WriteContext::Flow;
        if is_empty || in_flow || self.open.len() >= DEEPEST_BLOCK {
            self.space_after_key();
            self.out.push(if list { b'[' } else { b'{' });
            self.open.push(match (is_empty && !in_flow, list) {
                (true, _) => Open::Empty,
                (false, true) => Open::FlowList(false),
                (false, false) => Open::FlowMapping(false),
            });
            if is_empty {
                self.out.push(if list { b']' } else { b'}' });
            } else {
                self.place = WriteContext::Flow;
            }
            return;
        }
        let column = match (self.place, self.column()) {
            (WriteContext::Key, Some(column)) if list => column,
            (_, Some(column)) => column + 2,
            (_, None) => 0,
        };
        self.open.push(if list { Open::List(column) } else { Open::Mapping(column) });
    }

    fn end(&mut self) {
        match self.open.pop() {
            Some(Open::FlowList(true)) => self.out.push(b']'),
            Some(Open::FlowMapping(true)) => self.out.push(b'}'),
            _ => {}
        }
        self.after_value();
    }

    /// What comes next is not on the line of what has just been written, unless that is in a flow collection.
    fn after_value(&mut self) {
        self.place = match self.open.last() {
            Some(Open::FlowList(_) | Open::FlowMapping(_)) => WriteContext::Flow,
            _ => WriteContext::Top,
        };
    }

    fn key(&mut self, key: &str) {
        match self.open.last_mut() {
            Some(Open::FlowMapping(has_members)) => {
                if *has_members {
                    self.out.extend_from_slice(b", ");
                }
                *has_members = true;
                if key.len() > LONGEST_KEY {
                    self.out.extend_from_slice(b"? ");
                }
                style::write_double_quoted(key, self.out);
                self.out.extend_from_slice(b": ");
            }
            Some(&mut Open::Mapping(column)) => {
                // The first key of a mapping inside a list shares its line.
                if self.place != WriteContext::Item {
                    self.new_line(column);
                }
                let long = key.len() > LONGEST_KEY;
                if long {
                    self.out.extend_from_slice(b"? ");
                }
                style::write_on_line(key, self.out);
                if long {
                    self.new_line(column);
                }
                self.out.push(b':');
                self.place = WriteContext::Key;
            }
            _ => {}
        }
    }

    fn space_after_key(&mut self) {
        if self.place == WriteContext::Key {
            self.out.push(b' ');
        }
    }

    fn plain(&mut self, text: &str) {
        self.before_value();
        self.space_after_key();
        self.out.extend_from_slice(text.as_bytes());
        self.after_value();
    }

    fn string(&mut self, text: &str) {
        self.before_value();
        self.space_after_key();
        if self.place == WriteContext::Flow {
            style::write_double_quoted(text, self.out);
        } else {
            let indent = self.column().map_or(2, |column| column + 2);
            style::write_value(text, indent, self.out);
        }
        self.after_value();
    }
}
