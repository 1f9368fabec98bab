//! What was probably meant: fields, values and kinds that are spelled alike.
//!
//! Takes a finding with its object and schema, and gives it the argument `suggestion`; where the change cannot be
//! wrong also `fix`, the text that takes the place of what the finding points at.

use crdkit_issue::{Arg, Code, FieldPath, Issue, Segment, Span, codes};
use crdkit_native::{NativeKind, NativeKinds};
use crdkit_schema::lookup::alike;
use crdkit_value::{Document, Value};

/// The schema of an object, as it was written.
pub(super) enum SchemaText<'a> {
    /// A CRD and the name of a version.
    Crd(&'a Document, &'a str),
    Native(&'static NativeKind),
}

/// An object as it was written.
pub(super) struct WrittenObject<'a> {
    pub(super) document: &'a Document,
    pub(super) source: &'a [u8],
}

/// Gives each of `issues` a suggestion, if there is one.
pub(super) fn improve<'i>(
    issues: impl Iterator<Item = &'i mut Issue>,
    written: &WrittenObject<'_>,
    schema: &SchemaText<'_>,
) {
    for issue in issues {
        let found = if issue.code == codes::crd::UNKNOWN_FIELD {
            field(issue, written, schema)
        } else if [codes::object::NOT_IN_ENUM, codes::native::UNSUPPORTED].contains(&issue.code) {
            choice(issue, written)
        } else if TYPES.contains(&issue.code) {
            retyped(issue, written, schema)
        } else {
            None
        };
        if let Some(suggestion) = found {
            suggestion.add_to(issue);
        }
    }
}

const TYPES: [Code; 2] = [codes::object::TYPE_MISMATCH, codes::crd::WRONG_JSON_TYPE];

/// What was probably meant, if the finding does not say so, and the text to put in its place.
pub(super) struct Suggestion {
    pub(super) shown: String,
    pub(super) fix: Option<String>,
}

impl Suggestion {
    pub(super) fn add_to(self, issue: &mut Issue) {
        if !self.shown.is_empty() {
            issue.args.push(("suggestion", Arg::from(self.shown)));
        }
        issue.args.extend(self.fix.map(|fix| ("fix", Arg::from(fix))));
    }
}

/// A field of the same object that is spelled alike and not there yet.
fn field(
    issue: &Issue,
    written: &WrittenObject<'_>,
    schema: &SchemaText<'_>,
) -> Option<Suggestion> {
    let parent = issue.path.parent()?;
    let name = issue.path.segments().last()?.text();
    let object = written.document.find(&parent)?;
    let known = schema.fields(&parent);
    let absent = known.iter().map(String::as_str).filter(|known| object.get(known).is_none());
    likely(&name, absent, issue, written)
}

/// One of `names` that is spelled like `wanted`.
fn likely<'n>(
    wanted: &str,
    names: impl Iterator<Item = &'n str>,
    issue: &Issue,
    written: &WrittenObject<'_>,
) -> Option<Suggestion> {
    let names: Vec<&str> = names.collect();
    let shown = alike(wanted, names.iter().copied()).into_iter().next()?;
    let is_typo = |name: &&&str| is_typo(wanted, name);
    let is_sure = is_typo(&&shown.as_str()) && names.iter().filter(is_typo).count() == 1;
    let fix = is_sure.then(|| written.quoted_alike(&shown, issue.span)).flatten();
    Some(Suggestion { shown, fix })
}

/// One of the values that the message lists.
fn choice(issue: &Issue, written: &WrittenObject<'_>) -> Option<Suggestion> {
    let value = written.document.find(&issue.path)?.as_str()?;
    let list = ["supported", "detail"].into_iter().find_map(|name| issue.arg(name))?.to_string();
    let list = list.rsplit_once("supported values:").map_or(list.as_str(), |(_, list)| list);
    let choices = list.split('"').skip(1).step_by(2);
    likely(value, choices, issue, written)
}

