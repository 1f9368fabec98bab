//! Findings for machines: one form, in any format that documents are written in.
//!
//! `{"issues": [{"path", "code", "message", "hint", "kind", "keyword", "severity", "params", "offset", "line",
//! "column"}]}`; what is not known is left out. A language other than English keys on the code and fills
//! in the parameters.

use crdkit_codec::DecodeOptions;
use crdkit_codec::json::{self, Layout};
use crdkit_issue::{Arg, Issue, Issues, LineIndex, PathStyle};
use crdkit_value::{Document, NodeId, Value};

/// How findings are shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report<'s> {
    style: PathStyle,
    source: Option<&'s [u8]>,
}

impl<'s> Report<'s> {
    /// Paths as JSON Pointers, places as offsets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Paths in another style.
    #[must_use]
    pub fn paths(self, style: PathStyle) -> Self {
        Self { style, ..self }
    }

    /// The text the findings are about, so that places have a line and a column.
    #[must_use]
    pub fn source(self, source: &'s [u8]) -> Self {
        Self { source: Some(source), ..self }
    }

    /// The findings as JSON text.
    pub fn json(self, issues: &Issues) -> String {
        let mut out = Vec::new();
        json::write(self.document(issues).root(), Layout::Compact, &mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    /// The findings as a document.
    pub fn document(self, issues: &Issues) -> Document {
        let mut document = document_of("{\"issues\":[]}");
        let Some(list) = document.root().get("issues").map(Value::id) else {
            return document;
        };
        let lines = self.source.map(LineIndex::new);
        for issue in issues {
            let entry = self.entry(issue, lines.as_ref());
            document.push(list, entry.root());
        }
        document
    }

    fn entry(self, issue: &Issue, lines: Option<&LineIndex>) -> Document {
        let text = lines.zip(self.source);
        let mut entry = Document::object();
        let mut put = |key: &str, text: &str| {
            if !text.is_empty() || key == "path" {
                entry.insert(NodeId::ROOT, key, text);
            }
        };
        put("path", &issue.path.display(self.style).to_string());
        put("code", &issue.short());
        put("message", &issue.message());
        put("hint", &issue.hint(self.style, text).unwrap_or_default());
        put("kind", issue.code.info().error_type.reason());
        put("keyword", issue.keyword());
        put("severity", &issue.severity.to_string());
        let mut params = Document::object();
        for (name, arg) in issue.params() {
            let value = match arg {
                Arg::Int(int) => Document::from(*int),
                Arg::Literal(literal) => {
                    match json::decode(literal.as_bytes(), &DecodeOptions::default()) {
                        Ok(decoded) => decoded.document,
                        Err(_) => Document::from(literal),
                    }
                }
                Arg::Text(text) => Document::from(&**text),
                Arg::Path(path) => Document::from(&path.display(self.style).to_string()),
            };
            params.insert(NodeId::ROOT, name, value.root());
        }
        if params.root().members().len() > 0 {
            entry.insert(NodeId::ROOT, "params", params.root());
        }
        if let Some(span) = issue.span {
            let mut place = |key: &str, at: usize| {
                entry.insert(NodeId::ROOT, key, i64::try_from(at).unwrap_or(i64::MAX));
            };
            place("offset", span.start);
            if let Some((lines, source)) = text {
                let position = lines.position(source, span.start);
                place("line", position.line);
                place("column", position.column);
            }
        }
        entry
    }
}

/// The document that JSON text says; `null` if it says none. For literals of programs and tests.
pub fn document_of(json: &str) -> Document {
    json::decode(json.as_bytes(), &DecodeOptions::default())
        .map(|it| it.document)
        .unwrap_or_default()
}
