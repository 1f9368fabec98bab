//! Typed decoding: a document becomes what it is after a round through Go's structures.
//!
//! In goes a document and a type. A value that does not fit its field refuses the whole, in Go's words. Otherwise the
//! unknown fields are given back, removed; so are nulls and whatever the encoder leaves out; quantities, times and
//! bytes are in their canonical text; and what is always written is there (`fill`). Lists and times that are written
//! as `null` are absent until `finish` puts them in, because checks and defaults see them so.
//!
//! Upstream: `sigs.k8s.io/json`, and the `UnmarshalJSON` methods of apimachinery's types.

use crate::data::{Body, Field, GoType, Special, Type, objects};
use crate::fill::{self, Zero};
use crate::given::GivenEmpty;
use crate::scalar;
use crdkit_text::base64::Base64;
use crdkit_value::{Document, Kind, NodeId, Value};

/// A value that does not fit.
pub(crate) struct Misfit {
    pub(crate) id: NodeId,
    pub(crate) problem: String,
}

/// What was not taken over into the structures.
pub(crate) struct Decoded {
    /// Fields that the type does not have, in the order of the document; they are removed.
    pub(crate) unknown: Vec<NodeId>,
    /// Whether a list or a map outside of the metadata was there and empty, which Go tells from one that was not there.
    pub(crate) had_empty: bool,
    /// All of them.
    pub(crate) empty: GivenEmpty,
}

/// Decodes `document` as `of`.
///
/// # Errors
/// The value that the decoder names.
pub(crate) fn decode(document: &mut Document, of: &'static Type) -> Result<Decoded, Misfit> {
    let mut walk = DecodeWalk::default();
    walk.fields(document.root(), of);
    if let Some(misfit) = walk.fatal.or(walk.misfit) {
        return Err(misfit);
    }
    let DecodeWalk { unknown, removed, texts, zeros, missing, had_empty, empty, .. } = walk;
    for id in unknown.iter().chain(&removed) {
        document.remove(*id);
    }
    for (id, text) in texts {
        document.set(id, &text);
    }
    for (id, zero, of) in zeros {
        document.set(id, zero.value());
        if let Some(of) = of {
            fill::fill(document, id, of);
        }
    }
    for (id, field) in missing {
        fill::field(document, id, field);
    }
    Ok(Decoded { unknown, had_empty, empty })
}

/// What was seen so far; the document is changed afterwards.
#[derive(Default)]
struct DecodeWalk {
    /// The first value of a wrong type.
    misfit: Option<Misfit>,
    /// A value that its own type could not read, which ends decoding.
    fatal: Option<Misfit>,
    unknown: Vec<NodeId>,
    removed: Vec<NodeId>,
    texts: Vec<(NodeId, String)>,
    /// Nulls that stand for an empty value.
    zeros: Vec<(NodeId, Zero, Option<&'static Type>)>,
    missing: Vec<(NodeId, &'static Field)>,
    /// The names of the fields on the way, and the structure that holds the last of them.
    names: Vec<&'static str>,
    holder: &'static str,
    had_empty: bool,
    empty: GivenEmpty,
    /// Inside of values that types read by themselves nothing is unknown.
    lenient: bool,
    /// How many structures are around.
    depth: usize,
}

/// Structures deeper inside of one another are refused; only schemas get anywhere near.
const MAX_DEPTH: usize = 256;

impl DecodeWalk {
    fn fields(&mut self, object: Value<'_>, of: &'static Type) {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let problem = "exceeded max depth".to_owned();
            self.fatal = Some(Misfit { id: object.id(), problem });
            return;
        }
        let fields = of.fields();
        let mut seen: u128 = 0;
        let outer = self.holder;
        for (key, member) in object.members() {
            let Some(at) = fields.iter().position(|field| field.name == key) else {
                if self.lenient {
                    self.removed.push(member.id());
                } else {
                    self.unknown.push(member.id());
                }
                continue;
            };
            let Some(field) = fields.get(at) else { continue };
            if member.is_null() {
                self.removed.push(member.id());
                continue;
            }
            let depth = self.names.len();
            if !field.via.is_empty() {
                self.names.push(field.via);
            }
            self.names.push(field.name);
            self.holder = of.short();
            self.value(member, &field.of, field.go);
            self.names.truncate(depth);
            self.holder = outer;
            if self.fatal.is_some() {
                return;
            }
            if fill::is_left_out(member, field) {
                let is_collection = matches!(member.kind(), Kind::Array(_) | Kind::Object(_));
                self.had_empty |= is_collection && self.names.first() != Some(&"metadata");
                if is_collection {
                    self.empty.add(object.id(), field);
                }
                self.removed.push(member.id());
            } else {
                seen |= 1 << at;
            }
        }
        for (at, field) in fields.iter().enumerate() {
            if seen & (1 << at) == 0 && fill::is_written(field) {
                self.missing.push((object.id(), field));
            }
        }
        self.depth -= 1;
    }

    fn value(&mut self, value: Value<'_>, of: &'static GoType, go: &'static str) {
        match (of, value.kind()) {
            (GoType::Pointer(of), _) => self.value(value, of, go),
            (GoType::Named(id), _) => {
                if let Some(of) = objects().types.get(*id) {
                    self.named(value, of);
                }
            }
            (GoType::List(of), Kind::Array(items)) => {
                self.elements(items, of, go.strip_prefix("[]").unwrap_or(go));
            }
            (GoType::Map(of), Kind::Object(members)) => {
                let go_name = go;
                let go = go.strip_prefix("map[").and_then(|go| go.split_once(']'));
                let go = go.map_or(go_name, |(_, go)| go);
                self.elements(members.map(|(_, member)| member), of, go);
            }
            (GoType::Bytes, Kind::String(text)) => match Base64::Standard.decode(text) {
                Ok(bytes) => {
                    let canonical = Base64::Standard.encode(&bytes);
                    if canonical != text {
                        self.texts.push((value.id(), canonical));
                    }
                }
                Err(error) => self.problem(value, error.to_string()),
            },
            (GoType::Bytes, Kind::Array(items)) => self.bytes(value, items),
            (GoType::String, Kind::String(_))
            | (GoType::Bool, Kind::Bool(_))
            | (GoType::Int64, Kind::Int(_))
            | (GoType::Float64, Kind::Int(_) | Kind::Float(_) | Kind::Number(_)) => {}
            (GoType::Int32, Kind::Int(int)) if i32::try_from(int).is_ok() => {}
            (GoType::Int32 | GoType::Int64, _) => {
                self.misfit(value, &scalar::found_for_integer(value), go);
            }
            _ => self.misfit(value, scalar::found(value), go),
        }
    }

    fn elements<'v>(
        &mut self,
        values: impl Iterator<Item = Value<'v>>,
        of: &'static GoType,
        go: &'static str,
    ) {
        let go = go.trim_start_matches('*');
        for value in values {
            if value.is_null() {
                let (zero, of) = match of {
                    GoType::Bytes => (Zero::Text, None),
                    of => Zero::of(of),
                };
                self.zeros.push((value.id(), zero, of));
            } else {
                self.value(value, of, go);
            }
            if self.fatal.is_some() {
                return;
            }
        }
    }

