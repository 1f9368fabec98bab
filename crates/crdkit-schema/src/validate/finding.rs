//! What validation found, as small records, and the issues they become.

use super::Positions;
use crate::compile::{FormatKind, Id, Literal, Name, Node, Table, Types};
use crdkit_codec::go_json;
use crdkit_issue::{Arg, Code, FieldPath, Issue, Segment, codes::object as codes};
use crdkit_text::number;
use crdkit_text::quote::quote;
use crdkit_value::{Kind, NodeId, Value};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::convert::Infallible;
use std::fmt::Write as _;

/// One thing that is wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding<P = Infallible> {
    /// The schema that asks for it.
    pub schema: Id,
    /// The value.
    pub value: NodeId,
    /// What is wrong.
    pub problem: Problem<P>,
}

/// What may be wrong with a value; `P` is what only keywords beyond the server's can find.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Problem<P = Infallible> {
    /// The type.
    Type,
    /// The type is wrong, and the server names the format in its place.
    TypeOfFormat,
    /// `format`.
    Format,
    /// `maxLength`.
    MaxLength {
        /// What is asked for.
        limit: i64,
    },
    /// `minLength`.
    MinLength {
        /// What is asked for.
        limit: i64,
    },
    /// `pattern`.
    Pattern,
    /// The value or a limit does not fit the type.
    Range {
        /// Which of them.
        subject: NumberSubject,
    },
    /// `multipleOf`.
    MultipleOf {
        /// Whether the comparison was in floats.
        in_floats: bool,
    },
    /// `multipleOf` is not above zero.
    FactorNotPositive {
        /// Whether the comparison was in floats.
        in_floats: bool,
    },
    /// `minimum` or `maximum`.
    Bound {
        /// How the number must compare.
        relation: Relation,
        /// Whether the comparison was in floats.
        in_floats: bool,
    },
    /// `minItems`.
    MinItems {
        /// What is asked for.
        limit: i64,
    },
    /// `maxItems`.
    MaxItems {
        /// What is asked for.
        limit: i64,
    },
    /// `minProperties`.
    MinProperties {
        /// What is asked for.
        limit: i64,
    },
    /// `maxProperties`.
    MaxProperties {
        /// What is asked for.
        limit: i64,
    },
    /// `required`.
    Required {
        /// The property.
        name: Name,
    },
    /// `additionalProperties: false`.
    ForbiddenProperty {
        /// The member.
        member: NodeId,
    },
    /// `enum`.
    Enum,
    /// `anyOf`.
    AnyOf,
    /// `oneOf`.
    OneOf {
        /// How many alternatives are satisfied.
        n_valid: u32,
    },
    /// `allOf`.
    AllOf {
        /// Whether no clause is satisfied.
        none: bool,
    },
    /// `not`.
    Not,
    /// What only keywords beyond the server's can find.
    Beyond(P),
}

/// Which number does not fit its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberSubject {
    /// The value.
    Checked,
    /// `multipleOf`.
    MultipleOf,
    /// `minimum`.
    Minimum,
    /// `maximum`.
    Maximum,
}

/// How a number must compare with a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Not less.
    AtLeast,
    /// Greater.
    Above,
    /// Not greater.
    AtMost,
    /// Less.
    Below,
}

impl Relation {
    /// Whether numbers in this order do.
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Self::AtLeast => order.is_ge(),
            Self::Above => order.is_gt(),
            Self::AtMost => order.is_le(),
            Self::Below => order.is_lt(),
        }
    }

    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::AtLeast => "greater than or equal to",
            Self::Above => "greater than",
            Self::AtMost => "less than or equal to",
            Self::Below => "less than",
        }
    }
}

impl NumberSubject {
    fn text(self) -> &'static str {
        match self {
            Self::Checked => "Checked",
            Self::MultipleOf => "MultipleOf",
            Self::Minimum => "Minimum boundary",
            Self::Maximum => "Maximum boundary",
        }
    }
}

