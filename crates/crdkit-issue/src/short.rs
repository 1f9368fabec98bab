//! Findings as programs that use a schema as a library see them: short names, keywords, hints, parameters.
//!
//! A code says which keyword failed; programs want to branch on what kind of mistake was made. Several codes
//! can share a short name (`min-length` and `min-items` are both `too_short`), and the keyword says which it
//! was. All of it is declared with the codes; the names are a contract like the codes themselves.

use crate::{Arg, Issue, LineIndex, PathStyle, codes};
use std::borrow::Cow;

/// So much of an expression is shown as a hint.
const HINT_CHARS: usize = 60;

impl Issue {
    /// The short name: what kind of mistake it is. Of a union it depends on how many branches matched.
    pub fn short(&self) -> Cow<'static, str> {
        let is_ambiguous = matches!(self.arg("matching"), Some(Arg::Int(count)) if *count > 1);
        if self.code == codes::object::ONE_OF && is_ambiguous {
            return codes::schema::UNION_AMBIGUOUS.short();
        }
        self.code.short()
    }

    /// The keyword that was violated, or nothing.
    pub fn keyword(&self) -> &str {
        match self.arg("keyword") {
            Some(Arg::Text(keyword)) => keyword,
            _ => self.code.info().keyword,
        }
    }

    /// What helps to find the mistake: the first of two equal things, the format, the rule. Paths in it
    /// are written in `style`; places in the source as line and column when `source` is at hand, and as
    /// offsets otherwise.
    pub fn hint(&self, style: PathStyle, source: Option<(&LineIndex, &[u8])>) -> Option<String> {
        if let Some(hint) = self.arg("hint") {
            return Some(hint.to_string());
        }
        if let Some(Arg::Path(first)) = self.arg("first_at") {
            return Some(format!("first at {}", first.display(style)));
        }
        if let Some(first) = self.related.first() {
            return Some(match source {
                Some((lines, text)) => {
                    let position = lines.position(text, first.span.start);
                    format!("first at line {}, column {}", position.line, position.column)
                }
                None => format!("first at offset {}", first.span.start),
            });
        }
        match &*self.short() {
            "invalid_format" => self.arg("expected").or(self.arg("codec")).map(Arg::to_string),
            "cel_violation" | "cel_error" => self.rule_hint(HINT_CHARS),
            _ => None,
        }
    }

    /// The rule that failed, by name if it has one, and otherwise the first `chars` characters of it.
    pub fn rule_hint(&self, chars: usize) -> Option<String> {
        if let Some(name) = self.arg("name") {
            return Some(name.to_string());
        }
        let rule = self.arg("rule")?.to_string();
        Some(match rule.char_indices().nth(chars) {
            None => rule,
            Some((end, _)) => format!("{}…", rule.get(..end).unwrap_or_default()),
        })
    }

    /// What the message was made of, for programs.
    pub fn params(&self) -> impl Iterator<Item = (&'static str, &Arg)> {
        let shown = |name: &str| !matches!(name, "hint" | "first_at" | "server" | "keyword");
        self.args.iter().filter(move |(name, _)| shown(name)).map(|(name, arg)| (*name, arg))
    }
}
