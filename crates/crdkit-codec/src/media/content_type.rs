//! What a request is written in, by its `Content-Type` header.
//!
//! Upstream: Go's `mime.ParseMediaType`, whose grammar decides which headers are malformed.

use super::{MediaType, Offer};
use std::fmt;

/// The body is in a format that cannot be read: status 415.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsupportedMediaType {
    /// What could have been read; the `Accept` header of the response.
    pub accepted: Vec<&'static str>,
}

/// The format of a request's body; without a header, the first one offered. `is_stream` only decides
/// which names are given when it is not supported.
///
/// # Errors
/// When the header is malformed or names something that cannot be read.
pub fn request_type(
    content_type: &str,
    offer: &Offer,
    is_stream: bool,
) -> Result<MediaType, UnsupportedMediaType> {
    let types = offer.types();
    let found = if content_type.is_empty() {
        types.first().copied()
    } else {
        let name = parse_content_type(content_type);
        types.iter().copied().find(|media| name.as_deref() == Some(media.name()))
    };
    found.ok_or_else(|| UnsupportedMediaType {
        accepted: if is_stream { offer.stream_names() } else { offer.names() },
    })
}

/// The media type of a `Content-Type` header in lower case, without parameters; none when it is malformed.
pub fn parse_content_type(header: &str) -> Option<String> {
    let (name, _) = header.split_once(';').unwrap_or((header, ""));
    let parameters = header.get(name.len()..).unwrap_or_default();
    let name = name.trim().to_lowercase();
    let (kind, rest) = token(&name);
    let subtype_is_right = rest.is_empty()
        || rest.strip_prefix('/').is_some_and(|rest| {
            let (subtype, rest) = token(rest);
            !subtype.is_empty() && rest.is_empty()
        });
    if kind.is_empty() || !subtype_is_right {
        return None;
    }
    let mut seen: Vec<(String, String)> = Vec::new();
    let mut rest = parameters.trim_start();
    while !rest.is_empty() {
        let Some((name, value, tail)) = parameter(rest) else {
            // One semicolon may stand at the end.
            return (rest.trim() == ";").then_some(name);
        };
        if seen.iter().any(|(known, old)| *known == name && *old != value) {
            return None;
        }
        seen.push((name, value));
        rest = tail.trim_start();
    }
    Some(name)
}

/// A parameter with the semicolon before it, and what follows.
fn parameter(text: &str) -> Option<(String, String, &str)> {
    let (name, rest) = token(text.strip_prefix(';')?.trim_start());
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let (value, rest) = if let Some(quoted) = rest.strip_prefix('"') {
        quoted_value(quoted)?
    } else {
        let (value, rest) = token(rest);
        (!value.is_empty()).then(|| (value.to_owned(), rest))?
    };
    (!name.is_empty()).then(|| (name.to_lowercase(), value, rest))
}

/// The text up to the closing quote. A backslash escapes only what a token cannot hold, because browsers
/// send file names with plain ones.
fn quoted_value(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\r' | '\n' => return None,
            '\\' => match chars.clone().next() {
                Some((_, next)) if next.is_ascii() && !is_token(next) => {
                    chars.next();
                    value.push(next);
                }
                _ => value.push(c),
            },
            _ => value.push(c),
        }
    }
    None
}

fn token(text: &str) -> (&str, &str) {
    let end = text.find(|c| !is_token(c)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

fn is_token(c: char) -> bool {
    matches!(c, '!'..='~') && !r#"()<>@,;:\"/[]?="#.contains(c)
}

/// The API server's words.
impl fmt::Display for UnsupportedMediaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the body of the request was in an unknown format - accepted media types include: ",
        )?;
        f.write_str(&self.accepted.join(", "))
    }
}

impl std::error::Error for UnsupportedMediaType {}
