//! A large `List` in JSON, taken apart without holding it: where its items are, and where one ends.
//!
//! The outline is found in one pass over the text. It is there only if the text is one object whose `items` is an
//! array of objects with commas between them, so that what is left out of the parts, which is the text around the
//! items, is known to be right; anything else is read whole and judged as a whole.

use crdkit_codec::{DecodeOptions, json};
use crdkit_value::Value;
use std::io::{self, Read};

/// Where the items are in the text: behind the bracket that opens, up to the one that closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outline {
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// How deep inside brackets and braces the text is, and whether inside a string.
#[derive(Default)]
struct Nesting {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Nesting {
    /// Takes the next byte; false if it is a part of a string, its closing quote included.
    fn step(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        true
    }
}

/// What comes next among items.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    ItemOrEnd,
    Item,
    CommaOrEnd,
}

/// The outline of the list that `reader` gives; none if it is no list that can be taken apart.
pub(crate) fn outline(mut reader: impl Read) -> io::Result<Option<Outline>> {
    let mut search = Search::default();
    let mut buffer = vec![0; 256 << 10];
    loop {
        let n_bytes = reader.read(&mut buffer)?;
        if n_bytes == 0 {
            return Ok(search.outcome());
        }
        let bytes = buffer.get(..n_bytes).unwrap_or_default();
        if bytes.iter().any(|byte| search.take(*byte).is_none()) {
            return Ok(None);
        }
    }
}

#[derive(Default)]
struct Search {
    nesting: Nesting,
    offset: u64,
    /// The last string among the members of the root.
    text: Vec<u8>,
    start: Option<u64>,
    end: Option<u64>,
    next: Option<Next>,
    begun: bool,
}

impl Search {
    /// Takes the next byte; none if this cannot be a list.
    fn take(&mut self, byte: u8) -> Option<()> {
        let before = self.nesting.depth;
        let at = self.offset;
        self.offset += 1;
        let outside = self.nesting.step(byte);
        if !outside {
            if before == 1 && self.text.len() <= b"items".len() {
                self.text.push(byte);
            }
            return Some(());
        }
        if byte.is_ascii_whitespace() {
            return Some(());
        }
        match (before, byte) {
            (0, b'{') if !self.begun => self.begun = true,
            // Text in front of the object or behind it.
            (0, _) => return None,
            // A string begins, which may be a key; or a value ends, which is none.
            (1, b'"' | b',') => self.text.clear(),
            (1, b'[') if self.text == b"items\"" => {
                // A second one would count instead of the first.
                if self.start.replace(at + 1).is_some() {
                    return None;
                }
                self.next = Some(Next::ItemOrEnd);
            }
            (2, _) => return self.among_items(byte, at),
            _ => {}
        }
        Some(())
    }

    fn among_items(&mut self, byte: u8, at: u64) -> Option<()> {
        let Some(next) = self.next else { return Some(()) };
        self.next = match (next, byte) {
            (Next::ItemOrEnd | Next::Item, b'{') => Some(Next::CommaOrEnd),
            (Next::CommaOrEnd, b',') => Some(Next::Item),
            (Next::ItemOrEnd | Next::CommaOrEnd, b']') => {
                self.end = Some(at);
                None
            }
            _ => return None,
        };
        Some(())
    }

    fn outcome(&self) -> Option<Outline> {
        let is_whole = self.nesting.depth == 0 && !self.nesting.in_string;
        is_whole.then_some(Outline { start: self.start?, end: self.end? })
    }
}

/// Whether the text around the items is that of a list: `head` ends with the bracket that opens, `tail` begins with
/// the one that closes.
pub(crate) fn is_list(head: &[u8], tail: &[u8]) -> bool {
    let around = [head, tail].concat();
    let Ok(decoded) = json::decode(&around, &DecodeOptions::default()) else { return false };
    let kind = decoded.document.root().get("kind").and_then(Value::as_str);
    decoded.issues.is_empty() && kind.is_some_and(|kind| kind.ends_with("List"))
}

/// Goes through the text of items and makes them documents that follow one another.
#[derive(Default)]
pub(crate) struct Items(Nesting);

impl Items {
    /// Takes the next bytes and puts blanks in place of the commas between items, so that all else stays where it
    /// is; gives the end of the last item that ends here.
    pub(crate) fn separate(&mut self, bytes: &mut [u8]) -> Option<usize> {
        let mut last = None;
        for (at, byte) in bytes.iter_mut().enumerate() {
            if self.0.step(*byte) && self.0.depth == 0 && *byte == b',' {
                *byte = b' ';
                last = Some(at + 1);
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that gives a byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n_bytes = buffer.len().min(1).min(self.0.len());
            self.0.read(&mut buffer[..n_bytes])
        }
    }

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let found = outline(text.as_bytes()).unwrap();
        assert_eq!(found, outline(Slow(text.as_bytes())).unwrap());
        let inside = found
            .map(|it| &text[usize::try_from(it.start).unwrap()..usize::try_from(it.end).unwrap()]);
        assert_eq!(inside, expected, "{text}");
    }

    #[test]
    fn items_of_a_list_are_found() {
        check(r#"{"kind":"List","items":[{"a":1},{"b":[2,{}]}]}"#, Some(r#"{"a":1},{"b":[2,{}]}"#));
        check(r#" {"items" : [ {} ] , "kind":"List"} "#, Some(" {} "));
        check(r#"{"items":[]}"#, Some(""));
        check(r#"{"a":"items","items":[{"x":"]},{\"[\\"}]}"#, Some(r#"{"x":"]},{\"[\\"}"#));
        check(r#"{"metadata":{"items":[1]},"items":[{}]}"#, Some("{}"));
    }

    #[test]
    fn what_is_no_plain_list_of_objects_is_left_whole() {
        for text in [
            "",
            "[]",
            r#"{"a":1}"#,
            r#"{"items":[1]}"#,
            r#"{"items":[{} {}]}"#,
            r#"{"items":[{},]}"#,
            r#"{"items":[,{}]}"#,
            r#"{"items":[{}],"items":[{}]}"#,
            r#"{"items":[{}]} {}"#,
            r#"{"items":[{}]"#,
            r#"{"items":[{"a":"#,
            r#"{"items":{"a":[{}]}}"#,
            r#"{"x":"items","y":[{}]}"#,
        ] {
            check(text, None);
        }
    }

    #[test]
    fn items_become_documents_without_moving() {
        let mut bytes = br#"{"a":[1,2]}, {"b":"},{"},{}"#.to_vec();
        let last = Items::default().separate(&mut bytes);
        assert_eq!(bytes, br#"{"a":[1,2]}  {"b":"},{"} {}"#);
        assert_eq!(last, Some(25));
        assert!(is_list(br#"{"kind":"LampList","items":["#, b"]}"));
        assert!(!is_list(br#"{"kind":"Lamp","items":["#, b"]}"));
        assert!(!is_list(br#"{"kind":"List","items":["#, b"}"));
    }
}
