//! The compiled schema: everything the stages need about a CRD, decided once.
//!
//! A [`Compiler`] takes any number of CRDs and puts their schemas into one [`Table`]. A schema is a
//! [`Node`], named by its [`Id`]; equal schemas are one node, whichever version or CRD they come
//! from. Names, literals and patterns are kept once as well. What only describes is left behind, so
//! the result borrows nothing from the documents it was made of.
//!
//! Children are compiled before the schemas they are in, in one pass over the model's table without
//! recursion. Walks over a value beside its schema do recurse; they are bounded because reading a CRD
//! refuses schemas deeper than [`crate::read::MAX_DEPTH`].
//!
//! Schemas from elsewhere come in as [`SchemaParts`], with the keywords of JSON Schema in [`More`].

mod build;
mod crd;
mod fields;
mod flags;
mod format;
mod hash;
mod literal;
mod member;
mod more;
mod node;
mod parts;
mod pattern;
mod plain;
#[cfg(feature = "cel")]
mod rules;
mod serving;
#[cfg(feature = "cel")]
mod shapes;
mod table;

pub use build::Compiler;
pub(crate) use build::SchemaTable;
pub use crd::{CompiledCrd, CompiledVersion, ReplicaPaths, ResourceNames};
pub use fields::{Field, Fields};
pub use flags::Flags;
pub use format::{Format, FormatKind};
pub(crate) use hash::Index;
pub use literal::{DefaultId, Literal, LiteralId};
pub use member::Member;
pub use more::{
    Condition, Contains, Discriminator, DynamicReference, More, Range, ResourceId, Slot, TypeSet,
    Union,
};
pub use node::{
    Additional, Bounds, CompiledRule, FieldDefault, Junctors, ListType, Node, Number, Types,
};
pub use parts::SchemaParts;
pub use pattern::{Pattern, PatternId, PatternRoom, Syntax};
pub use plain::Plain;
#[cfg(feature = "cel")]
pub use rules::Rules;
pub use serving::{Conversion, ConversionWebhook, PrinterColumn, WebhookService};
pub use table::{Id, Name, Table};