/// What a finding is about: the validated value with its schema, and where that value stands.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The table of the schemas.
    pub table: &'a Table,
    /// The schema that validation began with.
    pub schema: Id,
    /// The value that validation began with.
    pub root: Value<'a>,
    /// The path of that value.
    pub base: &'a FieldPath,
    /// Where items stand in their lists, as far as that has been asked.
    pub positions: &'a Positions,
}

impl Scope<'_> {
    /// The path of the value `id`, every key as a field.
    pub fn path(&self, id: NodeId) -> FieldPath {
        self.steps(id).into_iter().fold(self.base.clone(), FieldPath::join)
    }

    fn steps(&self, id: NodeId) -> Vec<Segment> {
        let mut steps = Vec::new();
        let mut value = self.root.document().value(id);
        while value.id() != self.root.id() {
            let Some(parent) = value.parent() else { break };
            steps.push(match value.key() {
                Some(key) => Segment::Field(key.into()),
                None => Segment::Index(self.positions.of(parent, value)),
            });
            value = parent;
        }
        steps.reverse();
        steps
    }
}

impl Finding {
    /// The finding as an issue, with the value the server shows.
    pub fn issue(&self, scope: &Scope<'_>) -> Issue {
        self.issue_with(scope, |never| match never {})
    }
}

impl<P: Copy> Finding<P> {
    /// The same where `beyond` knows what other keywords found.
    pub fn issue_with(&self, scope: &Scope<'_>, beyond: impl FnOnce(P) -> Issue) -> Issue {
        let document = scope.root.document();
        let value = document.value(self.value);
        let node = scope.table.node(self.schema);
        let place = NamedPath::new(scope, self.value);
        let issue = match self.problem {
            Problem::Type => wrong_type(&types_text(scope.table, node), type_name(value)),
            Problem::TypeOfFormat => {
                wrong_type(format_name(scope.table, node), native_format(value))
            }
            Problem::Format => {
                let text = value.as_str().unwrap_or_default();
                Issue::error(codes::FORMAT_MISMATCH)
                    .with("expected", format_name(scope.table, node))
                    .with("shown", quote(text))
                    .value(text)
            }
            Problem::MaxLength { limit } => Issue::error(codes::TOO_LONG)
                .with("limit", limit)
                .with("bytes", counted(limit, "byte")),
            Problem::MinLength { limit } => {
                Issue::error(codes::TOO_SHORT).with("limit", limit).value(shown(value))
            }
            Problem::Pattern => pattern(scope.table, node, value),
            Problem::Range { subject } => {
                return place.plain(
                    Issue::error(codes::OUT_OF_RANGE)
                        .with("subject", subject.text())
                        .with("type", range_type(node)),
                );
            }
            Problem::MultipleOf { in_floats } => Issue::error(codes::NOT_A_MULTIPLE)
                .with("limit", limit(node.bounds().and_then(|it| it.multiple_of), in_floats))
                .value(number_shown(value, in_floats)),
            Problem::FactorNotPositive { in_floats } => {
                let factor = limit(node.bounds().and_then(|it| it.multiple_of), in_floats);
                Issue::error(codes::FACTOR_NOT_POSITIVE)
                    .with("limit", &*factor)
                    .value(Arg::Literal(factor.into()))
            }
            Problem::Bound { relation, in_floats } => {
                let (code, bound) = match relation {
                    Relation::AtLeast | Relation::Above => {
                        (codes::TOO_SMALL, node.bounds().and_then(|it| it.minimum))
                    }
                    Relation::AtMost | Relation::Below => {
                        (codes::TOO_LARGE, node.bounds().and_then(|it| it.maximum))
                    }
                };
                Issue::error(code)
                    .with("relation", relation.text())
                    .with("limit", limit(bound, in_floats))
                    .value(number_shown(value, in_floats))
            }
            Problem::MinItems { limit } => {
                too_few(codes::TOO_FEW_ITEMS, value.items().len(), limit)
            }
            Problem::MaxItems { limit } => {
                too_many(codes::TOO_MANY_ITEMS, value.items().len(), limit)
            }
            Problem::MinProperties { limit } => {
                too_few(codes::TOO_FEW_FIELDS, value.members().len(), limit)
            }
            Problem::MaxProperties { limit } => {
                too_many(codes::TOO_MANY_FIELDS, value.members().len(), limit)
            }
            Problem::Required { name } => {
                let name = scope.table.name(name);
                return Issue::error(codes::REQUIRED).at(place.path.field(name));
            }
            Problem::ForbiddenProperty { member } => {
                let key = document.value(member).key().unwrap_or_default();
                Issue::error(codes::FORBIDDEN_FIELD).with("key", key).value(key)
            }
            Problem::Enum => {
                let supported = scope.positions.listed(self.schema, || {
                    let entries = node.enum_values().iter().map(|id| scope.table.literal(*id));
                    entries.map(|entry| quote(&literal(entry))).collect::<Vec<_>>().join(", ")
                });
                Issue::error(codes::NOT_IN_ENUM).with("supported", supported).value(shown(value))
            }
            Problem::AnyOf => return place.plain(Issue::error(codes::ANY_OF)),
            Problem::OneOf { n_valid: 0 } => {
                return place.plain(Issue::error(codes::ONE_OF).with("found", "Found none valid"));
            }
            Problem::OneOf { n_valid } => {
                let found = format!("Found {n_valid} valid alternatives");
                let issue = Issue::error(codes::ONE_OF).with("found", found);
                return place.plain(issue.with("matching", i64::from(n_valid)));
            }
            Problem::AllOf { none } => {
                let found = if none { ". None validated" } else { "" };
                return place.plain(Issue::error(codes::ALL_OF).with("found", found));
            }
            Problem::Not => return place.plain(Issue::error(codes::NOT)),
            Problem::Beyond(problem) => return beyond(problem),
        };
        issue.with("name", place.name).at(place.path)
    }
}