/// The same value as what the schema asks for: a number or a truth value without quotes, a text with them.
fn retyped(
    issue: &Issue,
    written: &WrittenObject<'_>,
    schema: &SchemaText<'_>,
) -> Option<Suggestion> {
    let value = written.document.find(&issue.path)?;
    let source = written.text(issue.span?)?;
    let kind = schema.kind(&issue.path)?;
    let shown = match (kind.as_str(), value.as_str()) {
        ("integer", Some(text)) => is_integer(text).then(|| text.to_owned())?,
        ("number", Some(text)) => {
            let is_number = is_integer(text) || text.parse::<f64>().is_ok_and(f64::is_finite);
            let is_plain = text.bytes().all(|it| it.is_ascii_digit() || matches!(it, b'.' | b'-'));
            (is_number && is_plain).then(|| text.to_owned())?
        }
        ("boolean", Some(text)) => matches!(text, "true" | "false").then(|| text.to_owned())?,
        ("string", None) if value.as_object().is_none() && value.as_array().is_none() => {
            let is_plain =
                source.bytes().all(|it| it.is_ascii_alphanumeric() || b"+-._".contains(&it));
            (is_plain && !value.is_null()).then(|| format!("\"{source}\""))?
        }
        _ => return None,
    };
    Some(Suggestion { fix: Some(shown.clone()), shown })
}

/// Whether a text is a whole number in the one spelling that JSON has for it.
fn is_integer(text: &str) -> bool {
    text.parse::<i64>().is_ok_and(|number| number.to_string() == text)
}

/// A kind that is spelled alike, or the version that a kind of this name is in.
pub(super) fn kind<'n>(
    group: &str,
    name: &str,
    custom: impl Iterator<Item = (&'n str, &'n str)>,
) -> Option<Suggestion> {
    let native = NativeKinds::latest().all().iter().map(|kind| (kind.group, kind.kind));
    let all: Vec<(&str, &str)> = custom.chain(native).collect();
    let here = all.iter().filter(|(known, _)| *known == group).map(|(_, kind)| *kind);
    if let Some(shown) = alike(name, here).into_iter().next() {
        return Some(Suggestion { shown, fix: None });
    }
    if all.contains(&(group, name)) {
        return None;
    }
    let kinds = NativeKinds::latest().all();
    let is_native_group = kinds.iter().any(|kind| kind.group == group);
    // In a group of Kubernetes itself, a kind of another one may be meant that is spelled alike.
    let meant = alike(name, kinds.iter().map(|kind| kind.kind).filter(|_| is_native_group));
    let meant = meant.first().map_or(name, String::as_str);
    let elsewhere = kinds.iter().filter(|kind| kind.kind == meant);
    let best = elsewhere.max_by_key(|kind| kind.version == kind.preferred_version)?;
    let kind = if meant == name { String::new() } else { format!(", kind: {meant}") };
    Some(Suggestion { shown: format!("apiVersion: {}{kind}", best.api_version()), fix: None })
}

impl WrittenObject<'_> {
    fn text(&self, span: Span) -> Option<&str> {
        std::str::from_utf8(self.source.get(span.start..span.end)?).ok()
    }

    /// `text` with the quotes of what is at `span`.
    pub(super) fn quoted_alike(&self, text: &str, span: Option<Span>) -> Option<String> {
        let source = self.text(span?)?;
        let quote = source.chars().next().filter(|c| matches!(c, '"' | '\''));
        let is_plain = text.bytes().all(|it| it.is_ascii_alphanumeric() || b"-._/".contains(&it));
        match quote {
            _ if !is_plain || source.contains(['\n', ':', '#']) => None,
            Some(quote) => Some(format!("{quote}{text}{quote}")),
            None => Some(text.to_owned()),
        }
    }
}

/// Whether `wrong` is `right` but for the case of letters, or one letter that is missing, added, another one or
/// swapped with its neighbour.
fn is_typo(wrong: &str, right: &str) -> bool {
    let [wrong, right] = [wrong, right].map(|text| text.to_lowercase().chars().collect::<Vec<_>>());
    if wrong == right {
        return true;
    }
    let same = wrong.iter().zip(&right).take_while(|(a, b)| a == b).count();
    let rest = |text: &[char], from: usize| text.get(from..).unwrap_or_default().to_vec();
    let (w, r) = (|n| rest(&wrong, same + n), |n| rest(&right, same + n));
    let is_short = wrong.len().max(right.len()) < 4;
    let swapped = w(2) == r(2)
        && wrong.get(same) == right.get(same + 1)
        && wrong.get(same + 1) == right.get(same);
    !is_short && (w(1) == r(0) || w(0) == r(1) || w(1) == r(1) || swapped)
}

