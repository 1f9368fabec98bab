//! Walks a document beside a Go type and reports what the decoder would.

use super::types::{GoStruct, GoType};
use crdkit_issue::{Code, FieldPath, Issue, Segment, codes};
use crdkit_text::base64::Base64;
use crdkit_value::{Kind, NodeId, Value};
use std::fmt::Write as _;

/// The decoder stops collecting strict findings here.
const STRICT_LIMIT: usize = 100;

/// What decoding `root` as `of` finds: the value of a wrong type that the decoder names, which is a
/// failure in every mode, then unknown and duplicate fields in document order, which only strict mode
/// refuses. `duplicates` are the repeated keys that the codec saw.
pub fn check(root: Value<'_>, of: &'static GoStruct, duplicates: &[Issue]) -> Vec<Issue> {
    let mut walk =
        DecodeWalk { root, of, wrong: Vec::new(), zones: Vec::new(), strict: Vec::new() };
    walk.run();
    for issue in duplicates.iter().filter(|issue| issue.code == codes::decode::DUPLICATE_KEY) {
        if let Some(at) = walk.typed_key(&issue.path) {
            walk.strict.push((at.id(), issue.clone()));
        }
    }
    walk.strict.sort_by_key(|(id, _)| *id);
    let wrong = walk.first_wrong().map(|wrong| walk.describe(wrong));
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

struct DecodeWalk<'d> {
    root: Value<'d>,
    of: &'static GoStruct,
    wrong: Vec<Wrong>,
    /// Values that custom unmarshallers read, with the zone each is in.
    zones: Vec<(NodeId, Option<usize>)>,
    strict: Vec<(NodeId, Issue)>,
}

/// A value that does not fit its field.
#[derive(Clone, Copy)]
struct Wrong {
    value: NodeId,
    of: &'static GoType,
    zone: Option<usize>,
}

/// A value that waits to be looked at.
#[derive(Clone, Copy)]
struct Pending<'d> {
    value: Value<'d>,
    of: &'static GoType,
    /// The innermost zone it is in; what is in one is not read strictly.
    zone: Option<usize>,
}

static STRING: GoType = GoType::String("string");

impl<'d> DecodeWalk<'d> {
    fn run(&mut self) {
        let mut pending = Vec::new();
        match self.root.kind() {
            Kind::Object(_) | Kind::Null => self.fields(self.root, self.of, None, &mut pending),
            _ => self.wrong.push(Wrong { value: self.root.id(), of: &GoType::Raw, zone: None }),
        }
        while let Some(next) = pending.pop() {
            self.visit(next, &mut pending);
        }
    }

    fn visit(&mut self, next: Pending<'d>, pending: &mut Vec<Pending<'d>>) {
        let Pending { value, of, zone } = next;
        let scalar = matches!(
            value.kind(),
            Kind::Bool(_) | Kind::Int(_) | Kind::Float(_) | Kind::Number(_) | Kind::String(_)
        );
        match (of, value.kind()) {
            (GoType::Struct(fields), Kind::Object(_)) => self.fields(value, fields, zone, pending),
            (GoType::Map(_, of), Kind::Object(members)) => {
                pending.extend(members.map(|(_, value)| Pending { value, of, zone }));
            }
            (GoType::List(_, of), Kind::Array(items)) => {
                pending.extend(items.map(|value| Pending { value, of, zone }));
            }
            (GoType::OrBool(of) | GoType::OrList(of) | GoType::OrNames(of), Kind::Object(_)) => {
                let zone = Some(self.zone(value, zone));
                pending.push(Pending { value, of, zone });
            }
            (GoType::OrList(of), Kind::Array(items)) => {
                let zone = Some(self.zone(value, zone));
                pending.extend(items.map(|value| Pending { value, of, zone }));
            }
            (GoType::Bytes, Kind::Array(items)) => {
                pending.extend(items.map(|value| Pending { value, of: &GoType::Uint8, zone }));
            }
            (GoType::OrNames(_), Kind::Array(items)) => {
                let zone = Some(self.zone(value, zone));
                pending.extend(items.map(|value| Pending { value, of: &STRING, zone }));
            }
            (GoType::OrList(_) | GoType::OrNames(_), _) if scalar => {}
            _ if fits(value, of) => {}
            (GoType::Time | GoType::OrBool(_), _) => {
                let zone = Some(self.zone(value, zone));
                self.wrong.push(Wrong { value: value.id(), of, zone });
            }
            _ => self.wrong.push(Wrong { value: value.id(), of, zone }),
        }
    }

    fn zone(&mut self, value: Value<'d>, within: Option<usize>) -> usize {
        self.zones.push((value.id(), within));
        self.zones.len() - 1
    }

