//! Values as messages show them: in the JSON of the server's own types.
//!
//! The server decodes an object into types of its own and checks those. Their fields have Go's names, come in the order
//! of their declaration and are all there, empty or not; metadata is part of the object around it. Types that are
//! shared by all of Kubernetes, such as selectors, look as published: their names, and nothing that is empty.

use crate::data::{Body, Field, GoType, Omit, Special, Type, objects};
use crate::fill::{self, Zero};
use crate::given::GivenEmpty;
use crdkit_codec::go_json;
use crdkit_codec::json::{self, Layout};
use crdkit_issue::Arg;
use crdkit_schema::validate::shown;
use crdkit_value::{Kind, Value};

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As the server's own types have it.
    Own,
    /// As the published types have it.
    Published,
}

/// What a value is an instance of.
#[derive(Clone, Copy)]
pub(crate) enum ValueType {
    Named(&'static Type),
    Plain(&'static GoType),
}

impl ValueType {
    /// What the field `name` of it is.
    pub(crate) fn field(self, name: &str) -> Option<Self> {
        match self {
            Self::Named(of) => match &of.body {
                Body::Alias(of) => Self::Plain(of).field(name),
                _ => of.field(name).map(|field| Self::Plain(&field.of)),
            },
            Self::Plain(GoType::Pointer(of)) => Self::Plain(of).field(name),
            Self::Plain(GoType::Named(id)) => Self::Named(objects().types.get(*id)?).field(name),
            Self::Plain(GoType::Map(of)) => Some(Self::Plain(of)),
            Self::Plain(_) => None,
        }
    }

    /// The structure it is.
    pub(crate) fn structure(self) -> Option<&'static Type> {
        match self {
            Self::Named(of) => matches!(of.body, Body::Struct(_)).then_some(of),
            Self::Plain(GoType::Pointer(of)) => Self::Plain(of).structure(),
            Self::Plain(GoType::Named(id)) => Self::Named(objects().types.get(*id)?).structure(),
            Self::Plain(_) => None,
        }
    }

    /// What its items are.
    pub(crate) fn item(self) -> Option<Self> {
        match self {
            Self::Plain(GoType::List(of) | GoType::Map(of)) => Some(Self::Plain(of)),
            Self::Plain(GoType::Pointer(of)) => Self::Plain(of).item(),
            Self::Plain(GoType::Named(id)) => Self::Named(objects().types.get(*id)?).item(),
            Self::Named(Type { body: Body::Alias(of), .. }) => Self::Plain(of).item(),
            _ => None,
        }
    }
}

/// The value of a field as a message shows it; that of an absent one is the empty value of its type.
pub(crate) fn arg(
    value: Option<Value<'_>>,
    of: Option<ValueType>,
    form: Form,
    given: &GivenEmpty,
) -> Arg {
    let (Some(of), true) = (of, value.is_none_or(is_composed)) else {
        return value.map_or_else(|| Arg::Literal("null".into()), shown);
    };
    if let (None, ValueType::Plain(of)) = (value, of) {
        match Zero::of(of).0 {
            Zero::Text => return Arg::Text("".into()),
            Zero::Quantity => return Arg::Text("0".into()),
            _ => {}
        }
    }
    let mut writer = Writer { out: String::new(), form, indent: None, part: "", given };
    match of {
        ValueType::Named(of) => writer.named(value, of),
        ValueType::Plain(of) => writer.value(value, of),
    }
    Arg::Literal(writer.out.into())
}

fn is_composed(value: Value<'_>) -> bool {
    matches!(value.kind(), Kind::Array(_) | Kind::Object(_))
}

/// The fields of a structure that come from the embedded structure `part`, all if that is empty, in lines.
pub(crate) fn lines(
    value: Option<Value<'_>>,
    of: &'static Type,
    part: &'static str,
    given: &GivenEmpty,
) -> String {
    let mut writer = Writer { out: String::new(), form: Form::Own, indent: Some(0), part, given };
    writer.structure(value, of);
    writer.out
}

/// The type of what is not there.
static NOTHING: GoType = GoType::Bytes;

struct Writer<'g> {
    out: String,
    form: Form,
    /// How deep lines are indented, if there are lines.
    indent: Option<usize>,
    /// The embedded structure that alone is written of the next one.
    part: &'static str,
    /// Members that are not there because they were given empty.
    given: &'g GivenEmpty,
}

/// A member of a structure.
enum Member<'v> {
    Value(Option<Value<'v>>),
    Empty,
}

