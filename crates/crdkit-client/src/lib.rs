//! A client of Kubernetes API servers, for custom resources first of all.
//!
//! ```no_run
//! use crdkit_client::{Client, ListOptions, Resource, WriteOptions};
//! use crdkit_value::Document;
//!
//! # async fn example() -> Result<(), crdkit_client::ClientError> {
//! let client = Client::new(kube::Client::try_default().await?);
//! let lamps = client.dynamic(Resource::new("example.com", "v1", "lamps")).within("default");
//!
//! let desk = Document::object()
//!     .with("apiVersion", "example.com/v1")
//!     .with("kind", "Lamp")
//!     .with("metadata", &Document::object().with("name", "desk"));
//! lamps.create(&desk, &WriteOptions::default()).await?;
//! for lamp in lamps.list_all(&ListOptions::default()).await?.items {
//!     println!("{:?}", lamp.root().pointer("/metadata/name"));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A request goes one way: [`Api`] puts it together (`call`), the formats of its body and its answer are chosen by the client's gates and
//! by what is known of the server (`client`), the answer is read as its `Content-Type` says (`answer`), and what is refused is a
//! [`Status`](crdkit_schema::status::Status).
//!
//! # Formats
//!
//! [`ClientGates`] decide, as they do in Kubernetes' own clients: without `allow` everything is JSON; with it answers may be CBOR; with `prefer`
//! requests are CBOR too. A server that answers 415 is asked again without CBOR at once, and from then on writes with that method to
//! that resource are not CBOR. [`Client::learn_openapi`] finds out before the first request.
//!
//! # Asking again
//!
//! A request is repeated when the server says when to do so: 429, or an error with `Retry-After`. A read is also repeated when the connection
//! breaks; a write is not, since nobody knows whether it happened.
//!
//! # Verdicts before sending
//!
//! A client that [knows CRDs](Client::with_crds) has the engine judge objects before they are sent, and refuses those that the server
//! would refuse, with line and column where the object came from a [`Manifest`].
//!
//! # Why `kube`'s connections
//!
//! Requests go through [`kube::Client`] as bytes. What is hard about connecting to clusters is not HTTP but the rest: kubeconfigs, client certificates, tokens
//! that expire, programs that fetch them, proxies, service accounts. `kube` has all of it, its users have it in their programs
//! already, and its stack of services can be replaced by one of their own, which is how tests answer as servers do. Nothing of `kube`'s typed
//! interface is used: it knows JSON alone.

mod answer;
mod api;
mod call;
mod client;
mod error;
mod follow;
mod judge;
mod list;
mod manifest;
mod options;
mod resource;
mod retry;
mod settings;
mod stream;
mod watch;

pub use api::{Api, Deleted, Patch};
pub use client::Client;
pub use crdkit_codec::media::ClientGates;
pub use error::ClientError;
pub use follow::{Change, Follower};
pub use judge::RefusedObject;
pub use list::List;
pub use manifest::Manifest;
pub use options::{ApplyOptions, DeleteOptions, ListOptions, Propagation, WriteOptions};
pub use resource::Resource;
pub use retry::Retry;
pub use settings::ClientSettings;
pub use watch::{Watch, WatchEvent, WatchOptions};
