//! Which kinds are asked for, by a look at text that is not decoded.
//!
//! Takes inputs with objects; then says of text with CRDs what of it may define one of their kinds. Of many CRDs only
//! those few have to be decoded.
//!
//! Holds: where a document has a member `kind` with some text, that text, up to the first blank in it, is among the
//! words found; or the document is said to be unclear, and counts as asked for.

use crate::input::Input;
use crate::scan::Unit;
use crdkit_codec::Format;
use memchr::memmem;
use std::collections::HashSet;
use std::sync::Arc;

/// The kinds that objects have.
pub(crate) struct Wanted {
    /// None if every kind may be asked for.
    kinds: Option<HashSet<Box<[u8]>>>,
}

impl Wanted {
    /// Every kind, for objects that are not there yet.
    pub(crate) fn all() -> Self {
        Self { kinds: None }
    }

    /// The kinds in all of `units`.
    pub(crate) fn of(units: &[Unit]) -> Self {
        let mut kinds = HashSet::new();
        for unit in units {
            let found = match unit {
                Unit::Kept(input) if is_text(input) => words(&input.bytes),
                Unit::Failed(_) => Some(Vec::new()),
                Unit::Kept(_) | Unit::Later(_) => None,
            };
            let Some(found) = found else { return Self { kinds: None } };
            // A list of one kind says for its items what they are.
            let of_lists = found.iter().filter_map(|word| word.strip_suffix(b"List"));
            for word in found.iter().copied().chain(of_lists) {
                if !kinds.contains(word) {
                    kinds.insert(word.into());
                }
            }
        }
        Self { kinds: Some(kinds) }
    }

    /// The documents of `input` that may define one of the kinds; none if all of it has to be read.
    pub(crate) fn parts(&self, input: &Input) -> Option<Vec<Input>> {
        let kinds = self.kinds.as_ref()?;
        // What stands before the first document of YAML may be about all of them.
        if !is_text(input) || input.bytes.starts_with(b"%") {
            return None;
        }
        let pieces = match input.format {
            Format::Yaml => documents(&input.bytes),
            _ => vec![&*input.bytes],
        };
        let is_wanted = |piece: &&[u8]| {
            words(piece).is_none_or(|words| words.iter().any(|word| kinds.contains(*word)))
        };
        let part = |piece: &[u8]| Input {
            name: Arc::clone(&input.name),
            format: input.format,
            bytes: piece.to_vec(),
            first_line: 1,
            first_column: 0,
            is_inside_list: false,
            item_kind: None,
            role: input.role,
            is_part: false,
            map: None,
            origin: None,
        };
        Some(pieces.into_iter().filter(is_wanted).map(part).collect())
    }
}

fn is_text(input: &Input) -> bool {
    matches!(input.format, Format::Json | Format::Ndjson | Format::Yaml)
        && !matches!(*input.bytes, [0xFE | 0xFF, ..])
        && memchr::memchr(0, &input.bytes).is_none()
}

