//! The public interface of `crdkit-text`: tables that read as a specification, properties, hostile input.

mod properties;
#[cfg(test)]
mod quantity;
mod regex;
mod regex_search;
