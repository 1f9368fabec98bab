//! Tests of the public interface: rules as Markdown, properties, hostile input.

mod fixtures;
mod hostile;
mod mdtest;
mod properties;
mod support;
