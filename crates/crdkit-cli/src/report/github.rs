//! Workflow commands of GitHub Actions, which become annotations of the lines they name.

use super::escape::lines;
use super::{Object, Sink, Summary};
use crate::kubernetes;
use std::fmt::Write as _;

pub(super) struct Github;

impl Sink for Github {
    fn object(&mut self, object: &Object, out: &mut Vec<u8>) {
        for finding in object.findings() {
            let mut line =
                format!("::{} file={}", finding.severity, property(object.file_of(finding)));
            if let (Some(start), Some(end)) = (finding.start, finding.end) {
                let _ = write!(line, ",line={},col={}", start.line, start.column);
                // A range of columns is understood within one line only.
                let _ = write!(line, ",endLine={}", end.line);
                if start.line == end.line {
                    let _ = write!(line, ",endColumn={}", end.column);
                }
            }
            let title = format!("crdkit {}{}", finding.code, kubernetes::in_parentheses());
            let text = [object.text(finding), finding.diff.clone()].join("\n");
            let _ = writeln!(line, ",title={}::{}", property(&title), data(text.trim_end()));
            out.extend_from_slice(line.as_bytes());
        }
    }

    fn finish(&mut self, _: &Summary, _: &mut Vec<u8>) {}
}

fn data(text: &str) -> String {
    lines(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
