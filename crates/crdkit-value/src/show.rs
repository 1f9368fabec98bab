//! Values as text: `Display` is JSON without white space, `Debug` the same with a blank after commas and colons.
//!
//! For messages, tests and logs; encoders that are made for speed and for other notations are in `crdkit-codec`.
//! Without recursion, like everything here.

use crate::{Document, Event, Value};
use std::fmt::{self, Write as _};

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_json(*self, "", f)
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_json(*self, " ", f)
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root().fmt(f)
    }
}

fn write_json(value: Value<'_>, blank: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut first = true;
    for event in value.events() {
        let ends = matches!(event, Event::EndArray | Event::EndObject);
        if !first && !ends {
            write!(f, ",{blank}")?;
        }
        first = matches!(event, Event::BeginArray | Event::BeginObject | Event::Key(_));
        match event {
            Event::Null => f.write_str("null"),
            Event::Bool(bool) => write!(f, "{bool}"),
            Event::Int(int) => write!(f, "{int}"),
            Event::Float(float) => write!(f, "{float:?}"),
            Event::Number(text) => f.write_str(text),
            Event::String(text) => write_string(text, f),
            Event::Key(key) => {
                write_string(key, f)?;
                write!(f, ":{blank}")
            }
            Event::BeginArray => f.write_str("["),
            Event::EndArray => f.write_str("]"),
            Event::BeginObject => f.write_str("{"),
            Event::EndObject => f.write_str("}"),
        }?;
    }
    Ok(())
}

fn write_string(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c < ' ' => write!(f, "\\u{:04x}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_shown_as_json() {
        let mut document = Document::object();
        document.insert(document.root().id(), "a\"b", "x\n\u{1}\\");
        document.insert(document.root().id(), "n", 1.0);
        assert_eq!(document.to_string(), r#"{"a\"b":"x\n\u0001\\","n":1.0}"#);
        assert_eq!(format!("{document:?}"), r#"{"a\"b": "x\n\u0001\\", "n": 1.0}"#);
    }
}