/// A path, and the name that messages give to it.
struct NamedPath<'a> {
    path: FieldPath,
    name: String,
    base: &'a FieldPath,
}

impl<'a> NamedPath<'a> {
    fn new(scope: &Scope<'a>, id: NodeId) -> Self {
        let steps = scope.steps(id);
        let name = place_name(scope.table, scope.schema, &steps);
        let mut path = scope.base.clone();
        // The server appends the name as one field, so an item right below a path gets a dot.
        if matches!(steps.first(), Some(Segment::Index(_))) && !path.is_root() {
            path = path.field("");
        }
        let path = steps.into_iter().fold(path, FieldPath::join);
        Self { path, name, base: scope.base }
    }

    /// A finding that the server reports for the whole object, naming the place in its text only.
    fn plain(self, issue: Issue) -> Issue {
        let field = if self.base.is_root() { "<nil>".to_owned() } else { self.base.to_string() };
        issue
            .with("quoted", quote(&self.name))
            .with("name", self.name)
            .with("@field", field)
            .value("")
            .at(self.path)
    }
}

/// The name that messages give to the place that `steps` lead to in a value of `schema`.
pub fn place_name(table: &Table, schema: Id, steps: &[Segment]) -> String {
    let mut name = String::new();
    for step in steps {
        let _ = match step {
            // Only a declared property of the outermost object comes without a dot.
            Segment::Field(key) | Segment::Key(key) => {
                let bare = name.is_empty() && table.node(schema).fields.get(table, key).is_some();
                write!(name, "{}{key}", if bare { "" } else { "." })
            }
            Segment::Index(index) => write!(name, "[{index}]"),
        };
    }
    name
}

/// A value of another type than `expected`.
pub fn wrong_type(expected: &str, found: &str) -> Issue {
    Issue::error(codes::TYPE_MISMATCH)
        .with("expected", expected)
        .with("found", found)
        .with("shown", quote(found))
        .value(found)
}

