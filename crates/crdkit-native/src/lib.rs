//! The kinds that come with Kubernetes, as data.
//!
//! A native kind is a built-in CRD with a few more facts. [`NativeKinds`] finds a [`NativeKind`] by group, version and
//! kind, or by the resource in a path; its fields say how it is served and stored. Objects go through the same phases as
//! custom resources, with the same [`RequestOptions`](crdkit_engine::RequestOptions), [`Stored`](crdkit_engine::Stored),
//! [`Outcome`](crdkit_engine::Outcome) and status:
//!
//! ```
//! use crdkit_engine::RequestOptions;
//! use crdkit_native::NativeKinds;
//!
//! let kinds = NativeKinds::latest();
//! let config_maps = kinds.resource("", "v1", "configmaps").ok_or("unknown")?;
//! let options = RequestOptions::new().namespace("garden").uid("f81d4fae");
//!
//! let body = br#"{"metadata": {"name": "settings"}, "data": {"a": "1"}}"#;
//! let read = config_maps.read(body, &options).map_err(|refused| format!("{:?}", refused.status()))?;
//! let stored = read.create().into_stored().ok_or("refused")?;
//! assert_eq!(stored.document().root().pointer("/metadata/namespace").and_then(|it| it.as_str()), Some("garden"));
//!
//! let bad = br#"{"metadata": {"name": "settings"}, "data": {"not a key": "1"}}"#;
//! let read = config_maps.read(bad, &options).map_err(|refused| format!("{:?}", refused.status()))?;
//! assert_eq!(read.update(&stored).status().map(|status| status.code), Some(422));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Between [`NativeKind::read`] and [`ReadNative::create`] a server may change the object: give a Service its address, a
//! Pod its token. What it gives out by itself (addresses, ports, tokens) is not made here, because that takes state.
//!
//! The facts are one data file, made by `tasks/native`. Nothing else knows a kind by name, except the table in `hooks`.

pub mod cbor;
mod check;
mod checks;
mod content;
mod data;
mod decode;
mod defaults;
mod envelope;
mod expression;
mod fill;
mod format;
mod given;
mod hooks;
mod kinds;
mod locate;
mod managed;
mod names;
mod own;
mod pipeline;
mod pod;
mod prepare;
pub mod protobuf;
mod removed;
mod rule;
mod scalar;
mod schedule;
mod table;
mod unified;
mod words;

pub use data::{Column, NativeKind, Storage, Subresource};
pub use kinds::NativeKinds;
pub use managed::always_there;
pub use pipeline::ReadNative;
pub use removed::{RemovedKind, removed};
pub use table::{NativeCell, NativeRow, NativeRowCondition};
