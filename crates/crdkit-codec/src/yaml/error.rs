//! Why a YAML text could not be read: what is wrong, where, and at which stage.
//!
//! The wording is that of the Kubernetes YAML reader (`sigs.k8s.io/yaml` on `go.yaml.in/yaml/v2`), so a user who
//! searches for a message finds the answers written for the API server. Positions are bytes of the UTF-8 text;
//! lines are worked out from them when somebody asks.

use std::fmt;

use super::chars::LineCounter;
use crdkit_issue::{Issue, Span, codes};

/// What is wrong with a YAML text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum YamlProblem {
    /// The bytes are not text YAML allows: a bad encoding or a control character.
    Encoding(&'static str),
    /// The characters do not form YAML tokens.
    Scan(&'static str),
    /// The tokens do not form a YAML document.
    Parse(&'static str),
    /// Collections nest deeper than allowed.
    TooDeep(usize),
    /// An alias names an anchor that was not defined before it.
    UnknownAnchor(String),
    /// An alias lies inside the value it stands for.
    CyclicAnchor(String),
    /// Aliases make up too large a share of the values.
    ExcessiveAliasing,
    /// The value of a `<<` key is not a mapping or a list of mappings.
    MergeNotMapping,
    /// A scalar does not fit the tag it carries.
    TagMismatch {
        /// The tag the text would resolve to, in short form.
        found: &'static str,
        /// The scalar, cut to a printable length.
        text: String,
        /// The tag that was asked for, in short form.
        wanted: &'static str,
    },
    /// A `!!binary` scalar is not base64.
    InvalidBase64,
    /// A key is a list or a mapping.
    CollectionKey,
    /// A key is null, or an integer that only fits 64 unsigned bits.
    UnsupportedKey(&'static str),
    /// A number is infinite or not a number, which JSON cannot hold.
    UnsupportedNumber(&'static str),
}

impl fmt::Display for YamlProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Encoding(message) | Self::Scan(message) | Self::Parse(message) => {
                f.write_str(message)
            }
            Self::TooDeep(limit) => write!(f, "exceeded max depth of {limit}"),
            Self::UnknownAnchor(name) => write!(f, "unknown anchor '{name}' referenced"),
            Self::CyclicAnchor(name) => write!(f, "anchor '{name}' value contains itself"),
            Self::ExcessiveAliasing => f.write_str("document contains excessive aliasing"),
            Self::MergeNotMapping => {
                f.write_str("map merge requires map or sequence of maps as the value")
            }
            Self::TagMismatch { found, text, wanted } => {
                write!(f, "cannot decode {found} `{text}` as a {wanted}")
            }
            Self::InvalidBase64 => f.write_str("!!binary value contains invalid base64 data"),
            Self::CollectionKey => {
                f.write_str("invalid map key: a list or mapping cannot be a key")
            }
            Self::UnsupportedKey(kind) => write!(f, "unsupported map key of type: {kind}"),
            Self::UnsupportedNumber(text) => write!(f, "unsupported value: {text}"),
        }
    }
}

/// A [`YamlProblem`] and the bytes it is about. Failures are rare and results are passed around a lot, so it is boxed.
#[derive(Clone, Debug)]
pub(super) struct Failure(Box<Noticed>);

#[derive(Clone, Debug)]
struct Noticed {
    problem: YamlProblem,
    /// The offending text; empty where only a point is known.
    span: Span,
    /// Where the mirrored reader stood when it noticed; its line numbers are about this place.
    mark: usize,
}

impl Failure {
    pub(super) fn new(problem: YamlProblem, start: usize, end: usize) -> Self {
        Self::noticed_at(problem, start, end, start)
    }

    /// A problem with the text `start..end` that was noticed at `mark`.
    #[cold]
    pub(super) fn noticed_at(problem: YamlProblem, start: usize, end: usize, mark: usize) -> Self {
        Self(Box::new(Noticed { problem, span: Span::new(start, end), mark }))
    }

    /// The same failure in a text that has `offset` more bytes in front.
    pub(super) fn moved(mut self, offset: usize) -> Self {
        self.0.span = self.0.span.shifted(offset);
        self.0.mark += offset;
        self
    }

    /// The same failure in a text whose first `offset` bytes are not at hand.
    pub(super) fn moved_back(mut self, offset: usize) -> Self {
        let back = |place: usize| place.saturating_sub(offset);
        self.0.span = Span::new(back(self.0.span.start), back(self.0.span.end));
        self.0.mark = back(self.0.mark);
        self
    }

    pub(super) fn problem(&self) -> &YamlProblem {
        &self.0.problem
    }

    /// Where the offending text ends.
    pub(super) fn end(&self) -> usize {
        self.0.span.end
    }

    /// The finding. Its `server` argument is the message as Kubernetes prints it, for which the lines of `bytes`, the
    /// whole input, are counted.
    pub(super) fn issue(&self, bytes: &[u8], counter: &mut LineCounter) -> Box<Issue> {
        let Noticed { problem, span, .. } = &*self.0;
        let issue = match problem {
            YamlProblem::TooDeep(limit) => {
                Issue::error(codes::decode::TOO_DEEP).with("limit", *limit)
            }
            _ => Issue::error(codes::decode::YAML_SYNTAX).with("problem", problem.to_string()),
        };
        Box::new(issue.with("server", self.go_message(bytes, counter)).span(*span))
    }

    /// The mirrored reader counts lines from one in scanner messages and from zero in parser messages, and leaves
    /// the number out for the first line; the span has none of these quirks.
    fn go_message(&self, bytes: &[u8], counter: &mut LineCounter) -> String {
        let Noticed { problem, mark, .. } = &*self.0;
        let counted_from = match problem {
            YamlProblem::Scan(_) | YamlProblem::TooDeep(_) => 1,
            YamlProblem::Parse(_) => 0,
            _ => return format!("yaml: {problem}"),
        };
        match counter.lines_before(bytes, *mark) {
            0 => format!("yaml: {problem}"),
            line => format!("yaml: line {}: {problem}", line + counted_from),
        }
    }
}
