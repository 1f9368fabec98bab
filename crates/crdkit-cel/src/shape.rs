//! Shapes: how document values are read as CEL values.
//!
//! A caller describes its data once: which members an object has and under which names expressions see them, what text
//! stands for a timestamp or bytes, how lists compare, and how large things can get. From that come static types for the
//! checker, bounds for the cost estimate, and the reading of `crdkit_value::Value`s at run time. Shapes live in a table
//! and are added bottom-up, so they cannot be recursive.

use std::collections::BTreeMap;
use std::hash::{Hash as _, Hasher as _};

use crate::ast::Name;
use crate::types::Type;

/// Number of a shape in its [`Shapes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeId(u32);

/// When two lists are equal, and what adding them means.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ListKind {
    /// Element by element.
    Atomic,
    /// As sets of scalars.
    Set,
    /// As maps, by the values of these keys.
    Map {
        /// Names of the keys as expressions see them.
        keys: Vec<Name>,
    },
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name in expressions.
    pub name: Name,
    /// Key in the document.
    pub key: Name,
    /// Shape of the value.
    pub shape: ShapeId,
}

/// What a document value stands for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ShapeKind {
    /// Whatever the document holds, as it stands.
    Dynamic,
    /// Anything; can only be compared.
    Opaque,
    /// A boolean.
    Bool,
    /// An integer.
    Int,
    /// Any number.
    Double,
    /// A string.
    String,
    /// URL-safe base64 text.
    Bytes,
    /// A date without time.
    Date,
    /// A point in time.
    DateTime,
    /// A span of time.
    Duration,
    /// An integer or a string.
    IntOrString,
    /// A list.
    List {
        /// Shape of the elements.
        element: ShapeId,
        /// How it compares.
        kind: ListKind,
    },
    /// An object with any keys.
    Map {
        /// Shape of the values.
        value: ShapeId,
    },
    /// An object with known members.
    Object {
        /// Name of its type.
        name: Name,
        /// Its members, ordered by name.
        fields: Vec<Field>,
    },
}

/// One shape.
#[derive(Clone, Debug)]
pub struct Shape {
    /// What it stands for.
    pub kind: ShapeKind,
    /// Whether null is a value of it.
    pub nullable: bool,
    /// Largest number of elements, members or bytes; 0 where size does not apply.
    pub max_elements: u64,
}

/// A table of shapes.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    rows: Vec<Shape>,
    /// A hash of each shape and what is in it, without the names of types.
    fingerprints: Vec<u64>,
    objects: BTreeMap<Name, ShapeId>,
}

impl Shapes {
    /// Adds a shape.
    pub fn add(&mut self, mut shape: Shape) -> ShapeId {
        let id = ShapeId(u32::try_from(self.rows.len()).unwrap_or(u32::MAX));
        if let ShapeKind::Object { name, fields } = &mut shape.kind {
            fields.sort_by(|a, b| a.name.cmp(&b.name));
            self.objects.insert(Name::clone(name), id);
        }
        self.fingerprints.push(self.hash(&shape));
        self.rows.push(shape);
        id
    }

    /// A number that is the same for shapes that are the same but for the names of their types.
    pub fn fingerprint(&self, id: ShapeId) -> u64 {
        self.fingerprints.get(id.0 as usize).copied().unwrap_or_default()
    }

