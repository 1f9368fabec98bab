//! Tests of the public interface: rules as Markdown, properties, hostile input.

mod hostile;
mod mdtest;
mod properties;
mod support;
