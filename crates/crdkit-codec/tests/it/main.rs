//! What the codecs promise, as tables, properties and hostile input.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod arbitrary;
mod canonical;
mod duplicates;
mod format;
mod json_cases;
mod json_hostile;
mod json_list;
mod json_properties;
mod json_resume;
mod yaml_cases;
mod yaml_hostile;
mod yaml_properties;
