//! What an import has to say about the schema itself.

use crdkit_issue::FieldPath;
use std::fmt;

/// How much a diagnostic matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DiagnosticLevel {
    /// Worth knowing.
    Note,
    /// A gap, or something the API server would refuse.
    Warning,
    /// Something that cannot be meant; the import goes on without it.
    Error,
}

/// One remark about a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How much it matters.
    pub level: DiagnosticLevel,
    /// What it is about; stable, begins with `schema_`.
    pub code: &'static str,
    /// Where in the schema; a JSON Pointer is [`FieldPath::pointer`].
    pub schema_path: FieldPath,
    /// In words.
    pub message: String,
}

/// All remarks about a schema, in the order of the schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Whether there is a warning or an error.
    pub fn has_warnings(&self) -> bool {
        self.worst() >= Some(DiagnosticLevel::Warning)
    }

    /// Warnings and errors.
    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter().filter(|diagnostic| diagnostic.level >= DiagnosticLevel::Warning)
    }

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The highest level among them.
    pub fn worst(&self) -> Option<DiagnosticLevel> {
        self.0.iter().map(|diagnostic| diagnostic.level).max()
    }

    pub(crate) fn add(
        &mut self,
        level: DiagnosticLevel,
        code: &'static str,
        schema_path: FieldPath,
        message: impl Into<String>,
    ) {
        self.0.push(Diagnostic { level, code, schema_path, message: message.into() });
    }

    /// Puts them in the order of the schema and drops repetitions.
    pub(crate) fn sort(&mut self) {
        self.0.sort_by(|left, right| {
            (&left.schema_path, left.code, &left.message).cmp(&(
                &right.schema_path,
                right.code,
                &right.message,
            ))
        });
        self.0.dedup();
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at `{}`: {}", self.code, self.schema_path.pointer(), self.message)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for diagnostic in self.0.iter().take(3) {
            write!(f, "{separator}{diagnostic}")?;
            separator = "; ";
        }
        if self.0.len() > 3 {
            write!(f, "{separator}{} in all", self.0.len())?;
        }
        Ok(())
    }
}
