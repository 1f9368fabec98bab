//! The API server for custom resources and native kinds.
//!
//! A request goes one way: it is accepted (`http`), its sender is identified, its path says what it is about
//! (`route`), the sender is authorised, the form of the answer is agreed upon (`negotiate`), and a verb does the work:
//! it reads and checks objects by their `rules` and writes them to the store. Nothing before the store has side effects, so
//! a dry run stops there and a lost race starts over.

pub mod catalogue;
pub mod digest;
pub mod discovery;
pub mod openapi;
pub mod table;

mod admission;
mod answer;
mod authorise;
mod call;
mod configured;
mod controllers;
mod convert;
mod core;
mod crds;
mod decode;
mod environment;
mod guard;
mod gzip;
mod handle;
mod http;
mod identify;
mod listen;
mod manage;
mod measured;
mod negotiate;
mod observe;
mod options;
mod paths;
mod patient;
mod publish;
mod query;
mod rbac;
mod request;
pub mod review;
mod route;
mod rules;
mod select;
mod server;
mod settings;
mod stored;
mod tls;
mod typed;
mod verbs;
mod view;
mod watch;
mod websocket;

pub use call::CallAnswer;
pub use crdkit_store::Snapshot;
pub use environment::{Entropy, SystemEntropy};
pub use observe::AuditLevel;
pub use server::{Server, ServerBuilder, StartError};
pub use settings::{Authorization, Settings};
pub use tls::{Certificates, TlsError};