/// The documents of YAML text: a `---` line always begins one, because no value can hold such a line.
fn documents(bytes: &[u8]) -> Vec<&[u8]> {
    let markers = memmem::find_iter(bytes, "\n---").map(|at| at + 1);
    let is_marker = |at: &usize| {
        bytes.get(at + 3).is_none_or(|after| matches!(after, b' ' | b'\t' | b'\r' | b'\n'))
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    for end in markers.filter(is_marker).chain([bytes.len()]) {
        pieces.extend(bytes.get(start..end).filter(|piece| !piece.is_empty()));
        start = end;
    }
    pieces
}

/// The words that may be the value of a member called `kind`; none if that cannot be told from the text.
fn words(bytes: &[u8]) -> Option<Vec<&[u8]>> {
    // A name may be written with escapes.
    if ["\\u", "\\x", "\\U"].iter().any(|escape| memmem::find(bytes, escape.as_bytes()).is_some()) {
        return None;
    }
    let mut words = Vec::new();
    for at in memmem::find_iter(bytes, "kind") {
        let before = bytes.get(..at).unwrap_or_default();
        let after = bytes.get(at + 4..).unwrap_or_default();
        if before.last().is_some_and(|byte| is_word(*byte))
            || after.first().is_some_and(|byte| is_word(*byte))
        {
            continue;
        }
        // A key that is announced has its value on a line of its own.
        let is_announced = before.trim_ascii_end().ends_with(b"?");
        let closed = after.strip_prefix(b"\"").or_else(|| after.strip_prefix(b"'"));
        let rest = closed.map_or_else(|| trim_blanks(after), <[u8]>::trim_ascii_start);
        match rest.strip_prefix(b":") {
            None if is_announced => return None,
            None => {}
            Some(value) => match word(value) {
                Begins::Word(word) => words.push(word),
                Begins::NoText => {}
                Begins::Unclear => return None,
            },
        }
    }
    Some(words)
}

/// What a value begins with.
enum Begins<'v> {
    Word(&'v [u8]),
    NoText,
    Unclear,
}

/// What `value` begins with.
fn word(value: &[u8]) -> Begins<'_> {
    let trimmed = value.trim_ascii_start();
    let is_further = trimmed.len() < trim_blanks(value).len();
    match trimmed.first() {
        Some(quote @ (b'"' | b'\'')) => {
            quoted(trimmed, *quote).map_or(Begins::Unclear, Begins::Word)
        }
        Some(byte) if byte.is_ascii_alphanumeric() => {
            let ends = |byte: &u8| !is_word(*byte) && *byte != b'.';
            let end = trimmed.iter().position(ends).unwrap_or(trimmed.len());
            let Some((word, rest)) = trimmed.split_at_checked(end) else { return Begins::Unclear };
            let is_key = is_further && trim_blanks(rest).starts_with(b":");
            let is_clear = rest.first().is_none_or(|byte| {
                byte.is_ascii_whitespace() || matches!(byte, b',' | b'}' | b']' | b':')
            });
            match (is_clear, is_key) {
                (false, _) => Begins::Unclear,
                (true, true) => Begins::NoText,
                (true, false) => Begins::Word(word),
            }
        }
        Some(b'{' | b'[' | b'-' | b'}' | b']' | b',') | None => Begins::NoText,
        Some(_) => Begins::Unclear,
    }
}

/// The first word of a quoted text, if it is written without escapes.
fn quoted(text: &[u8], quote: u8) -> Option<&[u8]> {
    let text = text.get(1..)?;
    let text = text.get(..memchr::memchr(quote, text)?)?;
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    text.get(..end).filter(|_| !text.contains(&b'\\'))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn trim_blanks(bytes: &[u8]) -> &[u8] {
    let start = bytes.iter().position(|byte| !matches!(byte, b' ' | b'\t'));
    bytes.get(start.unwrap_or(bytes.len())..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<Vec<&str>> {
        Some(words(text.as_bytes())?.into_iter().map(|it| str::from_utf8(it).unwrap()).collect())
    }

    #[test]
    fn every_way_to_write_a_kind_is_seen_or_unclear() {
        for text in [
            "kind: Lamp",
            "kind:   Lamp # on",
            "kind: \"Lamp\"",
            "'kind': 'Lamp'",
            "{\"kind\"\n : \"Lamp\"}",
            "{kind: Lamp}",
            "kind:\n  Lamp\n",
            "kind:\r\n  Lamp\r\nother: x",
            "- kind: Lamp",
            "kind : Lamp",
        ] {
            assert_eq!(found(text), Some(vec!["Lamp"]), "{text}");
        }
        for text in [
            "kind: !!str Lamp",
            "kind: &a Lamp",
            "kind: *a",
            "kind: |-\n  Lamp",
            "kind: # comment\n  Lamp",
            "? kind\n: Lamp",
            "\"k\\u0069nd\": Lamp",
            "kind: \"L\\x61mp\"",
            "kind: Lämp",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
        for text in
            ["kind:\n  description: x\n  type: string", "listKind: x", "kinds: x", "kind: {}"]
        {
            assert_eq!(found(text), Some(Vec::new()), "{text}");
        }
    }

    #[test]
    fn documents_end_at_markers_alone() {
        let text = b"a: 1\n---\nb: 2\n--- # c\nd: |\n  ---x\n----\n";
        let pieces: Vec<_> = documents(text).iter().map(|it| it.len()).collect();
        assert_eq!(pieces, [5, 9, 25]);
    }
}
