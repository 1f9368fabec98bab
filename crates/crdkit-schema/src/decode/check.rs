//! Walks a document beside a Go type and reports what the decoder would.

use super::types::{GoStruct, GoType};
use crdkit_issue::{Code, FieldPath, Issue, Segment, codes};
use crdkit_value::{Kind, Value};
use std::fmt::Write as _;

/// The decoder stops collecting strict findings here.
const STRICT_LIMIT: usize = 100;

/// What decoding `root` as `of` finds: the first value of a wrong type, which is a failure in every
/// mode, then unknown and duplicate fields in document order, which only strict mode refuses.
/// `duplicates` are the repeated keys that the codec saw.
pub fn check(root: Value<'_>, of: &'static GoStruct, duplicates: &[Issue]) -> Vec<Issue> {
    let mut walk = Walk { root, of, wrong: None, strict: Vec::new() };
    walk.run();
    for issue in duplicates.iter().filter(|issue| issue.code == codes::decode::DUPLICATE_KEY) {
        if let Some(at) = walk.typed_key(&issue.path) {
            let field = strict_path(&issue.path);
            walk.strict.push((at.id(), issue.clone().with("field", field)));
        }
    }
    walk.strict.sort_by_key(|(id, _)| *id);
    let wrong = walk.wrong.map(|(_, issue)| issue);
    let strict = walk.strict.into_iter().map(|(_, issue)| issue).take(STRICT_LIMIT);
    wrong.into_iter().chain(strict).collect()
}

/// A path as strict findings write it: every key after a dot, whatever it looks like.
pub fn strict_path(path: &FieldPath) -> String {
    let mut out = String::new();
    for segment in path.segments() {
        match segment {
            Segment::Field(name) | Segment::Key(name) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(name);
            }
            Segment::Index(index) => {
                let _ = write!(out, "[{index}]");
            }
        }
    }
    out
}

struct Walk<'d> {
    root: Value<'d>,
    of: &'static GoStruct,
    /// The first value of a wrong type.
    wrong: Option<(crdkit_value::NodeId, Issue)>,
    strict: Vec<(crdkit_value::NodeId, Issue)>,
}

/// A value that waits to be looked at.
struct Pending<'d> {
    value: Value<'d>,
    of: &'static GoType,
    strict: bool,
}

impl<'d> Walk<'d> {
    fn run(&mut self) {
        let mut pending = Vec::new();
        match self.root.kind() {
            Kind::Object(_) => self.fields(self.root, self.of, true, &mut pending),
            Kind::Null => {}
            kind => {
                let (found, wanted) = (found(&kind), self.of.name);
                let problem =
                    format!("json: cannot unmarshal {found} into Go value of type {wanted}");
                self.wrong(self.root, problem);
            }
        }
        while let Some(next) = pending.pop() {
            self.visit(&next, &mut pending);
        }
    }

    fn visit(&mut self, next: &Pending<'d>, pending: &mut Vec<Pending<'d>>) {
        let Pending { value, of, strict } = *next;
        match (of, value.kind()) {
            (GoType::Raw, _)
            | (_, Kind::Null)
            | (GoType::String(_), Kind::String(_))
            | (GoType::Bool | GoType::OrBool(_), Kind::Bool(_))
            | (GoType::Int64, Kind::Int(_))
            | (GoType::Float64, Kind::Int(_) | Kind::Float(_) | Kind::Number(_)) => {}
            (GoType::Int32, Kind::Int(int)) if i32::try_from(int).is_ok() => {}
            (
                GoType::OrList(_) | GoType::OrNames(_),
                Kind::Bool(_) | Kind::Int(_) | Kind::Float(_) | Kind::Number(_) | Kind::String(_),
            ) => {}
            (GoType::Bytes, Kind::String(text)) => {
                if let Err(at) = crate::base64::decode(text) {
                    self.wrong(value, format!("illegal base64 data at input byte {at}"));
                }
            }
            (GoType::Time, Kind::String(text)) => {
                if let Some(problem) = crate::time::problem(text) {
                    self.wrong(value, problem);
                }
            }
            (GoType::Struct(fields), Kind::Object(_)) => {
                self.fields(value, fields, strict, pending);
            }
            (GoType::Map(_, of), Kind::Object(members)) => {
                pending.extend(members.map(|(_, value)| Pending { value, of, strict }));
            }
            (GoType::List(_, of), Kind::Array(items)) => {
                pending.extend(items.map(|value| Pending { value, of, strict }));
            }
            (GoType::OrBool(of) | GoType::OrList(of) | GoType::OrNames(of), Kind::Object(_)) => {
                pending.push(Pending { value, of, strict: false });
            }
            (GoType::OrList(of), Kind::Array(items)) => {
                pending.extend(items.map(|value| Pending { value, of, strict: false }));
            }
            (GoType::OrNames(_), Kind::Array(items)) => {
                let of = &GoType::String("string");
                pending.extend(items.map(|value| Pending { value, of, strict: false }));
            }
            (GoType::OrBool(_), _) => {
                self.wrong(value, "boolean or JSON schema expected".into());
            }
            (_, kind) => {
                let problem = self.mismatch(value, &kind, of);
                self.wrong(value, problem);
            }
        }
    }

