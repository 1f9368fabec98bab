//! YAML inside YAML: a text in which each line leads to its place in the file around it.

use super::SourceFile;
use crdkit_issue::Span;
use crdkit_value::Value;
use std::sync::Arc;

/// Text of a file: all of it, or what stands in one of its values.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) file: Arc<SourceFile>,
    /// Where the value stands, and for each of its lines where it begins in it and where in the file; nothing if the
    /// text is the whole file.
    inside: Option<(Span, Vec<(usize, usize)>)>,
}

impl Text {
    pub(super) fn whole(file: &Arc<SourceFile>) -> Self {
        Self { file: Arc::clone(file), inside: None }
    }

    /// The text that `value` is, a value of `file`. Lines can be told where they stand as they are, in a block.
    pub(super) fn inside(file: &Arc<SourceFile>, value: Value<'_>) -> Option<Self> {
        let span = value.document().place(value.id())?.value;
        let first = file.lines.position(file.text.as_bytes(), span.start).line;
        let (mut lines, mut at) = (Vec::new(), 0);
        for (index, text) in value.as_str()?.split_inclusive('\n').enumerate() {
            let (start, there) = file.line(first + index);
            let indentation = there.len() - there.trim_start().len();
            let own = text.len() - text.trim_start().len();
            if there.trim() == text.trim() && indentation >= own {
                lines.push((at, start + indentation - own));
            }
            at += text.len();
        }
        Some(Self { file: Arc::clone(file), inside: Some((span, lines)) })
    }

    /// Where `span` of the text is in the file.
    pub(super) fn place(&self, span: Span) -> Span {
        let Some((whole, lines)) = &self.inside else { return span };
        let line = lines.partition_point(|(start, _)| *start <= span.start);
        let line = line.checked_sub(1).and_then(|line| lines.get(line));
        line.map_or(*whole, |(start, there)| {
            let shifted = |at: usize| at.saturating_sub(*start) + there;
            Span::new(shifted(span.start), shifted(span.end.max(span.start)))
        })
    }
}
