//! One engine for Kubernetes custom resources: the API server's own verdicts, in a program.
//!
//! A CRD is compiled once. It then reads objects (JSON, YAML, CBOR), removes what its schema does not know, fills in
//! defaults, checks schema, list types and CEL rules, and says what the server would say: the object as it would be
//! stored, or the [`Status`] it would answer.
//!
//! ```
//! use crdkit::{Crd, RequestOptions};
//!
//! let crd: Crd = "
//! spec:
//!   group: example.com
//!   scope: Namespaced
//!   names: {kind: Lamp, plural: lamps}
//!   versions:
//!   - name: v1
//!     served: true
//!     storage: true
//!     schema:
//!       openAPIV3Schema:
//!         type: object
//!         properties:
//!           spec:
//!             type: object
//!             properties:
//!               watts: {type: integer, maximum: 60, default: 40}
//! ".parse()?;
//! let lamps = crd.version("v1").ok_or("v1 is not served")?;
//!
//! let object = r#"{"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": {"name": "desk"}, "spec": {}}"#;
//! let stored = lamps.create(object, &RequestOptions::new()).into_result()?;
//! assert_eq!(stored.root().pointer("/spec/watts").and_then(|watts| watts.as_i64()), Some(40));
//!
//! let bright = object.replace("{}", r#"{"watts": 100}"#);
//! let refused = lamps.create(&*bright, &RequestOptions::new());
//! let issue = &refused.issues[0];
//! assert_eq!(issue.path.to_string(), "spec.watts");
//! assert_eq!(refused.status().ok_or("accepted")?.code, 422);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to go from here
//!
//! | To | Take | Example |
//! |---|---|---|
//! | judge an object that is created | [`Version::create`] | `validate.rs` |
//! | judge a change, with everything that only changes have (immutability, ratcheting, transition rules) | [`Version::update`], [`Version::update_status`], [`Version::scale`] | `update.rs` |
//! | step in between, as a server does: patch, admit, then check | [`Version::read`], [`ReadObject`], [`Stored`] | |
//! | answer an `AdmissionReview` | [`AdmissionRequest::answer`] | `webhook.rs` |
//! | take the CRD from a Rust type with `kube`'s derive | `Crd::try_from(&Lamp::crd())`, with the feature `k8s-openapi` | `typed.rs` |
//! | hold many CRDs and look them up by kind, name or path | [`CrdSet`], [`SharedCrdSet`] | |
//! | use a schema without a CRD: OpenAPI or JSON Schema, presence, codecs, canonical and preserving output | [`structure`] | `stream.rs` |
//! | ask whether a change of a CRD is safe | [`compat`] | |
//! | have an object made that a CRD accepts | [`sample`] | |
//! | evaluate CEL as Kubernetes does | [`cel`] | |
//!
//! The examples are in `crates/crdkit/examples`.
//!
//! A bad object is a successful run with [`Issue`]s, each with a stable [`Code`], a [`FieldPath`] and, where the object
//! came as text, a [`Span`]. An error means that the work could not be done. Nothing here reads files, clocks or the
//! network, and all types can be shared between threads.
//!
//! With `default-features = false` nothing here evaluates CEL: objects of CRDs with rules are accepted with a warning that
//! says so, and schemas without CRDs take an engine of the program's own, a [`structure::RuleEngine`].
//!
//! The crates below this one (`crdkit-value`, `crdkit-codec`, `crdkit-schema` …) can be used directly by who builds on
//! the parts; only the names here are promised to stay.

pub use crdkit_codec::{DecodeError, DecodeOptions, Decoded, EncodeError, Format, Style};
pub use crdkit_engine::{
    Changes, Crd, CrdError, FieldValidation, Input, Outcome, ReadObject, RequestOptions, Stored,
    Version,
};
pub use crdkit_issue::{
    Arg, Code, FieldPath, Issue, Issues, LineIndex, PathStyle, Segment, Severity, Span, codes,
};
pub use crdkit_review::{AdmissionRequest, AdmissionResponse};
pub use crdkit_schema::set::{CrdDefinition, CrdSet, SharedCrdSet};
pub use crdkit_schema::status::{Cause, Details, Status};
pub use crdkit_text::kind::{GroupKind, GroupVersionKind, GroupVersionResource};
pub use crdkit_value::{Document, Kind, Limits, NewValue, NodeId, PresenceMap, Value};

/// Schemas without CRDs.
pub mod structure {
    pub use crdkit_codec::yaml::StrictReader;
    #[cfg(feature = "schemars")]
    pub use crdkit_structure::for_type;
    pub use crdkit_structure::stream::{Element, Elements, Stream, StreamOptions, StreamStep};
    pub use crdkit_structure::{
        Base64, Codec, Codecs, CrdSelector, Decoded, DefaultMode, DiagnosticLevel, Diagnostics,
        DurationText, EncodeError, EncodeMode, EpochSeconds, ExportOptions, Extensions,
        ImportError, ImportOptions, Imported, IntOrString, JsonText, NumberText, ParseOptions,
        Parsed, PatchStrategy, Profile, QuantityText, Report, Rfc3339, Rule, Schema, Then, Unknown,
        WhenSeen, Wire, build, document_of, import, import_json, import_yaml, rule_fn,
    };
    pub use crdkit_structure::{
        CelOptions, RuleAnswer, RuleBudget, RuleEngine, RuleProgram, RuleStop, RuleVariables,
    };
    #[cfg(feature = "serde")]
    pub use crdkit_structure::{Tri, with};
}

/// Old CRDs against new ones.
#[cfg(feature = "cel")]
pub mod compat {
    pub use crdkit_compat::{crdify, semantic};
}

/// Objects that a CRD accepts.
#[cfg(feature = "cel")]
pub mod sample {
    pub use crdkit_sample::{Extent, Sample, Sampler};
}

/// CEL as Kubernetes runs it.
#[cfg(feature = "cel")]
pub mod cel {
    pub use crdkit_cel::{
        Arena, Binding, Checked, CompileErrors, Env, EnvBuilder, EvalError, Library, Program,
        Purpose, Shapes, Type, Val,
    };
}

/// The examples of the README are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// So are those of the guide to schemas.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/schema-engine.md")]
struct SchemaEngine;
