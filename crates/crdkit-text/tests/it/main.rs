//! The public interface of `crdkit-text`: tables that read as a specification, properties, hostile input.

mod properties;
#[cfg(test)]
mod quantity;
mod regex;
#[cfg(test)]
mod regex_search;
