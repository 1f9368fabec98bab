//! Schemas as a library: values in, checked values out, and back again.
//!
//! [`import()`] makes a [`Schema`] of an OpenAPI, JSON Schema or CRD document; [`build`] makes one in code.
//! [`Schema::parse`] takes text or a document and gives a [`Parsed`]: the value as the program works with
//! it, which places the input really had, and every finding. [`Schema::encode_canonical`] and
//! [`Schema::encode_preserving`] write values back, checked on both sides.
//!
//! The order of the stages is written once, in `stages.rs`. It differs from that of whole requests to the
//! API server: here codecs and a program's own rules take part, and nothing is known of metadata, names or
//! storage.
//!
//! Invariant: a bad document is a [`Parsed`] with issues, never an error; nothing recurses on input.

pub mod build;
pub mod cel;
pub mod definitions;
pub mod import;
pub mod member;
pub mod stream;
pub mod validate;
#[cfg(feature = "serde")]
pub mod with;

mod codec;
mod compiled;
mod decoded;
mod encode;
mod export;
mod extensions;
#[cfg(feature = "schemars")]
mod for_type;
mod options;
mod passthrough;
mod place;
mod places;
mod preserve;
mod project;
mod report;
mod rule;
mod said;
mod schema;
mod scope;
mod stages;
#[cfg(feature = "serde")]
mod tri;
#[cfg(feature = "serde")]
mod typed;
mod wire;

pub use codec::{
    Base64, Codec, Codecs, DurationText, EpochSeconds, IntOrString, JsonText, NumberText,
    QuantityText, Rfc3339, Then,
};
pub use compiled::{CompiledSchema, Semantics, Settings};
pub use crdkit_schema::rules::{
    RuleAnswer, RuleBudget, RuleEngine, RuleProgram, RuleStop, RuleVariables, SharedEngine,
};
pub use decoded::{Decoded, Parsed};
pub use encode::{EncodeError, EncodeMode};
pub use export::ExportOptions;
pub use extensions::{Extensions, PatchStrategy, UnionFields};
#[cfg(feature = "schemars")]
pub use for_type::for_type;
pub use import::{
    Ambiguity, CelOptions, CrdSelector, DefaultMode, Diagnostic, DiagnosticLevel, Diagnostics,
    Dialect, Embedded, Equality, Formats, Functions, ImportError, ImportOptions, Nulls, Numbers,
    Profile, RefuseAll, ResolveError, Resolver, ResolverLimits, Unevaluated, Unknown,
    VersionSelector,
};
pub use options::ParseOptions;
pub use report::{Report, document_of};
pub use rule::{Rule, RuleContext, WhenSeen, rule_fn};
pub use schema::{ImportFailure, Imported, Schema, import, import_json, import_with, import_yaml};
#[cfg(feature = "serde")]
pub use tri::Tri;
pub use wire::Wire;
