//! Is a change of a `CustomResourceDefinition` safe?
//!
//! Takes the old and the new CRD, as read by [`crdkit_schema::read`], and gives a report. [`crdify`]
//! answers as the program of that name does: it compares keyword by keyword and names every change
//! that could matter.

pub mod crdify;

mod classes;
mod keyword;
mod step;
