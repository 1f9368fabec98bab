//! One finding, as data.

use crate::{Code, FieldPath, Span, template};
use std::fmt;
use std::sync::Arc;

/// One finding about a document.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Issue {
    /// What is wrong; stable.
    pub code: Code,
    /// How much it matters here: the same code can be an error on create and a warning on update.
    pub severity: Severity,
    /// Where in the document.
    pub path: FieldPath,
    /// Where in the source text, when the document came from text.
    pub span: Option<Span>,
    /// The offending value, kept only where the API server's wording shows one that is not found at `path`.
    pub value: Option<Arg>,
    /// What the message needs, by placeholder.
    pub args: Vec<(&'static str, Arg)>,
    /// Other places in the source that explain the finding, such as the first of two equal keys.
    pub related: Vec<Related>,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing is refused.
    Warning,
    /// The document is refused.
    Error,
}

/// A second place that belongs to a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Related {
    /// Where in the source text.
    pub span: Span,
    /// What is there, in a few words.
    pub label: &'static str,
}

/// An argument of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arg {
    /// Text, shown as it is.
    Text(Arc<str>),
    /// A whole number.
    Int(i64),
    /// A value in the notation it is shown in, such as JSON; as a `value` it gets no quotes.
    Literal(Box<str>),
    /// Another place in the document, shown as the API server writes paths.
    Path(FieldPath),
}

impl Issue {
    /// An error at the document's root; the other methods say more about it.
    pub fn error(code: Code) -> Self {
        Self {
            code,
            severity: Severity::Error,
            path: FieldPath::root(),
            span: None,
            value: None,
            args: Vec::new(),
            related: Vec::new(),
        }
    }

    /// A warning at the document's root.
    pub fn warning(code: Code) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code) }
    }

    /// The same finding at `path`.
    #[must_use]
    pub fn at(self, path: FieldPath) -> Self {
        Self { path, ..self }
    }

    /// The same finding at a place in the source.
    #[must_use]
    pub fn span(self, span: Span) -> Self {
        Self { span: Some(span), ..self }
    }

    /// The same finding with the argument for placeholder `name`.
    #[must_use]
    pub fn with(mut self, name: &'static str, arg: impl Into<Arg>) -> Self {
        self.args.push((name, arg.into()));
        self
    }

    /// The same finding with the offending value: text is shown in quotes.
    #[must_use]
    pub fn value(self, value: impl Into<Arg>) -> Self {
        Self { value: Some(value.into()), ..self }
    }

    /// The same finding with a second place that explains it.
    #[must_use]
    pub fn related(mut self, span: Span, label: &'static str) -> Self {
        self.related.push(Related { span, label });
        self
    }

    /// The same finding with the path of the first of several equal values.
    #[must_use]
    pub fn first_at(self, path: FieldPath) -> Self {
        self.with("first_at", Arg::Path(path))
    }

    /// The same finding about a part that stands at `base` of a whole; paths in its arguments move along.
    #[must_use]
    pub fn rebase(mut self, base: &FieldPath) -> Self {
        self.path = self.path.rebase(base);
        for (_, arg) in &mut self.args {
            if let Arg::Path(path) = arg {
                *path = path.rebase(base);
            }
        }
        self
    }

    /// The argument for placeholder `name`.
    pub fn arg(&self, name: &str) -> Option<&Arg> {
        self.args.iter().find(|(known, _)| *known == name).map(|(_, arg)| arg)
    }

    /// The message for people.
    pub fn message(&self) -> String {
        template::render(self.code.info().message, &self.args)
    }

    /// The detail in the API server's words.
    pub fn server_message(&self) -> String {
        let info = self.code.info();
        template::render(info.server.unwrap_or(info.message), &self.args)
    }
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_root() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message())
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Literal(text) => f.write_str(text),
            Self::Int(number) => write!(f, "{number}"),
            Self::Path(path) => path.fmt(f),
        }
    }
}

impl From<&str> for Arg {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

/// Text that many issues share.
impl From<Arc<str>> for Arg {
    fn from(text: Arc<str>) -> Self {
        Self::Text(text)
    }
}

impl From<String> for Arg {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<i64> for Arg {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<bool> for Arg {
    fn from(bool: bool) -> Self {
        Self::Literal(if bool { "true".into() } else { "false".into() })
    }
}

impl From<usize> for Arg {
    fn from(number: usize) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}