impl Writer<'_> {
    fn value(&mut self, value: Option<Value<'_>>, of: &'static GoType) {
        let value = value.filter(|value| !value.is_null());
        match (of, value) {
            (GoType::Named(id), _) => {
                if let Some(of) = objects().types.get(*id) {
                    self.named(value, of);
                }
            }
            (GoType::String, None) => self.out.push_str("\"\""),
            (GoType::Bool, None) => self.out.push_str("false"),
            (GoType::Int32 | GoType::Int64 | GoType::Float64, None) => self.out.push('0'),
            (_, None) => self.out.push_str("null"),
            (GoType::Pointer(of), _) => self.value(value, of),
            (GoType::List(of), Some(list)) => {
                self.all('[', ']', list.items(), |writer, item| writer.value(Some(item), of));
            }
            (GoType::Map(of), Some(map)) => {
                let mut members: Vec<_> = map.members().collect();
                members.sort_by_key(|(key, _)| *key);
                self.all('{', '}', members.into_iter(), |writer, (key, member)| {
                    writer.key(key);
                    writer.value(Some(member), of);
                });
            }
            (_, Some(value)) => self.out.push_str(&go_json::value(value)),
        }
    }

    fn named(&mut self, value: Option<Value<'_>>, of: &'static Type) {
        match (&of.body, value) {
            (Body::Struct(_), _) => self.structure(value, of),
            (Body::Alias(of), _) => self.value(value, of),
            (Body::Special(Special::Raw), Some(value)) => self.raw(value),
            (Body::Special(_), Some(value)) => self.out.push_str(&go_json::value(value)),
            (Body::Special(special), None) => self.out.push_str(match special {
                Special::Quantity => "\"0\"",
                Special::IntOrString => "0",
                Special::Duration => "\"0s\"",
                _ => "null",
            }),
        }
    }

    /// JSON that the server keeps as it came.
    fn raw(&mut self, value: Value<'_>) {
        let mut text = Vec::new();
        json::write(value, Layout::Compact, &mut text);
        self.out.push_str(&String::from_utf8_lossy(&text));
    }

    fn structure(&mut self, value: Option<Value<'_>>, of: &'static Type) {
        let part = std::mem::take(&mut self.part);
        let mut members = Vec::new();
        self.members(value, of, part, &mut members);
        self.all('{', '}', members.into_iter(), |writer, (name, member, of)| {
            writer.key(&name);
            match member {
                Member::Value(value) => writer.value(value, of),
                Member::Empty => writer.out.push_str(empty(of)),
            }
        });
    }

    /// The members that are written of a structure.
    fn members<'v>(
        &self,
        value: Option<Value<'v>>,
        of: &'static Type,
        part: &str,
        out: &mut Vec<(String, Member<'v>, &'static GoType)>,
    ) {
        let is_own = self.form == Form::Own && !of.is_shared();
        for field in of.fields().iter().filter(|field| field.via.starts_with(part)) {
            let found = value.and_then(|value| value.get(field.name));
            let is_given = || value.is_some_and(|value| self.given.has(value.id(), field.name));
            let member = || match found {
                None if is_given() => Member::Empty,
                found => Member::Value(found),
            };
            if !is_own {
                if is_shown(found, field) {
                    out.push((field.name.to_owned(), member(), &field.of));
                }
            } else if let Some(of) = field.metadata() {
                self.members(found, of, "", out);
            } else {
                // Fields that the published type does not have are empty.
                let (empty, name) = field.own_names();
                let nothing = |name: &str| (name.to_owned(), Member::Value(None), &NOTHING);
                out.extend(empty.map(nothing));
                out.extend(name.map(|name| (name, member(), &field.of)));
            }
        }
    }

    fn key(&mut self, key: &str) {
        go_json::write_string(key, &mut self.out);
        self.out.push_str(if self.indent.is_some() { ": " } else { ":" });
    }

    fn all<T>(
        &mut self,
        open: char,
        close: char,
        items: impl ExactSizeIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.out.push(open);
        let is_empty = items.len() == 0;
        self.indent = self.indent.map(|depth| depth + 1);
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.line();
            write(self, item);
        }
        self.indent = self.indent.map(|depth| depth.saturating_sub(1));
        if !is_empty {
            self.line();
        }
        self.out.push(close);
    }

    fn line(&mut self) {
        if let Some(depth) = self.indent {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n(' ', depth));
        }
    }
}

/// An empty collection of a type.
pub(crate) fn empty(of: &'static GoType) -> &'static str {
    match fill::shape(of) {
        fill::CollectionKind::List => "[]",
        fill::CollectionKind::Map => "{}",
    }
}

/// Whether a field of a published type is written.
fn is_shown(value: Option<Value<'_>>, field: &'static Field) -> bool {
    let is_empty = value.is_none_or(|value| match value.kind() {
        Kind::Null => true,
        Kind::Bool(bool) => !bool,
        Kind::Int(int) => int == 0,
        Kind::String(text) => text.is_empty(),
        Kind::Array(items) => items.len() == 0,
        Kind::Object(members) => members.len() == 0,
        _ => false,
    });
    match (&field.of, field.omit) {
        (_, Omit::Never) => true,
        (GoType::Pointer(_), _) => value.is_some_and(|value| !value.is_null()),
        (of, Omit::Empty) if matches!(Zero::of(of).0, Zero::Object | Zero::Quantity) => true,
        _ => !is_empty,
    }
}