    fn fields(
        &mut self,
        value: Value<'d>,
        of: &'static GoStruct,
        strict: bool,
        pending: &mut Vec<Pending<'d>>,
    ) {
        for (key, member) in value.members() {
            if let Some(of) = of.field(key) {
                pending.push(Pending { value: member, of, strict });
            } else if strict && self.strict.len() < 4 * STRICT_LIMIT {
                let path = member.path();
                let issue = issue(codes::crd::UNKNOWN_FIELD, member, true);
                let issue = issue.with("field", strict_path(&path)).at(path);
                self.strict.push((member.id(), issue));
            }
        }
    }

    fn wrong(&mut self, value: Value<'d>, problem: String) {
        let first = self.wrong.as_ref().is_none_or(|(id, _)| value.id() < *id);
        if first {
            let issue = issue(codes::crd::WRONG_JSON_TYPE, value, false);
            let issue = issue.with("problem", problem).at(value.path());
            self.wrong = Some((value.id(), issue));
        }
    }

    /// The text of Go's error for a value that does not fit its field.
    fn mismatch(&self, value: Value<'d>, kind: &Kind<'_>, of: &GoType) -> String {
        let found = match kind {
            Kind::Int(int) if matches!(of, GoType::Int32) => format!("number {int}"),
            Kind::Float(float) if matches!(of, GoType::Int32 | GoType::Int64) => {
                format!("number {float:?}")
            }
            kind => found(kind).to_owned(),
        };
        let wanted = match of {
            GoType::String(name) | GoType::Map(name, _) | GoType::List(name, _) => name,
            GoType::Struct(of) => of.name,
            GoType::Bool => "bool",
            GoType::Int32 => "int32",
            GoType::Int64 => "int64",
            GoType::Float64 => "float64",
            GoType::Bytes => "[]uint8",
            _ => "string",
        };
        let (holder, field) = self.go_field(value);
        format!(
            "json: cannot unmarshal {found} into Go struct field {holder}.{field} of type {wanted}"
        )
    }

    /// The struct a value is a field of, and the names of the fields that lead there. Lists and maps
    /// add no name, and behind a custom unmarshaller the struct is the one that holds it.
    fn go_field(&self, value: Value<'d>) -> (&'static str, String) {
        let mut steps = Vec::new();
        let mut at = value;
        while at.id() != self.root.id()
            && let Some(parent) = at.parent()
        {
            steps.push(at);
            at = parent;
        }
        let mut names: Vec<&str> = Vec::new();
        let mut holder = "";
        let mut sealed = false;
        let mut of: Option<&GoType> = None;
        for step in steps.into_iter().rev() {
            if let Some(GoType::OrBool(inner) | GoType::OrList(inner) | GoType::OrNames(inner)) = of
            {
                sealed = true;
                of = Some(inner);
                if step.key().is_none() {
                    continue;
                }
            }
            let fields = match of {
                None => self.of,
                Some(GoType::Struct(fields)) => fields,
                Some(GoType::Map(_, inner) | GoType::List(_, inner)) => {
                    of = Some(inner);
                    continue;
                }
                Some(_) => break,
            };
            if !sealed {
                holder = fields.short_name();
            }
            let key = step.key().unwrap_or_default();
            names.push(key);
            of = fields.field(key);
            if of.is_none() {
                break;
            }
        }
        (holder, names.join("."))
    }

    /// The value at `path`, if its key is one that the decoder reads strictly.
    fn typed_key(&self, path: &FieldPath) -> Option<Value<'d>> {
        let mut value = self.root;
        let mut of: Option<&GoType> = None;
        for segment in path.segments() {
            let fields = match of {
                None => Some(self.of),
                Some(GoType::Struct(fields)) => Some(*fields),
                _ => None,
            };
            of = Some(match (fields, of) {
                (Some(fields), _) => match segment {
                    Segment::Field(name) | Segment::Key(name) => fields.field(name)?,
                    Segment::Index(_) => return None,
                },
                (None, Some(GoType::Map(_, inner) | GoType::List(_, inner))) => inner,
                _ => return None,
            });
            value = match segment {
                Segment::Field(name) | Segment::Key(name) => value.get(name)?,
                Segment::Index(index) => value.at(*index)?,
            };
        }
        Some(value)
    }
}

/// A finding about `value` or, where that says more, about its key.
fn issue(code: Code, value: Value<'_>, key: bool) -> Issue {
    let mut issue = Issue::error(code);
    let place = value.document().place(value.id());
    issue.span = place.map(|place| place.key.filter(|_| key).unwrap_or(place.value));
    issue
}

/// What Go's decoder calls a JSON value.
fn found(kind: &Kind<'_>) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool(_) => "bool",
        Kind::String(_) => "string",
        Kind::Array(_) => "array",
        Kind::Object(_) => "object",
        Kind::Int(_) | Kind::Float(_) | Kind::Number(_) => "number",
    }
}
