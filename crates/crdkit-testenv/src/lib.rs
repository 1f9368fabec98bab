//! A Kubernetes API server for each test that wants one.
//!
//! ```
//! use crdkit_testenv::TestEnv;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), crdkit_testenv::TestEnvError> {
//! let env = TestEnv::builder()
//!     .crds("
//! apiVersion: apiextensions.k8s.io/v1
//! kind: CustomResourceDefinition
//! metadata: {name: lamps.example.com}
//! spec:
//!   group: example.com
//!   scope: Namespaced
//!   names: {kind: Lamp, plural: lamps}
//!   versions:
//!   - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
//! ")?
//!     .start()
//!     .await?;
//! assert!(env.url().starts_with("https://127.0.0.1:"));
//! # Ok(())
//! # }
//! ```
//!
//! Every server has its own port and keeps its objects in memory, so tests run in parallel; it ends with its value. It takes milliseconds to start.
//! With the feature `kube`, `TestEnv::client` gives a client of that crate; other programs find the server through [`TestEnv::kubeconfig_file`].
//!
//! A test of many cases can go back to where it was: [`TestEnv::snapshot`], [`TestEnv::restore`].
//!
//! Servers run on threads of their own, so a test may block, and may use any runtime.

mod environment;
mod runtime;

pub use crdkit_server::Settings;
pub use environment::{Snapshot, TestEnv, TestEnvBuilder, TestEnvError};
