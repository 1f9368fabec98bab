//! Documents that are published about resources.

mod markdown;
mod protobuf;
mod support;