    fn fields(
        &mut self,
        value: Value<'d>,
        of: &'static GoStruct,
        zone: Option<usize>,
        pending: &mut Vec<Pending<'d>>,
    ) {
        for (key, member) in value.members() {
            if let Some(of) = of.field(key) {
                pending.push(Pending { value: member, of, zone });
            } else if zone.is_none() && self.strict.len() < 4 * STRICT_LIMIT {
                let path = member.path();
                let issue = issue(codes::crd::UNKNOWN_FIELD, member, true);
                let issue = issue.with("field", strict_path(&path)).at(path);
                self.strict.push((member.id(), issue));
            }
        }
    }

    /// The one that the decoder names. It keeps the first and goes on, but what fails inside a custom
    /// unmarshaller ends it at once, and so on within.
    fn first_wrong(&self) -> Option<Wrong> {
        let mut zone = None;
        loop {
            let inner = self.wrong.iter().filter_map(|wrong| self.step(wrong.zone, zone));
            match inner.min_by_key(|inner| self.zones.get(*inner).map(|(id, _)| *id)) {
                Some(inner) => zone = Some(inner),
                None => break,
            }
        }
        let here = self.wrong.iter().filter(|wrong| wrong.zone == zone);
        here.min_by_key(|wrong| wrong.value).copied()
    }

    /// The zone directly inside `outer` that `inner` is or is in.
    fn step(&self, inner: Option<usize>, outer: Option<usize>) -> Option<usize> {
        let mut at = inner?;
        loop {
            let (_, within) = self.zones.get(at)?;
            if *within == outer {
                return (Some(at) != outer).then_some(at);
            }
            at = (*within)?;
        }
    }

    fn describe(&self, wrong: Wrong) -> Issue {
        let value = self.root.document().value(wrong.value);
        let problem = match (wrong.of, value.as_str()) {
            (GoType::Bytes, Some(text)) => Base64::Standard
                .decode(text)
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default(),
            (GoType::Time, Some(text)) => crate::time::problem(text).unwrap_or_default(),
            (GoType::OrBool(_), _) => "boolean or JSON schema expected".into(),
            _ => self.mismatch(value, wrong.of),
        };
        let issue = issue(codes::crd::WRONG_JSON_TYPE, value, false);
        issue.with("problem", problem).at(value.path())
    }

    /// The text of Go's error for a value that does not fit its field.
    fn mismatch(&self, value: Value<'d>, of: &GoType) -> String {
        let found = match value.kind() {
            Kind::Int(int) if matches!(of, GoType::Int32 | GoType::Uint8) => {
                format!("number {int}")
            }
            Kind::Float(float) if matches!(of, GoType::Int32 | GoType::Int64 | GoType::Uint8) => {
                format!("number {float:?}")
            }
            kind => found(&kind).to_owned(),
        };
        let wanted = match of {
            GoType::String(name) | GoType::Map(name, _) | GoType::List(name, _) => name,
            GoType::Struct(of) => of.name,
            GoType::Raw => self.of.name,
            GoType::Bool => "bool",
            GoType::Int32 => "int32",
            GoType::Int64 => "int64",
            GoType::Float64 => "float64",
            GoType::Bytes => "[]uint8",
            GoType::Uint8 => "uint8",
            _ => "string",
        };
        let (holder, field) = self.go_field(value);
        let target = if field.is_empty() {
            "Go value".to_owned()
        } else {
            format!("Go struct field {holder}.{field}")
        };
        format!("json: cannot unmarshal {found} into {target} of type {wanted}")
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
            value = value.child(segment)?;
        }
        Some(value)
    }
}

/// Whether a value that contains no others fits a field.
fn fits(value: Value<'_>, of: &GoType) -> bool {
    match (of, value.kind()) {
        (GoType::Raw, _)
        | (_, Kind::Null)
        | (GoType::String(_), Kind::String(_))
        | (GoType::Bool | GoType::OrBool(_), Kind::Bool(_))
        | (GoType::Int64, Kind::Int(_))
        | (GoType::Float64, Kind::Int(_) | Kind::Float(_) | Kind::Number(_)) => true,
        (GoType::Int32, Kind::Int(int)) => i32::try_from(int).is_ok(),
        (GoType::Uint8, Kind::Int(int)) => u8::try_from(int).is_ok(),
        (GoType::Bytes, Kind::String(text)) => Base64::Standard.decode(text).is_ok(),
        (GoType::Time, Kind::String(text)) => crate::time::problem(text).is_none(),
        _ => false,
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
pub(super) fn found(kind: &Kind<'_>) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool(_) => "bool",
        Kind::String(_) => "string",
        Kind::Array(_) => "array",
        Kind::Object(_) => "object",
        Kind::Int(_) | Kind::Float(_) | Kind::Number(_) => "number",
    }
}