fn pattern(table: &Table, node: &Node, value: Value<'_>) -> Issue {
    let text = value.as_str().unwrap_or_default();
    let pattern = node.pattern.and_then(|id| table.pattern(id));
    let shown = pattern.map_or_else(String::new, |pattern| match pattern.is_match(text) {
        Ok(_) => pattern.text().to_owned(),
        Err(error) => format!("{}, but pattern is invalid: {error}", pattern.text()),
    });
    Issue::error(codes::PATTERN_MISMATCH).with("pattern", shown).value(text)
}

/// Less items or members than there must be.
pub fn too_few(code: Code, count: usize, limit: i64) -> Issue {
    Issue::error(code).with("count", count).with("limit", limit).value(count)
}

/// More items or members than there may be.
pub fn too_many(code: Code, count: usize, limit: i64) -> Issue {
    too_few(code, count, limit).with("items", counted(limit, "item"))
}

/// `1 item`, `2 items`.
fn counted(limit: i64, unit: &str) -> String {
    if limit == 1 { format!("{limit} {unit}") } else { format!("{limit} {unit}s") }
}

/// The JSON type of a value, where `1` is an integer and `1.0` a number.
pub fn type_name(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Null => "null",
        Kind::Bool(_) => "boolean",
        Kind::Int(_) => "integer",
        Kind::Float(_) | Kind::Number(_) => "number",
        Kind::String(_) => "string",
        Kind::Array(_) => "array",
        Kind::Object(_) => "object",
    }
}

/// The format that Go's types imply.
fn native_format(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Int(_) => "int64",
        Kind::Float(_) | Kind::Number(_) => "float64",
        _ => "",
    }
}

fn format_name<'t>(table: &'t Table, node: &Node) -> &'t str {
    node.format.map_or("", |format| table.name(format.name))
}

fn range_type(node: &Node) -> String {
    let types = node.types.text();
    match node.format.map(|format| format.kind) {
        Some(FormatKind::Int32) => format!("{types} with format int32"),
        Some(FormatKind::Int64) => format!("{types} with format int64"),
        Some(FormatKind::Float) => format!("{types} with format float"),
        Some(FormatKind::Double) => format!("{types} with format double"),
        Some(FormatKind::Text(_) | FormatKind::Unknown) | None => {
            format!("{types} (default format)")
        }
    }
}

/// A limit as it was compared: without its fraction unless the comparison was in floats.
fn limit(limit: Option<crate::compile::Number>, in_floats: bool) -> String {
    let limit = limit.map_or(0.0, crate::compile::Number::get);
    if in_floats { number::shortest(limit) } else { super::number::truncate(limit).to_string() }
}

fn number_shown(value: Value<'_>, in_floats: bool) -> Arg {
    match value.as_f64() {
        Some(float) if in_floats => Arg::Literal(number::shortest(float).into()),
        _ => shown(value),
    }
}

/// A value as the server shows it.
pub fn shown(value: Value<'_>) -> Arg {
    match value.kind() {
        Kind::String(text) => text.into(),
        Kind::Int(int) => int.into(),
        Kind::Float(float) => Arg::Literal(number::shortest(float).into()),
        _ => Arg::Literal(go_json::value(value).into()),
    }
}

/// An entry of an enum: a string as it is, anything else as JSON.
pub fn literal(literal: &Literal) -> String {
    match literal {
        Literal::Null => "null".into(),
        Literal::Bool(bool) => bool.to_string(),
        Literal::Int(int) => int.to_string(),
        Literal::Float(float) => number::json(*float).unwrap_or_default(),
        Literal::String(text) => text.to_string(),
        Literal::Tree(document) => go_json::value(document.root()),
    }
}

/// The types of a schema, as the server's messages show them.
fn types_text<'t>(table: &'t Table, node: &Node) -> Cow<'t, str> {
    match node.types {
        Types::Other(name) => table.name(name).into(),
        Types::Any => match node.more().and_then(|more| more.types) {
            Some(types) => types.text().into(),
            None => Cow::default(),
        },
        types => types.text().into(),
    }
}