    /// An array where bytes are expected: its items are the bytes.
    fn bytes<'v>(&mut self, value: Value<'v>, items: impl Iterator<Item = Value<'v>>) {
        let mut bytes = Vec::new();
        for item in items {
            match item.as_i64().map(u8::try_from) {
                Some(Ok(byte)) => bytes.push(byte),
                _ if item.is_null() => bytes.push(0),
                _ => self.misfit(item, &scalar::found_for_integer(item), "uint8"),
            }
        }
        self.texts.push((value.id(), Base64::Standard.encode(&bytes)));
    }

    fn named(&mut self, value: Value<'_>, of: &'static Type) {
        match (&of.body, value.kind()) {
            (Body::Struct(_), Kind::Object(_)) => self.fields(value, of),
            (Body::Struct(_), _) => self.misfit(value, scalar::found(value), of.go),
            (Body::Alias(alias @ GoType::List(element)), Kind::Array(_))
            | (Body::Alias(alias @ GoType::Map(element)), Kind::Object(_)) => {
                self.value(value, alias, go_name(element));
            }
            (Body::Alias(alias), _) => self.value(value, alias, of.go),
            (Body::Special(special), _) => self.special(value, *special, of),
        }
    }

    fn special(&mut self, value: Value<'_>, special: Special, of: &'static Type) {
        let canonical = match (special, value.kind()) {
            (Special::Quantity, _) => scalar::quantity(value),
            (Special::Time, Kind::String(text)) => scalar::time(text),
            (Special::MicroTime, Kind::String(text)) => scalar::micro_time(text),
            (Special::Duration, Kind::String(text)) => scalar::duration(text),
            (Special::Time | Special::MicroTime | Special::Duration, _) => {
                self.misfit(value, scalar::found(value), "string");
                return;
            }
            (Special::IntOrString, Kind::String(_)) | (Special::Raw, _) => return,
            (Special::IntOrString, Kind::Int(int)) if i32::try_from(int).is_ok() => return,
            (Special::IntOrString, _) => {
                self.misfit(value, &scalar::found_for_integer(value), "int32");
                return;
            }
            (Special::SchemaOrBool, Kind::Bool(_) | Kind::Object(_))
            | (Special::SchemaOrList | Special::SchemaOrNames, _) => {
                return self.schema(value, of);
            }
            (Special::SchemaOrBool, _) => Err("boolean or JSON schema expected".to_owned()),
        };
        match canonical {
            Ok(canonical) if value.as_str() == Some(&canonical) => {}
            Ok(canonical) => self.texts.push((value.id(), canonical)),
            Err(problem) => self.fatal = Some(Misfit { id: value.id(), problem }),
        }
    }

    /// A schema, or a list of schemas, in a place that may hold something else as well.
    fn schema(&mut self, value: Value<'_>, of: &'static Type) {
        let package = of.name.rsplit_once('.').map_or("", |(package, _)| package);
        let name = format!("{package}.JSONSchemaProps");
        let Some(schema) = objects().types.named(&name) else { return };
        let outer = std::mem::replace(&mut self.lenient, true);
        if value.as_object().is_some() {
            self.fields(value, schema);
        }
        for item in value.items().filter(|item| item.as_object().is_some()) {
            self.fields(item, schema);
        }
        self.lenient = outer;
    }

    fn misfit(&mut self, value: Value<'_>, found: &str, go: &str) {
        if self.misfit.is_some() {
            return;
        }
        let field = self.names.join(".");
        let target = if field.is_empty() {
            "Go value".to_owned()
        } else {
            format!("Go struct field {}.{field}", self.holder)
        };
        self.problem(value, format!("json: cannot unmarshal {found} into {target} of type {go}"));
    }

    fn problem(&mut self, value: Value<'_>, problem: String) {
        self.misfit.get_or_insert(Misfit { id: value.id(), problem });
    }
}

/// The name of a type as errors show it; the elements of named lists and maps have no others.
fn go_name(of: &'static GoType) -> &'static str {
    match of {
        GoType::Named(id) => objects().types.get(*id).map_or("", |of| of.go),
        _ => "string",
    }
}
