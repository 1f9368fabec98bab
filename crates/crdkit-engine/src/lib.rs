//! The API server's verdict on one custom resource.
//!
//! A [`Crd`] is compiled once; a [`Version`] of it takes objects as bytes or documents and gives an
//! [`Outcome`]: the object as it would be stored, what was pruned and defaulted, and every finding.
//! [`Outcome::status`] says the same in the server's words.
//!
//! ```
//! use crdkit_engine::{Crd, RequestOptions};
//!
//! let crd = Crd::from_json(br#"{
//!   "spec": {
//!     "group": "example.com", "scope": "Cluster",
//!     "names": {"kind": "Lamp", "plural": "lamps"},
//!     "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
//!       "type": "object",
//!       "properties": {"spec": {"type": "object", "properties": {
//!         "watts": {"type": "integer", "maximum": 60, "default": 40}
//!       }}}
//!     }}}]
//!   }
//! }"#)?;
//! let lamps = crd.version("v1").ok_or("not served")?;
//!
//! let fine = lamps.create(
//!     br#"{"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": {"name": "desk"}, "spec": {}}"#,
//!     &RequestOptions::default(),
//! );
//! assert!(fine.is_accepted());
//! assert_eq!(fine.document().root().pointer("/spec/watts").and_then(|watts| watts.as_i64()), Some(40));
//!
//! let bright = lamps.create(
//!     br#"{"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": {"name": "desk"}, "spec": {"watts": 100}}"#,
//!     &RequestOptions::default(),
//! );
//! let status = bright.status().ok_or("accepted")?;
//! assert_eq!(status.code, 422);
//! assert_eq!(
//!     status.message,
//!     "Lamp.example.com \"desk\" is invalid: spec.watts: Invalid value: 100: \
//!      spec.watts in body should be less than or equal to 60"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The phases of a request are public: [`Version::read`] gives a [`ReadObject`], which may be changed before it is
//! created or replaces a [`Stored`] one. An [`Outcome`] borrows nothing.
//!
//! The order of the stages is written once, in `pipeline.rs`; each stage is a module with its name.

mod checks;
mod crd;
mod decode;
mod embedded;
mod findings;
mod input;
mod list_type;
mod metadata;
mod options;
mod outcome;
mod pipeline;
mod prepare;
mod read_back;
mod rules;
mod scale;
mod shape;
mod spans;
mod stage;
mod stored;
mod strict;
mod walk;

pub use crd::{Crd, CrdError, Version};
pub use input::Input;
pub use options::{FieldValidation, RequestOptions};
pub use outcome::{Changes, Outcome};
pub use pipeline::ReadObject;
pub use stage::Stage;
pub use stored::Stored;

/// Steps that do not depend on where the schema of an object comes from, for engines of other kinds of objects.
pub mod steps {
    pub use crate::crd::VersionKey;
    pub use crate::decode::{Received, receive, summary};
    pub use crate::findings::Findings;
    pub use crate::metadata::{
        collapse, discard_system_fields, ensure, finalizer_warnings, prepare_create,
        prepare_update, remove,
    };
    pub use crate::outcome::{OutcomeParts, Refusal};
    pub use crate::prepare::{Placing, copy_root, remove_root};
    pub use crate::spans::fill as fill_spans;
}
