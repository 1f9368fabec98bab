//! The group, version and kind of an object, and nothing else of it.
//!
//! Kubernetes decodes into a struct of two fields for this, which is more lenient than decoding the whole
//! object: what other fields hold is not looked at. It is stricter about keys: one with a tag is refused, an
//! integer passes.
//!
//! Upstream: `parseMapToStruct` of `github.com/fxamacker/cbor/v2/decode.go`.

use super::Rules;
use super::head::{Head, Major, head};
use super::object::GroupVersionKind;
use super::parse::{Parser, Token};
use super::problem::{Finding, Problem};
use super::verdict::form;
use crdkit_issue::{FieldPath, Issue, Span, codes};
use std::collections::HashSet;

/// Why there is no group, version and kind.
pub(crate) enum Refused {
    Finding(Finding),
    /// An item that is not what the field holds: what is found there, the Go type, and more about it.
    Type(Major, &'static str, &'static str),
    KeyType(Major),
}

/// The group, version and kind that `bytes` name.
pub(crate) fn sniff(bytes: &[u8], rules: &Rules) -> Result<GroupVersionKind, Refused> {
    form(bytes, rules).map_err(Refused::Finding)?;
    let mut parser = Parser::new(*rules);
    let token = parser.next(bytes);
    let found = untagged(bytes, 0);
    if let Some(problem) = parser.problem
        && !matches!(problem, Problem::Integer { .. })
    {
        return Err(wrong(problem, &parser));
    }
    match token {
        Token::BeginMap => {}
        Token::Null => return Ok(GroupVersionKind::default()),
        Token::String if parser.text.content(bytes).is_err() => {
            return Err(wrong(Problem::Utf8, &parser));
        }
        Token::BeginArray => {
            let more = " (cannot decode CBOR array to struct without toarray option)";
            return Err(Refused::Type(found, "value of type v1.TypeMeta", more));
        }
        _ => return Err(Refused::Type(found, "value of type v1.TypeMeta", "")),
    }
    fields(bytes, &mut parser)
}

/// Reads the pairs of the map that has begun.
fn fields(bytes: &[u8], parser: &mut Parser) -> Result<GroupVersionKind, Refused> {
    let mut error: Option<Refused> = None;
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    let (mut kind, mut api_version) = (String::new(), String::new());
    for index in 0.. {
        let at = parser.at;
        let token = parser.next(bytes);
        if matches!(token, Token::EndMap) {
            break;
        }
        let (key, refused) = key(bytes, at, token, parser);
        skip(bytes, token, parser);
        if let Some(refused) = refused {
            error.get_or_insert(refused);
        }
        let value_at = parser.at;
        let token = parser.next(bytes);
        let Some(key) = key else {
            skip(bytes, token, parser);
            continue;
        };
        if !seen.insert(key.clone()) {
            let text = key.get(1..).unwrap_or_default().into();
            let span = Span::new(at, parser.at);
            let problem = Problem::Duplicate { index };
            return Err(Refused::Finding(Finding { problem, span, text }));
        }
        let field = match key.as_slice() {
            b"skind" => (&mut kind, "struct field v1.TypeMeta.kind of type string"),
            b"sapiVersion" => {
                (&mut api_version, "struct field v1.TypeMeta.apiVersion of type string")
            }
            _ => {
                skip(bytes, token, parser);
                continue;
            }
        };
        let refused = match (token, parser.problem) {
            (_, Some(problem)) if !matches!(problem, Problem::Integer { .. }) => {
                Some(wrong(problem, parser))
            }
            (Token::Null, _) => None,
            // A time under tag 0 is taken as the text it is.
            (Token::String, _) => {
                parser.text.is_time = false;
                match parser.text.value(bytes) {
                    Ok(text) => {
                        *field.0 = String::from_utf8_lossy(&text).into_owned();
                        None
                    }
                    Err(problem) => Some(wrong(problem, parser)),
                }
            }
            _ => Some(Refused::Type(untagged(bytes, value_at), field.1, "")),
        };
        skip(bytes, token, parser);
        if let Some(refused) = refused {
            error.get_or_insert(refused);
        }
    }
    error.map_or_else(|| Ok(GroupVersionKind::of(&api_version, &kind)), Err)
}

/// A key with a letter for its type in front, as far as it can be told apart from others, and what is wrong
/// with it.
fn key(
    bytes: &[u8],
    at: usize,
    token: Token,
    parser: &Parser,
) -> (Option<Vec<u8>>, Option<Refused>) {
    let first = bytes.get(at).copied().unwrap_or_default();
    let tagged = |letter: u8, key: &[u8]| Some([&[letter], key].concat());
    match (Major::of(first), token) {
        (Major::Bytes | Major::Text, _) => match parser.text.content(bytes) {
            Ok(key) => (tagged(b's', &key), None),
            Err(problem) => (None, Some(wrong(problem, parser))),
        },
        (Major::Unsigned | Major::Negative, _) => match head(bytes, at) {
            Ok(Head { argument, major, .. }) if i64::try_from(argument).is_err() => {
                let negative = major == Major::Negative;
                (None, Some(wrong(Problem::Integer { negative, argument }, parser)))
            }
            _ => (tagged(b'i', bytes.get(at..parser.at).unwrap_or_default()), None),
        },
        (major, Token::Key) => {
            let key = parser.text.value(bytes).ok().and_then(|key| tagged(b's', &key));
            (key, Some(Refused::KeyType(major)))
        }
        (major, Token::BeginArray | Token::BeginMap) => (None, Some(Refused::KeyType(major))),
        (major, _) => {
            let key = tagged(b'o', bytes.get(at..parser.at).unwrap_or_default());
            (key, Some(Refused::KeyType(major)))
        }
    }
}

/// Passes over the rest of an item whose first token is `token`.
pub(crate) fn skip(bytes: &[u8], token: Token, parser: &mut Parser) {
    let mut depth = usize::from(matches!(token, Token::BeginArray | Token::BeginMap));
    while depth > 0 {
        match parser.next(bytes) {
            Token::BeginArray | Token::BeginMap => depth += 1,
            Token::EndArray | Token::EndMap => depth -= 1,
            Token::End | Token::More | Token::Wrong => return,
            _ => {}
        }
    }
}

/// The type of the item at `at` behind its tags.
fn untagged(bytes: &[u8], mut at: usize) -> Major {
    loop {
        match head(bytes, at) {
            Ok(Head { major: Major::Tag, end, .. }) => at = end,
            Ok(Head { major, .. }) => return major,
            Err(_) => return Major::Simple,
        }
    }
}

fn wrong(problem: Problem, parser: &Parser) -> Refused {
    Refused::Finding(Finding::new(problem, Span::new(parser.start, parser.at)))
}

impl Refused {
    pub(crate) fn issue(&self) -> Box<Issue> {
        let (code, problem, server) = match self {
            Self::Finding(finding) => return finding.issue(FieldPath::root()),
            Self::Type(found, go_type, more) => (
                codes::decode::CBOR_TYPE,
                format!("a {} stands where the object's type is expected", found.name()),
                format!("cbor: cannot unmarshal {} into Go {go_type}{more}", found.name()),
            ),
            Self::KeyType(found) => {
                let name = found.name();
                let server = format!(
                    "cbor: cannot unmarshal {name} into Go value of type string (map key is of type {name} and cannot be used to match struct field name)"
                );
                let problem = format!("the key is a {name}, expected a string");
                (codes::decode::CBOR_KEY_TYPE, problem, server)
            }
        };
        Box::new(Issue::error(code).with("problem", problem).with("server", server))
    }
}
