//! JSON that is not UTF-8.

use crate::input::Input;
use crate::limits;
use crdkit_codec::Format;
use crdkit_issue::{Issue, Span, codes};

/// The places in JSON that are not UTF-8, which is read all the same.
pub(super) fn invalid_utf8(input: &Input) -> Vec<Issue> {
    let is_json = matches!(input.format, Format::Json | Format::Ndjson);
    // UTF-16 is refused as a whole.
    let is_utf16 = matches!(*input.bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]);
    if !is_json || is_utf16 || std::str::from_utf8(&input.bytes).is_ok() {
        return Vec::new();
    }
    let mut issues: Vec<Issue> = Vec::new();
    let mut end = 0;
    for chunk in input.bytes.utf8_chunks() {
        let start = end + chunk.valid().len();
        end = start + chunk.invalid().len();
        let last = issues.last_mut().and_then(|issue| issue.span.as_mut());
        match last.filter(|last| last.end == start) {
            // Bytes side by side are one finding.
            Some(last) => last.end = end,
            None if end == start => {}
            None => {
                let issue = Issue::warning(codes::decode::INVALID_UTF8);
                issues.push(issue.span(Span::new(start, end)));
            }
        }
    }
    issues.truncate(limits::decoding().limits.issues);
    issues
}
