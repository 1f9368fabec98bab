//! Comparisons of CRDs, from tables, golden folders and hostile input.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod crdify;
mod crdify_config;
mod golden;
mod hostile;
mod semantic;
mod soundness;
mod support;
