//! The part of a request's address after the question mark: decoded pairs in order, read by the server's rules.
//!
//! Nothing is refused here but integers that are none; unknown names are passed over by whoever asks.

use crdkit_schema::status::Status;
use crdkit_text::quote::quote;

/// The parameters of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(raw: &str) -> Self {
        let pairs = raw.split('&').filter(|pair| !pair.is_empty());
        Self(
            pairs
                .map(|pair| {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    (decode(name, true), decode(value, true))
                })
                .collect(),
        )
    }

    /// The first value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The first value of a parameter; empty if it is not there.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    /// All values of a parameter.
    pub(crate) fn all<'q>(&'q self, name: &'q str) -> impl Iterator<Item = &'q str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether a switch is on: anything but `0` and `false` is yes, nothing at all included.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.switch(name).unwrap_or_default()
    }

    /// A switch that can also be absent.
    pub(crate) fn switch(&self, name: &str) -> Option<bool> {
        self.get(name).map(|value| value != "0" && !value.eq_ignore_ascii_case("false"))
    }

    /// An integer, if it is given.
    pub(crate) fn integer(&self, name: &str) -> Result<Option<i64>, Box<Status>> {
        match self.get(name) {
            None => Ok(None),
            Some(text) => parse_int(text).map(Some).map_err(|it| Status::bad_request(it).into()),
        }
    }
}

/// A 64-bit integer, or Go's words about the text.
pub(crate) fn parse_int(text: &str) -> Result<i64, String> {
    go_integer(text, "ParseInt", text.parse::<i64>().ok().filter(|_| is_plain(text)))
}

/// The same without a sign.
pub(crate) fn parse_uint(text: &str) -> Result<u64, String> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    go_integer(text, "ParseUint", text.parse::<u64>().ok().filter(|_| digits))
}

fn go_integer<T>(text: &str, function: &str, parsed: Option<T>) -> Result<T, String> {
    parsed.ok_or_else(|| {
        let digits = text.trim_start_matches(['+', '-']);
        let signed = digits.len() < text.len();
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let why = if is_number && !(signed && function == "ParseUint") {
            "value out of range"
        } else {
            "invalid syntax"
        };
        format!("strconv.{function}: parsing {}: {why}", quote(text))
    })
}

fn is_plain(text: &str) -> bool {
    text.strip_prefix(['+', '-']).unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit())
}

/// Text with its percent escapes resolved; in a query a plus is a space. What is not an escape stays as it is.
pub(crate) fn decode(text: &str, plus_is_space: bool) -> String {
    let hex = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'%' => match (hex(bytes.get(at)), hex(bytes.get(at + 1))) {
                (Some(high), Some(low)) => {
                    out.push(u8::try_from(high * 16 + low).unwrap_or_default());
                    at += 2;
                }
                _ => out.push(byte),
            },
            b'+' if plus_is_space => out.push(b' '),
            _ => out.push(byte),
        }
    }
    String::from_utf8(out)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_read_as_the_server_reads_them() {
        let query = Query::parse("a&b=0&c=False&d=yes&e=%20x+y");
        let found: Vec<_> = ["a", "b", "c", "d", "f"].map(|it| query.switch(it)).into();
        assert_eq!(found, [Some(true), Some(false), Some(false), Some(true), None]);
        assert_eq!(query.text("e"), " x y");
    }

    #[test]
    fn integers_are_refused_in_the_words_of_go() {
        let words = |text| parse_int(text).unwrap_err();
        assert_eq!(words(""), "strconv.ParseInt: parsing \"\": invalid syntax");
        assert_eq!(words("abc"), "strconv.ParseInt: parsing \"abc\": invalid syntax");
        assert!(words("99999999999999999999").ends_with("value out of range"));
        assert_eq!(
            parse_uint("-1").unwrap_err(),
            "strconv.ParseUint: parsing \"-1\": invalid syntax"
        );
    }
}
