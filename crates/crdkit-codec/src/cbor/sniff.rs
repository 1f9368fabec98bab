//! The group, version and kind of an object, and nothing else of it.
//!
//! Kubernetes decodes into a struct of two fields for this, which is more lenient than decoding the whole
//! object: what other fields hold is not looked at. It is stricter about keys: one with a tag is refused, an
//! integer passes.
//!
//! Upstream: `parseMapToStruct` of `github.com/fxamacker/cbor/v2/decode.go`.

use super::Rules;
use super::emit::write_head;
use super::head::{Head, Major, head};
use super::parse::{CborParser, CborToken};
use super::problem::{CborFinding, CborProblem};
use super::verdict::form;
use crdkit_issue::{FieldPath, Issue, Span, codes};
use crdkit_text::kind::GroupVersionKind;
use std::collections::HashSet;

/// Why there is no group, version and kind.
pub(crate) enum Refused {
    Finding(CborFinding),
    /// An item that is not what the field holds: what is found there, the Go type, and more about it.
    Type(Major, &'static str, String),
    KeyType(Major),
    /// The same key twice, one that is not a string, as Go shows it.
    Duplicate(String, u64),
}

/// The group, version and kind that `bytes` name.
pub(crate) fn sniff(bytes: &[u8], rules: &Rules) -> Result<GroupVersionKind, Refused> {
    form(bytes, rules).map_err(Refused::Finding)?;
    let mut parser = CborParser::new(*rules);
    let token = parser.next(bytes);
    if let Some(problem) = parser.problem
        && !is_number(problem)
    {
        return Err(wrong(problem, &parser));
    }
    match token {
        CborToken::BeginMap => {}
        CborToken::Null => return Ok(GroupVersionKind::default()),
        CborToken::String if parser.text.content(bytes).is_err() => {
            return Err(wrong(CborProblem::Utf8, &parser));
        }
        CborToken::BeginArray => {
            let more = " (cannot decode CBOR array to struct without toarray option)".into();
            return Err(Refused::Type(Major::Array, "value of type v1.TypeMeta", more));
        }
        _ => return Err(mismatch(bytes, 0, "value of type v1.TypeMeta")),
    }
    fields(bytes, &mut parser)
}

/// Reads the pairs of the map that has begun.
fn fields(bytes: &[u8], parser: &mut CborParser) -> Result<GroupVersionKind, Refused> {
    let mut error: Option<Refused> = None;
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    let (mut kind, mut api_version) = (String::new(), String::new());
    for index in 0.. {
        let at = parser.at;
        let token = parser.next(bytes);
        if matches!(token, CborToken::EndMap) {
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
            return Err(repeated(&key, index, Span::new(at, parser.at)));
        }
        let field = match key.as_slice() {
            b"fkind" => (&mut kind, "struct field v1.TypeMeta.kind of type string"),
            b"fapiVersion" => {
                (&mut api_version, "struct field v1.TypeMeta.apiVersion of type string")
            }
            _ => {
                skip(bytes, token, parser);
                continue;
            }
        };
        let refused = match (token, parser.problem) {
            (_, Some(problem)) if !is_number(problem) => Some(wrong(problem, parser)),
            (CborToken::Null, _) => None,
            // A time under tag 0 is taken as the text it is.
            (CborToken::String, _) => {
                parser.text.is_time = false;
                match parser.text.value(bytes) {
                    Ok(text) => {
                        *field.0 = String::from_utf8_lossy(&text).into_owned();
                        None
                    }
                    Err(problem) => Some(wrong(problem, parser)),
                }
            }
            _ => Some(mismatch(bytes, value_at, field.1)),
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
    token: CborToken,
    parser: &CborParser,
) -> (Option<Vec<u8>>, Option<Refused>) {
    let first = bytes.get(at).copied().unwrap_or_default();
    let tagged = |letter: u8, key: &[u8]| Some([&[letter], key].concat());
    match (Major::of(first), token) {
        (Major::Bytes | Major::Text, _) => match parser.text.content(bytes) {
            // A field is told apart from other keys, so that a tag before the same name makes no duplicate.
            Ok(key) if matches!(&*key, b"kind" | b"apiVersion") => (tagged(b'f', &key), None),
            Ok(key) => (tagged(b's', &key), None),
            Err(problem) => (None, Some(wrong(problem, parser))),
        },
        (Major::Unsigned | Major::Negative, _) => match head(bytes, at) {
            Ok(Head { argument, major, .. }) if i64::try_from(argument).is_err() => {
                let negative = major == Major::Negative;
                (None, Some(wrong(CborProblem::Integer { negative, argument }, parser)))
            }
            Ok(Head { argument, major, .. }) => {
                let mut key = Vec::new();
                write_head(major, argument, &mut key);
                (tagged(b'i', &key), None)
            }
            Err(_) => (None, None),
        },
        (major, CborToken::Key) => {
            let key = parser.text.value(bytes).ok().and_then(|key| tagged(b's', &key));
            (key, Some(Refused::KeyType(major)))
        }
        (major, CborToken::BeginArray | CborToken::BeginMap) => {
            (None, Some(Refused::KeyType(major)))
        }
        (major, _) => {
            let item = bytes.get(untagged(bytes, at)..parser.at).unwrap_or_default();
            // One that means nothing is not compared with others.
            let means_something =
                matches!(parser.problem, None | Some(CborProblem::KeyType { .. }));
            let key = tagged(b'o', item).filter(|_| means_something);
            (key, Some(Refused::KeyType(major)))
        }
    }
}

/// Passes over the rest of an item whose first token is `token`.
pub(crate) fn skip(bytes: &[u8], token: CborToken, parser: &mut CborParser) {
    let mut depth = usize::from(matches!(token, CborToken::BeginArray | CborToken::BeginMap));
    while depth > 0 {
        match parser.next(bytes) {
            CborToken::BeginArray | CborToken::BeginMap => depth += 1,
            CborToken::EndArray | CborToken::EndMap => depth -= 1,
            CborToken::End | CborToken::More | CborToken::Wrong => return,
            _ => {}
        }
    }
}

/// Whether a problem is one of untyped numbers only.
fn is_number(problem: CborProblem) -> bool {
    matches!(problem, CborProblem::Integer { .. } | CborProblem::TimeOverflow { .. })
}

/// What is wrong with the item at `at`, which is not of the type it should be.
fn mismatch(bytes: &[u8], at: usize, go_type: &'static str) -> Refused {
    let at = untagged(bytes, at);
    let (found, argument) =
        head(bytes, at).map_or((Major::Simple, 0), |head| (head.major, head.argument));
    let too_small = found == Major::Negative && i64::try_from(argument).is_err();
    let more = || format!(" (-{} overflows Go's int64)", u128::from(argument) + 1);
    Refused::Type(found, go_type, if too_small { more() } else { String::new() })
}

/// Where the item at `at` begins after its tags.
fn untagged(bytes: &[u8], mut at: usize) -> usize {
    while let Ok(Head { major: Major::Tag, end, .. }) = head(bytes, at) {
        at = end;
    }
    at
}

/// The finding for a key that occurs again.
fn repeated(key: &[u8], index: u64, span: Span) -> Refused {
    let (letter, item) = key.split_at_checked(1).unwrap_or((key, &[]));
    let shown = match (letter, head(item, 0)) {
        (b"s" | b"f", _) | (_, Err(_)) => {
            let problem = CborProblem::Duplicate { index };
            return Refused::Finding(CborFinding { problem, span, text: item.into() });
        }
        (_, Ok(head)) => match (head.major, head.argument) {
            (Major::Unsigned, argument) => argument.to_string(),
            (Major::Negative, argument) => (!argument.cast_signed()).to_string(),
            (_, 20) => "false".into(),
            (_, 21) => "true".into(),
            _ => "<nil>".into(),
        },
    };
    Refused::Duplicate(shown, index)
}

fn wrong(problem: CborProblem, parser: &CborParser) -> Refused {
    Refused::Finding(CborFinding::new(problem, Span::new(parser.start, parser.at)))
}

impl Refused {
    pub(crate) fn issue(&self) -> Box<Issue> {
        let (code, problem, server) = match self {
            // Go's words for an integer key have a form of their own.
            Self::Finding(CborFinding {
                problem: CborProblem::Integer { negative: true, argument },
                ..
            }) => (
                codes::decode::CBOR_INTEGER_RANGE,
                format!("the key -{} does not fit 64 bits", u128::from(*argument) + 1),
                format!(
                    "cbor: cannot unmarshal negative integer into Go value of type int64 (-1-{argument} overflows Go's int64)"
                ),
            ),
            Self::Finding(finding) => return finding.issue(FieldPath::root()),
            Self::Duplicate(key, index) => (
                codes::decode::CBOR_DUPLICATE_KEY,
                format!("`{key}` is given more than once"),
                format!("cbor: found duplicate map key {key} at map element index {index}"),
            ),
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