impl SchemaText<'_> {
    /// The fields that an object at `path` may have.
    fn fields(&self, path: &FieldPath) -> Vec<String> {
        let mut names = Vec::new();
        self.at(path, |schema| {
            let properties = schema.get("properties").into_iter().flat_map(Value::members);
            names = properties.map(|(name, _)| name.to_owned()).collect();
        });
        match path.segments() {
            [] => names.extend(["apiVersion", "kind", "metadata"].map(str::to_owned)),
            [Segment::Field(name)] if &**name == "metadata" => {
                names.extend(METADATA.map(str::to_owned));
            }
            _ => {}
        }
        names
    }

    /// The type of a value at `path`.
    fn kind(&self, path: &FieldPath) -> Option<String> {
        let mut kind = None;
        self.at(path, |schema| {
            kind = schema.get("type").and_then(Value::as_str).map(str::to_owned);
        });
        kind
    }

    fn at(&self, path: &FieldPath, see: impl FnOnce(Value<'_>)) {
        match self {
            Self::Crd(crd, version) => {
                let versions = crd.root().pointer("/spec/versions");
                let named =
                    |it: &Value<'_>| it.get("name").and_then(Value::as_str) == Some(version);
                let found = versions.into_iter().flat_map(Value::items).find(named);
                let root = found.and_then(|it| it.pointer("/schema/openAPIV3Schema"));
                let schema = path
                    .segments()
                    .iter()
                    .try_fold(root, |at, step| Some(Some(step_into(at?, step)?)));
                if let Some(Some(schema)) = schema {
                    see(schema);
                }
            }
            Self::Native(kind) => {
                let Some(mut document) = definition(kind.definition()) else { return };
                for step in path.segments() {
                    let Some(next) = step_into(document.root(), step) else { return };
                    document = match reference(next) {
                        Some(name) => match definition(name) {
                            Some(document) => document,
                            None => return,
                        },
                        None => Document::copy_of(next),
                    };
                }
                see(document.root());
            }
        }
    }
}

/// Fields of metadata, which CRDs say nothing about.
const METADATA: [&str; 9] = [
    "annotations",
    "creationTimestamp",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "labels",
    "name",
    "namespace",
    "ownerReferences",
];

/// The schema of a member or an item.
fn step_into<'d>(schema: Value<'d>, step: &Segment) -> Option<Value<'d>> {
    let inside = |key| schema.get(key).filter(|it| it.as_object().is_some());
    if let Segment::Index(_) = step {
        inside("items")
    } else {
        let own = inside("properties").and_then(|it| it.get(&step.text()));
        own.or_else(|| inside("additionalProperties"))
    }
}

/// The definition that a schema refers to.
fn reference(schema: Value<'_>) -> Option<&str> {
    let all_of = schema.get("allOf").and_then(|all| all.items().next());
    let text = schema.get("$ref").or_else(|| all_of?.get("$ref"))?.as_str()?;
    text.rsplit('/').next()
}

fn definition(name: &str) -> Option<Document> {
    let text = NativeKinds::latest().schema(name)?;
    Some(
        crdkit_codec::json::decode(text.as_bytes(), &crdkit_codec::DecodeOptions::default())
            .ok()?
            .document,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_are_one_letter() {
        for (wrong, right) in [
            ("replcias", "replicas"),
            ("replica", "replicas"),
            ("Watts", "watts"),
            ("wattz", "watts"),
            ("colour", "color"),
        ] {
            assert!(is_typo(wrong, right), "{wrong}");
        }
        for (wrong, right) in
            [("temp", "template"), ("min", "max"), ("a", "b"), ("specs", "status")]
        {
            assert!(!is_typo(wrong, right), "{wrong}");
        }
    }
}
