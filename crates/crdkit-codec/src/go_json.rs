//! JSON text exactly as Go's `encoding/json` writes it: what Kubernetes stores, shows and sends.
//!
//! Keys sorted by their bytes; `<`, `>`, `&`, U+2028 and U+2029 escaped; a byte that is not UTF-8 becomes `\ufffd`;
//! doubles in their shortest digits, in plain decimals from 1e-6 up to 1e21, so that a whole double reads back as an
//! integer. Nothing recurses on the value.

use crate::json::{Layout, Spelling, escape_of, walk, write_word};
use crdkit_issue::Arg;
use crdkit_text::number;
use crdkit_value::{Cursor, Kind, Value};
use std::convert::Infallible;

/// Appends `value` to `out`.
pub fn write(value: Value<'_>, layout: Layout, out: &mut Vec<u8>) {
    let Ok(()) = walk(value, &Go, layout, out);
}

/// `value` in compact form.
pub fn value(value: Value<'_>) -> String {
    let mut out = Vec::new();
    write(value, Layout::Compact, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends `text` in quotes.
pub fn write_string(text: &str, out: &mut String) {
    quoted(text.as_bytes(), |piece| out.push_str(piece));
}

/// One string in quotes.
pub fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(text, &mut out);
    out
}

/// A string that is shown as JSON in a finding, because its Go type has a name of its own or may be absent.
pub fn named(text: &str) -> Arg {
    Arg::Literal(string(text).into())
}

/// A list of strings.
pub fn strings<'a>(list: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = String::from("[");
    for text in list {
        if out.len() > 1 {
            out.push(',');
        }
        write_string(text, &mut out);
    }
    out + "]"
}

struct Go;

impl Spelling for Go {
    const SORTED: bool = true;
    type Error = Infallible;

    fn key(&self, member: Cursor<'_>, out: &mut Vec<u8>) {
        quoted(member.key().bytes(), |piece| out.extend_from_slice(piece.as_bytes()));
    }

    fn scalar(
        &self,
        at: Cursor<'_>,
        scalar: &Kind<'_>,
        out: &mut Vec<u8>,
    ) -> Result<(), Infallible> {
        match scalar {
            Kind::String(_) => {
                quoted(at.string().bytes(), |piece| out.extend_from_slice(piece.as_bytes()));
            }
            Kind::Float(float) => {
                out.extend_from_slice(number::json(*float).unwrap_or_default().as_bytes());
            }
            other => write_word(other, out),
        }
        Ok(())
    }
}

/// Gives the pieces of `bytes` as a string in quotes.
fn quoted(bytes: &[u8], mut push: impl FnMut(&str)) {
    push("\"");
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some((at, special)) = rest.char_indices().find(|(_, c)| needs_escape(*c)) {
            let (plain, tail) = rest.split_at(at);
            push(plain);
            push(match special {
                '<' => "\\u003c",
                '>' => "\\u003e",
                '&' => "\\u0026",
                '\u{2028}' => "\\u2028",
                '\u{2029}' => "\\u2029",
                ascii => escape_of(u8::try_from(ascii).unwrap_or_default()),
            });
            rest = tail.get(special.len_utf8()..).unwrap_or_default();
        }
        push(rest);
        chunk.invalid().iter().for_each(|_| push("\\ufffd"));
    }
    push("\"");
}

fn needs_escape(c: char) -> bool {
    matches!(c, '"' | '\\' | '<' | '>' | '&' | '\u{0}'..='\u{1F}' | '\u{2028}' | '\u{2029}')
}
