//! JSON paths of columns, as client-go reads and evaluates them.
//!
//! Takes the text of a path and an object, gives what the path finds there. It is client-go's own dialect: fields,
//! keys in brackets, slices, unions, filters, `*` and `..`; a key that is missing is nothing, and what cannot be
//! evaluated is nothing as well. A table shows the first thing that was found.
//! Upstream: `k8s.io/client-go/util/jsonpath`.

mod compare;
mod evaluate;
mod parse;

use crdkit_value::Value;

/// A path, ready to be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPath(Vec<TemplatePart>);

/// What stands between braces, or the text around them.
#[derive(Clone, Debug, PartialEq)]
enum TemplatePart {
    Text(String),
    Action(Vec<JsonPathStep>),
}

/// One step from values to values.
#[derive(Clone, Debug, PartialEq)]
enum JsonPathStep {
    Field(String),
    Wildcard,
    Recursive,
    Slice(Slice),
    Union(Vec<Vec<JsonPathStep>>),
    Filter(Filter),
    Text(String),
    Int(i64),
    Float(f64),
    Bool(bool),
    /// A word of the template language, which paths of columns cannot use.
    Identifier,
}

/// `[start:end:step]`, or `[start]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slice {
    start: Option<i64>,
    end: Option<i64>,
    step: Option<i64>,
    /// Whether only the start is written: the end is one further.
    single: bool,
}

/// `[?(left operator right)]`.
#[derive(Clone, Debug, PartialEq)]
struct Filter {
    left: Vec<JsonPathStep>,
    operator: Operator,
    right: Vec<JsonPathStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Exists,
    Less,
    Greater,
    Equal,
    NotEqual,
    LessOrEqual,
    GreaterOrEqual,
    Unknown,
}

/// What a path finds: a part of the object, or a literal of the path.
#[derive(Clone, Copy, Debug)]
pub(super) enum FoundValue<'v> {
    Value(Value<'v>),
    Text(&'v str),
    Int(i64),
    Float(f64),
    Bool(bool),
}

impl JsonPath {
    /// The path of a column, as `.spec.watts`; none when client-go cannot parse it.
    pub fn parse(text: &str) -> Option<Self> {
        parse::template(&format!("{{{text}}}")).map(Self)
    }

    /// The first thing the path finds in `object`.
    pub(super) fn first<'v>(&'v self, object: Value<'v>) -> Option<FoundValue<'v>> {
        evaluate::first(&self.0, object)
    }
}
