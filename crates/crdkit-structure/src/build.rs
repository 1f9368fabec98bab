//! Schemas made in code.
//!
//! What is put together here is a schema document, and [`Object::build`] imports it: so it is the very same
//! compiled schema that the document would give, and [`crate::Schema::to_json_schema`] writes it out.
//!
//! ```
//! use crdkit_structure::build::{array, integer, object, string};
//! use crdkit_structure::{ImportOptions, ParseOptions, document_of};
//!
//! let schema = object()
//!     .required("name", string().length(1..=20))
//!     .with_default("age", integer().range(0..=150), &document_of("20"))
//!     .optional("tags", array(string()).length(..=3).unique())
//!     .build(&ImportOptions::new())?
//!     .schema;
//! let parsed = schema.parse(r#"{"name": "Alice"}"#, &ParseOptions::new());
//! assert_eq!(parsed.value.root().get("name").and_then(|name| name.as_str()), Some("Alice"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::schema::{Imported, import};
use crate::import::{ImportError, ImportOptions};
use crdkit_value::{Document, NewValue, NodeId, Value};
use std::ops::{Bound, RangeBounds};

/// A schema on its way.
#[derive(Clone, Debug)]
pub struct Node {
    document: Document,
    /// Which keywords [`Node::length`] sets.
    sizes: (&'static str, &'static str),
}

/// The schema of an object on its way.
#[derive(Clone, Debug)]
pub struct Object(Node);

/// Text.
pub fn string() -> Node {
    typed("string", ("minLength", "maxLength"))
}

/// A whole number.
pub fn integer() -> Node {
    typed("integer", ("minimum", "maximum"))
}

/// A number.
pub fn number() -> Node {
    typed("number", ("minimum", "maximum"))
}

/// `true` or `false`.
pub fn boolean() -> Node {
    typed("boolean", ("", ""))
}

/// Anything.
pub fn any() -> Node {
    Node { document: Document::object(), sizes: ("", "") }
}

/// A list of `items`.
pub fn array(items: impl Into<Node>) -> Node {
    let Node { document, .. } = items.into();
    typed("array", ("minItems", "maxItems")).keyword("items", document.root())
}

/// A map from any key to `values`.
pub fn map(values: impl Into<Node>) -> Node {
    let Node { document, .. } = values.into();
    typed("object", ("minProperties", "maxProperties"))
        .keyword("additionalProperties", document.root())
}

/// An object with members of its own.
pub fn object() -> Object {
    Object(typed("object", ("minProperties", "maxProperties")))
}

/// One of several objects, chosen by the string in the member `discriminator`.
pub fn tagged<'n>(
    discriminator: &str,
    variants: impl IntoIterator<Item = (&'n str, Object)>,
) -> Node {
    let mut branches = Document::array();
    for (name, variant) in variants {
        let tag = any().keyword("const", name);
        branches.push(NodeId::ROOT, &variant.required(discriminator, tag).0.document);
    }
    let chooser = Document::object().with("propertyName", discriminator);
    any().keyword("discriminator", &chooser).keyword("oneOf", &branches)
}

fn typed(name: &str, sizes: (&'static str, &'static str)) -> Node {
    Node { document: Document::object(), sizes }.keyword("type", name)
}

