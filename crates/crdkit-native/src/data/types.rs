//! Go's types as the server's decoder and encoder see them, with the defaults and checks of their values.

use super::objects;
use super::read::SectionReader;
use crate::rule::{Environment, Expression};
use crdkit_codec::{DecodeOptions, json};
use crdkit_value::{Document, Value};
use std::sync::OnceLock;

/// The number of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TypeId(pub(super) usize);

/// All types, each read when it is first asked for.
pub(crate) struct Types {
    rows: Vec<(SectionReader, OnceLock<Type>)>,
}

/// A named type.
pub(crate) struct Type {
    /// The name of its definition.
    pub(crate) name: &'static str,
    /// Its name in Go.
    pub(crate) go: &'static str,
    /// Whether a value of it can hold one that has checks.
    pub(crate) is_checked: bool,
    /// Whether a value of it can hold one that has defaults.
    pub(crate) is_filled: bool,
    pub(crate) body: Body,
    pub(crate) defaults: Vec<Default>,
    pub(crate) checks: Vec<Check>,
    /// What its expressions may use.
    pub(crate) environment: OnceLock<Option<Environment>>,
}

/// What a named type is.
pub(crate) enum Body {
    Struct(Vec<Field>),
    Alias(GoType),
    Special(Special),
}

/// A field of a structure; those of embedded structures are among its own.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    /// The names of the embedded structures on the way to it.
    pub(crate) via: &'static str,
    /// The name of its type.
    pub(crate) go: &'static str,
    pub(crate) omit: Omit,
    /// Its name in the server's own type, if that is not its own name with a capital letter; `-` if it has none there.
    /// Before it, with commas, names of fields that only that type has.
    own: &'static str,
    pub(crate) of: GoType,
}

/// When a field is left out of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Omit {
    Empty,
    Never,
    Zero,
}

/// A type without a name.
#[derive(Debug)]
pub(crate) enum GoType {
    String,
    Bool,
    Int32,
    Int64,
    Float64,
    Bytes,
    Named(TypeId),
    List(Box<GoType>),
    Map(Box<GoType>),
    Pointer(Box<GoType>),
}

/// Types that read and write JSON in their own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    Quantity,
    Time,
    MicroTime,
    IntOrString,
    /// Any JSON.
    Raw,
    SchemaOrList,
    SchemaOrBool,
    SchemaOrNames,
    Duration,
}

/// A value that comes into an object by itself.
pub(crate) struct Default {
    pub(crate) path: Vec<&'static str>,
    /// The list, or the list of lists, whose elements get it.
    pub(crate) each: Vec<&'static str>,
    /// The condition, or nothing.
    pub(crate) when: Expression,
    /// Whether it replaces what is there.
    pub(crate) force: bool,
    /// Whether it is for whole objects only.
    pub(crate) root: bool,
    pub(crate) phase: DefaultPhase,
    pub(crate) source: DefaultSource,
}

/// When a default comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefaultPhase {
    /// Whenever an object is read.
    Read,
    /// When an object is created.
    Create,
    /// When an object whose kind is the type itself, or a part of it, is admitted.
    Admission,
    /// When an object replaces another.
    Update,
}

