//! Is a change of a `CustomResourceDefinition` safe?
//!
//! Takes the old and the new CRD, as read by [`crdkit_schema::read`], and gives a report. [`crdify`]
//! answers as the program of that name does: it compares keyword by keyword and names every change
//! that could matter. [`semantic`] asks what becomes of objects, and answers with a proof, a witness, or
//! an open question.

pub mod crdify;
pub mod semantic;

mod classes;
mod keyword;
mod side;
mod step;