impl Node {
    /// The same with any keyword.
    #[must_use]
    pub fn keyword<'v>(mut self, name: &str, value: impl Into<NewValue<'v>>) -> Self {
        self.document.insert(NodeId::ROOT, name, value);
        self
    }

    /// The same, or `null`.
    #[must_use]
    pub fn nullable(self) -> Self {
        let Some(name) = self.document.root().get("type").and_then(Value::as_str) else {
            return self;
        };
        let types = Document::array_of([name, "null"]);
        self.keyword("type", &types)
    }

    /// How many characters, items or members there are.
    #[must_use]
    pub fn length(self, range: impl RangeBounds<u32>) -> Self {
        let bound = |bound: Bound<&u32>, open: i64| match bound {
            Bound::Included(value) => Some(i64::from(*value)),
            Bound::Excluded(value) => Some(i64::from(*value) + open),
            Bound::Unbounded => None,
        };
        let (start, end) = (bound(range.start_bound(), 1), bound(range.end_bound(), -1));
        self.bounds(start, end)
    }

    /// Between which whole numbers a number is.
    #[must_use]
    pub fn range(self, range: impl RangeBounds<i64>) -> Self {
        let bound = |bound: Bound<&i64>, open: i64| match bound {
            Bound::Included(value) => Some(*value),
            Bound::Excluded(value) => Some(value.saturating_add(open)),
            Bound::Unbounded => None,
        };
        let (start, end) = (bound(range.start_bound(), 1), bound(range.end_bound(), -1));
        self.bounds(start, end)
    }

    fn bounds(mut self, start: Option<i64>, end: Option<i64>) -> Self {
        let (least, most) = self.sizes;
        for (name, bound) in [(least, start), (most, end)] {
            if let (false, Some(bound)) = (name.is_empty(), bound) {
                self.document.insert(NodeId::ROOT, name, bound);
            }
        }
        self
    }

    /// The values there are.
    #[must_use]
    pub fn allowed<'v>(self, values: impl IntoIterator<Item = Value<'v>>) -> Self {
        self.keyword("enum", &Document::array_of(values))
    }

    /// The format of a string.
    #[must_use]
    pub fn format(self, name: &str) -> Self {
        self.keyword("format", name)
    }

    /// A regular expression that must match; a wrong one is found by `build`.
    #[must_use]
    pub fn pattern(self, regex: &str) -> Self {
        self.keyword("pattern", regex)
    }

    /// No two items of a list are the same.
    #[must_use]
    pub fn unique(self) -> Self {
        self.keyword("uniqueItems", true)
    }

    /// The schema, with what there is to say about it.
    ///
    /// # Errors
    /// Why there is none; a keyword that cannot be meant is one reason.
    pub fn build(self, options: &ImportOptions) -> Result<Imported, ImportError> {
        import(self.document.root(), options)
    }
}

impl Object {
    /// A member that must be there.
    #[must_use]
    pub fn required(self, name: &str, node: impl Into<Node>) -> Self {
        let Self(mut whole) = self.optional(name, node);
        let known = whole.document.root().get("required").map(Value::id);
        let list =
            known.or_else(|| whole.document.insert(NodeId::ROOT, "required", NewValue::EmptyArray));
        if let Some(list) = list {
            whole.document.push(list, name);
        }
        Self(whole)
    }

    /// A member that may be there.
    #[must_use]
    pub fn optional(self, name: &str, node: impl Into<Node>) -> Self {
        let Self(mut whole) = self;
        let known = whole.document.root().get("properties").map(Value::id);
        let properties = known
            .or_else(|| whole.document.insert(NodeId::ROOT, "properties", NewValue::EmptyObject));
        if let Some(properties) = properties {
            whole.document.insert(properties, name, &node.into().document);
        }
        Self(whole)
    }

    /// A member that is `default` when it is not there.
    #[must_use]
    pub fn with_default(self, name: &str, node: impl Into<Node>, default: &Document) -> Self {
        self.optional(name, node.into().keyword("default", default.root()))
    }

    /// No other members, whatever the import's options say.
    #[must_use]
    pub fn closed(self) -> Self {
        Self(self.0.keyword("additionalProperties", false))
    }

    /// Other members stay, whatever the import's options say.
    #[must_use]
    pub fn open(self) -> Self {
        Self(self.0.keyword("x-kubernetes-preserve-unknown-fields", true))
    }

    /// The same with any keyword.
    #[must_use]
    pub fn keyword<'v>(self, name: &str, value: impl Into<NewValue<'v>>) -> Self {
        Self(self.0.keyword(name, value))
    }

    /// The schema, with what there is to say about it.
    ///
    /// # Errors
    /// As for [`Node::build`].
    pub fn build(self, options: &ImportOptions) -> Result<Imported, ImportError> {
        self.0.build(options)
    }
}

impl From<Object> for Node {
    fn from(object: Object) -> Self {
        object.0
    }
}
