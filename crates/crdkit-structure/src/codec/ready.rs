//! Codecs for what Kubernetes and its neighbours write into strings and numbers.

use super::text::utc;
use super::{Codec, string, text};
use crdkit_codec::json::{self, NumberNotation};
use crdkit_codec::{DecodeOptions, json::write_canonical};
use crdkit_text::quantity::Quantity;
use crdkit_text::timestamp::Timestamp;
use crdkit_text::{base64, duration};
use crdkit_value::{Document, Kind, NumberMode, Value};

/// Go's durations: `90m` is `1h30m0s`.
#[derive(Clone, Copy, Debug, Default)]
pub struct DurationText;

impl Codec for DurationText {
    fn name(&self) -> &'static str {
        "duration"
    }

    fn decode(&self, wire: Value<'_>) -> Result<Document, String> {
        let nanoseconds = duration::parse(text(wire)?).map_err(|error| error.to_string())?;
        Ok(string(&duration::format(nanoseconds)))
    }

    fn encode(&self, domain: Value<'_>) -> Result<Document, String> {
        self.decode(domain)
    }
}

/// Bytes as base64 with padding; line breaks are dropped.
#[derive(Clone, Copy, Debug, Default)]
pub struct Base64;

impl Codec for Base64 {
    fn name(&self) -> &'static str {
        "base64"
    }

    fn decode(&self, wire: Value<'_>) -> Result<Document, String> {
        let plain: String = text(wire)?.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
        match base64::Base64::Standard.decode(&plain) {
            Ok(_) => Ok(string(&plain)),
            Err(_) => Err("it is not base64 with padding".to_owned()),
        }
    }

    fn encode(&self, domain: Value<'_>) -> Result<Document, String> {
        self.decode(domain)
    }
}

/// Kubernetes quantities in their shortest form: `1000m` is `1`.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuantityText;

impl Codec for QuantityText {
    fn name(&self) -> &'static str {
        "quantity"
    }

    /// Takes numbers as well, as Kubernetes does.
    fn decode(&self, wire: Value<'_>) -> Result<Document, String> {
        let shown = match wire.kind() {
            Kind::Int(int) => int.to_string(),
            Kind::Float(float) => float.to_string(),
            Kind::Number(text) => text.to_owned(),
            _ => text(wire)?.to_owned(),
        };
        let quantity = Quantity::parse(&shown).map_err(|error| error.to_string())?;
        Ok(string(&quantity.to_string()))
    }

    fn encode(&self, domain: Value<'_>) -> Result<Document, String> {
        self.decode(domain)
    }
}

/// An integer or a string; each stays what it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct IntOrString;

impl Codec for IntOrString {
    fn name(&self) -> &'static str {
        "integer or string"
    }

    fn decode(&self, wire: Value<'_>) -> Result<Document, String> {
        match wire.kind() {
            Kind::Int(_) | Kind::String(_) => Ok(Document::copy_of(wire)),
            _ => Err("it is neither an integer nor a string".to_owned()),
        }
    }

    fn encode(&self, domain: Value<'_>) -> Result<Document, String> {
        self.decode(domain)
    }
}

/// A number in a string on the wire, the number in the program.
#[derive(Clone, Copy, Debug, Default)]
pub struct NumberText;

impl Codec for NumberText {
    fn name(&self) -> &'static str {
        "number in a string"
    }

    fn decode(&self, wire: Value<'_>) -> Result<Document, String> {
        let decoded = JsonText.decode(wire)?;
        match decoded.root().kind() {
            Kind::Int(_) | Kind::Float(_) | Kind::Number(_) => Ok(decoded),
            _ => Err("it is not a number".to_owned()),
        }
    }

    fn encode(&self, domain: Value<'_>) -> Result<Document, String> {
        match domain.kind() {
            Kind::Int(_) | Kind::Float(_) | Kind::Number(_) => JsonText.encode(domain),
            _ => Err("it is not a number".to_owned()),
        }
    }
}

/// Whole seconds since 1970 on the wire, RFC 3339 in the program.
#[derive(Clone, Copy, Debug, Default)]
pub struct EpochSeconds;

impl Codec for EpochSeconds {
    fn name(&self) -> &'static str {
        "number of seconds since 1970"
    }

    fn decode(&self, wire: Value<'_>) -> Result<Document, String> {
        let seconds = wire.as_i64().ok_or("it is not a whole number")?;
        let shown = Timestamp { seconds, nanoseconds: 0, offset: 0 }.to_string();
        utc(&shown).map(|instant| string(&instant.to_string()))
    }

    fn encode(&self, domain: Value<'_>) -> Result<Document, String> {
        let instant = utc(text(domain)?)?;
        if instant.nanoseconds != 0 {
            return Err("it has a fraction of a second".to_owned());
        }
        Ok(Document::from(instant.seconds))
    }
}

/// JSON inside a string on the wire, the value itself in the program.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonText;

impl Codec for JsonText {
    fn name(&self) -> &'static str {
        "JSON text"
    }

    fn decode(&self, wire: Value<'_>) -> Result<Document, String> {
        let options = DecodeOptions::new().numbers(NumberMode::Exact);
        let decoded = json::decode(text(wire)?.as_bytes(), &options);
        let decoded = decoded.map_err(|issue| issue.message())?;
        match decoded.issues.first() {
            Some(issue) => Err(issue.message()),
            None => Ok(decoded.document),
        }
    }

    fn encode(&self, domain: Value<'_>) -> Result<Document, String> {
        let mut out = Vec::new();
        write_canonical(domain, NumberNotation::Exact, &mut out)
            .map_err(|issue| issue.message())?;
        let text = String::from_utf8(out).map_err(|error| error.to_string())?;
        Ok(string(&text))
    }
}