/// What a default does.
pub(crate) enum DefaultSource {
    Value(Literal),
    Copy(Vec<&'static str>),
    Expression(Expression),
    /// Adds to a list, unless it has it.
    Append(Literal),
    /// Adds the missing keys of another map.
    FillFrom(Vec<&'static str>),
    Remove,
    /// Rounds quantities up to thousandths.
    RoundUp,
    /// Writes texts over bytes.
    MergeText(Vec<&'static str>),
    /// Both are one map from now on.
    Alias(Vec<&'static str>),
}

/// A value in JSON, read when it is first needed.
pub(crate) struct Literal {
    text: &'static str,
    document: OnceLock<Document>,
}

impl Literal {
    fn new(text: &'static str) -> Self {
        Self { text, document: OnceLock::new() }
    }

    pub(crate) fn value(&self) -> Value<'_> {
        let read = || json::decode(self.text.as_bytes(), &DecodeOptions::default());
        let document = || read().map(|decoded| decoded.document).unwrap_or_default();
        self.document.get_or_init(document).root()
    }
}

/// A rule about a value.
pub(crate) struct Check {
    pub(crate) id: &'static str,
    /// The kinds it is for, or after `!` those it is not for; all if there are none.
    pub(crate) kinds: Vec<&'static str>,
    pub(crate) field: &'static str,
    /// Where the server says the problem is, if that is not the field.
    pub(crate) error_path: &'static str,
    pub(crate) cel: Expression,
    /// What the text at the field must be: `json`, `certificates`, both where `cel` is true; or an expression over the
    /// variables that are in `cel`, by what it gives. Empty for other checks.
    pub(crate) result: &'static str,
    pub(crate) reason: usize,
    pub(crate) detail: &'static str,
    pub(crate) phase: CheckPhase,
    /// An expression for the value that the server shows, if that is not the one at the field; `-` if it shows none.
    pub(crate) shows: Expression,
    /// An expression for the detail, if that depends on the value.
    pub(crate) says: Expression,
    /// Paths that the difference in the detail does not tell of.
    pub(crate) keeps: Vec<&'static str>,
    /// The fields of the value that are shown; all if there are none.
    pub(crate) only: Vec<&'static str>,
    /// Whether values are shown as the published types have them.
    pub(crate) is_published: bool,
    /// Fields that are not looked at any more once it fails; the value itself is the empty name.
    pub(crate) hides: Vec<&'static str>,
    /// Once a check of a stage fails, only those of that stage are heard; the last stage has the greatest number.
    pub(crate) stage: usize,
}

/// When a check is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckPhase {
    /// Except when the status is replaced.
    Object,
    Update,
    Create,
    Status,
}

impl Types {
    pub(super) fn new(mut reader: SectionReader) -> Self {
        let rows = reader.indexed().into_iter().map(|row| (row, OnceLock::new())).collect();
        Self { rows }
    }

    pub(crate) fn get(&self, id: TypeId) -> Option<&Type> {
        let (reader, slot) = self.rows.get(id.0)?;
        Some(slot.get_or_init(|| Type::read(&mut reader.clone())))
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = TypeId> {
        (0..self.rows.len()).map(TypeId)
    }

    /// The type whose definition has this name.
    pub(crate) fn named(&self, name: &str) -> Option<&Type> {
        self.get(self.id(name)?)
    }

    pub(crate) fn id(&self, name: &str) -> Option<TypeId> {
        // Types are in the order of their names.
        let at = self.rows.binary_search_by(|(reader, _)| reader.clone().text().cmp(name)).ok()?;
        Some(TypeId(at))
    }
}

impl Type {
    fn read(reader: &mut SectionReader) -> Self {
        Self {
            name: reader.text(),
            go: reader.text(),
            is_checked: reader.flag(),
            is_filled: reader.flag(),
            body: match reader.number() {
                0 => Body::Struct(reader.list(Field::read)),
                1 => Body::Alias(GoType::read(reader)),
                _ => Body::Special(Special::read(reader)),
            },
            defaults: reader.list(Default::read),
            checks: reader.list(Check::read),
            environment: OnceLock::new(),
        }
    }

    /// The fields, if it is a structure.
    pub(crate) fn fields(&self) -> &[Field] {
        match &self.body {
            Body::Struct(fields) => fields,
            _ => &[],
        }
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields().iter().find(|field| field.name == name)
    }

    /// Whether it belongs to what all groups share, and the server has no type of its own for it.
    pub(crate) fn is_shared(&self) -> bool {
        self.name.starts_with("io.k8s.apimachinery.")
    }

    /// Its name without the package.
    pub(crate) fn short(&self) -> &'static str {
        self.go.rsplit('.').next().unwrap_or(self.go)
    }
}

impl Field {
    fn read(reader: &mut SectionReader) -> Self {
        Self {
            name: reader.text(),
            via: reader.text(),
            go: reader.text(),
            omit: match reader.number() {
                0 => Omit::Empty,
                1 => Omit::Never,
                _ => Omit::Zero,
            },
            own: reader.text(),
            of: GoType::read(reader),
        }
    }

    /// Its name in the server's own type, if it is there, after those of fields that only that type has.
    pub(crate) fn own_names(&self) -> (impl Iterator<Item = &'static str>, Option<String>) {
        let (others, own) = self.own.rsplit_once(',').unwrap_or(("", self.own));
        let name = match own {
            "-" => None,
            "" => self.name.split_at_checked(1).map(|(first, rest)| first.to_uppercase() + rest),
            own => Some(own.to_owned()),
        };
        (others.split(',').filter(|name| !name.is_empty()), name)
    }

    /// The type of metadata, if the field holds that of the structure around.
    pub(crate) fn metadata(&self) -> Option<&'static Type> {
        let GoType::Named(id) = self.of else { return None };
        objects().types.get(id).filter(|of| of.is_shared() && self.name == "metadata")
    }
}

impl GoType {
    fn read(reader: &mut SectionReader) -> Self {
        match reader.number() {
            1 => Self::Bool,
            2 => Self::Int32,
            3 => Self::Int64,
            4 => Self::Float64,
            5 => Self::Bytes,
            6 => Self::Named(TypeId(reader.number())),
            7 => Self::List(Box::new(Self::read(reader))),
            8 => Self::Map(Box::new(Self::read(reader))),
            9 => Self::Pointer(Box::new(Self::read(reader))),
            _ => Self::String,
        }
    }
}

impl Special {
    fn read(reader: &mut SectionReader) -> Self {
        match reader.number() {
            0 => Self::Quantity,
            1 => Self::Time,
            2 => Self::MicroTime,
            3 => Self::IntOrString,
            7 => Self::SchemaOrList,
            8 => Self::SchemaOrBool,
            9 => Self::SchemaOrNames,
            10 => Self::Duration,
            _ => Self::Raw,
        }
    }
}

impl Default {
    /// The field and the value, if it is one that is always set where nothing is given.
    pub(crate) fn constant(&self) -> Option<(&'static str, &'static str)> {
        let is_plain = self.each.is_empty()
            && self.when.text.is_empty()
            && !self.force
            && !self.root
            && self.phase == DefaultPhase::Read;
        match (&*self.path, &self.source) {
            ([field], DefaultSource::Value(value)) if is_plain => Some((field, value.text)),
            _ => None,
        }
    }