    fn hash(&self, shape: &Shape) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        std::mem::discriminant(&shape.kind).hash(&mut hasher);
        (shape.nullable, shape.max_elements).hash(&mut hasher);
        match &shape.kind {
            ShapeKind::List { element, kind } => {
                (self.fingerprint(*element), kind).hash(&mut hasher);
            }
            ShapeKind::Map { value } => self.fingerprint(*value).hash(&mut hasher),
            ShapeKind::Object { fields, .. } => fields.iter().for_each(|field| {
                (&field.name, &field.key, self.fingerprint(field.shape)).hash(&mut hasher);
            }),
            _ => {}
        }
        hasher.finish()
    }

    /// Whether a shape is the same as one of another table but for the names of their types. Goes down as deep as the
    /// shapes are.
    pub fn same(&self, id: ShapeId, other: &Self, other_id: ShapeId) -> bool {
        if std::ptr::eq(self, other) && id == other_id {
            return true;
        }
        let (Some(shape), Some(with)) = (self.get(id), other.get(other_id)) else { return false };
        let alike = self.fingerprint(id) == other.fingerprint(other_id)
            && (shape.nullable, shape.max_elements) == (with.nullable, with.max_elements);
        alike
            && match (&shape.kind, &with.kind) {
                (
                    ShapeKind::List { element, kind },
                    ShapeKind::List { element: other_element, kind: other_kind },
                ) => kind == other_kind && self.same(*element, other, *other_element),
                (ShapeKind::Map { value }, ShapeKind::Map { value: other_value }) => {
                    self.same(*value, other, *other_value)
                }
                (
                    ShapeKind::Object { fields, .. },
                    ShapeKind::Object { fields: other_fields, .. },
                ) => {
                    fields.len() == other_fields.len()
                        && fields.iter().zip(other_fields).all(|(field, with)| {
                            (&field.name, &field.key) == (&with.name, &with.key)
                                && self.same(field.shape, other, with.shape)
                        })
                }
                (kind, other) => std::mem::discriminant(kind) == std::mem::discriminant(other),
            }
    }

    /// The shape of the member of an object that expressions call `name`.
    pub fn member(&self, id: ShapeId, name: &str) -> Option<ShapeId> {
        self.field(id, name).map(|field| field.shape)
    }

    /// The shape with this number.
    pub fn get(&self, id: ShapeId) -> Option<&Shape> {
        self.rows.get(id.0 as usize)
    }

    /// The object shape with this type name.
    pub(crate) fn object(&self, name: &str) -> Option<ShapeId> {
        self.objects.get(name).copied()
    }

    /// The member of an object shape that expressions call `name`.
    pub(crate) fn field(&self, id: ShapeId, name: &str) -> Option<&Field> {
        match &self.get(id)?.kind {
            ShapeKind::Object { fields, .. } => find_field(fields, name),
            _ => None,
        }
    }

    /// The static type of a shape.
    pub fn type_of(&self, id: ShapeId) -> Type {
        let Some(shape) = self.get(id) else {
            return Type::Dyn;
        };
        match &shape.kind {
            ShapeKind::Dynamic | ShapeKind::Opaque | ShapeKind::IntOrString => Type::Dyn,
            ShapeKind::Bool => Type::Bool,
            ShapeKind::Int => Type::Int,
            ShapeKind::Double => Type::Double,
            ShapeKind::String => Type::String,
            ShapeKind::Bytes => Type::Bytes,
            ShapeKind::Date | ShapeKind::DateTime => Type::Timestamp,
            ShapeKind::Duration => Type::Duration,
            ShapeKind::List { element, .. } => Type::list(self.type_of(*element)),
            ShapeKind::Map { value } => Type::map(Type::String, self.type_of(*value)),
            ShapeKind::Object { name, .. } => Type::Struct(Name::clone(name)),
        }
    }

    /// The size bound of what a path leads to from `root`, as the cost estimate needs it. The first step of a path
    /// names a variable and is not looked at.
    pub(crate) fn max_elements(&self, root: ShapeId, path: &[Name]) -> Option<u64> {
        let mut id = root;
        let mut key = false;
        for step in path.get(1..)? {
            if key {
                return None;
            }
            match (&**step, &self.get(id)?.kind) {
                ("@items" | "@values", ShapeKind::List { element, .. }) => id = *element,
                ("@items" | "@values", ShapeKind::Map { value }) => id = *value,
                ("@keys", ShapeKind::Map { .. }) => key = true,
                (name, ShapeKind::Object { fields, .. }) => id = find_field(fields, name)?.shape,
                _ => return None,
            }
        }
        // Keys carry no bound of their own.
        if key { Some(0) } else { self.get(id).map(|shape| shape.max_elements) }
    }
}

/// Words that name fields only in escaped form, unless the environment lets them stand for themselves.
const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

pub(crate) fn find_field<'s>(fields: &'s [Field], name: &str) -> Option<&'s Field> {
    fields
        .binary_search_by(|field| (*field.name).cmp(name))
        .ok()
        .and_then(|index| fields.get(index))
}

/// The escaped form of a reserved word; none for any other name.
pub fn escape_reserved(name: &str) -> Option<String> {
    RESERVED.contains(&name).then(|| format!("__{name}__"))
}
