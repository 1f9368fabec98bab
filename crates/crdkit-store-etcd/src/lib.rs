//! The contract of `crdkit-store` over etcd, from 3.4 to 3.7.
//!
//! A change is a transaction of etcd that compares the key's last revision, revisions are etcd's own, and so several servers share one
//! store, also with programs that use other keys. Keys and their layout are those of kube-apiserver, and so is the way in which
//! replicas agree on who compacts (`compact_rev_key`).
//!
//! What etcd does not promise: [`Store::restore`](crdkit_store::Store::restore), since revisions cannot be set; and progress at once before 3.4.25 and 3.5.8,
//! where etcd answers a request for it too early. There it comes at etcd's own intervals.

mod client;
mod convert;
mod housekeeping;
mod messages;
mod options;
mod store;
mod watch;

pub use options::{EtcdOptions, EtcdTls};
pub use store::EtcdStore;