    fn read(reader: &mut SectionReader) -> Self {
        let _id = reader.text();
        Self {
            path: reader.texts(),
            each: reader.texts(),
            when: Expression::new(reader.text()),
            force: reader.flag(),
            root: reader.flag(),
            phase: match reader.number() {
                0 => DefaultPhase::Read,
                1 => DefaultPhase::Create,
                2 => DefaultPhase::Admission,
                _ => DefaultPhase::Update,
            },
            source: match reader.number() {
                0 => DefaultSource::Value(Literal::new(reader.text())),
                1 => DefaultSource::Copy(reader.texts()),
                2 => DefaultSource::Expression(Expression::new(reader.text())),
                3 => DefaultSource::Append(Literal::new(reader.text())),
                4 => DefaultSource::FillFrom(reader.texts()),
                6 => DefaultSource::RoundUp,
                7 => DefaultSource::MergeText(reader.texts()),
                8 => DefaultSource::Alias(reader.texts()),
                _ => DefaultSource::Remove,
            },
        }
    }
}

impl Check {
    /// The fields of which only one may be there, if that is what it is about.
    pub(crate) fn alternatives(&self) -> Option<&'static str> {
        self.error_path.strip_prefix("others(")?.strip_suffix(')')
    }

    /// Whether it is about items that occur again, of which the first is fine.
    pub(crate) fn is_about_duplicates(&self) -> bool {
        const DUPLICATE: usize = 4;
        self.reason == DUPLICATE
            || ["duplicate", "unique"].iter().any(|it| self.detail.contains(it))
    }

    /// Whether it is about how many items there are, which is what is shown.
    pub(crate) fn is_about_length(&self) -> bool {
        const TOO_MANY: usize = 7;
        self.reason == TOO_MANY
    }

    /// Whether it is made in objects of a kind.
    pub(crate) fn is_for(&self, kind: &str) -> bool {
        let mut excluded = self.kinds.iter().filter_map(|name| name.strip_prefix('!'));
        let is_excluded = excluded.any(|name| name == kind);
        let all = self.kinds.iter().all(|name| name.starts_with('!'));
        !is_excluded && (all || self.kinds.contains(&kind))
    }

    fn read(reader: &mut SectionReader) -> Self {
        Self {
            id: reader.text(),
            kinds: reader.texts(),
            field: reader.text(),
            error_path: reader.text(),
            cel: Expression::new(reader.text()),
            result: reader.text(),
            reason: reader.number(),
            detail: reader.text(),
            phase: match reader.number() {
                0 => CheckPhase::Object,
                1 => CheckPhase::Update,
                2 => CheckPhase::Create,
                _ => CheckPhase::Status,
            },
            shows: Expression::new(reader.text()),
            says: Expression::new(reader.text()),
            keeps: reader.texts(),
            only: reader.texts(),
            is_published: reader.flag(),
            hides: reader.texts(),
            stage: reader.number(),
        }
    }
}
