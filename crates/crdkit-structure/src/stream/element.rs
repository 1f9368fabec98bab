//! The items of one array of a stream, one after the other.
//!
//! Takes a stream and the path of the array; gives each item with its own findings, and those about the
//! rest of the document.

use super::step::StreamStep;
use super::walk::Stream;
use crate::decoded::Decoded;
use crdkit_codec::DecodeError;
use crdkit_issue::{FieldPath, Issue, Issues, Severity};
use crdkit_value::Document;
use std::io::Read;

/// The items of one array; what stands beside it is checked as well.
pub struct Elements<'t, R> {
    stream: Stream<'t, R>,
    array: FieldPath,
    /// What is wrong outside the items.
    issues: Vec<Issue>,
}

/// One item.
#[derive(Debug)]
pub struct Element {
    /// Its place in the array.
    pub index: usize,
    /// The item as the program works with it; or what is wrong with it.
    pub outcome: Result<Decoded<Document>, Issues>,
    /// Findings that do not make it wrong.
    pub warnings: Vec<Issue>,
}

#[cfg(feature = "serde")]
impl Element {
    /// The item as a `T`.
    ///
    /// # Errors
    /// What is wrong with it, for the schema or for `T`.
    pub fn decode<T: serde::de::DeserializeOwned>(self) -> Result<Decoded<T>, Issues> {
        let item = FieldPath::root().index(self.index);
        self.outcome?.try_map(|value| {
            crdkit_codec::typed::from_value(value.root())
                .map_err(|error| error.issue().rebase(&item).into())
        })
    }
}

impl<'t, R: Read> Elements<'t, R> {
    /// The items of the array at `array`.
    pub fn new(stream: Stream<'t, R>, array: FieldPath) -> Self {
        Self { stream: stream.opening(array.clone()), array, issues: Vec::new() }
    }

    /// What is wrong outside the items, as far as it is known.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    fn read(&mut self) -> Result<Option<Element>, DecodeError> {
        while let Some(step) = self.stream.step()? {
            let part = match step {
                StreamStep::Finding(issue) => {
                    self.issues.push(issue);
                    continue;
                }
                StreamStep::Opened { .. } | StreamStep::Closed { .. } => continue,
                StreamStep::Part(part) => part,
            };
            let Some(index) = part.index_in(&self.array) else {
                self.issues.extend(part.issues);
                continue;
            };
            let (errors, warnings): (Vec<_>, Vec<_>) =
                part.issues.into_iter().partition(|issue| issue.severity == Severity::Error);
            let outcome = if errors.is_empty() {
                Ok(Decoded::new(std::mem::take(part.document), part.presence))
            } else {
                Err(errors.into())
            };
            return Ok(Some(Element { index, outcome, warnings }));
        }
        Ok(None)
    }
}

impl<R: Read> Iterator for Elements<'_, R> {
    type Item = Result<Element, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}
