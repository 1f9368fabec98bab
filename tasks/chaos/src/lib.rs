//! Servers as processes and connections to them, for programs that load or kill a server.
#![expect(clippy::disallowed_methods, reason = "programs that run other programs")]

pub mod client;
pub mod server;
