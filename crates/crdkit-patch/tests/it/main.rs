//! Tests of patches: Markdown cases, properties, hostile input.

mod hostile;
mod markdown;
mod properties;
