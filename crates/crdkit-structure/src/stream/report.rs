//! Findings of a stream: with the places that the whole document would give them.

use super::Resolution;
use super::issue::placed;
use super::step::Ready;
use super::walk::Stream;
use crdkit_codec::DecodeError;
use crdkit_issue::{FieldPath, Issue, Severity, Span, codes};
use std::io::Read;

impl<R: Read> Stream<'_, R> {
    /// Gives out findings about the innermost array or object and its children, which stand at `span`.
    pub(super) fn report(&mut self, found: Vec<Issue>, span: Span) {
        if found.is_empty() {
            return;
        }
        let spanned = found.into_iter().map(|issue| issue.span(span));
        self.report_all(spanned.collect());
    }

    pub(super) fn report_all(&mut self, found: Vec<Issue>) {
        let base: FieldPath = self.source().iter().cloned().collect();
        for issue in found {
            let issue = placed(self.schema.compiled(), &base, issue);
            self.ready.push_back(Ready::Finding(issue));
        }
    }

    /// The next value, which is too large to be held whole.
    pub(super) fn too_large(&self, why: &'static str, start: usize) -> Issue {
        let path = self.here();
        let limit = match self.options.strategy.on_exceed {
            Resolution::FullBuffer => self.options.strategy.max_buffered,
            Resolution::FailFast | Resolution::BestEffort => self.options.strategy.threshold,
        };
        Issue::error(codes::decode::BUFFER_EXCEEDED)
            .with("why", why)
            .with("limit", limit)
            .at(path)
            .span(Span::at(start))
    }

    pub(super) fn undecided(&mut self, why: &'static str, start: usize) {
        let mut issue = self.too_large(why, start);
        issue.severity = Severity::Warning;
        self.ready.push_back(Ready::Finding(issue));
    }

    /// Ends reading where a key is repeated and the format does not allow it.
    pub(super) fn refuse_repeated(&self, found: &[Issue], span: Span) -> Result<(), DecodeError> {
        let mut found = found.iter().filter(|_| self.reader.refuses_duplicates());
        match found.find(|issue| issue.code == codes::decode::DUPLICATE_KEY) {
            None => Ok(()),
            Some(issue) => {
                let mut issue = issue.clone();
                issue.span = issue.span.or(Some(span));
                let base = self.source().iter().cloned().collect();
                Err(Box::new(placed(self.schema.compiled(), &base, issue)).into())
            }
        }
    }
}
